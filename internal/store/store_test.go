package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// wantCode fails the test unless err has the code.
func wantCode(t testing.TB, err error, want hospital.Code) *hospital.Error {
	t.Helper()
	var e *hospital.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("got error %v, want %s", err, want)
	}
	return e
}

// engines create an empty database of each engine.
var engines = map[string]func(testing.TB) storetest.Database{
	"sqlite": storetest.SQLite, "postgres": storetest.Postgres,
}

// listAudit returns the first 200 entries of the audit log that a filter selects.
func listAudit(
	ctx context.Context, t testing.TB, db *store.DB, f hospital.AuditFilter,
) hospital.Paged[hospital.AuditEntry] {
	t.Helper()
	f.Page = hospital.Page{Page: 1, PageSize: 200}
	return must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, f))
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// concurrently calls fn n times at once and returns the errors.
func concurrently(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func countCodes(errs []error) map[hospital.Code]int {
	n := map[hospital.Code]int{}
	for _, err := range errs {
		if err == nil {
			n[""]++
		} else {
			n[hospital.CodeOf(err)]++
		}
	}
	return n
}

// Both engines must bind $2 before $1 by number, because they share their SQL.
func TestPlaceholdersBindByNumber(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		var got string
		err := p.SQL(t).QueryRow(`SELECT CAST($2 AS TEXT) || CAST($1 AS TEXT) || CAST($2 AS TEXT)`, "a", "b").Scan(&got)
		if err != nil || got != "bab" {
			t.Fatalf("got %q, %v; want bab", got, err)
		}
	})
}

func TestConcurrentOpen(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(t *testing.T) storetest.Database{
		"sqlite": func(t *testing.T) storetest.Database {
			dir := filepath.Join(t.TempDir(), "new")
			return storetest.Database{
				Engine: "sqlite", Options: store.Options{DataDir: dir, AuditKey: storetest.AuditKey},
			}
		},
		"postgres": func(t *testing.T) storetest.Database { return storetest.EmptyPostgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := fresh(t)
			ctx := context.Background()
			var mu sync.Mutex
			setUps := 0
			errs := concurrently(8, func(int) error {
				db, err := store.Open(ctx, database.Options)
				if err != nil {
					return err
				}
				done, err := db.SetUp(ctx, "hash", false)
				if done {
					mu.Lock()
					setUps++
					mu.Unlock()
				}
				return errors.Join(err, db.Close())
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			if setUps != 1 {
				t.Errorf("%d nodes set the database up, want 1", setUps)
			}
			page := must[hospital.Paged[hospital.User]](t)(database.Open(t).ListUsers(ctx, store.UserFilter{
				Page: hospital.Page{Page: 1, PageSize: 10},
			}))
			if page.Total != 1 {
				t.Errorf("%d users, want the one administrator", page.Total)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "not-a-folder")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]store.Options{
		"a data folder that is a file": {DataDir: file},
		"an unreadable address":        {URL: "postgres://%%"},
		"a server that is not there":   {URL: "postgres://x@127.0.0.1:1/x?sslmode=disable&connect_timeout=1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if db, err := store.Open(context.Background(), o); err == nil {
				_ = db.Close()
				t.Fatal("opened")
			}
		})
	}
}

func TestSaveSettingVersion(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		first := must[hospital.Setting](t)(db.Setting(ctx))
		if first.Name != hospital.DefaultSetting.Name || first.SessionHours != 12 {
			t.Fatalf("an empty database has %+v, want the default", first)
		}
		first.Name = "โรงพยาบาลหนึ่ง"
		saved := must[hospital.Setting](t)(db.SaveSetting(ctx, first))
		if saved.Version != first.Version+1 {
			t.Errorf("version %d, want %d", saved.Version, first.Version+1)
		}
		saved.Name = "โรงพยาบาลสอง"
		must[hospital.Setting](t)(db.SaveSetting(ctx, saved))
		saved.Name = "โรงพยาบาลสาม"
		e := wantCode(t, func() error { _, err := db.SaveSetting(ctx, saved); return err }(), hospital.ConflictVersion)
		if current := e.Details["current"].(hospital.Setting); current.Name != "โรงพยาบาลสอง" {
			t.Errorf("the conflict shows %q, want the current name", current.Name)
		}
		if got := must[hospital.Setting](t)(db.Setting(ctx)); got.Name != "โรงพยาบาลสอง" || got.Version != saved.Version+1 {
			t.Errorf("stored %+v", got)
		}
		errs := concurrently(16, func(i int) error {
			s, err := db.Setting(ctx)
			if err != nil {
				return err
			}
			s.Name = fmt.Sprint("โรงพยาบาล ", i)
			s.Version = saved.Version + 1
			_, err = db.SaveSetting(ctx, s)
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.ConflictVersion] != 15 {
			t.Errorf("16 updates of one version: %v, want one to succeed", n)
		}
	})
}
