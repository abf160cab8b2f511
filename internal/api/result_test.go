package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nadmor/internal/api"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

const resultPath = "/admin/api/v1/appointment-results"

// aPDF returns a PDF of about the given size.
func aPDF(size int) []byte {
	return []byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + strings.Repeat("% filler of the file\n", size/21) +
		"xref\n0 1\ntrailer\n<< >>\nstartxref\n46\n%%EOF\n")
}

// formWith returns a form with a file.
func formWith(t testing.TB, name string, file []byte, texts map[string]string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for field, text := range texts {
		if err := w.WriteField(field, text); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// sendNamed sends a form with a named file.
func (n *node) sendNamed(path, token, name string, file []byte, texts map[string]string, headers ...string) answer {
	n.t.Helper()
	body, kind := formWith(n.t, name, file, texts)
	return n.call(http.MethodPost, path, token, body, append([]string{"Content-Type", kind}, headers...)...)
}

// fileOf downloads the file of a result.
func (n *node) fileOf(id int64, token string, headers ...string) (*http.Response, []byte) {
	n.t.Helper()
	return n.raw(http.MethodGet, fmt.Sprintf("%s/file/%d", resultPath, id), token, nil, headers...)
}

// storedResults returns the result files on disk.
func (n *node) storedResults() []string {
	n.t.Helper()
	list, err := filepath.Glob(filepath.Join(n.files, "results", "*"))
	left, leftErr := filepath.Glob(filepath.Join(n.files, ".partial", "*"))
	if err != nil || leftErr != nil || len(left) > 0 {
		n.t.Errorf("left behind: %v %v %v", left, err, leftErr)
	}
	return list
}

func (d *bookingClient) visit() hospital.Appointment {
	d.t.Helper()
	d.people++
	hour := []string{"09:30", "10:00", "10:30", "11:00", "11:30"}[d.people%5]
	return decode[hospital.Appointment](d.t, d.book(d.clinic, hospital.AddDays(tuesday, d.people/5*7), hour))
}

type details struct {
	hospital.Appointment
	History []hospital.HistoryEntry
	Results []hospital.Result
}

func (d *bookingClient) details(token string, id int64) details {
	d.t.Helper()
	return decode[details](d.t, d.post(visitPath+"/details", token, obj("id", id)))
}

func TestResultsOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		nurse, doctor := n.signIn("nurse").AccessToken, n.signIn("doctor").AccessToken
		a := d.visit()
		body := aPDF(40_000)
		sum := sha256.Sum256(body)
		first := decode[hospital.Result](t,
			n.sendNamed(fmt.Sprintf("%s/result/create/%d", visitPath, a.ID), nurse, "ผลเลือด 15 พ.ย. 2569.pdf", body,
				map[string]string{
					"type": "LAB", "diagnosis": "ซีดเล็กน้อย", "icd10": "d649, E11.9", "advice": "กินธาตุเหล็ก",
					"followUpDate": "2026-12-15",
				}))
		if f := first.File; f == nil || f.Name != "ผลเลือด 15 พ.ย. 2569.pdf" || f.ContentType != "application/pdf" ||
			f.Size != int64(len(body)) || f.SHA256 != hex.EncodeToString(sum[:]) {
			t.Fatalf("the file is %+v", first.File)
		}
		if first.Type != hospital.ResultLab || strings.Join(first.ICD10, " ") != "D64.9 E11.9" ||
			*first.FollowUpDate != "2026-12-15" || first.AppointmentID != a.ID || first.CreatedByName != "คุณnurse" {
			t.Errorf("recorded %+v", first)
		}
		second := decode[hospital.Result](t,
			n.post(resultPath+"/create", nurse, obj("appointmentId", a.ID, "diagnosis", "โลหิตจาง", "icd10", []string{"D50.9"})))
		third := decode[hospital.Result](t,
			n.sendNamed(resultPath+"/create", nurse, "ฟิล์ม.PNG", picture(t, 30, 20), map[string]string{
				"appointmentId": itoa(a.ID), "type": "XRAY",
			}))
		if second.Type != hospital.ResultDiagnosis || second.File != nil || third.File.ContentType != "image/png" ||
			third.File.Name != "ฟิล์ม.PNG" || strings.Contains(fmt.Sprintf("%+v", third), "results/") {
			t.Errorf("recorded %+v %+v", second, third)
		}
		if got := d.details(doctor, a.ID); len(got.Results) != 3 || got.Results[0].ID != first.ID || got.ResultCount != 3 ||
			got.Version != a.Version {
			t.Errorf("details %+v", got)
		}
		record := decode[struct {
			hospital.Result
			Appointment hospital.Appointment
		}](t, n.get(resultPath+"/read/"+itoa(first.ID), doctor))
		if record.Diagnosis != "ซีดเล็กน้อย" || record.Appointment.Number != a.Number || record.Appointment.Patient.HN == "" {
			t.Errorf("read %+v", record)
		}
		list := decode[hospital.Paged[hospital.Result]](t,
			n.post(resultPath+"/list", doctor, obj("patientId", a.PatientID, "type", "XRAY")))
		if list.Total != 1 || list.Items[0].ID != third.ID {
			t.Errorf("list %+v", list)
		}
		page := decode[hospital.Paged[details]](t, n.post(visitPath+"/list-results", doctor, obj("hasResult", true)))
		if page.Total != 1 || len(page.Items[0].Results) != 3 {
			t.Errorf("list-results %+v", page)
		}
		if page := decode[hospital.Paged[details]](t,
			n.post(visitPath+"/list-results", doctor, obj("hasResult", false))); page.Total != 0 {
			t.Errorf("those without: %+v", page)
		}
		n.post(resultPath+"/list", doctor, obj("sort", "diagnosis")).want(t, hospital.ValidationFailed)
		n.post(visitPath+"/list-results", doctor, obj("hasResult", "yes")).want(t, hospital.ValidationFailed)

		// A nurse may record and read results, but not delete them.
		deleted := resultPath + "/delete/" + itoa(first.ID)
		n.call(http.MethodDelete, deleted+"?reason=x", nurse, nil).want(t, hospital.Forbidden)
		if a := n.call(http.MethodDelete, deleted, doctor, nil).want(t, hospital.ValidationFailed); a.field("reason") == "" {
			t.Errorf("without a reason: %s", a.raw)
		}
		n.call(http.MethodDelete, deleted+"?reason=%E0%B8%9C%E0%B8%B4%E0%B8%94%E0%B8%84%E0%B8%99", doctor, nil).want(t, "")
		n.get(resultPath+"/read/"+itoa(first.ID), doctor).want(t, hospital.NotFound)
		if res, _ := n.fileOf(first.ID, doctor); res.StatusCode != http.StatusNotFound {
			t.Errorf("a deleted one's file: %d", res.StatusCode)
		}
		if stored := n.storedResults(); len(stored) != 2 {
			t.Errorf("a mistaken deletion takes the file along: %v", stored)
		}
		if got := d.details(doctor, a.ID); len(got.Results) != 2 || got.ResultCount != 2 {
			t.Errorf("after the deletion %+v", got)
		}
		audit := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", d.token, obj("entity", "result", "entityId", itoa(first.ID))))
		actions := map[string]int{}
		for _, e := range audit.Items {
			actions[e.Action]++
		}
		if actions["result.create"] != 1 || actions["result.read"] != 1 || actions["result.delete"] != 1 ||
			audit.Items[0].Reason != "ผิดคน" || audit.Items[0].Changes["diagnosis"].Before != "ซีดเล็กน้อย" {
			t.Errorf("the log has %v %+v", actions, audit.Items[0])
		}
	})
}

