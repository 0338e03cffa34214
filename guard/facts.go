package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/record"
)

// Bounds on the look-ups and judgments of one decision.
const (
	// MaxFacts bounds their number.
	MaxFacts = 32
	// MaxRounds bounds how often rules may ask for something that depends on earlier
	// answers.
	MaxRounds = 8
	// FactsTimeout bounds the time that all of them take together.
	FactsTimeout = 15 * time.Second
	// MaxResult bounds the size of one result, in bytes.
	MaxResult = 4 << 20
	// maxQuestion bounds the length of a question, in bytes.
	maxQuestion = 4 << 10
	// maxParallel bounds how many run at the same time.
	maxParallel = 8
)

// Reader makes the look-ups of rules: it calls tools that only read. The model doesn't
// see these calls, and their results are not part of the session.
type Reader interface {
	// Read calls a tool with arguments in canonical form.
	Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*Result, error)
}

// Judge answers questions about the conversation.
type Judge interface {
	// Judge answers with yes or no, and with the words that the answer rests on.
	Judge(ctx context.Context, q Question, s *History) (yes bool, evidence string, err error)
}

// Question is what a rule asks a [Judge].
type Question struct {
	Text string
	// Speaker limits the evidence for a yes to the words of [UserEntry] or
	// [AssistantEntry]. The judge then reads only what these two said. If Speaker is
	// empty, anything in the session may be evidence.
	Speaker EntryKind
	// Notion marks a question that no rule wrote: that of session.agreed() and the like.
	Notion bool
	// Call is the call under decision: its tool and arguments, and a line for each of their ids
	// that a record describes. It was not said, so it is not evidence.
	Call string
}

// Facts are the results of the look-ups and judgments of one decision. With them the
// decision can be made again, as [Request.Recorded].
type Facts struct {
	Lookups   []Lookup   `json:"lookups,omitempty"`
	Judgments []Judgment `json:"judgments,omitempty"`
}

// Lookup is a call of a tool that a rule made.
type Lookup struct {
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// Result is what the tool returned; Error says why there is no result.
	Result *Result `json:"result,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Judgment is a question that a rule asked, with its answer.
type Judgment struct {
	Question string    `json:"question"`
	Speaker  EntryKind `json:"speaker,omitempty"`
	Answer   bool      `json:"answer"`
	Evidence string    `json:"evidence,omitempty"`
	Error    string    `json:"error,omitempty"`
}

var (
	errNoReader    = errors.New("no reader configured")
	errNoJudge     = errors.New("no judge configured")
	errNoSpeaker   = errors.New(`the speaker of a judge's question must be "user" or "assistant"`)
	errNotRecorded = errors.New("not looked up when the call was decided")
	errTooMany     = fmt.Errorf("the rules need more than %d look-ups", MaxFacts)
	errTooDeep     = fmt.Errorf("the rules need look-ups that depend on earlier look-ups, more than %d times", MaxRounds)
)

// inquiry is a look-up or a question, shared by all rules of a decision.
type inquiry struct {
	lookup   *Lookup
	judgment *Judgment
	reader   *reader
	notion   bool // the question is of session.agreed() and the like
	recorded bool
	value    ref.Val           // nil until it is answered
	given    *Result           // of a look-up, as it came
	misfits  map[*guess]string // what in it is not as guessed
	err      error
}

// inquiries are the look-ups and questions of one decision. Rules ask while they are
// evaluated, and a missing answer is an unknown value of CEL: a rule that doesn't need
// it is decided. The others are evaluated again when everything that was asked for is
// answered. So independent look-ups run in parallel, and only those that a rule needs
// are made.
type inquiries struct {
	known   map[string]*inquiry
	ordered []*inquiry
	waiting []*inquiry
	closed  bool // no more may be added
}

// rounds evaluates until no rule is open.
func (x *evaluation) rounds(ctx context.Context, evaluate func() (open bool)) {
	if !evaluate() {
		return
	}

	if x.inquiring() {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, FactsTimeout)
		defer cancel()
	}
	for range MaxRounds {
		x.complete = x.complete || len(x.waiting) == 0
		x.answer(ctx)
		if !evaluate() {
			return
		}
	}

	for _, q := range x.waiting {
		q.err = errTooDeep
	}
	x.waiting, x.closed = nil, true
	evaluate() // decides every rule that is still open
}

// inquiring reports whether the decision may look things up and ask, beyond the
// recorded facts.
func (x *evaluation) inquiring() bool { return x.request.Recorded == nil || x.inquires }

