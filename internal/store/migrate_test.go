package store_test

import (
	"strings"
	"testing"

	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Who goes back to an older version after an upgrade is told so, instead of
// writing into tables that mean something else now.
func TestADatabaseOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		p.Open(t)
		if _, err := p.SQL(t).ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(t.Context(), p.Options)
		if err == nil {
			_ = db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "newer version") {
			t.Errorf("it is opened: %v", err)
		}
	})
}