// A file is downloaded unchanged, in whole or in part, as an attachment.
func TestDownloadResultFile(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		doctor, registrar := n.signIn("doctor").AccessToken, n.signIn("registrar").AccessToken
		a, body := d.visit(), aPDF(100_000)
		r := decode[hospital.Result](t,
			n.sendNamed(fmt.Sprintf("%s/result/create/%d", visitPath, a.ID), doctor, `ผล "พิเศษ"; 50%.pdf`, body, nil))
		res, got := n.fileOf(r.ID, doctor)
		if res.StatusCode != http.StatusOK || !bytes.Equal(got, body) {
			t.Fatalf("%d, %d bytes", res.StatusCode, len(got))
		}
		for header, want := range map[string]string{
			"Content-Type": "application/pdf", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "no-store",
			"Accept-Ranges": "bytes", "ETag": `"` + r.File.SHA256 + `"`, "Content-Length": fmt.Sprint(len(body)),
		} {
			if got := res.Header.Get(header); got != want {
				t.Errorf("%s: %q, want %q", header, got, want)
			}
		}
		disposition := res.Header.Get("Content-Disposition")
		kind, params, err := mime.ParseMediaType(disposition)
		if err != nil || kind != "attachment" || params["filename"] != r.File.Name ||
			!strings.Contains(disposition, `filename="result-`) ||
			!strings.Contains(disposition, "filename*=UTF-8''%E0%B8%9C%E0%B8%A5%20") {
			t.Errorf("%s: %v %v", disposition, params, err)
		}
		for ranges, want := range map[string]struct {
			status int
			body   string
		}{
			"bytes=0-4": {206, "%PDF-"}, "bytes=-6": {206, "%%EOF\n"}, "bytes=5-7": {206, "1.7"}, "bytes=999999-": {416, ""},
			fmt.Sprintf("bytes=0-%d", len(body)+5): {206, string(body)},
		} {
			res, got := n.fileOf(r.ID, doctor, "Range", ranges)
			if res.StatusCode != want.status || want.status == 206 && string(got) != want.body {
				t.Errorf("%s: %d, %d bytes", ranges, res.StatusCode, len(got))
			}
			if want.status == 416 && res.Header.Get("Content-Range") != fmt.Sprintf("bytes */%d", len(body)) {
				t.Errorf("%s: %v", ranges, res.Header)
			}
		}
		if res, got := n.fileOf(r.ID, doctor, "Range", "bytes=0-4", "If-Range",
			res.Header.Get("ETag")); res.StatusCode != http.StatusPartialContent || string(got) != "%PDF-" {
			t.Errorf("the part of the same file: %d", res.StatusCode)
		}
		if res, got := n.fileOf(r.ID, doctor, "Range", "bytes=0-4", "If-Range",
			`"another"`); res.StatusCode != http.StatusOK || len(got) != len(body) {
			t.Errorf("the part of another file: %d, %d bytes", res.StatusCode, len(got))
		}
		if res, _ := n.fileOf(r.ID, registrar); res.StatusCode != http.StatusForbidden {
			t.Errorf("without the permission: %d", res.StatusCode)
		}
		if res, _ := n.fileOf(r.ID, ""); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("nobody: %d", res.StatusCode)
		}
		audit := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", d.token, obj("action", "result.download")))
		if audit.Total != 8 || audit.Items[0].ActorName != "คุณdoctor" ||
			audit.Items[0].Changes["file"].After != r.File.Name {
			t.Errorf("%d downloads in the log: %+v", audit.Total, audit.Items[0])
		}
		// A missing file is reported to the caller and logged.
		if err := os.RemoveAll(filepath.Join(n.files, "results")); err != nil {
			t.Fatal(err)
		}
		if res, _ := n.fileOf(r.ID, doctor); res.StatusCode != http.StatusServiceUnavailable ||
			!strings.Contains(n.log.String(), fmt.Sprintf("file of result %d", r.ID)) {
			t.Errorf("a lost file: %d", res.StatusCode)
		}
	})
}

