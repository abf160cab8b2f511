package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"nadmor/internal/hospital"
)

// ErrNotEmpty says that there is something where a backup should be restored.
var ErrNotEmpty = errors.New("there is data already: a backup is restored into an empty place only")

// partialRestore is the folder of a restoration in progress, in the data folder.
const partialRestore = "restore.partial"

// unfinishedRestore is among the counters of PostgreSQL from when the rows of a
// backup are there until the database is kept.
const unfinishedRestore = "unfinished restore"

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

// openSQLite makes a database beside. Without a journal it is of no use when
// anything goes wrong, and quick. The lock keeps a server that is started
// meanwhile waiting.
func (r *Restoration) openSQLite(ctx context.Context, migration int64) error {
	dir := r.options.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	var err error
	if r.unlock, err = lockFile(filepath.Join(dir, lockName)); err != nil {
		r.unlock = func() {}
		return err
	}
	if err := r.nothingThere(); err != nil {
		return err
	}
	r.partial = filepath.Join(dir, partialRestore)
	if err := errors.Join(os.RemoveAll(r.partial), os.Mkdir(r.partial, 0o700)); err != nil {
		return fmt.Errorf("make a folder to restore in: %w", err)
	}
	r.pool, err = sql.Open("sqlite", sqliteSource(r.partial, url.Values{"_pragma": {
		"journal_mode(OFF)", "synchronous(OFF)", "locking_mode(EXCLUSIVE)", "foreign_keys(0)", "cache_size(-131072)",
	}}))
	if err != nil {
		return fmt.Errorf("open sqlite: %w", err)
	}
	r.pool.SetMaxOpenConns(1)
	if err := migrate(ctx, goose.DialectSQLite3, r.pool, "migrations/sqlite", migration); err != nil {
		return err
	}
	return r.begin(ctx)
}

// nothingThere is ErrNotEmpty where a database is in the data folder. A log
// without its database is one, too: it would be taken for the new one's.
func (r *Restoration) nothingThere() error {
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		path := filepath.Join(r.options.DataDir, SQLiteFile+ending)
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s: %w", path, ErrNotEmpty), err)
		}
	}
	return nil
}

func (r *Restoration) openPostgres(ctx context.Context, migration int64) error {
	db := &DB{}
	if err := db.openPostgres(ctx, r.options.URL, AsIs); err != nil {
		return err
	}
	r.pool = db.write.DB
	if err := r.takeTurn(ctx); err != nil {
		return err
	}
	if err := r.empty(ctx); err != nil { // what one that was killed has left
		return err
	}
	var there sql.NullInt64 // nothing that was ever done is not in the audit log
	if err := r.pool.QueryRowContext(ctx, `SELECT to_regclass('goose_db_version')::oid::bigint`).Scan(&there); err != nil {
		return err
	}
	if there.Valid {
		var now int64
		if err := r.pool.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&now); err != nil {
			return err
		}
		if now > 0 {
			if err := unused(ctx, r.pool); err != nil {
				return err
			}
		}
		if now > migration {
			return fmt.Errorf("the database is empty, but has the tables of migration %d, and the backup those of %d: make a new database for it", now, migration)
		}
	}
	if err := db.migratePostgres(ctx, migration); err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	// Whoever comes now, a server or another restoration, waits for us.
	if _, err := r.tx.ExecContext(ctx, `SET LOCAL client_encoding = 'UTF8'; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
		SET LOCAL maintenance_work_mem = '256MB'; LOCK TABLE counters, users, audit_entries IN ACCESS EXCLUSIVE MODE`); err != nil {
		return err
	}
	return unused(ctx, r.tx)
}

