package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// ErrNotEmpty means that the place where a backup should be restored contains data.
var ErrNotEmpty = errors.New("there is data already: a backup is restored into an empty place only")

// Restoration fills an empty database with the rows of a backup. It cannot be used before Keep: SQLite
// is written to another folder and moved at the end; on PostgreSQL the rows are one transaction, and
// until Keep the database is marked as unfinished, which Open rejects.
type Restoration struct {
	options Options
	engine  string
	handle  *sql.DB
	conn    *sql.Conn
	tx      *sql.Tx
	tables  []Shape
	rebuild []string // statements that create the indexes and foreign keys again
	done    bool     // the database is in its place, or may be
	unlock  func()
	partial string // folder, with SQLite

	// With PostgreSQL. lockTx holds the lock that excludes other restorations into the same database.
	// It is the lock of a transaction, so that it works behind a pooler.
	db       *DB
	lockConn *sql.Conn
	lockTx   *sql.Tx
	marked   bool // the rows are stored, or may be
}

// BeginRestore prepares an empty database with the schema of a migration. It returns ErrNotEmpty if
// there is data.
func BeginRestore(ctx context.Context, o Options, migration int64) (*Restoration, error) {
	r := &Restoration{options: o, engine: "postgres", unlock: func() {}}
	var err error
	if o.URL == "" {
		r.engine = "sqlite"
		err = r.openSQLite(ctx, migration)
	} else {
		err = r.openPostgres(ctx, migration)
	}
	if err == nil {
		err = r.clear(ctx)
	}
	if err != nil {
		return nil, errors.Join(mapError(err), r.Abandon())
	}
	return r, nil
}

