package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// errRolledBack is returned by a commit after which nothing is there: a statement of the
// transaction had failed.
var errRolledBack = errors.New("the transaction had failed, and was rolled back")

// isolations are the words for the levels of isolation.
var isolations = map[sql.IsolationLevel]string{
	sql.LevelDefault: "", sql.LevelReadCommitted: " ISOLATION LEVEL READ COMMITTED",
	sql.LevelRepeatableRead: " ISOLATION LEVEL REPEATABLE READ", sql.LevelSerializable: " ISOLATION LEVEL SERIALIZABLE",
}

// Begin implements [driver.Conn].
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements [driver.ConnBeginTx].
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	level, known := isolations[sql.IsolationLevel(o.Isolation)]
	if !known {
		return nil, fmt.Errorf("transactions of isolation %s are not known", sql.IsolationLevel(o.Isolation))
	}
	begin := "BEGIN" + level
	if o.ReadOnly {
		begin += " READ ONLY"
	}
	if _, err := c.pg.Exec(ctx, begin).ReadAll(); err != nil {
		return nil, retryable(err)
	}
	return transaction{c, ctx}, nil
}

type transaction struct {
	conn *conn
	ctx  context.Context // it holds for the end of the transaction as well
}

// Commit implements [driver.Tx].
func (t transaction) Commit() error {
	results, err := t.conn.pg.Exec(t.ctx, "COMMIT").ReadAll()
	if err != nil {
		return err
	}
	// The server answers so where it committed nothing.
	if len(results) != 1 || results[0].CommandTag.String() != "COMMIT" {
		return errRolledBack
	}
	return nil
}

// Rollback implements [driver.Tx].
func (t transaction) Rollback() error {
	_, err := t.conn.pg.Exec(t.ctx, "ROLLBACK").ReadAll()
	return err
}
