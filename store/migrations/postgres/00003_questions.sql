-- +goose Up

-- A question may be about several calls; the columns of the first version have the first.
ALTER TABLE approvals ADD COLUMN more TEXT COLLATE "C" NOT NULL DEFAULT '[]'; -- JSON: the other calls with their places
ALTER TABLE approvals ADD COLUMN agreed TEXT COLLATE "C" NOT NULL DEFAULT '[]'; -- JSON: ids of the calls that were agreed to, where there are several

-- +goose Down
ALTER TABLE approvals DROP COLUMN agreed;
ALTER TABLE approvals DROP COLUMN more;
