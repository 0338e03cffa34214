package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/policydoc/report"
)

type policyReviewCommand struct {
	deploymentFlags
	Dir      string `arg:"" help:"The directory that the policy document was compiled into."`
	Document string `placeholder:"FILE" required:"" help:"The policy document."`
	HTML     string `name:"html" placeholder:"FILE" help:"Write the report as one page, to be read in a browser or printed."`
	Tool     string `placeholder:"TOOL" help:"Show the policies of one tool only, as TOOL or SERVER/TOOL; \"*\" for those about every call."`
	Mutate   bool   `help:"Change the rules to see what their tests don't tell apart; it takes a while."`
}

// Help is shown below the flags.
func (policyReviewCommand) Help() string {
	return `Shows the document sentence by sentence with what became of each, and the policies with their rules, tests, open
conflicts, and the commands that decide. What should be looked at first comes first.

Example:
  remit policy review policy --document handbook.pdf --tools tools.json
  remit policy review policy --document handbook.pdf --tools tools.json --html review.html`
}

// causeOf returns what went wrong at the desk, without the kind that pages and the decision API tell
// mistakes by: it has the file and the place.
func causeOf(err error) error {
	var kinds interface{ Unwrap() []error }
	if !errors.As(err, &kinds) || !errors.Is(err, desk.ErrBroken) {
		return err
	}
	return errors.Join(slices.DeleteFunc(slices.Clone(kinds.Unwrap()), func(e error) bool { return e == desk.ErrBroken })...)
}

// Run shows what a document was made into.
func (c *policyReviewCommand) Run(ctx context.Context, s *command.Streams) error {
	r, err := (&desk.Desk{Root: c.Dir, Document: c.Document, Deployment: c.scope, Flags: c.flags()}).Report(ctx, c.Tool, c.Mutate)
	if err != nil {
		return causeOf(err)
	}
	if c.HTML == "" {
		(&reviewPrinter{newPrinter(s)}).report(r)
		return nil
	}

	var page bytes.Buffer
	if err := r.HTML(&page); err != nil {
		return err
	}
	err = command.WriteFile(c.HTML, func(w io.Writer) error {
		_, err := page.WriteTo(w)
		return err
	})
	if err == nil {
		fmt.Fprintln(s.Err, "wrote "+c.HTML)
	}
	return err
}

// reviewPrinter writes reports for people.
type reviewPrinter struct{ *printer }

func (p *reviewPrinter) report(r *report.Report) {
	p.line(0, p.Bold("Review of "+display.Name(r.Name)))
	p.warnings(r)
	p.line(0, "")
	for _, row := range r.Rows() {
		policies := ""
		if row.State != report.Unmapped {
			policies = fmt.Sprintf("%5d policies", row.Policies)
		}
		p.line(2, strings.TrimRight(fmt.Sprintf("%s %-28s %5d sentences  %s", p.state(row.State, row.State.Mark()), row.State.Label(), row.Sentences, policies), " "))
	}
	if n := len(r.Suspicions); n > 0 {
		p.line(2, fmt.Sprintf("%s %-28s %5d", p.Bad(report.SuspiciousMark), "suspicious text", n))
	}

	p.line(2, fmt.Sprintf("Policies refer to %d of %s, and rules check %d of them.", r.Counts.Covered(), display.Count(r.Counts.Sentences, "sentence", "sentences"), r.Counts.Checked()))
	p.questions(r)
	p.suspicions(r)
	p.document(r)
	for i := range r.Tools {
		p.line(0, "")
		p.line(0, p.Bold(r.Tools[i].Name()))
		for _, policy := range r.Tools[i].Policies {
			p.policy(policy)
		}
	}
}

func (p *reviewPrinter) warnings(r *report.Report) {
	if !r.Compiled {
		p.para(0, p.Bad("! "), "There is no policy.lock: nothing says which version of a document the policies were made of.")
	}
	if r.Changed {
		p.para(0, p.Bad("! "), "The policies were made of another version of this document. Compile it again before you decide.")
	}
	for _, m := range r.Mistakes {
		p.para(0, p.Bad("! "), "A guard file has a mistake, and denies every call of its tool: "+display.Line(m))
	}
	if n := r.Counts.Failing; n > 0 {
		p.para(0, p.Bad("! "), fmt.Sprintf("%d of %s are failed by their rules.", n, display.Count(r.Counts.Tests, "test", "tests")))
	}
}

// questions lists what needs a decision.
func (p *reviewPrinter) questions(r *report.Report) {
	for i, g := range r.QuestionGroups() {
		if i == 0 {
			p.line(0, "")
			p.line(0, p.Bold("What needs a decision"))
		}
		p.line(2, p.Warn(string(g.Kind)))
		for _, q := range g.Questions {
			p.para(4, "", strings.TrimSuffix(fmt.Sprintf("%s %s: %s", display.Name(q.Tool), display.Name(q.Name), display.Line(q.Why)), ": "))
		}
	}
}

func (p *reviewPrinter) suspicions(r *report.Report) {
	if len(r.Suspicions) == 0 {
		return
	}
	p.line(0, "")
	p.line(0, p.Bold("To be looked at first"))
	for _, s := range r.Suspicions {
		p.line(2, fmt.Sprintf("%s %s", p.Bad(string(s.Kind)+":"), strings.TrimPrefix(s.Place.String()+", ", ", ")+display.Line(s.Why)))
		p.para(4, "│ ", display.Line(s.Text))
	}
}

