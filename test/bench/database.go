package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	_ "modernc.org/sqlite"             // the driver

	"nadmor/test/product"
)

// size is the size of a hospital.
type size struct{ Appointments, Patients int }

func (s size) name() string { return fmt.Sprintf("%d_%d_%d", s.Appointments, s.Patients, seed) }

// seed makes all hospitals the same.
const seed = 2569

// services is the number of clinics of every hospital, because the cost of a month depends on it.
const services = 24

// database is the data of a server: a folder and, for PostgreSQL, a database.
type database struct {
	engine string
	dir    string
	url    string // of PostgreSQL
}

func (d database) storage() product.Storage { return product.Storage{Dir: d.dir, URL: d.url} }

func (d database) env() []string { return d.storage().Env() }

// open connects as the floor does.
func (d database) open() (*sql.DB, error) {
	if d.engine == postgres {
		return sql.Open("pgx", d.url)
	}
	return sql.Open("sqlite", "file:"+filepath.Join(d.dir, "nadmor.db")+"?"+url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "temp_store(MEMORY)",
		"cache_size(-16000)", "mmap_size(268435456)",
	}}.Encode())
}

const (
	sqlite   = "SQLite"
	postgres = "PostgreSQL"
)

// cache holds hospitals that were filled before.
type cache struct {
	dir    string
	binary string
	server string // of PostgreSQL; empty for none
}

func (c cache) at(engine, name string) (database, error) {
	d := database{engine: engine, dir: filepath.Join(c.dir, strings.ToLower(engine)+"_"+name)}
	if engine == postgres {
		u, err := url.Parse(c.server)
		if err != nil {
			return d, fmt.Errorf("read NADMOR_TEST_POSTGRES: %w", err)
		}
		u.Path = "/bench_" + name
		d.url = u.String()
	}
	return d, nil
}

// onServer calls fn with a connection to the PostgreSQL server.
func (c cache) onServer(fn func(*sql.DB) error) error {
	db, err := sql.Open("pgx", c.server)
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}

// hospital returns a filled database and creates it if there is none. An interrupted run leaves nothing that
// looks complete. Only growth is measured in it, everything else in a copy.
func (c cache) hospital(ctx context.Context, engine string, s size) (database, error) {
	filled, err := c.at(engine, s.name())
	if err != nil {
		return filled, err
	}
	found, err := c.exists(ctx, filled)
	if err != nil {
		return filled, err
	}
	if found {
		return filled, c.addServices(ctx, filled)
	}
	part, err := c.at(engine, s.name()+"_part")
	if err != nil {
		return part, err
	}
	if err := c.drop(ctx, part); err != nil {
		return part, err
	}
	if engine == postgres {
		if err := c.onServer(func(db *sql.DB) error {
			_, err := db.ExecContext(ctx,
				`CREATE DATABASE bench_`+s.name()+
					`_part ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' LC_COLLATE 'C.UTF-8' TEMPLATE template0`)
			return err
		}); err != nil {
			return part, err
		}
	}
	fmt.Fprintf(os.Stderr, "%s: filling a hospital of %d patients and %d appointments …\n", engine, s.Patients,
		s.Appointments)
	began := time.Now()
	args := []string{
		"demo", fmt.Sprint("--patients=", s.Patients), fmt.Sprint("--appointments=", s.Appointments),
		fmt.Sprint("--seed=", seed),
	}
	cmd := exec.CommandContext(ctx, c.binary, args...) //nolint:gosec // the binary under test
	cmd.Env, cmd.Stderr = append(os.Environ(), part.env()...), os.Stderr
	if err := cmd.Run(); err != nil {
		return part, fmt.Errorf("fill the hospital: %w", err)
	}
	fmt.Fprintf(os.Stderr, "%s: filled in %.0f s\n", engine, time.Since(began).Seconds())
	if err := c.addServices(ctx, part); err != nil {
		return part, fmt.Errorf("add services: %w", err)
	}
	if engine == postgres {
		if err := c.onServer(func(db *sql.DB) error {
			_, err := db.ExecContext(ctx, `ALTER DATABASE bench_`+s.name()+`_part RENAME TO bench_`+s.name())
			return err
		}); err != nil {
			return part, err
		}
	}
	return filled, os.Rename(part.dir, filled.dir)
}

