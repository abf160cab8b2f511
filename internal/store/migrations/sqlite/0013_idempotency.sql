-- +goose Up

-- Every write has an idempotency key of its own kind: keys belong to an operation,
-- too, and a request of several transactions stores an answer for each (step).
-- What was sent is stored as a keyed hash from now on, so the old rows go.
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
