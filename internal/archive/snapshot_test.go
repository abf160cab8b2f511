package archive

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/store/storetest"
)

// Every table is in a backup or excluded explicitly.
func TestSnapshotCoversAllTables(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		query := `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
			AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'`
		if p.Engine == "postgres" {
			query = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
				AND relkind IN ('r', 'p') AND relname NOT LIKE 'goose%'`
		}
		rows, err := p.SQL(t).QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close() // Err below returns the error
		var want []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains([]string{"sessions", "login_attempts", "password_resets"}, name) {
				want = append(want, name)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		s, err := openSnapshot(t.Context(), p.Open(t))
		if err != nil {
			t.Fatal(err)
		}
		defer s.close() //nolint:errcheck // only read
		var got []string
		for _, table := range s.tables {
			got = append(got, table.Name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}
