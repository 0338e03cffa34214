-- +goose Up

-- Whether a yes to a question reaches by its values, or by its calls, which the gateway keeps.
ALTER TABLE approvals ADD COLUMN by_value BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE approvals DROP COLUMN by_value;
