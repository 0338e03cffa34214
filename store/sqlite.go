package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite" // also the driver
	sqlite3 "modernc.org/sqlite/lib"
)

// The settings of SQLite.
const (
	// sqliteBusy is how long a writer waits for another process: a person who
	// answers, an audit. Their transactions take milliseconds; who holds the
	// file for seconds has crashed or is a backup gone wrong.
	sqliteBusy = 5 * time.Second
	// sqliteReaders bounds the connections that read, which WAL lets go on
	// beside the writer.
	sqliteReaders = 8
	// sqlitePoll is how often a waiting question looks for an answer that came
	// from another process: quick for a person, nothing for the machine.
	sqlitePoll = 100 * time.Millisecond
	// maxBatch bounds how many writes of different callers share one commit. The
	// sync to disk is most of a write; beyond this its share is small.
	maxBatch = 64
)

// openSQLite opens a store in one file.
func (s *database) openSQLite(ctx context.Context, path string, o Options) error {
	fail := func(err error) error { return failed("open store "+path, err) }
	if err := prepareFile(path, o.Existing); err != nil {
		return fail(err)
	}
	inPlace, err := staysAt(path)
	if err != nil {
		return fail(err)
	}
	w, err := openWriter(ctx, path)
	if err != nil {
		return fail(err)
	}
	s.inPlace, w.inPlace = inPlace, inPlace
	if err := damaged(ctx, w.db); err != nil {
		return fail(errors.Join(err, w.db.Close()))
	}
	if err := migrateSQLite(ctx, w.db); err != nil {
		return fail(errors.Join(err, w.db.Close()))
	}

	readers, err := sql.Open("sqlite", sqliteDSN(path, "query_only(1)"))
	if err != nil {
		return fail(errors.Join(err, w.db.Close()))
	}

	readers.SetMaxOpenConns(sqliteReaders)
	readers.SetMaxIdleConns(sqliteReaders)
	s.look = &lookups{db: readers, statements: map[string]*sql.Stmt{}}
	if err := w.start(ctx); err != nil {
		return fail(errors.Join(err, readers.Close(), w.db.Close()))
	}
	s.read, s.write, s.relaxed, s.poll, s.like, s.texts = readers, w.write, w.write, sqlitePoll, "LIKE", sqliteTexts
	if s.boot = bootID(); s.boot != "" {
		s.relaxed = w.relaxed
	}
	s.snapshot = &sql.TxOptions{ReadOnly: true}
	s.close = func() error { return errors.Join(w.close(), readers.Close()) }

	if s.unlisted, err = unlistedBefore(ctx, s.look); err != nil {
		return fail(errors.Join(err, s.close()))
	}
	return nil
}

// damaged returns an error where the table of versions can't be read. The migration
// of the tables takes that for a store without one, retries for a long time, and fails because
// tables exist already.
func damaged(ctx context.Context, db *sql.DB) error {
	var version sql.NullInt64
	err := sqliteError(db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&version))
	if errors.Is(err, ErrCorrupt) {
		return err
	}
	return nil // also where there is no such table
}

// prepareFile makes the file and its folder for the user alone: sessions hold
// whatever the agent saw. SQLite gives its other files the same permissions.
func prepareFile(path string, existing bool) error {
	if existing {
		_, err := os.Stat(path)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// staysAt returns a function that fails when a file was removed or replaced since: what is written to it
// then is lost when the process ends.
func staysAt(path string) (func() error, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	opened, err := os.Stat(path)
	if err != nil {
		return nil, err
	}

	return func() error {
		now, err := os.Stat(path)
		if err == nil && !os.SameFile(opened, now) {
			err = errors.New("another file has taken its place")
		}
		if err != nil {
			return fmt.Errorf("the store %s is not there any more: put it back, or restart what writes to it (for hooks, remit hook stop): %w", path, err)
		}
		return nil
	}, nil
}

// bootID names the machine's present run; empty where the system doesn't say.
// Pages that were written and not synced are lost with it, and only with it.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id") // Linux
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// sqliteDSN names the file and how every connection is set up.
func sqliteDSN(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append([]string{
		fmt.Sprintf("busy_timeout(%d)", sqliteBusy.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(FULL)", // a commit is on the disk when it returns
		"fullfsync(1)",      // also where fsync alone doesn't mean that
		"foreign_keys(1)",
	}, pragmas...)}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: q.Encode()}).String()
}

