package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
)

// TestMain runs the tests, or a statement as the other process of execInOtherProcess.
func TestMain(m *testing.M) {
	path := os.Getenv("SQLDB_TEST_FILE")
	if path == "" {
		os.Exit(m.Run())
	}
	conn, err := openConn(path, sqlite.OpenReadWrite)
	if err == nil {
		err = conn.exec(os.Getenv("SQLDB_TEST_STATEMENT"))
	}
	if err == nil {
		err = conn.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// execInOtherProcess runs a statement in another process.
func execInOtherProcess(t *testing.T, path, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "SQLDB_TEST_FILE="+path, "SQLDB_TEST_STATEMENT="+statement)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

const endless = `with recursive r(i) as (select 1 union all select i + 1 from r) select count(*) from r where i < 0`

// A call returns as soon as its context ends, and the connection is usable afterwards.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	db, path := openSQLite(t, Options{Conns: 1})
	create(t, db, "create table t (id integer primary key)")
	nothing := func(*Tx) error { return nil }
	long := func(tx *Tx) error {
		_, err := number(tx, endless)
		return err
	}
	other, err := openConn(path, sqlite.OpenReadWrite)
	must(t, err)
	t.Cleanup(func() { must(t, other.Close()) })
	for _, c := range []struct {
		name string
		f    func(ctx context.Context) error
	}{
		{"a long read", func(ctx context.Context) error { return db.Read(ctx, long) }},
		{"a write in a write", func(ctx context.Context) error {
			return db.Write(ctx, func(*Tx) error { return db.Write(ctx, nothing) })
		}},
		{"a read in a read", func(ctx context.Context) error {
			return db.Read(ctx, func(*Tx) error { return db.Read(ctx, nothing) })
		}},
		{"a write while another connection holds the lock", func(ctx context.Context) error {
			must(t, other.exec("begin immediate"))
			defer func() { must(t, other.exec("rollback")) }()
			return db.Write(ctx, nothing)
		}},
	} {
		mustReturn(t, func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := c.f(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", c.name, err)
			}
			for _, run := range []func(context.Context, func(*Tx) error) error{db.Read, db.Write} {
				err := run(t.Context(), func(tx *Tx) error {
					_, err := number(tx, "select count(*) from t")
					return err
				})
				if err != nil {
					t.Errorf("after %s: %v", c.name, err)
				}
			}
		})
	}
}

// A caller gets an error if and only if its own changes are not stored, whatever the other members of
// the shared commit do: fail, panic, time out, or make SQLite roll back the whole transaction.
func TestSharedCommitErrors(t *testing.T) {
	t.Parallel()
	db, _ := openSQLite(t, Options{})
	create(t, db, "create table t (id integer primary key, x text)")
	const callers = 600
	errs := make([]error, callers)
	var wg sync.WaitGroup
	random := rand.New(rand.NewPCG(1, 2))
	for i := range errs {
		timeout := time.Duration(random.IntN(2000)+1) * time.Millisecond
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			defer func() {
				if p := recover(); p != nil {
					errs[i] = errors.New("panic")
				}
			}()
			errs[i] = db.Write(ctx, func(tx *Tx) error {
				tx.Exec("insert into t values ($1, 'x')", i)
				switch i % 40 {
				case 1:
					tx.Exec("insert into t values ($1, 'again')", i)
				case 2:
					return errFull
				case 3:
					panic("on purpose")
				case 4: // SQLite rolls back everything, as if the disk were full
					tx.Exec("insert or rollback into t values ($1, 'x')", i)
				case 5:
					_, err := number(tx, "select 1 from t limit 1")
					return err
				}
				return nil
			})
		})
	}
	mustReturn(t, wg.Wait)
	stored, unlucky := map[int]bool{}, 0
	must(t, db.Read(t.Context(), func(tx *Tx) error {
		return tx.All("select id from t").Each(func(scan func(...any) error) error {
			var id int
			err := scan(&id)
			stored[id] = true
			return err
		})
	}))
	for i, err := range errs {
		if (err == nil) != stored[i] {
			t.Errorf("%d: stored %v, error %v", i, stored[i], err)
		}
		if _, taken := UniqueViolation(err); taken && i%40 != 1 && i%40 != 4 {
			t.Errorf("%d: got the error of another caller: %v", i, err)
		}
		innocent := i%40 == 0 || i%40 > 4
		if innocent && err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrRolledBack) {
			t.Errorf("%d: %v", i, err)
		}
		if innocent && errors.Is(err, ErrRolledBack) {
			unlucky++
		}
	}
	// Members that were rolled back because of another one run again; few use up all attempts.
	if unlucky > callers/10 {
		t.Errorf("%d of %d failed because of other callers", unlucky, callers)
	}
}

