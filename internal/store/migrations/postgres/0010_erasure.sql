-- +goose Up

-- The patients whose personal data was erased on request. hn_mark is a keyed hash
-- of the HN, so that the number is not used again although it is not stored.
CREATE TABLE erasures (
  patient_id BIGINT PRIMARY KEY REFERENCES patients (id),
  at         BIGINT NOT NULL,
  hn_mark    TEXT NOT NULL
);
CREATE UNIQUE INDEX erasures_hn ON erasures (hn_mark);

-- Only personal data of an audit entry can be redacted. The entry keeps its hash
-- and gets another one of the remaining fields. verify accepts it only if an entry
-- of the chain names it.
ALTER TABLE audit_entries ADD COLUMN redacted TEXT NOT NULL DEFAULT '';
DROP TRIGGER audit_entries_append_only ON audit_entries;
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON audit_entries
FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_append_only();
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
FOR EACH ROW WHEN (NEW.redacted = '' OR NEW.hash <> OLD.hash OR NEW.id <> OLD.id OR NEW.lane <> OLD.lane OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at OR NEW.actor_id IS DISTINCT FROM OLD.actor_id
  OR NEW.actor_name <> OLD.actor_name OR NEW.addr <> OLD.addr OR NEW.request_id <> OLD.request_id OR NEW.action <> OLD.action OR NEW.entity <> OLD.entity
  OR NEW.entity_id <> OLD.entity_id OR NEW.outcome <> OLD.outcome) EXECUTE FUNCTION audit_entries_append_only();

-- The history of an appointment can be redacted once the patient is erased.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND EXISTS (SELECT 1 FROM appointments a JOIN erasures e ON e.patient_id = a.patient_id WHERE a.id = OLD.appointment_id)
    AND NEW.id = OLD.id AND NEW.appointment_id = OLD.appointment_id AND NEW.action = OLD.action AND NEW.actor_id IS NOT DISTINCT FROM OLD.actor_id AND NEW.actor_name = OLD.actor_name AND NEW.at = OLD.at THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'history is never changed or deleted';
END $$;
-- +goose StatementEnd
