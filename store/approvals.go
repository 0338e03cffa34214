package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// errHash is returned for a text that is not a hash.
var errHash = errors.New("a hash is 64 hexadecimal digits")

const approvalColumns = "id, session, call, arguments, decision, places, state, extent, answerer, why, created, expires, settled, more, agreed"

// Ask implements [Approvals].
func (s *database) Ask(ctx context.Context, q Question) (Approval, error) {
	a, err := s.question(q)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	decision, err := strictjson.Encode(a.Decision)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	places, err := strictjson.Encode(a.Places)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	more, err := strictjson.Encode(append([]Asked{}, a.More...))
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	if n := len(decision) + len(places) + len(more); n > MaxRecord {
		return Approval{}, fmt.Errorf("ask: %w: a question of %d bytes is beyond the bound of %d", ErrInvalid, n, MaxRecord)
	}

	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		r, err := s.lock(ctx, tx, a.Session)
		if err != nil {
			return err
		}
		var open int
		if err := one(ctx, tx, "SELECT count(*) FROM approvals WHERE session = $1 AND state = 'pending' AND expires > $2",
			[]any{a.Session, micros(a.Created)}, &open); err != nil {
			return err
		}
		if open >= MaxOpenPerSession {
			return fmt.Errorf("session %q: %w", a.Session, ErrTooMany)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO approvals ("+approvalColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, '', '', '', $8, $9, NULL, $10, '[]')",
			a.ID, a.Session, a.Call, a.Arguments[:], string(decision), string(places), string(a.State), micros(a.Created), micros(a.Expires), string(more)); err != nil {
			return err
		}
		if err := s.settleRequest(ctx, tx, q.Settles, a); err != nil {
			return err
		}
		return s.note(ctx, tx, r, AskedEntry, &a)
	})
	if err != nil {
		return Approval{}, failed("ask", err)
	}
	return a, nil
}

// question checks a question and makes the approval that is asked for.
func (s *database) question(q Question) (Approval, error) {
	calls := append([]Asked{{Decision: q.Decision, Places: q.Places}}, q.More...)
	switch {
	case q.Life < 0 || q.Life > MaxApprovalLife:
		return Approval{}, fmt.Errorf("%w: a question waits for at most %s, not %s", ErrInvalid, MaxApprovalLife, q.Life)
	case len(calls) > MaxAsked:
		return Approval{}, fmt.Errorf("%w: a question about %d calls is beyond the bound of %d", ErrInvalid, len(calls), MaxAsked)
	}

	ids := map[string]bool{}
	for _, c := range calls {
		if err := askable(c, q.Decision); err != nil {
			return Approval{}, err
		}
		if ids[c.Decision.Call] {
			return Approval{}, fmt.Errorf("%w: the call %q is asked about twice", ErrInvalid, c.Decision.Call)
		}
		ids[c.Decision.Call] = true
	}
	if q.Life == 0 {
		q.Life = DefaultApprovalLife
	}

	d, now := q.Decision, fromMicros(micros(s.now()))
	return Approval{ID: newID(), Session: d.Session, Call: d.Call, Arguments: QuestionHash(calls), Decision: d,
		Places: q.Places, More: q.More, State: Pending, Created: now, Expires: now.Add(q.Life)}, nil
}

// askable reports why a call can't be asked about together with the first one of its
// question; nil when it can.
func askable(c Asked, first *remit.Decision) error {
	d := c.Decision
	switch {
	case d == nil:
		return fmt.Errorf("%w: there is no decision", ErrInvalid)
	case d.Verdict != remit.Ask:
		return fmt.Errorf("%w: the verdict is %s: only what was held back can be asked about", ErrInvalid, d.Verdict)
	case d.Session != first.Session:
		return fmt.Errorf("%w: the calls of a question are of one session, not of %q and %q", ErrInvalid, first.Session, d.Session)
	case len(c.Places) > MaxPlaces:
		return fmt.Errorf("%w: %d places are more than %d", ErrInvalid, len(c.Places), MaxPlaces)
	}
	return errors.Join(checkID("session id", d.Session), checkID("call id", d.Call))
}

// note writes what became of a question into the audit chain of its session.
func (s *database) note(ctx context.Context, tx querier, r *row, kind Kind, a *Approval) error {
	b, err := newBody(&Entry{Kind: kind, Call: s.redact.Text(a.Call), Approval: &Settled{ID: a.ID, Tool: s.redact.Text(a.Decision.Tool),
		State: a.State, Extent: a.Extent, By: s.redact.Text(a.By), Why: s.redact.Text(a.Why), From: s.redact.Text(a.from), More: s.others(a), Agreed: s.redacted(a.Agreed)}})
	if err != nil {
		return err
	}
	if err := r.add(ctx, tx, b, s.now(), nil); err != nil {
		return err
	}
	return r.save(ctx, tx)
}

