package api_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// setLogo uploads a logo and returns the name of its file.
func setLogo(t *testing.T, n *node) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 30, 20))
	img.Set(5, 5, color.NRGBA{G: 200, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("a", 26) + ".png"
	if err := os.MkdirAll(filepath.Join(n.files, "media"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(n.files, "media", name)
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := n.database.SQL(t).ExecContext(t.Context(), `INSERT INTO settings (id, body, version, updated_at)
		VALUES (1, $1, 1, 0)`, `{"name": "โรงพยาบาลศรีนคร", "logo": "/media/`+name+`"}`); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPrintSlip(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		file := setLogo(t, n)
		visit := threeVisits(t, n)[0]
		token := n.signIn("nurse").AccessToken
		address := visitPath + "/slip/" + itoa(visit.ID)
		for query, size := range map[string]string{
			"": "/MediaBox [0 0 419.5", "?size=a5": "/MediaBox [0 0 419.5", "?size=80mm": "/MediaBox [0 0 226.7",
		} {
			header, pdf := n.fetch(http.MethodGet, address+query, token, nil)
			_, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
			if err != nil || params["filename"] != "ใบนัด-"+visit.Number+".pdf" ||
				header.Get("Content-Type") != "application/pdf" || header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v %v", query, header, err)
			}
			if !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte(size)) ||
				!bytes.Contains(pdf, []byte("/Subtype /Image")) {
				t.Errorf("%s: not a slip of that size with a logo, %d bytes", query, len(pdf))
			}
		}
		// The slip is printed without the logo if that cannot be read.
		for _, broken := range []func() error{
			func() error { return os.WriteFile(file, []byte("not a picture"), 0o600) }, func() error { return os.Remove(file) },
		} {
			if err := broken(); err != nil {
				t.Fatal(err)
			}
			if _, pdf := n.fetch(http.MethodGet, address, token, nil); !bytes.HasPrefix(pdf, []byte("%PDF-")) ||
				bytes.Contains(pdf, []byte("/Subtype /Image")) {
				t.Errorf("%d bytes", len(pdf))
			}
		}
		n.get(visitPath+"/slip/999999", token).want(t, hospital.NotFound)
		if a := n.get(address+"?size=a3", token).want(t, hospital.ValidationFailed); a.field("size") == "" {
			t.Error(a.raw)
		}
		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", n.signIn("admin").AccessToken, obj("action", "appointment.slip")))
		if log.Total != 5 || log.Items[0].EntityID != itoa(visit.ID) || log.Items[0].Subject != visit.Number ||
			log.Items[0].Entity != "appointment" || log.Items[0].ActorName != "คุณnurse" {
			t.Errorf("%+v", log)
		}
		if strings.Contains(n.log.String(), "สมชาย") {
			t.Error("a patient is in the log")
		}
	})
}

func TestPrintDayList(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		visits := threeVisits(t, n)
		token := n.signIn("nurse").AccessToken
		pages := map[string]int{}
		for query, name := range map[string]string{
			"?date=2026-11-16": "รายชื่อนัด-16 พ.ย. 2569.pdf",
			"?date=2026-11-17&serviceId=" + itoa(visits[1].ServiceID): "รายชื่อนัด-17 พ.ย. 2569.pdf",
			"?date=2026-11-18": "รายชื่อนัด-18 พ.ย. 2569.pdf",
		} {
			header, pdf := n.fetch(http.MethodGet, visitPath+"/day-list"+query, token, nil)
			_, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
			if err != nil || params["filename"] != name || header.Get("Content-Type") != "application/pdf" {
				t.Errorf("%s: %v %v", query, header, err)
			}
			if !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("/MediaBox [0 0 595.2")) {
				t.Errorf("%s: not A4, %d bytes", query, len(pdf))
			}
			pages[query] = len(pdf)
		}
		if pages["?date=2026-11-16"] <= pages["?date=2026-11-18"] {
			t.Errorf("a day with appointments is no longer than an empty one: %v", pages)
		}
		n.get(visitPath+"/day-list?date=2026-11-16&serviceId=999", token).want(t, hospital.NotFound)
		for query, field := range map[string]string{
			"": "date", "?date=16-11-2026": "date", "?date=2026-02-30": "date", "?date=2026-11-16&serviceId=x": "serviceId",
		} {
			if a := n.get(visitPath+"/day-list"+query, token).want(t, hospital.ValidationFailed); a.field(field) == "" {
				t.Errorf("%q: %s", query, a.raw)
			}
		}
		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", n.signIn("admin").AccessToken, obj("action", "appointment.day-list")))
		subjects := map[string]bool{}
		for _, e := range log.Items {
			subjects[e.Subject] = true
		}
		if log.Total != 3 || !subjects["2026-11-16"] || !subjects["2026-11-17 EYE"] {
			t.Errorf("%+v", log)
		}
	})
}

func TestPrintSlipOfDeletedService(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		visit := threeVisits(t, n)[1]
		if err := n.db.DeleteService(storetest.ActAs(t, n.db, "admin"), visit.ServiceID); err != nil {
			t.Fatal(err)
		}
		if _, pdf := n.fetch(http.MethodGet, visitPath+"/slip/"+itoa(visit.ID), n.signIn("nurse").AccessToken,
			nil); !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("%d bytes", len(pdf))
		}
	})
}
