package load

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// Records are the initial records of a hospital.
type Records struct {
	// Patients are distinct people. Their ids and HNs are 1, 2, 3… in this order.
	Patients iter.Seq[hospital.PatientFields]
	// Appointments are written as they are, with their numbers, seats, queue numbers, totals and history.
	Appointments iter.Seq[hospital.Appointment]
	// Counters are the last numbers of the series of appointment numbers.
	Counters map[string]int64
}

// loadedTables get most of the rows.
var loadedTables = []string{"patients", "patient_search", "appointments", "appointment_history"}

// Hospital fills a database that has neither patients nor appointments. It returns IN_USE
// otherwise. The indexes are dropped, and created again after all rows are written. That takes many
// transactions; a partially loaded database cannot be opened again. progress may be nil. It is called
// with "appointments", "patients" or "indexes", their number and their total, which is 0 if unknown.
func Hospital(
	ctx context.Context, db *store.DB, in Records, progress func(kind string, n, of int),
) (err error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	l := hospitalLoad{db: db, services: map[int64]bool{}}
	// SQLite sorts the rows of a new index in its cache or in files.
	if err := setPragmas(ctx, db, "foreign_keys = OFF", "temp_store = FILE"); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, setPragmas(context.WithoutCancel(ctx), db, "foreign_keys = ON", "temp_store = MEMORY"))
	}()
	if err := l.begin(ctx); err != nil {
		return err
	}
	// Appointments first: patients contain the date of the last visit.
	_, err = writeAppointments(ctx, db, in.Appointments, l.observe, func(n int) { progress("appointments", n, 0) })
	if err != nil {
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

// setPragmas sets pragmas of SQLite's writing connection.
func setPragmas(ctx context.Context, db *store.DB, list ...string) error {
	if !isSQLite(db) {
		return nil
	}
	statements := make([]string, len(list))
	for i, pragma := range list {
		statements[i] = "PRAGMA " + pragma
	}
	return db.Maintain(ctx, statements...)
}

// hospitalLoad is the state of Hospital.
type hospitalLoad struct {
	db        *store.DB
	dropped   []definition
	patients  int            // written
	lastVisit []string       // by the id of a patient, empty for none
	services  map[int64]bool // that have appointments
}

// definition holds the statements that drop and create an index or a foreign key.
type definition struct{ drop, create string }

// begin marks the database as unfinished and drops the indexes and foreign keys of the loaded tables.
func (l *hospitalLoad) begin(ctx context.Context) error {
	return change(ctx, l.db, func(tx *store.Tx) error {
		for _, table := range []string{"patients", "appointments"} {
			last, err := lastID(tx, table)
			if err != nil {
				return err
			}
			if last > 0 {
				return hospital.Reject(hospital.InUse).With("count", last)
			}
		}
		tx.Exec(`INSERT INTO counters (series, value) VALUES ($1, 1)`, store.UnfinishedLoad)
		var err error
		if l.dropped, err = l.definitions(tx); err != nil {
			return err
		}
		for _, d := range l.dropped {
			tx.Exec(d.drop)
		}
		return nil
	})
}

// definitions returns the indexes of the loaded tables, except those of primary keys, and then the foreign
// keys on PostgreSQL.
func (l *hospitalLoad) definitions(tx *store.Tx) ([]definition, error) {
	query := `SELECT 'DROP INDEX ' || name, sql FROM sqlite_schema WHERE ` + in("tbl_name", loadedTables) + `
		AND type = 'index' AND sql IS NOT NULL ORDER BY tbl_name, name`
	if !isSQLite(l.db) {
		const class = `JOIN pg_class c ON c.relnamespace = current_schema()::regnamespace AND c.oid = `
		where := ` WHERE ` + in("relname", loadedTables)
		query = `SELECT gone, made FROM (
				SELECT 1 AS step, 'DROP INDEX ' || indexrelid::regclass AS gone, pg_get_indexdef(indexrelid) AS made
				FROM pg_index ` + class + `indrelid` + where + ` AND NOT indisprimary
				UNION ALL
				SELECT 2, format('ALTER TABLE %I DROP CONSTRAINT %I', relname, conname),
					format('ALTER TABLE %I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(k.oid))
				FROM pg_constraint k ` + class + `conrelid` + where + ` AND contype = 'f'
			) all_of_them ORDER BY step, gone`
	}
	return sqldb.Collect(tx.All(query), func(scan sqldb.Scan) (d definition, err error) {
		err = scan(&d.drop, &d.create)
		return d, err
	})
}

// observe adds the service of an appointment and the visit of its patient.
func (l *hospitalLoad) observe(a hospital.Appointment) {
	l.services[a.ServiceID] = true
	for int64(len(l.lastVisit)) <= a.PatientID {
		l.lastVisit = append(l.lastVisit, "")
	}
	if a.Status.Visited() {
		l.lastVisit[a.PatientID] = max(l.lastVisit[a.PatientID], a.Date)
	}
}

// check returns an error for an appointment whose patient or service does not exist: there were no
// foreign keys.
func (l *hospitalLoad) check(ctx context.Context) error {
	if len(l.lastVisit) > l.patients+1 {
		return fmt.Errorf("load appointments: there is no patient %d", len(l.lastVisit)-1)
	}
	return l.db.Read(ctx, func(tx *store.Tx) error {
		ids, err := sqldb.Column[int64](tx.All(`SELECT id FROM services`))
		if err != nil {
			return err
		}
		for id := range l.services {
			if !slices.Contains(ids, id) {
				return fmt.Errorf("load appointments: there is no service %d", id)
			}
		}
		return nil
	})
}

// writePatients writes patients with consecutive numbers.
func (l *hospitalLoad) writePatients(
	ctx context.Context, people iter.Seq[hospital.PatientFields], progress func(n int),
) error {
	setting, err := l.db.Setting(ctx)
	if err != nil {
		return err
	}
	p := patientLoad{format: hospital.NumberFormat(setting.HNFormat), now: l.db.Now(), lastVisit: l.lastVisit}
	next, stop := iter.Pull(chunks(ctx, people, batchSize, p.prepare))
	defer stop()
	chunk, more := next()
	for more {
		done := 0
		err := changeOnce(ctx, l.db, func(tx *store.Tx) error {
			for ; more && done < transactionSize; chunk, more = next() {
				if err := tx.Load("patients", patientColumns, chunk.records); err != nil {
					return err
				}
				if err := tx.Load("patient_search", []string{"rowid", "doc"}, chunk.docs); err != nil {
					return err
				}
				done += len(chunk.records)
				progress(l.patients + done)
			}
			tx.Exec(`UPDATE patient_total SET n = n + $1`, done)
			noteImport(tx, "patient", done)
			last := int64(l.patients + done)
			setLastID(l.db, tx, "patients", last)
			tx.Exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = $2`,
				"hn "+p.format.Series(p.now), last)
			return nil
		})
		if err != nil {
			return err
		}
		l.patients += done
	}
	return ctx.Err()
}

// patientColumns are the columns of a loaded patient.
var patientColumns = append([]string{"id", "created_at", "updated_at", "last_visit"}, store.PatientColumns...)

// patientLoad makes rows of patients.
type patientLoad struct {
	format    hospital.NumberFormat
	now       time.Time
	lastVisit []string
	id        int64
}

// patientRows are the rows of some patients, and of their search texts.
type patientRows struct{ records, docs [][]any }

func (l *patientLoad) prepare(people []hospital.PatientFields) (rows patientRows) {
	for _, p := range people {
		l.id++
		p = p.Clean()
		p.HN = l.format.Format(l.now, l.id)
		var visit any
		if l.id < int64(len(l.lastVisit)) && l.lastVisit[l.id] != "" {
			visit = l.lastVisit[l.id]
		}
		now := l.now.UnixMilli()
		record := append([]any{l.id, now, now, visit}, store.PatientValues(p)...)
		rows.records, rows.docs = append(rows.records, record), append(rows.docs, []any{l.id, store.SearchText(p)})
	}
	return rows
}

// end creates the indexes and foreign keys again and removes the mark.
func (l *hospitalLoad) end(ctx context.Context, counters map[string]int64, progress func(n, of int)) error {
	of := len(l.dropped) + 1
	for i, d := range l.dropped {
		progress(i, of)
		err := change(ctx, l.db, func(tx *store.Tx) error {
			if !isSQLite(l.db) {
				tx.Exec(`SET LOCAL maintenance_work_mem = '512MB'`)
			}
			tx.Exec(d.create)
			return nil
		})
		if err != nil {
			return err
		}
	}
	progress(of-1, of)
	err := change(ctx, l.db, func(tx *store.Tx) error {
		raiseNumbers(tx, counters)
		tx.Exec(`DELETE FROM counters WHERE series = $1`, store.UnfinishedLoad)
		return nil
	})
	if err != nil {
		return err
	}
	if err := l.optimize(ctx); err != nil {
		return err
	}
	progress(of, of)
	return nil
}

// raiseNumbers raises the counters of appointment numbers to those given.
func raiseNumbers(tx *store.Tx, counters map[string]int64) {
	for series, last := range counters {
		tx.Exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series)
			DO UPDATE SET value = CASE WHEN counters.value < $2 THEN $2 ELSE counters.value END`,
			"appointment "+series, last)
	}
}

// optimize does after a load what the engine otherwise does over time. SQLite is not analyzed: with
// statistics it would not read a list in the order of its index, but join in another order and sort a
// million appointments for a page of fifty.
func (l *hospitalLoad) optimize(ctx context.Context) error {
	if !isSQLite(l.db) {
		return l.db.Maintain(ctx, `VACUUM (ANALYZE) `+strings.Join(loadedTables, ", ")+`, slots, day_totals, queues`)
	}
	err := l.db.Change(ctx, func(tx *store.Tx) error {
		tx.Exec(`INSERT INTO patient_search (patient_search) VALUES ('optimize')`)
		return nil
	})
	if err != nil {
		return err
	}
	return setPragmas(ctx, l.db, "wal_checkpoint(TRUNCATE)")
}