// others are the ids of the calls of a question beside the first.
func (s *database) others(a *Approval) []string {
	ids := make([]string, len(a.More))
	for i, c := range a.More {
		ids[i] = c.Decision.Call
	}
	return s.redacted(ids)
}

func (s *database) redacted(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = s.redact.Text(t)
	}
	return out
}

func (a *Approval) scan(rows *sql.Rows) error {
	var arguments []byte
	var decision, places, state, extent, more, agreed string
	var created, expires int64
	var settled sql.NullInt64
	if err := rows.Scan(&a.ID, &a.Session, &a.Call, &arguments, &decision, &places, &state, &extent, &a.By, &a.Why, &created, &expires, &settled, &more, &agreed); err != nil {
		return err
	}
	if len(arguments) != len(a.Arguments) {
		return fmt.Errorf("%w: approval %s is bound to %d bytes", ErrCorrupt, a.ID, len(arguments))
	}

	copy(a.Arguments[:], arguments)
	a.State, a.Extent, a.Created, a.Expires = State(state), Extent(extent), fromMicros(created), fromMicros(expires)
	if settled.Valid {
		a.Settled = fromMicros(settled.Int64)
	}
	if err := errors.Join(json.Unmarshal([]byte(decision), &a.Decision), json.Unmarshal([]byte(places), &a.Places),
		json.Unmarshal([]byte(more), &a.More), json.Unmarshal([]byte(agreed), &a.Agreed)); err != nil {
		return fmt.Errorf("%w: approval %s: %w", ErrCorrupt, a.ID, err)
	}
	if len(a.More) == 0 {
		a.More = nil
	}
	if len(a.Agreed) == 0 {
		a.Agreed = nil
	}
	return nil
}

func approvals(ctx context.Context, q querier, where string, args ...any) ([]Approval, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+approvalColumns+" FROM approvals WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Approval
	for rows.Next() {
		var a Approval
		if err := a.scan(rows); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}

func approval(ctx context.Context, q querier, id, suffix string) (Approval, error) {
	list, err := approvals(ctx, q, "id = $1"+suffix, id)
	switch {
	case err != nil:
		return Approval{}, err
	case len(list) == 0:
		return Approval{}, ErrNotFound
	}
	return list[0], nil
}

// Approval implements [Approvals].
func (s *database) Approval(ctx context.Context, id string) (Approval, error) {
	if err := checkID("approval id", id); err != nil {
		return Approval{}, err
	}
	a, err := approval(ctx, s.read, id, "")
	if err == nil && a.State == Pending && !s.now().Before(a.Expires) {
		a.State = Expired
	}
	return a, failed("approval "+id, err)
}

// Pending implements [Approvals].
func (s *database) Pending(ctx context.Context, limit int) ([]Approval, error) {
	return s.PendingOf(ctx, Whose{Everybody: true}, Turn{}, limit)
}

// settle changes a question under its lock, and says so in the audit log.
// change returns the entry's kind, or an error that leaves everything as it is;
// an empty kind does the same without an error.
func (s *database) settle(ctx context.Context, id string, request *Settlement, change func(*Approval) (Kind, error)) (a Approval, err error) {
	if err := checkID("approval id", id); err != nil {
		return Approval{}, err
	}

	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		// The session's row is locked first, as everywhere.
		a, err = approval(ctx, tx, id, "")
		if err != nil {
			return err
		}
		r, err := s.lock(ctx, tx, a.Session)
		if err != nil {
			return err
		}
		if a, err = approval(ctx, tx, id, s.forUpdate); err != nil {
			return err
		}
		kind, err := change(&a)
		if err != nil || kind == "" {
			return err
		}
		a.Settled = fromMicros(micros(s.now()))
		agreed, err := strictjson.Encode(append([]string{}, a.Agreed...))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE approvals SET state = $2, extent = $3, answerer = $4, why = $5, settled = $6, agreed = $7 WHERE id = $1",
			id, string(a.State), string(a.Extent), a.By, a.Why, micros(a.Settled), string(agreed)); err != nil {
			return err
		}
		if err := s.note(ctx, tx, r, kind, &a); err != nil {
			return err
		}
		if err := s.settleRequest(ctx, tx, request, a); err != nil {
			return err
		}
		if s.announce != "" {
			_, err = tx.ExecContext(ctx, s.announce, id)
		}
		return err
	})
	if err != nil {
		return Approval{}, failed("approval "+id, err)
	}
	s.hub.wake(id)
	return a, nil
}

