package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nadmor/test/product"
)

// load configures the number of users and their activity.
type load struct {
	staff                  int
	length, think          time.Duration
	patients, appointments int
	engine                 string // of a single database, empty for all
	say                    func(string)
}

// action is an action of a user with its percentage.
type action struct {
	name  string
	share int
	do    func(*worker, context.Context) error
}

// The mix of a morning: mostly searches and lists, few writes.
var actions = []action{
	{"list of a day", 24, (*worker).listDay},
	{"find a patient", 20, (*worker).search},
	{"read a patient", 10, (*worker).readPatient},
	{"free slots of a week", 10, (*worker).slots},
	{"book", 10, (*worker).book},
	{"mark a status", 8, (*worker).mark},
	{"calendar of a month", 6, (*worker).calendar},
	{"read an appointment", 6, (*worker).details},
	{"dashboard", 4, (*worker).dashboard},
	{"queue of the day", 2, (*worker).queue},
}

// worker is a simulated user.
type worker struct {
	*product.Client
	random *rand.Rand
	clinic product.Clinic
	n      int
	own    []int64 // own bookings whose status was not changed yet
	events *atomic.Int64
}

func (w *worker) post(ctx context.Context, path string, body any) error {
	return w.Call(ctx, http.MethodPost, "/admin/api/v1"+path, body, nil)
}

func (w *worker) day(within int) string {
	return time.Now().AddDate(0, 0, w.random.IntN(2*within)-within).Format(time.DateOnly)
}

func (w *worker) listDay(ctx context.Context) error {
	day := w.day(14)
	return w.post(ctx, "/appointment/list", map[string]any{"dateFrom": day, "dateTo": day, "pageSize": 50})
}

// names are search texts: beginnings of common names, and numbers.
var names = []string{"สม", "วิไล", "ประ", "ณัฐ", "กาญ", "ศรี", "ทอง", "บุญ", "0812", "นาง"}

func (w *worker) search(ctx context.Context) error {
	return w.post(ctx, "/patients/search", map[string]any{"q": names[w.random.IntN(len(names))]})
}

func (w *worker) readPatient(ctx context.Context) error {
	return w.Call(ctx, http.MethodGet, fmt.Sprintf("/admin/api/v1/patients/%d", 1+w.random.Int64N(w.clinic.Patients)), nil,
		nil)
}

func (w *worker) slots(ctx context.Context) error {
	from := w.clinic.First.AddDate(0, 0, w.random.IntN(w.clinic.Days))
	return w.post(ctx, "/appointment-time-slots/check-time-slots", map[string]any{
		"serviceId": w.clinic.ServiceID, "dateFrom": from.Format(time.DateOnly),
		"dateTo": from.AddDate(0, 0, 6).Format(time.DateOnly),
	})
}

func (w *worker) book(ctx context.Context) error {
	w.n++
	var created struct{ ID int64 }
	err := w.Book(ctx, w.clinic.Seat(w.random, fmt.Sprintf("soak-%d", w.n), false), &created)
	if product.Taken(err) {
		return nil
	}
	if err == nil && len(w.own) < 100 {
		w.own = append(w.own, created.ID)
	}
	return err
}

func (w *worker) mark(ctx context.Context) error {
	if len(w.own) == 0 {
		return w.book(ctx)
	}
	id := w.own[0]
	w.own = w.own[1:]
	return w.post(ctx, "/appointment/mark-status", map[string]any{"id": id, "status": "CONFIRMED"})
}

func (w *worker) calendar(ctx context.Context) error {
	from := time.Now().AddDate(0, w.random.IntN(3)-1, 0)
	return w.post(ctx, "/appointment/calendar-list", map[string]any{
		"dateFrom": from.Format(time.DateOnly), "dateTo": from.AddDate(0, 0, 41).Format(time.DateOnly),
	})
}