// answer makes all waiting look-ups and asks all waiting questions.
func (x *evaluation) answer(ctx context.Context) {
	if !x.inquiring() {
		for _, q := range x.waiting {
			x.settle(ctx, q, "")
			x.missing = x.missing || errors.Is(q.err, errNotRecorded)
		}
		x.waiting = nil
		return
	}

	called := ""
	if x.request.Judge != nil && slices.ContainsFunc(x.waiting, func(q *inquiry) bool { return q.judgment != nil }) {
		called = x.called()
	}
	slots := make(chan struct{}, maxParallel)
	var wg sync.WaitGroup
	for _, q := range x.waiting {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			x.settle(ctx, q, called)
		})
	}
	wg.Wait()
	x.waiting = nil
}

// recorded answers a look-up at once by a recorded result, unless some recorded look-up
// failed: then rules are decided in rounds, as they were when it was made, so that one
// fails which asked for it.
func (x *evaluation) recorded(q *inquiry) bool {
	if q.lookup == nil || !x.sound || x.request.Recorded.lookup(q.lookup) != nil {
		return false
	}
	q.given = q.lookup.Result
	if q.value, q.err = q.decode(x.memo); q.err != nil {
		q.value, q.err, q.lookup.Result = nil, nil, nil // it is told in its round
		return false
	}
	q.recorded = true
	return true
}

// sound reports whether there are recorded look-ups, all were made and none failed.
func (f *Facts) sound() bool {
	return f != nil && len(f.Lookups) > 0 && !slices.ContainsFunc(f.Lookups, func(l Lookup) bool { return l.Error != "" || l.Result == nil })
}

// settle finds the answer of one inquiry about a call.
func (x *evaluation) settle(ctx context.Context, q *inquiry, called string) {
	if q.lookup != nil {
		x.settleLookup(ctx, q)
		return
	}

	j := q.judgment
	if q.err = x.recall(q, func(f *Facts) error { return f.judgment(j) }); errors.Is(q.err, errNotRecorded) && x.inquiring() {
		q.err = x.judge(ctx, j, q.notion, called)
	}
	if q.err != nil {
		j.Answer, j.Error = false, cut(q.err.Error(), MaxShown)
		return
	}
	q.value = types.Bool(j.Answer)
}

func (x *evaluation) settleLookup(ctx context.Context, q *inquiry) {
	l := q.lookup
	if q.err = x.recall(q, func(f *Facts) error { return f.lookup(l) }); errors.Is(q.err, errNotRecorded) && x.inquiring() {
		q.err = x.read(ctx, l)
	}
	if q.given = l.Result; q.err == nil {
		q.value, q.err = q.decode(x.memo)
	}
	switch {
	case q.err != nil:
		l.Result, l.Error = nil, cut(q.err.Error(), MaxShown)
	case len(l.Result.Structured) > 0:
		l.Result = &Result{Structured: l.Result.Structured, From: l.Result.From} // the text says the same
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
	err = errNoReader
	if x.request.Reader != nil {
		l.Result, err = x.request.Reader.Read(ctx, l.Server, l.Tool, l.Arguments)
	}
	if !errors.Is(err, ErrUnreached) && !errors.Is(err, errNoReader) {
		return err
	}

	told, missing := x.recollect(l)
	if missing != nil {
		return fmt.Errorf("%w, and %w", err, missing)
	}
	l.Result = told
	return nil
}

func (x *evaluation) judge(ctx context.Context, j *Judgment, notion bool, called string) (err error) {
	if x.request.Judge == nil {
		return errNoJudge
	}
	j.Answer, j.Evidence, err = x.request.Judge.Judge(ctx, Question{j.Question, j.Speaker, notion, called}, x.request.History)
	j.Evidence = cut(j.Evidence, maxQuestion)
	return err
}

// called returns the call as a judge is told of it.
func (x *evaluation) called() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", x.request.Tool, cut(string(x.request.Arguments), maxQuestion))
	records := x.lookedAll()
	for _, value := range x.talk().used() {
		if records.Know(value) && b.Len() < 2*maxQuestion {
			fmt.Fprintf(&b, "\n%s", records.Describe(value))
		}
	}
	return b.String()
}

func (q *inquiry) decode(m *remembered) (ref.Val, error) {
	r := q.given
	switch {
	case r == nil:
		return nil, errors.New("no result")
	case len(r.Content)+len(r.Structured) > MaxResult:
		return nil, fmt.Errorf("the result exceeds %d bytes", MaxResult)
	case !utf8.ValidString(r.Content):
		return nil, errors.New("the result is not UTF-8")
	}
	return m.value(r, q.reader.output)
}

// lookup fills in the recorded result.
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

