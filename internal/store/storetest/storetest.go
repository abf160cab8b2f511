// Package storetest provides tests with empty databases of both engines. Each is a copy of a template that
// was migrated once.
package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// AuditKey is the key of the audit chain in tests.
var AuditKey = []byte("key of the audit chain in tests")

// Keyed returns a context for a request with an idempotency key and a body. Responses are stored
// as JSON.
func Keyed(ctx context.Context, key, body string) context.Context {
	return store.WithRequest(ctx, store.Request{
		Operation: "test", Key: key, Digest: func() []byte { return []byte(body) },
		Encode: func(v any) (string, error) { b, err := json.Marshal(v); return string(b), err },
	})
}

// Clock is a clock that moves only with Advance.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows Monday 2026-11-16, 09:00 in Bangkok.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 11, 16, 9, 0, 0, 0, hospital.Bangkok)}
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Database is an empty, migrated database. Several stores can be opened on it, as by several nodes.
type Database struct {
	Engine  string
	Options store.Options
	Clock   *Clock
}

// Open opens a store on the database. It is closed at the end of the test.
func (d Database) Open(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), d.Options)
	if err != nil {
		t.Fatalf("open %s: %v", d.Engine, err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close %s: %v", d.Engine, err)
		}
	})
	return db
}

// ExpireSessionCache advances the clock until the session cache of another process on the same data folder has
// expired. Nodes on PostgreSQL have no such cache.
func (d Database) ExpireSessionCache() {
	if d.Engine == "sqlite" {
		d.Clock.Advance(500 * time.Millisecond)
	}
}

// SQL opens the database without the store, to inspect it or to tamper with it.
func (d Database) SQL(t testing.TB) *sql.DB {
	t.Helper()
	driver, source := "pgx", d.Options.URL
	if d.Engine == "sqlite" {
		path := filepath.Join(d.Options.DataDir, store.SQLiteFile)
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// UnlockAudit drops the append-only triggers of the audit log, as an attacker with access to the database
// could, and returns a function that runs statements.
func (d Database) UnlockAudit(t testing.TB) func(query string, args ...any) {
	t.Helper()
	raw := d.SQL(t)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := raw.ExecContext(context.Background(), query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	if _, err := raw.ExecContext(context.Background(), `DELETE FROM audit_entries`); err == nil {
		t.Fatal("entries of the log can be deleted")
	}
	if _, err := raw.ExecContext(context.Background(), `UPDATE audit_entries SET reason = 'x'`); err == nil {
		t.Fatal("entries of the log can be edited")
	}
	if d.Engine == "sqlite" {
		exec(`DROP TRIGGER audit_entries_no_update`)
		exec(`DROP TRIGGER audit_entries_no_delete`)
	} else {
		exec(`DROP TRIGGER audit_entries_append_only ON audit_entries`)
		exec(`DROP TRIGGER audit_entries_no_update ON audit_entries`)
	}
	return exec
}

// EachDatabase runs fn as a parallel subtest with an empty database of each engine.
func EachDatabase(t *testing.T, fn func(t *testing.T, d Database)) {
	t.Helper()
	for engine, fresh := range map[string]func(testing.TB) Database{"sqlite": SQLite, "postgres": Postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, fresh(t))
		})
	}
}

// Each is EachDatabase for tests that need only one store.
func Each(t *testing.T, fn func(t *testing.T, db *store.DB)) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, d Database) { fn(t, d.Open(t)) })
}

// SetUp creates the built-in roles and the administrator, whose password is Password, and returns a context
// with the administrator as actor.
func SetUp(t testing.TB, db *store.DB) context.Context {
	t.Helper()
	ctx := context.Background()
	hash, err := Hasher.Hash(ctx, Password)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.SetUp(ctx, hash, false); err != nil {
		t.Fatalf("set up: %v", err)
	}
	return ActAs(t, db, "admin")
}

// Password is the password of all accounts in tests.
const Password = "correct horse"

// Hasher hashes passwords with low cost.
var Hasher = auth.NewCheapHasher()

// AddUser adds an active account with the named role.
func AddUser(t testing.TB, db *store.DB, username, role string) hospital.User {
	t.Helper()
	ctx := hospital.WithActor(context.Background(), hospital.System)
	hash, err := Hasher.Hash(ctx, Password)
	if err != nil {
		t.Fatal(err)
	}
	u, err := db.CreateUser(ctx, hospital.NewUser{
		Username: username, Email: username + "@hospital.example", Name: "คุณ" + username,
		RoleID: RoleID(t, db, role), Invite: true,
	}, hash)
	if err != nil {
		t.Fatalf("add user %s: %v", username, err)
	}
	return u
}

// RoleID returns the id of the role with a code.
func RoleID(t testing.TB, db *store.DB, name string) int64 {
	t.Helper()
	roles, err := db.RoleRefs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range roles {
		if r.Name == name {
			return r.ID
		}
	}
	t.Fatalf("no role %s", name)
	return 0
}

