-- +goose Up

-- Rejected and failed requests are a small part of the log.
CREATE INDEX audit_entries_not_ok ON audit_entries (outcome, id) WHERE outcome <> 'OK';

-- Expired links are deleted every night.
CREATE INDEX password_resets_expiry ON password_resets (expires_at);
