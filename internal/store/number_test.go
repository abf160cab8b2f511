package store_test

import (
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// breakCommits makes the commit of every transaction that reserves numbers fail, until repair is called.
func breakCommits(t *testing.T, p storetest.Database) (repair func()) {
	t.Helper()
	exec := func(statements ...string) {
		t.Helper()
		db := p.SQL(t)
		for _, s := range statements {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	exec(`CREATE TABLE nowhere (id BIGINT PRIMARY KEY)`,
		`CREATE TABLE broken (id BIGINT REFERENCES nowhere (id) DEFERRABLE INITIALLY DEFERRED)`)
	if p.Engine == "sqlite" {
		exec(`CREATE TRIGGER break_insert AFTER INSERT ON counters BEGIN INSERT INTO broken VALUES (1); END`,
			`CREATE TRIGGER break_update AFTER UPDATE ON counters BEGIN INSERT INTO broken VALUES (1); END`)
		return func() { exec(`DROP TRIGGER break_insert`, `DROP TRIGGER break_update`) }
	}
	exec(`CREATE FUNCTION break_commit() RETURNS trigger LANGUAGE plpgsql
			AS 'BEGIN INSERT INTO broken VALUES (1); RETURN NULL; END'`,
		`CREATE TRIGGER break_commit AFTER INSERT OR UPDATE ON counters
			FOR EACH ROW EXECUTE FUNCTION break_commit()`)
	return func() { exec(`DROP TRIGGER break_commit ON counters`) }
}

// A node does not use numbers whose reservation was not committed: another node may reserve them.
func TestNumbersAfterFailedCommit(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		first, second := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, first)
		s := storetest.AddService(t, first, "OPD", 50)
		patient := storetest.AddPatient(t, first, "ก่อน")
		repair := breakCommits(t, p)
		for range 2 {
			if a, err := first.Book(ctx, visit(patient, s, tuesday, "09:00")); err == nil {
				t.Fatalf("booked as %s although its number was not reserved", a.Number)
			}
		}
		repair()
		given := map[string]bool{}
		for i, start := range []string{"09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "13:00", "13:30"} {
			node := []*store.DB{first, second}[i%2]
			a, err := node.Book(ctx, visit(patient, s, tuesday, start))
			if err != nil {
				t.Fatalf("booking %d: %v", i, err)
			}
			if given[a.Number] {
				t.Errorf("%s was assigned twice", a.Number)
			}
			given[a.Number] = true
		}
	})
}

// A rejected booking leaves no gap: the next one gets its number.
func TestNumberReusedAfterRejection(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := storetest.AddService(t, db, "OPD", 1)
		first := storetest.Book(t, db, ctx, storetest.AddPatient(t, db, "หนึ่ง"), s, tuesday, "09:00")
		for range 3 {
			_, err := db.Book(ctx, visit(storetest.AddPatient(t, db, "สอง"), s, tuesday, "09:00"))
			wantCode(t, err, hospital.SlotFull)
		}
		second := storetest.Book(t, db, ctx, storetest.AddPatient(t, db, "สาม"), s, tuesday, "09:30")
		// The number ends in the running one.
		if a, b := first.Number, second.Number; a[:len(a)-1] != b[:len(b)-1] || b[len(b)-1] != a[len(a)-1]+1 {
			t.Errorf("%s is followed by %s", a, b)
		}
	})
}

// Numbers in use because of another format are skipped without an error, however many there are
// and wherever they are in a block.
func TestNumbersSkipOtherFormats(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		first, second := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, first)
		s := storetest.AddService(t, first, "OPD", 100)
		given := map[string]bool{}
		book := func(node *store.DB, n int) {
			t.Helper()
			for range n {
				a := storetest.Book(t, node, ctx, storetest.AddPatient(t, node, "ใครสักคน"), s, tuesday, "09:00")
				if given[a.Number] {
					t.Fatalf("%s was assigned twice", a.Number)
				}
				given[a.Number] = true
			}
		}
		format := func(f string) {
			t.Helper()
			setting := must[hospital.Setting](t)(first.Setting(ctx))
			if _, err := first.UpdateSetting(ctx, setting.Version, func(f2 *hospital.SettingFields) error {
				f2.AppointmentNumberFormat = f
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		format("N{SEQ:4}")
		book(first, 2)  // N0001, N0002; this node has reserved N0003 to N0005
		book(second, 1) // N0006
		format("N0{SEQ:3}")
		book(second, 12) // N0003 to N0005, and N0007 onward: the others are in use
		if !given["N0003"] || !given["N0005"] || !given["N0015"] || given["N0017"] {
			t.Errorf("assigned %v", given)
		}
		format("N{SEQ:4}")
		book(first, 3) // the rest of the block was assigned meanwhile
		series, _, err := first.BookSeries(ctx, hospital.Series{
			NewAppointment: visit(storetest.AddPatient(t, first, "ทุกสัปดาห์"), s, tuesday, "09:30"),
			EveryWeeks:     1, Count: 3,
		}, false)
		if err != nil || len(series) != 3 {
			t.Fatalf("%d booked, %v", len(series), err)
		}
		for _, a := range series {
			if given[a.Number] {
				t.Errorf("%s was assigned twice", a.Number)
			}
		}
		noFaults(ctx, t, first)
	})
}

// Hospital numbers in use because of another format are skipped as well.
func TestHNsSkipOtherFormats(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		given := map[string]bool{}
		for _, format := range []string{"H{SEQ:4}", "H0{SEQ:3}", "H{SEQ:4}"} {
			setting := must[hospital.Setting](t)(db.Setting(ctx))
			must[hospital.Setting](t)(db.UpdateSetting(ctx, setting.Version, func(f *hospital.SettingFields) error {
				f.HNFormat = format
				return nil
			}))
			for range 3 {
				hn := storetest.AddPatient(t, db, "ใครสักคน").HN
				if given[hn] {
					t.Fatalf("%s was assigned twice", hn)
				}
				given[hn] = true
			}
		}
	})
}

// The number of a booking has the current format, although it is reserved before the settings are read, and
// even if another node changed them.
func TestNumberFormatChange(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, other := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		people := patients(ctx, t, db, 4)
		book := func(i int, want string) {
			t.Helper()
			if a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[i], s, monday, "10:00"))); a.Number != want {
				t.Errorf("number %s, want %s", a.Number, want)
			}
		}
		format := func(f string) {
			must[hospital.Setting](t)(other.AmendSetting(ctx,
				func(s *hospital.SettingFields) error { s.AppointmentNumberFormat = f; return nil }))
		}
		book(0, "A6911-00001")
		format("B{SEQ:3}")
		book(1, "B001")
		book(2, "B002")
		format("A{YY}{MM}-{SEQ:5}")
		book(3, "A6911-00006") // the rest of the block was dropped with the format
	})
}
