package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// SignedIn is the session of a call with its user.
type SignedIn struct {
	Actor              hospital.Actor
	Status             hospital.UserStatus
	MustChangePassword bool
	CreatedAt          time.Time
	ExpiresAt          time.Time
}

const (
	// seenEvery is how often the last use of a session is stored, for the list of sessions.
	seenEvery = 5 * time.Minute
	// clockSkew is how far the clocks of two nodes may be apart. A time that is later than that is
	// from before the clock was set back.
	clockSkew = time.Minute
)

// SignedIn returns a session with the current role and permissions of its user. It returns
// UNAUTHENTICATED if the session does not exist or was ended, and TOKEN_EXPIRED if it has expired,
// or begins in the future because the clock was set back: it would live too long.
func (db *DB) SignedIn(ctx context.Context, sessionID string) (s SignedIn, err error) {
	now := db.now()
	cached := false
	if db.dialect.exclusive {
		s, cached = db.sessions.get(sessionID, now)
	}
	if !cached {
		generation := db.sessions.begin()
		if s, err = db.readSession(ctx, sessionID); err != nil {
			return s, err
		}
		if db.dialect.exclusive {
			db.sessions.put(sessionID, cachedSession{s, now}, generation)
		}
	}
	if !now.Before(s.ExpiresAt) || s.CreatedAt.After(now.Add(clockSkew)) {
		return s, hospital.Reject(hospital.TokenExpired)
	}
	return s, nil
}

// readSession reads a session and stores from time to time that it is used.
func (db *DB) readSession(ctx context.Context, sessionID string) (s SignedIn, err error) {
	row := &sessionRow{}
	row.Actor.SessionID = sessionID
	if err := db.sessionReads.do(ctx, row, func() error { return db.readSessionRow(ctx, row) }); err != nil {
		return s, err
	}
	if !row.found {
		return s, hospital.Reject(hospital.Unauthenticated)
	}
	s = row.SignedIn
	if s.Actor.Permissions, err = db.permissions(ctx, row.roleID, row.roleVersion); err != nil {
		return s, err
	}
	if now := db.Now(); now.Before(s.ExpiresAt) && now.Sub(row.seen).Abs() >= seenEvery {
		err := db.Change(ctx, func(tx *Tx) error {
			tx.Exec(`UPDATE sessions SET last_seen_at = $2 WHERE id = $1`, sessionID, ms(now))
			return nil
		})
		if err != nil && hospital.CodeOf(err) != hospital.Unavailable { // reading is possible with a full disk
			return s, fmt.Errorf("touch session: %w", err)
		}
	}
	return s, nil
}

// sessionRow is a session as it is stored, without the permissions of its role.
type sessionRow struct {
	SignedIn
	found               bool
	seen                time.Time
	roleID, roleVersion int64
}

func (r *sessionRow) batchKey() any { return r }

// All by primary key.
const sessionSelect = `SELECT s.id, u.id, u.name, u.username, u.status, u.must_change_password,
	s.created_at, s.expires_at, s.last_seen_at, r.id, r.name, r.version
	FROM sessions s
	JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL
	JOIN roles r ON r.id = u.role_id
	WHERE s.ended_at IS NULL AND s.id = `

// readSessionRow reads the session with the id in row.
func (db *DB) readSessionRow(ctx context.Context, row *sessionRow) error {
	return db.readOne(ctx, func(tx *Tx) error {
		err := row.scan(tx.Get(sessionSelect+`$1`, row.Actor.SessionID).Scan)
		if errors.Is(err, sqldb.ErrNoRows) {
			return nil
		}
		return err
	})
}

// readSessionRows reads the sessions of several callers on PostgreSQL.
func (db *DB) readSessionRows(ctx context.Context, rows []*sessionRow) error {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.Actor.SessionID
	}
	found := map[string]sessionRow{}
	err := db.readOne(ctx, func(tx *Tx) error {
		return tx.All(sessionSelect+`ANY(string_to_array($1, ','))`, strings.Join(ids, ",")).Each(
			func(scan sqldb.Scan) error {
				var r sessionRow
				err := r.scan(scan)
				found[r.Actor.SessionID] = r
				return err
			})
	})
	for i, r := range rows {
		if session, ok := found[ids[i]]; ok {
			*r = session
		}
	}
	return err
}

func (r *sessionRow) scan(scan sqldb.Scan) error {
	var created, expires, seen int64
	err := scan(&r.Actor.SessionID, &r.Actor.UserID, &r.Actor.Name, &r.Actor.Username, &r.Status,
		&r.MustChangePassword, &created, &expires, &seen, &r.roleID, &r.Actor.Role, &r.roleVersion)
	r.CreatedAt, r.ExpiresAt, r.seen, r.found = at(created), at(expires), at(seen), err == nil
	return err
}

