package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/pressly/goose/v3"
)

// database is a [Store] over SQL. Both databases run the same statements; what
// is different about them is in the fields, set by openSQLite and openPostgres.
type database struct {
	questions

	read *sql.DB
	// inPlace returns why what is written would be lost; nil where that can't be.
	inPlace func() error
	// look reads what every call asks for.
	look looker
	// write runs a function in a transaction and commits it.
	write writing
	// relaxed is write without waiting for the disk, where that can be; see
	// boot.
	relaxed writing
	// snapshot is a transaction that reads the store as it is at one moment.
	snapshot *sql.TxOptions
	// forUpdate ends a query whose row the transaction is going to change.
	forUpdate string
	// skipLocked ends one that leaves out the rows that others hold.
	skipLocked string
	// requests counts look-ups of requests: see forgetEach.
	requests atomic.Int64
	// together appends in one statement; nil where several cost no more.
	together *together
	// announce is a statement that tells other replicas of a settled question;
	// empty when there are none.
	announce string
	// texts is the index of what logs say, and indexer brings it up to date.
	texts   *textIndex
	indexer *background
	// unlisted are the decisions that an append leaves to others to list; nil where it lists
	// them.
	unlisted *unlisted
	// like compares with a pattern whatever the case.
	like  string
	close func() error
}

func newDatabase(common questions) *database {
	s := &database{questions: common, indexer: newBackground(indexPause)}
	s.find, s.settle = s.approval, s.settleRow
	return s
}

// writing runs a function in a transaction and commits it.
type writing func(context.Context, func(context.Context, querier) error) error

// querier is a transaction, or a connection that is in one.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	looker
}

// looker is what can read.
type looker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Close ends the store. Writes that were handed over before are finished.
func (s *database) Close() error {
	s.hub.wakeAll()
	s.indexer.stop()
	if s.unlisted != nil {
		s.unlisted.lister.stop()
	}
	return s.close()
}

// errNewer is returned for a store that a newer program wrote.
var errNewer = errors.New("the store was written by a newer version of remit: use that one, or a copy from before")

// migrate brings the tables up to date.
func migrate(ctx context.Context, dialect goose.Dialect, kind string, db *sql.DB, options ...goose.ProviderOption) error {
	files, err := migrationsOf(kind)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, files, append(options,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))...)
	if err != nil {
		return err
	}

	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return fmt.Errorf("%w (its tables are of version %d, and this program knows %d)", errNewer, current, target)
	}
	if current == target {
		return nil
	}
	if _, err = p.Up(ctx); err != nil {
		return fmt.Errorf("its tables are of version %d, and can't be brought to version %d, which this program needs: %w", current, target, err)
	}
	return nil
}

// failed wraps an error of the database in what was being done, and names those
// that callers tell apart.
func failed(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case err.Error() == "sql: database is closed", errors.Is(err, sql.ErrConnDone), errors.Is(err, nats.ErrConnectionClosed):
		err = ErrClosed
	default:
		if known := sqliteError(err); known != nil {
			err = known
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// one reads the only row of a query; ErrNotFound when there is none.
func one(ctx context.Context, q looker, query string, args []any, to ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return ErrNotFound
	}
	if err := rows.Scan(to...); err != nil {
		return err
	}
	return errors.Join(rows.Close(), rows.Err())
}

// checkID reports why an id can't be kept, or be told from others, in both
// databases.
func checkID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: the %s is empty", ErrInvalid, what)
	case len(id) > MaxID:
		return fmt.Errorf("%w: the %s is longer than %d bytes", ErrInvalid, what, MaxID)
	case !utf8.ValidString(id), bytes.IndexByte([]byte(id), 0) >= 0:
		return fmt.Errorf("%w: the %s is not text", ErrInvalid, what)
	}
	return nil
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

// row is a session as the transaction that changes it has it.
type row struct {
	id                    string
	length, entries       int64
	begun, active, pruned int64
	ended                 bool
	head                  Hash
}

