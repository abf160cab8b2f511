package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

const reportPath = "/admin/api/v1/report"

// aMorning creates a Monday with a patient who waits ten minutes and is seen for twenty, a no-show, one who
// has not arrived yet, and a cancellation, in a clinic whose name is a formula.
func aMorning(t *testing.T, n *node) (s hospital.Service, doctor login) {
	t.Helper()
	ctx := storetest.ActAs(t, n.db, "admin")
	doctor = n.signIn("doctor")
	s = storetest.AddService(t, n.db, "GP", 5)
	s, err := n.db.UpdateService(ctx, s.ID, s.Version, func(f *hospital.ServiceFields) error {
		f.Name = "=1+1"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mark := func(ctx context.Context, id int64, status hospital.AppointmentStatus, reason string) {
		t.Helper()
		if _, err := n.db.MarkStatus(ctx, id, 0, status, reason); err != nil {
			t.Fatal(err)
		}
	}
	var ids []int64
	for i, start := range []string{"10:00", "10:30", "13:00", "13:30"} {
		in := hospital.NewAppointment{PatientID: storetest.AddPatient(t, n.db, "สมชาย"+strings.Repeat("ก", i)).ID}
		in.ServiceID, in.Date, in.StartTime, in.StaffID = s.ID, "2026-11-16", start, &doctor.User.ID
		if i == 3 {
			in.StaffID = nil
		}
		a, err := n.db.Book(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.ID)
	}
	mark(ctx, ids[0], hospital.CheckedIn, "")
	n.database.Clock.Advance(10 * time.Minute)
	mark(ctx, ids[0], hospital.InService, "")
	n.database.Clock.Advance(20 * time.Minute)
	mark(ctx, ids[0], hospital.Completed, "")
	n.database.Clock.Advance(time.Hour)
	mark(ctx, ids[1], hospital.NoShow, "")
	mark(ctx, ids[2], hospital.Cancelled, "ติดธุระ")
	return s, doctor
}

func november(kv ...any) map[string]any {
	return obj(append([]any{"dateFrom", "2026-11-01", "dateTo", "2026-11-30"}, kv...)...)
}

func TestReportsOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		s, doctor := aMorning(t, n)
		token := n.signIn("executive").AccessToken
		a := n.post(reportPath+"/utilization", token, november())
		used := decode[hospital.UtilizationReport](t, a)
		// The clinic was added on the 16th: fifteen days of twelve slots with five seats; three are held.
		if used.GroupBy != "service" || used.DateTo != "2026-11-30" || len(used.Rows) != 1 || used.Rows[0].Name != "=1+1" ||
			used.Total.Booked != 3 || used.Total.Capacity != 900 || *used.Total.Rate != 3.0/900 || len(used.Heat) != 42 ||
			used.Heat[0].Weekday != 1 || used.Heat[0].Hour != 9 {
			t.Errorf("%s", a.raw)
		}
		if a.header.Get("Content-Type") != "application/json" || a.header.Get("Content-Disposition") != "" ||
			a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v", a.header)
		}
		missed := decode[hospital.NoShowReport](t, n.post(reportPath+"/no-show", token, november("groupBy", "leadTime")))
		if len(missed.Rows) != 1 || missed.Rows[0].Key != "0" || missed.Total.Due != 2 || missed.Total.NoShow != 1 ||
			*missed.Total.Rate != 0.5 {
			t.Errorf("%+v", missed)
		}
		waited := decode[hospital.WaitingReport](t,
			n.post(reportPath+"/waiting-time", token, november("groupBy", "hour", "serviceIds", []int64{s.ID})))
		if len(waited.Rows) != 1 || waited.Rows[0].Key != "09" || waited.Total.Wait.Count != 1 ||
			*waited.Total.Wait.Median != 600 || *waited.Total.Visit.P90 != 1200 {
			t.Errorf("%+v", waited)
		}
		workload := decode[hospital.WorkloadReport](t, n.post(reportPath+"/workload", token, november()))
		if len(workload.Rows) != 2 || workload.Rows[0].Key != itoa(doctor.User.ID) || workload.Rows[0].Assigned != 2 ||
			workload.Rows[0].VisitSeconds != 1200 || *workload.Rows[0].PerDay != 1 || workload.Rows[1].Key != "" ||
			workload.Total.Assigned != 3 {
			t.Errorf("%+v", workload)
		}
		// An empty report has nulls and empty lists.
		empty := n.post(reportPath+"/waiting-time", token, obj("dateFrom", "2030-01-01", "dateTo", "2030-01-01"))
		if want := `"rows":[],"total":{"wait":{"count":0,"median":null,"p90":null},` +
			`"visit":{"count":0,"median":null,"p90":null}}`; !strings.Contains(empty.raw, want) {
			t.Errorf("%s", empty.raw)
		}
		if log := n.post("/admin/api/v1/audit/list", n.signIn("admin").AccessToken,
			obj("action", "report.export")); decode[hospital.Paged[hospital.AuditEntry]](t, log).Total != 0 {
			t.Errorf("viewing a report was recorded as an export: %s", log.raw)
		}
	})
}

