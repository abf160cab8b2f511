package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestClaimJobConcurrent(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		ctx := context.Background()
		for i := range 40 {
			if err := nodes[0].Enqueue(ctx, "test", map[string]int{"n": i}, ""); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		claimed := map[int64]int{}
		errs := concurrently(16, func(i int) error {
			for {
				j, ok, err := nodes[i%2].ClaimJob(ctx, time.Minute, store.OtherQueue)
				if err != nil || !ok {
					return err
				}
				mu.Lock()
				claimed[j.ID]++
				mu.Unlock()
			}
		})
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(claimed) != 40 {
			t.Errorf("%d of 40 jobs were claimed", len(claimed))
		}
		for id, n := range claimed {
			if n != 1 {
				t.Errorf("job %d was claimed %d times", id, n)
			}
		}
	})
}

func TestJobLifecycle(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, ctx := p.Open(t), context.Background()
		claim := func() (store.Job, bool) {
			t.Helper()
			j, ok, err := db.ClaimJob(ctx, time.Minute, store.OtherQueue)
			if err != nil {
				t.Fatal(err)
			}
			return j, ok
		}
		for range 3 {
			if err := db.Enqueue(ctx, "daily", struct{}{}, "daily 2026-11-16"); err != nil {
				t.Fatal(err)
			}
		}
		j, ok := claim()
		if !ok || j.Kind != "daily" || j.Attempts != 1 {
			t.Fatalf("claimed %+v, %v", j, ok)
		}
		if _, ok := claim(); ok {
			t.Error("a second job has the same unique key, or the lease is not respected")
		}
		p.Clock.Advance(time.Minute - time.Millisecond)
		if ok, err := db.RenewJob(ctx, j, time.Minute); !ok || err != nil {
			t.Errorf("the lease was not renewed: %t, %v", ok, err)
		}
		p.Clock.Advance(time.Minute - time.Millisecond)
		if _, ok := claim(); ok {
			t.Error("a renewed lease is not respected")
		}
		p.Clock.Advance(time.Millisecond)
		if again, ok := claim(); !ok || again.ID != j.ID || again.Attempts != 2 {
			t.Errorf("the job of a dead worker was not claimed: %+v, %v", again, ok)
		}
		if ok, err := db.RenewJob(ctx, j, time.Minute); ok || err != nil {
			t.Errorf("the lease of another worker was renewed: %t, %v", ok, err)
		}
		if err := db.RetryJob(ctx, j.ID, 10*time.Minute, "no answer"); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		if _, ok := claim(); ok {
			t.Error("claimed before it is due")
		}
		p.Clock.Advance(time.Millisecond)
		if again, ok := claim(); !ok || again.Attempts != 3 {
			t.Errorf("not claimed again: %+v, %v", again, ok)
		}
		if err := db.ReleaseJob(ctx, j.ID); err != nil {
			t.Fatal(err)
		}
		if again, ok := claim(); !ok || again.Attempts != 3 {
			t.Errorf("after ReleaseJob: %+v, %v", again, ok)
		}
		if err := db.FinishJob(ctx, j.ID); err != nil {
			t.Fatal(err)
		}
		if ok, err := db.RenewJob(ctx, store.Job{ID: j.ID, Attempts: 3}, time.Minute); ok || err != nil {
			t.Errorf("a finished job was renewed: %t, %v", ok, err)
		}
		p.Clock.Advance(time.Hour)
		if _, ok := claim(); ok {
			t.Error("claimed after it was finished")
		}
		if err := db.Enqueue(ctx, "daily", struct{}{}, "daily 2026-11-16"); err != nil {
			t.Fatal(err)
		}
		if _, ok := claim(); ok {
			t.Error("a finished job does not reserve its unique key")
		}
	})
}

func TestCleanUp(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		u := storetest.AddUser(t, db, "clerk", "QUEUE")
		storetest.ActAs(t, db, "clerk")
		if _, _, err := db.NewResetLink(ctx, u.ID); err != nil {
			t.Fatal(err)
		}
		must[store.Credentials](t)(db.BeginLogin(ctx, "unknown", "203.0.113.9"))
		raw := p.SQL(t)
		rows := func() (s string) {
			t.Helper()
			for _, table := range []string{"sessions", "password_resets", "login_attempts", "users"} {
				var n int
				if err := raw.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
					t.Fatal(err)
				}
				s += fmt.Sprintf("%s=%d ", table, n)
			}
			return s
		}
		for _, c := range []struct {
			after time.Duration
			want  string
		}{
			{0, "sessions=2 password_resets=1 login_attempts=1 users=2 "},
			{36 * time.Hour, "sessions=2 password_resets=0 login_attempts=0 users=2 "},
			{8 * 24 * time.Hour, "sessions=0 password_resets=0 login_attempts=0 users=2 "},
		} {
			p.Clock.Advance(c.after)
			if err := db.CleanUp(ctx); err != nil {
				t.Fatal(err)
			}
			if got := rows(); got != c.want {
				t.Errorf("after %v more: %s, want %s", c.after, got, c.want)
			}
		}
	})
}
