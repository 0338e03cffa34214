-- +goose Up

-- How many events of a session the index of texts has; all of them where there are none
-- left.
ALTER TABLE sessions ADD COLUMN indexed BIGINT NOT NULL DEFAULT 0;
UPDATE sessions SET indexed = length WHERE pruned IS NOT NULL;
CREATE INDEX sessions_behind ON sessions (id) WHERE indexed < length;

-- The pieces of logs that it leads to, and what is in each: no texts, but the numbers of
-- three characters that follow each other; none where there are too many to list.
CREATE TABLE texts (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session TEXT COLLATE "C" NOT NULL,
    first   BIGINT NOT NULL,
    last    BIGINT NOT NULL,
    grams   INTEGER[] NOT NULL
);
CREATE INDEX texts_session ON texts (session);
CREATE INDEX texts_full ON texts (id) WHERE grams = '{}';
CREATE INDEX texts_grams ON texts USING gin (grams);

-- +goose Down
DROP TABLE texts;
DROP INDEX sessions_behind;
ALTER TABLE sessions DROP COLUMN indexed;
