package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// next waits for an event of a kind.
func next(t *testing.T, l *store.Listener, kind hospital.EventKind) store.NumberedEvent {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		select {
		case e, open := <-l.C:
			if !open {
				t.Fatal("the listener was let go")
			}
			if e.Kind == kind {
				return e
			}
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
		l, _, _ := db.Listen("")
		defer l.Stop()
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
	ctx := storetest.SetUp(t, db)
	s := clinic(ctx, t, db, "GP", 100)
	change := func(n int) {
		for i := range n {
			if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: ptr("10:00"), Capacity: ptr(i % 50)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	l, _, _ := db.Listen("")
	change(1)
	last := next(t, l, hospital.EventSlot).ID
	l.Stop()
	if _, open := <-l.C; open {
		t.Error("a stopped listener still hears")
	}
	change(3)
	l, missed, whole := db.Listen(last)
	if len(missed) != 3 || !whole {
		t.Errorf("%d missed, whole %v", len(missed), whole)
	}
	// Nothing is read: the listener is let go, and can go on from where it was.
	change(300)
	n := 0
	for range l.C {
		n++
	}
	if n != 256 {
		t.Errorf("a slow listener got %d events before it was let go", n)
	}
	l, missed, whole = db.Listen(missed[2].ID)
	if len(missed) != 300 || !whole {
		t.Errorf("%d missed, whole %v", len(missed), whole)
	}
	l.Stop()
	for _, unknown := range []string{"another run-5", "nonsense", last + "0000"} {
		l, missed, whole := db.Listen(unknown)
		if whole || len(missed) > 0 {
			t.Errorf("after %q: %d missed, whole %v", unknown, len(missed), whole)
		}
		l.Stop()
	}
	db.EndEvents()
	l, _, _ = db.Listen("")
	if _, open := <-l.C; open {
		t.Error("one can listen after the end")
	}
}

func TestABookingIsToldOnAnotherNode(t *testing.T) {
	t.Parallel()
	p := storetest.Postgres(t)
	here, there := p.Open(t), p.Open(t)
	ctx := storetest.SetUp(t, here)
	s := clinic(ctx, t, here, "GP", 100)
	people := patients(ctx, t, here, 1)
	run, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for _, node := range []*store.DB{here, there} {
		wg.Go(func() { node.RunEvents(run, slog.New(slog.DiscardHandler)) })
	}
	l, _, _ := there.Listen("")
	defer l.Stop()
	// Until the other node listens, what is told is told to nobody.
	heard := make(chan store.NumberedEvent)
	go func() {
		for e := range l.C {
			select {
			case heard <- e:
			case <-run.Done():
				return
			}
		}
	}()
	capacity := func(n int) {
		if _, err := here.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: ptr("09:00"), Capacity: &n}); err != nil {
			t.Error(err)
		}
	}
	untilHeard := func(what string) {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		timeout := time.After(30 * time.Second)
		for n := 1; ; n++ {
			select {
			case <-heard:
				return
			case <-tick.C:
				capacity(n)
			case <-timeout:
				t.Fatal(what)
			}
		}
	}
	untilHeard("the other node hears nothing")
	a := must[hospital.Appointment](t)(here.Book(ctx, visit(people[0], s, tuesday, "10:00")))
	timeout := time.After(10 * time.Second)
	for told := false; !told; {
		select {
		case e := <-heard:
			told = e.Kind == hospital.EventAppointment && e.Event.ID == a.ID
		case <-timeout:
			t.Fatal("the booking is not told on the other node")
		}
	}
	// Connections are cut: the nodes find each other again, and whoever listens is told to fetch.
	if _, err := p.SQL(t).Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	refetch := false
	timeout = time.After(30 * time.Second)
	for !refetch {
		select {
		case e := <-heard:
			refetch = e.Kind == hospital.EventRefetch
		case <-timeout:
			t.Fatal("nobody is told to fetch again")
		}
	}
	untilHeard("the other node hears nothing after the connection was cut")
}

func BenchmarkListeners(b *testing.B) {
	db := storetest.SQLite(b).Open(b)
	ctx := storetest.SetUp(b, db)
	s := clinic(ctx, b, db, "GP", 1000)
	for _, listeners := range []int{0, 1000} {
		b.Run(fmt.Sprint(listeners), func(b *testing.B) {
			for range listeners {
				l, _, _ := db.Listen("")
				go func() {
					for range l.C {
					}
				}()
				b.Cleanup(l.Stop)
			}
			for n := range b.N {
				if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: ptr("09:00"), Capacity: ptr(n % 900)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
