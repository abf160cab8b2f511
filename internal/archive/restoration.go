package archive

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// ErrNotEmpty means that the place where a backup should be restored contains data.
var ErrNotEmpty = errors.New("there is data already: a backup can only be restored into an empty database " +
	"and file store")

// restoration fills an empty database with the rows of a backup. It cannot be used before keep: SQLite
// is written to another folder and moved at the end; on PostgreSQL the rows are one transaction, and
// until keep the database is marked as unfinished, which Open rejects.
type restoration struct {
	options store.Options
	engine  string
	handle  *sql.DB
	conn    *sql.Conn
	tx      *sql.Tx
	tables  []Table
	rebuild []string // statements that create the indexes and foreign keys again
	inPlace bool     // the database is in its place; after an error of keep, it may be
	unlock  func()
	partial string // folder, with SQLite

	// With PostgreSQL. lockTx holds the lock that excludes other restorations into the same database.
	// It is the lock of a transaction, so that it works behind a pooler.
	db       *sqldb.DB
	lockConn *sql.Conn
	lockTx   *sql.Tx
	marked   bool // the rows are stored, or may be
}

// beginRestore prepares an empty database with the schema of a migration. It returns ErrNotEmpty if
// there is data.
func beginRestore(ctx context.Context, o store.Options, migration int64) (*restoration, error) {
	r := &restoration{options: o, engine: "postgres", unlock: func() {}}
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
		return nil, errors.Join(store.MapError(err), r.abandon())
	}
	return r, nil
}

// checkUnused returns ErrNotEmpty if the database was ever used: every action is in the audit log.
func checkUnused(ctx context.Context, q querier) error {
	var used bool
	err := q.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM audit_entries) OR EXISTS (SELECT 1 FROM users)`).Scan(&used)
	if err == nil && used {
		err = ErrNotEmpty
	}
	return err
}

func (r *restoration) begin(ctx context.Context) (err error) {
	if r.conn, err = r.handle.Conn(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	// Without cancellation: the transaction ends with keep or abandon.
	if r.tx, err = r.conn.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

// clear deletes the rows that the migrations inserted, and drops indexes and foreign keys: it is much
// faster to create them after all rows are inserted.
func (r *restoration) clear(ctx context.Context) (err error) {
	if r.tables, err = tables(ctx, r.tx, r.engine); err != nil {
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
	type definition struct{ drop, create string }
	list, err := collect(ctx, r.tx, func(scan sqldb.Scan) (d definition, err error) {
		err = scan(&d.drop, &d.create)
		return d, err
	}, query, args...)
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

// insertRows inserts rows into a table, given as whole lines as snapshot.writeRows writes them. It returns
// their number.
func (r *restoration) insertRows(ctx context.Context, t Table, lines []byte) (n int64, err error) {
	i := slices.IndexFunc(r.tables, func(own Table) bool { return own.Name == t.Name })
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
		return n, store.MapError(err)
	}
	kinds, marks := make([]kind, len(t.Columns)), make([]string, len(t.Columns))
	for j, name := range t.Columns {
		kinds[j], marks[j] = r.tables[i].kinds[slices.Index(r.tables[i].Columns, name)], "?"
	}
	//nolint:gosec // names of the schema
	stmt, err := r.tx.PrepareContext(ctx,
		`INSERT INTO `+quoted(t.Name)+` (`+quoted(t.Columns...)+`) VALUES (`+strings.Join(marks, ", ")+`)`)
	if err != nil {
		return 0, store.MapError(err)
	}
	defer stmt.Close() //nolint:errcheck // nothing depends on it
	values := make([]any, len(kinds))
	for len(lines) > 0 {
		line, rest, complete := bytes.Cut(lines, []byte{'\n'})
		if !complete {
			return n, errNotARow
		}
		lines = rest
		if err := readRow(line, kinds, values); err != nil {
			return n, err
		}
		if _, err := stmt.ExecContext(ctx, values...); err != nil {
			return n, store.MapError(err)
		}
		n++
	}
	return n, nil
}

// sameNames reports whether two lists have the same members, each once.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// finish creates the indexes and foreign keys, which checks the references between rows. lastIDs is the
// result of snapshot.lastIDs. step is called with the number of statements that are done.
func (r *restoration) finish(ctx context.Context, lastIDs map[string]int64, step func(n int)) error {
	for i, q := range r.rebuild {
		if _, err := r.tx.ExecContext(ctx, q); err != nil {
			return store.MapError(fmt.Errorf("create indexes: %w", err))
		}
		step(i + 1)
	}
	if err := r.addAuditChains(ctx); err != nil {
		return store.MapError(err)
	}
	if r.engine == "postgres" {
		return store.MapError(r.setPostgresSequences(ctx, lastIDs))
	}
	if err := r.setSQLiteSequences(ctx, lastIDs); err != nil {
		return store.MapError(err)
	}
	return store.MapError(r.checkForeignKeys(ctx))
}

// commit stores the rows. They can be read with restoration.open only.
func (r *restoration) commit(ctx context.Context) error {
	if r.engine == "postgres" {
		_, err := r.tx.ExecContext(ctx, `INSERT INTO counters (series, value) VALUES ($1, 1)`, store.UnfinishedRestore)
		if err != nil {
			return store.MapError(fmt.Errorf("mark the database: %w", err))
		}
		r.marked = true
	}
	err := r.tx.Commit()
	r.tx = nil
	if r.engine == "sqlite" {
		return errors.Join(store.MapError(err), r.disconnect())
	}
	if err == nil {
		_, _ = r.conn.ExecContext(ctx, `ANALYZE`) // if it fails, the server does it later by itself
	}
	return store.MapError(err)
}

// addAuditChains adds the chains of the audit log that this engine uses and the backup does not contain.
func (r *restoration) addAuditChains(ctx context.Context) error {
	for chain := range store.AuditChains(r.engine) {
		_, err := r.tx.ExecContext(ctx, `INSERT INTO audit_lanes (lane) VALUES ($1) ON CONFLICT (lane) DO NOTHING`,
			chain)
		if err != nil {
			return fmt.Errorf("add audit chains: %w", err)
		}
	}
	return nil
}

// open opens the restored database and brings its schema up to date. It must be closed before keep:
// SQLite is still in another folder.
func (r *restoration) open(ctx context.Context) (*store.DB, error) {
	o := r.options
	if r.engine == "sqlite" {
		o.DataDir = r.partial
	}
	o.Restoring = true
	return store.Open(ctx, o)
}

// keep puts the database in its place.
func (r *restoration) keep(ctx context.Context) error {
	if r.engine == "postgres" {
		return store.MapError(r.keepPostgres(ctx))
	}
	return r.keepSQLite()
}

// abandon removes a database that is not in its place. After keep it only disconnects.
func (r *restoration) abandon() error {
	var errs []error
	if r.tx != nil {
		errs = append(errs, r.tx.Rollback())
		r.tx = nil
	}
	if r.marked && !r.inPlace {
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

func (r *restoration) disconnect() error {
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
