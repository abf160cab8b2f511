package store_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// clinicVisit books an appointment for today.
func clinicVisit(ctx context.Context, t *testing.T, db *store.DB) hospital.Appointment {
	t.Helper()
	p, s := storetest.AddPatient(t, db, "สมชาย"), storetest.AddService(t, db, "GP", 5)
	return storetest.Book(t, db, ctx, p, s, monday, "10:00")
}

func diagnosis(a hospital.Appointment, text string) hospital.NewResult {
	return hospital.NewResult{AppointmentID: a.ID, ResultFields: hospital.ResultFields{Diagnosis: text}}
}

func mustAdd(ctx context.Context, t *testing.T, db *store.DB, in hospital.NewResult) hospital.Result {
	t.Helper()
	r, err := db.AddResult(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// countOf returns the number of results that an appointment has stored.
func countOf(ctx context.Context, t *testing.T, db *store.DB, id int64) int {
	t.Helper()
	a, _, err := db.AppointmentDetails(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return a.ResultCount
}

func TestResultLifecycle(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		a := clinicVisit(ctx, t, db)
		listener := listen(db, "")
		day := "2026-12-14"
		in := diagnosis(a, " เบาหวานชนิดที่ 2 ")
		in.ICD10, in.Advice, in.FollowUpDate = []string{"e119", "I10"}, "คุมอาหาร", &day
		r := mustAdd(ctx, t, db, in)
		if r.Diagnosis != "เบาหวานชนิดที่ 2" || !slices.Equal(r.ICD10, []string{"E11.9", "I10"}) ||
			*r.FollowUpDate != day || r.File != nil || r.AppointmentNumber != a.Number || r.PatientID != a.PatientID ||
			r.Service.Code != "GP" || r.CreatedByName != "ผู้ดูแลระบบ" || !r.CreatedAt.Equal(db.Now()) {
			t.Errorf("recorded %+v", r)
		}
		if e := next(t, listener, hospital.EventAppointment); e.Event.ID != a.ID || e.ServiceID != a.ServiceID ||
			e.Date != a.Date {
			t.Errorf("received %+v", e)
		}
		file := diagnosis(a, "")
		file.Type = hospital.ResultLab
		file.File = &hospital.StoredFile{
			Key:        "results/aaaaaaaaaaaaaaaaaaaaaaaaaa.pdf",
			ResultFile: hospital.ResultFile{Name: "ผลเลือด.pdf", ContentType: "application/pdf", Size: 9, SHA256: "ab"},
		}
		second := mustAdd(ctx, t, db, file)
		if got := countOf(ctx, t, db, a.ID); got != 2 {
			t.Errorf("%d results are counted", got)
		}
		read, visit, err := db.Result(ctx, r.ID)
		if err != nil || read.Diagnosis != r.Diagnosis || visit.ID != a.ID || visit.ResultCount != 2 ||
			visit.Version != a.Version {
			t.Errorf("read %+v %+v %v", read, visit, err)
		}
		if f, err := db.ResultFile(ctx, second.ID); err != nil || f != *file.File {
			t.Errorf("the file is %+v %v", f, err)
		}
		if _, err := db.ResultFile(ctx, r.ID); hospital.CodeOf(err) != hospital.NotFound {
			t.Errorf("the file of a result without one: %v", err)
		}
		if err := db.DeleteAppointment(ctx, a.ID); hospital.CodeOf(err) != hospital.InUse {
			t.Errorf("deleted an appointment with results: %v", err)
		}

		for _, reason := range []string{"", "  "} {
			if err := db.DeleteResult(ctx, second.ID, reason); hospital.CodeOf(err) != hospital.ValidationFailed {
				t.Errorf("deleted for %q: %v", reason, err)
			}
		}
		if err := db.DeleteResult(ctx, second.ID, "แนบผิดคน"); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"deleted twice":                db.DeleteResult(ctx, second.ID, "อีกครั้ง"),
			"the file of a deleted result": func() error { _, err := db.ResultFile(ctx, second.ID); return err }(),
			"a deleted result":             func() error { _, _, err := db.Result(ctx, second.ID); return err }(),
		} {
			if hospital.CodeOf(err) != hospital.NotFound {
				t.Errorf("%s: %v", what, err)
			}
		}
		if got := countOf(ctx, t, db, a.ID); got != 1 {
			t.Errorf("%d results are counted", got)
		}
		keys := []string{}
		err = db.EachResultFile(ctx, func(_ int64, f hospital.StoredFile) error {
			keys = append(keys, f.Key)
			return nil
		})
		if err != nil || len(keys) != 1 {
			t.Errorf("files, with that of a deleted result: %v %v", keys, err)
		}

		_, history, err := db.AppointmentDetails(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		actions := []hospital.HistoryAction{}
		for _, h := range history {
			actions = append(actions, h.Action)
		}
		want := []hospital.HistoryAction{
			hospital.HistoryCreate, hospital.HistoryResult, hospital.HistoryResult, hospital.HistoryResultDelete,
		}
		if !slices.Equal(actions, want) || history[3].Reason != "แนบผิดคน" ||
			history[3].From["resultFile"] != "ผลเลือด.pdf" {
			t.Errorf("history %+v", history)
		}
		logged := map[string]hospital.AuditEntry{}
		for _, e := range listAudit(ctx, t, db, hospital.AuditFilter{Entity: "result"}).Items {
			logged[e.Action] = e
		}
		if len(logged) != 4 || logged["result.create"].Subject != a.Number ||
			logged["result.read"].EntityID != fmt.Sprint(r.ID) ||
			logged["result.download"].EntityID != fmt.Sprint(second.ID) {
			t.Errorf("audit log: %+v", logged)
		}
		deletion := logged["result.delete"]
		f, _ := deletion.Changes["file"].Before.(map[string]any)
		if deletion.Reason != "แนบผิดคน" || f["name"] != "ผลเลือด.pdf" || f["sha256"] != "ab" ||
			deletion.Changes["type"].Before != "LAB" {
			t.Errorf("audit entry of the deletion: %+v", deletion)
		}
		if faults, err := db.VerifyResultCounts(ctx); err != nil || len(faults) > 0 {
			t.Errorf("counts: %v %v", faults, err)
		}
		if _, err := p.SQL(t).ExecContext(ctx, `UPDATE appointments SET result_count = 5`); err != nil {
			t.Fatal(err)
		}
		if faults, err := db.VerifyResultCounts(ctx); err != nil || len(faults) != 1 ||
			faults[0] != (store.CountFault{AppointmentID: a.ID, Counted: 5, Found: 1}) {
			t.Errorf("wrong counts: %v %v", faults, err)
		}
	})
}

// ResultFilesInUse accepts more keys than a statement has parameters.
func TestResultFilesInUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		visit := clinicVisit(ctx, t, db)
		keys := make([]string, 1000)
		for i := range keys {
			keys[i] = fmt.Sprintf("results/%026d.pdf", i)
		}
		used, deleted, want := keys[0], keys[999], map[string]bool{keys[0]: true, keys[999]: true}
		for _, key := range []string{used, deleted} {
			r, err := db.AddResult(ctx, hospital.NewResult{
				AppointmentID: visit.ID,
				File: &hospital.StoredFile{
					Key: key, ResultFile: hospital.ResultFile{Name: "ผล.pdf", ContentType: "application/pdf"},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if key == deleted {
				if err := db.DeleteResult(ctx, r.ID, "ผิดคน"); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := db.ResultFilesInUse(ctx, keys)
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("in use: %v, %v, want %v", got, err, want)
		}
		if none, err := db.ResultFilesInUse(ctx, nil); err != nil || len(none) != 0 {
			t.Errorf("in use of no keys: %v, %v", none, err)
		}
	})
}

func TestAddResultErrors(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		a := clinicVisit(ctx, t, db)
		early := "2026-11-15"
		before := diagnosis(a, "x")
		before.FollowUpDate = &early
		for what, c := range map[string]struct {
			in   hospital.NewResult
			code hospital.Code
		}{
			"no content":                 {diagnosis(a, ""), hospital.ValidationFailed},
			"an unknown appointment":     {diagnosis(hospital.Appointment{ID: 999}, "x"), hospital.NotFound},
			"a follow-up before the day": {before, hospital.ValidationFailed},
		} {
			if _, err := db.AddResult(ctx, c.in); hospital.CodeOf(err) != c.code {
				t.Errorf("%s: %v", what, err)
			}
		}
		mustAdd(ctx, t, db, diagnosis(a, "ก่อนยกเลิก"))
		if _, err := db.MarkStatus(ctx, a.ID, 0, hospital.Cancelled, "ติดธุระ"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.AddResult(ctx, diagnosis(a, "x")); hospital.CodeOf(err) != hospital.InvalidTransition {
			t.Errorf("a cancelled appointment: %v", err)
		}
		if err := db.CheckTakesResult(ctx, a.ID); hospital.CodeOf(err) != hospital.InvalidTransition {
			t.Errorf("CheckTakesResult: %v", err)
		}
		if got := countOf(ctx, t, db, a.ID); got != 1 {
			t.Errorf("%d results, want the one from before the cancellation", got)
		}
	})
}

// A change of the status can be undone although a result was recorded since.
func TestUndoStatusAfterResult(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		a := clinicVisit(ctx, t, db)
		if _, err := db.MarkStatus(ctx, a.ID, 0, hospital.CheckedIn, ""); err != nil {
			t.Fatal(err)
		}
		mustAdd(ctx, t, db, diagnosis(a, "x"))
		if back, err := db.UndoStatus(ctx, a.ID, 0); err != nil || back.Status != hospital.Booked || back.ResultCount != 1 {
			t.Errorf("%+v %v", back, err)
		}
	})
}

func TestAddResultIdempotencyKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		a := clinicVisit(ctx, t, db)
		in := diagnosis(a, "หวัด")
		ctx = storetest.Keyed(ctx, "once", "หวัด")
		in.File = &hospital.StoredFile{
			Key:        "results/aaaaaaaaaaaaaaaaaaaaaaaaaa.pdf",
			ResultFile: hospital.ResultFile{Name: "ผล.pdf", SHA256: "ab"},
		}
		first := mustAdd(ctx, t, db, in)
		again := in
		again.File = &hospital.StoredFile{Key: "results/bbbbbbbbbbbbbbbbbbbbbbbbbb.pdf", ResultFile: in.File.ResultFile}
		if r, err := db.AddResult(ctx, again); hospital.CodeOf(err) != hospital.ConflictVersion {
			t.Errorf("added again as %d: %v", r.ID, err)
		}
		if stored, found, err := db.FirstAnswer(ctx); !found || err != nil || stored != jsonOf(t, first) {
			t.Errorf("stored response: %v %s %v", found, stored, err)
		}
		_, _, err := db.FirstAnswer(storetest.Keyed(ctx, "once", "ไข้"))
		if hospital.CodeOf(err) != hospital.ValidationFailed {
			t.Errorf("another request with the same key: %v", err)
		}
		if got := countOf(ctx, t, db, a.ID); got != 1 {
			t.Errorf("%d are counted", got)
		}
	})
}

