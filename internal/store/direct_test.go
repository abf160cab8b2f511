package store_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// What goes past database/sql comes back as through it: every kind of value,
// arguments in any order, texts of any length and with anything in them.
func TestStatementsOfTheWriterReadWhatTheyWrote(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t).Open(t)
	ctx := storetest.SetUp(t, db)
	type named string
	for name, text := range map[string]string{"empty": "", "thai": "นัดหมาย", "zero": "a\x00b", "long": strings.Repeat("ก", 200_000)} {
		number := int64(-1) << 62
		err := db.Ask(ctx, func(ask func(query string, args ...any) store.Row) error {
			var second, first string
			var who named
			var n, same int64
			var small int
			var yes bool
			var none, some sql.NullInt64
			var nothing, something *int64
			var blob []byte
			err := ask(`SELECT $2, $1, $3, $4, $4, $5, $6, $7, $8, $7, $8, $9`, text, "second", named("who"), number, 7, true, nil, &number, []byte(text)).
				Scan(&second, &first, &who, &n, &same, &small, &yes, &none, &some, &nothing, &something, &blob)
			if err != nil {
				return err
			}
			if second != "second" || first != text || who != "who" || n != number || same != number || small != 7 || !yes || none.Valid || some.Int64 != number || nothing != nil ||
				something == nil || *something != number || string(blob) != text {
				t.Errorf("%s: read %q, %d bytes, %q, %d, %d, %d, %v, %v, %v, %v, %v, %d bytes", name, second, len(first), who, n, same, small, yes, none, some, nothing, something, len(blob))
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for query, into := range map[string]any{`SELECT NULL`: new(string), `SELECT NULL -- number`: new(int64), `SELECT 'x'`: new(int64), `SELECT 1, 2`: new(int)} {
		if err := db.Ask(ctx, func(ask func(string, ...any) store.Row) error { return ask(query).Scan(into) }); err == nil {
			t.Errorf("%s fits into a %T", query, into)
		}
	}
	if err := db.Ask(ctx, func(ask func(string, ...any) store.Row) error { return ask(`SELECT 1 WHERE 1 = 2`).Scan(new(int)) }); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no row: %v", err)
	}
}
