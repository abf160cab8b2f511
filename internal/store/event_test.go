package store_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// ear hears one event after the other.
type ear struct {
	*store.Listener
	heard []store.NumberedEvent
}

func listen(db *store.DB, after string) *ear { return &ear{Listener: db.Listen(after)} }

// next waits for an event of a kind.
func next(t *testing.T, e *ear, kind hospital.EventKind) store.NumberedEvent {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		for len(e.heard) > 0 {
			first := e.heard[0]
			if e.heard = e.heard[1:]; first.Kind == kind {
				return first
			}
		}
		var more <-chan struct{}
		if e.heard, more = e.Hear(); len(e.heard) > 0 {
			continue
		}
		if more == nil {
			t.Fatal("nothing more is told")
		}
		select {
		case <-more:
		case <-timeout:
			t.Fatalf("no %s event came", kind)
		}
	}
}

func TestWhatIsCommittedIsTold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		people := patients(ctx, t, db, 2)
		l := listen(db, "")
		a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, tuesday, "10:00")))
		if e := next(t, l, hospital.EventAppointment); e.Event != (hospital.Event{Kind: hospital.EventAppointment, ID: a.ID, ServiceID: s.ID, Date: tuesday, Version: 1}) || e.ID == "" {
			t.Errorf("told %+v", e)
		}
		// A refused booking is not told.
		_, err := db.Book(ctx, visit(people[1], s, tuesday, "10:00"))
		refused(t, err, hospital.SlotFull)
		must[hospital.Appointment](t)(db.UpdateAppointment(ctx, a.ID, 1, move("2026-11-18", "10:00")))
		if from, to := next(t, l, hospital.EventAppointment), next(t, l, hospital.EventAppointment); from.Date != tuesday || to.Date != "2026-11-18" || to.Version != 2 {
			t.Errorf("the move is told as %+v and %+v", from, to)
		}
		five := 5
		if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, Capacity: &five}); err != nil {
			t.Fatal(err)
		}
		if e := next(t, l, hospital.EventSlot); e.ServiceID != s.ID || e.Date != tuesday {
			t.Errorf("told %+v", e)
		}
		if _, _, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: tuesday, Reason: "หยุด"}); err != nil {
			t.Fatal(err)
		}
		next(t, l, hospital.EventClosure)
	})
}

func TestAListenerWhoComesBackMissesNothing(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t).Open(t)
	l := listen(db, "")
	start := l.Place()
	db.Tell(1)
	last := next(t, l, hospital.EventSlot).ID
	if l.Place() != last {
		t.Errorf("after %s the place is %s", last, l.Place())
	}
	// Somebody who comes back hears what came meanwhile, even who had heard nothing at all.
	db.Tell(3)
	for after, want := range map[string]int{last: 3, start: 4, "": 0} {
		if missed, _ := db.Listen(after).Hear(); len(missed) != want {
			t.Errorf("after %q: %d missed", after, len(missed))
		}
	}
	if missed, more := l.Hear(); len(missed) != 3 || more == nil {
		t.Errorf("%d events", len(missed))
	}
	if again, _ := l.Hear(); len(again) > 0 {
		t.Errorf("%d events were told twice", len(again))
	}
	refetch := func(what string, l *store.Listener) {
		t.Helper()
		heard, _ := l.Hear()
		if len(heard) != 1 || heard[0].Kind != hospital.EventRefetch || heard[0].ID == "" {
			t.Fatalf("%s is told %+v", what, heard)
		}
		// From there on it hears everything.
		db.Tell(1)
		if heard, _ := l.Hear(); len(heard) != 1 || heard[0].Kind != hospital.EventSlot {
			t.Errorf("%s is told %+v after that", what, heard)
		}
	}
	for _, unknown := range []string{"another run-5", "nonsense", last + "0000"} {
		l := db.Listen(unknown)
		if l.Place() != "" {
			t.Errorf("after %q one can go on from %s", unknown, l.Place())
		}
		refetch(unknown, l)
	}
	// Who does not keep up for thousands of events fetches; nobody is held up by that.
	db.Tell(5000)
	refetch("a slow one", l.Listener)
	refetch("one who comes back late", db.Listen(last))
	_, more := l.Hear()
	db.EndEvents()
	<-more
	if _, more := l.Hear(); more != nil {
		t.Error("a listener stays after the end")
	}
	if _, more := db.Listen("").Hear(); more != nil {
		t.Error("one can listen after the end")
	}
}

func TestABookingIsToldOnAnotherNode(t *testing.T) {
	t.Parallel()
	p := storetest.Postgres(t)
	here, there := p.Open(t), p.Open(t)
	ctx := storetest.SetUp(t, here)
	s := clinic(ctx, t, here, "GP", 100)
	run, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for _, node := range []*store.DB{here, there} {
		wg.Go(func() { node.RunEvents(run, slog.New(slog.DiscardHandler)) })
	}
	l := listen(there, "")
	database := p.SQL(t)
	// Until the other node listens, what is told is told to nobody.
	listening := func() (n int) {
		const query = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%' AND state = 'idle'`
		if err := database.QueryRow(query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	waitFor := func(what string, done func() bool) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		timeout := time.After(30 * time.Second)
		for !done() {
			select {
			case <-tick.C:
			case <-timeout:
				t.Fatal(what)
			}
		}
	}
	// It takes less than a second; a machine that is busy with other tests has five tries for that.
	soon := func() {
		t.Helper()
		for _, p := range patients(ctx, t, here, 5) {
			a := must[hospital.Appointment](t)(here.Book(ctx, visit(p, s, tuesday, "10:00")))
			booked := time.Now()
			if e := next(t, l, hospital.EventAppointment); e.Event.ID != a.ID || e.Date != a.Date {
				t.Errorf("the other node is told %+v", e)
			}
			if time.Since(booked) < time.Second {
				return
			}
		}
		t.Error("it takes a second and more until the other node is told")
	}
	waitFor("the nodes do not listen", func() bool { return listening() == 2 })
	soon()
	// Connections are cut: the nodes find each other again, and whoever listens is told to fetch.
	if _, err := database.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%'`); err != nil {
		t.Fatal(err)
	}
	next(t, l, hospital.EventRefetch)
	waitFor("the nodes do not listen again", func() bool { return listening() == 2 })
	soon()
}