// lock reads a session's row for a change.
func (s *database) lock(ctx context.Context, q querier, id string) (*row, error) {
	r := &row{id: id}
	var head []byte
	var pruned, ended sql.NullInt64
	err := one(ctx, q, "SELECT length, begun, active, entries, head, pruned, ended FROM sessions WHERE id = $1"+s.forUpdate,
		[]any{id}, &r.length, &r.begun, &r.active, &r.entries, &head, &pruned, &ended)
	if err != nil {
		return nil, err
	}
	if len(head) != len(r.head) {
		return nil, fmt.Errorf("%w: the head of session %q has %d bytes", ErrCorrupt, id, len(head))
	}
	copy(r.head[:], head)
	r.pruned, r.ended = pruned.Int64, ended.Valid
	if pruned.Valid {
		return nil, fmt.Errorf("session %q: %w: begin one under another id", id, ErrPruned)
	}
	return r, nil
}

// next makes the next entry of a locked session's audit chain.
func (r *row) next(b body, at time.Time) ([]byte, error) {
	entry, err := b.place(r.id, r.entries, at)
	if err != nil {
		return nil, err
	}
	r.entries, r.head, r.active = r.entries+1, link(r.head, entry), micros(at)
	return entry, nil
}

// add appends an entry to the audit chain of a locked session.
func (r *row) add(ctx context.Context, q querier, b body, at time.Time, seq *int64) error {
	n := r.entries
	entry, err := r.next(b, at)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, "INSERT INTO audit (chain, n, seq, entry, hash) VALUES ($1, $2, $3, $4, $5)", r.id, n, seq, string(entry), r.head[:])
	return err
}

// save writes a locked session's row back.
func (r *row) save(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "UPDATE sessions SET length = $2, active = $3, entries = $4, head = $5 WHERE id = $1",
		r.id, r.length, r.active, r.entries, r.head[:])
	return err
}

// own adds an entry to the store's own chain.
func (s *database) own(ctx context.Context, q querier, b body) (ChainHead, error) {
	r, err := s.lock(ctx, q, "")
	if err != nil {
		return ChainHead{}, err
	}
	if err := r.add(ctx, q, b, s.now(), nil); err != nil {
		return ChainHead{}, err
	}
	return ChainHead{Entries: r.entries, Hash: r.head}, r.save(ctx, q)
}

// Append implements [Logs].
func (s *database) Append(ctx context.Context, session string, expected int64, records ...Record) error {
	return s.append(ctx, s.write, session, expected, records)
}

// AppendRelaxed implements [Logs].
func (s *database) AppendRelaxed(ctx context.Context, session string, expected int64, records ...Record) error {
	return s.append(ctx, s.relaxed, session, expected, records)
}

func (s *database) append(ctx context.Context, write writing, session string, expected int64, records []Record) error {
	list, err := s.encodeAll(session, expected, records)
	if err != nil {
		return err
	}

	what := fmt.Sprintf("append to session %q", session)
	if s.together != nil && len(list) == 1 {
		done, err := s.together.add(ctx, session, list[0], s)
		switch {
		case errors.Is(err, ErrAnswered):
			return err
		case done || err != nil:
			return failed(what, err)
		}
	}

	var left *row
	err = write(ctx, func(ctx context.Context, q querier) error {
		r, err := s.lock(ctx, q, session)
		if errors.Is(err, ErrNotFound) && expected == 0 {
			r, err = s.begin(ctx, q, session)
		} else if errors.Is(err, ErrNotFound) {
			return &ConflictError{session, expected, 0}
		}
		if err != nil {
			return err
		}
		if r.ended {
			return fmt.Errorf("session %q: %w", session, ErrEnded)
		}
		if r.length != expected {
			return &ConflictError{session, expected, r.length}
		}
		for _, e := range list {
			if _, err := q.ExecContext(ctx, "INSERT INTO events (session, seq, event, decision, salt) VALUES ($1, $2, $3, $4, $5)",
				session, e.seq, e.event, e.decision, e.salt); err != nil {
				return err
			}
			if err := r.add(ctx, q, e.entry, s.now(), &e.seq); err != nil {
				return err
			}
			if err := e.settles.write(ctx, q); err != nil {
				return err
			}
			r.length++
		}
		left = r
		return r.save(ctx, q)
	})
	if err == nil && s.together != nil {
		s.together.remember(left)
	}
	if err == nil && s.unlisted != nil {
		s.wrote(list)
	}
	return appended(session, err)
}

