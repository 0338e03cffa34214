-- +goose Up

-- The tools that sessions were created with: many sessions have the same ones.
CREATE TABLE toolsets (
    hash  BLOB PRIMARY KEY, -- of the tools
    tools TEXT NOT NULL     -- JSON
);

ALTER TABLE sessions ADD COLUMN principal TEXT NOT NULL DEFAULT ''; -- whose it is; empty: of nobody in particular
ALTER TABLE sessions ADD COLUMN ended INTEGER;                      -- when it was ended; nothing is appended afterwards
ALTER TABLE sessions ADD COLUMN toolset BLOB REFERENCES toolsets (hash);
CREATE INDEX sessions_principal ON sessions (principal, id);

-- Requests by the keys that their senders gave them, and what they were
-- answered, so that one that is sent again is not carried out again.
CREATE TABLE requests (
    key     BLOB PRIMARY KEY, -- hash of principal and key
    content BLOB NOT NULL,    -- hash of what was asked for
    begun   INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    status  INTEGER,          -- of the answer, once there is one
    header  TEXT,             -- JSON
    body    BLOB
);
CREATE INDEX requests_expires ON requests (expires);

-- +goose Down
DROP TABLE requests;
DROP INDEX sessions_principal;
ALTER TABLE sessions DROP COLUMN toolset;
ALTER TABLE sessions DROP COLUMN ended;
ALTER TABLE sessions DROP COLUMN principal;
DROP TABLE toolsets;
