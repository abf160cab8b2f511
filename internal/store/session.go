package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"nadmor/internal/hospital"
)

// SignedIn is what every call needs to know of its session.
type SignedIn struct {
	Actor              hospital.Actor
	Status             hospital.UserStatus
	MustChangePassword bool
	CreatedAt          time.Time
	ExpiresAt          time.Time
}

// seenEvery is how often a session's last use is written down: often enough
// for people to see which browser is alive, seldom enough to cost nothing.
const seenEvery = 5 * time.Minute

// SignedIn looks a session up: UNAUTHENTICATED when it was ended or never was,
// TOKEN_EXPIRED when its time is over, or begins only after the clock was put
// back: it would live too long. Role and permissions are those of this
// moment: where there are other nodes the database is asked every time, and
// where there are none whoever changes them empties what is remembered.
func (db *DB) SignedIn(ctx context.Context, sessionID string) (s SignedIn, err error) {
	now := db.now()
	known := false
	if db.writer != nil {
		s, known = db.sessions.get(sessionID, now)
	}
	if !known {
		round := db.sessions.begin()
		if s, err = db.readSession(ctx, sessionID); err != nil {
			return s, err
		}
		if db.writer != nil {
			db.sessions.put(sessionID, cachedSession{s, now}, round)
		}
	}
	if !now.Before(s.ExpiresAt) || s.CreatedAt.After(now.Add(clockSkew)) {
		return s, hospital.Refuse(hospital.TokenExpired)
	}
	return s, nil
}

// clockSkew is how far the clocks of two nodes may be apart. What is said to have
// happened later than that, happened before the clock was put back.
const clockSkew = time.Minute

func (db *DB) readSession(ctx context.Context, sessionID string) (s SignedIn, err error) {
	var created, expires, seen, roleID, roleVersion int64
	// Primary keys all the way: sessions, users, roles.
	err = db.read.QueryRowContext(ctx, `SELECT u.id, u.name, u.username, u.status, u.must_change_password, s.created_at, s.expires_at, s.last_seen_at, r.id, r.name, r.version
		FROM sessions s
		JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL
		JOIN roles r ON r.id = u.role_id
		WHERE s.id = $1 AND s.ended_at IS NULL`, sessionID).
		Scan(&s.Actor.UserID, &s.Actor.Name, &s.Actor.Username, &s.Status, &s.MustChangePassword, &created, &expires, &seen, &roleID, &s.Actor.Role, &roleVersion)
	if errors.Is(err, sql.ErrNoRows) {
		return s, hospital.Refuse(hospital.Unauthenticated)
	}
	if err != nil {
		return s, mapError(fmt.Errorf("read session: %w", err))
	}
	now := db.Now()
	s.CreatedAt, s.ExpiresAt, s.Actor.SessionID = at(created), at(expires), sessionID
	set, ok := db.roles.get(roleID, roleVersion)
	if !ok {
		if set, err = permissionsOf(ctx, db.read, roleID); err != nil {
			return s, mapError(fmt.Errorf("read permissions: %w", err))
		}
		db.roles.put(roleID, roleVersion, set)
	}
	s.Actor.Permissions = set
	if now.Before(s.ExpiresAt) && now.Sub(at(seen)).Abs() >= seenEvery {
		err := db.change(ctx, func(tx *Tx) error {
			_, err := tx.exec(`UPDATE sessions SET last_seen_at = $2 WHERE id = $1`, sessionID, ms(now))
			return err
		})
		if err != nil && hospital.CodeOf(err) != hospital.Unavailable { // a full disk keeps nobody from reading
			return s, fmt.Errorf("touch session: %w", err)
		}
	}
	return s, nil
}

const (
	// sessionKept is how long a session is believed to be as it was read, and so
	// how long it takes until the server sees what a command on the same data
	// folder changed (nadmor reset-password).
	sessionKept = 500 * time.Millisecond
	// maxSessions bounds how many are kept.
	maxSessions = 10_000
)

// sessionCache keeps the sessions that were read last where nobody but this
// process changes them: SQLite takes longer for them than for most questions.
type sessionCache struct {
	mu    sync.RWMutex
	round uint64 // how often it was emptied
	kept  map[string]cachedSession
}

