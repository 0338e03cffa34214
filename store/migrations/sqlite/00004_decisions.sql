-- +goose Up

-- What lists and counts ask of decisions, written with the event by a trigger.
CREATE TABLE decisions (
    session  TEXT NOT NULL,
    seq      INTEGER NOT NULL, -- the event
    at       INTEGER NOT NULL,
    server   TEXT NOT NULL,    -- in JSON, without the quotes
    tool     TEXT NOT NULL,    -- in JSON, without the quotes
    verdict  TEXT NOT NULL,
    confirms INTEGER NOT NULL, -- 1 where a person had agreed, else 0
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE INDEX decisions_session ON decisions (session, verdict);
CREATE INDEX decisions_at ON decisions (at);

INSERT INTO decisions (session, seq, at, server, tool, verdict, confirms)
SELECT session, seq, coalesce(CAST(unixepoch(event ->> '$.time', 'subsec') * 1000000 AS INTEGER), 0),
    coalesce(substr(decision -> '$.server', 2, length(decision -> '$.server') - 2), ''),
    substr(decision -> '$.tool', 2, length(decision -> '$.tool') - 2),
    decision ->> '$.verdict', event ->> '$.kind' = 'confirmation'
FROM events WHERE decision IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER events_decided AFTER INSERT ON events WHEN NEW.decision IS NOT NULL BEGIN
    INSERT INTO decisions (session, seq, at, server, tool, verdict, confirms)
    VALUES (NEW.session, NEW.seq, coalesce(CAST(unixepoch(NEW.event ->> '$.time', 'subsec') * 1000000 AS INTEGER), 0),
        coalesce(substr(NEW.decision -> '$.server', 2, length(NEW.decision -> '$.server') - 2), ''),
        substr(NEW.decision -> '$.tool', 2, length(NEW.decision -> '$.tool') - 2),
        NEW.decision ->> '$.verdict', NEW.event ->> '$.kind' = 'confirmation');
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER events_decided;
DROP TABLE decisions;
