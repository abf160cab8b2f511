package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// A small hospital with many conflicts: two services, two days, four times, ten patients.
var (
	randomDates  = []string{tuesday, "2026-11-18"}
	randomStarts = []string{"09:00", "09:30", "10:00", "10:30"}
)

const (
	randomPatients = 10
	weeklySeats    = 2
	extraSeats     = 1
)

// slotIndex is a slot of the small hospital.
type slotIndex struct{ service, date, start int }

// action is a random request.
type action struct {
	kind     string
	patient  int
	slot     slotIndex
	waitlist bool
	overbook bool
	capacity int // -1 resets it
	pick     uint64
}

var actionKinds = []string{
	"create", "create", "create", "create", "create", "move", "move", "cancel", "cancel", "book", "book", "delete",
	"capacity", "close", "open", "open",
}

func draw(rng *rand.Rand) action {
	return action{
		kind: actionKinds[rng.IntN(len(actionKinds))], patient: rng.IntN(randomPatients),
		slot:     slotIndex{rng.IntN(2), rng.IntN(2), rng.IntN(4)},
		waitlist: rng.IntN(4) == 0, overbook: rng.IntN(5) == 0, capacity: rng.IntN(6) - 1, pick: rng.Uint64(),
	}
}

// randomSeed returns a random seed, or NADMOR_SEED to repeat a run.
func randomSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("NADMOR_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("NADMOR_SEED=%d repeats this run", seed)
	return seed
}

// randomHospital is the small hospital in a database, with the appointments and closures that were created.
type randomHospital struct {
	db       *store.DB
	ctx      context.Context
	services []hospital.Service
	patients []hospital.Patient

	mu           sync.Mutex
	appointments []int64 // appointments
	closures     []int64
}

func newRandomHospital(t *testing.T, db *store.DB) *randomHospital {
	t.Helper()
	ctx := storetest.SetUp(t, db)
	w := &randomHospital{db: db, ctx: ctx, patients: patients(ctx, t, db, randomPatients)}
	for i := range 2 {
		f := hospital.NewService
		f.Code, f.Name, f.OverbookLimit = fmt.Sprintf("S%d", i), "บริการ", extraSeats
		f.Schedule = weekdays(30, weeklySeats)
		s, err := db.CreateService(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		w.services = append(w.services, s)
	}
	return w
}

// choose returns an element of a list that other goroutines change.
func choose[T any](w *randomHospital, list *[]T, pick uint64) (v T, i int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*list) == 0 {
		return v, 0, false
	}
	i = int(pick % uint64(len(*list)))
	return (*list)[i], i, true
}

func (w *randomHospital) fields(p slotIndex) hospital.AppointmentFields {
	return hospital.AppointmentFields{
		ServiceID: w.services[p.service].ID, Date: randomDates[p.date], StartTime: randomStarts[p.start],
	}
}

// do runs an action on a node.
func (w *randomHospital) do(node *store.DB, d action) (a hospital.Appointment, err error) {
	id, _, some := choose(w, &w.appointments, d.pick)
	switch d.kind {
	case "create":
		in := hospital.NewAppointment{
			PatientID: w.patients[d.patient].ID, AppointmentFields: w.fields(d.slot), Waitlist: d.waitlist,
		}
		if d.overbook {
			in.OverbookReason = "จำเป็น"
		}
		if a, err = node.Book(w.ctx, in); err == nil {
			w.mu.Lock()
			w.appointments = append(w.appointments, a.ID)
			w.mu.Unlock()
		}
	case "capacity":
		start := randomStarts[d.slot.start]
		change := hospital.CapacityChange{
			ServiceID: w.services[d.slot.service].ID, Date: randomDates[d.slot.date], StartTime: &start,
		}
		if d.capacity >= 0 {
			change.Capacity = &d.capacity
		}
		_, err = node.UpdateCapacity(w.ctx, change)
	case "close":
		var c hospital.Closure
		c, _, err = node.CreateClosure(w.ctx, hospital.ClosureFields{
			DateFrom: randomDates[d.slot.date], Reason: "ปิด", ServiceIDs: []int64{w.services[d.slot.service].ID},
		})
		w.mu.Lock()
		w.closures = append(w.closures, c.ID)
		w.mu.Unlock()
	case "open":
		if closure, i, ok := choose(w, &w.closures, d.pick); ok {
			w.mu.Lock()
			w.closures = slices.Delete(w.closures, min(i, len(w.closures)-1), min(i, len(w.closures)-1)+1)
			w.mu.Unlock()
			err = node.DeleteClosure(w.ctx, closure)
		}
	default:
		if !some {
			return a, nil
		}
		switch d.kind {
		case "move":
			to := w.fields(d.slot)
			a, err = node.UpdateAppointment(w.ctx, id, 0, func(f *hospital.AppointmentFields) error {
				f.ServiceID, f.Date, f.StartTime, f.OverbookReason = to.ServiceID, to.Date, to.StartTime, ""
				return nil
			})
		case "cancel":
			a, err = node.MarkStatus(w.ctx, id, 0, hospital.Cancelled, "ลอง")
		case "book":
			a, err = node.MarkStatus(w.ctx, id, 0, hospital.Booked, "ลอง")
		case "delete":
			err = node.DeleteAppointment(w.ctx, id)
		}
	}
	return a, err
}

