-- +goose Up

-- Sessions are found by what shadow mode let run, too: few decisions are like that.
CREATE INDEX decisions_shadow ON decisions (session) WHERE shadow = 1 AND verdict <> 'allow';

-- How far the last check of the audit log went: the length of the store's own chain, and the
-- hash of its last entry.
ALTER TABLE verified ADD COLUMN chained INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verified ADD COLUMN head TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE verified DROP COLUMN head;
ALTER TABLE verified DROP COLUMN chained;
DROP INDEX decisions_shadow;
