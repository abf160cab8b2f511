-- +goose Up

-- Appointments and their history are never deleted, so they do not need
-- AUTOINCREMENT, which updates sqlite_sequence with every booking. Only the schema
-- changes, not the rows.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY AUTOINCREMENT', 'INTEGER PRIMARY KEY') WHERE type = 'table' AND name IN ('appointments', 'appointment_history');
PRAGMA writable_schema = RESET;
DELETE FROM sqlite_sequence WHERE name IN ('appointments', 'appointment_history');

-- A response is longer than a quarter of a page. In a table with rowids, with an
-- index of the keys, more of them fit into a page, which is seldom split.
CREATE TABLE answers (
  actor_id   INTEGER NOT NULL,
  key        TEXT NOT NULL,
  request    TEXT NOT NULL,
  answer     TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (actor_id, key)
) STRICT;
INSERT INTO answers (actor_id, key, request, answer, created_at) SELECT actor_id, key, request, answer, created_at FROM idempotency ORDER BY created_at;
DROP TABLE idempotency;
ALTER TABLE answers RENAME TO idempotency;
CREATE INDEX idempotency_age ON idempotency (created_at);
