-- +goose Up

-- Every write has an idempotency key of its own kind: keys belong to an operation,
-- too, and a request of several transactions stores an answer for each (step).
ALTER TABLE idempotency
  ADD COLUMN operation TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN step BIGINT NOT NULL DEFAULT 0,
  DROP CONSTRAINT idempotency_pkey;
-- What was sent is stored as a keyed hash from now on.
DELETE FROM idempotency;
ALTER TABLE idempotency ADD CONSTRAINT idempotency_pkey PRIMARY KEY (actor_id, operation, key, step);