// checkUnused returns ErrNotEmpty if the database was ever used: every action is in the audit log.
func checkUnused(ctx context.Context, q sqlQuerier) error {
	var used bool
	err := q.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM audit_entries) OR EXISTS (SELECT 1 FROM users)`).Scan(&used)
	if err == nil && used {
		err = ErrNotEmpty
	}
	return err
}

func (r *Restoration) begin(ctx context.Context) (err error) {
	if r.conn, err = r.handle.Conn(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	// Without cancellation: the transaction ends with Keep or Abandon.
	if r.tx, err = r.conn.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

// clear deletes the rows that the migrations inserted, and drops indexes and foreign keys: it is much
// faster to create them after all rows are inserted.
func (r *Restoration) clear(ctx context.Context) (err error) {
	if r.tables, err = shapes(ctx, r.tx, r.engine); err != nil {
		return err
	}
	names := make([]string, len(r.tables))
	for i, t := range r.tables {
		names[i] = t.Name
		if t.Name == "audit_entries" {
			continue // it is empty, and does not allow to delete rows
		}
		if _, err := r.tx.ExecContext(ctx, `DELETE FROM `+quoted(t.Name)); err != nil { //nolint:gosec // a name of the schema
			return err
		}
	}
	query, args := `SELECT 'DROP INDEX "' || name || '"', sql FROM sqlite_master
		WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`, []any(nil)
	if r.engine == "postgres" { // except the indexes of primary keys
		query = `SELECT gone, made FROM (
				SELECT 1 AS step, format('DROP INDEX %s', i.indexrelid::regclass) AS gone, pg_get_indexdef(i.indexrelid) AS made
				FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
				WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1)
					AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
				UNION ALL
				SELECT 2, format('ALTER TABLE %s DROP CONSTRAINT %I', t.conrelid::regclass, t.conname),
					format('ALTER TABLE %s ADD CONSTRAINT %I %s', t.conrelid::regclass, t.conname, pg_get_constraintdef(t.oid))
				FROM pg_constraint t JOIN pg_class c ON c.oid = t.conrelid
				WHERE t.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1)
			) all_of_them ORDER BY step, made`
		args = []any{names}
	}
	list, err := collectSQL(ctx, r.tx, scanDefinition, query, args...)
	if err != nil {
		return fmt.Errorf("read indexes: %w", err)
	}
	for _, d := range list {
		if _, err := r.tx.ExecContext(ctx, d.drop); err != nil {
			return err
		}
		r.rebuild = append(r.rebuild, d.create)
	}
	return nil
}

// Rows inserts rows into a table, given as whole lines as Snapshot.WriteRows writes them. It returns
// their number.
func (r *Restoration) Rows(ctx context.Context, t Shape, lines []byte) (n int64, err error) {
	i := slices.IndexFunc(r.tables, func(own Shape) bool { return own.Name == t.Name })
	if i < 0 || slices.Contains(excludedTables, t.Name) || !sameNames(t.Columns, r.tables[i].Columns) {
		return 0, fmt.Errorf("the rows of %q do not fit the table of this migration", t.Name)
	}
	if r.engine == "postgres" {
		err := r.conn.Raw(func(conn any) error {
			tag, err := conn.(*stdlib.Conn).Conn().PgConn().CopyFrom(ctx, bytes.NewReader(lines),
				`COPY `+quoted(t.Name)+` (`+quoted(t.Columns...)+`) FROM STDIN`)
			n = tag.RowsAffected()
			return err
		})
		var pg *pgconn.PgError
		if errors.As(err, &pg) && strings.HasPrefix(pg.Code, "22") {
			err = errNotARow // the error of the server contains values of the row
		}
		return n, mapError(err)
	}
	kinds, marks := make([]kind, len(t.Columns)), make([]string, len(t.Columns))
	for j, name := range t.Columns {
		kinds[j], marks[j] = r.tables[i].kinds[slices.Index(r.tables[i].Columns, name)], "?"
	}
	//nolint:gosec // names of the schema
	stmt, err := r.tx.PrepareContext(ctx,
		`INSERT INTO `+quoted(t.Name)+` (`+quoted(t.Columns...)+`) VALUES (`+strings.Join(marks, ", ")+`)`)
	if err != nil {
		return 0, mapError(err)
	}
	defer stmt.Close() //nolint:errcheck // nothing depends on it
	values := make([]any, len(kinds))
	for len(lines) > 0 {
		line, rest, whole := bytes.Cut(lines, []byte{'\n'})
		if !whole {
			return n, errNotARow
		}
		lines = rest
		if err := readRow(line, kinds, values); err != nil {
			return n, err
		}
		if _, err := stmt.ExecContext(ctx, values...); err != nil {
			return n, mapError(err)
		}
		n++
	}
	return n, nil
}

// sameNames reports whether two lists have the same members, each once.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Finish creates the indexes and foreign keys, which checks the references between rows. given is the
// result of Snapshot.Given. step is called with the number of statements that are done.
func (r *Restoration) Finish(ctx context.Context, given map[string]int64, step func(n int)) error {
	for i, q := range r.rebuild {
		if _, err := r.tx.ExecContext(ctx, q); err != nil {
			return mapError(fmt.Errorf("make indexes: %w", err))
		}
		step(i + 1)
	}
	if err := r.addLanes(ctx); err != nil {
		return mapError(err)
	}
	if r.engine == "postgres" {
		return mapError(r.setPostgresSequences(ctx, given))
	}
	if err := r.setSQLiteSequences(ctx, given); err != nil {
		return mapError(err)
	}
	return mapError(r.checkForeignKeys(ctx))
}

// Commit stores the rows. They can be read with Restoration.Open only.
func (r *Restoration) Commit(ctx context.Context) error {
	if r.engine == "postgres" {
		_, err := r.tx.ExecContext(ctx, `INSERT INTO counters (series, value) VALUES ($1, 1)`, unfinishedRestore)
		if err != nil {
			return mapError(fmt.Errorf("mark the database: %w", err))
		}
		r.marked = true
	}
	err := r.tx.Commit()
	r.tx = nil
	if r.engine == "sqlite" {
		return errors.Join(mapError(err), r.disconnect())
	}
	if err == nil {
		_, _ = r.conn.ExecContext(ctx, `ANALYZE`) // if it fails, the server does it later by itself
	}
	return mapError(err)
}

// addLanes adds the lanes of the audit log that this engine uses and the backup does not contain.
func (r *Restoration) addLanes(ctx context.Context) error {
	want := sqliteLanes
	if r.engine == "postgres" {
		want = postgresLanes
	}
	for lane := range want {
		_, err := r.tx.ExecContext(ctx, `INSERT INTO audit_lanes (lane) VALUES ($1) ON CONFLICT (lane) DO NOTHING`, lane)
		if err != nil {
			return fmt.Errorf("lanes of the audit log: %w", err)
		}
	}
	return nil
}

// Open opens the restored database and brings its schema up to date. It must be closed before Keep:
// SQLite is still in another folder.
func (r *Restoration) Open(ctx context.Context) (*DB, error) {
	o := r.options
	if r.engine == "sqlite" {
		o.DataDir = r.partial
	}
	o.restoring = true
	return Open(ctx, o)
}

// Kept reports whether the database is in its place; after an error of Keep, whether it may be.
func (r *Restoration) Kept() bool { return r.done }

// Keep puts the database in its place.
func (r *Restoration) Keep(ctx context.Context) error {
	if r.engine == "postgres" {
		return mapError(r.keepPostgres(ctx))
	}
	return r.keepSQLite()
}

// Abandon removes a database that is not in its place. After Keep it only disconnects.
func (r *Restoration) Abandon() error {
	var errs []error
	if r.tx != nil {
		errs = append(errs, r.tx.Rollback())
		r.tx = nil
	}
	if r.marked && !r.done {
		errs = append(errs, r.undo())
	}
	if r.lockTx != nil {
		errs = append(errs, r.lockTx.Rollback())
		r.lockTx = nil
	}
	errs = append(errs, r.disconnect())
	if r.partial != "" {
		errs = append(errs, os.RemoveAll(r.partial))
	}
	r.unlock()
	return errors.Join(errs...)
}

func (r *Restoration) disconnect() error {
	var errs []error
	for _, conn := range []**sql.Conn{&r.conn, &r.lockConn} {
		if *conn != nil {
			errs = append(errs, (*conn).Close())
			*conn = nil
		}
	}
	if r.handle != nil {
		errs = append(errs, r.handle.Close())
		r.handle = nil
	}
	if r.db != nil {
		errs = append(errs, r.db.Close())
		r.db = nil
	}
	return errors.Join(errs...)
}

// The audit actions of backups.
const (
	backupMade     = "backup.create"
	backupRestored = "backup.restore"
)

// NoteBackup records in the audit log that a backup is made.
func (db *DB) NoteBackup(ctx context.Context) error {
	return db.Note(hospital.WithActor(ctx, hospital.System), hospital.AuditEntry{Action: backupMade, Entity: "backup"})
}

// NoteRestore records in the audit log that the database was restored from a backup, and the number of
// lanes of the log since: a log of PostgreSQL has more lanes than SQLite uses.
func (db *DB) NoteRestore(ctx context.Context, made time.Time, engine string) error {
	return db.Change(hospital.WithActor(ctx, hospital.System), func(tx *Tx) error {
		var lanes int
		if err := tx.Get(`SELECT count(*) FROM audit_lanes`).Scan(&lanes); err != nil {
			return err
		}
		tx.NoteEntry(hospital.AuditEntry{Action: backupRestored, Entity: "backup", Changes: map[string]hospital.Change{
			"madeAt": {After: made.UTC().Format(time.RFC3339)}, "engine": {After: engine}, "lanes": {After: lanes},
		}})
		return nil
	})
}

// expectedLanes returns the number of lanes that the audit log must have: those of the engine, or as
// many as the entry of a restoration contains, which is in lane 0 of SQLite.
func (tx *Tx) expectedLanes() (int, error) {
	list, err := sqldb.Collect(tx.All(auditSelect+`WHERE action = $1 AND lane = 0`, backupRestored), scanAudit)
	lanes := tx.db.dialect.lanes
	for _, r := range list {
		if n, ok := r.Changes["lanes"].After.(float64); ok {
			lanes = max(lanes, int(n))
		}
	}
	return lanes, err
}
