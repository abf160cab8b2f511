-- +goose Up

-- The results of a visit: a diagnosis, a file, or both. The row and the file of a
-- deleted result stay stored, so that nothing is lost by mistake.
CREATE TABLE results (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  appointment_id  INTEGER NOT NULL REFERENCES appointments (id),
  -- The appointment's, which never changes.
  patient_id      INTEGER NOT NULL REFERENCES patients (id),
  type            TEXT NOT NULL,
  diagnosis       TEXT NOT NULL,
  icd10           TEXT NOT NULL,
  advice          TEXT NOT NULL,
  follow_up_date  TEXT,
  file_key        TEXT,
  file_name       TEXT NOT NULL DEFAULT '',
  file_type       TEXT NOT NULL DEFAULT '',
  file_size       INTEGER NOT NULL DEFAULT 0,
  file_sha256     TEXT NOT NULL DEFAULT '',
  created_by      INTEGER,
  created_by_name TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  deleted_at      INTEGER,
  CHECK (diagnosis <> '' OR file_key IS NOT NULL)
) STRICT;
CREATE INDEX results_of ON results (appointment_id, id) WHERE deleted_at IS NULL;
CREATE INDEX results_patient ON results (patient_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX results_created ON results (created_at, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX results_file ON results (file_key) WHERE file_key IS NOT NULL;
CREATE INDEX appointments_with_results ON appointments (date, start_time, id) WHERE result_count > 0 AND deleted_at IS NULL;
