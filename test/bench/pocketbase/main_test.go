package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pocketbase/pocketbase/core"
)

// Concurrent bookings never exceed the capacity.
func TestLastSeats(t *testing.T) {
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: t.TempDir()})
	if err := app.Bootstrap(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := app.ClearBootstrap(); err != nil {
			t.Error(err)
		}
	}()
	if err := app.RunAllMigrations(); err != nil {
		t.Fatal(err)
	}
	if err := collections(app); err != nil {
		t.Fatal(err)
	}
	add := func(collection string, fields map[string]any) string {
		c, err := app.FindCollectionByNameOrId(collection)
		if err != nil {
			t.Fatal(err)
		}
		r := core.NewRecord(c)
		r.Load(fields)
		if err := app.Save(r); err != nil {
			t.Fatal(err)
		}
		return r.Id
	}
	const seats, people = 3, 40
	service := add("services", map[string]any{
		"code": "MED", "name": "อายุรกรรม", "color": "#000000", "slot_minutes": 30, "capacity": seats,
	})
	var booked, full atomic.Int32
	var wg sync.WaitGroup
	for i := range people {
		patient := add("patients", map[string]any{"hn": fmt.Sprint(i)})
		wg.Go(func() {
			err := app.RunInTransaction(func(tx core.App) error {
				_, err := reserve(tx, booking{patient, service, "2027-01-04", "08:00", "FOLLOW_UP", ""})
				return err
			})
			switch {
			case err == nil:
				booked.Add(1)
			case errors.Is(err, errFull):
				full.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if booked.Load() != seats || full.Load() != people-seats {
		t.Errorf("%d booked, %d refused", booked.Load(), full.Load())
	}
	patient := add("patients", map[string]any{"hn": "twice"})
	for i, start := range []string{"09:00", "09:15"} {
		if _, err := reserve(app, booking{patient, service, "2027-01-04", start, "FOLLOW_UP", ""}); (err == nil) != (i == 0) {
			t.Errorf("%s: %v", start, err)
		}
	}
}
