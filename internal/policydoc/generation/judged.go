package generation

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/label"
)

// maxAnswering bounds how often a test is tried for questions that come up only once
// others are answered.
const maxAnswering = 3

// answer gives the tests of a rule the answers to what words don't settle in them, as their
// verdicts need them: a test was read by the sentences alone, and what it says of the
// conversation is what a judge would find. Words must settle some test that allows its call;
// otherwise the rule is no more than a question, or asks for what is never said.
func (w *work) answer(ctx context.Context, p *guard.Policy, rule *guard.Guard) (*guard.Guard, []string, error) {
	examples := slices.Clone(p.Examples)
	written := strings.Join(expressionsOf(p), "\n")
	var open []string
	var left []string // the calls to allow that session.judged is asked about
	asked, allowed, settled := 0, 0, 0
	for i := range examples {
		e, questions, err := withAnswers(ctx, rule, examples[i])
		if err != nil {
			return rule, nil, err
		}
		if examples[i] = e; len(questions) > 0 {
			asked++
		}
		if e.Expect != label.Allow {
			continue
		}
		allowed++
		open = append(open, questions...)
		if len(questions) == 0 {
			settled++
		}
		if slices.ContainsFunc(questions, func(q string) bool { return strings.Contains(written, q) }) {
			left = append(left, w.tests.label(e.Name))
		}
	}

	switch {
	case asked == 0:
		return rule, nil, nil
	case settled == 0:
		slices.Sort(open)
		open = slices.Compact(open)
		return rule, []string{fmt.Sprintf("require: words settle none of the calls that its tests allow, and the judge would be asked %s: leave out of session.listed and session.stated what the sentences don't ask for, hold an id or a number that is to be obtained to the one of the record, as in session.stated(loan.member_id), write what shows the plain calls, and leave only the others to session.judged",
			prompt.Clip(compact(open[:min(len(open), maxOpen)]), maxOpenText))}, nil
	case 2*len(left) > allowed:
		return rule, []string{fmt.Sprintf("require: most calls that its tests allow are left to session.judged (%s): without a judge a person is asked about each. session.agreed(), session.listed(…) and session.stated(…) settle what was agreed to, proposed and named; for the rest, write more of the words that show it plainly", strings.Join(left, ", "))}, nil
	}
	p.Examples = examples
	tried, err := w.compile(p)
	return tried, nil, err
}

// expressionsOf returns the expressions of a rule.
func expressionsOf(p *guard.Policy) []string {
	out := []string{p.Require.Text}
	for _, v := range p.Variables {
		out = append(out, v.Value.Text)
	}
	return out
}

// asks reports whether a rule leaves calls to session.judged.
func (c candidate) asks() bool {
	for _, text := range c.expressions() {
		if judged().MatchString(text) {
			return true
		}
	}
	return false
}

// spare returns the labels of the calls to deny that a rule lets pass if the judge says yes to
// whatever session.judged asks, where the rule asks by the engine's notions what was said, and by
// those denies others: for their sake it leaves calls to the judge that the notions settle. None
// where there are more than the author may dispute.
func (w *work) spare(ctx context.Context, rule *guard.Guard) []string {
	p := &rule.File.Policies[0]
	written := strings.Join(expressionsOf(p), "\n")
	if !notions().MatchString(written) || !judged().MatchString(written) {
		return nil
	}

	var out []string
	for _, e := range p.Examples {
		if e.Expect != label.Deny {
			continue
		}
		e.Given = slices.Clone(e.Given)
		for i, f := range e.Given {
			asked := f.Judge != "" && strings.Contains(written, f.Judge)
			e.Given[i].Answer = f.Answer || asked
		}
		var r guardtest.Result
		if guardtest.Judge(ctx, rule, &e, &r); r.Failed == "" && r.Got == label.Allow {
			out = append(out, w.tests.label(e.Name))
		}
	}
	if w.disputes+len(out) > maxDisputes || !w.tests.without(out) {
		return nil
	}
	return out
}

// notion is a question of session.judged with the function that tells what it asks.
type notion struct{ Question, Function string }

// functions are those that tell what was said, with the words of questions that ask for it.
var functions = []struct {
	name, example string
	asks          func(question string) bool
}{
	{"session.complete(", `session.complete("these are all the …")`, reply.SaysAll},
	{"session.agreed(", "session.agreed()", inWords(agrees)},
	{"session.told(", `session.told("…")`, inWords(tells)},
	{"session.answered(", `session.answered("the reason for …")`, inWords(reasons)},
}

var (
	agrees  = pattern.OnUse(`(?i)\buser\b.*\b(agree|consent|approve|confirm|accept)`)
	tells   = pattern.OnUse(`(?i)\b(assistant|agent)\b.*\b(tell|told|inform|remind|warn|explain|ask)`)
	reasons = pattern.OnUse(`(?i)\buser\b.*\b(give|gave|say|said|state|stated|name|named|explain|explained|provide|provided)\b.*\b(reason|why)\b`)
)

