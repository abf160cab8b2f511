-- +goose Up

-- Rebuild the search documents without ID cards, so that a search no longer finds
-- fragments of them.
DROP INDEX patient_search_trigrams;
TRUNCATE patient_search;
INSERT INTO patient_search (rowid, doc)
SELECT id, concat_ws(' ', nullif(first_search, ''), nullif(last_search, ''),
  nullif(first_search_en, ''), nullif(last_search_en, ''), lower(hn),
  nullif(phone, ''), nullif(phone2, ''), nullif(lower(passport_no), ''))
FROM patients WHERE deleted_at IS NULL ORDER BY id;
CREATE INDEX patient_search_trigrams ON patient_search USING gin (doc gin_trgm_ops) WITH (fastupdate = off);
