-- +goose Up

-- Whether a yes to a question reaches by its values, or by its calls, which the gateway keeps.
ALTER TABLE approvals ADD COLUMN by_value INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE approvals DROP COLUMN by_value;
