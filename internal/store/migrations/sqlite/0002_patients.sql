-- +goose Up

-- Running numbers (HNs and appointment numbers), one row per series.
CREATE TABLE counters (
  series TEXT PRIMARY KEY,
  value  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE patients (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  hn               TEXT NOT NULL,
  hn_key           TEXT NOT NULL,
  id_type          TEXT NOT NULL,
  id_card          TEXT NOT NULL,
  passport_no      TEXT NOT NULL,
  prename          TEXT NOT NULL,
  first_name       TEXT NOT NULL,
  last_name        TEXT NOT NULL,
  first_name_en    TEXT NOT NULL,
  last_name_en     TEXT NOT NULL,
  first_search     TEXT NOT NULL,
  last_search      TEXT NOT NULL,
  first_search_en  TEXT NOT NULL,
  last_search_en   TEXT NOT NULL,
  first_sort       BLOB NOT NULL,
  last_sort        BLOB NOT NULL,
  birth_date       TEXT NOT NULL,
  birth_precision  TEXT NOT NULL,
  sex              TEXT NOT NULL,
  blood_group      TEXT NOT NULL,
  rh_factor        TEXT NOT NULL,
  nationality      TEXT NOT NULL,
  religion         TEXT NOT NULL,
  marital_status   TEXT NOT NULL,
  occupation       TEXT NOT NULL,
  phone            TEXT NOT NULL,
  phone2           TEXT NOT NULL,
  email            TEXT NOT NULL,
  line_user_id     TEXT NOT NULL,
  addr_line        TEXT NOT NULL,
  addr_moo         TEXT NOT NULL,
  addr_subdistrict TEXT NOT NULL,
  addr_district    TEXT NOT NULL,
  addr_province    TEXT NOT NULL,
  addr_postal_code TEXT NOT NULL,
  right_code       TEXT NOT NULL,
  right_card_no    TEXT NOT NULL,
  right_hospital   TEXT NOT NULL,
  right_expires    TEXT NOT NULL,
  allergies        TEXT NOT NULL,
  no_known_allergy INTEGER NOT NULL DEFAULT FALSE,
  conditions       TEXT NOT NULL,
  contact_name     TEXT NOT NULL,
  contact_relation TEXT NOT NULL,
  contact_phone    TEXT NOT NULL,
  consent_at       INTEGER,
  note             TEXT NOT NULL,
  last_visit       TEXT,
  deleted_at       INTEGER,
  version          INTEGER NOT NULL DEFAULT 1,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL
) STRICT;
-- A hospital number is never used again, not even after deletion.
CREATE UNIQUE INDEX patients_hn ON patients (hn_key);
CREATE UNIQUE INDEX patients_id_card ON patients (id_card) WHERE id_card <> '' AND deleted_at IS NULL;
CREATE INDEX patients_passport ON patients (passport_no) WHERE passport_no <> '' AND deleted_at IS NULL;
CREATE INDEX patients_phone ON patients (phone) WHERE phone <> '' AND deleted_at IS NULL;
CREATE INDEX patients_phone2 ON patients (phone2) WHERE phone2 <> '' AND deleted_at IS NULL;
CREATE INDEX patients_first ON patients (first_search, last_search) WHERE deleted_at IS NULL;
CREATE INDEX patients_last ON patients (last_search) WHERE deleted_at IS NULL;
CREATE INDEX patients_first_en ON patients (first_search_en, last_search_en) WHERE first_search_en <> '' AND deleted_at IS NULL;
CREATE INDEX patients_last_en ON patients (last_search_en) WHERE last_search_en <> '' AND deleted_at IS NULL;
CREATE INDEX patients_by_first ON patients (first_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX patients_by_last ON patients (last_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX patients_by_birth ON patients (birth_date, id) WHERE deleted_at IS NULL;
CREATE INDEX patients_by_created ON patients (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX patients_by_visit ON patients (last_visit, id) WHERE deleted_at IS NULL;
CREATE INDEX patients_by_hn ON patients (hn, id) WHERE deleted_at IS NULL;

-- The text in which fragments are searched. rowid is the patient's id.
CREATE VIRTUAL TABLE patient_search USING fts5 (doc, tokenize = 'trigram', detail = 'none');

CREATE TABLE customers (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL,
  name_search  TEXT NOT NULL,
  name_sort    BLOB NOT NULL,
  phone        TEXT NOT NULL,
  email        TEXT NOT NULL,
  line_user_id TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('ACTIVE', 'SUSPENDED')),
  consent_at   INTEGER,
  note         TEXT NOT NULL,
  deleted_at   INTEGER,
  version      INTEGER NOT NULL DEFAULT 1,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX customers_phone ON customers (phone) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_name ON customers (name_sort, id) WHERE deleted_at IS NULL;

CREATE TABLE customer_patients (
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  patient_id  INTEGER NOT NULL REFERENCES patients (id),
  relation    TEXT NOT NULL,
  PRIMARY KEY (customer_id, patient_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX customer_patients_patient ON customer_patients (patient_id);
