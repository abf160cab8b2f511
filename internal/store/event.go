package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"nadmor/internal/hospital"
)

// hub brings events to those who listen on this node. Each event has a number,
// and the last ones are kept: whoever listens is only a place among them. So a
// thousand listeners cost next to nothing, a slow one holds up nobody, and
// whoever was away for a moment misses nothing.
type hub struct {
	mu        sync.Mutex
	epoch     string // numbers of another run mean nothing here
	last      uint64
	kept      []NumberedEvent
	audiences [wakeGroups]audience
	joined    int       // how many came to listen
	waking    bool      // listeners are about to be woken
	woken     time.Time // when they last were
	closed    bool
	outgoing  chan hospital.Event // to the other nodes; nil while there are none
	dropped   bool                // there were too many for outgoing
}

// audience is listeners that are woken together.
type audience struct {
	more   chan struct{} // closed when there is more to hear
	waited bool          // somebody waits for it
}

const (
	keptEvents = 2048
	// gatherTime is how long events are collected before listeners are woken,
	// and wakeSpacing how long they are then left alone. Waking a thousand takes
	// longer than a booking, so it is neither done for each one nor by whoever
	// booked, nor all at once, so that bookings find their way in between; and no
	// screen asks more than twice a second anyway.
	gatherTime  = 50 * time.Millisecond
	wakeSpacing = 300 * time.Millisecond
	wakeGroups  = 16
	wakeStep    = 10 * time.Millisecond
)

// NumberedEvent is an event with the id under which a listener can go on.
type NumberedEvent struct {
	hospital.Event
	ID   string
	JSON string // the event as it is told; the same text for everybody
	n    uint64
}

// Listener is a place among the events.
type Listener struct {
	hub      *hub
	audience *audience
	at       uint64 // the last one heard
	gap      bool   // what came before is not known any more
}

func newHub() *hub {
	h := &hub{epoch: rand.Text()[:8]}
	for i := range h.audiences {
		h.audiences[i].more = make(chan struct{})
	}
	return h
}

func (h *hub) id(n uint64) string { return h.epoch + "-" + strconv.FormatUint(n, 10) }

// publish tells everybody on this node.
func (h *hub) publish(events ...hospital.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		h.last++
		h.kept = append(h.kept, NumberedEvent{Event: e, ID: h.id(h.last), JSON: toJSON(e), n: h.last})
	}
	if len(h.kept) > 2*keptEvents {
		h.kept = append([]NumberedEvent(nil), h.kept[len(h.kept)-keptEvents:]...)
	}
	if !h.waking {
		h.waking = true
		time.AfterFunc(max(gatherTime, wakeSpacing-time.Since(h.woken)), h.wake)
	}
}

// wake wakes one audience after the other.
func (h *hub) wake() {
	h.mu.Lock()
	h.waking, h.woken = false, time.Now() // what comes from now on is told with the next waking
	h.mu.Unlock()
	for i := range h.audiences {
		if h.wakeOne(&h.audiences[i]) {
			time.Sleep(wakeStep)
		}
	}
}

func (h *hub) wakeOne(a *audience) (waited bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	waited, a.waited = a.waited, false
	if waited {
		close(a.more)
		a.more = make(chan struct{})
	}
	return waited
}

// Listen begins to receive events after the one with the id, which was the last
// one received before; empty for those that come from now on.
func (db *DB) Listen(after string) *Listener {
	h := db.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &Listener{hub: h, audience: &h.audiences[h.joined%wakeGroups], at: h.last}
	h.joined++
	if after != "" {
		number, known := strings.CutPrefix(after, h.epoch+"-")
		n, err := strconv.ParseUint(number, 10, 64)
		if l.gap = !known || err != nil || n > h.last; !l.gap {
			l.at = n
		}
	}
	return l
}

// Place is the id under which a listener can go on from where it is; empty when
// it has to fetch everything first.
func (l *Listener) Place() string {
	if l.gap {
		return ""
	}
	return l.hub.id(l.at)
}

// Hear gives what came since it was last asked, and a channel that is closed
// when there is more; nil when the node stops. Somebody who asks too late, or
// whose place nobody knows, is told to fetch everything again.
func (l *Listener) Hear() (heard []NumberedEvent, more <-chan struct{}) {
	h := l.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.kept) > 0 && l.at+1 < h.kept[0].n {
		l.gap = true
	}
	if l.gap {
		refetch := hospital.Event{Kind: hospital.EventRefetch}
		heard = []NumberedEvent{{Event: refetch, ID: h.id(h.last), JSON: toJSON(refetch), n: h.last}}
	} else if l.at < h.last {
		// The kept ones are never changed, only more are added.
		heard = h.kept[len(h.kept)-int(h.last-l.at):]
	}
	l.at, l.gap = h.last, false
	if h.closed {
		return heard, nil
	}
	l.audience.waited = true
	return heard, l.audience.more
}

// EndEvents lets every listener go, before the node stops.
func (db *DB) EndEvents() {
	db.hub.mu.Lock()
	db.hub.closed = true
	db.hub.mu.Unlock()
	for i := range db.hub.audiences {
		db.hub.wakeOne(&db.hub.audiences[i])
	}
}

