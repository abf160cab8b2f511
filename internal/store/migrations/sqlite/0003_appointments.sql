-- +goose Up

CREATE TABLE services (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  code                  TEXT NOT NULL,
  name                  TEXT NOT NULL,
  name_en               TEXT NOT NULL,
  name_sort             BLOB NOT NULL,
  department            TEXT NOT NULL,
  location              TEXT NOT NULL,
  color                 TEXT NOT NULL,
  description           TEXT NOT NULL,
  instructions          TEXT NOT NULL,
  slot_minutes          INTEGER NOT NULL,
  default_capacity      INTEGER NOT NULL,
  overbook_limit        INTEGER NOT NULL,
  booking_window_days   INTEGER,
  lead_minutes          INTEGER,
  cancel_cutoff_minutes INTEGER,
  requires_approval     INTEGER NOT NULL,
  staff_ids             TEXT NOT NULL,
  active                INTEGER NOT NULL,
  sort                  INTEGER NOT NULL,
  -- The weekly rows, as JSON: they are always read and written with their service.
  schedule              TEXT NOT NULL,
  deleted_at            INTEGER,
  version               INTEGER NOT NULL DEFAULT 1,
  created_at            INTEGER NOT NULL,
  updated_at            INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX services_code ON services (code) WHERE deleted_at IS NULL;

CREATE TABLE closures (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  date_from   TEXT NOT NULL,
  date_to     TEXT NOT NULL,
  start_time  TEXT,
  end_time    TEXT,
  service_ids TEXT NOT NULL,
  reason      TEXT NOT NULL,
  kind        TEXT NOT NULL,
  created_by  INTEGER,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX closures_end ON closures (date_to, date_from);

-- Only slots that were booked, or whose capacity was changed, have a row.
CREATE TABLE slots (
  service_id INTEGER NOT NULL REFERENCES services (id),
  date       TEXT NOT NULL,
  start_time TEXT NOT NULL,
  end_time   TEXT NOT NULL,
  booked     INTEGER NOT NULL DEFAULT 0 CHECK (booked >= 0),
  capacity   INTEGER CHECK (capacity >= 0),
  PRIMARY KEY (service_id, date, start_time)
) STRICT, WITHOUT ROWID;
CREATE INDEX slots_date ON slots (date);

CREATE TABLE appointments (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  number           TEXT NOT NULL,
  patient_id       INTEGER NOT NULL REFERENCES patients (id),
  service_id       INTEGER NOT NULL REFERENCES services (id),
  date             TEXT NOT NULL,
  start_time       TEXT NOT NULL,
  end_time         TEXT NOT NULL,
  staff_id         INTEGER,
  customer_id      INTEGER,
  kind             TEXT NOT NULL,
  channel          TEXT NOT NULL,
  priority         TEXT NOT NULL,
  status           TEXT NOT NULL,
  reason           TEXT NOT NULL,
  note             TEXT NOT NULL,
  overbooked       INTEGER NOT NULL DEFAULT FALSE,
  overbook_reason  TEXT NOT NULL,
  series_id        INTEGER,
  follow_up_of_id  INTEGER,
  cancel_reason    TEXT NOT NULL DEFAULT '',
  queue_no         INTEGER,
  checked_in_at    INTEGER,
  started_at       INTEGER,
  completed_at     INTEGER,
  result_count     INTEGER NOT NULL DEFAULT 0,
  deleted_at       INTEGER,
  version          INTEGER NOT NULL DEFAULT 1,
  created_by       INTEGER,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX appointments_number ON appointments (number);
CREATE INDEX appointments_by_date ON appointments (date, start_time, id) WHERE deleted_at IS NULL;
CREATE INDEX appointments_service ON appointments (service_id, date, start_time, status) WHERE deleted_at IS NULL;
CREATE INDEX appointments_load ON appointments (date, service_id, status) WHERE deleted_at IS NULL;
CREATE INDEX appointments_patient ON appointments (patient_id, date, start_time) WHERE deleted_at IS NULL;
CREATE INDEX appointments_staff ON appointments (staff_id, date) WHERE staff_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX appointments_status ON appointments (status, date, start_time, id) WHERE deleted_at IS NULL;
CREATE INDEX appointments_created ON appointments (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX appointments_series ON appointments (series_id) WHERE series_id IS NOT NULL;

-- The changes of each appointment. The table is append-only.
CREATE TABLE appointment_history (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  appointment_id INTEGER NOT NULL REFERENCES appointments (id),
  action         TEXT NOT NULL,
  before         TEXT NOT NULL,
  after          TEXT NOT NULL,
  reason         TEXT NOT NULL,
  actor_id       INTEGER,
  actor_name     TEXT NOT NULL,
  at             INTEGER NOT NULL
) STRICT;
CREATE INDEX appointment_history_of ON appointment_history (appointment_id, id);
-- +goose StatementBegin
CREATE TRIGGER appointment_history_kept BEFORE UPDATE ON appointment_history
BEGIN SELECT RAISE(ABORT, 'history is never changed'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER appointment_history_stays BEFORE DELETE ON appointment_history
BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
-- +goose StatementEnd

-- The last queue number of each service and day.
CREATE TABLE queues (
  service_id INTEGER NOT NULL,
  date       TEXT NOT NULL,
  last       INTEGER NOT NULL,
  PRIMARY KEY (service_id, date)
) STRICT, WITHOUT ROWID;

-- Responses to requests with an Idempotency-Key.
CREATE TABLE idempotency (
  actor_id   INTEGER NOT NULL,
  key        TEXT NOT NULL,
  request    TEXT NOT NULL,
  answer     TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (actor_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);
