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
)

// leftOut are the tables whose rows no backup holds. What lets somebody in must
// not come back: a session that was ended since, or a link that was used, would
// be good again.
var leftOut = []string{"sessions", "login_attempts", "password_resets"}

// Snapshot is the database as it was at one moment, whatever is written
// meanwhile. It is read by one reader, from one connection.
type Snapshot struct {
	Migration int64 // of the schema
	Tables    []Shape

	engine string
	conn   *sql.Conn
	tx     *sql.Tx
}

// Snapshot keeps the database as it is now for a reader. Nobody waits for it; on SQLite the write-ahead log grows
// until it is closed.
func (db *DB) Snapshot(ctx context.Context) (*Snapshot, error) {
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return nil, mapError(fmt.Errorf("connect: %w", err))
	}
	s := &Snapshot{engine: db.dialect.name, conn: conn}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(mapError(err), s.Close())
	}
	return s, nil
}

func (s *Snapshot) begin(ctx context.Context) (err error) {
	var how *sql.TxOptions // a reader of SQLite sees one moment anyhow
	if s.engine == "postgres" {
		how = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	if s.tx, err = s.conn.BeginTx(ctx, how); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if s.engine == "postgres" {
		if _, err := s.tx.ExecContext(ctx, `SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8'; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	// The first statement that reads decides on the moment.
	if err := s.tx.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&s.Migration); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	all, err := shapes(ctx, s.tx, s.engine)
	s.Tables = slices.DeleteFunc(all, func(t Shape) bool { return slices.Contains(leftOut, t.Name) })
	return err
}

// Close lets the moment go: the database may clean up behind it again.
func (s *Snapshot) Close() error {
	if s.tx != nil {
		_ = s.tx.Rollback() // nothing was written
	}
	return s.conn.Close()
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
	defer rows.Close() // Err below tells what matters
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

// Given is, for the tables that number their rows, the last number that was
// given: it is not given again, though its row may be gone.
func (s *Snapshot) Given(ctx context.Context) (map[string]int64, error) {
	query := `SELECT name, seq FROM sqlite_sequence`
	if s.engine == "postgres" {
		query = identities
	}
	rows, err := s.tx.QueryContext(ctx, query)
	type given struct {
		table string
		last  int64
	}
	list, err := scanAll(rows, err, func(g *given) []any { return []any{&g.table, &g.last} })
	if err != nil {
		return nil, mapError(err)
	}
	last := map[string]int64{}
	for _, g := range list {
		if slices.ContainsFunc(s.Tables, func(t Shape) bool { return t.Name == g.table }) {
			last[g.table] = g.last
		}
	}
	return last, nil
}

const identities = `SELECT c.relname, coalesce(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0)
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''`

// EachFile calls fn for every file that a row tells of. What is known of a public
// picture is only its key.
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
	if !slices.ContainsFunc(s.Tables, func(t Shape) bool { return t.Name == "results" }) {
		return nil // an older schema
	}
	return eachResultFile(ctx, s.tx, func(_ int64, f hospital.StoredFile) error { return fn(f) })
}

// KeyFits tells whether the audit key is the one that the log is written with;
// nothing contradicts an empty log.
func (db *DB) KeyFits(ctx context.Context) (bool, error) {
	var lane int
	var seq int64
	var hash, sealed string
	err := db.read.QueryRowContext(ctx, `SELECT lane, seq, hash, seal FROM audit_lanes WHERE seq > 0 ORDER BY lane LIMIT 1`).Scan(&lane, &seq, &hash, &sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return sealed == seal(db.auditKey, lane, seq, hash), mapError(err)
}
