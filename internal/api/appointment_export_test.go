package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

const visitPath = "/admin/api/v1/appointment"

// threeVisits books an appointment today that was attended, one tomorrow that was cancelled with a formula as
// reason, and one next month.
func threeVisits(t *testing.T, n *node) (list []hospital.Appointment) {
	t.Helper()
	ctx := storetest.ActAs(t, n.db, "admin")
	gp, eye := storetest.AddService(t, n.db, "GP", 5), storetest.AddService(t, n.db, "EYE", 5)
	patient := storetest.AddPatient(t, n.db, "สมชาย")
	for _, v := range []struct {
		service     hospital.Service
		date, start string
	}{{gp, "2026-11-16", "10:00"}, {eye, "2026-11-17", "09:30"}, {gp, "2026-12-01", "13:00"}} {
		list = append(list, storetest.Book(t, n.db, ctx, patient, v.service, v.date, v.start))
	}
	mark := func(ctx context.Context, a *hospital.Appointment, to hospital.AppointmentStatus, reason string) {
		t.Helper()
		var err error
		if *a, err = n.db.MarkStatus(ctx, a.ID, 0, to, reason); err != nil {
			t.Fatal(err)
		}
	}
	mark(ctx, &list[0], hospital.CheckedIn, "")
	mark(ctx, &list[1], hospital.Cancelled, "=1+1")
	return list
}

func TestListAllAppointmentsOfPeriod(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		visits := threeVisits(t, n)
		token := n.signIn("nurse").AccessToken
		for query, want := range map[string][]int{
			"":                                       {0, 1}, // the current month
			"?dateFrom=2026-11-17":                   {1, 2},
			"?dateTo=2026-11-16&format=json":         {0},
			"?dateFrom=2026-11-01&dateTo=2026-12-31": {0, 1, 2},
			"?dateFrom=2030-01-01&dateTo=2030-01-31": {},
		} {
			a := n.get(visitPath+"/list-all"+query, token)
			got := decode[[]hospital.Appointment](t, a)
			expected := []hospital.Appointment{}
			for _, i := range want {
				expected = append(expected, visits[i])
			}
			if diff := cmp.Diff(expected, got); diff != "" {
				t.Errorf("%s: %s", query, diff)
			}
			if a.header.Get("Content-Type") != "application/json" || a.header.Get("Content-Disposition") != "" ||
				a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v", query, a.header)
			}
		}
		for query, field := range map[string]string{
			"?dateFrom=2026-02-30": "dateFrom", "?dateFrom=2026-12-01&dateTo=2026-11-01": "dateTo", "?format=pdf": "format",
		} {
			if a := n.get(visitPath+"/list-all"+query, token).want(t, hospital.ValidationFailed); a.field(field) == "" {
				t.Errorf("%s: %s", query, a.raw)
			}
		}
	})
}

