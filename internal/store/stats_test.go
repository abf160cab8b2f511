package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestStats(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, ctx := p.Open(t), t.Context()
		due := func(wantCount int, wantAge time.Duration) {
			t.Helper()
			count, since, err := db.JobsDue(ctx)
			if err != nil || count != wantCount || db.Now().Sub(since) != wantAge {
				t.Errorf("%d jobs due for %s (%v), want %d for %s",
					count, db.Now().Sub(since), err, wantCount, wantAge)
			}
		}
		due(0, 0)
		for range 2 {
			if err := db.Enqueue(ctx, "test", nil, ""); err != nil {
				t.Fatal(err)
			}
			p.Clock.Advance(time.Minute)
		}
		due(2, 2*time.Minute)
		job, ok, err := db.ClaimJob(ctx, time.Minute, store.OtherQueue)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := db.RetryJob(ctx, job, time.Hour, "not now"); err != nil {
			t.Fatal(err)
		}
		due(1, time.Minute) // without the one that is retried later

		for range 3 {
			if err := db.Note(ctx, hospital.AuditEntry{Action: "test.read", Entity: "test"}); err != nil {
				t.Fatal(err)
			}
		}
		rejected := hospital.AuditEntry{Action: "test.read", Entity: "test", Outcome: hospital.OutcomeRefused}
		if err := db.Note(ctx, rejected); err != nil {
			t.Fatal(err)
		}
		want := map[store.EntryKind]int64{
			{Action: "test.read", Outcome: hospital.OutcomeOK}:      3,
			{Action: "test.read", Outcome: hospital.OutcomeRefused}: 1,
		}
		if d := cmp.Diff(want, db.EntriesWritten()); d != "" {
			t.Errorf("entries (-want +got):\n%s", d)
		}
		if pools := db.Pools(); len(pools) == 0 || pools[0].Idle == 0 {
			t.Errorf("pools: %+v", pools)
		}
	})
}