func (w *worker) details(ctx context.Context) error {
	if len(w.own) == 0 {
		return w.book(ctx)
	}
	return w.post(ctx, "/appointment/details", map[string]any{"id": w.own[w.random.IntN(len(w.own))]})
}

func (w *worker) dashboard(ctx context.Context) error {
	return w.Call(ctx, http.MethodGet, "/admin/api/v1/dashboard/summary", nil, nil)
}

func (w *worker) queue(ctx context.Context) error {
	today := time.Now().Format(time.DateOnly)
	return w.post(ctx, "/appointment/list", map[string]any{
		"dateFrom": today, "dateTo": today, "statuses": []string{"CHECKED_IN", "IN_SERVICE"}, "pageSize": 50,
	})
}

// listen reads the event stream until the context ends.
func (w *worker) listen(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Base+"/admin/api/v1/events", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+w.Token)
	resp, err := (&http.Client{Transport: w.HTTP.Transport}).Do(req) // without its timeout
	if err != nil {
		return err
	}
	defer resp.Body.Close() // the read error is returned
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("events: %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data:") {
			w.events.Add(1)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return errors.Join(errors.New("the live updates ended"), lines.Err())
}

// state is a measurement of the process.
type state struct {
	own, all          float64 // megabytes, without and with file pages
	goroutines, files float64
}

// on runs the load on a database.
func (l load) on(ctx context.Context, storage product.Storage, binary string) (err error) {
	if err := product.Run(ctx, storage.Env(), binary, "demo", fmt.Sprint("--patients=", l.patients),
		fmt.Sprint("--appointments=", l.appointments)); err != nil {
		return err
	}
	metrics, err := product.FreeAddress(ctx)
	if err != nil {
		return err
	}
	p, err := product.Start(ctx, append(storage.Env(), "NADMOR_METRICS_ADDR="+metrics), binary, "serve")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	workers, events, err := l.signIn(ctx, p.Base)
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}

	work, cancel := context.WithTimeoutCause(ctx, l.length, errOver)
	defer cancel()
	work, fail := context.WithCancelCause(work)
	defer fail(nil)
	took := make([]map[string][]time.Duration, len(workers))
	var wg sync.WaitGroup
	for i, w := range workers {
		took[i] = map[string][]time.Duration{}
		wg.Go(func() {
			if err := w.listen(work); err != nil {
				fail(err)
			}
		})
		wg.Go(func() {
			if err := w.work(work, l, took[i]); err != nil {
				fail(err)
			}
		})
	}
	states, err := l.watch(work, p, metrics)
	wg.Wait()
	if cause := context.Cause(work); !errors.Is(cause, errOver) {
		return errors.Join(cause, err)
	}
	if err != nil {
		return err
	}
	return l.report(storage, took, states, events.Load())
}

var errOver = errors.New("the time is over")

// signIn signs in all users.
func (l load) signIn(ctx context.Context, base string) (workers []*worker, events *atomic.Int64, err error) {
	events = &atomic.Int64{}
	var clinic product.Clinic
	for i := range l.staff {
		random := rand.New(rand.NewPCG(7, uint64(i))) //nolint:gosec // reproducible
		w := &worker{Client: product.NewClient(base, 30*time.Second), random: random, events: events}
		if err := w.SignIn(ctx, "admin", "nadmor-demo"); err != nil {
			return nil, nil, err
		}
		if i == 0 {
			if clinic, err = w.OpenClinic(ctx, "SOAK", int64(l.patients), 300, 50); err != nil {
				return nil, nil, err
			}
		}
		w.clinic = clinic
		workers = append(workers, w)
	}
	return workers, events, nil
}

// work runs random actions with pauses. Neither an action interrupted by the end counts, nor the warm-up,
// which has no pauses and fills the caches.
func (w *worker) work(ctx context.Context, l load, took map[string][]time.Duration) error {
	warmUp := time.Now().Add(l.length / 4)
	for {
		think, warm := l.think, time.Now().After(warmUp)
		if !warm {
			think /= speedUp
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(w.random.ExpFloat64() * float64(think))):
		}
		d := w.choose()
		began := time.Now()
		if err := d.do(w, ctx); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // cut off by the end
			}
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if warm {
			took[d.name] = append(took[d.name], time.Since(began))
		}
	}
}

