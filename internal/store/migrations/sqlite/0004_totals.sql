-- +goose Up

-- The number of appointments by service, day and status. It is updated with every
-- change of an appointment, so that counts over weeks or years read one row per day.
CREATE TABLE day_totals (
  date       TEXT NOT NULL,
  service_id INTEGER NOT NULL REFERENCES services (id),
  waitlisted INTEGER NOT NULL DEFAULT 0 CHECK (waitlisted >= 0),
  pending    INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
  booked     INTEGER NOT NULL DEFAULT 0 CHECK (booked >= 0),
  confirmed  INTEGER NOT NULL DEFAULT 0 CHECK (confirmed >= 0),
  checked_in INTEGER NOT NULL DEFAULT 0 CHECK (checked_in >= 0),
  in_service INTEGER NOT NULL DEFAULT 0 CHECK (in_service >= 0),
  completed  INTEGER NOT NULL DEFAULT 0 CHECK (completed >= 0),
  no_show    INTEGER NOT NULL DEFAULT 0 CHECK (no_show >= 0),
  cancelled  INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
  PRIMARY KEY (date, service_id)
) STRICT, WITHOUT ROWID;
INSERT INTO day_totals (date, service_id, waitlisted, pending, booked, confirmed, checked_in, in_service, completed, no_show, cancelled)
SELECT date, service_id,
  count(*) FILTER (WHERE status = 'WAITLISTED'),
  count(*) FILTER (WHERE status = 'PENDING'),
  count(*) FILTER (WHERE status = 'BOOKED'),
  count(*) FILTER (WHERE status = 'CONFIRMED'),
  count(*) FILTER (WHERE status = 'CHECKED_IN'),
  count(*) FILTER (WHERE status = 'IN_SERVICE'),
  count(*) FILTER (WHERE status = 'COMPLETED'),
  count(*) FILTER (WHERE status = 'NO_SHOW'),
  count(*) FILTER (WHERE status = 'CANCELLED')
FROM appointments
WHERE deleted_at IS NULL
GROUP BY date, service_id;

-- The slots whose capacity differs from the weekly rows.
CREATE INDEX slots_overridden ON slots (date) WHERE capacity IS NOT NULL;

-- The number of patients, updated in the same way.
CREATE TABLE patient_total (n INTEGER NOT NULL CHECK (n >= 0)) STRICT;
INSERT INTO patient_total (n)
SELECT count(*) FROM patients WHERE deleted_at IS NULL;

-- Finds a last name followed by a first name.
DROP INDEX patients_last;
CREATE INDEX patients_last ON patients (last_search, first_search) WHERE deleted_at IS NULL;
DROP INDEX patients_last_en;
CREATE INDEX patients_last_en ON patients (last_search_en, first_search_en) WHERE last_search_en <> '' AND deleted_at IS NULL;
