-- +goose Up

-- How many events of a session the index of texts has; all of them where there are none
-- left.
ALTER TABLE sessions ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET indexed = length WHERE pruned IS NOT NULL;
CREATE INDEX sessions_behind ON sessions (id) WHERE indexed < length;

-- The pieces of logs that it leads to, and what is in each: no texts, but the numbers of
-- three characters that follow each other, as words.
CREATE TABLE texts (
    id      INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    first   INTEGER NOT NULL,
    last    INTEGER NOT NULL
);
CREATE INDEX texts_session ON texts (session);
CREATE VIRTUAL TABLE grams USING fts5 (words, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii');

-- +goose Down
DROP TABLE grams;
DROP TABLE texts;
DROP INDEX sessions_behind;
ALTER TABLE sessions DROP COLUMN indexed;