func TestExportFilteredAppointments(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		visits := threeVisits(t, n)
		token := n.signIn("admin").AccessToken
		header, file := n.fetch(http.MethodGet, visitPath+"/list-all?format=csv", token, nil)
		want := [][]string{
			{"เลขที่นัด", "วันที่นัด (พ.ศ.)", "เวลา", "ถึง", "รหัสบริการ", "บริการ", "HN", "คำนำหน้า", "ชื่อ", "นามสกุล", "เพศ",
				"อายุ ณ วันนัด (ปี)", "โทรศัพท์", "สิทธิการรักษา", "ผู้ให้บริการ", "ประเภทนัด", "ช่องทาง", "ความเร่งด่วน", "สถานะ",
				"คิว", "อาการหรือเหตุผลที่นัด", "หมายเหตุ", "เหตุผลที่ยกเลิก", "มาถึงเมื่อ", "เสร็จสิ้นเมื่อ", "จองเมื่อ"},
			{visits[0].Number, "16/11/2569", "10:00", "10:30", "GP", "คลินิก GP", "0000001", "นาย", "สมชาย", "ทดสอบ", "ชาย",
				"46", "", "", "", "นัดใหม่", "เจ้าหน้าที่", "ปกติ", "มาถึงแล้ว", "1", "", "", "", "16/11/2569 09:00", "",
				"16/11/2569 09:00"},
			{visits[1].Number, "17/11/2569", "09:30", "10:00", "EYE", "คลินิก EYE", "0000001", "นาย", "สมชาย", "ทดสอบ", "ชาย",
				"46", "", "", "", "นัดใหม่", "เจ้าหน้าที่", "ปกติ", "ยกเลิก", "", "", "", "'=1+1", "", "", "16/11/2569 09:00"},
		}
		if diff := cmp.Diff(want, csvRecords(t, file)); diff != "" {
			t.Error(diff)
		}
		if _, params, err := mime.ParseMediaType(header.Get("Content-Disposition")); err != nil ||
			params["filename"] != "นัดหมาย-2569-11-16.csv" || header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Errorf("%v %v", header, err)
		}

		_, file = n.fetch(http.MethodPost, visitPath+"/export", token,
			obj("statuses", []string{"CANCELLED"}, "q", "สมชาย", "sort", "-date"), "Accept-Language", "en")
		book, err := excelize.OpenReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close() //nolint:errcheck // only read
		rows, err := book.GetRows("Appointments", excelize.Options{RawCellValue: true})
		if err != nil || len(rows) != 2 || rows[0][1] != "Date (B.E.)" || rows[1][0] != visits[1].Number ||
			rows[1][1] != "46343" || rows[1][22] != "=1+1" || rows[1][18] != "Cancelled" {
			t.Errorf("%v %v", rows, err)
		}
		if formula, err := book.GetCellFormula("Appointments", "W2"); err != nil || formula != "" {
			t.Errorf("formula %q %v", formula, err)
		}
		for body, field := range map[string]string{
			`{"sort":"idCard"}`: "sort", `{"format":"json"}`: "format", `{"dateFrom":"2026-02-30"}`: "dateFrom",
			`{"no":1}`: "no",
		} {
			if a := n.post(visitPath+"/export", token, body).want(t, hospital.ValidationFailed); a.field(field) == "" {
				t.Errorf("%s: %s", body, a.raw)
			}
		}

		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", token, obj("action", "appointment.export")))
		if log.Total != 2 || log.Items[0].Subject != "xlsx" || log.Items[1].Subject != "csv" ||
			log.Items[0].Changes["q"].After != nil || log.Items[1].Changes["dateFrom"].After != "2026-11-01" ||
			log.Items[1].Changes["dateTo"].After != "2026-11-30" {
			t.Errorf("%+v", log)
		}
	})
}

func TestExportAppointmentsNeedsPermission(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		threeVisits(t, n)
		_, err := n.db.CreateRole(storetest.ActAs(t, n.db, "admin"), hospital.RoleDraft{
			Name: "GUEST", Label: "ดูอย่างเดียว", Permissions: []hospital.Permission{hospital.AppointmentShow},
		})
		if err != nil {
			t.Fatal(err)
		}
		storetest.AddUser(t, n.db, "somsri", "GUEST")
		token := n.signIn("somsri").AccessToken
		if list := decode[[]hospital.Appointment](t, n.get(visitPath+"/list-all", token)); len(list) != 2 {
			t.Errorf("%d appointments", len(list))
		}
		for _, format := range []string{"csv", "xlsx"} {
			a := n.get(visitPath+"/list-all?format="+format, token).want(t, hospital.Forbidden)
			if a.status != http.StatusForbidden || a.err.Details["permission"] != "APPOINTMENT.EXPORT" {
				t.Errorf("%s: %s", format, a.raw)
			}
		}
		n.post(visitPath+"/export", token, obj()).want(t, hospital.Forbidden)
		admin := n.signIn("admin").AccessToken
		rejected := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", admin, obj("action", "access.refused")))
		if rejected.Total != 3 || rejected.Items[1].EntityID != "get-appointment-list-all" ||
			rejected.Items[1].Reason != "APPOINTMENT.EXPORT" || rejected.Items[1].ActorName != "คุณsomsri" {
			t.Errorf("%+v", rejected)
		}
		exported := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", admin, obj("action", "appointment.export")))
		if exported.Total != 1 || exported.Items[0].Subject != "json" {
			t.Errorf("%+v", exported)
		}
	})
}

func TestOpenAPIOfAppointmentLists(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema map[string]any
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(n.get("/openapi.json", "").raw), &doc); err != nil {
		t.Fatal(err)
	}
	content := doc.Paths[visitPath+"/list-all"]["get"].Responses["200"].Content
	if len(content) != 3 || content["application/json"].Schema["$ref"] == nil ||
		content["text/csv; charset=utf-8"].Schema["format"] != "binary" {
		t.Errorf("%+v", content)
	}
}
