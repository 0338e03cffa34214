package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/record"
)

// Bounds on what the rules of one call may ask of others.
const (
	// MaxFacts is how many look-ups and questions there may be.
	MaxFacts = 32
	// MaxRounds is how often the rules may need something that they only know to
	// ask for after the last answers came.
	MaxRounds = 8
	// FactsTimeout is how long all of them may take together.
	FactsTimeout = 15 * time.Second
	// MaxResult is the size of what one look-up returns, in bytes.
	MaxResult = 4 << 20
	// maxQuestion is the length of a question, in bytes.
	maxQuestion = 4 << 10
	// maxSideBySide is how many run at the same time.
	maxSideBySide = 8
)

// Reader calls tools that only read, for rules. It is the enforcement point's
// own call: the model doesn't see it, and its result is no part of the session.
type Reader interface {
	Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*Result, error)
}

// Judge answers a question about the conversation with yes or no, with the
// evidence that the answer rests on.
type Judge interface {
	Judge(ctx context.Context, q Question, s *History) (yes bool, evidence string, err error)
}

// Question is what a rule asks a judge.
type Question struct {
	Text string
	// Speaker is whose words are the only evidence for a yes: [UserEntry] or
	// [AssistantEntry]. The judge reads nothing then but what these two said. It is
	// empty where anything in the session may be evidence.
	Speaker EntryKind
}

// Facts are what look-ups and questions found while a call was judged. With
// them it is judged again as it was.
type Facts struct {
	Lookups   []Lookup   `json:"lookups,omitempty"`
	Judgments []Judgment `json:"judgments,omitempty"`
}