// document writes the sentences, each with its sign and the policies behind it.
func (p *reviewPrinter) document(r *report.Report) {
	p.line(0, "")

	p.line(0, p.Bold("The document"))
	for _, s := range r.Sentences {
		if s.State == "" {
			p.line(0, "")
			p.para(2, "", p.Bold(display.Line(s.Text)))
			continue
		}
		sign := " "
		if s.Suspicious {
			sign = p.Bad(report.SuspiciousMark)
		}
		for i, l := range display.Wrap(display.Line(s.Text), max(p.width-4, command.MinWidth/2)) {
			if i == 0 {
				p.line(0, sign+" "+p.state(s.State, s.State.Mark())+" "+l)
			} else {
				p.line(4, l)
			}
		}
		for _, i := range s.Policies {
			p.line(6, p.Dim(fmt.Sprintf("%s %s %s", i.State.Mark(), display.Name(i.Tool), display.Name(i.Name))))
		}
		if s.Reason != "" {
			p.para(6, "", display.Line(s.Reason))
		}
	}
}

// policy writes a policy in full.
func (p *reviewPrinter) policy(i *report.Policy) {
	p.line(0, "")
	label := i.State.Label()
	if i.Handwritten {
		label += ", written by hand: the mapping has no such policy"
	}
	p.line(2, fmt.Sprintf("%s %s  %s", p.state(i.State, i.State.Mark()), p.Bold(display.Name(i.Name)), p.Dim(label)))
	p.para(4, "", display.Line(i.Description))
	if i.Reason != "" {
		p.para(4, "because: ", display.Line(i.Reason))
	}

	for _, r := range i.References {
		var places []string
		for _, s := range r.Sentences {
			places = append(places, s.Place.String())
		}
		p.para(4, "│ ", display.Line(r.Text))
		if len(places) == 0 {
			p.line(4, p.Bad("│ not in the document"))
		} else {
			p.line(4, p.Dim("│ "+strings.Join(places, "; ")))
		}
	}

	if len(i.Tools) > 0 {
		p.para(4, "of ", display.Line(strings.Join(i.Tools, ", ")))
	}
	p.texts("keeps to it: ", i.Compliance)
	p.texts("doesn't: ", i.Violations)
	p.rule(i)
	for _, c := range i.Conflicts {
		p.line(4, p.Bad("conflict about ")+display.Name(c.Field))
		p.code("in the file", c.Mine)
		p.code("as a later run has it", c.Theirs)
		p.commands(c.Decisions)
	}

	for _, c := range i.Contested {
		p.para(4, "taken out: ", display.Line(c.Name)+", since a second reading of the sentences says otherwise: "+display.Line(c.Reason))
	}
	p.commands(i.Decisions)
}

func (p *reviewPrinter) rule(i *report.Policy) {
	r := i.Rule
	if r == nil {
		if i.State == report.Unguarded {
			p.line(4, p.Bad("It has no rule yet: nothing checks it, and calls pass."))
		}
		return
	}
	var text []string
	for _, v := range r.Variables {
		text = append(text, v.Name+" = "+v.Text)
	}

	switch {
	case r.Broken:
		p.line(4, p.Bad("Its file has mistakes: every call of the tool is denied."))
	case r.Require == "":
		p.line(4, p.Bad(fmt.Sprintf("Nothing can check it: every call comes to %s.", r.Otherwise)))
	}

	for _, remark := range r.Remarks {
		p.para(4, "", p.Warn(display.Line(remark)))
	}
	if r.Require != "" {
		p.code("the rule, "+r.Place, strings.Join(append(text, r.Require), "\n"))
		p.para(4, "else "+string(r.Otherwise)+": ", display.Line(r.Message))
	}

	for _, t := range r.Tests {
		if t.Passed {
			p.line(4, fmt.Sprintf("%s %s: %s", p.Good("✓"), display.Line(t.Name), t.Want))
			continue
		}
		got := "the rule says " + string(t.Got)
		if t.Failed != "" {
			got = "it can't be decided: " + display.Line(t.Failed)
		}
		p.line(4, fmt.Sprintf("%s %s: %s, but %s", p.Bad("✗"), display.Line(t.Name), t.Want, got))
		for _, s := range t.Steps {
			p.para(6, display.Line(s.What)+": ", display.Line(s.Text))
		}
	}

	if r.Measured {
		p.line(4, fmt.Sprintf("tests tell %d of %s of the rule", r.Killed, display.Count(r.Killed+r.Survived, "change", "changes")))
	}
	for _, s := range r.Survivors {
		p.para(4, "not told: ", display.Line(s.Change)+"; "+display.Line(s.Apart))
	}
}

func (p *reviewPrinter) texts(lead string, all []report.InWords) {
	for _, e := range all {
		text := display.Line(e.Text)
		if e.Reason != "" {
			text += "; no test holds the rule to it: " + display.Line(e.Reason)
		}
		p.para(4, lead, text)
	}
}

// code writes text as it is, line by line.
func (p *reviewPrinter) code(title, text string) {
	p.line(4, p.Dim(display.Line(title)+":"))
	for l := range strings.SplitSeq(cmp.Or(text, "(nothing)"), "\n") {
		p.line(6, display.Line(l))
	}
}

func (p *reviewPrinter) commands(all []report.Command) {
	for _, c := range all {
		p.line(4, p.Dim(c.For+": ")+display.Line(c.Line))
	}
}

// state colours what is said of a state.
func (p *reviewPrinter) state(s report.State, text string) string {
	switch s {
	case report.Approved:
		return p.Good(text)
	case report.Enforced:
		return p.SGR("36", text)
	case report.NotEnforced, report.Unguarded:
		return p.Warn(text)
	case report.Conflicted:
		return p.SGR("35", text)
	}
	return p.Dim(text)
}
