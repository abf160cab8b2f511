package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

// Records are what a hospital begins with.
type Records struct {
	// Patients are known to be different. Their ids are 1, 2, 3… in this order,
	// and so are their numbers.
	Patients iter.Seq[hospital.PatientFields]
	// Appointments were made elsewhere or before. They are written as they are, with
	// their numbers, seats, queues, totals and the beginning of their history.
	Appointments iter.Seq[hospital.Appointment]
	// Counters are the last numbers of the series, from which new ones go on.
	Counters map[string]int64
}

// unfinishedLoad is among the counters while a hospital is loaded.
const unfinishedLoad = "unfinished load"

// loadedTables get most of the rows.
var loadedTables = []string{"patients", "patient_search", "appointments", "appointment_history"}

// LoadHospital fills a database that has neither patients nor appointments yet:
// IN_USE otherwise. Rows are written without indexes, which are then made of all
// of them at once. That takes many transactions; a database for which they did
// not all come to pass is not opened again. progress may be nil; it is told of
// appointments, patients and indexes, with 0 where it is not known of how many.
func (db *DB) LoadHospital(ctx context.Context, in Records, progress func(kind string, n, of int)) (err error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	l := hospitalLoad{db: db, services: map[int64]bool{}}
	// SQLite sorts in as much memory as its cache has, and then in files.
	if err := db.pragmas("foreign_keys = OFF", "temp_store = FILE"); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, db.pragmas("foreign_keys = ON", "temp_store = MEMORY"))
	}()
	if err := l.begin(ctx); err != nil {
		return err
	}
	// Appointments first: they tell when a patient was here last.
	if _, err := db.writeAppointments(ctx, in.Appointments, l.saw, func(n int) { progress("appointments", n, 0) }); err != nil {
		return err
	}
	if err := l.writePatients(ctx, in.Patients, func(n int) { progress("patients", n, 0) }); err != nil {
		return err
	}
	if err := l.check(ctx); err != nil {
		return err
	}
	return l.end(ctx, in.Counters, func(n, of int) { progress("indexes", n, of) })
}