// model is a simple implementation of the same hospital without a database. Its results are those that
// the store must return.
type model struct {
	visits   []*modelVisit
	capacity map[slotIndex]int
	closures []slotIndex // start is not used
}

type modelVisit struct {
	patient    int
	slot       slotIndex
	status     hospital.AppointmentStatus
	overbooked bool
	deleted    bool
}

func (v *modelVisit) seated() bool { return !v.deleted && v.status.HoldsSeat() }

func (m *model) booked(p slotIndex) (n int) {
	for _, v := range m.visits {
		if v.seated() && v.slot == p {
			n++
		}
	}
	return n
}

func (m *model) seats(p slotIndex) int {
	if n, ok := m.capacity[p]; ok {
		return n
	}
	return weeklySeats
}

func (m *model) closed(p slotIndex) bool {
	return slices.ContainsFunc(m.closures, func(c slotIndex) bool { return c.service == p.service && c.date == p.date })
}

// busy reports whether a patient has another seat at that time or, with waiting, waits for one.
func (m *model) busy(self *modelVisit, patient int, p slotIndex, waiting bool) bool {
	return slices.ContainsFunc(m.visits, func(v *modelVisit) bool {
		return v != self && v.patient == patient && v.slot.date == p.date && v.slot.start == p.start &&
			!v.deleted && (v.seated() || waiting && v.status == hospital.Waitlisted)
	})
}

// take returns the result of taking a seat.
func (m *model) take(
	self *modelVisit, patient int, p slotIndex, waiting, overbook bool,
) (overbooked bool, code hospital.Code) {
	switch booked := m.booked(p); {
	case m.closed(p):
		return false, hospital.SlotClosed
	case m.busy(self, patient, p, waiting):
		return false, hospital.PatientDoubleBooked
	case booked < m.seats(p):
		return false, ""
	case overbook && booked < m.seats(p)+extraSeats:
		return true, ""
	default:
		return false, hospital.SlotFull
	}
}

func (m *model) do(d action) hospital.Code {
	switch d.kind {
	case "create":
		overbooked, code := m.take(nil, d.patient, d.slot, d.waitlist, d.overbook)
		status := hospital.Booked
		if code == hospital.SlotFull && d.waitlist {
			status, code = hospital.Waitlisted, ""
		}
		if code == "" {
			m.visits = append(m.visits, &modelVisit{
				patient: d.patient, slot: d.slot, status: status, overbooked: overbooked,
			})
		}
		return code
	case "capacity":
		_, overridden := m.capacity[d.slot]
		reset := d.capacity < 0
		switch {
		case m.closed(d.slot) && m.booked(d.slot) == 0 && (!reset || !overridden):
			return hospital.OutOfSchedule
		case reset && overridden && m.booked(d.slot) > weeklySeats:
			return hospital.CapacityBelowBooked
		case reset:
			delete(m.capacity, d.slot)
		case m.booked(d.slot) > d.capacity:
			return hospital.CapacityBelowBooked
		default:
			m.capacity[d.slot] = d.capacity
		}
		return ""
	case "close":
		m.closures = append(m.closures, d.slot)
		return ""
	case "open":
		if n := uint64(len(m.closures)); n > 0 {
			i := int(d.pick % n)
			m.closures = slices.Delete(m.closures, i, i+1)
		}
		return ""
	}
	if len(m.visits) == 0 {
		return ""
	}
	v := m.visits[d.pick%uint64(len(m.visits))]
	switch {
	case v.deleted:
		return hospital.NotFound
	case d.kind == "delete":
		v.deleted = true
		return ""
	case d.kind == "cancel":
		if v.status == hospital.Cancelled {
			return hospital.InvalidTransition
		}
		v.status, v.overbooked = hospital.Cancelled, false
		return ""
	case d.kind == "book":
		if v.status == hospital.Booked {
			return hospital.InvalidTransition
		}
		overbooked, code := m.take(v, v.patient, v.slot, false, false)
		if code == "" {
			v.status, v.overbooked = hospital.Booked, overbooked
		}
		return code
	case v.slot == d.slot:
		return ""
	case v.status == hospital.Cancelled:
		return hospital.InvalidTransition
	default: // move
		waiting := v.status == hospital.Waitlisted
		overbooked, code := m.take(v, v.patient, d.slot, waiting, false)
		if waiting && code == hospital.SlotFull {
			code = "" // waits for a seat there
		}
		if code == "" {
			v.slot, v.overbooked = d.slot, overbooked
		}
		return code
	}
}

