package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

func (r *restoration) openPostgres(ctx context.Context, migration int64) (err error) {
	if r.db, err = store.ConnectPostgres(ctx, store.Options{URL: r.options.URL}); err != nil {
		return err
	}
	if r.handle, err = r.db.Handle(); err != nil {
		return err
	}
	if err := r.lock(ctx); err != nil {
		return err
	}
	if err := r.dropUnfinished(ctx); err != nil { // of a restoration that was killed
		return err
	}
	if err := r.checkEmpty(ctx, migration); err != nil {
		return err
	}
	if err := store.Migrate(ctx, r.engine, r.handle, migration); err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	// From here on a server or another restoration waits.
	_, err = r.tx.ExecContext(ctx, `SET LOCAL client_encoding = 'UTF8'; SET LOCAL statement_timeout = 0;
		SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL maintenance_work_mem = '256MB';
		LOCK TABLE counters, users, audit_entries IN ACCESS EXCLUSIVE MODE`)
	if err != nil {
		return err
	}
	return checkUnused(ctx, r.tx)
}

// lock waits for the end of other restorations into the same database.
func (r *restoration) lock(ctx context.Context) (err error) {
	if r.lockConn, err = r.handle.Conn(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if r.lockTx, err = r.lockConn.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	_, err = r.lockTx.ExecContext(ctx, `SET LOCAL statement_timeout = 0;
		SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(hashtext('nadmor restore'))`)
	return err
}

// checkEmpty returns ErrNotEmpty if the database contains data, and an error if its schema is newer
// than a migration.
func (r *restoration) checkEmpty(ctx context.Context, migration int64) error {
	var exists bool
	err := r.handle.QueryRowContext(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL`).Scan(&exists)
	if err != nil || !exists {
		return err
	}
	var schema int64
	err = r.handle.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&schema)
	if err != nil {
		return err
	}
	if schema > 0 {
		if err := checkUnused(ctx, r.handle); err != nil {
			return err
		}
	}
	if schema > migration {
		return fmt.Errorf("the database is empty, but has the tables of migration %d, and the backup those of %d: "+
			"make a new database for it", schema, migration)
	}
	return nil
}

// dropUnfinished drops the tables of a restoration that was not finished, which it has marked.
func (r *restoration) dropUnfinished(ctx context.Context) error {
	tx, err := r.handle.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() // does nothing after the commit
	var exists, marked bool
	err = tx.QueryRowContext(ctx, `SELECT to_regclass('counters') IS NOT NULL`).Scan(&exists)
	if err != nil || !exists {
		return err
	}
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM counters WHERE series = $1)`, store.UnfinishedRestore).
		Scan(&marked)
	if err != nil || !marked {
		return err
	}
	own, err := tables(ctx, tx, r.engine)
	if err != nil {
		return err
	}
	names := []string{"goose_db_version"}
	for _, t := range own {
		names = append(names, t.Name)
	}
	functions, err := collect(ctx, tx, func(scan sqldb.Scan) (name string, err error) {
		err = scan(&name)
		return name, err
	}, `SELECT DISTINCT p.oid::regprocedure::text FROM pg_trigger t
		JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
		WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1)
			AND p.pronamespace = c.relnamespace`, names)
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

// setPostgresSequences sets the last assigned ids, to the largest id of the rows at least.
func (r *restoration) setPostgresSequences(ctx context.Context, lastIDs map[string]int64) error {
	list, err := collect(ctx, r.tx, scanSequence, postgresSequences)
	if err != nil {
		return err
	}
	for _, s := range list {
		if !slices.ContainsFunc(r.tables, func(t Table) bool { return t.Name == s.table }) {
			continue // a table of another program
		}
		//nolint:gosec // a name of the schema
		_, err := r.tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence('`+quoted(s.table)+`', 'id'),
				greatest($1::bigint, m.id), $1::bigint > 0 OR m.there)
			FROM (SELECT coalesce(max(id), 1) AS id, max(id) IS NOT NULL AS there FROM `+quoted(s.table)+`) m`,
			lastIDs[s.table])
		if err != nil {
			return fmt.Errorf("numbers of %s: %w", s.table, err)
		}
	}
	return nil
}

// keepPostgres deletes the mark, in the transaction that holds the lock: if that was lost, another
// restoration may have dropped the rows.
func (r *restoration) keepPostgres(ctx context.Context) error {
	done, err := r.lockTx.ExecContext(ctx, `DELETE FROM counters WHERE series = $1`, store.UnfinishedRestore)
	if err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errors.New("keep the database: it is another's"), err)
	}
	err = r.lockTx.Commit()
	r.lockTx = nil
	r.inPlace = !provesNoCommit(err)
	return err
}

// provesNoCommit reports whether the error of a commit proves that nothing was stored. FATAL proves
// nothing: the server ended the connection, perhaps after the commit.
func provesNoCommit(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.SeverityUnlocalized == "ERROR"
	}
	return errors.Is(err, pgx.ErrTxCommitRollback) || pgconn.SafeToRetry(err)
}

// undoTimeout bounds the removal of a database that was restored.
const undoTimeout = time.Minute

// undo removes the restored rows, also while the process is stopping. If that fails, the mark stays,
// and the next restoration removes them.
func (r *restoration) undo() error {
	ctx, cancel := context.WithTimeout(context.Background(), undoTimeout)
	defer cancel()
	err := errors.New("the connection was lost")
	if r.lockTx != nil {
		_, err = r.lockTx.ExecContext(ctx, `SELECT 1`)
	}
	if err == nil {
		err = r.dropUnfinished(ctx)
	}
	if err != nil {
		return fmt.Errorf("what was restored cannot be removed now; it is not used, "+
			"and removed by the next restoration: %w", store.MapError(err))
	}
	return nil
}
