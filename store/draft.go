package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// The kinds of subjects, by the token after the stream's name.
const (
	sessionToken  = "s"   // s.SESSION: its log
	questionToken = "q"   // q.SESSION.ID: a question as it is now
	toolsToken    = "t"   // t.SESSION: the tools that it was created with
	requestToken  = "r"   // r.HASH: the reply to a request
	labelToken    = "l"   // l.HASH: the label of a resource
	verifiedToken = "v"   // what a check of the audit log found, the last one of which counts
	ownToken      = "own" // the store's own chain
)

// token returns a session's id as a part of a subject.
func token(session string) string { return base64.RawURLEncoding.EncodeToString([]byte(session)) }

// fromToken is the reverse.
func fromToken(t string) (string, error) {
	id, err := base64.RawURLEncoding.DecodeString(t)
	if err != nil {
		return "", fmt.Errorf("%w: the subject of a session: %w", ErrCorrupt, err)
	}
	return string(id), nil
}

// transaction is the payload of a message on a session's subject, or on the own chain's:
// events with the audit entries of them, and of what else happened.
type transaction struct {
	Events  []writtenEvent `json:"events,omitempty"`
	Entries []writtenEntry `json:"entries,omitempty"`
}

type writtenEvent struct {
	Event    string `json:"event"`
	Decision string `json:"decision,omitempty"`
	Salt     []byte `json:"salt"`
}

type writtenEntry struct {
	Seq   *int64 `json:"seq,omitempty"`
	Entry string `json:"entry"`
	Hash  Hash   `json:"hash"`
}

// draft is a transaction as it is put together: what is appended to one session, and what goes
// with it on other subjects.
type draft struct {
	*streamRow
	store *jetStream
	// known is where the session's subject was, 0 where the session is new. try is 0 for
	// the first attempt.
	known uint64
	turn  turn
	added transaction
	own   *draft
	out   []*outgoing
	// bare is set when the row is written without anything that happened.
	bare bool
}

// turn is one of several tries of a transaction, of which at most one succeeds.
type turn struct {
	// try is 0 for the first one, which may go by what the process remembers.
	try int
	// by names the transaction. doubt is set when an earlier try may have succeeded, on a
	// subject that was at since; see errMoved.
	by    string
	doubt bool
	since uint64
}

// missing reports whether there is no such session.
func (d *draft) missing() bool { return d.streamRow == nil }

// entry adds an entry to the session's chain.
func (d *draft) entry(b body, seq *int64) error {
	entry, err := d.next(b, d.store.now())
	if err != nil {
		return err
	}
	d.added.Entries = append(d.added.Entries, writtenEntry{seq, string(entry), d.head})
	return nil
}

// event adds an event to the session's log.
func (d *draft) event(e *encoded) error {
	d.added.Events = append(d.added.Events, writtenEvent{e.event, e.decision.String, e.salt})
	d.length++
	return d.entry(e.entry, &e.seq)
}

// begin makes the session, and says so in the store's own chain.
func (d *draft) begin(ctx context.Context, id string) error {
	now := micros(d.store.now())
	d.streamRow = &streamRow{row: row{id: id, begun: now, active: now}, open: map[string]int64{}}
	b, err := newBody(&Entry{Kind: BegunEntry, Session: id})
	if err != nil {
		return err
	}
	d.store.own.Lock()
	if d.own, err = d.store.ownDraft(ctx, d.turn); err != nil {
		d.store.own.Unlock()
		return err
	}
	return d.own.entry(b, nil)
}

// release ends what begin began.
func (d *draft) release() {
	if d.own != nil {
		d.store.own.Unlock()
	}
}

// put adds a message on another subject.
func (d *draft) put(expected *uint64, v any, tokens ...string) error {
	data, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	d.out = append(d.out, &outgoing{subject: d.store.stream.subject(tokens...), expected: expected, data: data})
	return nil
}

// message returns the message on the session's subject, or on the own chain's.
func (d *draft) message() (*outgoing, error) {
	data, err := strictjson.Encode(d.added)
	if err != nil {
		return nil, err
	}
	row, err := d.encode()
	if err != nil {
		return nil, err
	}
	return &outgoing{subject: d.store.rowSubject(d.id), expected: &d.known, row: row, data: data}, nil
}

// rowSubject returns the subject of a session, or the own chain's for the empty id.
func (s *jetStream) rowSubject(id string) string {
	if id == "" {
		return s.stream.subject(ownToken)
	}
	return s.stream.subject(sessionToken, token(id))
}

// load returns the state of a session, or of the own chain, nil where there is none: as
// this process remembers it, or as it is.
func (s *jetStream) load(ctx context.Context, id string, remembered bool) (r *streamRow, known bool, err error) {
	if remembered {
		s.mu.Lock()
		r = s.rows[id]
		s.mu.Unlock()
		if r != nil {
			return r, true, nil
		}
	}

	subject := s.rowSubject(id)
	found, err := s.stream.last(ctx, subject)
	if err != nil || found[subject] == nil {
		return nil, false, err
	}
	if r, err = readRow(found[subject], id); err == nil {
		s.remember(r)
	}
	return r, false, err
}

// remember notes how a session was left.
func (s *jetStream) remember(r *streamRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rows) >= maxRemembered {
		clear(s.rows)
	}
	if known := s.rows[r.id]; known == nil || known.at < r.at {
		s.rows[r.id] = r
	}
}