// Callers without RESULT.SHOW see neither results nor whether there are any.
func TestResultPermissions(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		a := d.visit()
		n.sendNamed(fmt.Sprintf("%s/result/create/%d", visitPath, a.ID), d.token, "ลับมาก.pdf", aPDF(100),
			map[string]string{"diagnosis": "ลับมาก"}).want(t, "")
		registrar := n.signIn("registrar").AccessToken
		for token, want := range map[string]int{d.token: 1, registrar: 0} {
			check := func(where string, a answer) {
				t.Helper()
				if a.status != http.StatusOK || strings.Contains(a.raw, "ลับมาก") != (want == 1) && where == "details" ||
					want == 0 && strings.Contains(a.raw, "ลับมาก") ||
					strings.Contains(a.raw, `"resultCount":1`) != (want == 1) || want == 0 && strings.Contains(a.raw, "RESULT") {
					t.Errorf("%s (%d results to see): %d %s", where, want, a.status, a.raw)
				}
			}
			check("details", n.post(visitPath+"/details", token, obj("id", a.ID)))
			check("list", n.post(visitPath+"/list", token, obj("patientId", a.PatientID)))
			check("search", n.post(visitPath+"/search", token, obj("q", a.Number)))
			check("calendar",
				n.post(visitPath+"/calendar-list", token, obj("dateFrom", a.Date, "dateTo", a.Date, "includeAppointments", true)))
			check("all", n.get(visitPath+"/list-all?dateFrom="+a.Date+"&dateTo="+a.Date, token))
			check("update",
				n.post(visitPath+"/update", token, obj("id", a.ID, "version", a.Version, "note", fmt.Sprint("หมายเหตุ ", want))))
			a.Version++
			stale := n.post(visitPath+"/update", token, obj("id", a.ID, "version", 1, "note", "x")).want(t,
				hospital.ConflictVersion)
			if strings.Contains(stale.raw, `"resultCount":1`) != (want == 1) {
				t.Errorf("a conflict shows %s", stale.raw)
			}
			inUse := n.call(http.MethodDelete, fmt.Sprintf("%s/delete/%d", visitPath, a.ID), token, nil).want(t, hospital.InUse)
			if _, included := inUse.err.Details["count"]; included != (want == 1) ||
				strings.Contains(inUse.err.Message, "ผลการตรวจ") != (want == 1) {
				t.Errorf("deleting returns %s", inUse.raw)
			}
			check("status",
				n.post(visitPath+"/mark-status", token,
					obj("id", a.ID, "status", map[int]string{0: "CONFIRMED", 1: "CANCELLED"}[want], "reason", "x")))
			a.Version++
			if want == 1 { // back to a status that the other user can change
				n.post(visitPath+"/undo-status", token, obj("id", a.ID)).want(t, "")
				a.Version++
			}
		}
		for _, call := range []func() answer{
			func() answer { return n.post(visitPath+"/list-results", registrar, obj()) },
			func() answer { return n.post(resultPath+"/list", registrar, obj()) },
			func() answer { return n.get(resultPath+"/read/1", registrar) },
			func() answer {
				return n.post(resultPath+"/create", registrar, obj("appointmentId", a.ID, "diagnosis", "x"))
			},
			func() answer {
				return n.sendNamed(fmt.Sprintf("%s/result/create/%d", visitPath, a.ID), registrar, "x.pdf", aPDF(10), nil)
			},
			func() answer { return n.call(http.MethodDelete, resultPath+"/delete/1?reason=x", registrar, nil) },
		} {
			call().want(t, hospital.Forbidden)
		}
		// RESULT.SHOW is not enough to list appointments.
		reader := n.with(d.token, "reader", hospital.ResultShow)
		if a := n.post(visitPath+"/list-results", reader, obj()).want(t,
			hospital.Forbidden); a.err.Details["permission"] != "APPOINTMENT.SHOW" {
			t.Errorf("%s", a.raw)
		}
	})
}

