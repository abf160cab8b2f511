package privacy_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/privacy"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// textOf returns the content of a table as text.
func textOf(t *testing.T, raw *sql.DB, table string) string {
	t.Helper()
	rows, err := raw.Query(`SELECT * FROM "` + table + `"`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			fmt.Fprintf(&text, "%v\x00", v)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// everything returns the content of the database as text, by table.
func everything(t *testing.T, p storetest.Database) map[string]string {
	t.Helper()
	raw := p.SQL(t)
	query := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if p.Engine == "postgres" {
		query = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`
	}
	rows, err := raw.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, table := range tables {
		all[table] = textOf(t, raw, table)
	}
	if len(all) < 20 {
		t.Fatalf("only %d tables", len(all))
	}
	return all
}

// reports returns all visit statistics as text.
func reports(t *testing.T, db *store.DB, ctx context.Context) string { //nolint:revive // t comes first in tests
	t.Helper()
	q := hospital.ReportQuery{DateFrom: "2026-11-01", DateTo: "2026-11-30"}
	var all []any
	for _, r := range []func() (any, error){
		func() (any, error) { return db.NoShows(ctx, q, hospital.ByService) },
		func() (any, error) { return db.Utilization(ctx, q, hospital.ByService) },
		func() (any, error) { return db.WaitingTimes(ctx, q, hospital.ByService) },
		func() (any, error) { return db.Workload(ctx, q) },
	} {
		v, err := r()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func erase(p hospital.Patient) hospital.Erasure {
	return hospital.Erasure{PatientID: p.ID, Reason: "คำขอเลขที่ 12/2569 พ้นกำหนดเก็บเวชระเบียน"}
}

func inOrder(t *testing.T, db *store.DB, ctx context.Context) { //nolint:revive // t comes first in tests
	t.Helper()
	if faults, err := db.VerifySlots(ctx); err != nil || len(faults) > 0 {
		t.Errorf("slots: %v, %v", faults, err)
	}
	if faults, err := db.VerifyTotals(ctx); err != nil || len(faults) > 0 {
		t.Errorf("totals: %v, %v", faults, err)
	}
	if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
		t.Errorf("verify: %v, %v", faults, err)
	}
	if counted, found, err := db.VerifyPatientTotal(ctx); err != nil || counted != found {
		t.Errorf("patients: %d counted, %d there, %v", counted, found, err)
	}
	if faults, err := db.VerifyResultCounts(ctx); err != nil || len(faults) > 0 {
		t.Errorf("results: %v, %v", faults, err)
	}
}

func TestErasureRemovesAllData(t *testing.T) {
	t.Parallel()
	eachPerson(t, scan("ผลเลือดของเธอ.pdf"), func(
		t *testing.T, p storetest.Database, db *store.DB, ctx context.Context, person storetest.Person,
	) {
		before, found := reports(t, db, ctx), strings.Builder{}
		for _, text := range everything(t, p) {
			found.WriteString(text)
		}
		for _, value := range append(person.Values, person.Others...) {
			if !strings.Contains(found.String(), value) {
				t.Errorf("the test looks for %q, which is nowhere", value)
			}
		}

		// A dry run changes nothing.
		in := erase(person.Patient)
		in.DryRun = true
		would, err := privacy.Anonymise(ctx, db, in)
		if err != nil || would.Appointments != 4 || would.Results != 2 || len(would.Files) != 1 ||
			would.Accounts != 1 || would.Entries < 15 || would.Already || would.Cancelled != 0 {
			t.Errorf("would erase %+v, %v", would, err)
		}
		if _, err := db.Patient(ctx, person.ID); err != nil {
			t.Errorf("after a look: %v", err)
		}
		in.DryRun, in.Reason = false, " "
		_, err = privacy.Anonymise(ctx, db, in)
		wantCode(t, err, hospital.ValidationFailed)

		done, err := privacy.Anonymise(ctx, db, erase(person.Patient))
		if err != nil || done.Appointments != would.Appointments || len(done.Files) != 1 ||
			done.Files[0] != scan("").Key {
			t.Fatalf("erased %+v, %v", done, err)
		}
		for table, text := range everything(t, p) {
			for _, value := range person.Values {
				if strings.Contains(text, value) && (table != "jobs" || value != scan("").Key) { // in the job that deletes it
					t.Errorf("%s still has %s", table, value)
				}
			}
		}
		if p.Engine == "sqlite" { // also in the free pages
			for _, ending := range []string{"", "-wal"} {
				b, err := os.ReadFile(filepath.Join(p.Options.DataDir, store.SQLiteFile+ending))
				if err != nil && ending == "" {
					t.Fatal(err)
				}
				for _, value := range person.Values {
					if strings.Contains(string(b), value) && value != scan("").Key {
						t.Errorf("the file%s still has %s", ending, value)
					}
				}
			}
		}
		inOrder(t, db, ctx)
		if after := reports(t, db, ctx); after != before {
			t.Errorf("the reports were\n%s\nand are\n%s", before, after)
		}
		page := hospital.Page{Page: 1, PageSize: 20}
		parts := []string{"ERASED-1", hospital.ErasedPatient, "4217", "Kany", "กัญญา"}
		for _, value := range append(parts, person.Values...) {
			list, err := db.SearchPatients(ctx, value, 20)
			if err != nil || len(list) > 0 {
				t.Errorf("%q finds %d, %v", value, len(list), err)
			}
			patients, err := db.ListPatients(ctx, hospital.PatientFilter{Q: value, Page: page})
			if err != nil || len(patients.Items) > 0 {
				t.Errorf("%q lists %d, %v", value, len(patients.Items), err)
			}
			customers, err := db.ListCustomers(ctx, hospital.CustomerFilter{Q: value, Page: page})
			if err != nil || len(customers.Items) > 0 {
				t.Errorf("%q lists %d customers, %v", value, len(customers.Items), err)
			}
		}
		_, err = db.Patient(ctx, person.ID)
		wantCode(t, err, hospital.NotFound)
		// The appointment and the data of others are kept.
		a, history, err := db.AppointmentDetails(ctx, person.Visits[0].ID)
		if err != nil || a.Patient.FullName() != hospital.ErasedPatient || a.Patient.BirthDate != "1987-01-01" ||
			a.Patient.Sex != hospital.Female || a.Status != hospital.Completed || a.Reason != "" ||
			a.ResultCount != 1 || len(history) != 7 {
			t.Errorf("the visit is %+v with %d, %v", a, len(history), err)
		}
		mother, err := db.Customer(ctx, person.Mother.ID)
		if err != nil || len(mother.Patients) != 1 || mother.Patients[0].PatientID != person.Sibling.ID {
			t.Errorf("the mother's account is %+v, %v", mother, err)
		}
		_, err = db.Customer(ctx, person.Self.ID)
		wantCode(t, err, hospital.NotFound)

		// The HN cannot be used again, by typing, by import or by the number sequence.
		fields := hospital.PatientFields{
			HN: "88004217", Prename: "นาย", FirstName: "อื่น", LastName: "คน", Sex: hospital.Male, BirthDate: "1990-01-01",
		}
		_, err = db.CreatePatient(ctx, fields, true)
		wantCode(t, err, hospital.Duplicate)
		_, err = db.UpdatePatient(ctx, person.Sibling.ID, person.Sibling.Version, true,
			func(f *hospital.PatientFields) error { f.HN = "88-004217"; return nil })
		wantCode(t, err, hospital.Duplicate)
		standings, err := db.PatientStandings(ctx, []hospital.PatientFields{fields})
		if err != nil || standings[0] != store.StandingDeleted {
			t.Errorf("import says %v, %v", standings, err)
		}

		// A repeated erasure only affects new data, here the audit entry of a concurrent request.
		again, err := privacy.Anonymise(ctx, db, erase(person.Patient))
		if err != nil || !again.Already || again.Entries != 0 ||
			again.Appointments+again.Results+again.History+len(again.Files) != 0 {
			t.Errorf("again %+v, %v", again, err)
		}
		late := hospital.AuditEntry{
			Action: "patient.read", Entity: "patient", EntityID: fmt.Sprint(person.ID), Subject: "กัญญาวีร์",
		}
		if err := db.Note(ctx, late); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(time.Minute)
		if err := privacy.EraseSince(ctx, db, person.ID); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(everything(t, p)["audit_entries"], "กัญญาวีร์") {
			t.Error("what came late is still there")
		}
		inOrder(t, db, ctx)
		// The access log still shows who did what and when.
		own, _, err := privacy.AccessLog(ctx, db, person.ID)
		if err != nil || own[0].Action != "patient.create" || own[0].ActorName != "ผู้ดูแลระบบ" {
			t.Errorf("the access log begins with %+v, %v", own[0], err)
		}
		refs, err := privacy.ErasedRefs(ctx, db)
		if err != nil || len(refs) != 1 || refs[0].PatientID != person.ID {
			t.Errorf("erased are %+v, %v", refs, err)
		}
		if back, err := privacy.IsRestored(ctx, db, refs[0]); err != nil || back {
			t.Errorf("comes back: %v, %v", back, err)
		}
		refs[0].PatientID = person.Sibling.ID
		_, err = privacy.IsRestored(ctx, db, refs[0])
		wantCode(t, err, hospital.InUse)
	})
}

func TestRedactedEntryVerifies(t *testing.T) {
	t.Parallel()
	eachPerson(t, nil, func(
		t *testing.T, p storetest.Database, db *store.DB, ctx context.Context, person storetest.Person,
	) {
		if _, err := privacy.Anonymise(ctx, db, erase(person.Patient)); err != nil {
			t.Fatal(err)
		}
		raw := p.SQL(t)
		for _, q := range []string{
			`UPDATE audit_entries SET subject = 'x' WHERE redacted = ''`,
			`UPDATE audit_entries SET redacted = 'x', actor_name = 'another'`,
			`UPDATE audit_entries SET redacted = 'x', hash = ''`,
			`DELETE FROM audit_entries`, `UPDATE appointment_history SET actor_name = 'x'`, `DELETE FROM appointment_history`,
			fmt.Sprintf(`UPDATE appointment_history SET reason = 'x'
				WHERE appointment_id NOT IN (SELECT id FROM appointments WHERE patient_id = %d)`, person.ID),
		} {
			if _, err := raw.Exec(q); err == nil {
				t.Errorf("%s is possible", q)
			}
		}
		exec := p.UnlockAudit(t)
		exec(`CREATE TABLE saved_entries AS SELECT * FROM audit_entries`)
		for name, c := range map[string]struct{ edit, want string }{
			"who": {
				`UPDATE audit_entries SET actor_name = 'another' WHERE redacted <> '' AND action = 'patient.read'`,
				"after personal data was taken out",
			},
			"what is left": {
				`UPDATE audit_entries SET subject = 'x' WHERE redacted <> '' AND action = 'patient.read'`,
				"after personal data was taken out",
			},
			"another seal": {
				`UPDATE audit_entries SET redacted = hash WHERE redacted <> ''`,
				"after personal data was taken out",
			},
			"no seal": {
				`UPDATE audit_entries SET redacted = '' WHERE action = 'patient.read'`,
				"was edited or moved",
			},
			"the naming entry edited": {
				`UPDATE audit_entries SET changes = '{}' WHERE action = 'pdpa.anonymise'`,
				"no entry says why",
			},
			"an untouched one": {
				`UPDATE audit_entries SET subject = '', redacted = hash WHERE action = 'user.create'`,
				"after personal data was taken out",
			},
		} {
			exec(c.edit)
			_, faults, err := db.VerifyAudit(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if all := fmt.Sprint(faults); !strings.Contains(all, c.want) {
				t.Errorf("%s: verify says %s, want %q", name, all, c.want)
			}
			exec(`DELETE FROM audit_entries`)
			exec(`INSERT INTO audit_entries SELECT * FROM saved_entries`)
		}
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("put back, verify says %v, %v", faults, err)
		}
	})
}

func TestErasureRejectedWithUpcomingAppointments(t *testing.T) {
	t.Parallel()
	eachPerson(t, nil, func(
		t *testing.T, p storetest.Database, db *store.DB, ctx context.Context, person storetest.Person,
	) {
		s := storetest.AddService(t, db, "LATER", 1)
		coming := storetest.Book(t, db, ctx, person.Patient, s, "2026-11-25", "10:00")
		here := storetest.Book(t, db, ctx, person.Patient, s, "2026-11-16", "14:00")
		if _, err := db.MarkStatus(ctx, here.ID, 0, hospital.CheckedIn, ""); err != nil {
			t.Fatal(err)
		}
		in := erase(person.Patient)
		in.CancelFuture = true
		_, err := privacy.Anonymise(ctx, db, in)
		wantCode(t, err, hospital.InUse)
		if _, err := db.MarkStatus(ctx, here.ID, 0, hospital.Completed, ""); err != nil {
			t.Fatal(err)
		}
		in.CancelFuture = false
		_, err = privacy.Anonymise(ctx, db, in)
		if e := wantCode(t, err, hospital.InUse); e.Details["count"] != 1 {
			t.Errorf("refused with %v", e.Details)
		}
		if _, err := db.Patient(ctx, person.ID); err != nil {
			t.Errorf("refused, and yet %v", err)
		}
		in.CancelFuture = true
		done, err := privacy.Anonymise(ctx, db, in)
		if err != nil || done.Cancelled != 1 {
			t.Fatalf("erased %+v, %v", done, err)
		}
		a, _, err := db.AppointmentDetails(ctx, coming.ID)
		if err != nil || a.Status != hospital.Cancelled || a.CancelReason != "" {
			t.Errorf("what was to come is %s, %v", a.Status, err)
		}
		days, err := db.CheckSlots(ctx, hospital.SlotQuery{ServiceID: s.ID, Date: "2026-11-25"})
		if err != nil || len(days) != 1 {
			t.Fatalf("%d days, %v", len(days), err)
		}
		for _, slot := range days[0].Slots {
			if slot.Booked != 0 {
				t.Errorf("the seat is still held: %+v", slot)
			}
		}
		for table, text := range everything(t, p) {
			for _, value := range person.Values {
				if strings.Contains(text, value) {
					t.Errorf("%s still has %s", table, value)
				}
			}
		}
		inOrder(t, db, ctx)
		_, err = privacy.Anonymise(ctx, db, hospital.Erasure{PatientID: 999, Reason: "x"})
		wantCode(t, err, hospital.NotFound)
	})
}

func TestErasureKeepsSharedCustomer(t *testing.T) {
	t.Parallel()
	eachPerson(t, nil, func(
		t *testing.T, p storetest.Database, db *store.DB, ctx context.Context, person storetest.Person,
	) {
		if _, err := db.UpdateCustomer(ctx, person.Self.ID, person.Self.Version, func(f *hospital.CustomerFields) error {
			other := hospital.CustomerPatient{PatientID: person.Sibling.ID, Relation: hospital.RelationOther}
			f.Patients = append(f.Patients, other)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		done, err := privacy.Anonymise(ctx, db, erase(person.Patient))
		if err != nil || done.Accounts != 0 || len(done.SharedAccount) != 1 || done.SharedAccount[0] != person.Self.ID {
			t.Errorf("erased %+v, %v", done, err)
		}
		if c, err := db.Customer(ctx, person.Self.ID); err != nil || len(c.Patients) != 1 || c.Phone != "0829911882" {
			t.Errorf("the account is %+v, %v", c, err)
		}
		inOrder(t, db, ctx)

		// A result that was deleted before is erased as well.
		other := storetest.AddPatient(t, db, "บุปผาสวรรค์")
		c, err := db.CreateCustomer(ctx, hospital.CustomerFields{
			Name: "บัญชีบุปผา", Phone: "0811234567",
			Patients: []hospital.CustomerPatient{{PatientID: other.ID, Relation: hospital.RelationSelf}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.DeleteCustomer(ctx, c.ID); err != nil {
			t.Fatal(err)
		}
		if err := db.DeletePatient(ctx, other.ID, "ย้ายออกกับบุปผา"); err != nil {
			t.Fatal(err)
		}
		if done, err := privacy.Anonymise(ctx, db, erase(other)); err != nil || done.Accounts != 1 {
			t.Errorf("erased %+v, %v", done, err)
		}
		for table, text := range everything(t, p) {
			if strings.Contains(text, "บุปผา") || strings.Contains(text, "0811234567") {
				t.Errorf("%s still has the one who was deleted", table)
			}
		}
		inOrder(t, db, ctx)
	})
}
