package sqldb

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// eachEngine runs a test on an empty database of each engine.
func eachEngine(t *testing.T, f func(t *testing.T, db *DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		db, _ := openSQLite(t, Options{})
		f(t, db)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, openPostgres(t, Options{}))
	})
}

func openSQLite(t testing.TB, o Options) (db *DB, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.db")
	db, err := OpenSQLite(path, o)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db, path
}

// openPostgres opens an empty schema on the test server.
func openPostgres(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := OpenPostgres(t.Context(), newSchema(t), o)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// newSchema creates an empty schema on the test server and returns a URL with it as search path.
func newSchema(t testing.TB) string {
	t.Helper()
	server := os.Getenv("NADMOR_TEST_POSTGRES")
	if server == "" {
		t.Fatal("NADMOR_TEST_POSTGRES is not set: run `make test`, or `scripts/with-postgres go test ./internal/sqldb`")
	}
	name := fmt.Sprintf("sqldb_%d_%d", os.Getpid(), time.Now().UnixNano())
	conn, err := pgx.Connect(t.Context(), server)
	must(t, err)
	_, err = conn.Exec(t.Context(), "create schema "+name)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
		defer cancel()
		_, err := conn.Exec(ctx, "drop schema "+name+" cascade")
		must(t, err)
		must(t, conn.Close(ctx))
	})
	u, err := url.Parse(server)
	must(t, err)
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	return u.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// create runs statements that change the schema.
func create(t testing.TB, db *DB, statements string) {
	t.Helper()
	must(t, db.Write(t.Context(), func(tx *Tx) error {
		for s := range strings.SplitSeq(statements, ";") {
			if _, err := tx.Exec(s).Affected(); err != nil {
				return err
			}
		}
		return nil
	}))
}

// number returns the integer that a query selects.
func number(tx *Tx, query string, args ...any) (n int64, err error) {
	err = tx.Get(query, args...).Scan(&n)
	return n, err
}

// count returns the integer that a query selects in a transaction of its own.
func count(t testing.TB, db *DB, query string, args ...any) (n int64) {
	t.Helper()
	must(t, db.Read(t.Context(), func(tx *Tx) (err error) {
		n, err = number(tx, query, args...)
		return err
	}))
	return n
}

// wantCount checks the integer that a query selects: the rows that are stored.
func wantCount(t testing.TB, db *DB, want int64, query string, args ...any) {
	t.Helper()
	if n := count(t, db, query, args...); n != want {
		t.Errorf("%s: %d, want %d", query, n, want)
	}
}

// insert inserts an id into table t.
func insert(ctx context.Context, db *DB, id any) error {
	return db.Write(ctx, func(tx *Tx) error {
		tx.Exec("insert into t (id) values ($1)", id)
		return nil
	})
}

// mustReturn fails the test if f does not return within a minute.
func mustReturn(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatal("did not return")
	}
}
