package proxy

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/sighting"
)

// A call that needs a person is held back until the model has ended its turn. Then one
// question about all of them goes to the user, below the model's words. The user answers
// in the next turn, with the question's code, and the model proposes the calls again.

const (
	// maxQuestion bounds the text of a question, in bytes: nobody reads more. Calls
	// that don't fit stay denied.
	maxQuestion = 24 << 10
	// maxQuestions and maxQuestionWeight bound the questions that are kept in each of
	// two generations, by number and by the bytes of their calls' arguments.
	maxQuestions, maxQuestionWeight = 1 << 14, 16 << 20
)

// open is a question that a conversation's last answer ended with. It is immutable.
type open struct {
	// code tells the question from others, and that the user has seen it: there is none
	// before the model has ended its turn.
	code string
	// delegations and shown are the items of the question, in their order.
	delegations []*remit.Delegation
	shown       []*remit.Decision
}

// items counts what the question is about.
func (o *open) items() int { return len(o.delegations) + len(o.shown) }

// agreed is what the user agrees to.
type agreed struct {
	line        string // the answer
	delegations []*remit.Delegation
	shown       []*remit.Decision
}

func (a agreed) empty() bool { return len(a.delegations)+len(a.shown) == 0 }

// questions are those that were put, by the answers that they ended.
type questions struct {
	mu  sync.Mutex
	put recent[*open]
}

