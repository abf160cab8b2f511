package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestClaimJobConcurrent(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
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
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
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
		if err := db.RenewJob(ctx, j, time.Minute); err != nil {
			t.Errorf("the lease was not renewed: %v", err)
		}
		p.Clock.Advance(time.Minute - time.Millisecond)
		if _, ok := claim(); ok {
			t.Error("a renewed lease is not respected")
		}
		p.Clock.Advance(time.Millisecond)
		if j, ok = claim(); !ok || j.Attempts != 2 {
			t.Fatalf("the job of a dead worker was not claimed: %+v, %v", j, ok)
		}
		if err := db.RetryJob(ctx, j, 10*time.Minute, "no answer"); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		if _, ok := claim(); ok {
			t.Error("claimed before it is due")
		}
		p.Clock.Advance(time.Millisecond)
		if j, ok = claim(); !ok || j.Attempts != 3 {
			t.Fatalf("not claimed again: %+v, %v", j, ok)
		}
		if err := db.ReleaseJob(ctx, j); err != nil {
			t.Fatal(err)
		}
		if j, ok = claim(); !ok || j.Attempts != 3 {
			t.Fatalf("after ReleaseJob: %+v, %v", j, ok)
		}
		if err := db.FinishJob(ctx, j); err != nil {
			t.Fatal(err)
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

// A worker whose lease expired changes nothing once another worker has claimed or finished the job.
func TestJobTaken(t *testing.T) {
	t.Parallel()
	updates := map[string]func(*store.DB, context.Context, store.Job) error{
		"renew": func(db *store.DB, ctx context.Context, j store.Job) error {
			return db.RenewJob(ctx, j, time.Minute)
		},
		"finish": (*store.DB).FinishJob,
		"retry": func(db *store.DB, ctx context.Context, j store.Job) error {
			return db.RetryJob(ctx, j, time.Hour, "no answer")
		},
		"abandon": func(db *store.DB, ctx context.Context, j store.Job) error {
			return db.AbandonJob(ctx, j, "no answer")
		},
		"release": (*store.DB).ReleaseJob,
	}
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		slow, fast, raw, ctx := p.Open(t), p.Open(t), p.SQL(t), context.Background()
		claim := func(db *store.DB) store.Job {
			t.Helper()
			j, ok, err := db.ClaimJob(ctx, time.Minute, store.OtherQueue)
			if err != nil || !ok {
				t.Fatalf("claimed %+v, %t, %v", j, ok, err)
			}
			return j
		}
		stored := func(id int64) string {
			t.Helper()
			var attempts, runAt, leased int64
			var done bool
			var why, payload string
			if err := raw.QueryRow(`SELECT attempts, run_at, leased_until, done_at IS NOT NULL, last_error, payload
				FROM jobs WHERE id = $1`, id).Scan(&attempts, &runAt, &leased, &done, &why, &payload); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("attempts=%d run_at=%d leased_until=%d done=%t error=%q payload=%s",
				attempts, runAt, leased, done, why, payload)
		}
		if err := slow.Enqueue(ctx, "test", map[string]int{"n": 1}, ""); err != nil {
			t.Fatal(err)
		}
		expired := claim(slow)
		p.Clock.Advance(time.Minute)
		current := claim(fast)
		if current.ID != expired.ID {
			t.Fatalf("job %d was claimed instead of %d", current.ID, expired.ID)
		}
		check := func(when string) {
			t.Helper()
			before := stored(expired.ID)
			for name, update := range updates {
				if err := update(slow, ctx, expired); !errors.Is(err, store.ErrJobTaken) {
					t.Errorf("%s, %s: %v, want ErrJobTaken", when, name, err)
				}
				if after := stored(expired.ID); after != before {
					t.Fatalf("%s, %s changed the job from %s to %s", when, name, before, after)
				}
			}
		}
		check("claimed by another worker")
		if err := fast.FinishJob(ctx, current); err != nil {
			t.Fatal(err)
		}
		check("finished by another worker")
	})
}

func TestCleanUp(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
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
