package proxy

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/sighting"
)

// A call that needs a person is held back until the model has ended its turn. Then one
// question about all of them goes to the user, below the model's words. The user answers
// in the next turn, with the question's code, and the model proposes the calls again.

const (
	// maxQuestion bounds the text of a question, in bytes: a person won't read more. Calls that
	// don't fit stay denied.
	maxQuestion = 24 << 10
	// maxQuestions and maxQuestionWeight bound the questions that are kept in each of
	// two generations, by number and by the bytes of their calls' arguments.
	maxQuestions, maxQuestionWeight = 1 << 14, 16 << 20
)

// open is a question that a conversation's last answer ended with.
type open struct {
	// code identifies the question, and shows that the user has seen it: there is none before the
	// model has ended its turn.
	code string
	// delegations and shown are the items of the question, in their order.
	delegations []*remit.Delegation
	shown       []*remit.Decision
	*effect
}

// items counts what the question is about.
func (o *open) items() int { return len(o.delegations) + len(o.shown) }

// decision returns the call of an item; nil for a delegation.
func (o *open) decision(n int) *remit.Decision {
	if n < len(o.delegations) {
		return nil
	}
	return o.shown[n-len(o.delegations)]
}

// weight is about how much memory a question takes, in bytes.
func (o *open) weight() int {
	weight := 0
	for _, d := range o.shown {
		weight += len(d.Arguments)
	}
	for _, d := range o.delegations {
		weight += len(d.Text) + len(d.Plan)
	}
	return weight
}

// effect is what has come of a question. A client may tell the same conversation any
// number of times, and leave out what followed from the answer: each item has its effect
// once all the same.
type effect struct {
	// nth distinguishes the question from earlier ones that read the same.
	nth int

	mu sync.Mutex
	// since is when the user first agreed to any of the items; zero before.
	since time.Time
	// spent are the items, by their place, that have had their effect.
	spent [remit.MaxAgreed]bool
}

// begin notes that the user agreed to something, at a time.
func (e *effect) begin(now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.since.IsZero() {
		e.since = now
	}
}

// begun reports whether the user agreed to something.
func (e *effect) begun() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.since.IsZero()
}

// free reports whether an item may have its effect.
func (e *effect) free(n int, now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.spent[n] && now.Before(e.since.Add(discharge.ConfirmationLife))
}

// spend takes an item, once, and reports whether it was free.
func (e *effect) spend(n int, now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.spent[n] || !now.Before(e.since.Add(discharge.ConfirmationLife)) {
		return false
	}
	e.spent[n] = true
	return true
}

// had reports whether an item has had its effect.
func (e *effect) had(n int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spent[n]
}

// giveBack frees an item that was taken and had no effect.
func (e *effect) giveBack(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spent[n] = false
}

// questions are those that were put: by the answers that they ended, and the last one by
// its place in a conversation and what it shows.
type questions struct {
	mu          sync.Mutex
	put, places recent[*open]
}

// begin gives a question its code. The same request has the same question until the user agrees
// to it: after that it needs an answer of its own.
func (q *questions) begin(spoken hash, list string, o *open) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o.effect = &effect{}
	place := hashParts(spoken[:], []byte(list)).short()
	before, ok := q.places.get(place)
	switch {
	case ok && before.begun():
		o.nth = before.nth + 1
	case ok:
		o.effect = before.effect
	}
	o.code = codeOf(spoken, list, o.nth)
	q.places.put(place, o, o.weight())
}

// add keeps the question that an answer ended with, unless another one with that answer
// has taken effect already.
func (q *questions) add(answer hash, o *open) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if before, ok := q.put.get(answer.short()); ok && before.begun() && before.effect != o.effect {
		return
	}
	q.put.put(answer.short(), o, o.weight())
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

	ends, ok := closing(x.above(a))
	if !ok {
		for i := range a.fate {
			a.fate[i].asked = false
		}
		x.p.o.Log.Warn("nobody is asked, because the model's text could hide the question", "session", c.id)
		return
	}
	x.p.questions.begin(x.spoken, q.list, o)
	c.held, c.open, a.question = nil, o, appendNotes(ends, []string{o.text(q.list)})
	x.p.o.Log.Info("the user is asked", "session", c.id, "calls", len(o.shown), "delegations", len(o.delegations))
}

// above returns what the client shows above the question of an answer.
func (x *exchange) above(a *answer) string {
	shown := []*answer{a}
	if x.stream != nil {
		shown = x.tries
	}
	var texts []string
	for _, t := range shown {
		texts = append(texts, t.text...)
	}
	return strings.Join(append(texts, a.notes()...), "\n\n")
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

// delegation adds one source. A proposal of the assistant's counts only if its plan is
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

// text returns what the user reads. Nothing in it is rendered: the list is a block of code, whose
// lines all begin with words of ours or a quotation mark.
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

// codeOf returns two letters and three digits, which is not a word and quickly typed. They follow
// from the conversation and the question, so that the same request has the same code; an attacker
// who writes into the conversation doesn't know all of it.
func codeOf(spoken hash, list string, nth int) string {
	const letters = "abcdefghjkmnpqrstuvwxyz"
	h := hashParts(spoken[:], []byte("question"+strings.Repeat(" again", nth)), []byte(list))
	return fmt.Sprintf("%c%c%03d", letters[int(h[0])%len(letters)], letters[int(h[1])%len(letters)], binary.BigEndian.Uint32(h[2:])%1000)
}