// appended names what was being done in an error of an append that doesn't say so by
// itself.
func appended(session string, err error) error {
	if errors.Is(err, ErrConflict) || errors.Is(err, ErrPruned) || errors.Is(err, ErrEnded) || errors.Is(err, ErrAnswered) {
		return err
	}
	return failed(fmt.Sprintf("append to session %q", session), err)
}

// begin makes a session, and says so in the store's own chain, by which a
// session that is missing is noticed.
func (s *database) begin(ctx context.Context, q querier, id string) (*row, error) {
	now := micros(s.now())
	done, err := q.ExecContext(ctx, "INSERT INTO sessions (id, length, begun, active, entries, head, noted) VALUES ($1, 0, $2, $3, 0, $4, 0) ON CONFLICT (id) DO NOTHING",
		id, now, now, make([]byte, sha256.Size))
	if err != nil {
		return nil, err
	}
	if n, err := done.RowsAffected(); err != nil {
		return nil, err
	} else if n == 1 {
		b, err := newBody(&Entry{Kind: BegunEntry, Session: id})
		if err != nil {
			return nil, err
		}
		if _, err := s.own(ctx, q, b); err != nil {
			return nil, err
		}
	}
	return s.lock(ctx, q, id) // another replica may have begun it just now
}

// Read implements [Logs].
func (s *database) Read(ctx context.Context, session string, from int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := s.readAll(ctx, session, from, yield); err != nil {
			yield(Record{}, failed(fmt.Sprintf("read session %q", session), err))
		}
	}
}

func (s *database) readAll(ctx context.Context, session string, from int64, yield func(Record, error) bool) error {
	if err := checkID("session id", session); err != nil {
		return err
	}
	var pruned sql.NullInt64
	err := one(ctx, s.read, "SELECT pruned FROM sessions WHERE id = $1", []any{session}, &pruned)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if pruned.Valid {
		return fmt.Errorf("%w: begin one under another id", ErrPruned)
	}
	rows, err := s.read.QueryContext(ctx, "SELECT seq, event, decision FROM events WHERE session = $1 AND seq >= $2 ORDER BY seq", session, from)
	if err != nil {
		return err
	}
	defer rows.Close()

	for next := from; rows.Next(); next++ {
		var r Record
		var event string
		var decision sql.NullString
		if err := rows.Scan(&r.Seq, &event, &decision); err != nil {
			return err
		}
		if r.Seq != next {
			return fmt.Errorf("%w: event %d is missing", ErrCorrupt, next)
		}
		if err := r.decode(event, decision, s.boot); err != nil {
			return fmt.Errorf("%w: event %d: %w", ErrCorrupt, next, err)
		}
		if !yield(r, nil) {
			return rows.Close()
		}
	}

	return errors.Join(rows.Err(), rows.Close())
}

const selectInfo = "SELECT id, length, begun, active, principal, ended FROM sessions WHERE "

func (i *SessionInfo) scan(rows *sql.Rows) error {
	var begun, active int64
	var ended sql.NullInt64
	if err := rows.Scan(&i.ID, &i.Length, &begun, &active, &i.Principal, &ended); err != nil {
		return err
	}
	if ended.Valid {
		i.Ended = fromMicros(ended.Int64)
	}
	i.Begun, i.Active = fromMicros(begun), fromMicros(active)
	return nil
}

// Session implements [Logs].
func (s *database) Session(ctx context.Context, id string) (SessionInfo, error) {
	if err := checkID("session id", id); err != nil {
		return SessionInfo{}, err
	}
	if s.inPlace != nil {
		if err := s.inPlace(); err != nil {
			return SessionInfo{}, err
		}
	}
	list, err := infos(ctx, s.read, selectInfo+"id = $1 AND pruned IS NULL", id)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return SessionInfo{}, failed(fmt.Sprintf("session %q", id), err)
	}
	return list[0], nil
}

// Sessions implements [Sessions].
func (s *database) Sessions(ctx context.Context, after string, limit int) ([]SessionInfo, error) {
	return s.SessionsOf(ctx, Whose{Everybody: true}, after, limit)
}

func infos(ctx context.Context, q querier, query string, args ...any) ([]SessionInfo, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []SessionInfo
	for rows.Next() {
		var i SessionInfo
		if err := i.scan(rows); err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}

func page(limit int) int {
	if limit <= 0 || limit > MaxPage {
		return MaxPage
	}
	return limit
}
