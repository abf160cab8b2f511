package load_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/demo/load"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// must fails the test if a call returns an error, and returns its value otherwise.
func must[T any](t testing.TB) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// schema returns all indexes and foreign keys.
func schema(t testing.TB, p storetest.Database) (list []string) {
	t.Helper()
	query := `SELECT coalesce(sql, name) FROM sqlite_schema WHERE type = 'index' ORDER BY 1`
	if p.Engine == "postgres" {
		query = `SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() UNION ALL
			SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
			FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1`
	}
	rows, err := p.SQL(t).Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// beginning returns a small hospital. Each patient comes every fifth day, in one status after the other.
func beginning(people, visits int, service hospital.Service, now time.Time) load.Records {
	counters := map[string]int64{}
	return load.Records{
		Counters: counters,
		Patients: func(yield func(hospital.PatientFields) bool) {
			for i := range people {
				p := hospital.PatientFields{
					Prename: "นาย", FirstName: "  สมชาย", LastName: fmt.Sprintf("ใจดี%c", 'ก'+rune(i)), Sex: hospital.Male,
					BirthDate: "1980-01-01", Phone: fmt.Sprintf("081234%04d", i),
				}
				if !yield(p) {
					return
				}
			}
		},
		Appointments: func(yield func(hospital.Appointment) bool) {
			for i := range visits {
				status := hospital.AppointmentStatuses[i%len(hospital.AppointmentStatuses)]
				a := hospital.Appointment{
					Number: fmt.Sprintf("A%05d", i), PatientID: int64(1 + i%people), Status: status,
					EndTime: "08:30", CreatedAt: now, UpdatedAt: now.Add(time.Minute),
					AppointmentFields: hospital.AppointmentFields{
						ServiceID: service.ID, Date: hospital.AddDays("2026-01-05", i), StartTime: "08:00",
						Kind: hospital.KindNew, Channel: hospital.ChannelStaff, Priority: hospital.Routine,
					},
				}
				if status == hospital.Cancelled {
					a.CancelReason = "ติดธุระ"
				}
				counters["A"]++
				if !yield(a) {
					return
				}
			}
		},
	}
}

func TestLoadMatchesStore(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		before := schema(t, p)
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		service := storetest.AddService(t, db, "GP", 2)
		reported := map[string][2]int{}
		progress := func(kind string, n, of int) { reported[kind] = [2]int{n, of} }
		if err := load.Hospital(ctx, db, beginning(5, 60, service, p.Clock.Now()), progress); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(before, schema(t, p)); d != "" {
			t.Errorf("the indexes and foreign keys are others:\n%s", d)
		}
		if reported["patients"] != [2]int{5, 0} || reported["appointments"] != [2]int{60, 0} ||
			reported["indexes"][0] < 10 || reported["indexes"][0] != reported["indexes"][1] {
			t.Errorf("it told %v", reported)
		}
		faults := must[[]store.TotalFault](t)(db.VerifyTotals(ctx))
		seats := must[[]store.SlotFault](t)(db.VerifySlots(ctx))
		counted, stored, err := db.VerifyPatientTotal(ctx)
		if err != nil || len(faults) > 0 || len(seats) > 0 || counted != 5 || stored != 5 {
			t.Errorf("%v, %v, %d of %d, %v", faults, seats, counted, stored, err)
		}
		if n, broken, err := db.VerifyAudit(ctx); err != nil || n == 0 || len(broken) > 0 {
			t.Errorf("%d audit entries, %v, %v", n, broken, err)
		}

		// The record is clean, found by a part of the name, and has the date of the last visit.
		found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, "มชาย", 10))
		if len(found) != 5 || found[0].FirstName != "สมชาย" {
			t.Fatalf("%d were found: %+v", len(found), found)
		}
		for _, p := range found {
			visits := must[[]hospital.Appointment](t)(db.AppointmentsIn(ctx,
				hospital.AppointmentFilter{PatientID: p.ID, Statuses: hospital.Arrived}))
			last := ""
			for _, v := range visits {
				last = max(last, v.Date)
			}
			if p.LastVisit == nil || *p.LastVisit != last {
				t.Errorf("patient %d was here last on %v, not %s", p.ID, p.LastVisit, last)
			}
		}
		all := must[[]hospital.Appointment](t)(db.AppointmentsIn(ctx, hospital.AppointmentFilter{}))
		for _, a := range all[:9] {
			first := a.Status
			if !slices.Contains([]hospital.AppointmentStatus{hospital.Pending, hospital.Waitlisted}, a.Status) {
				first = hospital.Booked
			}
			want := []string{fmt.Sprintf(
				"CREATE map[date:%s endTime:08:30 patientId:%d serviceId:%d startTime:08:00 status:%s] ",
				a.Date, a.PatientID, service.ID, first)}
			if a.Status != first {
				want = append(want, fmt.Sprintf("STATUS map[status:%s] %s", a.Status, a.CancelReason))
			}
			_, history, err := db.AppointmentDetails(ctx, a.ID)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range history {
				got = append(got, fmt.Sprintf("%s %v %s", h.Action, h.To, h.Reason))
			}
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("history of one that is %s:\n%s", a.Status, d)
			}
		}

		next := must[hospital.Patient](t)(db.CreatePatient(ctx, hospital.PatientFields{
			Prename: "นาง", FirstName: "มานี", LastName: "มา", Sex: hospital.Female, BirthDate: "1990-01-01",
		}, false))
		if next.ID != 6 || next.HN <= found[0].HN {
			t.Errorf("the next patient is %d, HN %s", next.ID, next.HN)
		}
		if _, err := load.Appointments(ctx, db, beginning(9, 9, service, p.Clock.Now()).Appointments); err == nil {
			t.Error("an appointment of nobody was written afterwards")
		}
		err = load.Hospital(ctx, db, beginning(1, 1, service, p.Clock.Now()), nil)
		if hospital.CodeOf(err) != hospital.InUse {
			t.Errorf("loaded once more: %v", err)
		}
	})
}

// A partially loaded database cannot be opened.
func TestInterruptedLoad(t *testing.T) {
	t.Parallel()
	for name, load := range map[string]func(context.Context, *store.DB, hospital.Service) error{
		"interrupted": func(ctx context.Context, db *store.DB, s hospital.Service) error {
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			return load.Hospital(ctx, db, beginning(5, 20, s, db.Now()), func(kind string, _, _ int) {
				if kind == "indexes" {
					stop()
				}
			})
		},
		"an appointment of nobody": func(ctx context.Context, db *store.DB, s hospital.Service) error {
			in := beginning(5, 20, s, db.Now())
			in.Patients = beginning(4, 0, s, db.Now()).Patients
			return load.Hospital(ctx, db, in, nil)
		},
		"a service that is not there": func(ctx context.Context, db *store.DB, s hospital.Service) error {
			s.ID++
			return load.Hospital(ctx, db, beginning(5, 20, s, db.Now()), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
				db := p.Open(t)
				ctx := storetest.SetUp(t, db)
				if err := load(ctx, db, storetest.AddService(t, db, "GP", 2)); err == nil {
					t.Fatal("it came to an end")
				}
				_, err := store.Open(ctx, p.Options)
				if err == nil || !strings.Contains(err.Error(), "start again with an empty database") {
					t.Errorf("it was opened: %v", err)
				}
			})
		})
	}
}