// refuseUnfinished refuses a database that is being loaded or restored, or was
// when something broke that off.
func (db *DB) refuseUnfinished(ctx context.Context) error {
	var loading, restoring int
	if err := db.read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM counters WHERE series = $1), (SELECT count(*) FROM counters WHERE series = $2)`, unfinishedLoad, unfinishedRestore).Scan(&loading, &restoring); err != nil {
		return mapError(err)
	}
	switch {
	case loading > 0:
		return errors.New("this database is being filled, or was and that was broken off: it is not whole; unless that still goes on, start again with an empty one")
	case restoring > 0:
		return errors.New("a backup is being restored into this database, or was and that was broken off: it is not whole; unless that still goes on, restore it again")
	}
	return nil
}

// pragmas are settings of SQLite's writing connection.
func (db *DB) pragmas(list ...string) error {
	if db.writer == nil {
		return nil
	}
	db.writer.mu.Lock()
	defer db.writer.mu.Unlock()
	for _, pragma := range list {
		if err := db.writer.exec("PRAGMA " + pragma); err != nil {
			return fmt.Errorf("set %s: %w", pragma, err)
		}
	}
	return nil
}

// hospitalLoad is a hospital on its way into an empty database.
type hospitalLoad struct {
	db        *DB
	taken     []definition
	patients  int            // written
	lastVisit []string       // of each patient who has appointments, empty for never; the first is nobody's
	services  map[int64]bool // that have appointments
}

// definition is how something of the schema is taken away and made again.
type definition struct{ drop, create string }

// begin takes away what is made of all rows more quickly than of one after the
// other.
func (l *hospitalLoad) begin(ctx context.Context) error {
	return l.db.load(ctx, func(tx *Tx) error {
		for _, table := range []string{"patients", "appointments"} {
			if there, err := tx.lastID(table); err != nil || there > 0 {
				return errors.Join(err, hospital.Refuse(hospital.InUse).With("count", there))
			}
		}
		if _, err := tx.exec(`INSERT INTO counters (series, value) VALUES ($1, 1)`, unfinishedLoad); err != nil {
			return fmt.Errorf("begin to load: %w", err)
		}
		var err error
		if l.taken, err = tx.definitions(loadedTables); err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
		for _, d := range l.taken {
			if _, err := tx.exec(d.drop); err != nil {
				return fmt.Errorf("%s: %w", d.drop, err)
			}
		}
		return nil
	})
}

// definitions are the indexes of tables, but for those of primary keys, and
// behind them PostgreSQL's foreign keys.
func (tx *Tx) definitions(tables []string) ([]definition, error) {
	var f filter
	var query string
	if tx.db.dialect.name == "postgres" {
		f.in("relname", texts(tables))
		here := `JOIN pg_class c ON c.relnamespace = current_schema()::regnamespace AND c.oid = `
		query = `SELECT 'DROP INDEX ' || indexrelid::regclass, pg_get_indexdef(indexrelid), 1 FROM pg_index ` + here + `indrelid ` + f.where() + ` AND NOT indisprimary
			UNION ALL SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', relname, conname), format('ALTER TABLE %I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(k.oid)), 2
			FROM pg_constraint k ` + here + `conrelid ` + f.where() + ` AND contype = 'f' ORDER BY 3, 1`
	} else {
		f.in("tbl_name", texts(tables))
		query = `SELECT 'DROP INDEX ' || name, sql, 1 FROM sqlite_schema ` + f.where() + ` AND type = 'index' AND sql IS NOT NULL ORDER BY tbl_name, name`
	}
	rows, err := tx.query(query, f.args...)
	var step int
	return scanAll(rows, err, func(d *definition) []any { return []any{&d.drop, &d.create, &step} })
}

// saw remembers of an appointment whose it is, and where.
func (l *hospitalLoad) saw(a hospital.Appointment) {
	l.services[a.ServiceID] = true
	for int64(len(l.lastVisit)) <= a.PatientID {
		l.lastVisit = append(l.lastVisit, "")
	}
	if a.Status.Visited() {
		l.lastVisit[a.PatientID] = max(l.lastVisit[a.PatientID], a.Date)
	}
}

// check refuses what foreign keys would have.
func (l *hospitalLoad) check(ctx context.Context) error {
	if len(l.lastVisit) > l.patients+1 {
		return fmt.Errorf("load appointments: there is no patient %d", len(l.lastVisit)-1)
	}
	rows, err := l.db.read.QueryContext(ctx, `SELECT id FROM services`)
	ids, err := scanAll(rows, err, func(id *int64) []any { return []any{id} })
	if err != nil {
		return mapError(err)
	}
	for id := range l.services {
		if !slices.Contains(ids, id) {
			return fmt.Errorf("load appointments: there is no service %d", id)
		}
	}
	return nil
}

// writePatients writes people with numbers that follow each other.
func (l *hospitalLoad) writePatients(ctx context.Context, people iter.Seq[hospital.PatientFields], progress func(n int)) error {
	setting, err := l.db.Setting(ctx)
	if err != nil {
		return err
	}
	made := patientRows{format: hospital.NumberFormat(setting.HNFormat), now: l.db.Now(), lastVisit: l.lastVisit}
	next, stop := iter.Pull(chunks(ctx, people, loaded, made.prepare))
	defer stop()
	chunk, more := next()
	for more {
		done := 0
		err := l.db.load(ctx, func(tx *Tx) error {
			for ; more && done < loadedTogether; chunk, more = next() {
				if err := tx.copyIn("patients", loadedPatient, chunk.records, ""); err != nil {
					return fmt.Errorf("load patients: %w", err)
				}
				if err := tx.copyIn("patient_search", []string{"rowid", "doc"}, chunk.docs, ""); err != nil {
					return fmt.Errorf("index patients: %w", err)
				}
				done += len(chunk.records)
				progress(l.patients + done)
			}
			tx.patients += done
			tx.noteEntry(hospital.AuditEntry{Action: "patient.import", Entity: "patient", Changes: map[string]hospital.Change{"new": {After: done}}})
			last := int64(l.patients + done)
			if err := tx.givenUpTo("patients", last); err != nil {
				return err
			}
			_, err := tx.exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = $2`, "hn "+made.format.Series(made.now), last)
			return err
		})
		if err != nil {
			return err
		}
		l.patients += done
	}
	return ctx.Err()
}