func (r *Restoration) takeTurn(ctx context.Context) (err error) {
	if r.turnConn, err = r.pool.Conn(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if r.turn, err = r.turnConn.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	_, err = r.turn.ExecContext(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(hashtext('nadmor restore'))`)
	return err
}

// empty takes the tables away that a restoration has left which did not come to
// its end, and nothing else: they are marked.
func (r *Restoration) empty(ctx context.Context) error {
	tx, err := r.pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() // does nothing after the commit
	var there, marked bool
	if err := tx.QueryRowContext(ctx, `SELECT to_regclass('counters') IS NOT NULL`).Scan(&there); err != nil || !there {
		return err
	}
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM counters WHERE series = $1)`, unfinishedRestore).Scan(&marked); err != nil || !marked {
		return err
	}
	tables, err := shapes(ctx, tx, r.engine)
	if err != nil {
		return err
	}
	names := []string{"goose_db_version"}
	for _, t := range tables {
		names = append(names, t.Name)
	}
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT p.oid::regprocedure::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
		WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1) AND p.pronamespace = c.relnamespace`, names)
	functions, err := scanAll(rows, err, func(name *string) []any { return []any{name} })
	if err != nil {
		return fmt.Errorf("read functions: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `DROP TABLE `+quoted(names...)); err != nil {
		return fmt.Errorf("remove tables: %w", err)
	}
	for _, name := range functions {
		if _, err := tx.ExecContext(ctx, `DROP FUNCTION `+name); err != nil {
			return fmt.Errorf("remove functions: %w", err)
		}
	}
	return tx.Commit()
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

func (r *Restoration) numberOnPostgres(ctx context.Context, given map[string]int64) error {
	rows, err := r.tx.QueryContext(ctx, identities)
	type identity struct {
		table string
		last  int64
	}
	list, err := scanAll(rows, err, func(i *identity) []any { return []any{&i.table, &i.last} })
	if err != nil {
		return err
	}
	for _, i := range list {
		if !slices.ContainsFunc(r.tables, func(t Shape) bool { return t.Name == i.table }) {
			continue // somebody else's
		}
		//nolint:gosec // a name of the schema
		_, err := r.tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence('`+quoted(i.table)+`', 'id'), greatest($1::bigint, m.id), $1::bigint > 0 OR m.there)
			FROM (SELECT coalesce(max(id), 1) AS id, max(id) IS NOT NULL AS there FROM `+quoted(i.table)+`) m`, given[i.table])
		if err != nil {
			return fmt.Errorf("numbers of %s: %w", i.table, err)
		}
	}
	return nil
}

func (r *Restoration) numberOnSQLite(ctx context.Context, given map[string]int64) error {
	for table, last := range given {
		// The rows themselves have moved it as far as the largest; a table without
		// AUTOINCREMENT has none.
		if _, err := r.tx.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)
			AND EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1 AND sql LIKE '%AUTOINCREMENT%')`, table, last); err != nil {
			return fmt.Errorf("numbers of %s: %w", table, err)
		}
		if _, err := r.tx.ExecContext(ctx, `UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1`, table, last); err != nil {
			return fmt.Errorf("numbers of %s: %w", table, err)
		}
	}
	var table sql.NullString
	err := r.tx.QueryRowContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("a row of %s refers to one that is not there", table.String)
	}
	return err
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
	defer r.unlock()
	if err := r.nothingThere(); err != nil {
		return err
	}
	made := filepath.Join(r.partial, SQLiteFile)
	if _, err := os.Lstat(made + "-wal"); err == nil {
		return errors.New("keep the database: it is still open")
	}
	if err := syncPath(made); err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	if err := os.Rename(made, filepath.Join(r.options.DataDir, SQLiteFile)); err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	r.kept = true
	return errors.Join(syncPath(r.options.DataDir), os.RemoveAll(r.partial))
}

// keepPostgres takes the mark away, in the transaction that is our turn: should
// we have lost that, another restoration may have taken the rows away.
func (r *Restoration) keepPostgres(ctx context.Context) error {
	done, err := r.turn.ExecContext(ctx, `DELETE FROM counters WHERE series = $1`, unfinishedRestore)
	if err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errors.New("keep the database: it is another's"), err)
	}
	err = r.turn.Commit()
	r.turn = nil
	r.kept = err == nil || !surelyNotCommitted(err)
	if err == nil {
		err = r.turnConn.Raw(func(conn any) error { return replicated(conn.(*stdlib.Conn).Conn()) })
	}
	return err
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

// undoTime is how long it may take to remove what was restored.
const undoTime = time.Minute

// undo removes what was restored, also while the process is stopping. Where it
// cannot, the mark stays, and the next restoration removes it.
func (r *Restoration) undo() error {
	ctx, cancel := context.WithTimeout(context.Background(), undoTime)
	defer cancel()
	err := errors.New("the connection was lost")
	if r.turn != nil {
		_, err = r.turn.ExecContext(ctx, `SELECT 1`)
	}
	if err == nil {
		err = r.empty(ctx)
	}
	if err != nil {
		return fmt.Errorf("what was restored cannot be removed now; it is not used, and removed by the next restoration: %w", mapError(err))
	}
	return nil
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

// syncPath has a file, or a folder's entries, written to the disk.
func syncPath(path string) error {
	f, err := os.Open(path) //nolint:gosec // in the data folder
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
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
