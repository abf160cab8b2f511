package store

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
)

// excludedTables are the tables whose rows are not in a backup: a session that was ended or a link
// that was used since the backup must not become valid again.
var excludedTables = []string{"sessions", "login_attempts", "password_resets"}

// sqlQuerier is a connection, a handle or a transaction of database/sql.
type sqlQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// collectSQL is sqldb.Collect for database/sql.
func collectSQL[T any](
	ctx context.Context, q sqlQuerier, scan func(sqldb.Scan) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // Err below returns the error
	var list []T
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// Snapshot is the state of the database at one time. It is read by one reader, on its own connection.
type Snapshot struct {
	Migration int64 // of the schema
	Tables    []Shape

	engine string
	handle *sql.DB
	conn   *sql.Conn
	tx     *sql.Tx
}

// Snapshot opens a snapshot of the current state. It blocks nobody; on SQLite the write-ahead log
// grows until it is closed.
func (db *DB) Snapshot(ctx context.Context) (*Snapshot, error) {
	handle, err := db.sql.Handle()
	if err != nil {
		return nil, mapError(err)
	}
	s := &Snapshot{engine: db.sql.Engine(), handle: handle}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(mapError(err), s.Close())
	}
	return s, nil
}

func (s *Snapshot) begin(ctx context.Context) (err error) {
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
	err = s.tx.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&s.Migration)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	all, err := shapes(ctx, s.tx, s.engine)
	s.Tables = slices.DeleteFunc(all, func(t Shape) bool { return slices.Contains(excludedTables, t.Name) })
	return err
}

// Close ends the snapshot and its connection.
func (s *Snapshot) Close() error {
	var errs []error
	if s.tx != nil {
		_ = s.tx.Rollback() // nothing was written
	}
	if s.conn != nil {
		errs = append(errs, s.conn.Close())
	}
	return errors.Join(append(errs, s.handle.Close())...)
}

// WriteRows writes the rows of a table, each with one call to w.
func (s *Snapshot) WriteRows(ctx context.Context, t Shape, w io.Writer) error {
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
		return mapError(err)
	}
	rows, err := s.tx.QueryContext(ctx, query)
	if err != nil {
		return mapError(err)
	}
	defer rows.Close() // Err below returns the error
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var line []byte
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return mapError(err)
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
	return mapError(rows.Err())
}

// Given returns the last assigned id of each table that assigns ids. It is not assigned again, even
// if its row is deleted.
func (s *Snapshot) Given(ctx context.Context) (map[string]int64, error) {
	query := `SELECT name, seq FROM sqlite_sequence`
	if s.engine == "postgres" {
		query = postgresSequences
	}
	list, err := collectSQL(ctx, s.tx, scanSequence, query)
	if err != nil {
		return nil, mapError(err)
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
func (s *Snapshot) has(table string) bool {
	return slices.ContainsFunc(s.Tables, func(t Shape) bool { return t.Name == table })
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

// EachFile calls fn for every file that a row refers to. Of a public picture only the key is known.
func (s *Snapshot) EachFile(ctx context.Context, fn func(hospital.StoredFile) error) error {
	setting, err := scanSetting(s.tx.QueryRowContext(ctx, settingSelect).Scan)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return mapError(err)
	}
	for _, address := range setting.Images() {
		if err := fn(hospital.StoredFile{Key: strings.TrimPrefix(address, "/")}); err != nil {
			return err
		}
	}
	if !s.has("results") {
		return nil // an older schema
	}
	return eachResultFile(func(after int64) ([]resultFile, error) {
		list, err := collectSQL(ctx, s.tx, scanResultFile, resultFilesAfter, after)
		return list, mapError(err)
	}, func(_ int64, f hospital.StoredFile) error { return fn(f) })
}

// KeyFits reports whether the audit log was written with the audit key. It returns true for an empty
// log.
func (db *DB) KeyFits(ctx context.Context) (fits bool, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		var lane int
		var seq int64
		var hash, sealed string
		err := tx.Get(`SELECT lane, seq, hash, seal FROM audit_lanes WHERE seq > 0 ORDER BY lane LIMIT 1`).
			Scan(&lane, &seq, &hash, &sealed)
		if errors.Is(err, sqldb.ErrNoRows) {
			fits = true
			return nil
		}
		fits = err == nil && sealed == seal(db.auditKey, lane, seq, hash)
		return err
	})
	return fits, err
}
