package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/ledger"
)

// conversation is a session of user and agent, one call of which is judged.
type conversation struct {
	ID     string
	Expect string
	Now    time.Time
	Given  []caseFixture
	Events []conversationEvent
}

// conversationEvent is what the user or the agent said, or a call.
type conversationEvent struct {
	User, Assistant *string
	Call            string
	Args            json.RawMessage
	// Result is what the call returned; without it, what the records have.
	Result json.RawMessage
	// Parallel is set where the call's result never came.
	Parallel bool
	// Judge marks the call that is judged, the last event.
	Judge bool
}

// ConversationReport says how the rules decide the judged calls of conversations. Rates count
// those that can be measured: of which every result is known.
type ConversationReport struct {
	// Passed is the share of conversations to be allowed whose call no rule stops. Of
	// those that don't pass, Asked counts the ones that a rule only asks about, and Unproven those
	// that it asks about for a look-up that isn't as it was guessed.
	Passed          Rate
	Asked, Unproven int
	// Denied is the share of conversations to be denied whose call a rule denies. Of the
	// others, Held counts the ones that are stopped in another way, such as by asking.
	Denied Rate
	Held   int
	// Words counts the allowed calls that are denied by rules which hang on what was
	// said, and by no other.
	Words int
	// Questions counts what the words of conversations leave to a judge.
	Questions int
	// Open are conversations without an expected verdict.
	Open []CaseMiss
	// Unmeasured are the conversations with calls whose results are unknown: rules that look
	// up the same can't decide.
	Unmeasured []Unmeasured
	// Wrong are those that were decided otherwise.
	Wrong []CaseMiss
}

// Unmeasured is a conversation that can't be measured, with the calls without a result.
type Unmeasured struct {
	Conversation string   `json:"conversation"`
	Unknown      []string `json:"unknown"`
}

// readConversations reads DIR/conversations*.jsonl; none where there are no such files.
func readConversations(dir string) ([]conversation, error) {
	names, err := find(dir, "conversations", ".jsonl")
	if errors.Is(err, errNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	var out []conversation
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(f)
		for d.More() {
			var c conversation
			if err = d.Decode(&c); err != nil {
				break
			}
			out = append(out, c)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s, conversation %d: %w", name, len(out)+1, err)
		}
	}

	for _, c := range out {
		if n := len(c.Events); n == 0 || !c.Events[n-1].Judge || c.Events[n-1].Call == "" {
			return nil, fmt.Errorf("the conversation %q must end with the call that is judged", c.ID)
		}
	}
	return out, nil
}

// playConversations decides the judged calls of conversations.
func (m *guardMeasure) playConversations(ctx context.Context, all []conversation, known *records) error {
	if len(all) == 0 {
		return nil
	}
	r := &ConversationReport{}
	for i := range all {
		c := &all[i]
		counted := &counter{judge: m.rig.judge}
		d, unknown, err := m.rig.play(ctx, c, known, counted, m.finding)
		if err != nil {
			return fmt.Errorf("conversation %s: %w", c.ID, err)
		}
		r.Questions += int(counted.n.Load())

		if len(unknown) > 0 {
			r.Unmeasured = append(r.Unmeasured, Unmeasured{c.ID, unknown})
			continue
		}
		r.add(c, dropContractReasons(d), m)
	}
	m.report.Conversations = r
	return nil
}

func (r *ConversationReport) add(c *conversation, d *remit.Decision, m *guardMeasure) {
	found := m.finding(d)
	last := c.Events[len(c.Events)-1]
	miss := CaseMiss{Case: c.ID, Tool: last.Call, Want: remit.Verdict(c.Expect), Got: d.Verdict}
	for _, reason := range d.Reasons {
		if reason.Policy != "" {
			miss.Policies = append(miss.Policies, reason.Policy)
		}
		miss.Why = append(miss.Why, reason.Message)
	}
	slices.Sort(miss.Policies)

	right := false
	switch remit.Verdict(c.Expect) {
	case remit.Allow:
		right = found == nothing && d.Verdict != remit.Deny
		r.Passed.add(right)
		switch found {
		case asked:
			r.Asked++
		case unproven:
			r.Unproven++
		}
		if m.onWords(d) {
			r.Words++
		}
	case remit.Deny:
		right = found == denied
		r.Denied.add(right)
		if !right && found != nothing {
			r.Held++
		}
	default:
		r.Open = append(r.Open, miss)
		return
	}
	if !right {
		r.Wrong = append(r.Wrong, miss)
	}
}

// onWords reports whether a call is denied, and only by rules that hang on what was said.
func (m *guardMeasure) onWords(d *remit.Decision) bool {
	some := false
	for _, r := range d.Reasons {
		if r.Verdict != remit.Deny {
			continue
		}
		if !m.words[r.Guard] {
			return false
		}
		some = true
	}
	return some
}