// ActAs signs in a user and returns a context with the user as actor, with the current permissions.
func ActAs(t testing.TB, db *store.DB, username string) context.Context {
	t.Helper()
	ctx := hospital.WithActor(context.Background(), hospital.Actor{Addr: "192.0.2.1"})
	c, err := db.BeginLogin(ctx, username, "192.0.2.1")
	if err != nil {
		t.Fatalf("sign in %s: %v", username, err)
	}
	s, err := db.StartSession(ctx, c, username, "test", 0)
	if err != nil {
		t.Fatalf("sign in %s: %v", username, err)
	}
	in, err := db.SignedIn(ctx, s.ID)
	if err != nil {
		t.Fatalf("sign in %s: %v", username, err)
	}
	in.Actor.Addr = "192.0.2.1"
	return hospital.WithActor(ctx, in.Actor)
}

// SQLite creates an empty SQLite database.
func SQLite(t testing.TB) Database {
	t.Helper()
	template, err := sqliteTemplate()
	if err != nil {
		t.Fatalf("sqlite template: %v", err)
	}
	dir := tempDir(t)
	if err := os.WriteFile(filepath.Join(dir, store.SQLiteFile), template, 0o600); err != nil {
		t.Fatal(err)
	}
	clock := NewClock()
	options := store.Options{DataDir: dir, AuditKey: AuditKey, Now: clock.Now, Observe: observe("sqlite")}
	return Database{"sqlite", options, clock}
}

// tempDir returns a folder that is deleted at the end of the test. It is in memory if there is a gigabyte
// free (containers often have less), so that commits do not wait for the disk.
func tempDir(t testing.TB) string {
	t.Helper()
	const memory, enough = "/dev/shm", 1 << 30
	var space syscall.Statfs_t
	if err := syscall.Statfs(memory, &space); err != nil || space.Bavail*uint64(space.Bsize) < enough {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "nadmor-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "nadmor-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	db, err := store.Open(context.Background(), store.Options{DataDir: dir, AuditKey: AuditKey})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, store.SQLiteFile)) //nolint:gosec // our own temporary file
})

// EmptyPostgres creates a PostgreSQL database without tables.
func EmptyPostgres(t testing.TB) Database { return postgres(t, "template0") }

// Postgres creates an empty PostgreSQL database.
func Postgres(t testing.TB) Database {
	t.Helper()
	template, err := postgresTemplate()
	if err != nil {
		t.Fatalf("postgres template: %v", err)
	}
	return postgres(t, template)
}

// server connects to the PostgreSQL server of the tests. It returns an error if there is none, so that tests
// are not skipped.
var server = sync.OnceValues(func() (*sql.DB, error) {
	address := os.Getenv("NADMOR_TEST_POSTGRES")
	if address == "" {
		return nil, errors.New("NADMOR_TEST_POSTGRES is not set: " +
			"run `make test`, or `scripts/with-postgres go test ./...`")
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	return db, nil
})

func postgres(t testing.TB, template string) Database {
	t.Helper()
	admin, err := server()
	if err != nil {
		t.Fatal(err)
	}
	name := "t_" + strings.ToLower(rand.Text())
	ctx := context.Background()
	_, err = admin.ExecContext(ctx, `CREATE DATABASE `+name+` TEMPLATE `+template+` ENCODING 'UTF8'`)
	if err != nil {
		t.Fatalf("create database: %v", err)
	}
	t.Cleanup(func() {
		if _, err := admin.ExecContext(ctx, `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Errorf("drop database: %v", err)
		}
	})
	clock := NewClock()
	options := store.Options{
		URL: databaseURL(name), AuditKey: AuditKey, Now: clock.Now, Observe: observe("postgres"),
	}
	return Database{"postgres", options, clock}
}

func databaseURL(name string) string {
	u, err := url.Parse(os.Getenv("NADMOR_TEST_POSTGRES"))
	if err != nil {
		panic(err) // server has already used it
	}
	u.Path = "/" + name
	return u.String()
}

// postgresTemplate returns the name of the template. All test programs with the same migrations share it;
// the first one creates it.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	admin, err := server()
	if err != nil {
		return "", err
	}
	name, err := templateName()
	if err != nil {
		return "", err
	}
	ctx := context.Background()
	conn, err := admin.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close() // goes back to the pool
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(4211)`); err != nil {
		return "", err
	}
	defer conn.ExecContext(ctx, `SELECT pg_advisory_unlock(4211)`) //nolint:errcheck // released with the connection
	var ready bool
	err = conn.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate)`, name).Scan(&ready)
	if err != nil || ready {
		return name, err
	}
	// A database that is not a template was left by a test that was killed.
	for _, q := range []string{
		`DROP DATABASE IF EXISTS ` + name, `CREATE DATABASE ` + name + ` TEMPLATE template0 ENCODING 'UTF8'`,
	} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return "", err
		}
	}
	db, err := store.Open(ctx, store.Options{URL: databaseURL(name), AuditKey: AuditKey})
	if err != nil {
		return "", err
	}
	if err := db.Close(); err != nil {
		return "", err
	}
	_, err = conn.ExecContext(ctx, `ALTER DATABASE `+name+` IS_TEMPLATE true`)
	return name, err
})

// templateName returns a name that contains a hash of the migrations.
func templateName() (string, error) {
	sum, files := sha256.New(), store.Migrations("postgres")
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, path)
		sum.Write(b)
		return err
	})
	return "nadmor_template_" + hex.EncodeToString(sum.Sum(nil)[:6]), err
}
