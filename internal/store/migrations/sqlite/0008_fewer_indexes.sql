-- +goose Up

-- Days are counted in day_totals. Verifying them uses the index by service.
DROP INDEX appointments_load;

-- A covering index for the appointments of a patient on a day and for the number
-- of visits.
DROP INDEX appointments_patient;
CREATE INDEX appointments_patient ON appointments (patient_id, date, start_time, end_time, status) WHERE deleted_at IS NULL;