// migrateSQLite brings the tables up to date. Another process may be doing the
// same at this moment: the second process finds the work done when it looks
// again.
func migrateSQLite(ctx context.Context, db *sql.DB) error {
	const tries = 10
	var err error
	for range tries {
		if err = migrate(ctx, goose.DialectSQLite3, "sqlite", db); err == nil || errors.Is(err, errNewer) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(sqlitePoll):
		}
	}
	return err
}

// writer is the one connection that writes. Writes that wait at the same time
// are committed together, by one of the waiting callers: a goroutine of its own would
// cost every write two turns of the scheduler.
type writer struct {
	db   *sql.DB
	conn *sql.Conn
	p    *prepared
	// inPlace returns why what is written would be lost.
	inPlace func() error

	mu     sync.Mutex
	queue  []*job
	busy   bool // a caller is committing
	closed bool
	idle   chan struct{} // closed when the store is closed and no caller commits
}

// job is one caller's write.
type job struct {
	ctx  context.Context
	f    func(context.Context, querier) error
	sync bool // it must be on the disk
	done chan error
}

func openWriter(ctx context.Context, path string) (*writer, error) {
	db, err := sql.Open("sqlite", sqliteDSN(path))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if mode != "wal" {
		return nil, errors.Join(fmt.Errorf("the journal mode is %s, not wal: put the store on a local file system", mode), db.Close())
	}
	return &writer{db: db, idle: make(chan struct{})}, nil
}

func (w *writer) start(ctx context.Context) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	w.conn = conn
	w.p = &prepared{conn: conn, statements: map[string]*sql.Stmt{}}
	return nil
}

// write runs f in a transaction, together with what others write at the time.
// It returns when the outcome is known, whatever becomes of the context
// meanwhile.
func (w *writer) write(ctx context.Context, f func(context.Context, querier) error) error {
	return w.hand(&job{ctx: ctx, f: f, sync: true, done: make(chan error, 1)})
}

// relaxed is write without a sync of its own. The log of SQLite is one file,
// so that the next sync, by any caller, covers everything before.
func (w *writer) relaxed(ctx context.Context, f func(context.Context, querier) error) error {
	return w.hand(&job{ctx: ctx, f: f, done: make(chan error, 1)})
}

// hand puts a job into the queue and waits for its outcome.
func (w *writer) hand(j *job) error {
	if err := j.ctx.Err(); err != nil {
		return err
	}

	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	w.queue = append(w.queue, j)
	lead := !w.busy
	w.busy = true
	w.mu.Unlock()
	if lead {
		// The job is in the first batch; nothing waits here for those behind it.
		if w.next() {
			go func() {
				for w.next() {
				}
			}()
		}
	}
	return <-j.done
}

// next commits the jobs that wait, up to a bound, and reports whether there are
// more. Only one caller at a time is here.
func (w *writer) next() (more bool) {
	w.mu.Lock()
	batch := w.queue[:min(len(w.queue), maxBatch)]
	w.queue = w.queue[len(batch):]
	w.mu.Unlock()

	var outcomes []error
	err := w.inPlace()
	if err == nil {
		outcomes, err = w.p.commit(batch)
	}
	for i, j := range batch {
		if err != nil {
			j.done <- err
		} else {
			j.done <- outcomes[i]
		}
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	w.busy = len(w.queue) > 0
	if !w.busy && w.closed {
		close(w.idle)
	}
	return w.busy
}

// close ends the writer after what is in the queue.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	if !w.busy {
		close(w.idle)
	}
	w.mu.Unlock()
	<-w.idle
	w.p.close()
	return errors.Join(w.conn.Close(), w.db.Close())
}

// synced reports whether jobs that are committed together must be on the disk.
func synced(batch []*job) bool {
	return slices.ContainsFunc(batch, func(j *job) bool { return j.sync })
}