// lookUp returns the result of a look-up, or an unknown value until there is one.
func (x *evaluation) lookUp(r *reader, args ref.Val) ref.Val {
	arguments, err := record.Encode(args)
	if err != nil {
		return x.fail(about(r.tool, err))
	}
	key := "tool\x00" + r.server + "\x00" + r.tool + "\x00" + string(arguments)
	v, err := x.inquiry(key, func() *inquiry {
		return &inquiry{reader: r, lookup: &Lookup{Server: r.server, Tool: r.tool, Arguments: arguments}}
	})

	guess := x.guesses[r.tool]
	if guess == nil {
		if err != nil {
			return x.fail(about(r.tool, err))
		}
		return v
	}
	if err == nil && !types.IsUnknown(v) {
		err = x.known[key].asGuessed(guess)
	}
	if err != nil {
		return x.fail(&unproven{r.tool, err})
	}
	return v
}

// asGuessed reports what in a result is not as it was guessed, or nil.
func (q *inquiry) asGuessed(g *guess) error {
	why, ok := q.misfits[g]
	if !ok {
		if q.misfits == nil {
			q.misfits = map[*guess]string{}
		}
		why = g.misfit(q.given)
		q.misfits[g] = why
	}
	if why == "" {
		return nil
	}
	return errors.New(why)
}

// ask returns the judge's answer, or an unknown value until there is one. The
// arguments are the question and, optionally, its speaker.
func (x *evaluation) ask(args []ref.Val) ref.Val {
	q := Judgment{Question: string(args[0].(types.String))}
	if len(q.Question) > maxQuestion {
		return x.fail(fmt.Errorf("the question exceeds %d bytes", maxQuestion))
	}
	if len(args) > 1 {
		if q.Speaker = EntryKind(args[1].(types.String)); !isSpeaker(q.Speaker) {
			return x.fail(errNoSpeaker)
		}
	}

	v, err := x.inquiry("judge\x00"+string(q.Speaker)+"\x00"+q.Question, func() *inquiry {
		return &inquiry{judgment: &q}
	})
	switch {
	case err == nil:
		return v
	case errors.Is(err, errTooMany), errors.Is(err, errTooDeep):
		return x.fail(about("judge", err))
	}
	return x.unclear("judge: " + err.Error())
}

// isSpeaker reports whether a question can be limited to the words of k.
func isSpeaker(k EntryKind) bool { return k == UserEntry || k == AssistantEntry }

// inquiry returns the answer of an inquiry by its key, and begins it if it is new.
func (x *evaluation) inquiry(key string, begin func() *inquiry) (ref.Val, error) {
	q, ok := x.known[key]
	switch {
	case !ok && x.closed:
		return nil, errTooDeep
	case !ok && len(x.known) >= MaxFacts:
		return nil, errTooMany
	case !ok:
		if x.known == nil {
			x.known = map[string]*inquiry{}
		}
		q = begin()
		x.known[key], x.ordered = q, append(x.ordered, q)
		if x.recorded(q) {
			return q.value, nil
		}
		x.waiting = append(x.waiting, q)
		return types.NewUnknown(0, nil), nil
	case q.err != nil:
		return nil, q.err
	case q.value == nil:
		return types.NewUnknown(0, nil), nil
	}

	return q.value, nil
}

// all returns the facts of the decision; nil if there are none.
func (x *evaluation) all() *Facts {
	return x.facts(func(*inquiry) bool { return true })
}

// fresh returns the facts that were not recorded before; nil if there are none.
func (x *evaluation) fresh() *Facts {
	return x.facts(func(q *inquiry) bool { return !q.recorded })
}

func (x *evaluation) facts(which func(*inquiry) bool) *Facts {
	if len(x.ordered) == 0 {
		return nil
	}
	f := &Facts{}
	for _, q := range x.ordered {
		switch {
		case !which(q):
		case q.lookup != nil:
			f.Lookups = append(f.Lookups, *q.lookup)
		default:
			f.Judgments = append(f.Judgments, *q.judgment)
		}
	}
	if len(f.Lookups)+len(f.Judgments) == 0 {
		return nil
	}
	return f
}

// With returns the facts followed by others; nil if there are none.
func (f *Facts) With(others *Facts) *Facts {
	switch {
	case others == nil:
		return f
	case f == nil:
		return others
	}
	return &Facts{slices.Concat(f.Lookups, others.Lookups), slices.Concat(f.Judgments, others.Judgments)}
}

// SameArguments reports whether two JSON objects have the same members, in any order.
func SameArguments(a, b json.RawMessage) bool {
	x, err := sorted(a)
	y, other := sorted(b)
	return err == nil && other == nil && x == y
}

func sorted(raw json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // floats would make some different numbers equal
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	text, err := json.Marshal(v) // members in the order of their names
	return string(text), err
}
