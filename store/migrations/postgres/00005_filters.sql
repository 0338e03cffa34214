-- +goose Up

-- Sessions are found by what few of them have. Each index holds all that a filter reads, and
-- has the session second, so that a single one is asked about as well.
CREATE INDEX decisions_tool ON decisions (tool, session, server, verdict);
CREATE INDEX decisions_server ON decisions (server, session, verdict);
CREATE INDEX decisions_verdict ON decisions (verdict, session);

-- +goose Down
DROP INDEX decisions_tool;
DROP INDEX decisions_server;
DROP INDEX decisions_verdict;
