package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"
)

// asker answers a question on SQLite past database/sql and the driver's layer,
// which take a quarter of a short read.
type asker interface {
	ask(ctx context.Context, q question) error
}

// ask asks for rows, past database/sql where that is possible.
func ask(ctx context.Context, on querier, q question) error {
	if a, ok := on.(asker); ok {
		return a.ask(ctx, q)
	}
	rows, err := on.QueryContext(ctx, q.query, q.args...)
	if err != nil {
		return err
	}
	defer rows.Close() // Err below tells what matters
	n := int64(0)
	for ; rows.Next(); n++ {
		if err := q.row(rows.Scan); err != nil {
			return err
		}
	}
	q.counted(n)
	return rows.Err()
}

// readers are connections of SQLite that only read, and answer questions
// directly.
type readers struct {
	pool *sql.DB
	free chan *direct // one that was not opened yet is nil

	mu     sync.Mutex
	opened []reader
}

// reader is a connection of the pool that is kept.
type reader struct {
	conn   *sql.Conn
	direct *direct
}

// newReaders reads on up to n connections of a pool.
func newReaders(pool *sql.DB, n int) *readers {
	r := &readers{pool: pool, free: make(chan *direct, n)}
	for range n {
		r.free <- nil
	}
	return r
}

func (r *readers) open(ctx context.Context) (*direct, error) {
	conn, err := r.pool.Conn(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("open a connection to read: %w", err)
	}
	d, err := newDirect(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened = append(r.opened, reader{conn, d})
	return d, nil
}

// ask asks a question on the next connection that is free. It is broken off when
// whoever asks has left.
func (r *readers) ask(ctx context.Context, q question) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	var d *direct
	select {
	case d = <-r.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { r.free <- d }()
	if d == nil {
		if d, err = r.open(ctx); err != nil {
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
	if ctx.Done() != nil {
		broken := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			sqlite3.Xsqlite3_interrupt(d.tls, d.handle)
			close(broken)
		})
		defer func() {
			if !stop() {
				<-broken // or it would break off who asks next
			}
		}()
	}
	_, _, err = d.run(p, q)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// close waits for who still reads.
func (r *readers) close() error {
	for range cap(r.free) {
		<-r.free
	}
	var errs []error
	for _, o := range r.opened {
		errs = append(errs, o.direct.close(), o.conn.Close())
	}
	return errors.Join(errs...)
}
