-- +goose Up

-- How long decisions took, in microseconds, 0 where nobody measured it; and 1 where they
-- were recorded and not enforced, else 0.
ALTER TABLE decisions ADD COLUMN took INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN shadow INTEGER NOT NULL DEFAULT 0;
DROP INDEX decisions_at;
CREATE INDEX decisions_at ON decisions (at, took);

DROP TRIGGER events_decided;
-- +goose StatementBegin
CREATE TRIGGER events_decided AFTER INSERT ON events WHEN NEW.decision IS NOT NULL BEGIN
    INSERT INTO decisions (session, seq, at, server, tool, verdict, confirms, took, shadow)
    VALUES (NEW.session, NEW.seq, coalesce(CAST(unixepoch(NEW.event ->> '$.time', 'subsec') * 1000000 AS INTEGER), 0),
        coalesce(substr(NEW.decision -> '$.server', 2, length(NEW.decision -> '$.server') - 2), ''),
        substr(NEW.decision -> '$.tool', 2, length(NEW.decision -> '$.tool') - 2),
        NEW.decision ->> '$.verdict', NEW.event ->> '$.kind' = 'confirmation',
        coalesce(NEW.event ->> '$.took', 0), coalesce(NEW.event ->> '$.shadow', 0));
END;
-- +goose StatementEnd

-- What the last check of the audit log found.
CREATE TABLE verified (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    at       INTEGER NOT NULL,
    entries  INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    problems INTEGER NOT NULL
);

-- +goose Down
DROP TABLE verified;
DROP TRIGGER events_decided;
DROP INDEX decisions_at;
ALTER TABLE decisions DROP COLUMN shadow;
ALTER TABLE decisions DROP COLUMN took;
CREATE INDEX decisions_at ON decisions (at);
-- +goose StatementBegin
CREATE TRIGGER events_decided AFTER INSERT ON events WHEN NEW.decision IS NOT NULL BEGIN
    INSERT INTO decisions (session, seq, at, server, tool, verdict, confirms)
    VALUES (NEW.session, NEW.seq, coalesce(CAST(unixepoch(NEW.event ->> '$.time', 'subsec') * 1000000 AS INTEGER), 0),
        coalesce(substr(NEW.decision -> '$.server', 2, length(NEW.decision -> '$.server') - 2), ''),
        substr(NEW.decision -> '$.tool', 2, length(NEW.decision -> '$.tool') - 2),
        NEW.decision ->> '$.verdict', NEW.event ->> '$.kind' = 'confirmation');
END;
-- +goose StatementEnd
