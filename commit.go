package remit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/discharge"
)

// Decide decides a proposed call. A doubtful call is a decision, not an error;
// an error means that the context ended or the monitor's [Confirmer] failed,
// and then the call must not run.
//
// What guards need from others is looked up before, while the session goes on: calls
// whose rules look things up are decided one after the other, and others need not
// wait for them. Where the monitor has a planner, the first call of a turn waits for the
// turn's scope, and one whose entries have names that no result has for what these mean.
func (s *Session) Decide(ctx context.Context, c Call) (*Decision, error) {
	if err := s.Plan(ctx); err != nil {
		return nil, err
	}
	if err := s.Name(ctx, c.Tool); err != nil {
		return nil, err
	}
	o, err := s.settle(ctx, question{call: c}, nil, s.commit)
	if err != nil {
		return nil, err
	}
	d := o.decision
	if d.Verdict != Ask || s.monitor.confirm == nil {
		return d, nil
	}

	// The person is asked without holding the session: other calls go on.
	yes, err := s.monitor.confirm.Confirm(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("ask about %s: %w", c.Tool, err)
	}
	if !yes {
		return d, nil
	}
	return s.ConfirmOnce(ctx, d.Call)
}

// Confirm notes that a person agreed to a call that was held back, and decides it again. For the
// rest of the session, or [discharge.ConfirmationLife], the targets of the call that fell short
// are as good as the user's in their own arguments of this tool, and the same call is not asked
// about again, unless it sends or pays something. Everything else in the call (what it runs,
// writes or sets) is agreed to with this call alone.
func (s *Session) Confirm(ctx context.Context, call string) (*Decision, error) {
	return s.confirm(ctx, call, forSession)
}

// ConfirmOnce notes that a person agreed to this call, and to what its reasons ask beside it
// ([Reason.Reads]): the next one is asked about again, also with the same values.
func (s *Session) ConfirmOnce(ctx context.Context, call string) (*Decision, error) {
	return s.confirm(ctx, call, once)
}

func (s *Session) confirm(ctx context.Context, call string, agreed consent) (*Decision, error) {
	o, err := s.settle(ctx, question{call: Call{ID: call}, consent: agreed}, nil, s.commit)
	if err != nil {
		return nil, err
	}
	return o.decision, nil
}

// question is a call to be decided, or, with a person's consent, the id of one that
// was.
type question struct {
	call    Call
	consent consent
	now     time.Time
}

// failed says which question could not be answered.
func (q *question) failed(err error) error {
	if q.consent != none {
		return fmt.Errorf("confirm %q: %w", q.call.ID, err)
	}
	return fmt.Errorf("decide %s: %w", q.call.Tool, err)
}

// input gathers what the decision of a question depends on. It changes nothing.
func (s *Session) input(q question, facts *guard.Facts) (*input, error) {
	in := &input{
		deployment: s.monitor.deployment, session: s.id, call: q.call, now: q.now,
		seen: s.seen.At(q.now), calls: len(s.calls) + s.counts.repeats, confirmed: s.confirmed.At(q.now), agreed: s.agreed, ahead: s.ahead, codeFor: s.codeFor, passages: s.passages, history: s.history.view(),
		task: s.monitor.scoped(&s.task), results: s.task.results, delegated: s.task.delegated, readings: s.readings, turn: s.counts.user, early: !s.task.foreign,
		consent: q.consent, facts: facts, best: Allow,
	}

	in.number = s.counts.calls
	if in.call.ID == "" {
		in.call.ID, in.number = s.nextID()
	}

	if record, ok := s.calls[in.call.ID]; ok {
		in.before = &record.decided
		if q.consent == none && record.resumable() {
			in.resumes, in.counted, in.history = true, record.counted, in.history.Without(record.counted)
		}
	}
	if q.consent != none {
		if in.before == nil {
			return nil, q.failed(ErrUnknownCall)
		}
		in.call = in.before.call
	}

	return in, nil
}

// nextID returns an id for a call that came without one.
func (s *Session) nextID() (id string, number int) {
	for number = s.counts.calls + 1; ; number++ {
		id = fmt.Sprintf("c%d", number)
		if _, taken := s.calls[id]; !taken {
			return id, number
		}
	}
}

// maxGathers bounds how often look-ups are made for one decision: for a tool and
// the one that it calls, and again as often as the session has gone on meanwhile so
// that other look-ups are wanted.
const maxGathers = 8

