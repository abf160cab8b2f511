package store

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"time"

	"nadmor/internal/hospital"
)

// hub delivers events to the listeners on this node. Events are numbered, and the last ones are
// buffered. A listener is only a position in the buffer: a thousand of them cost next to nothing,
// a slow one delays no other, and one that reconnects soon misses nothing.
type hub struct {
	mu       sync.Mutex
	epoch    string // part of the ids, because numbers of another process mean nothing here
	last     uint64 // number of the last event
	buffer   []NumberedEvent
	groups   [wakeGroups]listenerGroup
	joined   int       // number of listeners so far
	waking   bool      // wake is scheduled
	woken    time.Time // when wake ran last
	closed   bool
	outgoing chan hospital.Event // to the other nodes; nil if there are none
	dropped  bool                // outgoing was full
}

// listenerGroup is a group of listeners that are woken together.
type listenerGroup struct {
	more    chan struct{} // closed when there are new events
	waiting bool          // a listener waits for more
}

const (
	// bufferedEvents is the minimum number of events in the buffer.
	bufferedEvents = 2048
	// gatherTime is how long events are collected before listeners are woken, and wakeSpacing the
	// minimum time between two wakes. Waking a thousand listeners takes longer than a booking. So it
	// is not done for each event nor by the caller that publishes it, and group by group, so that
	// bookings can run in between. No screen refetches more than twice a second anyway.
	gatherTime  = 50 * time.Millisecond
	wakeSpacing = 300 * time.Millisecond
	wakeGroups  = 16
	wakeStep    = 10 * time.Millisecond
)

// NumberedEvent is an event with the id from which a listener can resume.
type NumberedEvent struct {
	hospital.Event
	ID   string
	JSON string // the event, encoded once for all listeners
	n    uint64
}

// Listener receives events from its position in the buffer on.
type Listener struct {
	hub   *hub
	group *listenerGroup
	last  uint64 // number of the last event received
	gap   bool   // events before the position are unknown
}

func newHub() *hub {
	h := &hub{epoch: rand.Text()[:8]}
	for i := range h.groups {
		h.groups[i].more = make(chan struct{})
	}
	return h
}

func (h *hub) id(n uint64) string { return h.epoch + "-" + strconv.FormatUint(n, 10) }

// publish adds events to the buffer and schedules wake.
func (h *hub) publish(events ...hospital.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		h.last++
		h.buffer = append(h.buffer, NumberedEvent{Event: e, ID: h.id(h.last), JSON: toJSON(e), n: h.last})
	}
	if len(h.buffer) > 2*bufferedEvents {
		h.buffer = append([]NumberedEvent(nil), h.buffer[len(h.buffer)-bufferedEvents:]...)
	}
	if !h.waking {
		h.waking = true
		time.AfterFunc(max(gatherTime, wakeSpacing-time.Since(h.woken)), h.wake)
	}
}

// wake wakes one group after the other.
func (h *hub) wake() {
	h.mu.Lock()
	h.waking, h.woken = false, time.Now() // events from now on schedule the next wake
	h.mu.Unlock()
	for i := range h.groups {
		if h.wakeGroup(&h.groups[i]) {
			time.Sleep(wakeStep)
		}
	}
}

func (h *hub) wakeGroup(g *listenerGroup) (waiting bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	waiting, g.waiting = g.waiting, false
	if waiting {
		close(g.more)
		g.more = make(chan struct{})
	}
	return waiting
}

// Listen returns a listener for the events after the one with the id, or for future events if the
// id is empty.
func (db *DB) Listen(after string) *Listener {
	h := db.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &Listener{hub: h, group: &h.groups[h.joined%wakeGroups], last: h.last}
	h.joined++
	if after != "" {
		number, known := strings.CutPrefix(after, h.epoch+"-")
		n, err := strconv.ParseUint(number, 10, 64)
		if l.gap = !known || err != nil || n > h.last; !l.gap {
			l.last = n
		}
	}
	return l
}

// Position returns the id from which another listener can resume: that of the last event before the
// position. It is empty if events may have been missed.
func (l *Listener) Position() string {
	if l.gap {
		return ""
	}
	return l.hub.id(l.last)
}

// Receive returns the events since the last call, and a channel that is closed when there are more.
// The channel is nil after EndEvents. If events are no longer in the buffer or the id given to
// Listen is unknown, Receive returns a single EventRefetch instead.
func (l *Listener) Receive() (events []NumberedEvent, more <-chan struct{}) {
	h := l.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.buffer) > 0 && l.last+1 < h.buffer[0].n {
		l.gap = true
	}
	if l.gap {
		refetch := hospital.Event{Kind: hospital.EventRefetch}
		events = []NumberedEvent{{Event: refetch, ID: h.id(h.last), JSON: toJSON(refetch), n: h.last}}
	} else if l.last < h.last {
		// Safe to share: events in the buffer are never changed.
		events = h.buffer[len(h.buffer)-int(h.last-l.last):]
	}
	l.last, l.gap = h.last, false
	if h.closed {
		return events, nil
	}
	l.group.waiting = true
	return events, l.group.more
}

// EndEvents ends all listeners, before the node stops.
func (db *DB) EndEvents() {
	db.hub.mu.Lock()
	db.hub.closed = true
	db.hub.mu.Unlock()
	for i := range db.hub.groups {
		db.hub.wakeGroup(&db.hub.groups[i])
	}
}

// Publish adds an event that is published after the commit.
func (tx *Tx) Publish(e hospital.Event) { tx.events = append(tx.events, e) }

// progressInterval is the minimum time between two progress events, except for the first and the last.
const progressInterval = 250 * time.Millisecond

// progress publishes how far a long transaction is while it runs, so before its commit.
type progress struct {
	db    *DB
	event hospital.Event // the last one
	sent  time.Time
}

// restart reports 0 if the transaction runs again after an earlier attempt has reported progress.
func (p *progress) restart() {
	if p.event.Total > 0 {
		p.report(0, p.event.Total)
	}
}

// report publishes that done of total items are finished. Between the first and the last report it
// publishes at most one per progressInterval.
func (p *progress) report(done, total int) {
	if total == 0 || done > 0 && done < total && time.Since(p.sent) < p.db.progressInterval {
		return
	}
	p.event.Done, p.event.Total, p.sent = done, total, time.Now()
	p.db.publish([]hospital.Event{p.event})
}

// publish delivers events to the listeners on this node and on the others.
func (db *DB) publish(events []hospital.Event) {
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
			h.dropped = true // the other nodes get an EventRefetch instead
		}
	}
}
