package sqldb

import (
	"database/sql"
	"reflect"
	"testing"
)

type (
	status string
	level  int16
	code   []byte
	on     bool
)

// Values of every kind are read as they were written, on both engines.
func TestValues(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		create(t, db, `create table v (s text, n bigint, i integer, f double precision, b bytea, t boolean)`)
		type row struct {
			s status
			n *int64
			i level
			f float64
			b code
			t on
		}
		seven, thai := int64(7), status("สมชาย 'ใจดี' ไม่มี\n$1")
		for _, want := range []row{
			{thai, &seven, -3, 1.5, code{0, 1, 255}, true},
			{"", nil, 32767, -1e300, code{}, false},
			{"x", nil, 0, 0, nil, false},
		} {
			var got row
			must(t, db.Write(t.Context(), func(tx *Tx) error {
				tx.Exec("delete from v")
				tx.Exec("insert into v values ($1, $2, $3, $4, $5, $6)", want.s, want.n, want.i, want.f, want.b, want.t)
				var b *code
				err := tx.Get("select s, n, i, f, b, t from v").Scan(&got.s, &got.n, &got.i, &got.f, &b, &got.t)
				if b != nil {
					got.b = *b
				}
				return err
			}))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		var (
			none    sql.NullInt64
			some    sql.NullString
			anyNull any = 1
			total   int
			average float64
		)
		must(t, db.Read(t.Context(), func(tx *Tx) error {
			return tx.Get(`select n, s, n,
				(select sum(x.n) from (select cast(2 as bigint) as n union all select 3) as x), 1
				from v`).Scan(&none, &some, &anyNull, &total, &average)
		}))
		if none.Valid || some.String != "x" || anyNull != nil || total != 5 || average != 1 {
			t.Errorf("%v, %v, %v, %d, %v", none, some, anyNull, total, average)
		}
	})
}

func TestCollect(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *DB) {
		type pair struct {
			n int
			s string
		}
		must(t, db.Read(t.Context(), func(tx *Tx) error {
			rows := tx.All("select cast(1 as bigint), cast('a' as text) union all select 2, 'b' order by 1")
			none := tx.All("select 1, 'a' where 1 = 0")
			scan := func(scan Scan) (p pair, err error) {
				err = scan(&p.n, &p.s)
				return p, err
			}
			got, err := Collect(rows, scan)
			if want := []pair{{1, "a"}, {2, "b"}}; err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %v; want %v", got, err, want)
			}
			if got, err := Collect(none, scan); err != nil || got == nil || len(got) != 0 {
				t.Errorf("%v, %v; want an empty list", got, err)
			}
			return nil
		}))
	})
}

func TestAssign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dest, value any
		ok          bool
	}{
		{new(int8), int64(127), true},
		{new(int8), int64(128), false},
		{new(uint8), int64(-1), false},
		{new(bool), int64(1), true},
		{new(bool), int64(2), false},
		{new(int), 3.0, true},
		{new(int), 3.5, false},
		{new(string), []byte("a"), false},
		{new(**string), "a", true},
		{new(struct{}), int64(1), false},
	} {
		if err := assign([]any{c.dest}, []any{c.value}); (err == nil) != c.ok {
			t.Errorf("%T from %v: %v", c.dest, c.value, err)
		}
	}
}
