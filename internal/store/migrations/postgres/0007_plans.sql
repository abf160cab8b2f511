-- +goose Up

-- What was refused or failed is a small part of the log.
CREATE INDEX audit_entries_not_ok ON audit_entries (outcome, id) WHERE outcome <> 'OK';

-- Links that are over are cleaned up every night.
CREATE INDEX password_resets_expiry ON password_resets (expires_at);