// commit runs jobs in one transaction, each so that its failure leaves the
// others whole. An error is everybody's.
func (p *prepared) commit(batch []*job) (outcomes []error, err error) {
	// Statements are not interrupted half-way: a transaction is short, and what
	// an interrupt leaves of it is nothing to reason about.
	ctx := context.Background()
	if err := p.synchronous(ctx, synced(batch)); err != nil {
		return nil, err
	}
	if err := p.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}

	rollback := func(err error) ([]error, error) {
		// After a full disk SQLite has rolled back by itself, and says so.
		_ = p.exec(ctx, "ROLLBACK")
		return nil, err
	}
	outcomes = make([]error, len(batch))

	for i, j := range batch {
		if outcomes[i] = j.ctx.Err(); outcomes[i] != nil {
			continue
		}
		if len(batch) == 1 {
			if err := j.f(ctx, p); err != nil {
				return rollback(err)
			}
			continue
		}
		if err := p.exec(ctx, "SAVEPOINT job"); err != nil {
			return rollback(fmt.Errorf("savepoint: %w", err))
		}
		outcomes[i] = j.f(ctx, p)
		if outcomes[i] != nil {
			// This fails when SQLite has given up the whole transaction.
			if err := p.exec(ctx, "ROLLBACK TO job"); err != nil {
				return rollback(fmt.Errorf("%w (a write beside it failed: %w)", err, outcomes[i]))
			}
		}
		if err := p.exec(ctx, "RELEASE job"); err != nil {
			return rollback(fmt.Errorf("release: %w", err))
		}
	}

	if err := p.exec(ctx, "COMMIT"); err != nil {
		return rollback(fmt.Errorf("commit: %w", err))
	}
	return outcomes, nil
}

// prepared runs statements on one connection, each parsed once. The statements
// are the constants of this package, so that the map is bounded.
type prepared struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
	relaxed    bool // commits don't wait for the disk
}

// synchronous says whether the next commits wait for the disk.
func (p *prepared) synchronous(ctx context.Context, sync bool) error {
	if p.relaxed == !sync {
		return nil
	}
	// Not prepared: SQLite carries this out when it reads it.
	setting := "PRAGMA synchronous = NORMAL"
	if sync {
		setting = "PRAGMA synchronous = FULL"
	}
	if _, err := p.conn.ExecContext(ctx, setting); err != nil {
		return fmt.Errorf("%s: %w", setting, err)
	}
	p.relaxed = !sync
	return nil
}

func (p *prepared) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := p.statements[query]; st != nil {
		return st, nil
	}
	st, err := p.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.statements[query] = st
	return st, nil
}

func (p *prepared) exec(ctx context.Context, query string) error {
	_, err := p.ExecContext(ctx, query)
	return err
}

func (p *prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

func (p *prepared) close() {
	for _, st := range p.statements {
		_ = st.Close() // the connection ends next
	}
}

// lookups runs statements on the connections that read, each parsed once on
// each of them. The statements are few, so that the map is bounded.
type lookups struct {
	db *sql.DB

	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

func (l *lookups) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	l.mu.Lock()
	st := l.statements[query]
	if st == nil {
		var err error
		// For everybody: not bound to the caller's context.
		if st, err = l.db.PrepareContext(context.Background(), query); err != nil {
			l.mu.Unlock()
			return nil, err
		}
		l.statements[query] = st
	}
	l.mu.Unlock()
	return st.QueryContext(ctx, args...)
}

// sqliteError says what to do about an error of SQLite; nil when it is none.
func sqliteError(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk is full: make room: %w", err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("another process holds the store: %w", err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("this user may not write the store: it takes the right to write the file and its directory: %w", err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		if errors.Is(err, ErrCorrupt) {
			return err // that is said already
		}

		if e.Code()&0xff == sqlite3.SQLITE_NOTADB { // most often another file was named
			return fmt.Errorf("%w, or is none: name the file of a store, or put it back from a backup: %w", ErrCorrupt, err)
		}
		return fmt.Errorf("%w: put it back from a backup, or move it away to begin a new one: %w", ErrCorrupt, err)
	}
	return nil
}
