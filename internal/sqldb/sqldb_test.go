package sqldb

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var errFull = errors.New("full")

const seats = `create table slots (id bigint primary key, booked bigint not null);
	create table bookings (id bigint primary key, slot bigint not null)`

// take books one of the three seats of a slot.
func take(ctx context.Context, db *DB, slot, id int64) error {
	return db.Write(ctx, func(tx *Tx) error {
		same := tx.Get("select count(*) from bookings where id = $1", id)
		taken := tx.Exec(`insert into slots (id, booked) values ($1, 1)
			on conflict (id) do update set booked = slots.booked + 1 where slots.booked < 3`, slot)
		var n int64
		if err := same.Scan(&n); err != nil {
			return err
		}
		if n, err := taken.Affected(); err != nil || n == 0 {
			return errors.Join(err, errFull)
		}
		tx.Exec("insert into bookings (id, slot) values ($1, $2)", id, slot)
		return nil
	})
}

func TestNoOverbooking(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, seats)
		var full, booked atomic.Int64
		var wg sync.WaitGroup
		for i := range int64(200) {
			wg.Go(func() {
				switch err := take(t.Context(), db, i%4, i); {
				case err == nil:
					booked.Add(1)
				case errors.Is(err, errFull):
					full.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		mustReturn(t, wg.Wait)
		if booked.Load() != 12 || full.Load() != 188 {
			t.Errorf("%d booked and %d rejected, want 12 and 188", booked.Load(), full.Load())
		}
		wantCount(t, db, 12, "select count(*) from bookings")
	})
}

func TestUnreadErrorFailsTransaction(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key)")
		err := db.Write(t.Context(), func(tx *Tx) error {
			tx.Exec("insert into t values (1)")
			tx.Exec("insert into t values (1)")
			tx.Exec("insert into t values (2)")
			return nil
		})
		if _, taken := UniqueViolation(err); !taken {
			t.Error(err)
		}
		wantCount(t, db, 0, "select count(*) from t")
		// An error that was read and ignored fails the transaction too.
		err = db.Write(t.Context(), func(tx *Tx) error {
			_, _ = tx.Exec("insert into missing values (1)").Affected()
			tx.Exec("insert into t values (3)")
			return nil
		})
		if err == nil {
			t.Error("a failed statement was ignored")
		}
		wantCount(t, db, 0, "select count(*) from t")
	})
}

// A panic or runtime.Goexit affects only its caller.
func TestPanics(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key)")
		for _, run := range []func(context.Context, func(*Tx) error) error{db.Read, db.Write} {
			mustReturn(t, func() {
				_ = run(t.Context(), func(*Tx) error {
					runtime.Goexit()
					return nil
				})
			})
			mustReturn(t, func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic was swallowed")
					}
				}()
				_ = run(t.Context(), func(tx *Tx) error {
					_, _ = number(tx, "select count(*) from t")
					panic("on purpose")
				})
			})
			mustReturn(t, func() {
				must(t, run(t.Context(), func(tx *Tx) error {
					_, err := number(tx, "select count(*) from t")
					return err
				}))
			})
		}
	})
}

func TestReadSnapshot(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key)")
		must(t, db.Read(t.Context(), func(tx *Tx) error {
			before, err := number(tx, "select count(*) from t")
			must(t, err)
			written := make(chan error)
			go func() { written <- insert(context.WithoutCancel(t.Context()), db, 1) }()
			must(t, <-written)
			after, err := number(tx, "select count(*) from t")
			if before != after {
				t.Errorf("%d rows, then %d in one snapshot", before, after)
			}
			return err
		}))
		err := db.Read(t.Context(), func(tx *Tx) error {
			tx.Exec("insert into t values (2)")
			return nil
		})
		if err == nil {
			t.Error("Read accepted an insert")
		}
		wantCount(t, db, 1, "select count(*) from t")
	})
}

func TestUseAfterEnd(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key)")
		for _, run := range []func(context.Context, func(*Tx) error) error{db.Read, db.Write} {
			var left *Tx
			must(t, run(t.Context(), func(tx *Tx) error {
				left = tx
				return nil
			}))
			if _, err := left.Exec("delete from t").Affected(); !errors.Is(err, errEnded) {
				t.Error(err)
			}
		}
	})
}

