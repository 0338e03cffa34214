package console

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/store"
)

// span is a time that the overview looks back on, in steps.
type span struct {
	Name string
	Back time.Duration
	Step time.Duration
}

var spansOfTime = []span{{"hour", time.Hour, 2 * time.Minute}, {"day", 24 * time.Hour, time.Hour}, {"week", 7 * 24 * time.Hour, 6 * time.Hour}, {"month", 30 * 24 * time.Hour, 24 * time.Hour}}

// overviewPage is what happened lately, in numbers.
type overviewPage struct {
	Span  span
	Spans []span
	Now   time.Time
	// Calls are decisions on proposed calls by verdict, and Agreed those of calls that a
	// person let through.
	Calls  verdicts
	Agreed int
	Bars   []bar
	// Most is the height of the chart, and Half that of the line in its middle.
	Most, Half int
	Tools      []toolCount
	// Causes are why calls were stopped, and Stops which calls that were, by tool and cause.
	Causes []causeCount
	Stops  []stopCount
	// Capped is set when only the last stopped calls were looked at for their causes.
	Capped bool
	Waits  waitCount
	Took   tookCount
	// Audit is what a check of the audit log has found just now; nil where nobody asked for
	// it. Last is what the check before found; nil where there was none.
	Audit *store.Report
	Last  *store.Verification
	Check bool
}

// verdicts counts decisions. Shadow are those that would have stopped their calls, where
// decisions are recorded and not enforced.
type verdicts struct{ Allow, Ask, Deny, Shadow int }

// All is their sum.
func (v verdicts) All() int { return v.Allow + v.Ask + v.Deny + v.Shadow }

// Stopped are the calls that did not simply run, or would not have.
func (v verdicts) Stopped() int { return v.Ask + v.Deny + v.Shadow }

func (v *verdicts) add(verdict remit.Verdict, shadow bool, n int) {
	switch {
	case verdict == remit.Allow:
		v.Allow += n
	case shadow:
		v.Shadow += n
	case verdict == remit.Ask:
		v.Ask += n
	case verdict == remit.Deny:
		v.Deny += n
	}
}

// toolCount counts the calls of a tool.
type toolCount struct {
	verdicts
	Server, Tool string
}

// causeCount counts the reasons of one kind why calls were stopped.
type causeCount struct {
	verdicts
	Code  remit.Code
	Words string
}

// stopCount counts the calls of a tool that one kind of reason stopped.
type stopCount struct {
	causeCount
	Server, Tool string
}

// waitCount says how long questions waited for a person.
type waitCount struct {
	Answered, Approved, Expired int
	Half, Most                  time.Duration // of those that were answered: the median, and the 95th of a hundred
	Slots                       []slot
}

// tookCount says how long decisions took.
type tookCount struct {
	N int
	// Half is the median, and Most the 99th of a hundred.
	Half, Most time.Duration
	Slots      []slot
	// Capped is set when only the last of them were looked at.
	Capped bool
}

// causes says in words why calls are stopped.
var causes = map[remit.Code]string{
	remit.BelowFloor: "a value that the user didn't choose", remit.ForbiddenOrigin: "a value of a forbidden origin", remit.OpenObligation: "an obligation that nothing discharged",
	remit.GroupBelowFloor: "arguments that make one value together", remit.ExternalSink: "an address from outside, in a call that sends", remit.OutsideScope: "an effect that the scope doesn't cover",
	remit.Unprovoked: "an effect that the user didn't ask for", remit.UnknownTool: "a tool without a contract", remit.UnknownArgument: "an argument that the schema doesn't list",
	remit.ChangedTool: "a changed definition", remit.UnknownVariant: "a verb without a contract", remit.InvalidArguments: "arguments that don't fit the schema",
	remit.LimitReached: "a bound of the monitor", remit.PolicyViolation: "a policy of the company", remit.GuardFailed: "a policy that could not be decided",
}

// maxTools is how many tools the overview lists, and how many pairs of tool and cause.
const maxTools = 20

func (c *Console) overview(ctx context.Context, v *visit) (outcome, error) {
	page := overviewPage{Spans: spansOfTime, Span: spansOfTime[2], Check: v.who.May(access.AuditRead), Now: c.o.Now()}
	for _, s := range spansOfTime {
		if s.Name == v.FormValue("last") {
			page.Span = s
		}
	}
	since := page.Now.Add(-page.Span.Back).Truncate(page.Span.Step)
	counts, err := c.o.Store.Tally(ctx, v.whose(), since, page.Span.Step)
	if err != nil {
		return outcome{}, err
	}
	page.count(counts, since)

	stopped, err := c.o.Store.Stopped(ctx, v.whose(), since, store.MaxPage)
	if err != nil {
		return outcome{}, err
	}
	page.Causes, page.Stops = causesOf(stopped)
	page.Capped = len(stopped) == store.MaxPage
	waits, err := c.o.Store.Waits(ctx, v.whose(), since, store.MaxPage)
	if err != nil {
		return outcome{}, err
	}
	page.Waits = waitsOf(waits)
	times, err := c.o.Store.Took(ctx, v.whose(), since, store.MaxTimes)
	if err != nil {
		return outcome{}, err
	}
	page.Took = tookOf(times)
	if err := page.audit(ctx, v); err != nil {
		return outcome{}, err
	}
	return outcome{page: "overview", frame: frame{Title: "Overview", View: "overview", Body: page}}, nil
}

