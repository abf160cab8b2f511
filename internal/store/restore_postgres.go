package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// unfinishedRestore is among the counters of PostgreSQL from when the rows of a
// backup are there until the database is kept.
const unfinishedRestore = "unfinished restore"

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
