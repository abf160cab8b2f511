package jobs

import (
	"fmt"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// The clock starts on Monday 2026-11-16 at 09:00; days are closed at 18:00.
func TestDayIsClosedOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		db := nodes[0]
		ctx := storetest.SetUp(t, db)
		service := storetest.AddService(t, db, "GP", 5)
		var visits []hospital.Appointment
		for i, date := range []string{"2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"} {
			visits = append(visits,
				storetest.Book(t, db, ctx, storetest.AddPatient(t, db, fmt.Sprint("คนที่", i)), service, date, "10:00"))
		}
		runAll := func() { t.Helper(); drainTogether(t, nodes, 4) }
		absent := func() (n int) {
			t.Helper()
			for i, v := range visits {
				a, history, err := db.AppointmentDetails(ctx, v.ID)
				if err != nil {
					t.Fatal(err)
				}
				if a.Status != hospital.NoShow {
					continue
				}
				if n++; n != i+1 {
					t.Errorf("%s is closed and a day before it is not", a.Date)
				}
				if last := history[len(history)-1]; len(history) != 2 || last.Actor != "system" || last.ActorID != nil ||
					last.Action != hospital.HistoryStatus {
					t.Errorf("history of %s: %+v", a.Date, history)
				}
			}
			return n
		}
		for _, step := range []struct {
			after  time.Duration
			when   string
			jobs   int
			absent int
		}{
			{0, "on Monday morning", 0, 0},
			{9*time.Hour - time.Millisecond, "before the time", 0, 0},
			{time.Millisecond, "at the time", 1, 1},
			{time.Hour, "an hour later", 1, 1},
			{5 * time.Hour, "after midnight", 1, 1},
			{66 * time.Hour, "on Thursday evening, after nobody worked for three days", 2, 4},
		} {
			p.Clock.Advance(step.after)
			runAll()
			runAll()
			jobs := rows(t, p, store.JobDayClose)
			if n := absent(); n != step.absent || len(jobs) != step.jobs {
				t.Errorf("%s %d are absent and there were %d jobs, want %d and %d", step.when, n, len(jobs), step.absent, step.jobs)
			}
			for _, job := range jobs {
				if !job.Done || job.Attempts != 1 {
					t.Errorf("%s a job is left as %+v", step.when, job)
				}
			}
		}
	})
}

// Slots that end after the closing time are closed after their end, the last ones of a day the next morning.
func TestEveningSlotsAreClosedLater(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		db := nodes[0]
		ctx := storetest.SetUp(t, db)
		f := hospital.NewService
		f.Code, f.Name = "EVE", "คลินิกนอกเวลา"
		f.Schedule = []hospital.ScheduleRow{{
			Weekday: 1, StartTime: "17:00", EndTime: "24:00", SlotMinutes: 60, Capacity: 5,
		}}
		service, err := db.CreateService(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		for i, start := range []string{"17:00", "19:00", "19:00", "23:00"} {
			patient := storetest.AddPatient(t, db, fmt.Sprint("คนที่", i))
			storetest.Book(t, db, ctx, patient, service, "2026-11-16", start)
		}
		for _, step := range []struct {
			after        time.Duration
			when         string
			jobs, absent int
		}{
			{9 * time.Hour, "at 18:00", 1, 1},
			{time.Hour, "at 19:00", 1, 1},
			{59 * time.Minute, "at 19:59", 1, 1},
			{time.Minute, "at 20:00", 2, 3},
			{4*time.Hour - time.Minute, "at 23:59", 2, 3},
			{time.Minute, "at midnight", 3, 4},
			{18 * time.Hour, "at 18:00 on the next day", 3, 4},
		} {
			p.Clock.Advance(step.after)
			drainTogether(t, nodes, 4)
			absent, err := db.ListAppointments(ctx, hospital.AppointmentFilter{
				Page: hospital.Page{Page: 1, PageSize: 20}, Statuses: []hospital.AppointmentStatus{hospital.NoShow},
			})
			if jobs := rows(t, p, store.JobDayClose); err != nil || len(jobs) != step.jobs ||
				absent.Total != int64(step.absent) {
				t.Errorf("%s: %d no-shows after %d jobs, want %d and %d, %v", step.when, absent.Total, len(jobs),
					step.absent, step.jobs, err)
			}
		}
	})
}

func TestDayCloseDisabled(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		setting, err := db.Setting(ctx)
		if err != nil {
			t.Fatal(err)
		}
		setting.NoShowTime = ""
		if _, err := db.SaveSetting(ctx, setting); err != nil {
			t.Fatal(err)
		}
		a := storetest.Book(t, db, ctx, storetest.AddPatient(t, db, "สมชาย"), storetest.AddService(t, db, "GP", 5),
			"2026-11-16", "10:00")
		p.Clock.Advance(48 * time.Hour)
		r, _ := newRunner(t, db, nil)
		drain(t, r)
		a, _, err = db.AppointmentDetails(ctx, a.ID)
		if jobs := rows(t, p, store.JobDayClose); err != nil || a.Status != hospital.Booked || len(jobs) != 0 {
			t.Errorf("%s, %d jobs, %v", a.Status, len(jobs), err)
		}
	})
}

func TestClockJumpDelaysDayClose(t *testing.T) {
	t.Parallel()
	wall, steady := time.Date(2026, 11, 16, 9, 0, 0, 0, hospital.Bangkok), time.Now()
	var j clockJumps
	for i, step := range []struct {
		wall, steady       time.Duration
		jumped, distrusted bool
	}{
		{time.Second, time.Second, false, false},
		{5 * time.Minute, time.Second, false, false}, // adjusted
		{24 * time.Hour, time.Second, true, true},    // a mistake
		{time.Second, time.Second, false, true},      // not noticed yet
		{-24 * time.Hour, time.Second, false, false}, // corrected
		{24 * time.Hour, time.Second, true, true},    // suspended
		{59 * time.Minute, 59 * time.Minute, false, true},
		{2 * time.Minute, 2 * time.Minute, false, false}, // so the time is right
		{time.Hour, time.Hour, false, false},             // not checked for an hour
	} {
		wall, steady = wall.Add(step.wall), steady.Add(step.steady)
		if jumped, distrusted := j.look(wall, steady); jumped != 0 != step.jumped || distrusted != step.distrusted {
			t.Errorf("step %d: jumped %s, distrusted %t", i, jumped, distrusted)
		}
	}
}
