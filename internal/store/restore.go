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
)

// ErrNotEmpty says that there is something where a backup should be restored.
var ErrNotEmpty = errors.New("there is data already: a backup is restored into an empty place only")

// Restoration fills an empty database with the rows of a backup. Nobody can use
// any of it before it is kept: SQLite is written beside and moved to its place;
// with PostgreSQL the rows are one transaction, and until Keep the database says
// of itself that it is not whole, which Open refuses.
type Restoration struct {
	options Options
	engine  string
	pool    *sql.DB
	conn    *sql.Conn
	tx      *sql.Tx
	tables  []Shape
	rebuild []string // makes the indexes and references again
	kept    bool     // or may be
	unlock  func()
	partial string // folder, SQLite's

	// PostgreSQL's. The turn keeps other restorations into the same database
	// waiting. It is a transaction, so that it holds behind a pooler, too.
	turnConn *sql.Conn
	turn     *sql.Tx
	marked   bool // the rows are there, or may be
}

// BeginRestore prepares the place for rows of a schema. It returns ErrNotEmpty
// where there is data.
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

// unused is ErrNotEmpty where anything was ever done: all of it is in the audit
// log.
func unused(ctx context.Context, q querier) error {
	var used bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit_entries) OR EXISTS (SELECT 1 FROM users)`).Scan(&used)
	if err == nil && used {
		err = ErrNotEmpty
	}
	return err
}

func (r *Restoration) begin(ctx context.Context) (err error) {
	if r.conn, err = r.pool.Conn(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	// Not the caller's context: the transaction ends with Keep or Abandon.
	if r.tx, err = r.conn.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

// clear takes away what the migrations wrote, and indexes and references: they
// are made of all rows at once far quicker.
func (r *Restoration) clear(ctx context.Context) (err error) {
	if r.tables, err = shapes(ctx, r.tx, r.engine); err != nil {
		return err
	}
	for _, t := range r.tables {
		if t.Name == "audit_entries" {
			continue // is empty, and refuses
		}
		if _, err := r.tx.ExecContext(ctx, `DELETE FROM `+quoted(t.Name)); err != nil { //nolint:gosec // a name of the schema
			return err
		}
	}
	query, args := `SELECT 'DROP INDEX "' || name || '"', sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`, []any(nil)
	if r.engine == "postgres" { // the indexes of primary keys stay
		query = `SELECT gone, made FROM (
				SELECT 1 AS step, format('DROP INDEX %s', i.indexrelid::regclass) AS gone, pg_get_indexdef(i.indexrelid) AS made
				FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
				WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
				UNION ALL
				SELECT 2, format('ALTER TABLE %s DROP CONSTRAINT %I', t.conrelid::regclass, t.conname),
					format('ALTER TABLE %s ADD CONSTRAINT %I %s', t.conrelid::regclass, t.conname, pg_get_constraintdef(t.oid))
				FROM pg_constraint t JOIN pg_class c ON c.oid = t.conrelid
				WHERE t.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1)
			) all_of_them ORDER BY step, made`
		names := make([]string, len(r.tables))
		for i, t := range r.tables {
			names[i] = t.Name
		}
		args = append(args, names)
	}
	rows, err := r.tx.QueryContext(ctx, query, args...)
	list, err := scanAll(rows, err, func(m *[2]string) []any { return []any{&m[0], &m[1]} })
	if err != nil {
		return fmt.Errorf("read indexes: %w", err)
	}
	for _, m := range list {
		if _, err := r.tx.ExecContext(ctx, m[0]); err != nil {
			return err
		}
		r.rebuild = append(r.rebuild, m[1])
	}
	return nil
}

// Rows adds rows to a table, whole lines as Snapshot.WriteRows writes them, and
// returns how many.
func (r *Restoration) Rows(ctx context.Context, t Shape, lines []byte) (n int64, err error) {
	i := slices.IndexFunc(r.tables, func(own Shape) bool { return own.Name == t.Name })
	if i < 0 || slices.Contains(leftOut, t.Name) || !sameNames(t.Columns, r.tables[i].Columns) {
		return 0, fmt.Errorf("the rows of %q do not fit the table of this migration", t.Name)
	}
	if r.engine == "postgres" {
		err := r.conn.Raw(func(conn any) error {
			tag, err := conn.(*stdlib.Conn).Conn().PgConn().CopyFrom(ctx, bytes.NewReader(lines), `COPY `+quoted(t.Name)+` (`+quoted(t.Columns...)+`) FROM STDIN`)
			n = tag.RowsAffected()
			return err
		})
		var pg *pgconn.PgError
		if errors.As(err, &pg) && strings.HasPrefix(pg.Code, "22") {
			err = errNotARow // what the server says repeats what is in it
		}
		return n, mapError(err)
	}
	kinds, marks := make([]kind, len(t.Columns)), make([]string, len(t.Columns))
	for j, name := range t.Columns {
		kinds[j], marks[j] = r.tables[i].kinds[slices.Index(r.tables[i].Columns, name)], "?"
	}
	stmt, err := r.tx.PrepareContext(ctx, `INSERT INTO `+quoted(t.Name)+` (`+quoted(t.Columns...)+`) VALUES (`+strings.Join(marks, ", ")+`)`) //nolint:gosec // names of the schema
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

// sameNames tells whether two lists have the same members, each once.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Finish makes what follows from the rows, and checks what refers to what. given
// are the numbers that Snapshot.Given told; step is told how many
// indexes and references are made.
func (r *Restoration) Finish(ctx context.Context, given map[string]int64, step func(n int)) error {
	for i, q := range r.rebuild {
		if _, err := r.tx.ExecContext(ctx, q); err != nil {
			return mapError(fmt.Errorf("make indexes: %w", err))
		}
		step(i + 1)
	}
	if err := r.lanes(ctx); err != nil {
		return mapError(err)
	}
	if r.engine == "postgres" {
		return mapError(r.numberOnPostgres(ctx, given))
	}
	return mapError(r.numberOnSQLite(ctx, given))
}

// Commit ends writing: the rows can be opened with Open, and by nobody else.
func (r *Restoration) Commit(ctx context.Context) error {
	if r.engine == "postgres" {
		if _, err := r.tx.ExecContext(ctx, `INSERT INTO counters (series, value) VALUES ($1, 1)`, unfinishedRestore); err != nil {
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
		_, _ = r.conn.ExecContext(ctx, `ANALYZE`) // or the database will by itself, in time
	}
	return mapError(err)
}

// lanes adds those lanes of the audit log that this engine writes and the other
// one does not have.
func (r *Restoration) lanes(ctx context.Context) error {
	want := sqliteLanes
	if r.engine == "postgres" {
		want = postgresLanes
	}
	for lane := range want {
		if _, err := r.tx.ExecContext(ctx, `INSERT INTO audit_lanes (lane) VALUES ($1) ON CONFLICT (lane) DO NOTHING`, lane); err != nil {
			return fmt.Errorf("lanes of the audit log: %w", err)
		}
	}
	return nil
}

// Open opens the restored database and brings its schema up to date. SQLite is
// still beside; close it before Keep.
func (r *Restoration) Open(ctx context.Context) (*DB, error) {
	o := r.options
	if r.engine == "sqlite" {
		o.DataDir = r.partial
	}
	o.restoring = true
	return Open(ctx, o)
}

// Kept tells that the database is in its place; after an error of Keep, that it
// may be.
func (r *Restoration) Kept() bool { return r.kept }

// Keep puts the database in its place.
func (r *Restoration) Keep(ctx context.Context) error {
	if r.engine == "postgres" {
		return mapError(r.keepPostgres(ctx))
	}
	return r.keepSQLite()
}

// Abandon gives up what is not kept, and does nothing after Keep.
func (r *Restoration) Abandon() error {
	var errs []error
	if r.tx != nil {
		errs = append(errs, r.tx.Rollback())
		r.tx = nil
	}
	if r.marked && !r.kept {
		errs = append(errs, r.undo())
	}
	if r.turn != nil {
		errs = append(errs, r.turn.Rollback())
		r.turn = nil
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
	for _, conn := range []**sql.Conn{&r.conn, &r.turnConn} {
		if *conn != nil {
			errs = append(errs, (*conn).Close())
			*conn = nil
		}
	}
	if r.pool != nil {
		errs = append(errs, r.pool.Close())
		r.pool = nil
	}
	return errors.Join(errs...)
}

// The audit actions of backups.
const (
	backupMade     = "backup.create"
	backupRestored = "backup.restore"
)

// NoteBackup records that a backup is made: all that is known leaves with it.
func (db *DB) NoteBackup(ctx context.Context) error {
	return db.Note(hospital.WithActor(ctx, hospital.System), hospital.AuditEntry{Action: backupMade, Entity: "backup"})
}

// NoteRestore records that the database was restored from a backup, and how many
// lanes the log has since: a log that was kept by PostgreSQL brings its own to
// SQLite.
func (db *DB) NoteRestore(ctx context.Context, made time.Time, engine string) error {
	return db.change(hospital.WithActor(ctx, hospital.System), func(tx *Tx) error {
		var lanes int
		if err := tx.queryRow(`SELECT count(*) FROM audit_lanes`).Scan(&lanes); err != nil {
			return err
		}
		tx.noteEntry(hospital.AuditEntry{Action: backupRestored, Entity: "backup", Changes: map[string]hospital.Change{
			"madeAt": {After: made.UTC().Format(time.RFC3339)}, "engine": {After: engine}, "lanes": {After: lanes},
		}})
		return nil
	})
}

// expectedLanes is how many lanes the audit log must have: the engine's own, or
// as many as the entry of a restoration says, which is in lane 0 of SQLite.
func (db *DB) expectedLanes(ctx context.Context) (int, error) {
	rows, err := db.read.QueryContext(ctx, auditSelect+`WHERE action = $1 AND lane = 0`, backupRestored)
	list, err := collect(rows, err, scanAudit)
	lanes := db.dialect.lanes
	for _, r := range list {
		if n, ok := r.Changes["lanes"].After.(float64); ok {
			lanes = max(lanes, int(n))
		}
	}
	return lanes, err
}