func TestInvalidStatements(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (a text, b text)")
		exec := func(query string, args ...any) func(*Tx) error {
			return func(tx *Tx) error {
				tx.Exec(query, args...)
				return nil
			}
		}
		for name, f := range map[string]func(tx *Tx) error{
			"too few arguments":    exec("insert into t values ($1, $2)", "a"),
			"too many arguments":   exec("insert into t values ($1, $2)", "a", "b", "c"),
			"unsupported argument": exec("insert into t values ($1, 'b')", make(chan int)),
			"two statements":       exec("delete from t; delete from t"),
			"too few destinations": func(tx *Tx) error { return tx.Get("select 'a', 'b'").Scan(new(string)) },
			"not a pointer":        func(tx *Tx) error { return tx.Get("select 'a'").Scan("") },
			"wrong type":           func(tx *Tx) error { return tx.Get("select cast('a' as text)").Scan(new(int)) },
			"NULL into a string":   func(tx *Tx) error { return tx.Get("select cast(null as text)").Scan(new(string)) },
		} {
			if err := db.Write(t.Context(), f); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		err := db.Read(t.Context(), func(tx *Tx) error {
			tx.All("select 1")
			tx.All("select a from missing")
			return nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), "select a from missing: ") {
			t.Errorf("the error does not name its statement: %v", err)
		}
		wantCount(t, db, 0, "select count(*) from t")
	})
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, `create table orgs (id bigint primary key);
			create table users (id bigint primary key, org bigint references orgs (id), name text);
			create unique index users_name on users (org, name);
			insert into orgs values (1); insert into users values (1, 1, 'a')`)
		exec := func(query string) error {
			return db.Write(t.Context(), func(tx *Tx) error { tx.Exec(query); return nil })
		}
		constraint, taken := UniqueViolation(exec("insert into users values (2, 1, 'a')"))
		if want := map[string]string{"sqlite": "users.org, users.name", "postgres": "users_name"}; !taken ||
			constraint != want[db.Engine()] {
			t.Errorf("unique violation of %q, %v", constraint, taken)
		}
		if _, taken := UniqueViolation(exec("insert into users values (1, 1, 'b')")); !taken {
			t.Error("a duplicate primary key is not reported as a unique violation")
		}
		for _, query := range []string{"insert into users values (3, 9, 'c')", "delete from orgs"} {
			if err := exec(query); !IsForeignKeyViolation(err) || IsUnavailable(err) {
				t.Errorf("%s: %v", query, err)
			}
		}
		if _, taken := UniqueViolation(exec("insert into users values (4, 1, 'd')")); taken {
			t.Error("a unique violation without a conflict")
		}
	})
}

// More statements than one batch holds, and more different texts than the cache holds.
func TestManyStatements(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key)")
		must(t, db.Write(t.Context(), func(tx *Tx) error {
			for i := range 3*maxWaiting + 1 {
				tx.Exec("insert into t values ($1)", i)
			}
			return nil
		}))
		wantCount(t, db, 3*maxWaiting+1, "select count(*) from t")
		must(t, db.Read(t.Context(), func(tx *Tx) error {
			for i := range 2 * maxCachedStatements {
				n, err := number(tx, fmt.Sprintf("select %d + count(*) from t where id < 0", i))
				if err != nil || n != int64(i) {
					return fmt.Errorf("%d: %d, %w", i, n, err)
				}
			}
			return nil
		}))
	})
}

// Readers and the writer do not wait for each other.
func TestReadsDuringWrites(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table pairs (id bigint primary key, a bigint not null, b bigint not null);"+
			"insert into pairs values (1, 0, 0)")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var writer sync.WaitGroup
		writes := 0
		writer.Go(func() {
			for ; ctx.Err() == nil; writes++ {
				must(t, db.Write(t.Context(), func(tx *Tx) error {
					tx.Exec("update pairs set a = a + 1 where id = 1")
					tx.Exec("update pairs set b = b + 1 where id = 1")
					return nil
				}))
			}
		})
		var readers sync.WaitGroup
		for range 200 {
			readers.Go(func() {
				for range 5 {
					err := db.Read(t.Context(), func(tx *Tx) error {
						var a, b int64
						first := tx.Get("select a from pairs where id = 1")
						second := tx.Get("select b from pairs where id = 1")
						err := errors.Join(first.Scan(&a), second.Scan(&b))
						if a != b {
							t.Errorf("%d and %d in one snapshot", a, b)
						}
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		mustReturn(t, readers.Wait)
		stop()
		mustReturn(t, writer.Wait)
		wantCount(t, db, int64(writes), "select a from pairs")
	})
}

func TestStatsAndReady(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		must(t, db.Ready(t.Context()))
		must(t, db.Write(t.Context(), func(*Tx) error {
			inUse := 0
			for _, s := range db.Stats() {
				inUse += s.InUse
			}
			if inUse != 1 {
				t.Errorf("%d connections in use, want 1: %+v", inUse, db.Stats())
			}
			return nil
		}))
	})
}

func TestObserve(t *testing.T) {
	t.Parallel()
	var seen []string
	db, _ := openSQLite(t, Options{Observe: func(query string, args []any) {
		seen = append(seen, fmt.Sprint(query, args))
	}})
	must(t, db.Read(t.Context(), func(tx *Tx) error {
		_, err := number(tx, "select 1 + $1", 1)
		return err
	}))
	if want := "[select 1 + $1[1]]"; fmt.Sprint(seen) != want {
		t.Errorf("%v, want %s", seen, want)
	}
}

func TestExpiredContext(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancel()
		for _, run := range []func(context.Context, func(*Tx) error) error{db.Read, db.Write} {
			err := run(ctx, func(*Tx) error {
				t.Error("it ran")
				return nil
			})
			if !errors.Is(err, context.DeadlineExceeded) || !IsUnavailable(err) {
				t.Error(err)
			}
		}
	})
}
