package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// The database files are accessible to the owner only, whatever their permissions were before.
func TestSQLiteFilePermissions(t *testing.T) {
	t.Parallel()
	options := store.Options{DataDir: t.TempDir(), AuditKey: storetest.AuditKey}
	path := filepath.Join(options.DataDir, store.SQLiteFile)
	for _, before := range []os.FileMode{0, 0o644, 0o666} {
		if before != 0 { // as created by an older version or with another umask
			for _, file := range []string{path, path + "-wal", path + "-shm"} {
				f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				if err := f.Chmod(before); err != nil {
					t.Fatal(err)
				}
				_ = f.Close()
			}
		}
		db, err := store.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if before == 0 {
			storetest.SetUp(t, db)
		}
		storetest.AddPatient(t, db, "ใครสักคน") // so that there is a WAL
		for _, file := range []string{path, path + "-wal", path + "-shm"} {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s is %v after %v", filepath.Base(file), info.Mode(), before)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