// audit says when the audit log was verified, and verifies it for who asks for it.
func (p *overviewPage) audit(ctx context.Context, v *visit) (err error) {
	if !p.Check {
		return nil
	}
	if v.FormValue("verify") != "" {
		p.Audit, err = v.c.o.Store.Verify(ctx)
		return err
	}
	last, err := v.c.o.Store.Verified(ctx)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	p.Last = &last
	return nil
}

// count fills the chart and the list of tools.
func (p *overviewPage) count(counts []store.Count, since time.Time) {
	p.Bars = barsOf(since, p.Now, p.Span.Step)
	tools := map[[2]string]*toolCount{}
	for _, n := range counts {
		if n.Confirms {
			if n.Verdict == remit.Allow {
				p.Agreed += n.N
			}
			continue // the call was counted when it was proposed
		}
		p.Calls.add(n.Verdict, n.Shadow, n.N)
		if i := int(n.Step.Sub(since) / p.Span.Step); i >= 0 && i < len(p.Bars) {
			p.Bars[i].add(n.Verdict, n.Shadow, n.N)
			p.Most = max(p.Most, p.Bars[i].All())
		}
		key := [2]string{n.Server, n.Tool}
		if tools[key] == nil {
			tools[key] = &toolCount{Server: n.Server, Tool: n.Tool}
		}
		tools[key].add(n.Verdict, n.Shadow, n.N)
	}

	p.Most = roundUp(p.Most)
	p.Half = p.Most / 2
	for i := range p.Bars {
		p.Bars[i].stack(p.Most)
	}
	for _, t := range tools {
		p.Tools = append(p.Tools, *t)
	}
	slices.SortFunc(p.Tools, func(a, b toolCount) int {
		return cmp.Or(cmp.Compare(b.Stopped(), a.Stopped()), cmp.Compare(b.Allow, a.Allow), cmp.Compare(a.Server+a.Tool, b.Server+b.Tool))
	})
	p.Tools = p.Tools[:min(len(p.Tools), maxTools)]
}

// causesOf counts the reasons of stopped calls by their kind, each once a call, and by tool
// and kind.
func causesOf(stopped []store.Record) ([]causeCount, []stopCount) {
	all, tools := map[remit.Code]*causeCount{}, map[[3]string]*stopCount{}
	for _, r := range stopped {
		seen := map[remit.Code]bool{}
		for _, reason := range r.Decision.Reasons {
			if seen[reason.Code] {
				continue
			}
			seen[reason.Code] = true
			cause := causeCount{Code: reason.Code, Words: causes[reason.Code]}
			if all[reason.Code] == nil {
				all[reason.Code] = &cause
			}
			all[reason.Code].add(r.Decision.Verdict, r.Shadow, 1)
			key := [3]string{r.Decision.Server, r.Decision.Tool, string(reason.Code)}
			if tools[key] == nil {
				tools[key] = &stopCount{causeCount{Code: reason.Code, Words: causes[reason.Code]}, r.Decision.Server, r.Decision.Tool}
			}
			tools[key].add(r.Decision.Verdict, r.Shadow, 1)
		}
	}

	var byCause []causeCount
	for _, code := range slices.Sorted(maps.Keys(all)) {
		byCause = append(byCause, *all[code])
	}
	slices.SortStableFunc(byCause, func(a, b causeCount) int { return cmp.Compare(b.All(), a.All()) })
	var byTool []stopCount
	for _, s := range tools {
		byTool = append(byTool, *s)
	}
	slices.SortFunc(byTool, func(a, b stopCount) int {
		return cmp.Or(cmp.Compare(b.All(), a.All()), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Code, b.Code))
	})
	return byCause, byTool[:min(len(byTool), maxTools)]
}

// waitsOf sums up how long questions waited.
func waitsOf(list []store.Waited) waitCount {
	var out waitCount
	var took []time.Duration
	for _, w := range list {
		switch w.State {
		case store.Approved, store.Used:
			out.Approved++
		case store.Expired:
			out.Expired++
			continue
		case store.Denied:
		default:
			continue // withdrawn
		}
		took = append(took, w.Settled.Sub(w.Created))
	}

	slices.Sort(took)
	if out.Answered = len(took); out.Answered > 0 {
		out.Half, out.Most = took[len(took)/2].Round(time.Second), took[len(took)*95/100].Round(time.Second)
		out.Slots = slotsOf(took, answerSlots)
	}
	return out
}

// tookOf sums up how long decisions took.
func tookOf(list []time.Duration) tookCount {
	slices.Sort(list)
	out := tookCount{N: len(list), Capped: len(list) == store.MaxTimes}
	if out.N > 0 {
		out.Half, out.Most = list[len(list)/2], list[len(list)*99/100]
		out.Slots = slotsOf(list, decisionSlots)
	}
	return out
}
