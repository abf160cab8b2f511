package jobs

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// manyFiles is a file store that lists files without storing them, and records deletions.
type manyFiles struct {
	files.Store
	keys    []string
	old     time.Time
	looked  func(n int) // called before each file is listed
	deleted map[string]bool
}

func (m *manyFiles) List(_ context.Context, kind files.Kind) iter.Seq2[files.Info, error] {
	return func(yield func(files.Info, error) bool) {
		if kind != files.Results {
			return
		}
		for i, key := range m.keys {
			m.looked(i)
			if !yield(files.Info{Key: key, ModTime: m.old}, nil) {
				return
			}
		}
	}
}

func (m *manyFiles) Delete(_ context.Context, key string) error {
	m.deleted[key] = true
	return nil
}

// eachWithFiles runs fn on each engine with a runner, n result files older than a day, and another node with
// the same jobs. asked counts the queries about results.
func eachWithFiles(t *testing.T, n int,
	fn func(t *testing.T, p storetest.Database, many *manyFiles, r, other *Runner, log *logBuffer, asked *int)) {
	t.Helper()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		asked, counted := 0, p
		counted.Options.Observe = func(query string, _ []any) {
			if strings.Contains(query, "FROM results") {
				asked++
			}
		}
		db := counted.Open(t)
		storetest.SetUp(t, db)
		r, log := newRunner(t, db, nil)
		other, _ := newRunner(t, p.Open(t), nil)
		many := &manyFiles{Store: r.Files, old: p.Clock.Now().Add(-2 * unusedFor), deleted: map[string]bool{}}
		for range n {
			many.keys = append(many.keys, files.NewKey(files.Results, ".pdf"))
		}
		r.Files = many
		fn(t, p, many, r, other, log, &asked)
	})
}

// The clean-up may take longer than a lease. It is not taken over meanwhile, and does not query the database
// for each file.
func TestCleanUpRenewsLease(t *testing.T) {
	t.Parallel()
	const n = 4*filesAtOnce + 1
	eachWithFiles(t, n,
		func(t *testing.T, p storetest.Database, many *manyFiles, r, other *Runner, log *logBuffer, asked *int) {
			ctx := storetest.ActAs(t, r.DB, "admin")
			visit := storetest.Book(t, r.DB, ctx, storetest.AddPatient(t, r.DB, "สมชาย"), storetest.AddService(t, r.DB, "GP", 5),
				hospital.AddDays(r.DB.Today(), 7), "10:00")
			used := many.keys[n/2]
			if _, err := r.DB.AddResult(ctx, hospital.NewResult{
				AppointmentID: visit.ID,
				File: &hospital.StoredFile{
					Key: used, ResultFile: hospital.ResultFile{Name: "ผล.pdf", ContentType: "application/pdf"},
				},
			}); err != nil {
				t.Fatal(err)
			}
			*asked = 0
			began := p.Clock.Now()
			many.looked = func(i int) {
				p.Clock.Advance(time.Second)
				if i%50 == 0 {
					drain(t, other)
				}
			}
			drain(t, r)
			if took := p.Clock.Now().Sub(began); took < 2*lease {
				t.Fatalf("it took %s, less than it should for this test", took)
			}
			if job := oneRow(t, p, store.JobCleanUp); !job.Done || job.Attempts != 1 {
				t.Errorf("the job is left as %+v\n%s", job, log)
			}
			if len(many.deleted) != n-1 || many.deleted[used] {
				t.Errorf("%d of %d files were deleted, that of a result: %t", len(many.deleted), n, many.deleted[used])
			}
			if *asked != n/filesAtOnce+1 {
				t.Errorf("the database was asked %d times about %d files", *asked, n)
			}
		})
}

// A node that resumes after its job was taken over does not continue it.
func TestCleanUpStopsWhenTakenOver(t *testing.T) {
	t.Parallel()
	eachWithFiles(t, 2*filesAtOnce,
		func(t *testing.T, p storetest.Database, many *manyFiles, r, other *Runner, log *logBuffer, _ *int) {
			many.looked = func(i int) {
				if i == filesAtOnce {
					p.Clock.Advance(lease)
					drain(t, other)
				}
			}
			drain(t, r)
			if job := oneRow(t, p, store.JobCleanUp); !job.Done || job.Attempts != 2 || job.LastError != "" {
				t.Errorf("the job is left as %+v", job)
			}
			if len(many.deleted) != filesAtOnce || !strings.Contains(log.String(), "job taken over by another node") {
				t.Errorf("it went on to delete %d files:\n%s", len(many.deleted), log)
			}
		})
}

// A node whose lease expired while it ran a job does not store the result: the job belongs to the node that has
// claimed it since. The first node logs that once, and counts nothing.
func TestResultOfExpiredLeaseIsDiscarded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		down, stop bool          // the mail server; the first node
		expired    time.Duration // time since the job was claimed
	}{
		{"done", false, false, lease},
		{"failed", true, false, lease},
		{"abandoned", true, false, maxRetryTime},
		{"released", false, true, lease},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
				ctx, stop := context.WithCancel(hospital.WithActor(t.Context(), hospital.System))
				defer stop()
				r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
				s.set(func(s *sink) { s.down = c.down })
				r.Count = func(kind, result string) { t.Errorf("counted %s of %s", result, kind) }
				other, link := p.Open(t), r.Link
				var claimed store.Job
				r.Link = func(token string) string {
					p.Clock.Advance(c.expired)
					var ok bool
					var err error
					if claimed, ok, err = other.ClaimJob(t.Context(), lease, store.MailQueue); err != nil || !ok {
						t.Errorf("the other node could not claim the job: %v", err)
					}
					if c.stop {
						stop()
					}
					return link(token)
				}
				requestReset(t, db, "somchai@hospital.example")
				if worked, err := r.step(ctx, store.MailQueue); !worked || err != nil {
					t.Fatalf("worked %t, %v", worked, err)
				}
				job := oneRow(t, p, store.JobMailReset)
				if job.Done || job.Attempts != 2 || job.Leased <= p.Clock.Now().UnixMilli() || job.LastError != "" ||
					job.Payload == "{}" {
					t.Errorf("the job of the other node was changed: %+v", job)
				}
				if text := log.String(); strings.Count(text, "\n") != 1 ||
					!strings.Contains(text, "job taken over by another node") {
					t.Errorf("logged:\n%s", text)
				}
				user, err := db.UserByEmail(t.Context(), "somchai@hospital.example")
				if err != nil || user.ResetRequestedAt != nil {
					t.Errorf("the user is recorded as waiting for a link: %v, %v", user.ResetRequestedAt, err)
				}
				if err := other.FinishJob(t.Context(), claimed); err != nil {
					t.Errorf("the other node could not finish the job: %v", err)
				}
			})
		})
	}
}

func TestProgressExtendsTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h := &jobLease{
			renew: func(context.Context) error { return nil }, now: time.Now, renewed: time.Now(),
			timer: time.AfterFunc(progressTimeout, cancel),
		}
		for range 10 {
			time.Sleep(progressTimeout - time.Second) // in the synctest bubble
			if err := h.renewLease(ctx); err != nil || ctx.Err() != nil {
				t.Fatalf("a job that makes progress is interrupted: %v, %v", err, ctx.Err())
			}
		}
		time.Sleep(progressTimeout + time.Second)
		if ctx.Err() == nil {
			t.Error("a job without progress is not interrupted")
		}
	})
}
