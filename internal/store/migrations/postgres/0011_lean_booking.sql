-- +goose Up

-- This migration changes tables of SQLite only.
SELECT 1;
