// Package postgres connects database/sql with a PostgreSQL server, by the protocol of pgconn.
//
// pgx has a driver of its own, which knows every type of PostgreSQL: 2.9 MB of the program,
// where the store has six. Here values travel as text, and bytes as they are.
package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// maxStatements bounds the statements that a connection keeps prepared.
	maxStatements = 512
	// trusted is how long a connection that lies idle is taken to be alive without asking.
	trusted = time.Second
	// closeTime bounds saying good-bye to the server.
	closeTime = 5 * time.Second
)

// Connector makes connections; [database/sql.OpenDB] takes it.
type Connector struct{ config func() *pgconn.Config }

// NewConnector returns what makes connections, each with a configuration of its own.
func NewConnector(config func() *pgconn.Config) *Connector { return &Connector{config} }

// Connect implements [driver.Connector].
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	pg, err := pgconn.ConnectConfig(ctx, c.config())
	if err != nil {
		return nil, err
	}
	return &conn{pg: pg, used: time.Now(), prepared: map[string]*pgconn.StatementDescription{}}, nil
}

// Driver implements [driver.Connector].
func (c *Connector) Driver() driver.Driver { return unnamed{} }

// unnamed is a driver that opens no addresses: connections have a [Connector].
type unnamed struct{}

func (unnamed) Open(string) (driver.Conn, error) {
	return nil, errors.New("open the database with a connector")
}

// conn is a connection. database/sql uses it for one thing at a time.
type conn struct {
	pg   *pgconn.PgConn
	used time.Time // when it was last known to answer
	// prepared are statements that the server has parsed, by their text.
	prepared map[string]*pgconn.StatementDescription
	names    int // of statements, so far
}

// Prepare implements [driver.Conn].
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements [driver.ConnPrepareContext].
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, retryable(err)
	}
	return &statement{c, query, len(s.ParamOIDs)}, nil
}

// Close implements [driver.Conn].
func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return c.pg.Close(ctx)
}

// Ping implements [driver.Pinger].
func (c *conn) Ping(ctx context.Context) error {
	if err := c.pg.Ping(ctx); err != nil {
		return errors.Join(driver.ErrBadConn, err)
	}
	return nil
}

// IsValid implements [driver.Validator]. A transaction whose caller has given up may not have been
// rolled back: its locks would be held for as long as the connection waits for its next user.
func (c *conn) IsValid() bool {
	const idle = 'I' // in no transaction
	return !c.pg.IsClosed() && c.pg.TxStatus() == idle
}

// ResetSession implements [driver.SessionResetter]: a connection that is no longer fit for use
// is thrown away before anything is sent over it.
func (c *conn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	if now := time.Now(); now.Sub(c.used) > trusted {
		if err := c.pg.Ping(ctx); err != nil {
			return driver.ErrBadConn
		}
		c.used = now
	}
	return nil
}

// prepare returns a statement that the server has parsed.
func (c *conn) prepare(ctx context.Context, query string) (*pgconn.StatementDescription, error) {
	if s := c.prepared[query]; s != nil {
		return s, nil
	}
	if len(c.prepared) >= maxStatements {
		if _, err := c.pg.Exec(ctx, "DEALLOCATE ALL").ReadAll(); err != nil {
			return nil, err
		}
		clear(c.prepared)
	}

	c.names++
	s, err := c.pg.Prepare(ctx, name(c.names), query, nil)
	if err != nil {
		return nil, err
	}
	c.prepared[query] = s
	return s, nil
}

// forget has a statement prepared again the next time if an error says that the server's copy is
// no longer valid, as after a change of tables.
func (c *conn) forget(query string, err error) {
	var server *pgconn.PgError
	if errors.As(err, &server) && stale[server.Code] {
		delete(c.prepared, query)
	}
}

// stale are the codes of statements whose plan can't be used any more, and that aren't there.
var stale = map[string]bool{"0A000": true, "26000": true}

// ExecContext implements [driver.ExecerContext]. Without arguments there may be several
// statements.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		results, err := c.pg.Exec(ctx, query).ReadAll()
		if err != nil {
			return nil, retryable(err)
		}
		rows := int64(0)
		for _, r := range results {
			rows += r.CommandTag.RowsAffected()
		}
		return driver.RowsAffected(rows), nil
	}

	reader, _, err := c.send(ctx, query, args)
	if err != nil {
		return nil, retryable(err)
	}
	done, err := reader.Close()
	if err != nil {
		c.forget(query, err)
		return nil, retryable(err)
	}
	return driver.RowsAffected(done.RowsAffected()), nil
}

// QueryContext implements [driver.QueryerContext].
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	reader, fields, err := c.send(ctx, query, args)
	if err != nil {
		return nil, retryable(err)
	}
	r := &rows{reader: reader, fields: fields}
	// What the server refuses, it refuses before the first row.
	if r.ahead = reader.NextRow(); r.ahead {
		return r, nil
	}
	if _, err := reader.Close(); err != nil {
		c.forget(query, err)
		return nil, retryable(err)
	}
	return r, nil
}

// send sends a statement with its arguments. The fields are those of its rows.
func (c *conn) send(ctx context.Context, query string, args []driver.NamedValue) (*pgconn.ResultReader, []pgconn.FieldDescription, error) {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	values, formats, err := encode(args)
	if err != nil {
		return nil, nil, err
	}
	return c.pg.ExecStatement(ctx, s, values, formats, resultFormats(s.Fields)), s.Fields, nil
}

// retryable returns an error by which database/sql tries another connection, if nothing was sent.
func retryable(err error) error {
	if pgconn.SafeToRetry(err) {
		return errors.Join(driver.ErrBadConn, err)
	}
	return err
}