// A rejected upload leaves neither a file nor a result.
func TestResultErrors(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		s := n.setting(d.token)
		n.post(settingPath+"/update", d.token, obj("version", s.Version, "uploadMaxMb", 1)).want(t, "")
		a, cancelled := d.visit(), d.visit()
		d.mark(cancelled.ID, hospital.Cancelled, "ติดธุระ").want(t, "")
		var photo bytes.Buffer
		m, err := png.Decode(bytes.NewReader(picture(t, 300, 200)))
		if err == nil {
			err = jpeg.Encode(&photo, m, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		path := fmt.Sprintf("%s/result/create/%d", visitPath, a.ID)
		pdf := aPDF(1000)
		for name, c := range map[string]struct {
			path  string
			file  []byte
			texts map[string]string
			code  hospital.Code
			field string
		}{
			"a program called .pdf": {
				path, []byte("MZ\x90\x00" + strings.Repeat("\x00", 4000)), nil, hospital.FileTypeNotAllowed, "",
			},
			"a page": {
				path, []byte("<!DOCTYPE html><script>alert(1)</script>"), nil, hospital.FileTypeNotAllowed, "",
			},
			"a drawing": {
				path, []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), nil, hospital.FileTypeNotAllowed, "",
			},
			"an archive": {
				path, []byte("PK\x03\x04" + strings.Repeat("x", 100)), nil, hospital.FileTypeNotAllowed, "",
			},
			"nothing in it": {path, nil, nil, hospital.FileTypeNotAllowed, ""},
			"half a photo":  {path, photo.Bytes()[:photo.Len()/2], nil, hospital.FileTypeNotAllowed, ""},
			"a photo with a page behind": {
				path, append(bytes.Clone(photo.Bytes()), "<html>"...), nil, hospital.FileTypeNotAllowed, "",
			},
			"a PDF with a page before": {path, append([]byte("<html>"), pdf...), nil, hospital.FileTypeNotAllowed, ""},
			"one byte too many":        {path, aPDF(1<<20 + 21), nil, hospital.TooLarge, ""},
			"far too large":            {path, aPDF(3 << 20), nil, hospital.TooLarge, ""},
			"a wrong code": {
				path, pdf, map[string]string{"icd10": "E11.9 หวัด"}, hospital.ValidationFailed, "icd10[1]",
			},
			"a wrong type": {path, pdf, map[string]string{"type": "NOTE"}, hospital.ValidationFailed, "type"},
			"no such day": {
				path, pdf, map[string]string{"followUpDate": "15/11/2569"}, hospital.ValidationFailed, "followUpDate",
			},
			"back before the visit": {
				path, pdf, map[string]string{"followUpDate": "2026-01-01"}, hospital.ValidationFailed, "followUpDate",
			},
			"an unknown field": {path, pdf, map[string]string{"note": "x"}, hospital.ValidationFailed, "form"},
			"an appointment twice": {
				path, pdf, map[string]string{"appointmentId": itoa(a.ID)}, hospital.ValidationFailed, "form",
			},
			"no such appointment": {visitPath + "/result/create/999999", pdf, nil, hospital.NotFound, ""},
			"a cancelled one": {
				fmt.Sprintf("%s/result/create/%d", visitPath, cancelled.ID), pdf, nil, hospital.InvalidTransition, "",
			},
			"a cancelled one, in a form": {
				resultPath + "/create", pdf, map[string]string{"appointmentId": itoa(cancelled.ID)}, hospital.InvalidTransition, "",
			},
			"of no appointment": {resultPath + "/create", pdf, nil, hospital.ValidationFailed, "appointmentId"},
			"of an odd appointment": {
				resultPath + "/create", pdf, map[string]string{"appointmentId": "หนึ่ง"}, hospital.ValidationFailed,
				"appointmentId",
			},
		} {
			got := n.sendNamed(c.path, d.token, "ผล.pdf", c.file, c.texts)
			if got.err.Code != string(c.code) || c.field != "" && got.field(c.field) == "" {
				t.Errorf("%s: %d %s", name, got.status, got.raw)
			}
			if c.code == hospital.TooLarge && got.err.Details["maxBytes"] != float64(1<<20) {
				t.Errorf("%s: details %v", name, got.err.Details)
			}
			if stored := n.storedResults(); len(stored) != 0 {
				t.Fatalf("%s left %v", name, stored)
			}
		}
		n.send(path, d.token, "diagnosis", "x").want(t, hospital.ValidationFailed) // no file
		n.send(path, d.token, "file", pdf, "file", pdf).want(t, hospital.ValidationFailed)
		for body, code := range map[string]hospital.Code{
			`{"appointmentId":` + itoa(a.ID) + `}`:                               hospital.ValidationFailed,
			`{"diagnosis":"x"}`:                                                  hospital.ValidationFailed,
			`{"appointmentId":` + itoa(a.ID) + `,"diagnosis":"x","file":"y"}`:    hospital.ValidationFailed,
			`{"appointmentId":"` + itoa(a.ID) + `","diagnosis":"x"}`:             hospital.ValidationFailed,
			`{"appointmentId":` + itoa(a.ID) + `,"diagnosis":"x","type":"NOTE"}`: hospital.ValidationFailed,
			`{"appointmentId":` + itoa(a.ID) + `,"diagnosis":"\u0000"}`:          hospital.BadRequest,
			`{"appointmentId":` + itoa(cancelled.ID) + `,"diagnosis":"x"}`:       hospital.InvalidTransition,
			`{`:    hospital.BadRequest,
			`null`: hospital.ValidationFailed,
			`{"diagnosis":"` + strings.Repeat("x", 300<<10) + `"}`: hospital.TooLarge,
		} {
			if got := n.post(resultPath+"/create", d.token, body); got.err.Code != string(code) {
				t.Errorf("%.80s: %d %s, want %s", body, got.status, got.raw, code)
			}
		}
		n.call(http.MethodPost, resultPath+"/create", d.token, "x", "Content-Type", "text/plain").want(t, hospital.BadRequest)
		if got := d.details(d.token, a.ID); got.ResultCount != 0 || len(got.Results) != 0 || len(n.storedResults()) != 0 {
			t.Errorf("after refusals %+v, %v", got, n.storedResults())
		}
		if log := n.log.String(); strings.Contains(log, "ผล.pdf") || strings.Contains(log, "หวัด") {
			t.Error("what was sent is in the log")
		}
	})
}

