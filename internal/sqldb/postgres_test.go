package sqldb

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// batches counts the round trips of a pool.
type batches struct{ n atomic.Int64 }

func (b *batches) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	b.n.Add(1)
	return ctx
}

func (*batches) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (*batches) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (*batches) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (*batches) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	cfg, err := pgxpool.ParseConfig(newSchema(t))
	must(t, err)
	var sent batches
	cfg.ConnConfig.Tracer = &sent
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	must(t, err)
	db := &DB{postgres{pool: pool}, nil}
	t.Cleanup(func() { must(t, db.Close()) })
	create(t, db, "create table t (id bigint primary key)")
	for _, c := range []struct {
		name string
		want int64
		run  func(context.Context, func(*Tx) error) error
		f    func(tx *Tx) error
	}{
		{"a write whose results are not read", 1, db.Write, func(tx *Tx) error {
			tx.Exec("insert into t values (1)")
			tx.Exec("insert into t values (2)")
			return nil
		}},
		{"a write that depends on a read", 2, db.Write, func(tx *Tx) error {
			first, second := tx.Get("select count(*) from t"), tx.Get("select max(id) from t")
			var n, m int64
			if err := errors.Join(first.Scan(&n), second.Scan(&m)); err != nil {
				return err
			}
			tx.Exec("insert into t values ($1)", n+m)
			return nil
		}},
		{"a read", 1, db.Read, func(tx *Tx) error {
			first, second := tx.Get("select count(*) from t"), tx.Get("select max(id) from t")
			var n, m int64
			return errors.Join(first.Scan(&n), second.Scan(&m))
		}},
	} {
		before := sent.n.Load()
		must(t, c.run(t.Context(), c.f))
		if n := sent.n.Load() - before; n != c.want {
			t.Errorf("%s: %d round trips, want %d", c.name, n, c.want)
		}
	}
}

const longStatement = "select pg_sleep(60)"

// Write reports whether a transaction was stored, was not stored, or may have been stored.
func TestCommitOutcomes(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, Options{})
	create(t, db, "create table t (id int primary key deferrable initially deferred)")
	cut, cutNow := context.WithCancel(t.Context())
	go func() { // once the server runs the statement that is sent with the commit
		defer cutNow()
		for n := int64(0); n == 0 && t.Context().Err() == nil; {
			n = count(t, db, "select count(*) from pg_stat_activity where query = $1 and state = 'active'", longStatement)
		}
	}()
	ended, end := context.WithCancel(t.Context())
	for _, c := range []struct {
		name    string
		ctx     context.Context
		unknown bool
		f       func(tx *Tx) error
	}{
		{"ctx ends during the commit", cut, true, func(tx *Tx) error {
			tx.Exec(longStatement)
			return nil
		}},
		{"ctx ended before the commit", ended, false, func(tx *Tx) error {
			tx.Exec("insert into t values (1)")
			end()
			return nil
		}},
		{"the server ends the connection during the commit", t.Context(), true, func(tx *Tx) error {
			tx.Exec("select pg_terminate_backend(pg_backend_pid())")
			return nil
		}},
		{"rejected by the commit", t.Context(), false, func(tx *Tx) error {
			tx.Exec("insert into t values (1), (1)")
			return nil
		}},
		{"rejected before the commit", t.Context(), false, func(tx *Tx) error {
			tx.Exec("insert into missing values (1)")
			return nil
		}},
		{"a commit answered with ROLLBACK", t.Context(), false, func(tx *Tx) error {
			_, err := number(tx, "select 1")
			_, _ = tx.session.(*pgSession).conn.Exec(t.Context(), "select 1/0") // not seen by the session
			return err
		}},
	} {
		if err := db.Write(c.ctx, c.f); err == nil || errors.Is(err, ErrUnknown) != c.unknown {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for range 20 { // every connection of the pool is still usable
		wantCount(t, db, 0, "select count(*) from t")
	}
}

// Of two transactions in a deadlock, one runs again and both succeed.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, Options{})
	create(t, db, "create table t (id int primary key, n int); insert into t values (1, 0), (2, 0)")
	var runs atomic.Int64
	var met, wg sync.WaitGroup
	met.Add(2)
	for _, order := range [][2]int{{1, 2}, {2, 1}} {
		wg.Go(func() {
			first := true
			must(t, db.Write(t.Context(), func(tx *Tx) error {
				runs.Add(1)
				if _, err := tx.Exec("update t set n = n + 1 where id = $1", order[0]).Affected(); err != nil {
					return err
				}
				if first {
					first = false
					met.Done()
					met.Wait()
				}
				_, err := tx.Exec("update t set n = n + 1 where id = $1", order[1]).Affected()
				return err
			}))
		})
	}
	mustReturn(t, wg.Wait)
	if n := count(t, db, "select sum(n) from t"); n != 4 || runs.Load() < 3 {
		t.Errorf("%d updates in %d runs", n, runs.Load())
	}
}

// A connection that the server has ended is replaced, and the transaction runs again.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, Options{Conns: 3})
	create(t, db, "create table t (id int primary key)")
	runs := 0
	must(t, db.Write(t.Context(), func(tx *Tx) error {
		if _, err := tx.Exec("insert into t values (1)").Affected(); err != nil {
			return err
		}
		if runs++; runs == 1 {
			_, _ = number(tx, "select count(pg_terminate_backend(pg_backend_pid()))")
		}
		_, err := tx.Exec("insert into t values (2)").Affected()
		return err
	}))
	if n := count(t, db, "select count(*) from t"); n != 2 || runs != 2 {
		t.Errorf("%d rows in %d runs", n, runs)
	}
}

// If the server cannot be reached, errors are "unavailable" and no call outlives its context.
func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(newSchema(t))
	must(t, err)
	server := u.Host
	proxy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	var conns sync.Map
	go func() {
		for {
			near, err := proxy.Accept()
			if err != nil {
				return
			}
			far, err := (&net.Dialer{}).DialContext(context.WithoutCancel(t.Context()), "tcp", server)
			if err != nil {
				_ = near.Close()
				continue
			}
			conns.Store(near, nil)
			conns.Store(far, nil)
			go pipe(near, far)
			go pipe(far, near)
		}
	}()
	u.Host = proxy.Addr().String()
	db, err := OpenPostgres(t.Context(), u.String(), Options{Conns: 2})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	must(t, db.Ready(t.Context()))
	must(t, proxy.Close())
	conns.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close()
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	nothing := func(tx *Tx) error {
		_, err := number(tx, "select 1")
		return err
	}
	for _, err := range []error{db.Read(ctx, nothing), db.Write(ctx, nothing), db.Ready(ctx)} {
		if !IsUnavailable(err) || errors.Is(err, ErrUnknown) {
			t.Error(err)
		}
	}
}

func pipe(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			_ = to.Close()
			return
		}
	}
}

// A write to a read-only server is "unavailable".
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(newSchema(t))
	must(t, err)
	query := u.Query()
	query.Set("default_transaction_read_only", "on")
	u.RawQuery = query.Encode()
	db, err := OpenPostgres(t.Context(), u.String(), Options{Conns: 1})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	err = db.Write(t.Context(), func(tx *Tx) error {
		tx.Exec("create table t (id int)")
		return nil
	})
	if !IsUnavailable(err) {
		t.Error(err)
	}
	must(t, db.Read(t.Context(), func(tx *Tx) error {
		_, err := number(tx, "select 1")
		return err
	}))
	if e := db.Engine(); e != "postgres" {
		t.Error(e)
	}
}
