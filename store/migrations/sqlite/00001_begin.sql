-- +goose Up

-- One row a session. The row with the empty id is the store's own audit chain.
CREATE TABLE sessions (
    id      TEXT PRIMARY KEY,
    length  INTEGER NOT NULL, -- events
    begun   INTEGER NOT NULL, -- times are microseconds since 1970
    active  INTEGER NOT NULL,
    entries INTEGER NOT NULL, -- of its audit chain
    head    BLOB NOT NULL,    -- hash of the last of them
    noted   INTEGER NOT NULL, -- entries when the store's own chain last named the head
    pruned  INTEGER           -- when retention removed it
);
CREATE INDEX sessions_active ON sessions (active) WHERE pruned IS NULL;

CREATE TABLE events (
    session  TEXT NOT NULL REFERENCES sessions (id),
    seq      INTEGER NOT NULL,
    event    TEXT NOT NULL, -- JSON
    decision TEXT,          -- JSON
    salt     BLOB NOT NULL, -- of the digest in the audit log
    PRIMARY KEY (session, seq)
);

CREATE TABLE audit (
    chain TEXT NOT NULL REFERENCES sessions (id),
    n     INTEGER NOT NULL,
    seq   INTEGER,       -- the event that it is about
    entry TEXT NOT NULL, -- JSON, the bytes that were hashed
    hash  BLOB NOT NULL,
    PRIMARY KEY (chain, n)
);

CREATE TABLE approvals (
    id        TEXT PRIMARY KEY,
    session   TEXT NOT NULL REFERENCES sessions (id),
    call      TEXT NOT NULL,
    arguments BLOB NOT NULL, -- the hash that it is bound to
    decision  TEXT NOT NULL, -- JSON
    places    TEXT NOT NULL, -- JSON
    state     TEXT NOT NULL,
    extent    TEXT NOT NULL,
    answerer  TEXT NOT NULL,
    why       TEXT NOT NULL,
    created   INTEGER NOT NULL,
    expires   INTEGER NOT NULL,
    settled   INTEGER
);
CREATE INDEX approvals_pending ON approvals (created) WHERE state = 'pending';
CREATE INDEX approvals_session ON approvals (session);

-- A resource is found by a hash of its key, which may be longer than an index
-- can hold.
CREATE TABLE resources (
    hash   BLOB PRIMARY KEY,
    server TEXT NOT NULL,
    family TEXT NOT NULL,
    id     TEXT NOT NULL,
    trust  INTEGER NOT NULL
);

CREATE TABLE resource_origins (
    hash   BLOB NOT NULL REFERENCES resources (hash),
    origin TEXT NOT NULL,
    PRIMARY KEY (hash, origin)
);

INSERT INTO sessions (id, length, begun, active, entries, head, noted)
VALUES ('', 0, 0, 0, 0, zeroblob(32), 0);

-- +goose Down
DROP TABLE resource_origins;
DROP TABLE resources;
DROP TABLE approvals;
DROP TABLE audit;
DROP TABLE events;
DROP TABLE sessions;