// A retry with the same key records the result once and leaves no second file.
func TestResultIsIdempotent(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		a := d.visit()
		path := fmt.Sprintf("%s/result/create/%d", visitPath, a.ID)
		send := func(diagnosis string) answer {
			return n.sendNamed(path, d.token, "ผล.pdf", aPDF(500), map[string]string{"diagnosis": diagnosis}, "Idempotency-Key",
				"attempt 1")
		}
		first, again := decode[hospital.Result](t, send("หวัด")), decode[hospital.Result](t, send("หวัด"))
		if again.ID != first.ID || len(n.storedResults()) != 1 || d.details(d.token, a.ID).ResultCount != 1 {
			t.Errorf("recorded as %d and %d, files %v", first.ID, again.ID, n.storedResults())
		}
		send("อื่น").want(t, hospital.ValidationFailed)
		if len(n.storedResults()) != 1 {
			t.Errorf("files %v", n.storedResults())
		}
	})
}

// endlessPDF generates a PDF of any size. It may still be read after the response.
type endlessPDF struct{ left atomic.Int64 }

func (e *endlessPDF) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), e.left.Load()))
	if n == 0 {
		return 0, io.EOF
	}
	for i := range p[:n] {
		p[i] = '%'
	}
	e.left.Add(-int64(n))
	return n, nil
}

