package store

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// scribe makes what stores write. Nothing of it needs a transaction.
type scribe struct {
	now    func() time.Time
	redact *Redactor
	// boot names the machine's present run, with which everything ends that was
	// not synced. It is empty where nothing is written so.
	boot string
}

// encoded is a record ready to be written.
type encoded struct {
	event    string
	decision sql.NullString
	salt     []byte
	entry    body
	seq      int64
	settles  *keeping
}

// encode makes what is written for a record. Nothing of it needs the
// transaction, for which others wait.
func (s *scribe) encode(r *Record) (*encoded, error) {
	boot := ""
	if r.Decision != nil {
		boot = s.boot
	}
	event, err := encodeEvent(r, boot)
	if err != nil {
		return nil, err
	}

	e := &encoded{event: string(event), salt: make([]byte, 16), seq: r.Seq}
	_, _ = rand.Read(e.salt) // never fails: it ends the program instead
	if r.Decision != nil {
		decision, err := strictjson.Encode(r.Decision)
		if err != nil {
			return nil, err
		}
		e.decision = sql.NullString{String: string(decision), Valid: true}
	}
	if n := len(e.event) + len(e.decision.String); n > MaxRecord {
		return nil, fmt.Errorf("%w: a record of %d bytes is beyond the bound of %d", ErrInvalid, n, MaxRecord)
	}
	if e.settles, err = keep(r.Settles, r.Decision, s.now()); err != nil {
		return nil, err
	}
	e.entry, err = newBody(s.redact.entryOf(r, digest(e.salt, e.event, e.decision)))
	return e, err
}

// checkAppend checks what is asked of an append before anything is looked up.
func checkAppend(session string, expected int64, records []Record) error {
	if err := checkID("session id", session); err != nil {
		return err
	}
	if len(records) == 0 || len(records) > MaxRecords || expected < 0 {
		return fmt.Errorf("append to session %q: %w: %d records from %d on", session, ErrInvalid, len(records), expected)
	}
	return nil
}

// encodeAll makes what is written for an append.
func (s *scribe) encodeAll(session string, expected int64, records []Record) ([]*encoded, error) {
	if err := checkAppend(session, expected, records); err != nil {
		return nil, err
	}
	list := make([]*encoded, len(records))
	for i, r := range records {
		r.Seq = expected + int64(i)
		e, err := s.encode(&r)
		if err != nil {
			return nil, fmt.Errorf("append to session %q: %w", session, err)
		}
		list[i] = e
	}
	return list, nil
}

// digest returns what an audit entry holds of an event.
func digest(salt []byte, event string, decision sql.NullString) Hash {
	h := sha256.New()
	h.Write(salt)
	fmt.Fprintf(h, "%d\n%s%s", len(event), event, decision.String)
	return Hash(h.Sum(nil))
}

// question checks a question and makes the approval that is asked for.
func (s *scribe) question(q Question) (Approval, error) {
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
		Places: q.Places, More: q.More, ByValue: q.ByValue, State: Pending, Created: now, Expires: now.Add(q.Life)}, nil
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

// noted makes the audit entry of a note.
func (s *scribe) noted(n Note) (body, error) {
	if n.About == "" {
		return nil, fmt.Errorf("note: %w: say what it is about", ErrInvalid)
	}
	for name, value := range n.Members {
		if len(name)+len(value) > MaxNote {
			return nil, fmt.Errorf("note: %w: a member has at most %d bytes", ErrInvalid, MaxNote)
		}
	}
	b, err := newBody(&Entry{Kind: NoteEntry, Note: s.redact.note(n)})
	if err != nil {
		return nil, fmt.Errorf("note: %w", err)
	}
	return b, nil
}

// became makes the audit entry of what became of a question.
func (s *scribe) became(kind Kind, a *Approval) (body, error) {
	return newBody(&Entry{Kind: kind, Call: s.redact.Text(a.Call), Approval: &Settled{ID: a.ID, Tool: s.redact.Text(a.Decision.Tool),
		State: a.State, Extent: a.Extent, By: s.redact.Text(a.By), Why: s.redact.Text(a.Why), From: s.redact.Text(a.from), More: s.others(a), Agreed: s.redacted(a.Agreed)}})
}

// others returns the ids of the calls of a question beside the first.
func (s *scribe) others(a *Approval) []string {
	ids := make([]string, len(a.More))
	for i, c := range a.More {
		ids[i] = c.Decision.Call
	}
	return s.redacted(ids)
}

func (s *scribe) redacted(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = s.redact.Text(t)
	}
	return out
}