func TestReportFiles(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		s, _ := aMorning(t, n)
		token := n.signIn("executive").AccessToken
		for _, c := range []struct {
			report string
			body   map[string]any
			want   [][]string
		}{
			{"utilization", november("dateTo", "2026-11-17", "groupBy", "day"), [][]string{
				{"วันที่ (พ.ศ.)", "จองแล้ว (ที่)", "รับได้ (ที่)", "อัตราการใช้ (%)"}, {"16/11/2569", "3", "60", "5"},
				{"17/11/2569", "0", "60", "0"}, {"รวม", "3", "120", "2.5"},
			}},
			{"utilization", november("groupBy", "month"), [][]string{
				{"เดือน (พ.ศ.)", "จองแล้ว (ที่)", "รับได้ (ที่)", "อัตราการใช้ (%)"}, {"11/2569", "3", "900", "0.3"}, {
					"รวม", "3", "900", "0.3",
				},
			}},
			{"no-show", november("serviceIds", []int64{s.ID}), [][]string{
				{"บริการ", "ครบกำหนดนัด (ราย)", "ไม่มาตามนัด (ราย)", "อัตราไม่มาตามนัด (%)"}, {"'=1+1", "2", "1", "50"}, {
					"รวม", "2", "1", "50",
				},
			}},
			{"no-show", november("groupBy", "leadTime"), [][]string{
				{"จองล่วงหน้า", "ครบกำหนดนัด (ราย)", "ไม่มาตามนัด (ราย)", "อัตราไม่มาตามนัด (%)"}, {"วันเดียวกัน", "2", "1", "50"},
				{"รวม", "2", "1", "50"},
			}},
			{"waiting-time", november("groupBy", "weekday"), [][]string{
				{"วัน", "รอตรวจ (ราย)", "รอตรวจ มัธยฐาน (นาที)", "รอตรวจ P90 (นาที)", "ตรวจ (ราย)", "ตรวจ มัธยฐาน (นาที)",
					"ตรวจ P90 (นาที)"},
				{"จันทร์", "1", "10", "10", "1", "20", "20"}, {"รวม", "1", "10", "10", "1", "20", "20"},
			}},
			{"waiting-time", obj("dateFrom", "2030-01-01", "dateTo", "2030-01-01", "groupBy", "hour"), [][]string{
				{"ช่วงเวลา", "รอตรวจ (ราย)", "รอตรวจ มัธยฐาน (นาที)", "รอตรวจ P90 (นาที)", "ตรวจ (ราย)", "ตรวจ มัธยฐาน (นาที)",
					"ตรวจ P90 (นาที)"}, {"รวม", "0", "", "", "0", "", ""},
			}},
			{"workload", november(), [][]string{
				{"ผู้ให้บริการ", "นัดที่ได้รับ", "มารับบริการ", "เสร็จสิ้น", "ไม่มาตามนัด", "ผู้ป่วย (คน ไม่ซ้ำ)",
					"เวลาตรวจ (ชั่วโมง)", "วันที่ให้บริการ", "เฉลี่ยต่อวัน (ราย)"},
				{"คุณdoctor", "2", "1", "1", "1", "1", "0.3", "1", "1"},
				{"ไม่ระบุผู้ให้บริการ", "1", "0", "0", "0", "0", "0", "0", ""}, {"รวม", "3", "1", "1", "1", "1", "0.3", "1", "1"},
			}},
		} {
			c.body["format"] = "csv"
			header, file := n.fetch(http.MethodPost, reportPath+"/"+c.report, token, c.body)
			if diff := cmp.Diff(c.want, csvRecords(t, file)); diff != "" {
				t.Errorf("%s %v: %s", c.report, c.body, diff)
			}
			if header.Get("Content-Type") != "text/csv; charset=utf-8" || header.Get("Cache-Control") != "no-store" {
				t.Errorf("%v", header)
			}
		}

		header, file := n.fetch(http.MethodPost, reportPath+"/no-show", token, november("format", "xlsx", "groupBy", "month"),
			"Accept-Language", "en")
		if _, params, err := mime.ParseMediaType(header.Get("Content-Disposition")); err != nil ||
			params["filename"] != "ไม่มาตามนัด 2569-11-01–2569-11-30.xlsx" {
			t.Errorf("%v %v", header, err)
		}
		book, err := excelize.OpenReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close() //nolint:errcheck // only read
		rows, err := book.GetRows("No-shows", excelize.Options{RawCellValue: true})
		want := [][]string{
			{"Month (B.E.)", "Due", "No-shows", "No-show rate (%)"}, {"46327", "2", "1", "50"}, {"Total", "2", "1", "50"},
		}
		if diff := cmp.Diff(want, rows); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		if kind, err := book.GetCellType("No-shows", "D2"); err != nil || kind != excelize.CellTypeUnset { // a number
			t.Errorf("a rate is a cell of type %v, %v", kind, err)
		}

		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", n.signIn("admin").AccessToken, obj("action", "report.export")))
		last := log.Items[0]
		if log.Total != 8 || last.Subject != "xlsx" || last.Entity != "report" || last.EntityID != "no-show" ||
			last.ActorName != "คุณexecutive" || last.Changes["dateFrom"].After != "2026-11-01" ||
			last.Changes["groupBy"].After != "month" {
			t.Errorf("%+v", log)
		}
	})
}

