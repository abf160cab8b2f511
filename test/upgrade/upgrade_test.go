// Package upgrade opens the database of an earlier version with this one.
package upgrade

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nadmor/test/product"
)

// oldVersion is the commit that made the database: the last one before the present database layer, schema 11.
const oldVersion = "5ddd62fb23146becf0a4d282ffc3b3bddcc0f4bf"

// tables hold what the hospital has entered, by the columns that identify a row. The version of a role is
// left out: a migration that adds permissions changes it.
var tables = map[string]string{
	"patients": "id", "appointments": "id", "appointment_history": "id", "results": "id", "services": "id",
	"slots": "service_id, date, start_time", "closures": "id", "customers": "id", "users": "id", "roles": "id",
	"role_permissions": "role_id, permission", "settings": "id", "audit_entries": "lane, seq",
}

func TestDatabaseOfAnEarlierVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two versions of the product and fills two hospitals")
	}
	ctx := t.Context()
	older, newer := buildOld(t), buildNew(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			p := newPlace(t, engine, "upgrade")
			backup := filepath.Join(t.TempDir(), "backup.tar.gz")
			run(t, p, older, "demo", "--patients", "300", "--appointments", "1500")
			run(t, p, older, "backup", backup)
			before := contents(ctx, t, p, nil)

			run(t, p, newer, "migrate")
			run(t, p, newer, "verify")
			compare(t, "migrated", before, contents(ctx, t, p, before))

			delete(before, "audit_entries") // the restore adds one; verify has checked the others
			restored := newPlace(t, engine, "restored")
			run(t, restored, newer, "restore", backup)
			run(t, restored, newer, "verify")
			compare(t, "restored", before, contents(ctx, t, restored, before))
		})
	}
}

func buildNew(t *testing.T) string {
	t.Helper()
	binary, err := product.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// buildOld builds oldVersion from the history of the repository.
func buildOld(t *testing.T) string {
	t.Helper()
	root, err := product.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.CommandContext(t.Context(), "git", "-C", root, "cat-file", "-e", oldVersion).Run(); err != nil {
		t.Skip("this clone does not have the commit of the earlier version")
	}
	dir := t.TempDir()
	script := `git -C "$1" archive "$2" | tar -x -C "$3" && cd "$3" && go build -o nadmor .`
	build := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", script, "bash", root, oldVersion, dir)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the earlier version: %v: %s", err, output)
	}
	return filepath.Join(dir, "nadmor")
}

func newPlace(t *testing.T, engine, name string) product.Storage {
	t.Helper()
	p := product.Storage{Dir: t.TempDir()}
	if engine == "sqlite" {
		return p
	}
	server := os.Getenv("NADMOR_TEST_POSTGRES")
	if server == "" {
		t.Fatal("NADMOR_TEST_POSTGRES names no server: use scripts/with-postgres")
	}
	var err error
	if p.URL, err = product.NewDatabase(t.Context(), server, "nadmor_"+name); err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t *testing.T, p product.Storage, binary string, args ...string) {
	t.Helper()
	env := append(p.Env(), "NADMOR_SECRET=the secret of the upgrade test, thirty-two")
	if err := product.Run(t.Context(), env, binary, args...); err != nil {
		t.Fatal(err)
	}
}

// table is what a table contains.
type table struct {
	columns []string
	rows    int
	hash    string
}

// contents reads the columns that the tables had before, or all if before is nil.
func contents(ctx context.Context, t *testing.T, p product.Storage, before map[string]table) map[string]table {
	t.Helper()
	db, err := p.SQL()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // nothing was written
	all := map[string]table{}
	for name, key := range tables {
		if _, known := before[name]; before != nil && !known {
			continue
		}
		columns := "*"
		if name == "roles" {
			columns = "id, name, label"
		} else if before != nil {
			columns = strings.Join(before[name].columns, ", ")
		}
		if all[name], err = read(ctx, db, `SELECT `+columns+` FROM `+name+` ORDER BY `+key); err != nil {
			t.Fatalf("read %s: %v", name, err)
		}
	}
	return all
}

func read(ctx context.Context, db *sql.DB, query string) (found table, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return found, err
	}
	defer rows.Close() // Err below is what matters
	if found.columns, err = rows.Columns(); err != nil {
		return found, err
	}
	values, dest := make([]sql.NullString, len(found.columns)), make([]any, len(found.columns))
	for i := range values {
		dest[i] = &values[i]
	}
	hash := sha256.New()
	for ; rows.Next(); found.rows++ {
		if err := rows.Scan(dest...); err != nil {
			return found, err
		}
		fmt.Fprintf(hash, "%+q\n", fmt.Sprint(values))
	}
	found.hash = fmt.Sprintf("%x", hash.Sum(nil))
	return found, rows.Err()
}

func compare(t *testing.T, what string, before, after map[string]table) {
	t.Helper()
	for name, b := range before {
		if a := after[name]; b.rows == 0 && name != "settings" || a.rows != b.rows || a.hash != b.hash {
			t.Errorf("%s %s: %d rows (%.12s), before %d (%.12s)", what, name, a.rows, a.hash, b.rows, b.hash)
		}
	}
}