const speedUp = 5

func (w *worker) choose() action {
	n := w.random.IntN(100)
	for _, d := range actions {
		if n -= d.share; n < 0 {
			return d
		}
	}
	return actions[0]
}

// watch measures the process some hundred times until the end.
func (l load) watch(ctx context.Context, p *product.Process, metrics string) (states []state, err error) {
	tick := time.NewTicker(max(l.length/300, 50*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return states, nil
		case <-tick.C:
		}
		goroutines, err := goroutines(ctx, metrics)
		if err != nil {
			if ctx.Err() != nil {
				return states, nil
			}
			return nil, err
		}
		s := state{goroutines: goroutines, files: float64(p.OpenFiles())}
		s.all, s.own = p.Memory()
		states = append(states, s)
	}
}

// goroutines returns the number of goroutines from the metrics.
func goroutines(ctx context.Context, metrics string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+metrics+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() // the read error is returned
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "\ngo_goroutines ")
	line, _, found := strings.Cut(rest, "\n")
	if !found {
		return 0, errors.New("no go_goroutines among the metrics")
	}
	return strconv.ParseFloat(line, 64)
}

// flat is the allowed change of a measurement from the second quarter, after the warm-up, to the last.
const flat = 0.10

func (l load) report(storage product.Storage, took []map[string][]time.Duration, states []state, events int64) error {
	if len(states) < 8 {
		return fmt.Errorf("looked only %d times", len(states))
	}
	var all []time.Duration
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | share | times | p50 | p95 | p99 ms |\n|---|--:|--:|--:|--:|--:|\n", storage.Engine())
	for _, d := range actions {
		var list []time.Duration
		for _, of := range took {
			list = append(list, of[d.name]...)
		}
		all = append(all, list...)
		slices.Sort(list)
		fmt.Fprintf(&b, "| %s | %d %% | %d | %.1f | %.1f | %.1f |\n", d.name, d.share, len(list), at(list, 0.5),
			at(list, 0.95), at(list, 0.99))
	}
	slices.Sort(all)
	quarter := len(states) / 4
	warm, last := mean(states[quarter:2*quarter]), mean(states[len(states)-quarter:])
	most := slices.MaxFunc(states, func(a, b state) int { return cmp.Compare(a.all, b.all) })
	fmt.Fprintf(&b,
		"%s: %d staff for %s, %d requests, %d live updates, no failure: p99 %.1f ms; memory %.0f → %.0f MB own, at most "+
			"%.0f MB in all; goroutines %.0f → %.0f; open files %.0f → %.0f",
		storage.Engine(), l.staff, l.length, len(all), events, at(all, 0.99), warm.own, last.own, most.all, warm.goroutines,
		last.goroutines, warm.files, last.files)
	l.say(b.String())
	if len(all) == 0 || events == 0 {
		return fmt.Errorf("%d requests and %d live updates: nothing was tried", len(all), events)
	}
	if l.length < time.Minute {
		return nil // too short to be warm
	}
	for name, pair := range map[string][2]float64{
		"memory": {warm.own, last.own}, "goroutines": {warm.goroutines, last.goroutines},
		"open files": {warm.files, last.files},
	} {
		if pair[1] > pair[0]*(1+flat) {
			return fmt.Errorf("%s grew from %.0f to %.0f", name, pair[0], pair[1])
		}
	}
	return nil
}

func at(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[int(share*float64(len(sorted)-1))].Microseconds()) / 1000
}

func mean(states []state) (m state) {
	n := float64(len(states))
	for _, s := range states {
		m.own += s.own / n
		m.all += s.all / n
		m.goroutines += s.goroutines / n
		m.files += s.files / n
	}
	return m
}