func TestReportErrors(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		token := n.signIn("executive").AccessToken
		for _, report := range []string{"utilization", "no-show", "waiting-time", "workload"} {
			for _, c := range []struct {
				body  any
				field string
			}{
				{obj("dateTo", "2026-11-30"), "dateFrom"},
				{november("dateFrom", "2026-02-30"), "dateFrom"},
				{november("dateFrom", "2026-12-01"), "dateTo"},
				{november("dateFrom", "2020-01-01"), "dateTo"},
				{november("groupBy", "patient"), "groupBy"},
				{november("format", "pdf"), "format"},
				{november("serviceIds", []int64{4711}), "serviceIds[0]"},
				{november("serviceIds", []string{"GP"}), "serviceIds[0]"},
				{november("staffId", 1), "staffId"},
			} {
				if a := n.post(reportPath+"/"+report, token, c.body).want(t,
					hospital.ValidationFailed); a.status != http.StatusUnprocessableEntity || a.field(c.field) == "" {
					t.Errorf("%s %v: %s", report, c.body, a.raw)
				}
			}
			nurse := n.post(reportPath+"/"+report, n.signIn("nurse").AccessToken, november("format", "csv")).want(t,
				hospital.Forbidden)
			if nurse.err.Details["permission"] != "REPORT.SHOW" {
				t.Errorf("%s: %s", report, nurse.raw)
			}
		}
		for report, by := range map[string]string{
			"utilization": "leadTime", "no-show": "hour", "waiting-time": "day", "workload": "service",
		} {
			if a := n.post(reportPath+"/"+report, token, november("groupBy", by)).want(t,
				hospital.ValidationFailed); a.field("groupBy") == "" {
				t.Errorf("%s by %s: %s", report, by, a.raw)
			}
		}
	})
}

// REPORT.SHOW is enough to list the services.
func TestReportPermissionListsServices(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	ctx := storetest.SetUp(t, n.db)
	if _, err := n.db.CreateRole(ctx, hospital.RoleDraft{
		Name: "AUDITOR", Label: "ผู้ตรวจ", Permissions: []hospital.Permission{hospital.ReportShow},
	}); err != nil {
		t.Fatal(err)
	}
	storetest.AddUser(t, n.db, "somsri", "AUDITOR")
	storetest.AddService(t, n.db, "GP", 1)
	token := n.signIn("somsri").AccessToken
	if list := decode[[]json.RawMessage](t, n.get("/admin/api/v1/service-config/list", token)); len(list) != 1 {
		t.Errorf("%d services", len(list))
	}
	decode[hospital.UtilizationReport](t, n.post(reportPath+"/utilization", token, november()))
}
