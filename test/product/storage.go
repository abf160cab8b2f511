package product

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	_ "modernc.org/sqlite"             // the driver
)

// Storage is the storage of an installation: a folder with its SQLite database, or a PostgreSQL database.
type Storage struct {
	Dir string
	URL string // empty for SQLite
}

// Env returns the environment variables of the installation.
func (s Storage) Env() []string {
	return []string{"NADMOR_DATA=" + s.Dir, "NADMOR_DATABASE_URL=" + s.URL, "NADMOR_FILES_URL="}
}

// Engine returns "sqlite" or "postgres".
func (s Storage) Engine() string {
	if s.URL == "" {
		return "sqlite"
	}
	return "postgres"
}

// SQL opens the database, to check its contents.
func (s Storage) SQL() (*sql.DB, error) {
	if s.URL != "" {
		return sql.Open("pgx", s.URL)
	}
	return sql.Open("sqlite",
		"file:"+(&url.URL{Path: filepath.Join(s.Dir, "nadmor.db")}).EscapedPath()+"?_pragma=busy_timeout(10000)")
}

// Ints returns the first column of a query.
func (s Storage) Ints(ctx context.Context, query string, args ...any) (list []int64, err error) {
	db, err := s.SQL()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // Err is checked below
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, rows.Err()
}

// NewDatabase creates an empty database on a PostgreSQL server.
func NewDatabase(ctx context.Context, server, name string) (address string, err error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	u.Path = "/" + name
	if _, err = db.ExecContext(ctx, fmt.Sprintf(`DROP DATABASE IF EXISTS %q WITH (FORCE)`, name)); err != nil {
		return "", err
	}
	_, err = db.ExecContext(ctx,
		fmt.Sprintf(`CREATE DATABASE %q ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' LC_COLLATE 'C.UTF-8' TEMPLATE template0`, name))
	return u.String(), err
}
