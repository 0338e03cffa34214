-- +goose Up

-- How long decisions took, in microseconds, 0 where nobody measured it; and 1 where they
-- were recorded and not enforced, else 0. Both stand before all that others may have
-- written into an event.
ALTER TABLE decisions ADD COLUMN took BIGINT NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN shadow BIGINT NOT NULL DEFAULT 0;
DROP INDEX decisions_at;
CREATE INDEX decisions_at ON decisions (at, took);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_decision(session TEXT, seq BIGINT, event TEXT, decision TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    head TEXT := left(decision, position('"verdict":"' IN decision) + 32);
    first TEXT := left(event, 128);
BEGIN
    INSERT INTO decisions VALUES (session, seq,
        coalesce((extract(epoch FROM substring(first FROM '"time":"([^"]+)"')::timestamptz) * 1000000)::bigint, 0),
        coalesce(substring(head FROM '"server":"((?:[^"\\]|\\.)*)"'), ''),
        coalesce(substring(head FROM '"tool":"((?:[^"\\]|\\.)*)"'), ''),
        coalesce(substring(head FROM '"verdict":"([a-z]+)"'), ''),
        CASE WHEN left(event, 22) = '{"kind":"confirmation"' THEN 1 ELSE 0 END,
        coalesce(substring(first FROM '^\{"kind":"[a-z]+","time":"[^"]+","took":([0-9]{1,15})')::bigint, 0),
        CASE WHEN first ~ '^\{"kind":"[a-z]+","time":"[^"]+"(,"took":[0-9]+)?,"shadow":true' THEN 1 ELSE 0 END);
END
$$;
-- +goose StatementEnd

-- What the last check of the audit log found.
CREATE TABLE verified (
    one      BIGINT PRIMARY KEY CHECK (one = 1),
    at       BIGINT NOT NULL,
    entries  BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    problems BIGINT NOT NULL
);

-- +goose Down
DROP TABLE verified;
DROP INDEX decisions_at;
ALTER TABLE decisions DROP COLUMN shadow;
ALTER TABLE decisions DROP COLUMN took;
CREATE INDEX decisions_at ON decisions (at);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_decision(session TEXT, seq BIGINT, event TEXT, decision TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    head TEXT := left(decision, position('"verdict":"' IN decision) + 32);
BEGIN
    INSERT INTO decisions VALUES (session, seq,
        coalesce((extract(epoch FROM substring(left(event, 128) FROM '"time":"([^"]+)"')::timestamptz) * 1000000)::bigint, 0),
        coalesce(substring(head FROM '"server":"((?:[^"\\]|\\.)*)"'), ''),
        coalesce(substring(head FROM '"tool":"((?:[^"\\]|\\.)*)"'), ''),
        coalesce(substring(head FROM '"verdict":"([a-z]+)"'), ''),
        CASE WHEN left(event, 22) = '{"kind":"confirmation"' THEN 1 ELSE 0 END);
END
$$;
-- +goose StatementEnd