// Publish adds an event that is sent after the commit.
func (tx *Tx) Publish(e hospital.Event) { tx.events = append(tx.events, e) }

// progressInterval is the minimum time between two progress events, except for the first and the last.
const progressInterval = 250 * time.Millisecond

// progress publishes how far a long transaction is while it runs, so before its commit.
type progress struct {
	db    *DB
	event hospital.Event // the last one
	sent  time.Time
}

// restart reports that the transaction runs again from the start, if an earlier attempt has reported anything.
func (p *progress) restart() {
	if p.event.Total > 0 {
		p.report(0, p.event.Total)
	}
}

// report publishes that done of total items are done: the first and the last, and at most one per
// progressInterval between them.
func (p *progress) report(done, total int) {
	if total == 0 || done > 0 && done < total && time.Since(p.sent) < p.db.progressInterval {
		return
	}
	p.event.Done, p.event.Total, p.sent = done, total, time.Now()
	p.db.tell([]hospital.Event{p.event})
}

// tell brings what was committed to everybody, here and on the other nodes.
func (db *DB) tell(events []hospital.Event) {
	if len(events) == 0 {
		return
	}
	h := db.hub
	h.publish(events...)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.outgoing == nil {
		return
	}
	for _, e := range events {
		select {
		case h.outgoing <- e:
		default:
			h.dropped = true // the others fetch everything instead
		}
	}
}

const (
	eventChannel = "nadmor_events"
	// batchTime is how long events are collected for one message. A message of
	// its own in each transaction would make all commits wait for each other.
	batchTime = 30 * time.Millisecond
	// maxBatch keeps a message below the 8,000 bytes PostgreSQL takes.
	maxBatch = 60
)

// nodeMessage is what nodes tell each other.
type nodeMessage struct {
	Node   string           `json:"node"`
	Events []hospital.Event `json:"events"`
}

// RunEvents connects this node with the others through PostgreSQL until ctx
// ends; with SQLite there are no others. A lost connection is made again, and
// everybody here is told to fetch, since something may have been missed.
func (db *DB) RunEvents(ctx context.Context, log *slog.Logger) {
	if db.dialect.exclusive {
		<-ctx.Done()
		return
	}
	out := make(chan hospital.Event, 4096)
	db.hub.mu.Lock()
	db.hub.outgoing = out
	db.hub.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() {
		retry(ctx, log, "events for other nodes: starting again", func(bool) error {
			return db.sendEvents(ctx, log, out)
		})
	})
	retry(ctx, log, "events of other nodes: connection lost, connecting again", func(first bool) error {
		return db.receiveEvents(ctx, !first)
	})
	wg.Wait()
	db.hub.mu.Lock()
	db.hub.outgoing = nil
	db.hub.mu.Unlock()
}

// retry runs fn until it succeeds or ctx is done. It waits one second after an error or panic.
func retry(ctx context.Context, log *slog.Logger, warning string, fn func(first bool) error) {
	for first := true; ; first = false {
		err := func() (err error) {
			defer hospital.Recover(&err)
			return fn(first)
		}()
		if ctx.Err() != nil || err == nil {
			return
		}
		log.WarnContext(ctx, warning, "error", err.Error())
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// receiveEvents passes on the messages of other nodes until the connection is lost.
func (db *DB) receiveEvents(ctx context.Context, again bool) error {
	started := func() {
		if again {
			db.hub.publish(hospital.Event{Kind: hospital.EventRefetch})
		}
	}
	return db.sql.Listen(ctx, eventChannel, started, func(message string) error {
		var m nodeMessage
		if err := json.Unmarshal([]byte(message), &m); err != nil {
			return fmt.Errorf("read event: %w", err)
		}
		if m.Node != db.hub.epoch {
			db.hub.publish(m.Events...)
		}
		return nil
	})
}

// sendEvents tells the other nodes, several events in one message. When that
// fails, or there are too many, they are told to fetch everything instead: their
// screens ask for nothing by themselves while they believe to be told.
func (db *DB) sendEvents(ctx context.Context, log *slog.Logger, out <-chan hospital.Event) error {
	for {
		var batch []hospital.Event
		select {
		case <-ctx.Done():
			return nil
		case e := <-out:
			batch = append(batch, e)
		}
		timer := time.NewTimer(batchTime)
	collecting:
		for len(batch) < maxBatch {
			select {
			case e := <-out:
				batch = append(batch, e)
			case <-timer.C:
				break collecting
			}
		}
		timer.Stop()
		db.hub.mu.Lock()
		if db.hub.dropped {
			batch, db.hub.dropped = []hospital.Event{{Kind: hospital.EventRefetch}}, false
		}
		db.hub.mu.Unlock()
		for {
			// Sent even while the process is stopping: the change is committed.
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			err := db.sql.Notify(bounded, eventChannel, toJSON(nodeMessage{db.hub.epoch, batch}))
			cancel()
			if err == nil {
				break
			}
			log.WarnContext(ctx, "events for other nodes were not sent, trying again", "error", err.Error())
			batch = []hospital.Event{{Kind: hospital.EventRefetch}}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Second):
			}
		}
	}
}