// A call returns after its commit is durable. Meanwhile the next transaction runs; it is committed afterwards. If a
// commit cannot be made durable, its outcome is unknown.
func TestReturnsWhenDurable(t *testing.T) {
	t.Parallel()
	db, _ := openSQLite(t, Options{})
	create(t, db, "create table t (id integer primary key)")
	lite := db.engine.(*sqliteDB)
	syncWAL := lite.sync
	syncing, disk := make(chan struct{}), make(chan error)
	lite.sync = func() error {
		syncing <- struct{}{}
		return errors.Join(<-disk, syncWAL())
	}
	write := func() (ran chan struct{}, returned chan error) {
		ran, returned = make(chan struct{}), make(chan error, 1)
		go func() {
			returned <- db.Write(t.Context(), func(tx *Tx) error {
				tx.Exec("insert into t default values")
				close(ran)
				return nil
			})
		}()
		return ran, returned
	}
	_, first := write()
	<-syncing
	ran, second := write()
	<-ran
	select {
	case err := <-first:
		t.Errorf("returned before the commit was durable: %v", err)
	case <-syncing:
		t.Error("the second transaction was committed before the first one was durable")
	default:
	}
	disk <- nil
	if err := <-first; err != nil {
		t.Error(err)
	}
	full := errors.New("disk full")
	<-syncing
	disk <- full
	if err := <-second; !errors.Is(err, ErrUnknown) || !errors.Is(err, full) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	lite.sync = syncWAL
}

func TestClose(t *testing.T) {
	t.Parallel()
	db, path := openSQLite(t, Options{})
	create(t, db, "create table t (id integer primary key)")
	errs := make([]error, 100)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = insert(t.Context(), db, i)
		})
	}
	must(t, db.Close())
	mustReturn(t, wg.Wait)
	must(t, db.Close())
	nothing := func(*Tx) error { return nil }
	if err := db.Write(t.Context(), nothing); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := db.Read(t.Context(), nothing); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the WAL was not removed: %v", err)
	}
	again, err := OpenSQLite(path, Options{})
	must(t, err)
	defer func() { must(t, again.Close()) }()
	for i, err := range errs {
		if n := count(t, again, "select count(*) from t where id = $1", i); (n == 1) != (err == nil) {
			t.Errorf("%d: %d rows, error %v", i, n, err)
		}
	}
}

// After a transaction larger than the cache is rolled back, another process writes. The next
// transaction must not overwrite those changes.
func TestRollbackOfSpilledPages(t *testing.T) {
	t.Parallel()
	db, path := openSQLite(t, Options{})
	create(t, db, "create table t (id integer primary key, x text); create index t_x on t (x); pragma cache_size = 10")
	const rows, stored = 2_000, 500
	fill := func(tx *Tx, from, to int) {
		for i := from; i < to; i++ {
			tx.Exec("insert into t values ($1, $2)", i, fmt.Sprintf("%d %s", i, strings.Repeat("x", 600)))
		}
	}
	for round := range 5 {
		from := round * stored
		err := db.Write(t.Context(), func(tx *Tx) error {
			fill(tx, from, from+rows)
			tx.Exec("update t set x = x || 'y'")
			return errFull
		})
		if !errors.Is(err, errFull) {
			t.Fatal(err)
		}
		execInOtherProcess(t, path, fmt.Sprintf("insert into t select 1000000 + %d, 'other'", round))
		must(t, db.Write(t.Context(), func(tx *Tx) error {
			fill(tx, from, from+stored)
			return nil
		}))
		var check string
		must(t, db.Read(t.Context(), func(tx *Tx) error { return tx.Get("pragma integrity_check").Scan(&check) }))
		if check != "ok" {
			t.Fatal(check)
		}
		next := 0
		must(t, db.Read(t.Context(), func(tx *Tx) error {
			rows := tx.All("select id, x from t where id < 1000000 order by id")
			return rows.Each(func(scan Scan) error {
				var id int
				var x string
				err := scan(&id, &x)
				if want := fmt.Sprintf("%d %s", next, strings.Repeat("x", 600)); id != next || x != want {
					t.Errorf("row %d is %d %.20q", next, id, x)
				}
				next++
				return err
			})
		}))
		if next != from+stored {
			t.Fatalf("%d rows, want %d", next, from+stored)
		}
		wantCount(t, db, int64(round)+1, "select count(*) from t where x = 'other'")
	}
}

// Another process can write although this one writes all the time.
func TestPace(t *testing.T) {
	t.Parallel()
	db, path := openSQLite(t, Options{})
	create(t, db, "create table t (id integer primary key, x text)")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for ctx.Err() == nil {
				must(t, db.Write(t.Context(), func(tx *Tx) error {
					tx.Exec("insert into t (x) values ('busy')")
					return nil
				}))
			}
		})
	}
	for range 3 {
		execInOtherProcess(t, path, "insert into t (x) values ('other')")
	}
	stop()
	mustReturn(t, writers.Wait)
	wantCount(t, db, 3, "select count(*) from t where x = 'other'")
}

func TestStatementCacheLimit(t *testing.T) {
	t.Parallel()
	db, _ := openSQLite(t, Options{Conns: 1})
	must(t, db.Read(t.Context(), func(tx *Tx) error {
		for i := range maxCachedStatements + 100 {
			tx.All(fmt.Sprintf("select %d", i))
		}
		return nil
	}))
	reader := <-db.engine.(*sqliteDB).readers
	if n := len(reader.cached); n != maxCachedStatements {
		t.Errorf("%d statements are cached", n)
	}
	db.engine.(*sqliteDB).readers <- reader
}