// settle decides a question, and calls use with the outcome before the session can
// change. Look-ups are made before, without the session's lock; known are those
// that were made earlier.
func (s *Session) settle(ctx context.Context, q question, known *Answers, use func(*outcome)) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, q.failed(err)
	}
	facts := known.about(s)
	o, err := s.attempt(&q, facts, use, false)
	if err != nil || len(o.wants) == 0 {
		return o, err
	}

	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return nil, q.failed(ctx.Err())
	}
	inquiring, cancel := context.WithTimeout(ctx, guard.FactsTimeout)
	defer cancel()
	for n := 0; ; n++ {
		// The last outcome is used whatever it wants: a fact that is missing is a
		// reason against the call.
		last := n == maxGathers
		if o, err = s.attempt(&q, facts, use, last); err != nil || last || len(o.wants) == 0 {
			return o, err
		}
		facts = s.inquire(inquiring, o, facts)
		if err := ctx.Err(); err != nil {
			return nil, q.failed(err)
		}
	}
}

// inquire adds the facts that an outcome wants, and leaves out those that no longer
// hold.
func (s *Session) inquire(ctx context.Context, o *outcome, facts *guard.Facts) *guard.Facts {
	for _, r := range o.wants {
		r.Recorded, r.Reader, r.Judge = facts, s.monitor.reader, s.monitor.judge
		facts = facts.With(s.monitor.guards.Inquire(ctx, r))
	}
	return (&Answers{s, o.version, facts}).about(s)
}

// Answers are the facts that guards want for a call, looked up ahead of its
// decision.
type Answers struct {
	session *Session
	version uint64
	facts   *guard.Facts
}