// The stored number of results is exact after concurrent additions and deletions.
func TestResultCountConcurrent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		a := clinicVisit(ctx, t, db)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				r, err := db.AddResult(ctx, diagnosis(a, fmt.Sprint("ผล ", i)))
				if err != nil {
					t.Error(err)
					return
				}
				if i%2 == 0 {
					errs := concurrently(2, func(int) error { return db.DeleteResult(ctx, r.ID, "ผิด") })
					if (errs[0] == nil) == (errs[1] == nil) {
						t.Errorf("both or none of two deletions succeeded: %v", errs)
					}
				}
			})
		}
		wg.Wait()
		if got := countOf(ctx, t, db, a.ID); got != 4 {
			t.Errorf("%d are counted", got)
		}
		if faults, err := db.VerifyResultCounts(ctx); err != nil || len(faults) > 0 {
			t.Errorf("%v %v", faults, err)
		}
	})
}

func TestListResults(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		service := storetest.AddService(t, db, "GP", 5)
		one, other := storetest.AddPatient(t, db, "สมชาย"), storetest.AddPatient(t, db, "สมหญิง")
		today := storetest.Book(t, db, ctx, one, service, "2026-11-16", "10:00")
		next := storetest.Book(t, db, ctx, one, service, "2026-11-20", "10:00")
		theirs := storetest.Book(t, db, ctx, other, service, "2026-11-16", "10:00")
		without := storetest.Book(t, db, ctx, other, service, "2026-11-18", "10:00")
		var ids []int64
		for _, in := range []hospital.NewResult{
			{AppointmentID: today.ID, ResultFields: hospital.ResultFields{
				Diagnosis: "เบาหวาน Type II", ICD10: []string{"E11.9"},
			}},
			{
				AppointmentID: today.ID, ResultFields: hospital.ResultFields{Type: hospital.ResultLab},
				File: &hospital.StoredFile{
					Key:        "results/aaaaaaaaaaaaaaaaaaaaaaaaaa.pdf",
					ResultFile: hospital.ResultFile{Name: "ผลเลือด CBC.pdf"},
				},
			},
			{AppointmentID: next.ID, ResultFields: hospital.ResultFields{
				Diagnosis: "ความดันโลหิตสูง 100%", ICD10: []string{"I10"},
			}},
			{AppointmentID: theirs.ID, ResultFields: hospital.ResultFields{
				Diagnosis: "หวัด", ICD10: []string{"J00"},
			}},
		} {
			ids = append(ids, mustAdd(ctx, t, db, in).ID)
			p.Clock.Advance(time.Minute)
		}
		if err := db.DeleteResult(ctx, mustAdd(ctx, t, db, diagnosis(today, "ผิดคน")).ID, "ผิดคน"); err != nil {
			t.Fatal(err)
		}
		page := hospital.Page{Page: 1, PageSize: 20}
		for name, c := range map[string]struct {
			in   hospital.ResultFilter
			want []int64
		}{
			"all, the latest first": {hospital.ResultFilter{}, []int64{ids[3], ids[2], ids[1], ids[0]}},
			"of an appointment":     {hospital.ResultFilter{AppointmentID: today.ID}, []int64{ids[1], ids[0]}},
			"of a patient":          {hospital.ResultFilter{PatientID: one.ID}, []int64{ids[2], ids[1], ids[0]}},
			"of a type":             {hospital.ResultFilter{Type: hospital.ResultLab}, []int64{ids[1]}},
			"from a day":            {hospital.ResultFilter{DateFrom: "2026-11-17"}, []int64{ids[2]}},
			"to a day":              {hospital.ResultFilter{DateTo: "2026-11-16", PatientID: one.ID}, []int64{ids[1], ids[0]}},
			"by the diagnosis":      {hospital.ResultFilter{Q: "type ii"}, []int64{ids[0]}},
			"by a code":             {hospital.ResultFilter{Q: "i10"}, []int64{ids[2]}},
			"by the file":           {hospital.ResultFilter{Q: "cbc"}, []int64{ids[1]}},
			"a wild card":           {hospital.ResultFilter{Q: "100%"}, []int64{ids[2]}},
			"nothing":               {hospital.ResultFilter{Q: "ไม่มีเลย"}, []int64{}},
			"by date": {
				hospital.ResultFilter{Page: hospital.Page{Sort: "-date"}, PatientID: one.ID},
				[]int64{ids[2], ids[1], ids[0]},
			},
		} {
			in := c.in
			in.Page.Page, in.PageSize = page.Page, page.PageSize
			got, err := db.ListResults(ctx, in)
			found := []int64{}
			for _, r := range got.Items {
				found = append(found, r.ID)
			}
			if err != nil || !slices.Equal(found, c.want) || got.Total != int64(len(c.want)) {
				t.Errorf("%s: %v of %d, want %v, %v", name, found, got.Total, c.want, err)
			}
		}
		_, err := db.ListResults(ctx, hospital.ResultFilter{
			Page: hospital.Page{Page: 1, PageSize: 20, Sort: "diagnosis"},
		})
		wantCode(t, err, hospital.ValidationFailed)
		yes, no := true, false
		for name, c := range map[string]struct {
			has  *bool
			want map[int64]int
		}{
			"all":     {nil, map[int64]int{today.ID: 2, next.ID: 1, theirs.ID: 1, without.ID: 0}},
			"with":    {&yes, map[int64]int{today.ID: 2, next.ID: 1, theirs.ID: 1}},
			"without": {&no, map[int64]int{without.ID: 0}},
		} {
			got, err := db.ListAppointmentResults(ctx, hospital.AppointmentFilter{Page: page}, c.has)
			if err != nil || got.Total != int64(len(c.want)) {
				t.Errorf("%s: %d, %v", name, got.Total, err)
			}
			for _, a := range got.Items {
				if len(a.Results) != c.want[a.ID] || a.ResultCount != c.want[a.ID] {
					t.Errorf("%s: %d has %d results and counts %d", name, a.ID, len(a.Results), a.ResultCount)
				}
			}
		}
		// Each list is in the audit log, without the search text.
		log := listAudit(ctx, t, db, hospital.AuditFilter{Action: "result.list"})
		if log.Total != 13 || log.Items[0].Changes["q"] != (hospital.Change{}) {
			t.Errorf("%d entries, the last is %+v", log.Total, log.Items[0])
		}
	})
}
