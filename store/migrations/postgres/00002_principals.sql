-- +goose Up

-- The tools that sessions were created with: many sessions have the same ones.
CREATE TABLE toolsets (
    hash  BYTEA PRIMARY KEY, -- of the tools
    tools TEXT COLLATE "C" NOT NULL -- JSON
);

ALTER TABLE sessions ADD COLUMN principal TEXT COLLATE "C" NOT NULL DEFAULT ''; -- whose it is; empty: of nobody in particular
ALTER TABLE sessions ADD COLUMN ended BIGINT; -- when it was ended; nothing is appended afterwards
ALTER TABLE sessions ADD COLUMN toolset BYTEA REFERENCES toolsets (hash);
CREATE INDEX sessions_principal ON sessions (principal, id);

-- Requests by the keys that their senders gave them, and what they were
-- answered, so that one that is sent again is not carried out again.
CREATE TABLE requests (
    key     BYTEA PRIMARY KEY, -- hash of principal and key
    content BYTEA NOT NULL, -- hash of what was asked for
    begun   BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    status  BIGINT, -- of the answer, once there is one
    header  TEXT COLLATE "C", -- JSON
    body    BYTEA
);
CREATE INDEX requests_expires ON requests (expires);

-- +goose Down
DROP TABLE requests;
DROP INDEX sessions_principal;
ALTER TABLE sessions DROP COLUMN toolset;
ALTER TABLE sessions DROP COLUMN ended;
ALTER TABLE sessions DROP COLUMN principal;
DROP TABLE toolsets;