func (q *questions) add(answer hash, o *open) {
	weight := 0
	for _, d := range o.shown {
		weight += len(d.Arguments)
	}
	for _, d := range o.delegations {
		weight += len(d.Text) + len(d.Plan)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put.put(answer.short(), o, weight)
}

// get returns the question that an answer ended with; nil for none.
func (q *questions) get(answer hash) *open {
	q.mu.Lock()
	defer q.mu.Unlock()
	o, _ := q.put.get(answer.short())
	return o
}

// asks reports whether the user is asked in the conversation.
func (o *Options) asks() bool { return o.Approver == nil && !o.Shadow && !o.NoQuestions }

// heldText tells the model of a call that the user is asked about.
func heldText(d *remit.Decision) string {
	return d.Explain() + "The user is asked about it when your turn ends. Propose now whatever else the request needs, so that the user is asked once; don't propose this call again before the user has answered.\n"
}

// hold notes the calls of an answer that the user is to be asked about. A call that was
// allowed takes the place of those that the model had tried with the same tool before.
func (c *conversation) hold(a *answer) {
	for i, f := range a.fate {
		if f.denial == "" {
			c.held = slices.DeleteFunc(c.held, func(d *remit.Decision) bool { return d.Tool == a.calls[i].tool })
		}
	}
	for _, f := range a.fate {
		if f.held == nil {
			continue
		}
		c.held = slices.DeleteFunc(c.held, func(d *remit.Decision) bool { return sameCall(d, f.held) })
		if len(c.held) < remit.MaxAgreed {
			c.held = append(c.held, f.held)
		}
	}
}

func sameCall(a, b *remit.Decision) bool {
	return a.Server == b.Server && a.Tool == b.Tool && a.Variant == b.Variant && string(a.Arguments) == string(b.Arguments)
}

// ask puts the question about the calls that were held back at the end of an answer by
// which the model ends its turn. Where the user told the agent to follow what a source
// says, the question is about the plan that is made of it, in place of the calls that the
// plan covers.
func (x *exchange) ask(ctx context.Context, a *answer) {
	c := x.c
	if len(c.held) == 0 || a.cut || a.denied() < len(a.calls) || json.Valid([]byte(words(a.text))) {
		return // the turn goes on, or a program reads the answer
	}
	q := &asking{x: x, o: &open{}}
	q.delegations(ctx)
	for _, d := range c.held {
		q.call(ctx, d)
	}
	o := q.o
	if o.items() == 0 {
		return
	}

	for i := range a.fate {
		f := &a.fate[i]
		f.asked = f.held != nil && (slices.ContainsFunc(o.shown, func(d *remit.Decision) bool { return sameCall(d, f.held) }) || q.covered[f.held])
	}
	o.code = codeOf(x.spoken, q.list)
	c.held, c.open, a.question = nil, o, o.text(q.list)
	x.p.o.Log.Info("the user is asked", "session", c.id, "calls", len(o.shown), "delegations", len(o.delegations))
}

// asking is a question in the making.
type asking struct {
	x     *exchange
	o     *open
	asked []sighting.Asked
	// list is what is shown, of which plans come first.
	list  string
	plans string
	// covered are held calls that a plan of the question covers.
	covered map[*remit.Decision]bool
}

// delegations adds the plans of delegated sources, and what is to be said of those that
// have none.
func (q *asking) delegations(ctx context.Context) {
	s, log := q.x.c.session, q.x.p.o.Log
	list, err := s.Delegated(ctx)
	if err != nil {
		log.Warn("what the user delegates could not be planned", "session", q.x.c.id, "error", err)
		return
	}

	q.covered = map[*remit.Decision]bool{}
	for _, d := range list {
		if d.Failed != "" {
			log.Info("a delegated source has no plan", "session", q.x.c.id, "tool", d.Tool, "why", d.Failed)
		}
		q.delegation(ctx, d)
	}
	q.list = q.plans
}

// delegation adds one source. What the assistant proposed counts only where its plan is
// about a call that was held back: the user may have meant something else.
func (q *asking) delegation(ctx context.Context, d *remit.Delegation) {
	var covered []*remit.Decision
	for _, held := range q.x.c.held {
		if ok, err := q.x.c.session.Covers(ctx, d, held); err == nil && ok {
			covered = append(covered, held)
		}
	}
	if d.Call == "" && len(covered) == 0 {
		return
	}

	text := question.Delegation(d)
	if d.Scope != nil {
		text = fmt.Sprintf("%d. %s", len(q.o.delegations)+1, text)
	}
	if len(q.plans)+len(text) > maxQuestion {
		return
	}
	q.plans += text + "\n"
	if d.Scope == nil {
		return
	}
	q.o.delegations = append(q.o.delegations, d)
	for _, held := range covered {
		q.covered[held] = true
	}
}

// call adds a call that was held back, if the question can show all of it.
func (q *asking) call(ctx context.Context, d *remit.Decision) {
	if q.covered[d] || !question.Complete(d) || q.o.items() == remit.MaxAgreed {
		return
	}
	places, err := sighting.Of(ctx, q.x.c.session, d)
	if err != nil {
		q.x.p.o.Log.Warn("where the values come from could not be told", "call", d.Call, "tool", d.Tool, "error", err)
	}
	alone := *d
	alone.Server = "" // the model's tools have no other name
	asked := append(q.asked, sighting.Asked{Decision: &alone, Places: places})
	list := q.plans + question.List(len(q.o.delegations)+1, asked)
	if len(list) > maxQuestion {
		return
	}
	q.asked, q.list = asked, list
	q.o.shown = append(q.o.shown, d)
}

// text is what the user reads. Nothing in it is rendered: the list is a block of code,
// whose lines all begin with words of ours or a quotation mark.
func (o *open) text(list string) string {
	var b strings.Builder
	b.WriteString("Remit asks you before this is done. What is in quotes was written by the model or by others; nothing else in the block was.\n\n")
	b.WriteString(codeFence + "text\n" + list + codeFence + "\n\n")
	if n := o.items(); n > 1 {
		fmt.Fprintf(&b, "To agree to all %d, answer: yes %s\nTo agree to some of them, add their numbers: yes %s 1 %d\n", n, o.code, o.code, n)
	} else {
		fmt.Fprintf(&b, "To agree, answer: yes %s\n", o.code)
	}
	b.WriteString("Whatever else you answer, nothing of it is done.")
	return b.String()
}

// codeOf returns two letters and three digits, which is no word and quickly typed. They
// follow from the conversation and the question, so that the same request has the same
// answer; nobody who writes into the conversation knows all of it.
func codeOf(spoken hash, list string) string {
	const letters = "abcdefghjkmnpqrstuvwxyz"
	h := hashParts(spoken[:], []byte("question"), []byte(list))
	return fmt.Sprintf("%c%c%03d", letters[int(h[0])%len(letters)], letters[int(h[1])%len(letters)], binary.BigEndian.Uint32(h[2:])%1000)
}

// answerLine matches a line that can only be an answer: a code, with a word of agreement
// before it and the numbers of calls behind it. Nothing else may stand beside them but
// spaces and a closed list of marks: a word of another language may refuse.
var answerLine = regexp.MustCompile("(?i)^[\\s`*_\"'.,:!()]*(?:(?:yes|ok|okay|agree|approve|confirm)[\\s`*_\"'.,:!()]+)?([a-z]{2}[0-9]{3})((?:[\\s,;]|and|all|[0-9])*)[\\s`*_\"'.,:!()]*$")

// maxAnswer bounds the turn that may have an answer, in bytes: nobody types that much
// beside one, and text that was pasted must not answer.
const maxAnswer = 4 << 10

// chosen returns what a line agrees to: all of the question, or the items whose numbers
// it has.
func (o *open) chosen(line string) agreed {
	m := answerLine.FindStringSubmatch(line)
	if m == nil || !strings.EqualFold(m[1], o.code) {
		return agreed{}
	}
	numbers := strings.FieldsFunc(strings.ToLower(m[2]), func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) == 0 {
		return agreed{strings.TrimSpace(line), o.delegations, o.shown}
	}
	if strings.Contains(strings.ToLower(m[2]), "all") {
		return agreed{} // all, or some?
	}

	pick := make([]bool, o.items())
	for _, text := range numbers {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(pick) {
			return agreed{}
		}
		pick[n-1] = true
	}
	out := agreed{line: strings.TrimSpace(line)}
	for i, picked := range pick {
		switch at := i - len(o.delegations); {
		case !picked:
		case at < 0:
			out.delegations = append(out.delegations, o.delegations[i])
		default:
			out.shown = append(out.shown, o.shown[at])
		}
	}
	return out
}

// answered divides the user's own words into the answer to the question before them, and
// the rest. The event is that of the agreement to calls; there is none where they agree to
// none.
func (c *conversation) answered(text string) (rest string, e remit.Event, yes agreed) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		known, met := c.log.agreement(strings.TrimSpace(line))
		if c.open != nil && len(text) <= maxAnswer {
			yes = c.open.chosen(line)
		}
		if yes.empty() && !met {
			continue
		}
		if e = known; len(yes.shown) > 0 {
			var err error
			if e, err = remit.Agree(yes.line, yes.shown...); err != nil {
				continue
			}
		}
		return strings.TrimSpace(strings.Join(slices.Delete(lines, i, i+1), "\n")), e, yes
	}
	return text, remit.Event{}, agreed{}
}

