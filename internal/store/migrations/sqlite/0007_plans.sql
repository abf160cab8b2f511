-- +goose Up

-- SQLite is used without statistics. With them it would plan every statement again
-- for each argument, and scan tables that were empty when they were gathered.
DROP TABLE IF EXISTS sqlite_stat4;
DROP TABLE IF EXISTS sqlite_stat1;

-- Rejected and failed requests are a small part of the log.
CREATE INDEX audit_entries_not_ok ON audit_entries (outcome, id) WHERE outcome <> 'OK';

-- Expired links are deleted every night.
CREATE INDEX password_resets_expiry ON password_resets (expires_at);
