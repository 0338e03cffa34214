-- +goose Up

-- What lists and counts ask of decisions, written with the event by a trigger. A
-- decision is read as text: JSON with a zero character in it is none to PostgreSQL. The
-- members that are read come before the call's own arguments, and no string holds a
-- quote that isn't escaped.
CREATE TABLE decisions (
    session  TEXT COLLATE "C" NOT NULL,
    seq      BIGINT NOT NULL, -- the event
    at       BIGINT NOT NULL,
    server   TEXT COLLATE "C" NOT NULL, -- in JSON, without the quotes
    tool     TEXT COLLATE "C" NOT NULL, -- in JSON, without the quotes
    verdict  TEXT COLLATE "C" NOT NULL,
    confirms BIGINT NOT NULL, -- 1 where a person had agreed, else 0
    PRIMARY KEY (session, seq)
);
CREATE INDEX decisions_session ON decisions (session, verdict);
CREATE INDEX decisions_at ON decisions (at);

-- +goose StatementBegin
CREATE FUNCTION note_decision(session TEXT, seq BIGINT, event TEXT, decision TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
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
-- +goose StatementBegin
CREATE FUNCTION events_decided() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_decision(NEW.session, NEW.seq, NEW.event, NEW.decision);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

SELECT note_decision(session, seq, event, decision) FROM events WHERE decision IS NOT NULL;
CREATE TRIGGER events_decided AFTER INSERT ON events FOR EACH ROW WHEN (NEW.decision IS NOT NULL) EXECUTE FUNCTION events_decided();

-- +goose Down
DROP TRIGGER events_decided ON events;
DROP FUNCTION events_decided;
DROP FUNCTION note_decision;
DROP TABLE decisions;
