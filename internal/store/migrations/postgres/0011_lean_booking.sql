-- +goose Up

-- Nothing to do here: what SQLite keeps in fewer pages since this version is a
-- matter of its tables.
SELECT 1;
