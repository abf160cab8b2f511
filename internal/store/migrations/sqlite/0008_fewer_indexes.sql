-- +goose Up

-- Days are counted in day_totals by now; what counts them again goes by service.
DROP INDEX appointments_load;

-- Where a patient has to be on a day, and how often they came, without looking
-- at the appointments themselves.
DROP INDEX appointments_patient;
CREATE INDEX appointments_patient ON appointments (patient_id, date, start_time, end_time, status) WHERE deleted_at IS NULL;