func inWords(words func() *regexp.Regexp) func(string) bool {
	return func(question string) bool { return words().MatchString(question) }
}

// toldBy returns what a rule leaves to session.judged although a function tells it that the rule
// doesn't use.
func toldBy(rule *guard.Guard) []notion {
	written := strings.Join(expressionsOf(&rule.File.Policies[0]), "\n")
	var out []notion
	for _, m := range constantly().FindAllStringSubmatch(written, -1) {
		question := m[1][1 : len(m[1])-1]
		for _, f := range functions {
			if f.asks(question) && !strings.Contains(written, f.name) {
				out = append(out, notion{question, f.example})
				break
			}
		}
	}
	return out
}

// maxOpen and maxOpenText bound the questions that the author of a rule is told of.
const maxOpen, maxOpenText = 4, 1000

// withAnswers returns a test with the answers that its verdict needs, and the questions.
func withAnswers(ctx context.Context, rule *guard.Guard, e guard.Example) (guard.Example, []string, error) {
	var asked []string
	for range maxAnswering {
		var r guardtest.Result
		if guardtest.Judge(ctx, rule, &e, &r); r.Got != label.Ask {
			break
		}
		questions, err := openQuestions(ctx, rule, &e)
		if err != nil || len(questions) == 0 {
			return e, asked, err
		}
		e.Given = slices.Clone(e.Given)
		for _, q := range questions {
			e.Given = append(e.Given, guard.Fixture{Judge: q, Answer: e.Expect == label.Allow})
		}
		asked = append(asked, questions...)
	}
	return e, asked, nil
}

var (
	// searched finds where a rule looks for words in what was said, denied where it turns
	// round that a thing was named, and left where it leaves it to the judge.
	searched = pattern.OnUse(`\.says\(|session\.user_said\(|\.text\.(contains|matches|startsWith|endsWith)\(|\.text *[!=]=`)
	denied   = pattern.OnUse(`! *session\.(stated|listed)\(`)
	left     = pattern.OnUse(`session\.(judged|told)\(|(^|[^.\w])judge\(`)
	// notions finds where a rule asks what was said by a notion of the engine.
	notions = pattern.OnUse(`session\.(agreed|listed|stated|told|complete|answered)\(`)
	// judged finds the questions of session.judged, and constantly those that are one text.
	judged     = pattern.OnUse(`session\.judged\(`)
	constantly = pattern.OnUse(`session\.judged\(\s*("([^"\\]|\\.)*"|'([^'\\]|\\.)*')\s*[,)]`)
	// ofResults are searches in what calls returned, which was not said.
	ofResults = pattern.OnUse(`\.result(\.\w+)*\.says\(`)
	// everybody finds where a rule reads what was said, and ofOne where it asks by whom.
	everybody = pattern.OnUse(`session\.messages\b`)
	ofOne     = pattern.OnUse(`\.role\b`)
)

// onWordsAlone reports that a rule stops calls because of the words alone that were used:
// that some are missing shows nothing, nor does it what is wanted that a thing was named.
func onWordsAlone(c candidate) []string {
	var all []string
	for _, text := range c.expressions() {
		all = append(all, ofResults().ReplaceAllString(text, ""))
	}

	text := strings.Join(all, "\n")

	var out []string
	if len(judged().FindAllString(text, -1)) > len(constantly().FindAllString(text, -1)) {
		out = append(out, `require: the question of session.judged must be one text in quotes, with no value of the call in it: people review it, and the judge sees the call and says of this one`)
	}
	if searched().MatchString(text) && everybody().MatchString(text) && !ofOne().MatchString(text) {
		out = append(out, `require: it searches the words of everybody, also the system text, which often quotes the document: look into those of one speaker, with m.role == "user" or m.role == "assistant"`)
	}
	if left().MatchString(text) {
		return out
	}
	if searched().MatchString(text) {
		out = append(out, `require: it stops calls in which some words don't occur, and people say everything in many ways: let words that show it plainly pass, and leave the others to the judge, as in … || session.judged("Did the assistant …?", "assistant")`)
	}
	if denied().MatchString(text) {
		out = append(out, `require: that somebody named a thing doesn't show what they want with it: that nothing is missing is session.complete("these are all …"). For the rest, let calls pass where it wasn't named, and leave the others to the judge, as in … || session.judged("Did the user …?", "user")`)
	}
	return out
}

// openQuestions returns the questions that a rule asks about an example, of its own or of
// session.agreed() and the like, and that the example has no answer to.
func openQuestions(ctx context.Context, rule *guard.Guard, e *guard.Example) ([]string, error) {
	request, err := guardtest.Request(e)
	if err != nil {
		return nil, err
	}
	facts := rule.Evaluate(ctx, request).Facts
	if facts == nil {
		return nil, nil
	}

	var out []string
	for _, j := range facts.Judgments {
		if j.Error != "" && !slices.Contains(out, j.Question) {
			out = append(out, j.Question)
		}
	}
	return out, nil
}
