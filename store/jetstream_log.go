package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Append implements [Logs].
func (s *jetStream) Append(ctx context.Context, session string, expected int64, records ...Record) error {
	list, err := s.encodeAll(session, expected, records)
	if err != nil {
		return err
	}

	err = s.change(ctx, session, func(d *draft) error {
		if d.missing() && expected == 0 {
			if err := d.begin(ctx, session); err != nil {
				return err
			}
		}
		switch {
		case d.missing():
			return &ConflictError{session, expected, 0}
		case d.ended:
			return fmt.Errorf("session %q: %w", session, ErrEnded)
		case d.length != expected:
			return &ConflictError{session, expected, d.length}
		}
		for _, e := range list {
			if err := errors.Join(d.event(e), d.keep(ctx, e.settles)); err != nil {
				return err
			}
		}
		return nil
	})
	return appended(session, err)
}

// AppendRelaxed implements [Logs]. The servers decide what waits for their disks, so that
// it is Append.
func (s *jetStream) AppendRelaxed(ctx context.Context, session string, expected int64, records ...Record) error {
	return s.Append(ctx, session, expected, records...)
}

// Read implements [Logs].
func (s *jetStream) Read(ctx context.Context, session string, from int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := s.readAll(ctx, session, from, yield); err != nil {
			yield(Record{}, failed(fmt.Sprintf("read session %q", session), err))
		}
	}
}

// errStop ends a scan whose reader has enough.
var errStop = errors.New("enough")