type cachedSession struct {
	SignedIn
	readAt time.Time // by a clock that never goes back, where there is one
}

func (c *sessionCache) get(id string, now time.Time) (SignedIn, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.kept[id]
	age := now.Sub(s.readAt)
	return s.SignedIn, ok && age >= 0 && age < sessionKept
}

// begin is asked before a session is read, and its answer told to put: what was
// read before a change is not kept after it.
func (c *sessionCache) begin() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.round
}

func (c *sessionCache) put(id string, s cachedSession, round uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.round != round {
		return
	}
	if c.kept == nil || len(c.kept) >= maxSessions {
		c.kept = map[string]cachedSession{}
	}
	c.kept[id] = s
}

// committed empties the cache after a change of an account, a role or a session.
// Every such change is in the log, so the log tells.
func (c *sessionCache) committed(entries []hospital.AuditEntry) {
	for i := range entries {
		if e := entries[i].Entity; e == "user" || e == "role" {
			c.mu.Lock()
			c.round++
			c.kept = nil
			c.mu.Unlock()
			return
		}
	}
}

// Sessions lists the live sessions of a person, newest first. Current marks the
// session that asks.
func (db *DB) Sessions(ctx context.Context, userID int64) ([]hospital.Session, error) {
	if _, err := db.User(ctx, userID); err != nil {
		return nil, err
	}
	current := hospital.ActorFrom(ctx).SessionID
	rows, err := db.read.QueryContext(ctx, `SELECT id, user_id, created_at, last_seen_at, expires_at, addr, user_agent FROM sessions
		WHERE user_id = $1 AND expires_at > $2 AND ended_at IS NULL ORDER BY created_at DESC, id`, userID, ms(db.Now()))
	list, err := collect(rows, err, func(rows *sql.Rows) (hospital.Session, error) {
		var s hospital.Session
		var created, seen, expires int64
		err := rows.Scan(&s.ID, &s.UserID, &created, &seen, &expires, &s.Addr, &s.UserAgent)
		s.CreatedAt, s.LastSeenAt, s.ExpiresAt, s.Current = at(created), at(seen), at(expires), s.ID == current
		return s, err
	})
	return list, mapError(err)
}

// EndSessions ends the sessions of a person, all of them or one, and tells how
// many. Somebody else's only with at least their rights: FORBIDDEN.
func (db *DB) EndSessions(ctx context.Context, userID int64, only string) (ended int64, err error) {
	err = db.changeOnce(ctx, valueOf(&ended), func(tx *Tx) error {
		user, err := readUser(ctx, tx.tx, userID)
		if err != nil {
			return err
		}
		if userID != tx.actor.UserID {
			if err := tx.mayManage(user); err != nil {
				return err
			}
		}
		if only == "" {
			ended, err = tx.endSessions(userID, "")
		} else {
			ended, err = tx.exec(`UPDATE sessions SET ended_at = $3 WHERE user_id = $1 AND id = $2 AND ended_at IS NULL`, userID, only, ms(tx.now))
			tx.publish(hospital.Event{Kind: hospital.EventAccess, ID: userID})
		}
		if err != nil {
			return err
		}
		tx.note("session.end", "user", userID, user.Name, map[string]hospital.Change{"sessions": {Before: ended}})
		return nil
	})
	return ended, err
}

// endSessions ends every session of a person except the one named.
func (tx *Tx) endSessions(userID int64, except string) (int64, error) {
	n, err := tx.exec(`UPDATE sessions SET ended_at = $3 WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL`, userID, except, ms(tx.now))
	if err != nil {
		return 0, fmt.Errorf("end sessions of user %d: %w", userID, err)
	}
	tx.publish(hospital.Event{Kind: hospital.EventAccess, ID: userID})
	return n, nil
}

// Logout ends the actor's own session.
func (db *DB) Logout(ctx context.Context) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if _, err := tx.exec(`UPDATE sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL`, tx.actor.SessionID, ms(tx.now)); err != nil {
			return fmt.Errorf("end session: %w", err)
		}
		tx.publish(hospital.Event{Kind: hospital.EventAccess, ID: tx.actor.UserID})
		tx.note("auth.logout", "user", tx.actor.UserID, tx.actor.Name, nil)
		return nil
	})
}