// Lookup is a call of a tool for a rule.
type Lookup struct {
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// Result is what it returned; Error is why there is none.
	Result *Result `json:"result,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Judgment is a question for a rule.
type Judgment struct {
	Question string    `json:"question"`
	Speaker  EntryKind `json:"speaker,omitempty"`
	Answer   bool      `json:"answer"`
	Evidence string    `json:"evidence,omitempty"`
	Error    string    `json:"error,omitempty"`
}

var (
	errNoReader    = errors.New("nobody is here who could look it up")
	errNoJudge     = errors.New("nobody is here who could judge it: this deployment has no judge")
	errNoSpeaker   = errors.New(`whose words count for a judge must be "user" or "assistant"`)
	errNotRecorded = errors.New("it was not looked up when the call was decided")
	errTooMany     = fmt.Errorf("the rules need more than %d look-ups", MaxFacts)
	errTooDeep     = fmt.Errorf("the rules need look-ups after look-ups, more than %d times", MaxRounds)
)

// inquiry is a look-up or a question, once for all rules of a decision.
type inquiry struct {
	lookup   *Lookup
	judgment *Judgment
	reader   *reader
	recorded bool
	value    ref.Val // nil while it waits
	err      error
}

// inquiries are those of one decision. Rules ask while they are evaluated, and
// an answer that isn't there yet is unknown to them, as CEL has it: what can be
// decided without it is. What is left waits until everything that was asked for
// is answered, and is evaluated again. So everything that doesn't depend on an
// answer runs side by side, and nothing is asked that no rule needs.
type inquiries struct {
	known   map[string]*inquiry
	ordered []*inquiry
	waiting []*inquiry
	closed  bool // nothing more may be asked
}

// rounds evaluates until nothing is open any more.
func (x *evaluation) rounds(ctx context.Context, evaluate func() (open bool)) {
	if !evaluate() {
		return
	}

	if x.asks() {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, FactsTimeout)
		defer cancel()
	}
	for range MaxRounds {
		x.answer(ctx)
		if !evaluate() {
			return
		}
	}

	for _, q := range x.waiting {
		q.err = errTooDeep
	}
	x.waiting, x.closed = nil, true
	evaluate() // nothing is left open
}

// asks reports whether others are asked, and not the recorded facts alone.
func (x *evaluation) asks() bool { return x.request.Recorded == nil || x.inquires }

// answer asks for all that waits.
func (x *evaluation) answer(ctx context.Context) {
	if !x.asks() {
		for _, q := range x.waiting {
			x.settle(ctx, q)
			x.missing = x.missing || errors.Is(q.err, errNotRecorded)
		}
		x.waiting = nil
		return
	}

	slots := make(chan struct{}, maxSideBySide)
	var wg sync.WaitGroup
	for _, q := range x.waiting {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			x.settle(ctx, q)
		})
	}
	wg.Wait()
	x.waiting = nil
}

// settle finds the answer of one inquiry.
func (x *evaluation) settle(ctx context.Context, q *inquiry) {
	if q.lookup != nil {
		x.settleLookup(ctx, q)
		return
	}

	j := q.judgment
	if q.err = x.recall(q, func(f *Facts) error { return f.judgment(j) }); errors.Is(q.err, errNotRecorded) && x.asks() {
		q.err = x.judge(ctx, j)
	}
	if q.err != nil {
		j.Answer, j.Error = false, cut(q.err.Error(), MaxShown)
		return
	}
	q.value = types.Bool(j.Answer)
}

func (x *evaluation) settleLookup(ctx context.Context, q *inquiry) {
	l := q.lookup
	if q.err = x.recall(q, func(f *Facts) error { return f.lookup(l) }); errors.Is(q.err, errNotRecorded) && x.asks() {
		q.err = x.read(ctx, l)
	}
	if q.err == nil {
		q.value, q.err = q.decode(l.Result)
	}
	switch {
	case q.err != nil:
		l.Result, l.Error = nil, cut(q.err.Error(), MaxShown)
	case len(l.Result.Structured) > 0:
		l.Result = &Result{Structured: l.Result.Structured} // the text says the same
	}
}

// recall fills an inquiry in from the recorded facts.
func (x *evaluation) recall(q *inquiry, fill func(*Facts) error) error {
	if x.request.Recorded == nil {
		return errNotRecorded
	}
	err := fill(x.request.Recorded)
	q.recorded = !errors.Is(err, errNotRecorded)
	return err
}

func (x *evaluation) read(ctx context.Context, l *Lookup) (err error) {
	if x.request.Reader == nil {
		return errNoReader
	}
	l.Result, err = x.request.Reader.Read(ctx, l.Server, l.Tool, l.Arguments)
	return err
}

func (x *evaluation) judge(ctx context.Context, j *Judgment) (err error) {
	if x.request.Judge == nil {
		return errNoJudge
	}
	j.Answer, j.Evidence, err = x.request.Judge.Judge(ctx, Question{j.Question, j.Speaker}, x.request.History)
	j.Evidence = cut(j.Evidence, maxQuestion)
	return err
}

func (q *inquiry) decode(r *Result) (ref.Val, error) {
	switch {
	case r == nil:
		return nil, errors.New("it returned nothing")
	case len(r.Content)+len(r.Structured) > MaxResult:
		return nil, fmt.Errorf("it returned more than %d bytes", MaxResult)
	case !utf8.ValidString(r.Content):
		return nil, errors.New("its text is not UTF-8")
	}
	return decodeResult(r, q.reader.output)
}

// lookup fills in what was found then.
func (f *Facts) lookup(l *Lookup) error {
	for _, had := range f.Lookups {
		if had.Server == l.Server && had.Tool == l.Tool && string(had.Arguments) == string(l.Arguments) {
			if l.Result = had.Result; had.Error != "" {
				return errors.New(had.Error)
			}
			return nil
		}
	}
	return errNotRecorded
}

func (f *Facts) judgment(j *Judgment) error {
	for _, had := range f.Judgments {
		if had.Question == j.Question && had.Speaker == j.Speaker {
			if j.Answer, j.Evidence = had.Answer, had.Evidence; had.Error != "" {
				return errors.New(had.Error)
			}
			return nil
		}
	}
	return errNotRecorded
}

// lookUp is what a function of a tool returns: the result, or unknown while it
// isn't there.
func (x *evaluation) lookUp(r *reader, args ref.Val) ref.Val {
	arguments, err := record.Encode(args)
	if err != nil {
		return x.fail(about(r.tool, err))
	}
	return x.inquire("tool\x00"+r.server+"\x00"+r.tool+"\x00"+string(arguments), r.tool, func() *inquiry {
		return &inquiry{reader: r, lookup: &Lookup{Server: r.server, Tool: r.tool, Arguments: arguments}}
	})
}

// ask is what judge() returns, of a question and of whose words count.
func (x *evaluation) ask(args []ref.Val) ref.Val {
	q := Judgment{Question: string(args[0].(types.String))}
	if len(q.Question) > maxQuestion {
		return x.fail(fmt.Errorf("a question of more than %d bytes", maxQuestion))
	}
	if len(args) > 1 {
		if q.Speaker = EntryKind(args[1].(types.String)); !speaker(q.Speaker) {
			return x.fail(errNoSpeaker)
		}
	}
	return x.inquire("judge\x00"+string(q.Speaker)+"\x00"+q.Question, "judge", func() *inquiry {
		return &inquiry{judgment: &q}
	})
}

// speaker tells whether a judge can be asked for somebody's words alone.
func speaker(k EntryKind) bool { return k == UserEntry || k == AssistantEntry }

func (x *evaluation) inquire(key, what string, begin func() *inquiry) ref.Val {
	q, ok := x.known[key]
	switch {
	case !ok && x.closed:
		return x.fail(about(what, errTooDeep))
	case !ok && len(x.known) >= MaxFacts:
		return x.fail(about(what, errTooMany))
	case !ok:
		if x.known == nil {
			x.known = map[string]*inquiry{}
		}
		q = begin()
		x.known[key] = q
		x.ordered, x.waiting = append(x.ordered, q), append(x.waiting, q)
		return types.NewUnknown(0, nil)
	case q.err != nil:
		return x.fail(about(what, q.err))
	case q.value == nil:
		return types.NewUnknown(0, nil)
	}

	return q.value
}

// learned are the facts of the decision; nil when there are none.
func (x *evaluation) learned() *Facts {
	return x.facts(func(*inquiry) bool { return true })
}

// found are the facts that were not recorded before; nil when there are none.
func (x *evaluation) found() *Facts {
	return x.facts(func(q *inquiry) bool { return !q.recorded })
}

func (x *evaluation) facts(which func(*inquiry) bool) *Facts {
	var f *Facts
	for _, q := range x.ordered {
		switch {
		case !which(q):
		case q.lookup != nil:
			f = f.With(&Facts{Lookups: []Lookup{*q.lookup}})
		default:
			f = f.With(&Facts{Judgments: []Judgment{*q.judgment}})
		}
	}
	return f
}

// With returns the facts with others behind them; nil when there are none.
func (f *Facts) With(others *Facts) *Facts {
	switch {
	case others == nil:
		return f
	case f == nil:
		return others
	}
	return &Facts{slices.Concat(f.Lookups, others.Lookups), slices.Concat(f.Judgments, others.Judgments)}
}

// SameArguments tells whether two JSON objects are the same arguments, whatever
// the order of their members.
func SameArguments(a, b json.RawMessage) bool {
	x, err := sorted(a)
	y, other := sorted(b)
	return err == nil && other == nil && x == y
}

func sorted(raw json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // two long numbers are not the same because floats can't tell
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	text, err := json.Marshal(v) // members in the order of their names
	return string(text), err
}
