package console

import (
	"cmp"
	"context"
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
	// Calls are decisions on proposed calls by verdict, and Agreed those of calls that a
	// person let through.
	Calls  verdicts
	Agreed int
	Bars   []bar
	Most   int
	Tools  []toolCount
	Causes []causeCount
	// Capped is set when only the last stopped calls were looked at for their causes.
	Capped bool
	Waits  waitCount
	// Audit is what a check of the audit log has found; nil where nobody asked for it.
	Audit *store.Report
	Check bool
}

// verdicts counts decisions.
type verdicts struct{ Allow, Ask, Deny int }

// All is their sum.
func (v verdicts) All() int { return v.Allow + v.Ask + v.Deny }

func (v *verdicts) add(verdict remit.Verdict, n int) {
	switch verdict {
	case remit.Allow:
		v.Allow += n
	case remit.Ask:
		v.Ask += n
	case remit.Deny:
		v.Deny += n
	}
}

// bar is a step of time in the chart, with where its parts begin and how high they are.
type bar struct {
	verdicts
	At                           time.Time
	X, Width                     float64
	AllowY, AskY, DenyY          float64
	AllowHigh, AskHigh, DenyHigh float64
}

// The size of the chart, in its own units.
const (
	chartWide = 600.0
	chartHigh = 120.0
)

// toolCount counts the calls of a tool.
type toolCount struct {
	verdicts
	Server, Tool string
}

// causeCount counts the reasons of one kind why calls were stopped.
type causeCount struct {
	Code  remit.Code
	Words string
	N     int
}

// waitCount says how long questions waited for a person.
type waitCount struct {
	Answered, Approved, Expired int
	Half, Most                  time.Duration // of those that were answered: the median, and the 95th of a hundred
}

// causes says in words why calls are stopped.
var causes = map[remit.Code]string{
	remit.BelowFloor: "a value that the user didn't choose", remit.ForbiddenOrigin: "a value of a forbidden origin", remit.OpenObligation: "an obligation that nothing discharged",
	remit.GroupBelowFloor: "arguments that make one value together", remit.ExternalSink: "an address from outside, in a call that sends", remit.OutsideScope: "an effect that the scope doesn't cover",
	remit.Unprovoked: "an effect that the user didn't ask for", remit.UnknownTool: "a tool without a contract", remit.UnknownArgument: "an argument that the schema doesn't list",
	remit.ChangedTool: "a changed definition", remit.UnknownVariant: "a verb without a contract", remit.InvalidArguments: "arguments that don't fit the schema",
	remit.LimitReached: "a bound of the monitor", remit.PolicyViolation: "a policy of the company", remit.GuardFailed: "a policy that could not be decided",
}

// maxTools is how many tools the overview lists.
const maxTools = 20

func (c *Console) overview(ctx context.Context, v *visit) (outcome, error) {
	page := overviewPage{Spans: spansOfTime, Span: spansOfTime[2], Check: v.who.May(access.AuditRead)}
	for _, s := range spansOfTime {
		if s.Name == v.FormValue("last") {
			page.Span = s
		}
	}
	now := c.o.Now()
	since := now.Add(-page.Span.Back).Truncate(page.Span.Step)
	counts, err := c.o.Store.Tally(ctx, v.whose(), since, page.Span.Step)
	if err != nil {
		return outcome{}, err
	}
	page.count(counts, since, now)

	stopped, err := c.o.Store.Stopped(ctx, v.whose(), since, store.MaxPage)
	if err != nil {
		return outcome{}, err
	}
	page.Causes, page.Capped = causesOf(stopped), len(stopped) == store.MaxPage
	waits, err := c.o.Store.Waits(ctx, v.whose(), since, store.MaxPage)
	if err != nil {
		return outcome{}, err
	}
	page.Waits = waitsOf(waits)
	if page.Check && v.FormValue("verify") != "" {
		if page.Audit, err = c.o.Store.Verify(ctx); err != nil {
			return outcome{}, err
		}
	}
	return outcome{page: "overview", frame: frame{Title: "Overview", View: "overview", Body: page}}, nil
}

// count fills the chart and the list of tools.
func (p *overviewPage) count(counts []store.Count, since, now time.Time) {
	steps := int(now.Sub(since)/p.Span.Step) + 1
	p.Bars = make([]bar, steps)
	wide := chartWide / float64(steps)
	for i := range p.Bars {
		p.Bars[i].At, p.Bars[i].X, p.Bars[i].Width = since.Add(time.Duration(i)*p.Span.Step), float64(i)*wide, wide*0.8
	}
	tools := map[[2]string]*toolCount{}

	for _, n := range counts {
		if n.Confirms {
			if n.Verdict == remit.Allow {
				p.Agreed += n.N
			}
			continue // the call was counted when it was proposed
		}
		p.Calls.add(n.Verdict, n.N)
		if i := int(n.Step.Sub(since) / p.Span.Step); i >= 0 && i < steps {
			p.Bars[i].add(n.Verdict, n.N)
			p.Most = max(p.Most, p.Bars[i].All())
		}
		key := [2]string{n.Server, n.Tool}
		if tools[key] == nil {
			tools[key] = &toolCount{Server: n.Server, Tool: n.Tool}
		}
		tools[key].add(n.Verdict, n.N)
	}

	for i := range p.Bars {
		p.Bars[i].stack(p.Most)
	}
	for _, t := range tools {
		p.Tools = append(p.Tools, *t)
	}
	slices.SortFunc(p.Tools, func(a, b toolCount) int {
		return cmp.Or(cmp.Compare(b.Ask+b.Deny, a.Ask+a.Deny), cmp.Compare(b.Allow, a.Allow), cmp.Compare(a.Server+a.Tool, b.Server+b.Tool))
	})
	p.Tools = p.Tools[:min(len(p.Tools), maxTools)]
}

// stack places the parts of a bar, one on the other.
func (b *bar) stack(most int) {
	scale := chartHigh / float64(max(most, 1))
	b.DenyHigh, b.AskHigh, b.AllowHigh = float64(b.Deny)*scale, float64(b.Ask)*scale, float64(b.Allow)*scale
	b.AllowY = chartHigh - b.AllowHigh
	b.AskY = b.AllowY - b.AskHigh
	b.DenyY = b.AskY - b.DenyHigh
}

// causesOf counts the reasons of stopped calls by their kind, each once a call.
func causesOf(stopped []store.Record) []causeCount {
	n := map[remit.Code]int{}
	for _, r := range stopped {
		seen := map[remit.Code]bool{}
		for _, reason := range r.Decision.Reasons {
			if !seen[reason.Code] {
				seen[reason.Code] = true
				n[reason.Code]++
			}
		}
	}
	var out []causeCount
	for _, code := range slices.Sorted(maps.Keys(n)) {
		out = append(out, causeCount{code, causes[code], n[code]})
	}
	slices.SortStableFunc(out, func(a, b causeCount) int { return cmp.Compare(b.N, a.N) })
	return out
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
	}
	return out
}
