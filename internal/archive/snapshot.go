package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// excludedTables are the tables whose rows are not in a backup: a session that was ended or a link
// that was used since the backup must not become valid again.
var excludedTables = []string{"sessions", "login_attempts", "password_resets"}

// querier is a connection, a handle or a transaction of database/sql.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// eachRow runs a query and calls row for every row of the result.
func eachRow(ctx context.Context, q querier, row func(sqldb.Scan) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() // Err below returns the error
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// collect returns the values that scan makes of the rows of a query.
func collect[T any](
	ctx context.Context, q querier, scan func(sqldb.Scan) (T, error), query string, args ...any,
) (list []T, err error) {
	err = eachRow(ctx, q, func(row sqldb.Scan) error {
		v, err := scan(row)
		list = append(list, v)
		return err
	}, query, args...)
	return list, err
}

// snapshot is the state of the database at one time. It is read by one reader, on its own connection.
type snapshot struct {
	migration int64 // of the schema
	tables    []Table

	engine string
	handle *sql.DB
	conn   *sql.Conn
	tx     *sql.Tx
}

// openSnapshot opens a snapshot of the current state. It blocks no other transaction; on SQLite the
// write-ahead log grows until it is closed.
func openSnapshot(ctx context.Context, db *store.DB) (*snapshot, error) {
	handle, err := db.Handle()
	if err != nil {
		return nil, err
	}
	s := &snapshot{engine: db.Engine(), handle: handle}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(store.MapError(err), s.close())
	}
	return s, nil
}

func (s *snapshot) begin(ctx context.Context) (err error) {
	if s.conn, err = s.handle.Conn(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	// A transaction of SQLite that is not read-only would take the write lock.
	s.tx, err = s.conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if s.engine == "postgres" {
		_, err := s.tx.ExecContext(ctx, `SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8';
			SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	// The first query determines the time of the snapshot.
	err = s.tx.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&s.migration)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	all, err := tables(ctx, s.tx, s.engine)
	s.tables = slices.DeleteFunc(all, func(t Table) bool { return slices.Contains(excludedTables, t.Name) })
	return err
}

// close ends the snapshot and its connection.
func (s *snapshot) close() error {
	var errs []error
	if s.tx != nil {
		_ = s.tx.Rollback() // nothing was written
	}
	if s.conn != nil {
		errs = append(errs, s.conn.Close())
	}
	return errors.Join(append(errs, s.handle.Close())...)
}

// writeRows writes the rows of a table, each with one call to w.
func (s *snapshot) writeRows(ctx context.Context, t Table, w io.Writer) error {
	columns := make([]string, len(t.Columns))
	for i, name := range t.Columns {
		columns[i] = quoted(name)
		if t.kinds[i] == truthKind {
			columns[i] += "::int"
		}
	}
	query := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + quoted(t.Name) //nolint:gosec // names of the schema
	if s.engine == "postgres" {
		err := s.conn.Raw(func(conn any) error {
			_, err := conn.(*stdlib.Conn).Conn().PgConn().CopyTo(ctx, w, `COPY (`+query+`) TO STDOUT`)
			return err
		})
		return store.MapError(err)
	}
	rows, err := s.tx.QueryContext(ctx, query)
	if err != nil {
		return store.MapError(err)
	}
	defer rows.Close() // Err below returns the error
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var line []byte
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return store.MapError(err)
		}
		line = line[:0]
		for i, v := range values {
			if i > 0 {
				line = append(line, '\t')
			}
			if line, err = appendField(line, v); err != nil {
				return err
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return store.MapError(rows.Err())
}

// lastIDs returns the last assigned id of each table that assigns ids. It is not assigned again, even
// if its row is deleted.
func (s *snapshot) lastIDs(ctx context.Context) (map[string]int64, error) {
	query := `SELECT name, seq FROM sqlite_sequence`
	if s.engine == "postgres" {
		query = postgresSequences
	}
	list, err := collect(ctx, s.tx, scanSequence, query)
	if err != nil {
		return nil, store.MapError(err)
	}
	last := map[string]int64{}
	for _, q := range list {
		if s.has(q.table) {
			last[q.table] = q.last
		}
	}
	return last, nil
}

// has reports whether a table is part of the snapshot.
func (s *snapshot) has(table string) bool {
	return slices.ContainsFunc(s.tables, func(t Table) bool { return t.Name == table })
}

// sequence is the last assigned id of a table.
type sequence struct {
	table string
	last  int64
}

func scanSequence(scan sqldb.Scan) (s sequence, err error) {
	err = scan(&s.table, &s.last)
	return s, err
}

const postgresSequences = `SELECT c.relname,
		coalesce(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0)
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''`

// eachFile calls fn for every file that a row refers to. Of a public picture only the key is known.
func (s *snapshot) eachFile(ctx context.Context, fn func(hospital.StoredFile) error) error {
	query := func(row func(sqldb.Scan) error, query string, args ...any) error {
		return store.MapError(eachRow(ctx, s.tx, row, query, args...))
	}
	setting, err := store.SettingIn(query)
	if err != nil {
		return err
	}
	for _, address := range setting.Images() {
		if err := fn(hospital.StoredFile{Key: strings.TrimPrefix(address, "/")}); err != nil {
			return err
		}
	}
	if !s.has("results") {
		return nil // an older schema
	}
	return store.EachResultFileIn(query, fn)
}
