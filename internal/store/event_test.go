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

// eventReader reads the events of a listener one at a time.
type eventReader struct {
	*store.Listener
	received []store.NumberedEvent
}

func listen(db *store.DB, after string) *eventReader { return &eventReader{Listener: db.Listen(after)} }

// next waits for an event of a kind.
func next(t *testing.T, r *eventReader, kind hospital.EventKind) store.NumberedEvent {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		for len(r.received) > 0 {
			first := r.received[0]
			if r.received = r.received[1:]; first.Kind == kind {
				return first
			}
		}
		var more <-chan struct{}
		if r.received, more = r.Receive(); len(r.received) > 0 {
			continue
		}
		if more == nil {
			t.Fatal("the listener has ended")
		}
		select {
		case <-more:
		case <-timeout:
			t.Fatalf("received no %s event", kind)
		}
	}
}

func TestEventsAfterCommit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		people := patients(ctx, t, db, 2)
		l := listen(db, "")
		a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, tuesday, "10:00")))
		want := hospital.Event{
			Kind: hospital.EventAppointment, ID: a.ID, ServiceID: s.ID, Date: tuesday, Version: 1,
		}
		if e := next(t, l, hospital.EventAppointment); e.Event != want || e.ID == "" {
			t.Errorf("received %+v", e)
		}
		// A rejected booking publishes no event.
		_, err := db.Book(ctx, visit(people[1], s, tuesday, "10:00"))
		wantCode(t, err, hospital.SlotFull)
		must[hospital.Appointment](t)(db.UpdateAppointment(ctx, a.ID, 1, move("2026-11-18", "10:00")))
		from, to := next(t, l, hospital.EventAppointment), next(t, l, hospital.EventAppointment)
		if from.Date != tuesday || to.Date != "2026-11-18" || to.Version != 2 {
			t.Errorf("events of the move: %+v and %+v", from, to)
		}
		five := 5
		change := hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, Capacity: &five}
		if _, err := db.UpdateCapacity(ctx, change); err != nil {
			t.Fatal(err)
		}
		if e := next(t, l, hospital.EventSlot); e.ServiceID != s.ID || e.Date != tuesday {
			t.Errorf("received %+v", e)
		}
		if _, _, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: tuesday, Reason: "หยุด"}); err != nil {
			t.Fatal(err)
		}
		next(t, l, hospital.EventClosure)
	})
}

func TestListenerResumes(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t).Open(t)
	l := listen(db, "")
	start := l.Position()
	db.PublishSlotEvents(1)
	last := next(t, l, hospital.EventSlot).ID
	if l.Position() != last {
		t.Errorf("after %s the position is %s", last, l.Position())
	}
	// A listener that reconnects receives the missed events, also if it had received none before.
	db.PublishSlotEvents(3)
	for after, want := range map[string]int{last: 3, start: 4, "": 0} {
		if missed, _ := db.Listen(after).Receive(); len(missed) != want {
			t.Errorf("after %q: %d events, want %d", after, len(missed), want)
		}
	}
	if missed, more := l.Receive(); len(missed) != 3 || more == nil {
		t.Errorf("%d events", len(missed))
	}
	if again, _ := l.Receive(); len(again) > 0 {
		t.Errorf("%d events were received twice", len(again))
	}
	refetch := func(what string, l *store.Listener) {
		t.Helper()
		events, _ := l.Receive()
		if len(events) != 1 || events[0].Kind != hospital.EventRefetch || events[0].ID == "" {
			t.Fatalf("%s: received %+v", what, events)
		}
		// After that it receives all events.
		db.PublishSlotEvents(1)
		if events, _ := l.Receive(); len(events) != 1 || events[0].Kind != hospital.EventSlot {
			t.Errorf("%s: received %+v after the refetch", what, events)
		}
	}
	for _, unknown := range []string{"another run-5", "nonsense", last + "0000"} {
		l := db.Listen(unknown)
		if l.Position() != "" {
			t.Errorf("after %q the position is %s", unknown, l.Position())
		}
		refetch(unknown, l)
	}
	// A listener that is thousands of events behind must refetch. It does not block the publisher.
	db.PublishSlotEvents(5000)
	refetch("slow listener", l.Listener)
	refetch("late listener", db.Listen(last))
	_, more := l.Receive()
	db.EndEvents()
	<-more
	if _, more := l.Receive(); more != nil {
		t.Error("an existing listener did not end")
	}
	if _, more := db.Listen("").Receive(); more != nil {
		t.Error("a new listener did not end")
	}
}

func TestEventsOnOtherNode(t *testing.T) {
	t.Parallel()
	p := storetest.Postgres(t)
	first, second := p.Open(t), p.Open(t)
	ctx := storetest.SetUp(t, first)
	s := clinic(ctx, t, first, "GP", 100)
	run, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for _, node := range []*store.DB{first, second} {
		wg.Go(func() { node.RunEvents(run, slog.New(slog.DiscardHandler)) })
	}
	l := listen(second, "")
	database := p.SQL(t)
	const listeners = `FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%'`
	// Events that are published before the other node listens are lost.
	listening := func() (n int) {
		const query = `SELECT count(*) ` + listeners + ` AND state = 'idle'`
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
	// An event arrives within a second. On a machine that is busy with other tests, one of five does.
	arrivesSoon := func() {
		t.Helper()
		for _, p := range patients(ctx, t, first, 5) {
			a := must[hospital.Appointment](t)(first.Book(ctx, visit(p, s, tuesday, "10:00")))
			booked := time.Now()
			if e := next(t, l, hospital.EventAppointment); e.Event.ID != a.ID || e.Date != a.Date {
				t.Errorf("the other node received %+v", e)
			}
			if time.Since(booked) < time.Second {
				return
			}
		}
		t.Error("the other node received no event within a second")
	}
	waitFor("the nodes do not listen", func() bool { return listening() == 2 })
	arrivesSoon()
	// After lost connections the nodes connect again, and the listeners must refetch.
	if _, err := database.Exec(`SELECT pg_terminate_backend(pid) ` + listeners); err != nil {
		t.Fatal(err)
	}
	next(t, l, hospital.EventRefetch)
	waitFor("the nodes do not listen again", func() bool { return listening() == 2 })
	arrivesSoon()
}