func (s *jetStream) readAll(ctx context.Context, session string, from int64, yield func(Record, error) bool) error {
	if err := checkID("session id", session); err != nil {
		return err
	}
	// Events that were appended since this process last read the session follow that place.
	s.mu.Lock()
	known := s.rows[session]
	s.mu.Unlock()
	r, _, err := s.load(ctx, session, false)
	switch {
	case err != nil || r == nil:
		return err
	case r.pruned != 0:
		return fmt.Errorf("%w: begin one under another id", ErrPruned)
	}

	next, at := int64(0), uint64(1)
	if known != nil && known.length <= from {
		next, at = known.length, known.at+1
	}
	err = s.stream.scan(ctx, s.rowSubject(session), at, r.at, func(in *incoming) error {
		var t transaction
		if err := in.decode(&t); err != nil {
			return err
		}
		for _, e := range t.Events {
			if next++; next <= from {
				continue
			}
			record := Record{Seq: next - 1}
			if err := record.decode(e.Event, e.decision(), ""); err != nil {
				return fmt.Errorf("%w: event %d: %w", ErrCorrupt, next-1, err)
			}
			if !yield(record, nil) {
				return errStop
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, errStop):
		return nil
	case err == nil && next != r.length:
		return fmt.Errorf("%w: %d events are there, not %d", ErrCorrupt, next, r.length)
	}
	return err
}

// Session implements [Logs].
func (s *jetStream) Session(ctx context.Context, id string) (SessionInfo, error) {
	if err := checkID("session id", id); err != nil {
		return SessionInfo{}, err
	}
	r, _, err := s.load(ctx, id, false)
	if err == nil && (r == nil || r.pruned != 0) {
		err = ErrNotFound
	}
	if err != nil {
		return SessionInfo{}, failed(fmt.Sprintf("session %q", id), err)
	}
	return r.info(), nil
}

// Create implements [Logs].
func (s *jetStream) Create(ctx context.Context, c Creation) (info SessionInfo, err error) {
	if err := c.check(); err != nil {
		return SessionInfo{}, err
	}
	b, err := newBody(&Entry{Kind: CreatedEntry, Principal: s.redact.Text(c.Principal)})
	if err != nil {
		return SessionInfo{}, fmt.Errorf("create session %q: %w", c.ID, err)
	}

	err = s.change(ctx, c.ID, func(d *draft) error {
		if !d.missing() {
			return ErrExists
		}
		if err := d.begin(ctx, c.ID); err != nil {
			return err
		}
		d.principal = c.Principal
		if err := d.entry(b, nil); err != nil {
			return err
		}
		if len(c.Tools) > 0 {
			none := uint64(0)
			d.out = append(d.out, &outgoing{subject: s.stream.subject(toolsToken, token(c.ID)), expected: &none, data: c.Tools})
		}
		info = d.info()
		k, err := keep(c.Settles, info, s.now())
		if err != nil {
			return err
		}
		return d.keep(ctx, k)
	})
	if errors.Is(err, ErrPruned) {
		err = ErrExists
	}
	return info, failed(fmt.Sprintf("create session %q", c.ID), err)
}

// End implements [Principals].
func (s *jetStream) End(ctx context.Context, session string) (info SessionInfo, err error) {
	if err := checkID("session id", session); err != nil {
		return SessionInfo{}, err
	}
	b, err := newBody(&Entry{Kind: EndedEntry})
	if err != nil {
		return SessionInfo{}, fmt.Errorf("end session %q: %w", session, err)
	}

	var withdrawn []string
	err = s.change(ctx, session, func(d *draft) error {
		if d.missing() {
			return ErrNotFound
		}
		if !d.ended {
			d.ended, d.endedAt = true, micros(s.now())
			if err := d.entry(b, nil); err != nil {
				return err
			}
			if withdrawn, err = s.withdrawAll(ctx, d); err != nil {
				return err
			}
		}
		info = d.info()
		return nil
	})
	for _, id := range withdrawn {
		s.tell(id)
	}
	return info, failed(fmt.Sprintf("end session %q", session), err)
}

// Tools implements [Principals].
func (s *jetStream) Tools(ctx context.Context, session string) (json.RawMessage, error) {
	if _, err := s.Session(ctx, session); err != nil {
		return nil, err
	}
	subject := s.stream.subject(toolsToken, token(session))
	found, err := s.stream.last(ctx, subject)
	if err != nil || found[subject] == nil {
		return nil, failed(fmt.Sprintf("tools of session %q", session), err)
	}
	return found[subject].data, nil
}

// Ask implements [Approvals].
func (s *jetStream) Ask(ctx context.Context, q Question) (Approval, error) {
	a, err := s.question(q)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	data, err := strictjson.Encode(a)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	if len(data) > MaxRecord {
		return Approval{}, fmt.Errorf("ask: %w: a question of %d bytes is beyond the bound of %d", ErrInvalid, len(data), MaxRecord)
	}

	err = s.change(ctx, a.Session, func(d *draft) error {
		if d.missing() {
			return ErrNotFound
		}
		if d.ended {
			return fmt.Errorf("session %q: %w", a.Session, ErrEnded)
		}
		for id, expires := range d.open {
			if expires <= micros(a.Created) {
				delete(d.open, id)
			}
		}
		if len(d.open) >= MaxOpenPerSession {
			return fmt.Errorf("session %q: %w", a.Session, ErrTooMany)
		}
		d.open[a.ID] = micros(a.Expires)
		none := uint64(0)
		return s.outcome(ctx, d, q.Settles, AskedEntry, &a, &none)
	})
	if err != nil {
		return Approval{}, failed("ask", err)
	}
	return a, nil
}

// outcome drafts what became of a question: its state, the entry, and the reply to the
// request that led to it.
func (s *jetStream) outcome(ctx context.Context, d *draft, request *Settlement, kind Kind, a *Approval, expected *uint64) error {
	b, err := s.became(kind, a)
	if err != nil {
		return err
	}
	k, err := keep(request, *a, s.now())
	if err != nil {
		return err
	}
	return errors.Join(d.put(expected, a, questionToken, token(a.Session), a.ID), d.entry(b, nil), d.keep(ctx, k))
}

// lookUp returns a question as it is kept, and where.
func (s *jetStream) lookUp(ctx context.Context, id string) (a Approval, at uint64, err error) {
	for _, c := range []byte(id) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return a, 0, ErrNotFound // no question has such an id
		}
	}
	found, err := s.stream.last(ctx, s.stream.subject(questionToken, "*", id))
	if err != nil {
		return a, 0, err
	}
	for subject, in := range found {
		if kind, _ := s.stream.kindOfSubject(subject); kind == questionToken {
			return a, in.seq, in.decode(&a)
		}
	}
	return a, 0, ErrNotFound
}