// upload streams a form with a file of the given size.
func (n *node) upload(path, token string, size int64, length bool) (*http.Response, int64, error) {
	n.t.Helper()
	const boundary = "xxBOUNDARYxx"
	head := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"big.pdf\"\r\n\r\n%PDF-1.7\n"
	tail := "\nstartxref\n1\n%%EOF\n\r\n--" + boundary + "--\r\n"
	filler := &endlessPDF{}
	filler.left.Store(size)
	req, err := http.NewRequestWithContext(n.t.Context(), http.MethodPost,
		n.url+path, io.MultiReader(strings.NewReader(head), filler, strings.NewReader(tail)))
	if err != nil {
		n.t.Fatal(err)
	}
	if length {
		req.ContentLength = int64(len(head)) + size + int64(len(tail))
	}
	req.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	return res, size - filler.left.Load(), err
}

// A large file uses little memory. A file that is too large is rejected before it is sent, or at the limit if
// its length is unknown.
func TestLargeUploadMemory(t *testing.T) {
	n := start(t, storetest.SQLite(t))
	storetest.SetUp(t, n.db)
	d := newBookingClient(t, n)
	s := n.setting(d.token)
	n.post(settingPath+"/update", d.token, obj("version", s.Version, "uploadMaxMb", 20)).want(t, "")
	a := d.visit()
	path := fmt.Sprintf("%s/result/create/%d", visitPath, a.ID)
	for _, known := range []bool{true, false} {
		res, sent, err := n.upload(path, d.token, 4<<30, known)
		if err != nil {
			t.Fatal(err)
		}
		var rejected struct {
			Error struct {
				Code    string
				Details map[string]any
			}
		}
		err = json.NewDecoder(res.Body).Decode(&rejected)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusRequestEntityTooLarge || rejected.Error.Code != "FILE_TOO_LARGE" ||
			rejected.Error.Details["maxBytes"] != float64(20<<20) {
			t.Errorf("four gigabytes, length known %v: %d %+v %v", known, res.StatusCode, rejected, err)
		}
		if most := map[bool]int64{true: 16 << 20, false: 50 << 20}[known]; sent > most {
			t.Errorf("length known %v: %d MB were sent before the answer", known, sent>>20)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	res, _, err := n.upload(path, d.token, 18<<20, true)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	runtime.ReadMemStats(&after)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %v", res.StatusCode, answer, err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 3<<20 {
		t.Errorf("%d kB were allocated for a file of 18 MB", taken>>10)
	} else {
		t.Logf("%d kB were allocated for a file of 18 MB", taken>>10)
	}
}

// failing is a file store that fails.
type failing struct {
	files.Store
	put, del error
}

func (f failing) Put(ctx context.Context, key string, r io.Reader, limit int64) (files.Stored, error) {
	if f.put != nil {
		return files.Stored{}, f.put
	}
	return f.Store.Put(ctx, key, r, limit)
}

func (f failing) Delete(ctx context.Context, key string) error {
	if f.del != nil {
		return f.del
	}
	return f.Store.Delete(ctx, key)
}

// Errors of the file store are reported, and there is no result without its file.
func TestResultsWithoutFileStore(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t), func(o *api.Options) {
		o.Files = failing{o.Files, &fs.PathError{Op: "write", Path: "x", Err: fs.ErrPermission}, nil}
	})
	storetest.SetUp(t, n.db)
	d := newBookingClient(t, n)
	a := d.visit()
	n.sendNamed(fmt.Sprintf("%s/result/create/%d", visitPath, a.ID), d.token, "ผล.pdf", aPDF(10),
		map[string]string{"diagnosis": "x"}).want(t, hospital.Unavailable)
	if got := d.details(d.token, a.ID); got.ResultCount != 0 {
		t.Errorf("recorded %+v", got)
	}
	n.post(resultPath+"/create", d.token, obj("appointmentId", a.ID, "diagnosis", "โดยไม่มีไฟล์")).want(t, "")
}

