-- +goose Up

-- One row a session. The row with the empty id is the store's own audit chain.
CREATE TABLE sessions (
    id      TEXT COLLATE "C" PRIMARY KEY,
    length  BIGINT NOT NULL, -- events
    begun   BIGINT NOT NULL, -- times are microseconds since 1970
    active  BIGINT NOT NULL,
    entries BIGINT NOT NULL, -- of its audit chain
    head    BYTEA NOT NULL,    -- hash of the last of them
    noted   BIGINT NOT NULL, -- entries when the store's own chain last named the head
    pruned  BIGINT           -- when retention removed it
);
CREATE INDEX sessions_active ON sessions (active) WHERE pruned IS NULL;

CREATE TABLE events (
    session  TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    seq      BIGINT NOT NULL,
    event    TEXT COLLATE "C" NOT NULL, -- JSON
    decision TEXT COLLATE "C",          -- JSON
    salt     BYTEA NOT NULL, -- of the digest in the audit log
    PRIMARY KEY (session, seq)
);

CREATE TABLE audit (
    chain TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    n     BIGINT NOT NULL,
    seq   BIGINT,       -- the event that it is about
    entry TEXT COLLATE "C" NOT NULL, -- JSON, the bytes that were hashed
    hash  BYTEA NOT NULL,
    PRIMARY KEY (chain, n)
);

CREATE TABLE approvals (
    id        TEXT COLLATE "C" PRIMARY KEY,
    session   TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    call      TEXT COLLATE "C" NOT NULL,
    arguments BYTEA NOT NULL, -- the hash that it is bound to
    decision  TEXT COLLATE "C" NOT NULL, -- JSON
    places    TEXT COLLATE "C" NOT NULL, -- JSON
    state     TEXT COLLATE "C" NOT NULL,
    extent    TEXT COLLATE "C" NOT NULL,
    answerer  TEXT COLLATE "C" NOT NULL,
    why       TEXT COLLATE "C" NOT NULL,
    created   BIGINT NOT NULL,
    expires   BIGINT NOT NULL,
    settled   BIGINT
);
CREATE INDEX approvals_pending ON approvals (created) WHERE state = 'pending';
CREATE INDEX approvals_session ON approvals (session);

-- A resource is found by a hash of its key, which may be longer than an index
-- can hold.
CREATE TABLE resources (
    hash   BYTEA PRIMARY KEY,
    server TEXT COLLATE "C" NOT NULL,
    family TEXT COLLATE "C" NOT NULL,
    id     TEXT COLLATE "C" NOT NULL,
    trust  BIGINT NOT NULL
);

CREATE TABLE resource_origins (
    hash   BYTEA NOT NULL REFERENCES resources (hash),
    origin TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (hash, origin)
);

INSERT INTO sessions (id, length, begun, active, entries, head, noted)
VALUES ('', 0, 0, 0, 0, decode(repeat('00', 32), 'hex'), 0);

-- +goose Down
DROP TABLE resource_origins;
DROP TABLE resources;
DROP TABLE approvals;
DROP TABLE audit;
DROP TABLE events;
DROP TABLE sessions;
