-- +goose Up

-- All writes accept idempotency keys. A key belongs to an operation as well, and a
-- request with several transactions stores a row for each of them (step).
ALTER TABLE idempotency
  ADD COLUMN operation TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN step BIGINT NOT NULL DEFAULT 0,
  DROP CONSTRAINT idempotency_pkey;
-- Requests are now stored as a keyed hash, so the old rows are useless.
DELETE FROM idempotency;
ALTER TABLE idempotency ADD CONSTRAINT idempotency_pkey PRIMARY KEY (actor_id, operation, key, step);
