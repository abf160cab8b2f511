package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"nadmor/internal/hospital"
)

const (
	eventChannel = "nadmor_events"
	// messageTime is how long events are collected for one message. NOTIFY in each transaction
	// would make all commits wait for each other.
	messageTime = 30 * time.Millisecond
	// maxMessageEvents keeps a message below the 8,000 bytes that PostgreSQL allows.
	maxMessageEvents = 60
)

// nodeMessage is a message between nodes.
type nodeMessage struct {
	Node   string           `json:"node"`
	Events []hospital.Event `json:"events"`
}

// RunEvents exchanges events with the other nodes through PostgreSQL until ctx ends. After a lost
// connection it connects again and publishes EventRefetch, because events may have been missed. On
// SQLite there are no other nodes.
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

// receiveEvents publishes the events of other nodes until the connection is lost.
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

// sendEvents sends events to the other nodes, several in one message. If a message cannot be sent,
// or there are too many events, it sends EventRefetch instead: screens do not poll while they are
// connected, so that a lost event would leave them stale.
func (db *DB) sendEvents(ctx context.Context, log *slog.Logger, out <-chan hospital.Event) error {
	for {
		var batch []hospital.Event
		select {
		case <-ctx.Done():
			return nil
		case e := <-out:
			batch = append(batch, e)
		}
		timer := time.NewTimer(messageTime)
	collecting:
		for len(batch) < maxMessageEvents {
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