var loadedPatient = func() []string {
	names := []string{"id", "created_at", "updated_at", "last_visit"}
	for _, c := range append(patientColumns(hospital.PatientFields{}), patientKeys(hospital.PatientFields{})...) {
		names = append(names, c.name)
	}
	return names
}()

// patientRows makes rows of people.
type patientRows struct {
	format    hospital.NumberFormat
	now       time.Time
	lastVisit []string
	id        int64
}

// loadedPatients are some people as they are written, with what is searched in
// them.
type loadedPatients struct{ records, docs [][]any }

func (r *patientRows) prepare(people []hospital.PatientFields) (rows loadedPatients) {
	for _, p := range people {
		r.id++
		p = p.Clean()
		p.HN = r.format.Format(r.now, r.id)
		var visit any
		if r.id < int64(len(r.lastVisit)) && r.lastVisit[r.id] != "" {
			visit = r.lastVisit[r.id]
		}
		record := append(make([]any, 0, len(loadedPatient)), r.id, ms(r.now), ms(r.now), visit)
		for _, c := range append(patientColumns(p), patientKeys(p)...) {
			record = append(record, c.value)
		}
		rows.records, rows.docs = append(rows.records, record), append(rows.docs, []any{r.id, searchDoc(p)})
	}
	return rows
}

// end makes again what was taken away.
func (l *hospitalLoad) end(ctx context.Context, counters map[string]int64, progress func(n, of int)) error {
	of := len(l.taken) + 1
	for i, d := range l.taken {
		progress(i, of)
		if err := l.db.load(ctx, d.make); err != nil {
			return err
		}
	}
	progress(of-1, of)
	err := l.db.load(ctx, func(tx *Tx) error {
		if err := tx.passNumbers(counters); err != nil {
			return err
		}
		_, err := tx.exec(`DELETE FROM counters WHERE series = $1`, unfinishedLoad)
		return err
	})
	if err != nil {
		return err
	}
	if err := l.db.tidy(ctx); err != nil {
		return fmt.Errorf("tidy up: %w", err)
	}
	progress(of, of)
	return nil
}

func (d definition) make(tx *Tx) error {
	if tx.db.dialect.name == "postgres" {
		if _, err := tx.exec(`SET LOCAL maintenance_work_mem = '512MB'`); err != nil {
			return err
		}
	}
	if _, err := tx.exec(d.create); err != nil {
		return fmt.Errorf("%s: %w", d.create, err)
	}
	return nil
}

// tidy leaves the database as it would be after some nights. PostgreSQL is told
// how many rows there are and how they differ. SQLite is not: with ANALYZE it
// thinks better of reading a list in the order of its index, joins the other way
// round, and sorts a million appointments to show fifty.
func (db *DB) tidy(ctx context.Context) error {
	if db.writer == nil {
		_, err := db.write.ExecContext(ctx, `VACUUM (ANALYZE) `+strings.Join(loadedTables, ", ")+`, slots, day_totals, queues`)
		return mapError(err)
	}
	err := db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO patient_search (patient_search) VALUES ('optimize')`)
		return err
	})
	if err != nil {
		return err
	}
	return db.pragmas("wal_checkpoint(TRUNCATE)")
}
