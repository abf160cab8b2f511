package store_test

import (
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// breakCommits has every transaction fail that takes numbers, not before it
// commits, until it is mended.
func breakCommits(t *testing.T, p storetest.Place) (mend func()) {
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
	exec(`CREATE TABLE nowhere (id BIGINT PRIMARY KEY)`, `CREATE TABLE broken (id BIGINT REFERENCES nowhere (id) DEFERRABLE INITIALLY DEFERRED)`)
	if p.Engine == "sqlite" {
		exec(`CREATE TRIGGER break_insert AFTER INSERT ON counters BEGIN INSERT INTO broken VALUES (1); END`,
			`CREATE TRIGGER break_update AFTER UPDATE ON counters BEGIN INSERT INTO broken VALUES (1); END`)
		return func() { exec(`DROP TRIGGER break_insert`, `DROP TRIGGER break_update`) }
	}
	exec(`CREATE FUNCTION break_commit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO broken VALUES (1); RETURN NULL; END'`,
		`CREATE TRIGGER break_commit AFTER INSERT OR UPDATE ON counters FOR EACH ROW EXECUTE FUNCTION break_commit()`)
	return func() { exec(`DROP TRIGGER break_commit ON counters`) }
}

// A node that could not write down which numbers it took has taken none: what it
// hands out afterwards is nobody else's.
func TestNumbersThatWereNotCommittedAreNotUsed(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		here, there := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, here)
		s := storetest.AddService(t, here, "OPD", 50)
		who := storetest.AddPatient(t, here, "ก่อน")
		mend := breakCommits(t, p)
		for range 2 {
			if a, err := here.Book(ctx, visit(who, s, tuesday, "09:00")); err == nil {
				t.Fatalf("booked as %s although its number was not kept", a.Number)
			}
		}
		mend()
		given := map[string]bool{}
		for i, start := range []string{"09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "13:00", "13:30"} {
			node := []*store.DB{here, there}[i%2]
			a, err := node.Book(ctx, visit(who, s, tuesday, start))
			if err != nil {
				t.Fatalf("booking %d: %v", i, err)
			}
			if given[a.Number] {
				t.Errorf("%s was given twice", a.Number)
			}
			given[a.Number] = true
		}
	})
}

// A booking that is refused leaves no gap: the next one has its number.
func TestTheNumberOfARefusedBookingIsUsedByTheNext(t *testing.T) {
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
