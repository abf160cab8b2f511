package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// singles reads one row by its key on SQLite, without database/sql and the
// driver's layer in between, which take a quarter of such a read. What it asks
// is short and is not broken off.
type singles struct {
	pool *sql.DB
	free chan *direct // one that was not opened yet is nil

	mu     sync.Mutex
	opened []single
}

// single is a connection of the pool that is kept.
type single struct {
	conn   *sql.Conn
	direct *direct
}

// newSingles reads on up to n connections of a pool.
func newSingles(pool *sql.DB, n int) *singles {
	s := &singles{pool: pool, free: make(chan *direct, n)}
	for range n {
		s.free <- nil
	}
	return s
}

func (s *singles) open(ctx context.Context) (*direct, error) {
	conn, err := s.pool.Conn(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("open a connection for single rows: %w", err)
	}
	d, err := newDirect(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = append(s.opened, single{conn, d})
	return d, nil
}

// ask asks a question on the next connection that is free.
func (s *singles) ask(ctx context.Context, q question) (err error) {
	var d *direct
	select {
	case d = <-s.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.free <- d }()
	if d == nil {
		if d, err = s.open(ctx); err != nil {
			return err
		}
	}
	p, passing, err := d.prepare(q.query)
	if err != nil {
		return err
	}
	if passing {
		defer d.finalize(p)
	}
	_, _, err = d.run(p, q)
	return err
}

// close waits for who still reads.
func (s *singles) close() error {
	for range cap(s.free) {
		<-s.free
	}
	var errs []error
	for _, o := range s.opened {
		errs = append(errs, o.direct.close(), o.conn.Close())
	}
	return errors.Join(errs...)
}

// one reads the row of a key through scan: NOT_FOUND.
func one[T any](ctx context.Context, db *DB, q querier, s selection, rest string, args []any, scan func(scan func(...any) error) (T, error)) (T, error) {
	if db.singles == nil || q != querier(db.read) {
		return only(selected(ctx, db, q, s, rest, args, scan))
	}
	if db.observe != nil {
		db.observe(s.packed+rest, args)
	}
	var list []T
	err := db.singles.ask(ctx, question{query: s.packed + rest, args: args, one: true, row: func(row func(...any) error) error {
		var packed string
		if err := row(&packed); err != nil {
			return err
		}
		v, err := unpacked(s, packed, make([]string, 0, len(s.names)), scan)
		list = append(list, v)
		return err
	}})
	if errors.Is(err, errUnit) {
		return only(selected(ctx, db, q, s, rest, args, scan))
	}
	return only(list, err)
}
