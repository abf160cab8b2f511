-- +goose Up

-- What was deleted is still somebody's: whoever asks for their data gets it, too.
CREATE INDEX appointments_deleted ON appointments (patient_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX results_deleted ON results (patient_id) WHERE deleted_at IS NOT NULL;
