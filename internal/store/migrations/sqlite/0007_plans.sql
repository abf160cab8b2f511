-- +goose Up

-- SQLite is run without statistics. With them it plans every statement anew for
-- each new argument, and what was empty when they were gathered it goes on
-- reading from end to end.
DROP TABLE IF EXISTS sqlite_stat4;
DROP TABLE IF EXISTS sqlite_stat1;

-- What was refused or failed is a small part of the log.
CREATE INDEX audit_entries_not_ok ON audit_entries (outcome, id) WHERE outcome <> 'OK';

-- Links that are over are cleaned up every night.
CREATE INDEX password_resets_expiry ON password_resets (expires_at);