// An interrupted upload leaves nothing.
func TestInterruptedUpload(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	storetest.SetUp(t, n.db)
	d := newBookingClient(t, n)
	a := d.visit()
	body, writer := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		fmt.Sprintf("%s%s/result/create/%d", n.url, visitPath, a.ID), body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	req.Header.Set("Authorization", "Bearer "+d.token)
	done := make(chan error, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		done <- err
	}()
	if _, err := io.WriteString(writer,
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n"+
			string(aPDF(1 << 20))[:1<<20]); err != nil {
		t.Fatal(err)
	}
	_ = writer.CloseWithError(io.ErrClosedPipe) // closes the connection
	if err := <-done; err == nil {
		t.Error("the sender was answered")
	}
	deadline := time.Now().Add(10 * time.Second)
	for len(n.partial()) > 0 && time.Now().Before(deadline) { // the server notices a moment later
		runtime.Gosched()
	}
	if stored := n.storedResults(); len(stored) != 0 {
		t.Errorf("kept %v", stored)
	}
	if got := d.details(d.token, a.ID); got.ResultCount != 0 {
		t.Errorf("recorded %+v", got)
	}
}

func (n *node) partial() []string {
	n.t.Helper()
	list, err := filepath.Glob(filepath.Join(n.files, ".partial", "*"))
	if err != nil {
		n.t.Fatal(err)
	}
	return list
}
