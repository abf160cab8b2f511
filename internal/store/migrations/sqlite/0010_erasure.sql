-- +goose Up

-- The patients whose personal data was erased on request. hn_mark is a keyed hash
-- of the HN, so that the number is not used again although it is not stored.
CREATE TABLE erasures (
  patient_id INTEGER PRIMARY KEY REFERENCES patients (id),
  at         INTEGER NOT NULL,
  hn_mark    TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX erasures_hn ON erasures (hn_mark);

-- Only personal data of an audit entry can be redacted. The entry keeps its hash
-- and gets another one of the remaining fields. verify accepts it only if an entry
-- of the chain names it.
ALTER TABLE audit_entries ADD COLUMN redacted TEXT NOT NULL DEFAULT '';
DROP TRIGGER audit_entries_no_update;
-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
WHEN NEW.redacted = '' OR NEW.hash <> OLD.hash OR NEW.id <> OLD.id OR NEW.lane <> OLD.lane OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at OR NEW.actor_id IS NOT OLD.actor_id
  OR NEW.actor_name <> OLD.actor_name OR NEW.addr <> OLD.addr OR NEW.request_id <> OLD.request_id OR NEW.action <> OLD.action OR NEW.entity <> OLD.entity
  OR NEW.entity_id <> OLD.entity_id OR NEW.outcome <> OLD.outcome
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- +goose StatementEnd

-- The history of an appointment can be redacted once the patient is erased.
DROP TRIGGER appointment_history_kept;
-- +goose StatementBegin
CREATE TRIGGER appointment_history_kept BEFORE UPDATE ON appointment_history
WHEN NOT EXISTS (SELECT 1 FROM appointments a JOIN erasures e ON e.patient_id = a.patient_id WHERE a.id = OLD.appointment_id)
  OR NEW.id <> OLD.id OR NEW.appointment_id <> OLD.appointment_id OR NEW.action <> OLD.action OR NEW.actor_id IS NOT OLD.actor_id OR NEW.actor_name <> OLD.actor_name OR NEW.at <> OLD.at
BEGIN SELECT RAISE(ABORT, 'history is never changed'); END;
-- +goose StatementEnd
