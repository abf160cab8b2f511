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

	"github.com/jackc/pgx/v5"

	"nadmor/internal/hospital"
)

// hub brings events to those who listen on this node. Each event has a number;
// the last ones are kept, so that whoever was away for a moment misses nothing.
type hub struct {
	mu        sync.Mutex
	epoch     string // numbers of another run mean nothing here
	last      uint64
	kept      []NumberedEvent
	listeners map[*Listener]bool
	closed    bool
	outgoing  chan hospital.Event // to the other nodes; nil while there are none
}

const (
	keptEvents    = 2048
	listenerDepth = 256
)

// NumberedEvent is an event with the id under which a listener can go on.
type NumberedEvent struct {
	hospital.Event
	ID string
	n  uint64
}

// Listener receives events until it is too slow, or the node stops: C is closed
// then.
type Listener struct {
	C   chan NumberedEvent
	hub *hub
}

func newHub() *hub {
	return &hub{epoch: rand.Text()[:8], listeners: map[*Listener]bool{}}
}

// publish tells everybody on this node. Whoever does not keep up is let go: a
// listener that comes back is told what it missed.
func (h *hub) publish(events ...hospital.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		h.last++
		event := NumberedEvent{Event: e, ID: h.epoch + "-" + strconv.FormatUint(h.last, 10), n: h.last}
		h.kept = append(h.kept, event)
		for l := range h.listeners {
			select {
			case l.C <- event:
			default:
				delete(h.listeners, l)
				close(l.C)
			}
		}
	}
	if len(h.kept) > 2*keptEvents {
		h.kept = append([]NumberedEvent(nil), h.kept[len(h.kept)-keptEvents:]...)
	}
}

// Listen begins to receive events. after is the id of the last one that was
// received before, empty for none; missed are those since then. whole is false
// when they are not known any more: everything should be fetched again.
func (db *DB) Listen(after string) (l *Listener, missed []NumberedEvent, whole bool) {
	h := db.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	l = &Listener{C: make(chan NumberedEvent, listenerDepth), hub: h}
	if h.closed {
		close(l.C)
		return l, nil, true
	}
	h.listeners[l] = true
	if after == "" {
		return l, nil, true
	}
	number, known := strings.CutPrefix(after, h.epoch+"-")
	n, err := strconv.ParseUint(number, 10, 64)
	if !known || err != nil || n > h.last || len(h.kept) > 0 && n+1 < h.kept[0].n {
		return l, nil, false
	}
	for _, e := range h.kept {
		if e.n > n {
			missed = append(missed, e)
		}
	}
	return l, missed, true
}

// Stop ends a listener.
func (l *Listener) Stop() {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	if l.hub.listeners[l] {
		delete(l.hub.listeners, l)
		close(l.C)
	}
}

// EndEvents lets every listener go, before the node stops.
func (db *DB) EndEvents() {
	db.hub.mu.Lock()
	defer db.hub.mu.Unlock()
	db.hub.closed = true
	for l := range db.hub.listeners {
		delete(db.hub.listeners, l)
		close(l.C)
	}
}

// publish notes an event that is told after the commit.
func (tx *Tx) publish(e hospital.Event) { tx.events = append(tx.events, e) }

// tell brings what was committed to everybody, here and on the other nodes.
func (db *DB) tell(events []hospital.Event) {
	if len(events) == 0 {
		return
	}
	db.hub.publish(events...)
	db.hub.mu.Lock()
	out := db.hub.outgoing
	db.hub.mu.Unlock()
	for _, e := range events {
		if out == nil {
			return
		}
		select {
		case out <- e:
		default: // the others fetch everything instead
			select {
			case out <- hospital.Event{Kind: hospital.EventRefetch}:
			default:
			}
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
	if db.listenConfig == nil {
		<-ctx.Done()
		return
	}
	out := make(chan hospital.Event, 4096)
	db.hub.mu.Lock()
	db.hub.outgoing = out
	db.hub.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { db.sendEvents(ctx, log, out) })
	for first := true; ctx.Err() == nil; first = false {
		err := db.receiveEvents(ctx, !first)
		if ctx.Err() != nil {
			break
		}
		log.WarnContext(ctx, "events of other nodes: connection lost, connecting again", "error", err.Error())
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	wg.Wait()
	db.hub.mu.Lock()
	db.hub.outgoing = nil
	db.hub.mu.Unlock()
}

// receiveEvents passes on what other nodes tell, until the connection is lost.
func (db *DB) receiveEvents(ctx context.Context, again bool) error {
	conn, err := pgx.ConnectConfig(ctx, db.listenConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it is lost or over
	if _, err := conn.Exec(ctx, `LISTEN `+eventChannel); err != nil {
		return err
	}
	if again {
		db.hub.publish(hospital.Event{Kind: hospital.EventRefetch})
	}
	for {
		// A connection that is silently dead would wait for ever.
		bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
		n, err := conn.WaitForNotification(bounded)
		cancel()
		switch {
		case err == nil:
			var m nodeMessage
			if err := json.Unmarshal([]byte(n.Payload), &m); err != nil {
				return fmt.Errorf("read event: %w", err)
			}
			if m.Node != db.hub.epoch {
				db.hub.publish(m.Events...)
			}
		case ctx.Err() == nil && bounded.Err() != nil:
			ping, cancel := context.WithTimeout(ctx, 5*time.Second)
			err := conn.Ping(ping)
			cancel()
			if err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// sendEvents tells the other nodes, several events in one message.
func (db *DB) sendEvents(ctx context.Context, log *slog.Logger, out <-chan hospital.Event) {
	for {
		var batch []hospital.Event
		select {
		case <-ctx.Done():
			return
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
		// Sent even while the process is stopping: the change is committed.
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		_, err := db.write.ExecContext(bounded, `SELECT pg_notify($1, $2)`, eventChannel, toJSON(nodeMessage{db.hub.epoch, batch}))
		cancel()
		if err != nil {
			log.WarnContext(ctx, "events for other nodes were not sent; their screens fetch again within a minute", "error", err.Error())
		}
	}
}
