package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/change"
)

// policyDiff writes what changes for people at a terminal.
func (p *printer) policyDiff(d *policyDiff) {
	for _, m := range d.Mistakes {
		p.para(0, p.Bad("error: "), display.Line(m))
	}
	if d.Edited {
		p.line(0, "the document is another: "+d.document(display.Line))
	}

	tool := ""
	for i := range d.Policies {
		c := &d.Policies[i]
		if key := policydoc.Key(c.Server, c.Tool); key != tool {
			tool = key
			p.line(0, p.Bold(display.Name(key)))
		}
		shade := p.Warn
		if c.Loosens() {
			shade = p.Bad
		} else if c.Tightens() {
			shade = p.Good
		}
		p.para(2, shade(c.Headline()+":")+" ", display.Name(c.Policy)+": "+display.Line(c.Text))
		for _, s := range c.Statements() {
			p.statement(4, s)
		}
	}

	p.sentences("no policy refers to", d.Unmapped)
	p.sentences("a policy refers now to", d.Mapped)
	for i := range d.Decisions {
		t := &d.Decisions[i]
		p.line(0, "")
		p.turned(t)
		p.headline(2, t.Decision)
		if t.laxer() {
			p.line(4, "what spoke against it before:")
		}
		p.reasons(4, t.why())
	}

	if len(d.Policies)+len(d.Unmapped)+len(d.Mapped)+len(d.Decisions) > 0 {
		p.line(0, "")
	}
	p.line(0, d.summary())
}

func (p *printer) statement(indent int, s change.Statement) {
	switch {
	case len(s.Rule) > 0:
		p.line(indent, s.Says+":")
		for _, l := range s.Rule {
			p.line(indent+2, display.Line(l))
		}
	case s.Quote != "":
		p.para(indent, "", s.Says+`: "`+display.InQuotes(s.Quote)+`"`)
	default:
		p.para(indent, "", s.Says)
	}
}

func (p *printer) sentences(says string, list []change.Sentence) {
	for _, s := range list {
		text := `"` + display.InQuotes(s.Text) + `"`
		if s.Reason != "" {
			text += ", because: " + display.Line(s.Reason)
		}
		p.para(0, says+": ", text)
	}
}

// why has the reasons that speak against the call on one side only: the side
// that stops it.
func (t *turned) why() *remit.Decision {
	reasons, other := t.Decision.Reasons, t.Before
	if t.laxer() {
		reasons, other = other, reasons
	}
	return &remit.Decision{Reasons: slices.DeleteFunc(slices.Clone(reasons), func(r remit.Reason) bool {
		return slices.ContainsFunc(other, func(o remit.Reason) bool { return r.Same(o) && r.Verdict == o.Verdict })
	})}
}

// summary counts what changes.
func (d *policyDiff) summary() string {
	if !d.any() {
		if d.Calls > 0 {
			return fmt.Sprintf("nothing changes for the company; %s decided alike", display.Count(d.Calls, "call", "calls"))
		}
		return "nothing changes for the company"
	}

	stricter, laxer := 0, 0
	for i := range d.Policies {
		if d.Policies[i].Tightens() {
			stricter++
		}
		if d.Policies[i].Loosens() {
			laxer++
		}
	}

	text := fmt.Sprintf("%s: %d stricter, %d laxer", display.Count(len(d.Policies), "policy changes", "policies change"), stricter, laxer)
	if len(d.Unmapped) > 0 {
		text += fmt.Sprintf("; %s newly without a policy", display.Count(len(d.Unmapped), "sentence", "sentences"))
	}
	if d.Calls > 0 {
		turn := "decisions turn"
		if len(d.Decisions) == 1 {
			turn = "decisions turns"
		}
		text += fmt.Sprintf("; %d of %d %s", len(d.Decisions), d.Calls, turn)
	}
	return text
}

// document names the document before and now.
func (d *policyDiff) document(show func(string) string) string {
	switch before, now := d.Document.Before, d.Document.After; {
	case before == now:
		return show(now) + " was edited"
	case before == "":
		return show(now) + ", and there was none"
	case now == "":
		return show(before) + " is gone"
	default:
		return show(now) + " instead of " + show(before)
	}
}

// writePolicyDiff writes what changes as Markdown.
func writePolicyDiff(w io.Writer, d *policyDiff) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("### Policy changes\n")
	line("%s", d.summary())
	if d.Edited {
		line("\nThe document is another: %s", d.document(inMarkdown))
	}
	for _, m := range d.Mistakes {
		line("\n- **error:** %s", inMarkdown(m))
	}

	tool := ""
	for i := range d.Policies {
		c := &d.Policies[i]
		if key := policydoc.Key(c.Server, c.Tool); key != tool {
			tool = key
			line("\n#### %s\n", inMarkdown(key))
		}
		line("- **%s** %s: %s", c.Headline(), inMarkdown(c.Policy), inMarkdown(c.Text))
		for _, s := range c.Statements() {
			line("  - %s", statementInMarkdown(s))
		}
	}

	for _, list := range [...]struct {
		title     string
		sentences []change.Sentence
	}{{"Sentences that no policy refers to any more or yet", d.Unmapped}, {"Sentences that a policy refers to now", d.Mapped}} {
		if len(list.sentences) > 0 {
			line("\n#### %s\n", list.title)
		}
		for _, s := range list.sentences {
			reason := ""
			if s.Reason != "" {
				reason = ", because: " + inMarkdown(s.Reason)
			}
			line("- “%s”%s", inMarkdown(s.Text), reason)
		}
	}

	if len(d.Decisions) > 0 {
		line("\n#### Decisions that turn\n")
	}
	for i := range d.Decisions {
		t := &d.Decisions[i]
		line("- session %s, call %s of %s: **%s becomes %s**", inMarkdown(t.Session), inMarkdown(t.Call), inMarkdown(t.Tool), t.Was, t.Decision.Verdict)
		lead := ""
		if t.laxer() {
			lead = "before: "
		}
		for _, r := range t.why().Reasons {
			line("  - %s%s", lead, inMarkdown(r.Message))
			for _, reference := range r.References {
				line("  - the document's sentence: “%s”", inMarkdown(reference))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func statementInMarkdown(s change.Statement) string {
	switch {
	case len(s.Rule) > 0:
		lines := make([]string, len(s.Rule))
		for i, l := range s.Rule {
			lines[i] = "<code>" + inMarkdown(l) + "</code>"
		}
		return s.Says + ":<br>" + strings.Join(lines, "<br>")
	case s.Quote != "":
		return s.Says + ": “" + inMarkdown(s.Quote) + "”"
	}
	return s.Says
}

// inMarkdown shows text of others as it is: nothing in it is markup, a mention
// or a link.
func inMarkdown(text string) string {
	var b strings.Builder
	for _, r := range display.Line(text) {
		if strings.ContainsRune("\\`*_{}[]<>#|~&@", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