// play feeds a conversation to a session, and decides its last call. A call that a rule
// stops has no result. It also returns the calls whose results are unknown.
func (g *guardRig) play(ctx context.Context, c *conversation, known *records, judge guard.Judge, finding func(*remit.Decision) finding) (*remit.Decision, []string, error) {
	given, err := guardtest.Request((&guardCase{Given: c.Given, Args: json.RawMessage("{}")}).example())
	if err != nil {
		return nil, nil, err
	}
	reader := lookups{given.Reader, known}
	if g.airline != nil {
		reader.known = lookups{known, bareReader{g.airline.Fork(), g.scope.Tools}}
	}
	monitor, err := remit.New(remit.Options{Tools: g.scope.Tools, Contracts: g.scope.Contracts, Guards: g.guards, Reader: reader,
		Judge: judges{given.Judge, judge}, Now: func() time.Time { return c.Now }})
	if err != nil {
		return nil, nil, err
	}

	session := ledger.Begin(monitor, "conversation")
	var unknown []string
	for i, e := range c.Events {
		switch {
		case e.User != nil:
			err = session.User(ctx, *e.User)
		case e.Assistant != nil:
			err = session.Assistant(ctx, *e.Assistant)
		case e.Judge:
			d, err := session.Decide(ctx, remit.Call{ID: fmt.Sprint(i), Tool: e.Call, Arguments: e.arguments()})
			return d, unknown, err
		default:
			err = g.call(ctx, session, fmt.Sprint(i), &e, reader, finding)
		}
		switch {
		case errors.Is(err, guardtest.ErrNotGiven):
			unknown = append(unknown, fmt.Sprintf("%s %s", e.Call, e.arguments()))
		case err != nil:
			return nil, nil, err
		}
	}
	return nil, nil, errors.New("there is no call to judge")
}

func (e *conversationEvent) arguments() json.RawMessage {
	if len(e.Args) == 0 {
		return json.RawMessage("{}")
	}
	return e.Args
}

// call makes a call before the one that is judged. Its error is [guardtest.ErrNotGiven] if the
// call's result is unknown.
func (g *guardRig) call(ctx context.Context, session *ledger.Session, id string, e *conversationEvent, reader guard.Reader, finding func(*remit.Decision) finding) error {
	d, err := session.Decide(ctx, remit.Call{ID: id, Tool: e.Call, Arguments: e.arguments()})
	if err != nil || e.Parallel || finding(dropContractReasons(d)) != nothing {
		return err
	}

	result := remit.Result{Call: id}
	if len(e.Result) > 0 {
		r := guard.ResultOf(e.Result)
		result.Content, result.Structured = r.Content, r.Structured
		return session.Result(ctx, result)
	}
	found, err := reader.Read(ctx, "", e.Call, e.arguments())
	switch {
	case err == nil:
		result.Content, result.Structured = found.Content, found.Structured
	case errors.Is(err, guardtest.ErrNotGiven):
		return err
	default:
		result.Content = "Error: " + err.Error()
	}
	return session.Result(ctx, result)
}

// records are what look-ups return, as the files of a data set have it.
type records struct{ found map[string]caseFixture }

// readRecords collects what look-ups find: what all cases give, the files of the data set, and
// further ones, each file or directory given by name. The later ones count, since a case may give
// what it changed before.
func readRecords(dir string, cases []guardCase, further []string) (*records, error) {
	r := &records{found: map[string]caseFixture{}}
	for i := range cases {
		for _, f := range cases[i].Given {
			r.add(f)
		}
	}

	own, err := recordFiles(dir)
	if err != nil && !errors.Is(err, errNotFound) {
		return nil, err
	}
	files := own
	for _, name := range further {
		some := []string{name}
		if inputs.IsDir(name) {
			if some, err = recordFiles(name); err != nil {
				return nil, err
			}
		}
		files = append(files, some...)
	}

	for _, name := range files {
		add := func(f caseFixture) error { r.add(f); return nil }
		if err := readLines(name, add); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// recordFiles returns the files of a directory that say what look-ups find.
func recordFiles(dir string) ([]string, error) { return find(dir, "records", ".jsonl") }

func (r *records) add(f caseFixture) {
	if f.Tool != "" && f.Args != nil {
		r.found[f.Tool+" "+string(canonical(f.Args))] = f
	}
}

// canonical is JSON by which equal arguments are found.
func canonical(arguments json.RawMessage) json.RawMessage {
	doc, err := strictjson.Parse(arguments, strictjson.DefaultLimits())
	if err != nil {
		return arguments
	}
	return doc.Canonical()
}

// Read implements [guard.Reader].
func (r *records) Read(_ context.Context, _, tool string, arguments json.RawMessage) (*guard.Result, error) {
	f, ok := r.found[tool+" "+string(canonical(arguments))]
	switch {
	case !ok:
		return nil, guardtest.ErrNotGiven
	case f.Error != "":
		return nil, errors.New(f.Error)
	}
	return guard.ResultOf(f.Result), nil
}

// judges answers from the case first, and then asks the other judge; nil for none.
type judges struct{ given, other guard.Judge }

// Judge implements [guard.Judge].
func (j judges) Judge(ctx context.Context, q guard.Question, s *guard.History) (bool, string, error) {
	yes, evidence, err := j.given.Judge(ctx, q, s)
	if j.other != nil && errors.Is(err, guardtest.ErrNotGiven) {
		return j.other.Judge(ctx, q, s)
	}
	return yes, evidence, err
}

// counter counts the questions to a judge, who may be missing.
type counter struct {
	judge guard.Judge
	n     atomic.Int64
}

// Judge implements [guard.Judge].
func (c *counter) Judge(ctx context.Context, q guard.Question, s *guard.History) (bool, string, error) {
	c.n.Add(1)
	if c.judge == nil {
		return false, "", guardtest.ErrNotGiven
	}
	return c.judge.Judge(ctx, q, s)
}