// Answer implements [Approvals].
func (s *database) Answer(ctx context.Context, id string, answer Answer) (Approval, error) {
	extent := Extent("")
	if answer.Approve {
		if extent = answer.Extent; extent == "" {
			extent = Once
		}
		if extent != Once && extent != ForSession && extent != Always {
			return Approval{}, fmt.Errorf("%w: an approval is for %s, the %s or %s, not for %q", ErrInvalid, Once, ForSession, Always, extent)
		}
	}

	for _, t := range []string{answer.By, answer.Why, answer.From} {
		if len(t) > MaxNote || !utf8.ValidString(t) {
			return Approval{}, fmt.Errorf("%w: who answers, why and from where is text of at most %d bytes", ErrInvalid, MaxNote)
		}
	}

	return s.settle(ctx, id, answer.Settles, func(a *Approval) (Kind, error) {
		if err := s.open(a); err != nil {
			return "", err
		}
		if err := answer.choose(a); err != nil {
			return "", err
		}
		a.State, a.Extent, a.By, a.Why, a.from = Denied, extent, answer.By, answer.Why, answer.From
		if answer.Approve {
			a.State = Approved
		}
		return AnsweredEntry, nil
	})
}

// choose writes down which calls of the question an approval is for.
func (answer *Answer) choose(a *Approval) error {
	ids := map[string]bool{}
	for _, c := range a.Calls() {
		ids[c.Decision.Call] = true
	}
	for _, id := range answer.Calls {
		if !ids[id] {
			return fmt.Errorf("%w: the question is not about the call %q", ErrInvalid, id)
		}
	}

	switch {
	case !answer.Approve || len(a.More) == 0:
		return nil
	case len(answer.Calls) == 0:
		return fmt.Errorf("%w: the question is about %d calls: name those that are agreed to", ErrInvalid, len(ids))
	case answer.Extent == Always:
		return fmt.Errorf("%w: an answer about several calls is for %s or the %s", ErrInvalid, Once, ForSession)
	}
	a.Agreed = slices.Clone(answer.Calls)
	return nil
}

// open reports why a question can't be answered any more; nil when it can.
func (s *database) open(a *Approval) error {
	if a.State != Pending {
		return fmt.Errorf("%w: it is %s", ErrSettled, a.State)
	}
	if !s.now().Before(a.Expires) {
		return fmt.Errorf("%w: it is %s", ErrSettled, Expired)
	}
	return nil
}

// Claim implements [Approvals].
func (s *database) Claim(ctx context.Context, id string, arguments Hash) (Approval, error) {
	return s.settle(ctx, id, nil, func(a *Approval) (Kind, error) {
		switch {
		case a.State != Approved:
			return "", fmt.Errorf("%w: it is %s", ErrSettled, a.State)
		case !s.now().Before(a.Expires):
			return "", fmt.Errorf("%w: it is %s", ErrSettled, Expired)
		case a.Arguments != arguments:
			return "", fmt.Errorf("%w: it is for another call", ErrSettled)
		}
		a.State = Used
		return UsedEntry, nil
	})
}

// Cancel implements [Approvals].
func (s *database) Cancel(ctx context.Context, id string) error {
	_, err := s.settle(ctx, id, nil, func(a *Approval) (Kind, error) {
		if a.State != Pending {
			return "", nil
		}
		a.State = Cancelled
		return CancelledEntry, nil
	})
	return err
}

// expire notes that a question was not answered in time.
func (s *database) expire(ctx context.Context, id string) (Approval, error) {
	return s.settle(ctx, id, nil, func(a *Approval) (Kind, error) {
		if a.State != Pending {
			return "", nil
		}
		a.State = Expired
		return ExpiredEntry, nil
	})
}

// Wait implements [Approvals].
func (s *database) Wait(ctx context.Context, id string) (Approval, error) {
	if s.listen != nil {
		s.listen()
	}
	woken, stop := s.hub.wait(id)
	defer stop()

	for {
		a, err := s.Approval(ctx, id)
		switch {
		case err != nil:
			return Approval{}, err
		case a.State == Expired && a.Settled.IsZero():
			return s.expire(ctx, id)
		case a.State != Pending:
			return a, nil
		}
		timer := time.NewTimer(min(s.poll, max(a.Expires.Sub(s.now()), time.Millisecond)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return Approval{}, fmt.Errorf("approval %s: %w", id, ctx.Err())
		case <-woken:
			timer.Stop()
		case <-timer.C:
		}
	}
}
