-- +goose Up

-- Appointments and their history are never taken away, so the next number is one
-- more than the last without a table that remembers it, which every booking had
-- to write, too. The rows stay as they are; only what is said of them changes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY AUTOINCREMENT', 'INTEGER PRIMARY KEY') WHERE type = 'table' AND name IN ('appointments', 'appointment_history');
PRAGMA writable_schema = RESET;
DELETE FROM sqlite_sequence WHERE name IN ('appointments', 'appointment_history');

-- An answer is longer than a quarter of a page: in the order they came, with an
-- index of the keys, a page holds more of them and is seldom split.
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