// there reports whether a hospital was filled before.
func (c cache) exists(ctx context.Context, d database) (bool, error) {
	if _, err := os.Stat(d.dir); err != nil {
		return false, nil //nolint:nilerr // what cannot be looked at is made again
	}
	if d.engine != postgres {
		return true, nil
	}
	var n int
	err := c.onServer(func(db *sql.DB) error {
		return db.QueryRowContext(ctx, `SELECT count(*) FROM pg_database WHERE datname = $1`, d.name()).Scan(&n)
	})
	return n == 1, err
}

// name returns the name of the database on its server.
func (d database) name() string {
	u, err := url.Parse(d.url)
	if err != nil {
		panic(err) // our own URL
	}
	return strings.TrimPrefix(u.Path, "/")
}

// drop removes a database and its folder.
func (c cache) drop(ctx context.Context, d database) error {
	if d.engine == postgres {
		if err := c.onServer(func(db *sql.DB) error {
			_, err := db.ExecContext(ctx, `DROP DATABASE IF EXISTS `+d.name()+` WITH (FORCE)`)
			return err
		}); err != nil {
			return err
		}
	}
	return os.RemoveAll(d.dir)
}

// copy returns a writable copy of a database.
func (c cache) copy(ctx context.Context, from database, s size, name string) (database, error) {
	to, err := c.at(from.engine, name)
	if err != nil {
		return to, err
	}
	if err := c.drop(ctx, to); err != nil {
		return to, err
	}
	if from.engine == postgres {
		if err := c.onServer(func(db *sql.DB) error {
			_, err := db.ExecContext(ctx, `CREATE DATABASE bench_`+name+` TEMPLATE bench_`+s.name())
			return err
		}); err != nil {
			return to, err
		}
	}
	return to, os.CopyFS(to.dir, os.DirFS(from.dir))
}

// addServices adds clinics with capacity for all bookings of the benchmark, one of them open day and night,
// unless they exist.
func (c cache) addServices(ctx context.Context, d database) error {
	if own, err := d.storage().Ints(ctx, ownServices); err != nil || len(own) > 0 {
		return err
	}
	p, err := product.Start(ctx, d.env(), c.binary, "serve")
	if err != nil {
		return err
	}
	t := newTarget(p.Base, func() time.Duration { return 0 })
	if err := t.signIn(ctx, sample{}); err != nil {
		return errors.Join(err, p.Stop())
	}
	var buf bytes.Buffer
	if err := t.call(ctx, request{method: "GET", path: "/admin/api/v1/service-config/list"}, &buf); err != nil {
		return errors.Join(err, p.Stop())
	}
	found := bytes.Count(buf.Bytes(), []byte(`"code":"`))
	for i := range max(services-found, 4) {
		week := []map[string]any{}
		for day := range 7 {
			if i == 0 {
				week = append(week, map[string]any{
					"weekday": day, "startTime": "00:00", "endTime": "12:00", "slotMinutes": 720, "capacity": 1000,
				},
					map[string]any{"weekday": day, "startTime": "12:00", "endTime": "23:59", "slotMinutes": 719, "capacity": 1000})
			} else {
				week = append(week, map[string]any{"weekday": day, "startTime": "08:00", "endTime": "16:00"})
			}
		}
		if err := t.call(ctx, post("/admin/api/v1/service-config/create", map[string]any{
			"code": fmt.Sprintf("BENCH%02d", i), "name": fmt.Sprintf("คลินิกทดสอบ %d", i), "slotMinutes": slotMinutes,
			"defaultCapacity":   1000,
			"bookingWindowDays": 730, "leadMinutes": 0, "color": "#0f766e", "active": true, "schedule": week,
		}, nil), &buf); err != nil {
			return errors.Join(err, p.Stop())
		}
	}
	return p.Stop()
}

