-- +goose Up

-- Deleted records still contain personal data and are part of a data export.
CREATE INDEX appointments_deleted ON appointments (patient_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX results_deleted ON results (patient_id) WHERE deleted_at IS NOT NULL;
