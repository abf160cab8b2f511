package sqldb

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"
)

func TestExecOne(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key, n bigint not null); insert into t values (1, 10)")
		must(t, db.Write(t.Context(), func(tx *Tx) error {
			tx.ExecOne("update t set n = n + $2 where id = $1", 1, 5)
			return nil
		}))
		err := db.Write(t.Context(), func(tx *Tx) error {
			tx.Exec("update t set n = 0")
			tx.ExecOne("update t set n = 1 where id = $1", 2) // sent together with the commit
			return nil
		})
		if !errors.Is(err, ErrNotChanged) {
			t.Errorf("no row was changed: %v", err)
		}
		wantCount(t, db, 15, "select n from t") // unchanged by the failed transaction
	})
}

// Stream reads a result of any length in constant memory, and sees statements that were still waiting.
func TestStream(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key)")
		const rows = 300_000
		series := `with recursive n (i) as (
				select cast(1 as bigint) union all select i + 1 from n where i < $1
			) select i from n`
		must(t, db.Write(t.Context(), func(tx *Tx) error {
			tx.Exec("insert into t values (7)")
			seen, next := 0, int64(1)
			err := tx.Stream(func(scan Scan) error {
				var i int64
				if err := scan(&i); err != nil || i != next {
					return fmt.Errorf("row %d is %d: %w", next, i, err)
				}
				next++
				seen++
				return nil
			}, series, rows)
			if err != nil || seen != rows {
				return fmt.Errorf("%d rows: %w", seen, err)
			}
			return tx.Stream(func(scan Scan) error { return scan(&next) }, "select id from t")
		}))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		must(t, db.Read(t.Context(), func(tx *Tx) error {
			n := 0
			return tx.Stream(func(Scan) error {
				if n++; n == rows/2 {
					runtime.GC()
					runtime.ReadMemStats(&after)
				}
				return nil
			}, series, rows)
		}))
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 20<<20 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		stop := errors.New("stop")
		err := db.Read(t.Context(), func(tx *Tx) error {
			return tx.Stream(func(Scan) error { return stop }, series, rows)
		})
		if !errors.Is(err, stop) {
			t.Errorf("stopped with %v", err)
		}
		wantCount(t, db, 1, "select count(*) from t") // the connection is still usable
	})
}

func TestLoad(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key, name text, done boolean, raw "+
			map[string]string{"sqlite": "blob", "postgres": "bytea"}[db.Engine()]+")")
		type name string
		rows := [][]any{{int64(1), name("ก\t\\N\n"), true, []byte{0, 255}}, {2, nil, false, []byte(nil)}}
		must(t, db.Write(t.Context(), func(tx *Tx) error {
			tx.Exec("insert into t (id) values (3)")
			return tx.Load("t", []string{"id", "name", "done", "raw"}, rows)
		}))
		must(t, db.Read(t.Context(), func(tx *Tx) error {
			var text string
			var done bool
			var raw []byte
			if err := tx.Get("select name, done, raw from t where id = 1").Scan(&text, &done, &raw); err != nil {
				return err
			}
			if text != "ก\t\\N\n" || !done || string(raw) != "\x00\xff" {
				t.Errorf("%q, %v, %v", text, done, raw)
			}
			return nil
		}))
		wantCount(t, db, 2, "select count(*) from t where name is null")
		err := db.Write(t.Context(), func(tx *Tx) error { return tx.Load("t", []string{"id"}, [][]any{{4}, {1}}) })
		if _, taken := UniqueViolation(err); !taken {
			t.Errorf("a duplicate: %v", err)
		}
		wantCount(t, db, 3, "select count(*) from t")
	})
}

// Maintain runs outside of transactions, also while others write.
func TestMaintain(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, "create table t (id bigint primary key)")
		statement := map[string]string{"sqlite": "vacuum", "postgres": "vacuum t"}[db.Engine()]
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if err := insert(t.Context(), db, i); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				if err := db.Maintain(t.Context(), statement); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		wantCount(t, db, 20, "select count(*) from t")
	})
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	step := func(sql string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)} }
	first := fstest.MapFS{"1_first.sql": step("create table t (id bigint primary key);")}
	second := fstest.MapFS{
		"1_first.sql":  first["1_first.sql"],
		"2_second.sql": step("alter table t add column name text;"),
	}
	eachEngine(t, func(t *testing.T, db *DB) {
		must(t, db.Migrate(t.Context(), second, NoMigration))
		must(t, db.Migrate(t.Context(), second, 1))
		must(t, insert(t.Context(), db, 1))
		must(t, db.Migrate(t.Context(), second, 0))
		must(t, db.Migrate(t.Context(), second, 0)) // already up to date
		wantCount(t, db, 1, "select count(*) from t where name is null")
		var newer NewerSchemaError
		if err := db.Migrate(t.Context(), first, 0); !errors.As(err, &newer) || newer.Schema != 2 || newer.Known != 1 {
			t.Errorf("an older program: %v", err)
		}
	})
}

func TestListen(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started, received, ended := make(chan struct{}), make(chan string), make(chan error)
	go func() {
		ended <- db.Listen(ctx, "sqldb_test", func() { close(started) }, func(message string) error {
			received <- message
			return nil
		})
	}()
	mustReturn(t, func() {
		<-started
		for _, message := range []string{"ก", ""} {
			must(t, db.Notify(t.Context(), "sqldb_test", message))
			if got := <-received; got != message {
				t.Errorf("received %q, want %q", got, message)
			}
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("ended without an error")
		}
	})
}