// ownDraft begins a transaction on the store's own chain.
func (s *jetStream) ownDraft(ctx context.Context, t turn) (*draft, error) {
	r, _, err := s.load(ctx, "", t.try == 0)
	if err != nil {
		return nil, err
	}
	d := &draft{store: s, turn: t, streamRow: &streamRow{}}
	if r != nil {
		d.streamRow, d.known = r.copy(), r.at
	}
	return d, nil
}

// change runs a function that drafts a transaction on a session, and publishes that. It
// is run again when another one was published meanwhile. A transaction that adds nothing
// isn't published.
func (s *jetStream) change(ctx context.Context, session string, f func(*draft) error) error {
	for t := (turn{by: rand.Text()}); t.try < maxTurns; t.try++ {
		d := &draft{store: s, turn: t}
		r, remembered, err := s.load(ctx, session, t.try == 0)
		if err != nil {
			return err
		}
		if done, err := s.succeeded(ctx, t, r); done || err != nil {
			return err
		}
		if r != nil {
			d.streamRow, d.known = r.copy(), r.at
		}
		if d.streamRow != nil && d.pruned != 0 {
			return fmt.Errorf("session %q: %w: begin one under another id", session, ErrPruned)
		}

		err = f(d)
		if err == nil {
			err = s.publish(ctx, d)
		} else if remembered {
			d.release()
			continue // it may be right, and may be about what is no longer so
		}
		d.release()
		if again, err := t.again(ctx, err, d); !again {
			return err
		}
	}
	return fmt.Errorf("%d times others were first: try again", maxTurns)
}

// again reports whether another try must follow one with this outcome.
func (t *turn) again(ctx context.Context, err error, d *draft) (bool, error) {
	if !errors.Is(err, errMoved) {
		return false, err
	}
	if !t.doubt {
		t.doubt, t.since = true, d.known
	}
	if err := pause(ctx, streamBehind); err != nil {
		return false, err
	}
	return true, nil
}

// succeeded reports whether an earlier try is in the log after all.
func (s *jetStream) succeeded(ctx context.Context, t turn, r *streamRow) (done bool, err error) {
	if !t.doubt || r == nil {
		return false, nil
	}
	err = s.stream.scan(ctx, s.rowSubject(r.id), t.since+1, r.at, func(in *incoming) error {
		was, err := readRow(in, r.id)
		if err == nil && was.by == t.by {
			done = true
		}
		return err
	})
	return done, err
}

// publish writes a draft, and remembers the rows that it leaves.
func (s *jetStream) publish(ctx context.Context, d *draft) error {
	var rows []*draft
	list := d.out
	for _, with := range []*draft{d.own, d} {
		if with == nil || with.missing() || (len(with.added.Entries) == 0 && !with.bare) {
			continue
		}
		with.by = d.turn.by
		m, err := with.message()
		if err != nil {
			return err
		}
		list, rows = append(list, m), append(rows, with)
	}
	if len(list) == 0 {
		return nil
	}

	if err := s.stream.publish(ctx, list...); err != nil {
		return err
	}
	for i, with := range rows {
		with.at = list[len(list)-len(rows)+i].seq
		s.remember(with.streamRow)
	}
	return nil
}

// keep adds the reply to a request, where the request has none.
func (d *draft) keep(ctx context.Context, k *keeping) error {
	if k == nil {
		return nil
	}
	m, err := d.store.reply(ctx, k)
	if err == nil {
		d.out = append(d.out, m)
	}
	return err
}

// writtenReply is the payload of a message on a request's subject.
type writtenReply struct {
	Content []byte `json:"content"`
	Expires int64  `json:"expires"`
	Status  int    `json:"status"`
	Header  string `json:"header"`
	Body    []byte `json:"body,omitempty"`
}

// reply makes the message that keeps a reply, or returns [ErrAnswered].
func (s *jetStream) reply(ctx context.Context, k *keeping) (*outgoing, error) {
	subject := s.stream.subject(requestToken, hex.EncodeToString(k.key))
	have, seq, err := s.replied(ctx, k.key)
	if err != nil {
		return nil, err
	}
	if have != nil && have.Expires > k.begun {
		return nil, ErrAnswered
	}
	data, err := strictjson.Encode(writtenReply{k.content, k.expires, k.status, k.header, k.body})
	return &outgoing{subject: subject, expected: &seq, data: data, life: RequestLife}, err
}

// replied returns the reply that is kept for a request, nil where there is none.
func (s *jetStream) replied(ctx context.Context, key []byte) (*writtenReply, uint64, error) {
	subject := s.stream.subject(requestToken, hex.EncodeToString(key))
	found, err := s.stream.last(ctx, subject)
	if err != nil || found[subject] == nil {
		return nil, 0, err
	}
	r := &writtenReply{}
	return r, found[subject].seq, found[subject].decode(r)
}

// kindOfSubject splits a subject after the stream's name.
func (s *stream) kindOfSubject(subject string) (kind string, rest []string) {
	tokens := strings.Split(strings.TrimPrefix(subject, s.name+"."), ".")
	return tokens[0], tokens[1:]
}

// decode reads the payload of a message.
func (in *incoming) decode(v any) error {
	if err := json.Unmarshal(in.data, v); err != nil {
		return fmt.Errorf("%w: message %d: %w", ErrCorrupt, in.seq, err)
	}
	return nil
}

// decision returns the decision as the columns of a database have it.
func (e *writtenEvent) decision() sql.NullString {
	return sql.NullString{String: e.Decision, Valid: e.Decision != ""}
}
