-- +goose Up

-- Screens in waiting rooms. Each has its own token, of which only a hash is stored.
-- The token becomes invalid when the row is deleted.
CREATE TABLE displays (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  service_id INTEGER NOT NULL REFERENCES services (id),
  label      TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  created_by INTEGER,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER
) STRICT;
CREATE UNIQUE INDEX displays_token ON displays (token_hash);
CREATE INDEX displays_service ON displays (service_id);