// follow takes the user's agreement to plans of delegated sources in. A plan whose source
// has changed since authorises nothing.
func (c *conversation) follow(ctx context.Context, yes agreed, log *slog.Logger) error {
	for _, d := range yes.delegations {
		err := c.session.Delegate(ctx, d, yes.line)
		switch {
		case errors.Is(err, remit.ErrNotDelegated), errors.Is(err, remit.ErrSourceChanged), errors.Is(err, remit.ErrTurnPassed):
			log.Warn("the user agreed to a plan that doesn't hold any more", "session", c.id, "tool", d.Tool, "error", err)
		case err != nil:
			return err
		}
	}
	return nil
}

// agreement finds an answer to a question in the log.
func (r *recorded) agreement(text string) (remit.Event, bool) {
	if r == nil || text == "" {
		return remit.Event{}, false
	}
	i := slices.IndexFunc(r.events[r.cursor:], func(e remit.Event) bool {
		return (e.Kind == remit.AgreementEvent || e.Delegated != nil) && e.Text == text
	})
	if i < 0 {
		return remit.Event{}, false
	}
	return r.events[r.cursor+i], true
}

// toRepeat tells the model what the user agreed to: it may not remember the calls to the
// letter, and others would be held back again.
func toRepeat(yes agreed) string {
	var b strings.Builder
	b.WriteString("[Remit: ")
	for _, d := range yes.delegations {
		source := "what " + display.Line(d.Tool) + " returned"
		if d.Call == "" {
			source = "what you proposed"
		}
		fmt.Fprintf(&b, "the user agreed to the plan of %s: make its calls now. ", source)
	}
	if len(yes.shown) > 0 {
		b.WriteString("the user agreed to these calls. Make each of them now, with exactly these arguments:")
	}
	for _, d := range yes.shown {
		fmt.Fprintf(&b, "\n%s %s", display.Line(d.Tool), d.Arguments)
	}
	b.WriteString("]")
	return b.String()
}
