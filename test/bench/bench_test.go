package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"nadmor/test/product"
)

// TestMain lets the test binary run as the floor, like the program itself.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "floor" {
		main()
		return
	}
	os.Exit(m.Run())
}

// Product and floor answer every operation of the table correctly, acknowledged writes are stored, and the
// product verifies. PocketBase is included if NADMOR_TEST_POCKETBASE names its binary; it is not built with
// the tests because it needs a newer Go.
func TestEveryOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole product")
	}
	dir := t.TempDir()
	binary, err := product.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	o := options{
		binary: binary, pocketBase: os.Getenv("NADMOR_TEST_POCKETBASE"), cache: dir,
		server: os.Getenv("NADMOR_TEST_POSTGRES"), engines: []string{sqlite}, size: size{2000, 500}, rounds: 1,
		round: 100 * time.Millisecond, warmUp: 10 * time.Millisecond,
	}
	if o.server != "" {
		o.engines = append(o.engines, postgres)
	}
	for _, engine := range o.engines {
		t.Run(engine, func(t *testing.T) {
			lines, f, err := o.engine(t.Context(), engine)
			if err != nil {
				t.Fatal(err)
			}
			if len(lines) != 10 || f[0].Idle <= 0 || f[0].Ready <= 0 {
				t.Errorf("measured %d operations, %+v", len(lines), f)
			}
			for _, l := range lines {
				if l.Product.Requests == 0 || l.Floor.Requests == 0 || l.Product.P50 > l.Product.P99 {
					t.Errorf("%s: %+v", l.Operation, l)
				}
				if beside := engine == sqlite && o.pocketBase != ""; beside != (l.PocketBase.Requests > 0) {
					t.Errorf("%s: %+v of PocketBase", l.Operation, l.PocketBase)
				}
			}
			picture := bars(lines)
			for _, l := range lines {
				if !strings.Contains(picture, l.Operation) {
					t.Errorf("%s is not in the picture", l.Operation)
				}
			}
			// A cached hospital is reused, and the PostgreSQL database removed.
			c := cache{o.cache, "no such program", o.server}
			d, err := c.hospital(t.Context(), engine, o.size)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.drop(t.Context(), d); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrongAnswerFailsBenchmark(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		check        func([]byte) error
		right        bool
	}{
		{"as many as wanted", `{"items":[{"hn":"1"},{"hn":"2"}]}`, has(`"hn":"`, 2), true},
		{"too few", `{"items":[{"hn":"1"}]}`, has(`"hn":"`, 2), false},
		{"any", `{"items":[{"hn":"1"}]}`, has(`"hn":"`, -1), true},
		{"none", `{"items":[]}`, has(`"hn":"`, -1), false},
	} {
		if err := c.check([]byte(c.answer)); (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if n := numberAfter([]byte(`{"total":1234,"x":5}`), `"total":`); n != 1234 {
		t.Errorf("total %d", n)
	}
}

// The column × PocketBase uses values of the same run, on either database.
func TestPocketBaseRatio(t *testing.T) {
	lines := []line{
		{Operation: book1, Engine: sqlite, Product: round{Rate: 900}, Floor: round{Rate: 1800}, Share: 0.5, PocketBase: round{
			Requests: 1, Rate: 300, P95: 4,
		}},
		{Operation: book1, Engine: postgres, Product: round{Rate: 600}, Floor: round{Rate: 800}, Share: 0.75},
		{Operation: readOne, Engine: postgres, Product: round{Rate: 600}, Floor: round{Rate: 800}, Share: 0.75},
	}
	text := tables(lines, nil)
	for _, want := range []string{
		"| book, 1 | SQLite | 900 |", "| 0.50 | 3.0 |\n", "| 0.75 | 2.0 |\n", "| 0.75 | – |\n",
		"| book, 1 | 300 | 0.00 | 4.00 | 0.00 | 0 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if picture := bars(lines); strings.Count(picture, ">"+pocketBase+"<") != 1 {
		t.Error("PocketBase is not in the picture once")
	}
}

func TestGrowthTable(t *testing.T) {
	at := func(n int, engine, name string, p95 float64) point {
		return point{size{n, n / 2}, engine, name, round{P95: p95}}
	}
	points := []point{
		at(10_000, sqlite, book1, 2), at(10_000, sqlite, idCard, 4), at(10_000_000, sqlite, book1, 3),
		at(10_000_000, sqlite, idCard, 4),
		at(10_000, postgres, book1, 5), at(10_000_000, postgres, book1, 12.5),
	}
	want := `| operation, clients | database | p95 ms at 10,000 | at 10,000,000 | growth |
|---|---|--:|--:|--:|
| book, 1 | SQLite | 2.0 | 3.0 | 1.5 |
| ID card, 16 | SQLite | 4.0 | 4.0 | 1.0 |
| book, 1 | PostgreSQL | 5.0 | 12.5 | 2.5 |
`
	if text := growthTable(points); text != want {
		t.Errorf("got\n%s", text)
	}
}
