package console

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/figures"
	"github.com/remit-project/remit/store"
)

// span is a time that the overview looks back on, in steps.
type span struct {
	Name string
	Back time.Duration
	Step time.Duration
}

var spansOfTime = []span{
	{"hour", time.Hour, 2 * time.Minute}, {"day", 24 * time.Hour, time.Hour},
	{"week", 7 * 24 * time.Hour, 6 * time.Hour}, {"month", 30 * 24 * time.Hour, 24 * time.Hour},
}

// overviewPage is what happened lately, in numbers.
type overviewPage struct {
	Span  span
	Spans []span
	Now   time.Time
	// Calls are decisions on proposed calls by verdict, and Agreed those of calls that a
	// person let through.
	Calls  figures.Verdicts
	Agreed int
	Bars   []bar
	// Most is the height of the chart, and Half that of the line in its middle.
	Most, Half int
	Tools      []toolCount
	// Causes are why calls were stopped, and Stops which calls that were, by tool and cause.
	Causes []causeCount
	Stops  []causeCount
	// Capped is set when only the last stopped calls were looked at for their causes.
	Capped bool
	Waits  waitCount
	Took   tookCount
	// Audit is what a check of the audit log has found just now; nil where none was asked for.
	// Last is what the check before found; nil where there was none.
	Audit *store.Report
	Last  *store.Verification
	Check bool
}

// toolCount counts the calls of a tool.
type toolCount struct {
	figures.Verdicts
	Server, Tool string
}

// causeCount counts the calls that one kind of reason stopped.
type causeCount struct{ figures.Cause }

// Words says in words why.
func (c causeCount) Words() string { return cmp.Or(causes[c.Code], string(c.Code)) }

// Parts returns the shares of its verdicts in the largest count.
func (c causeCount) Parts(most int) []part { return partsOf(c.Verdicts, most) }

// waitCount says how long questions waited for a person.
type waitCount struct {
	figures.Waits
	Slots []slot
}

// tookCount says how long decisions took.
type tookCount struct {
	figures.Took
	Slots []slot
	// Capped is set when only the last of them were looked at.
	Capped bool
}

// causes says in words why calls are stopped.
var causes = map[remit.Code]string{
	remit.BelowFloor: "a value that the user didn't choose", remit.ForbiddenOrigin: "a value of a forbidden origin", remit.OpenObligation: "an obligation that nothing discharged",
	remit.GroupBelowFloor: "arguments that make one value together", remit.ExternalSink: "an address from outside, in a call that sends", remit.OutsideScope: "an effect that the scope doesn't cover",
	remit.Unprovoked: "an effect that the user didn't ask for", remit.UnknownTool: "a tool without a contract", remit.UnknownArgument: "an argument that the schema doesn't list",
	remit.ChangedTool: "a changed definition", remit.UnknownVariant: "a verb without a contract", remit.InvalidArguments: "arguments that don't fit the schema",
	remit.LimitReached: "a bound of the monitor", remit.RepeatedID: "an id that another call has", remit.PolicyViolation: "a policy of the company", remit.GuardFailed: "a policy that could not be decided",
	remit.GuardUnproven: "a policy that rests on a guess",
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
	page.Capped = len(stopped) == store.MaxPage || len(stopped) < page.Calls.Stopped()
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
		p.Calls.Add(n.Verdict, n.Shadow, n.N)
		if i := int(n.Step.Sub(since) / p.Span.Step); i >= 0 && i < len(p.Bars) {
			p.Bars[i].Add(n.Verdict, n.Shadow, n.N)
			p.Most = max(p.Most, p.Bars[i].All())
		}
		key := [2]string{n.Server, n.Tool}
		if tools[key] == nil {
			tools[key] = &toolCount{Server: n.Server, Tool: n.Tool}
		}
		tools[key].Add(n.Verdict, n.Shadow, n.N)
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

// causesOf counts why calls were stopped, by cause, and by tool and cause.
func causesOf(stopped []store.Record) (all, tools []causeCount) {
	byKind, byTool := figures.Causes(stopped)
	for _, c := range byKind {
		all = append(all, causeCount{c})
	}
	for _, c := range byTool[:min(len(byTool), maxTools)] {
		tools = append(tools, causeCount{c})
	}
	return all, tools
}

// waitsOf sums up how long questions waited.
func waitsOf(list []store.Waited) waitCount {
	out := waitCount{Waits: figures.WaitsOf(list)}
	if out.Answered > 0 {
		out.Slots = slotsOf(out.Times, answerSlots)
	}
	return out
}

// tookOf sums up how long decisions took.
func tookOf(list []time.Duration) tookCount {
	out := tookCount{Took: figures.TookOf(list), Capped: len(list) == store.MaxTimes}
	if len(list) > 0 {
		out.Slots = slotsOf(out.Times, decisionSlots)
	}
	return out
}
