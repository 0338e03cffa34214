package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/store"
)

// answerLine matches a line that can only be an answer: a code, with a word of agreement before
// it and the numbers of calls after it. Apart from these it has only spaces and a closed
// list of marks: a word of another language may refuse.
var answerLine = pattern.OnUse("(?i)^[\\s`*_\"'.,:!()]*(?:(?:yes|ok|okay|agree|approve|confirm)[\\s`*_\"'.,:!()]+)?([a-z]{2}[0-9]{3})((?:[\\s,;]|and|all|[0-9])*)[\\s`*_\"'.,:!()]*$")

// maxAnswer bounds the turn that may have an answer, in bytes: a longer one has pasted text,
// which must not answer.
const maxAnswer = 4 << 10

// chosen returns what a line agrees to: all of the question, or the items whose numbers
// it has.
func (o *open) chosen(line string) agreed {
	m := answerLine().FindStringSubmatch(line)
	if m == nil || !strings.EqualFold(m[1], o.code) {
		return agreed{}
	}
	numbers := strings.FieldsFunc(strings.ToLower(m[2]), func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) > 0 && strings.Contains(strings.ToLower(m[2]), "all") {
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
	out := agreed{line: strings.TrimSpace(line), of: o}
	for n, picked := range pick {
		if picked || len(numbers) == 0 {
			out.items = append(out.items, n)
		}
	}
	return out
}

// agreed is what the user agrees to: items of a question, by their places.
type agreed struct {
	line  string // the answer
	of    *open
	items []int
}

func (a agreed) empty() bool { return len(a.items) == 0 }

// only returns the agreement to the items that a condition holds for.
func (a agreed) only(holds func(n int) bool) agreed {
	a.items = slices.DeleteFunc(slices.Clone(a.items), func(n int) bool { return !holds(n) })
	return a
}

// calls returns the calls that the user agrees to.
func (a agreed) calls() []*remit.Decision {
	var out []*remit.Decision
	for _, n := range a.items {
		if d := a.of.decision(n); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// agreedItem is an item of a question to which the user agreed.
type agreedItem struct {
	of *open
	n  int
	// used is set when a call of this telling of the conversation has it.
	used bool
}

// answered divides the user's own words into the answer to the question before them, and
// the rest. The event is that of the answer in a session that is kept.
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
		if !yes.empty() {
			known = c.agree(yes, known, met)
		}
		return strings.TrimSpace(strings.Join(slices.Delete(lines, i, i+1), "\n")), known, yes
	}
	return text, remit.Event{}, agreed{}
}

// agree takes an agreement in. A session that is kept remembers it: the event, unless the
// log has it. Any other one may be told again, and its calls take the agreement out of the
// question when they are proposed.
func (c *conversation) agree(yes agreed, known remit.Event, met bool) remit.Event {
	now := c.monitor.Now()
	yes.of.begin(now)
	if !c.keeps {
		for _, n := range yes.items {
			c.agreed = append(c.agreed, agreedItem{of: yes.of, n: n})
		}
		return remit.Event{}
	}
	if met {
		return known
	}

	fresh := yes.only(func(n int) bool { return yes.of.decision(n) != nil && yes.of.spend(n, now) })
	e, err := remit.Agree(yes.line, fresh.calls()...)
	if err != nil {
		return remit.Event{} // there is none
	}
	return e
}

// spend lets a call through that was held back, if the user agreed to it and no other call
// has come of that. What was passed on at this place of the conversation before has come
// of it.
func (c *conversation) spend(ctx context.Context, d *remit.Decision, passed bool) (*remit.Decision, error) {
	for i := range c.agreed {
		a := &c.agreed[i]
		shown := a.of.decision(a.n)
		if a.used || shown == nil || !sameCall(d, shown) {
			continue
		}
		var free bool
		if passed {
			free = a.of.had(a.n)
		} else {
			free = a.of.spend(a.n, c.monitor.Now())
		}
		if !free {
			continue
		}

		asked := *shown
		asked.Session, asked.Call = d.Session, d.Call
		after, err := c.session.ConfirmAsked(ctx, &asked, store.Once)
		if err != nil {
			return nil, err
		}
		if after.Verdict == remit.Allow {
			a.used = true
			return after, nil
		}
		if !passed {
			a.of.giveBack(a.n)
		}
	}
	return d, nil
}

// follow applies the user's agreement to plans of delegated sources, and returns what of the
// answer holds. A plan whose source has changed since authorises nothing. Beside is set where the
// answer comes with other words of the user's, which begin a turn.
func (c *conversation) follow(ctx context.Context, yes agreed, beside bool, log *slog.Logger) (agreed, error) {
	var failed error
	holds := yes.only(func(n int) bool {
		if yes.of.decision(n) != nil || failed != nil {
			return true
		}
		d := *yes.of.delegations[n]
		d.Beside = beside

		if !yes.of.spend(n, c.monitor.Now()) {
			return false
		}
		err := c.session.Delegate(ctx, &d, yes.line)
		switch {
		case err == nil:
			return true
		case errors.Is(err, remit.ErrNotDelegated), errors.Is(err, remit.ErrSourceChanged), errors.Is(err, remit.ErrPlanChanged), errors.Is(err, remit.ErrTurnPassed):
			log.Warn("the user agreed to a plan that doesn't hold any more", "session", c.id, "tool", d.Tool, "error", err)
		default:
			failed = err
		}
		return false
	})
	return holds, failed
}

// fresh returns what the model is still to make of the user's answer.
func (c *conversation) fresh() agreed {
	return c.told.only(func(n int) bool {
		return c.keeps || c.told.of.decision(n) == nil || c.told.of.free(n, c.monitor.Now())
	})
}

// agreement finds an answer to a question in the log. It comes without its event where the
// conversation is past that.
func (r *recorded) agreement(text string) (remit.Event, bool) {
	if r == nil || text == "" {
		return remit.Event{}, false
	}
	i := slices.IndexFunc(r.events, func(e remit.Event) bool {
		return (e.Kind == remit.AgreementEvent || e.Delegated != nil) && e.Text == text
	})
	if i < r.cursor {
		return remit.Event{}, i >= 0
	}
	return r.events[i], true
}

// toRepeat tells the model what the user agreed to: it may not remember the calls to the
// letter, and others would be held back again.
func toRepeat(yes agreed) string {
	var b strings.Builder
	b.WriteString("[Remit: ")
	for _, n := range yes.items {
		if yes.of.decision(n) != nil {
			continue
		}
		d := yes.of.delegations[n]
		source := "what " + display.Line(d.Tool) + " returned"
		if d.Call == "" {
			source = "what you proposed"
		}
		fmt.Fprintf(&b, "the user agreed to the plan of %s: make its calls now. ", source)
	}

	calls := yes.calls()
	if len(calls) > 0 {
		b.WriteString("the user agreed to these calls. Make each of them now, with exactly these arguments:")
	}
	for _, d := range calls {
		fmt.Fprintf(&b, "\n%s %s", display.Line(d.Tool), d.Arguments)
	}
	b.WriteString("]")
	return b.String()
}