// approval returns a question as it is kept.
func (s *jetStream) approval(ctx context.Context, id string) (Approval, error) {
	a, _, err := s.lookUp(ctx, id)
	return a, err
}

// settleQuestion is settle of [questions].
func (s *jetStream) settleQuestion(ctx context.Context, id string, request *Settlement, change func(*Approval) (Kind, error)) (a Approval, err error) {
	if err := checkID("approval id", id); err != nil {
		return Approval{}, err
	}
	a, at, err := s.lookUp(ctx, id)
	if err != nil {
		return Approval{}, failed("approval "+id, err)
	}

	err = s.change(ctx, a.Session, func(d *draft) error {
		if d.turn.try > 0 {
			if a, at, err = s.lookUp(ctx, id); err != nil {
				return err
			}
		}
		if d.missing() {
			return ErrNotFound
		}
		kind, err := change(&a)
		if err != nil || kind == "" {
			return err
		}
		a.Settled = fromMicros(micros(s.now()))
		delete(d.open, id)
		return s.outcome(ctx, d, request, kind, &a, &at)
	})
	if err != nil {
		return Approval{}, failed("approval "+id, err)
	}

	s.tell(id)
	return a, nil
}

// tell wakes those who wait for a question that is settled. Who doesn't hear of it looks by itself.
func (s *jetStream) tell(id string) {
	s.hub.wake(id)
	_ = s.stream.nc.Publish(s.settled(), []byte(id))
}

// withdrawAll drafts the withdrawal of the questions of a session that ends, and returns their ids.
func (s *jetStream) withdrawAll(ctx context.Context, d *draft) ([]string, error) {
	var ids []string
	for id, expires := range d.open {
		if expires <= micros(s.now()) {
			continue
		}
		a, at, err := s.lookUp(ctx, id)
		if err != nil {
			return nil, err
		}
		a.State, a.Why, a.Settled = Cancelled, whyEnded, fromMicros(micros(s.now()))
		if err := s.outcome(ctx, d, nil, CancelledEntry, &a, &at); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	clear(d.open)
	return ids, nil
}

// Reply implements [Requests].
func (s *jetStream) Reply(ctx context.Context, r Request) (*Reply, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("reply to a request: %w", err)
	}
	have, _, err := s.replied(ctx, r.key())
	switch {
	case err != nil:
		return nil, failed("reply to a request", err)
	case have == nil || have.Expires <= micros(s.now()):
		return nil, nil
	case string(have.Content) != string(r.Content[:]):
		return nil, ErrReused
	}

	reply := &Reply{Status: have.Status, Body: have.Body}
	if err := json.Unmarshal([]byte(have.Header), &reply.Header); err != nil {
		return nil, fmt.Errorf("%w: the reply to a request: %w", ErrCorrupt, err)
	}
	return reply, nil
}

// Settle implements [Requests].
func (s *jetStream) Settle(ctx context.Context, r Request, reply Reply) error {
	k, err := keep(&Settlement{r, func(any) (Reply, error) { return reply, nil }}, nil, s.now())
	if err != nil {
		return fmt.Errorf("settle request: %w", err)
	}
	m, err := s.reply(ctx, k)
	if err == nil {
		err = s.stream.publish(ctx, m)
	}
	if errors.Is(err, errMoved) || errors.Is(err, ErrAnswered) {
		return ErrAnswered
	}
	return failed("settle request", err)
}

// writtenLabel is the payload of a message on a resource's subject.
type writtenLabel struct {
	Server  string      `json:"server,omitempty"`
	Family  string      `json:"family,omitempty"`
	ID      string      `json:"id"`
	Trust   label.Trust `json:"trust"`
	Origins []string    `json:"origins,omitempty"`
}

