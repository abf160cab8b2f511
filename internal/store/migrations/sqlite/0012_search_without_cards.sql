-- +goose Up

-- Rebuild the search documents without ID cards, so that a search no longer finds
-- fragments of them. A new table is used so that nothing remains in the old index.
DROP TABLE patient_search;
CREATE VIRTUAL TABLE patient_search USING fts5 (doc, tokenize = 'trigram', detail = 'none');
INSERT INTO patient_search (rowid, doc)
SELECT id, concat_ws(' ', nullif(first_search, ''), nullif(last_search, ''),
  nullif(first_search_en, ''), nullif(last_search_en, ''), lower(hn),
  nullif(phone, ''), nullif(phone2, ''), nullif(lower(passport_no), ''))
FROM patients WHERE deleted_at IS NULL ORDER BY id;
