-- +goose Up

-- All writes accept idempotency keys. A key belongs to an operation as well, and a
-- request with several transactions stores a row for each of them (step).
-- Requests are now stored as a keyed hash, so the old rows are useless.
DROP TABLE idempotency;
CREATE TABLE idempotency (
  actor_id   INTEGER NOT NULL,
  operation  TEXT NOT NULL DEFAULT '',
  key        TEXT NOT NULL,
  step       INTEGER NOT NULL DEFAULT 0,
  request    TEXT NOT NULL,
  answer     TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (actor_id, operation, key, step)
) STRICT;
CREATE INDEX idempotency_age ON idempotency (created_at);