// Lower implements [Resources].
func (s *jetStream) Lower(ctx context.Context, l ResourceLabel, list ...Resource) error {
	keys, err := checkLower(l, list)
	if err != nil {
		return err
	}

	s.low.Lock()
	defer s.low.Unlock()
	for range maxTurns {
		err := s.lower(ctx, l, list, keys)
		if !errors.Is(err, errMoved) {
			return failed("label of a resource", err)
		}
		if err := pause(ctx, streamBehind); err != nil {
			return failed("label of a resource", err)
		}
	}
	return fmt.Errorf("label of a resource: %d times others were first: try again", maxTurns)
}

// lower tries once. A label that is as low already isn't written.
func (s *jetStream) lower(ctx context.Context, l ResourceLabel, list []Resource, keys [][]byte) error {
	have, seqs, err := s.labels(ctx, keys)
	if err != nil {
		return err
	}

	var out []*outgoing
	written := map[string]bool{}
	for i, r := range list {
		key := string(keys[i])
		after, changed := l.under(have[key])
		if !changed || written[key] {
			continue
		}
		written[key] = true
		// The names are for people, who need not see every byte.
		data, err := strictjson.Encode(writtenLabel{readable(r.Server), readable(r.Family), readable(r.ID), after.Trust, after.Origins})
		if err != nil {
			return err
		}
		at := seqs[key]
		out = append(out, &outgoing{subject: s.labelSubject(keys[i]), expected: &at, data: data})
	}
	if len(out) == 0 {
		return nil
	}
	return s.stream.publish(ctx, out...)
}

// under returns the label of what has a label already, nil for none, and has this one now.
func (l ResourceLabel) under(have *ResourceLabel) (after ResourceLabel, changed bool) {
	if have == nil {
		have, changed = &ResourceLabel{Trust: label.Trusted}, true
	}
	after = ResourceLabel{Trust: min(l.Trust, have.Trust), Origins: slices.Clone(have.Origins)}
	for _, o := range l.Origins {
		if len(after.Origins) >= MaxOrigins && !slices.Contains(after.Origins, o) {
			o = MoreOrigins
		}
		if !slices.Contains(after.Origins, o) {
			after.Origins = append(after.Origins, o)
		}
	}

	slices.Sort(after.Origins)
	return after, changed || after.Trust != have.Trust || len(after.Origins) != len(have.Origins)
}

func (s *jetStream) labelSubject(key []byte) string {
	return s.stream.subject(labelToken, hex.EncodeToString(key))
}

// Labels implements [Resources]. A label that was lowered before the call is seen, whichever
// server answers: the mark of a barrier follows it.
func (s *jetStream) Labels(ctx context.Context, list ...Resource) ([]*ResourceLabel, error) {
	keys, err := keys(list)
	if err != nil {
		return nil, fmt.Errorf("label of a resource: %w", err)
	}
	if len(list) == 0 {
		return nil, nil
	}
	if _, err := s.stream.barrier(ctx); err != nil {
		return nil, failed("label of a resource", err)
	}
	found, _, err := s.labels(ctx, keys)
	if err != nil {
		return nil, failed("label of a resource", err)
	}

	out := make([]*ResourceLabel, len(list))
	for i, key := range keys {
		out[i] = found[string(key)]
	}
	return out, nil
}

// labels reads labels by their keys, and where they are.
func (s *jetStream) labels(ctx context.Context, keys [][]byte) (map[string]*ResourceLabel, map[string]uint64, error) {
	var subjects []string
	for _, key := range keys {
		subjects = append(subjects, s.labelSubject(key))
	}
	found, err := s.stream.last(ctx, subjects...)
	if err != nil {
		return nil, nil, err
	}

	out, seqs := map[string]*ResourceLabel{}, map[string]uint64{}
	for i, key := range keys {
		in := found[subjects[i]]
		if in == nil {
			continue
		}
		var w writtenLabel
		if err := in.decode(&w); err != nil {
			return nil, nil, err
		}
		if w.Trust > label.Trusted {
			return nil, nil, fmt.Errorf("%w: a resource's trust is %d", ErrCorrupt, w.Trust)
		}
		out[string(key)], seqs[string(key)] = &ResourceLabel{w.Trust, w.Origins}, in.seq
	}
	return out, seqs, nil
}