const ownServices = `SELECT id FROM services WHERE code LIKE 'BENCH%' ORDER BY code`

// sampleOf reads the data that requests are made of. Bookings start after the last booked day.
func sampleOf(ctx context.Context, d database) (s sample, err error) {
	db, err := d.open()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.QueryRowContext(ctx, `SELECT max(id) FROM patients`).Scan(&s.Patients); err != nil {
		return s, err
	}
	step := max(s.Patients/5000, 1)
	rows, err := db.QueryContext(ctx, `SELECT id, id_card, last_name FROM patients WHERE id % $1 = 0
		AND deleted_at IS NULL`, step)
	if err != nil {
		return s, err
	}
	defer rows.Close() // Err is checked below
	for rows.Next() {
		var id int64
		var card, name string
		if err := rows.Scan(&id, &card, &name); err != nil {
			return s, err
		}
		s.IDs = append(s.IDs, id)
		if card != "" {
			s.Cards = append(s.Cards, card)
		}
		if f := fragmentOf(name); f != "" {
			s.Fragments = append(s.Fragments, f)
		}
	}
	if err := rows.Err(); err != nil {
		return s, err
	}
	if s.Services, err = d.storage().Ints(ctx, ownServices); err != nil {
		return s, err
	}
	if len(s.Services) < 2 || len(s.Cards) == 0 || len(s.Fragments) == 0 {
		return s, fmt.Errorf("%s: the hospital has nothing to measure with, remove it", d.dir)
	}
	s.WalkIn, s.Services = s.Services[0], s.Services[1:]
	var last string
	if err := db.QueryRowContext(ctx, `SELECT max(date) FROM day_totals`).Scan(&last); err != nil {
		return s, err
	}
	day, err := time.Parse(time.DateOnly, last)
	if err != nil {
		return s, err
	}
	now := time.Now().In(bangkok)
	s.Today = now.Format(time.DateOnly)
	if day.Sub(now) > 600*24*time.Hour {
		return s, fmt.Errorf("%s: booked two years ahead by earlier runs, remove it", d.dir)
	}
	s.Days, err = openDays(ctx, db, day)
	return s, err
}

// openDays returns the days after a date without closures.
func openDays(ctx context.Context, db *sql.DB, after time.Time) (days []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT date_from, date_to FROM closures WHERE date_to > $1`,
		after.Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	defer rows.Close() // Err is checked below
	var closed [][2]string
	for rows.Next() {
		var c [2]string
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			return nil, err
		}
		closed = append(closed, c)
	}
	for day := after.AddDate(0, 0, 1); len(days) < benchDays; day = day.AddDate(0, 0, 1) {
		date := day.Format(time.DateOnly)
		if !slices.ContainsFunc(closed, func(c [2]string) bool { return c[0] <= date && date <= c[1] }) {
			days = append(days, date)
		}
	}
	return days, rows.Err()
}

// fragmentOf returns four letters of a name without the first and without marks, which match in several ways.
func fragmentOf(name string) string {
	letters := []rune(name)
	for i := 1; i+4 <= len(letters); i++ {
		if !slices.ContainsFunc(letters[i:i+4], func(r rune) bool { return !unicode.IsLetter(r) }) {
			return string(letters[i : i+4])
		}
	}
	return ""
}

var bangkok = time.FixedZone("Asia/Bangkok", 7*60*60)

// postmaster returns the main process of the PostgreSQL server.
func (d database) postmaster(ctx context.Context) (pid int, err error) {
	if d.engine != postgres {
		return 0, nil
	}
	db, err := d.open()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var own int
	if err := db.QueryRowContext(ctx, `SELECT pg_backend_pid()`).Scan(&own); err != nil {
		return 0, err
	}
	return product.Parent(own), nil // 0 on another machine: its CPU time is not counted
}