// about returns the answers that hold in a session. Judgments are about the
// conversation, and don't hold when that went on.
func (a *Answers) about(s *Session) *guard.Facts {
	if a == nil || a.facts == nil {
		return new(guard.Facts)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.session == s && a.version == s.version {
		return a.facts
	}
	return &guard.Facts{Lookups: a.facts.Lookups}
}

// Inquire looks up what guards want for a call, for a [Session.DecideRecorded] of
// it that follows. A call that was held back is named by its id alone. The session
// may go on meanwhile: what is missing then is looked up by DecideRecorded.
func (s *Session) Inquire(ctx context.Context, c Call) (*Answers, error) {
	if s.monitor.deployment.guards == nil {
		return nil, nil
	}
	q := question{call: c}
	if c.Tool == "" {
		q.consent = once
	}
	o, err := s.settle(ctx, q, nil, func(*outcome) {})
	if err != nil {
		return nil, err
	}
	return &Answers{s, o.version, o.decision.Facts}, nil
}

// attempt decides a question by the facts that are known. When others are wanted
// and this is not the last attempt, the outcome is not used: it is only good for
// its wants.
func (s *Session) attempt(q *question, facts *guard.Facts, use func(*outcome), last bool) (*outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.now = s.timeOr(q.now)
	in, err := s.input(*q, facts)
	if err != nil {
		return nil, err
	}

	o := decide(in)
	o.version = s.version
	if len(o.wants) == 0 || last {
		use(o)
		return o, nil
	}
	seen := s.history.snapshot()
	if in.resumes || o.passage != nil {
		seen = seen.Without(o.counted)
	}
	for i := range o.wants {
		o.wants[i].History = seen
	}
	return o, nil
}

// commit makes the session know an outcome. Its lock must be held since the outcome
// was decided, or the version be the same.
func (s *Session) commit(o *outcome) {
	in := o.in
	s.begin(in.now)
	s.counts.calls = max(s.counts.calls, in.number)
	s.seen.Keep(in.seen)
	if o.record == nil {
		return
	}
	if in.resumes {
		o.record.passage = s.calls[in.call.ID].passage
	}
	if in.resumes && o.record.made != nil && s.calls[in.call.ID].made != nil {
		o.record.made = s.calls[in.call.ID].made // guards have it already
	}
	if s.calls[in.call.ID] != nil {
		s.counts.repeats++
	}
	s.calls[in.call.ID] = o.record
	if !o.record.allowed {
		s.refused(o)
		return
	}

	s.pass(o)
	if o.record.completes {
		s.codeFor = nil // a code serves once
	}
	s.seen.Called("call:"+in.call.ID+"#", o.values, o.resolved)
	s.seen.Acted(o.act)
	if o.cover != nil {
		o.coverTask.Spend(*o.cover)
	}
	if o.spends != "" {
		s.ahead.spend(o.spends, o.spent)
	}
	s.read(o.readings)
	if o.agreement != "" {
		s.agreed.add(o.agreement, agreement{o.decision.Reasons, in.turn, in.now.Add(discharge.ConfirmationLife)})
	}
	for _, c := range o.confirmed {
		// The session is bounded by its calls; a full list only means that the
		// person is asked again.
		_ = s.confirmed.Add(o.tool, c.argument, c.value, in.now)
	}
	if o.record.made != nil {
		s.ran(o.record.made, in.now)
	}
}

// agreements are calls to which a person agreed for the session, by callDigest.
type agreements map[string]agreement

// agreement is what a person was asked about a call, in which turn of the user's, and how long
// the answer holds.
type agreement struct {
	reasons []Reason
	turn    int
	until   time.Time
}

// covers reports whether an agreement is to a call with all of these reasons.
func (a agreement) covers(reasons []Reason, now time.Time) bool {
	return now.Before(a.until) && covered(a.reasons, reasons)
}

// maxAgreed bounds the calls of a session that a person agreed to for all of it.
const maxAgreed = 4096

func (a agreements) add(call string, had agreement) {
	if len(a) < maxAgreed {
		a[call] = had
	}
}

// ErrChanged is returned when a session changed between a decision and its
// commit. The decision doesn't count: a session whose log has it must be restored
// from the log.
var ErrChanged = errors.New("the session changed since the call was decided")

// A Proposal is a decision that its session has not committed. It is what
// [Session.DecideRecorded] hands to its record function, and must not be used after that returns.
type Proposal struct {
	outcome *outcome
	event   Event
}

// Decision returns the proposed decision.
func (p *Proposal) Decision() *Decision { return p.outcome.decision }

// Event returns the entry of the session's log from which [Monitor.Restore]
// decides the same again.
func (p *Proposal) Event() Event { return p.event }

// Storage returns what [Session.Storage] returns once the decision is committed.
func (p *Proposal) Storage() (Storage, bool) {
	return p.outcome.record.storage(p.outcome.in.classes)
}

// DecideRecorded is [Session.Decide] for sessions that are kept in a log: record
// writes the proposal down before the session commits it. When record fails, the
// session is as it was, and the error is returned. Record runs without the
// session's lock; the caller makes sure that nothing else is added to the session
// meanwhile, else the error is [ErrChanged]. The monitor's [Confirmer] is not
// asked, and neither is its planner: a caller that keeps a log asks it by
// [Session.PlanRequest] and [Session.Planned]. Known are the answers of an earlier [Session.Inquire]; nil is fine.
func (s *Session) DecideRecorded(ctx context.Context, c Call, known *Answers, record func(*Proposal) error) (*Decision, error) {
	return s.recorded(ctx, question{call: c}, known, record)
}

// ConfirmRecorded is to [Session.Confirm] what DecideRecorded is to Decide; to
// [Session.ConfirmOnce] when the agreement is to this call alone.
func (s *Session) ConfirmRecorded(ctx context.Context, call string, callOnly bool, known *Answers, record func(*Proposal) error) (*Decision, error) {
	agreed := forSession
	if callOnly {
		agreed = once
	}
	return s.recorded(ctx, question{call: Call{ID: call}, consent: agreed}, known, record)
}

// recorded commits the outcome of a question after it was recorded.
func (s *Session) recorded(ctx context.Context, q question, known *Answers, record func(*Proposal) error) (*Decision, error) {
	o, err := s.settle(ctx, q, known, func(*outcome) {})
	if err != nil {
		return nil, err
	}

	if err := record(&Proposal{o, o.event()}); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version != o.version {
		return nil, q.failed(ErrChanged)
	}
	s.commit(o)
	return o.decision, nil
}

// event returns the log's entry of an outcome.
func (o *outcome) event() Event {
	e := Event{Kind: CallEvent, Time: o.in.now, Call: &o.in.call, Verdict: o.decision.Verdict, Facts: o.decision.Facts}
	if o.in.consent != none {
		e.Kind, e.Call, e.Once = ConfirmationEvent, &Call{ID: o.in.call.ID}, o.in.consent == once
	}
	e.Readings = o.readings
	return e
}