const (
	// sessionCachePeriod is how long a cached session is used. It is also how long it takes until
	// the server sees what a command on the same data folder changed (nadmor reset-password).
	sessionCachePeriod = 500 * time.Millisecond
	// maxCachedSessions bounds the cache; it is emptied when it is full.
	maxCachedSessions = 10_000
)

// sessionCache holds the sessions read last, if no other node changes the data (dialect.exclusive;
// otherwise it is not used). All entries become invalid when this process changes a user, a role or
// a session, and each one after sessionCachePeriod.
type sessionCache struct {
	mu         sync.RWMutex
	generation uint64 // how often it was emptied
	sessions   map[string]cachedSession
}

type cachedSession struct {
	SignedIn
	readAt time.Time // with a monotonic clock reading, if db.now has one
}

func (c *sessionCache) get(id string, now time.Time) (SignedIn, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.sessions[id]
	age := now.Sub(s.readAt)
	return s.SignedIn, ok && age >= 0 && age < sessionCachePeriod
}

// begin returns the generation to pass to put. It must be called before the session is read.
func (c *sessionCache) begin() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.generation
}

// put stores a session, unless the cache was emptied since begin: it may have been read before the
// change.
func (c *sessionCache) put(id string, s cachedSession, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation {
		return
	}
	if c.sessions == nil || len(c.sessions) >= maxCachedSessions {
		c.sessions = map[string]cachedSession{}
	}
	c.sessions[id] = s
}

// committed empties the cache after a change of a user, a role or a session. All of them have an
// audit entry of a user or a role.
func (c *sessionCache) committed(entries []hospital.AuditEntry) {
	for i := range entries {
		if e := entries[i].Entity; e == "user" || e == "role" {
			c.mu.Lock()
			c.generation++
			c.sessions = nil
			c.mu.Unlock()
			return
		}
	}
}

// Sessions returns the active sessions of a user, newest first. Current marks the session of the caller.
// It returns NOT_FOUND if there is no such user.
func (db *DB) Sessions(ctx context.Context, userID int64) (list []hospital.Session, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		rows := tx.All(`SELECT id, user_id, created_at, last_seen_at, expires_at, addr, user_agent FROM sessions
			WHERE user_id = $1 AND expires_at > $2 AND ended_at IS NULL ORDER BY created_at DESC, id`,
			userID, ms(tx.now))
		if _, err := tx.readUser(userID); err != nil {
			return err
		}
		list, err = sqldb.Collect(rows, func(scan sqldb.Scan) (s hospital.Session, err error) {
			var created, seen, expires int64
			err = scan(&s.ID, &s.UserID, &created, &seen, &expires, &s.Addr, &s.UserAgent)
			s.CreatedAt, s.LastSeenAt, s.ExpiresAt = at(created), at(seen), at(expires)
			s.Current = s.ID == tx.actor.SessionID
			return s, err
		})
		return err
	})
	return list, err
}

// EndSessions ends one session of a user, or all if sessionID is empty, and returns how many. It
// returns FORBIDDEN for another user with more permissions than the actor's.
func (db *DB) EndSessions(ctx context.Context, userID int64, sessionID string) (ended int64, err error) {
	err = db.changeOnce(ctx, valueOf(&ended), func(tx *Tx) error {
		user, err := tx.readUser(userID)
		if err != nil {
			return err
		}
		if userID != tx.actor.UserID {
			if err := tx.mayManage(user); err != nil {
				return err
			}
		}
		var result sqldb.Result
		if sessionID == "" {
			result = tx.endSessions(userID, "")
		} else {
			result = tx.Exec(`UPDATE sessions SET ended_at = $3 WHERE user_id = $1 AND id = $2 AND ended_at IS NULL`,
				userID, sessionID, ms(tx.now))
			tx.Publish(hospital.Event{Kind: hospital.EventAccess, ID: userID})
		}
		if ended, err = result.Affected(); err != nil {
			return err
		}
		tx.Note("session.end", "user", userID, user.Name, map[string]hospital.Change{"sessions": {Before: ended}})
		return nil
	})
	return ended, err
}

// endSessions ends all sessions of a user except one.
func (tx *Tx) endSessions(userID int64, except string) sqldb.Result {
	tx.Publish(hospital.Event{Kind: hospital.EventAccess, ID: userID})
	return tx.Exec(`UPDATE sessions SET ended_at = $3 WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL`,
		userID, except, ms(tx.now))
}

// Logout ends the session of the actor.
func (db *DB) Logout(ctx context.Context) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		tx.Exec(`UPDATE sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL`, tx.actor.SessionID, ms(tx.now))
		tx.Publish(hospital.Event{Kind: hospital.EventAccess, ID: tx.actor.UserID})
		tx.Note("auth.logout", "user", tx.actor.UserID, tx.actor.Name, nil)
		return nil
	})
}
