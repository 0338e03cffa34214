-- +goose Up

-- Decisions that are not among those by which sessions are found and counted yet. To write
-- them there takes as long as everything else that a call waits for, so that an append notes
-- the place alone; a row that is deleted here is written there.
CREATE TABLE unlisted (
    session TEXT NOT NULL,
    seq     INTEGER NOT NULL -- the event
);

DROP TRIGGER events_decided;
-- +goose StatementBegin
CREATE TRIGGER events_decided AFTER INSERT ON events WHEN NEW.decision IS NOT NULL BEGIN
    INSERT INTO unlisted (session, seq) VALUES (NEW.session, NEW.seq);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER unlisted_listed AFTER DELETE ON unlisted BEGIN
    INSERT INTO decisions (session, seq, at, server, tool, verdict, confirms, took, shadow)
    SELECT session, seq, coalesce(CAST(unixepoch(event ->> '$.time', 'subsec') * 1000000 AS INTEGER), 0),
        coalesce(substr(decision -> '$.server', 2, length(decision -> '$.server') - 2), ''),
        coalesce(substr(decision -> '$.tool', 2, length(decision -> '$.tool') - 2), ''),
        decision ->> '$.verdict', event ->> '$.kind' = 'confirmation',
        coalesce(event ->> '$.took', 0), coalesce(event ->> '$.shadow', 0)
    FROM events WHERE session = OLD.session AND seq = OLD.seq; -- pruned meanwhile, it has none
END;
-- +goose StatementEnd

-- +goose Down
DELETE FROM unlisted; -- which lists them
DROP TRIGGER unlisted_listed;
DROP TABLE unlisted;
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
