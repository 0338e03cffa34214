package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/remit-project/remit/internal/postgres"
)

// The settings of PostgreSQL.
const (
	// postgresConns bounds the connections of one process, half of them to read
	// and half to write. An append holds one for a millisecond or two; a server has a
	// hundred for everybody.
	postgresConns = 16
	// postgresConnsSetting is the part of an address that says otherwise.
	postgresConnsSetting = "pool_max_conns"
	// postgresPoll is how often a waiting question looks for an answer although
	// none was announced: announcements are lost with the connection that
	// listens.
	postgresPoll = 2 * time.Second
	// postgresRetry is how long the listener waits before it connects again.
	postgresRetry = time.Second
	// postgresConnect bounds how long a connection may take to be made. A server
	// that doesn't answer is an error, on which no call is let through.
	postgresConnect = 10 * time.Second
)

// postgresTogether writes a record, its audit entry and the session's row, if
// that row is as expected.
const postgresTogether = `WITH s AS (UPDATE sessions SET length = $9, active = $10, entries = $11, head = $8
		WHERE id = $1 AND length = $2 AND entries = $6 AND head = $12 AND pruned IS NULL AND ended IS NULL RETURNING id),
	event AS (INSERT INTO events (session, seq, event, decision, salt) SELECT id, $2::bigint, $3::text, $4::text, $5::bytea FROM s)
	INSERT INTO audit (chain, n, seq, entry, hash) SELECT id, $6::bigint, $2::bigint, $7::text, $8::bytea FROM s`

// channel is where settled questions are announced.
const channel = "remit_approvals"

// errAt is about a password with an @ that isn't written as a URL has it: what follows is taken for
// the host.
var errAt = errors.New("open store: the address has an @ too many: write one in a password as %40")

// openPostgres opens a store in a PostgreSQL database.
func (s *database) openPostgres(ctx context.Context, name string, o Options) error {
	config, err := pgconn.ParseConfig(name)
	if err != nil {
		// pgconn leaves passwords out of its errors.
		return fmt.Errorf("open store: %w", err)
	}

	for _, f := range append(config.Fallbacks, &pgconn.FallbackConfig{Host: config.Host}) {
		if strings.LastIndexByte(f.Host, '@') > 0 && !strings.HasPrefix(f.Host, "/") {
			return errAt // the host isn't repeated
		}
	}

	fail := func(err error) error {
		return fmt.Errorf("open store at %s, database %s: %w", config.Host, config.Database, err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = postgresConnect
	}
	// Whatever the server's own setting: a commit is on the disk when it
	// returns.
	config.RuntimeParams["synchronous_commit"] = "on"
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "remit"
	}

	if config.ValidateConnect == nil {
		// A standby that an address leads to is passed over, until it is promoted.
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	conns, err := connections(config)
	if err != nil {
		return fail(err)
	}

	read := sql.OpenDB(postgres.NewConnector(config.Copy))
	db := sql.OpenDB(postgres.NewConnector(func() *pgconn.Config { return patient(config.Copy()) }))
	for db, n := range map[*sql.DB]int{read: conns / 2, db: conns - conns/2} {
		db.SetMaxOpenConns(n)
		db.SetMaxIdleConns(n)
	}
	if err := checkPostgres(ctx, db, o); err != nil {
		return fail(errors.Join(err, read.Close(), db.Close()))
	}

	l := &listener{config: config, hub: s.hub}
	s.look = read // a connection parses a statement once
	s.read, s.poll, s.forUpdate, s.like, s.texts = read, postgresPoll, " FOR UPDATE", "ILIKE", postgresTexts
	s.skipLocked = " FOR UPDATE SKIP LOCKED"
	s.snapshot = &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
	s.together = &together{db: db, statement: postgresTogether, rows: map[string]row{}}
	s.announce = "SELECT pg_notify('" + channel + "', $1)"
	s.listen = l.start

	s.write = func(ctx context.Context, f func(context.Context, querier) error) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := f(ctx, tx); err != nil {
			if undo := tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) {
				return errors.Join(err, undo)
			}
			return err
		}
		return tx.Commit()
	}

	// The server can lose what it has not synced while this machine runs on and learns nothing of
	// it: results wait for its disk as well.
	s.relaxed = s.write
	s.close = func() error {
		l.stop()
		return errors.Join(read.Close(), db.Close())
	}
	return nil
}

// connections takes from a configuration how many there may be.
func connections(config *pgconn.Config) (int, error) {
	text, ok := config.RuntimeParams[postgresConnsSetting]
	if !ok {
		return postgresConns, nil
	}
	delete(config.RuntimeParams, postgresConnsSetting)
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 || n > 1000 {
		return 0, fmt.Errorf("%s=%s: write a number from 2 to 1000", postgresConnsSetting, text)
	}
	return n, nil
}

// errNotCancelled is what pgconn is told that asks for a connection to cancel a statement over.
var errNotCancelled = errors.New("what is being written is not cancelled")

// patient configures a connection on which nothing is cancelled. When a caller gives up, pgconn
// asks the server to cancel what it does. A commit that waits for a standby is then visible to
// all although the standby doesn't have it: another caller could act on a decision that is lost
// when the standby takes over. So a caller that gives up leaves, and the server goes on waiting.
func patient(c *pgconn.Config) *pgconn.Config {
	connected, dial := new(atomic.Bool), c.DialFunc
	c.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if connected.Load() {
			return nil, errNotCancelled
		}
		return dial(ctx, network, address)
	}
	return c
}

func checkPostgres(ctx context.Context, db *sql.DB, o Options) error {
	var encoding string
	if err := db.QueryRowContext(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database's encoding is %s: make it with ENCODING 'UTF8'", encoding)
	}
	if o.Existing {
		var there bool
		if err := db.QueryRowContext(ctx, "SELECT to_regclass('sessions') IS NOT NULL AND to_regclass('goose_db_version') IS NOT NULL").Scan(&there); err != nil {
			return err
		}
		if !there {
			return fmt.Errorf("there is no store in this database: %w", ErrNotFound)
		}
	}

	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	return migrate(ctx, goose.DialectPostgres, "postgres", db, goose.WithSessionLocker(locker))
}

// listener passes on what PostgreSQL announces, over a connection of its own
// that is made when a caller first waits.
type listener struct {
	config *pgconn.Config
	hub    *hub

	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{}
	over   bool
}

func (l *listener) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil || l.over {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel, l.done = cancel, make(chan struct{})
	go l.run(ctx)
}

func (l *listener) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.cancel != nil {
		l.cancel()
		<-l.done
	}
}

func (l *listener) run(ctx context.Context) {
	defer close(l.done)
	for ctx.Err() == nil {
		// An error here costs time only: who waits also looks by itself.
		_ = l.session(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(postgresRetry):
		}
	}
}

// session listens until the connection or the context ends.
func (l *listener) session(ctx context.Context) error {
	config := l.config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { l.hub.wake(n.Payload) }
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), postgresRetry)
		defer cancel()
		_ = conn.Close(closing)
	}()

	if _, err := conn.Exec(ctx, "LISTEN "+channel).ReadAll(); err != nil {
		return err
	}

	l.hub.wakeAll() // for what was announced before
	for {
		if err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}
