package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// floor is a server that does only what the response needs: the prepared statements of the operation, and
// JSON written by hand. It has no sessions, checks, history, audit log, idempotency or events. It serves the
// same requests on the same tables with the same durability, so the difference to the product is the cost of
// the product's guarantees.
type floor struct {
	db     *sql.DB
	engine string
	write  *sql.Conn     // SQLite's only writer
	jobs   chan floorJob // waiting for the writer
	number atomic.Int64
	s      map[string]prepared // by the names of floorQueries, for reading
	w      map[string]prepared // for SQLite's writer
}

// prepared is a statement that stays open as long as its connections.
type prepared struct{ *sql.Stmt }

type floorJob struct {
	do   func(context.Context, func(string) prepared) error
	done chan error
}

// runFloor serves the floor until ctx ends.
func runFloor(ctx context.Context) (err error) {
	d := database{engine: os.Getenv("BENCH_ENGINE"), dir: os.Getenv("NADMOR_DATA"), url: os.Getenv("NADMOR_DATABASE_URL")}
	db, err := d.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f := &floor{db: db, engine: d.engine, s: map[string]prepared{}, w: map[string]prepared{}}
	conns := max(16, 8*runtime.NumCPU())
	if d.engine == sqlite {
		conns = max(4, 2*runtime.NumCPU()) + 1
		if f.write, err = db.Conn(ctx); err != nil {
			return err
		}
		f.jobs = make(chan floorJob, 1024)
		go f.writer(ctx)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	for name, query := range floorQueries {
		if d.engine == sqlite { // like the product: planned once, not for each pattern
			query = strings.ReplaceAll(query, "doc LIKE $1", "doc LIKE +$1")
		}
		if err := f.prepare(ctx, name, query); err != nil {
			return fmt.Errorf("prepare %s: %w", name, err)
		}
	}
	f.number.Store(time.Now().UnixMilli())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	for path, fn := range map[string]func(context.Context, *http.Request, []byte) ([]byte, error){
		"POST " + visits + "/create": f.create, "POST " + visits + "/mark-status": f.markStatus,
		"POST " + visits + "/list": f.listVisits, "POST " + visits + "/calendar-list": f.calendar,
		"POST " + patients + "/search": f.search("fragment"), "POST " + patients + "/search/whole": f.search("whole"),
		"POST " + patients + "/list-id-card": f.byCard, "GET " + patients + "/{id}": f.readPatient,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			answer, err := fn(r.Context(), r, make([]byte, 0, 4096))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer) // the client may have disconnected
		})
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", os.Getenv("NADMOR_ADDR"))
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop, cancel := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer cancel()
	go func() {
		<-stop.Done()
		_ = server.Close() // all requests are answered
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (f *floor) prepare(ctx context.Context, name, query string) error {
	stmt, err := f.db.PrepareContext(ctx, query)
	f.s[name] = prepared{stmt}
	if err == nil && f.write != nil {
		stmt, err = f.write.PrepareContext(ctx, query)
		f.w[name] = prepared{stmt}
	}
	return err
}

// writer runs all waiting jobs in one transaction, to share the commit.
func (f *floor) writer(ctx context.Context) {
	stmt := func(name string) prepared { return f.w[name] }
	for job := range f.jobs {
		group := []floorJob{job}
		for more := true; more && len(group) < 64; {
			select {
			case next := <-f.jobs:
				group = append(group, next)
			default:
				more = false
			}
		}
		_, err := f.write.ExecContext(ctx, "BEGIN IMMEDIATE")
		for _, job := range group {
			if err == nil {
				err = job.do(ctx, stmt)
			}
		}
		if err == nil {
			_, err = f.write.ExecContext(ctx, "COMMIT")
		} else {
			_, _ = f.write.ExecContext(ctx, "ROLLBACK") // the error above is returned
		}
		for _, job := range group {
			job.done <- err
		}
	}
}

// change runs a transaction.
func (f *floor) change(ctx context.Context, do func(context.Context, func(string) prepared) error) error {
	if f.write != nil {
		job := floorJob{do, make(chan error, 1)}
		f.jobs <- job
		return <-job.done
	}
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(ctx, func(name string) prepared { return prepared{tx.StmtContext(ctx, f.s[name].Stmt)} }); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