// The store returns the same results as the model, and has the same contents in the end.
func TestStoreMatchesModel(t *testing.T) {
	t.Parallel()
	seed := randomSeed(t)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		rng := rand.New(rand.NewPCG(seed, 0))
		w := newRandomHospital(t, db)
		m := &model{capacity: map[slotIndex]int{}}
		answers := map[hospital.Code]int{}
		for i := range 400 {
			d := draw(rng)
			want := m.do(d)
			_, err := w.do(db, d)
			got := hospital.Code("")
			if err != nil {
				got = hospital.CodeOf(err)
			}
			if got != want {
				t.Fatalf("action %d, %+v: %q (%v), want %q", i, d, got, err, want)
			}
			answers[got]++
		}
		t.Logf("results: %v", answers)
		for i, v := range m.visits {
			a, _, err := db.AppointmentDetails(w.ctx, w.appointments[i])
			if v.deleted {
				wantCode(t, err, hospital.NotFound)
				continue
			}
			if err != nil || a.Status != v.status || a.StartTime != randomStarts[v.slot.start] ||
				a.Date != randomDates[v.slot.date] || a.Overbooked != v.overbooked {
				t.Errorf("appointment %d: %+v, want %+v (%v)", i, a, v, err)
			}
		}
		for s := range 2 {
			for d := range 2 {
				for c := range 4 {
					p := slotIndex{s, d, c}
					slot := slotOn(w.ctx, t, db, w.services[s], randomDates[d], randomStarts[c])
					if slot.Booked != m.booked(p) {
						t.Errorf("%+v: %d booked, want %d", p, slot.Booked, m.booked(p))
					}
					if hidden := m.closed(p) && m.booked(p) == 0; !hidden && slot.Capacity != m.seats(p) {
						t.Errorf("%+v: capacity %d, want %d", p, slot.Capacity, m.seats(p))
					}
				}
			}
		}
		noFaults(w.ctx, t, db)
	})
}

// With 32 workers on two nodes, no slot is overbooked beyond its limit, no patient has two appointments at the
// same time, and every count equals the number of seats held.
func TestConcurrentWorkersNeverOverbook(t *testing.T) {
	t.Parallel()
	seed := randomSeed(t)
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		const workers, each = 32, 25
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		w := newRandomHospital(t, nodes[0])
		var wg sync.WaitGroup
		for worker := range workers {
			rng := rand.New(rand.NewPCG(seed, uint64(worker)))
			wg.Go(func() {
				for range each {
					d := draw(rng)
					// A reset could set the capacity below the number of bookings, which would hide overbooking.
					d.capacity = max(d.capacity, 0)
					_, err := w.do(nodes[worker%2], d)
					switch hospital.CodeOf(err) {
					case hospital.Internal, hospital.Unavailable, hospital.ValidationFailed:
						if err != nil {
							t.Errorf("%+v: %v", d, err)
							return
						}
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		for last := false; !last; {
			select {
			case <-done:
				last = true
			default:
			}
			if !w.checkCapacities(t) {
				<-done
				return
			}
		}
		noFaults(w.ctx, t, nodes[0])
		w.checkDoubleBookings(t)
		if _, faults, err := nodes[0].VerifyAudit(w.ctx); err != nil || len(faults) > 0 {
			t.Errorf("audit: %v, %v", faults, err)
		}
	})
}

// checkCapacities checks that no slot has more bookings than seats. It is called while the workers run.
func (w *randomHospital) checkCapacities(t *testing.T) bool {
	t.Helper()
	for _, s := range w.services {
		days, err := w.db.CheckSlots(w.ctx, hospital.SlotQuery{
			ServiceID: s.ID, DateRange: hospital.DateRange{DateFrom: randomDates[0], DateTo: randomDates[1]},
		})
		if err != nil {
			t.Error(err)
			return false
		}
		for _, day := range days {
			for _, slot := range day.Slots {
				if slot.Booked > slot.Capacity+extraSeats {
					t.Errorf("%s %s has %d of %d seats taken", day.Date, slot.StartTime, slot.Booked, slot.Capacity)
					return false
				}
			}
		}
	}
	return true
}

// checkDoubleBookings checks that no patient has two appointments at the same time.
func (w *randomHospital) checkDoubleBookings(t *testing.T) {
	t.Helper()
	list, err := w.db.AppointmentsIn(w.ctx, hospital.AppointmentFilter{})
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, a := range list {
		key := fmt.Sprint(a.PatientID, a.Date, a.StartTime)
		if a.Status.HoldsSeat() {
			if other := taken[key]; other != "" {
				t.Errorf("patient %d has %s and %s at the same time", a.PatientID, other, a.Number)
			}
			taken[key] = a.Number
		}
	}
}
