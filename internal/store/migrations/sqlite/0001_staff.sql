-- +goose Up

-- Transactions that could together break a rule about several rows (the last
-- administrator) update the row of its guard first, so that they run one by one.
CREATE TABLE guards (
  name TEXT PRIMARY KEY,
  n    INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO guards (name) VALUES ('administrators');

CREATE TABLE settings (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  body       TEXT NOT NULL,
  version    INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE roles (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL,
  label      TEXT NOT NULL,
  label_key  BLOB NOT NULL,
  system     INTEGER NOT NULL DEFAULT FALSE,
  version    INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX roles_name ON roles (name);

CREATE TABLE role_permissions (
  role_id    INTEGER NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  permission TEXT NOT NULL,
  PRIMARY KEY (role_id, permission)
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id                   INTEGER PRIMARY KEY AUTOINCREMENT,
  username             TEXT NOT NULL,
  username_key         TEXT NOT NULL,
  email                TEXT NOT NULL,
  email_key            TEXT NOT NULL,
  name                 TEXT NOT NULL,
  name_key             BLOB NOT NULL,
  phone                TEXT NOT NULL DEFAULT '',
  position             TEXT NOT NULL DEFAULT '',
  license_no           TEXT NOT NULL DEFAULT '',
  role_id              INTEGER REFERENCES roles (id),
  service_ids          TEXT NOT NULL DEFAULT '[]',
  status               TEXT NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'SUSPENDED')),
  password_hash        TEXT NOT NULL DEFAULT '',
  must_change_password INTEGER NOT NULL DEFAULT FALSE,
  totp_secret          TEXT NOT NULL DEFAULT '',
  totp_enabled         INTEGER NOT NULL DEFAULT FALSE,
  totp_used            INTEGER NOT NULL DEFAULT 0,
  reset_requested_at   INTEGER,
  last_login_at        INTEGER,
  deleted_at           INTEGER,
  version              INTEGER NOT NULL DEFAULT 1,
  created_at           INTEGER NOT NULL,
  updated_at           INTEGER NOT NULL,
  CHECK (status <> 'ACTIVE' OR role_id IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX users_username ON users (username_key) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_email ON users (email_key) WHERE deleted_at IS NULL;
CREATE INDEX users_role ON users (role_id);

CREATE TABLE sessions (
  id           TEXT PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users (id),
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  addr         TEXT NOT NULL,
  user_agent   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id, expires_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE login_attempts (
  login_hash TEXT NOT NULL,
  addr       TEXT NOT NULL,
  failures   INTEGER NOT NULL,
  first_at   INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (login_hash, addr)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_age ON login_attempts (last_at);

CREATE TABLE password_resets (
  token_hash TEXT PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX password_resets_user ON password_resets (user_id);

CREATE TABLE audit_lanes (
  lane INTEGER PRIMARY KEY,
  seq  INTEGER NOT NULL DEFAULT 0,
  hash TEXT NOT NULL DEFAULT '',
  seal TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO audit_lanes (lane) VALUES (0);

CREATE TABLE audit_entries (
  id         INTEGER PRIMARY KEY,
  lane       INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  actor_id   INTEGER,
  actor_name TEXT NOT NULL,
  addr       TEXT NOT NULL,
  request_id TEXT NOT NULL,
  action     TEXT NOT NULL,
  entity     TEXT NOT NULL,
  entity_id  TEXT NOT NULL,
  subject    TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  changes    TEXT NOT NULL,
  reason     TEXT NOT NULL,
  hash       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX audit_entries_chain ON audit_entries (lane, seq);
CREATE INDEX audit_entries_record ON audit_entries (entity, entity_id, id);
CREATE INDEX audit_entries_actor ON audit_entries (actor_id, id);
CREATE INDEX audit_entries_action ON audit_entries (action, id);
CREATE INDEX audit_entries_at ON audit_entries (at, id);

-- The log is append-only. Edits after these triggers were dropped break the
-- chain, which `nadmor verify` reports.
-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- +goose StatementEnd

CREATE TABLE jobs (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT NOT NULL,
  payload      TEXT NOT NULL,
  unique_key   TEXT,
  run_at       INTEGER NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER NOT NULL DEFAULT 0,
  last_error   TEXT NOT NULL DEFAULT '',
  done_at      INTEGER,
  created_at   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_unique ON jobs (unique_key);
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE done_at IS NULL;
CREATE INDEX jobs_done ON jobs (done_at) WHERE done_at IS NOT NULL;
