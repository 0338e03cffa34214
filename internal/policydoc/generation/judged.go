package generation

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/label"
)

// answer gives the tests of a rule the answers to what it has judged, as their verdicts
// need them: a test was read by the sentences alone, and what it says of the
// conversation is what a judge would find. A rule must settle some of its tests without;
// otherwise it is no more than a question.
func (w *work) answer(ctx context.Context, p *guard.Policy, rule *guard.Guard) (*guard.Guard, []string, error) {
	examples := slices.Clone(p.Examples)
	asked, settled := 0, 0
	for i := range examples {
		var r guardtest.Result
		if guardtest.Judge(ctx, rule, &examples[i], &r); r.Got != label.Ask {
			if examples[i].Expect == label.Allow {
				settled++
			}
			continue
		}
		questions, err := judgedQuestions(ctx, rule, &examples[i], p)
		if err != nil {
			return rule, nil, err
		}
		asked++
		e := examples[i]
		e.Given = slices.Clone(e.Given)
		for _, q := range questions {
			e.Given = append(e.Given, guard.Fixture{Judge: q, Answer: e.Expect == label.Allow})
		}
		examples[i] = e
	}

	if asked == 0 {
		return rule, nil, nil
	}
	if settled == 0 {
		return rule, []string{"require: every call that its tests allow is left to session.judged(…): write what settles the plain ones, and let it be asked only about the others"}, nil
	}
	p.Examples = examples
	answered, err := w.compile(p)
	return answered, nil, err
}

var (
	// searched finds where a rule looks for words in what was said, denied where it turns
	// round that a thing was named, and left where it leaves it to the judge.
	searched = regexp.MustCompile(`\.says\(|session\.user_said\(|\.text\.(contains|matches|startsWith|endsWith)\(|\.text *[!=]=`)
	denied   = regexp.MustCompile(`! *session\.(stated|listed)\(`)
	left     = regexp.MustCompile(`session\.judged\(|(^|[^.\w])judge\(`)
	// ofResults are searches in what calls returned, which nobody said.
	ofResults = regexp.MustCompile(`\.result(\.\w+)*\.says\(`)
)

// onWordsAlone reports that a rule stops calls because of the words alone that were used:
// that some are missing shows nothing, nor does it what is wanted that a thing was named.
func onWordsAlone(c candidate) []string {
	var all []string
	for _, text := range c.expressions() {
		all = append(all, ofResults.ReplaceAllString(text, ""))
	}
	text := strings.Join(all, "\n")
	var out []string
	if left.MatchString(text) {
		return nil
	}
	if searched.MatchString(text) {
		out = append(out, `require: it stops calls in which some words don't occur, and people say everything in many ways: let words that show it plainly pass, and leave the others to the judge, as in … || session.judged("Did the assistant …?", "assistant")`)
	}
	if denied.MatchString(text) {
		out = append(out, `require: that somebody named a thing doesn't show what they want with it: let calls pass where it wasn't named, and leave the others to the judge, as in … || session.judged("Did the user …?", "user")`)
	}
	return out
}

// judgedQuestions are the questions of session.judged that a rule asks about an example,
// and that it has no answer to.
func judgedQuestions(ctx context.Context, rule *guard.Guard, e *guard.Example, p *guard.Policy) ([]string, error) {
	request, err := guardtest.Request(e)
	if err != nil {
		return nil, err
	}
	facts := rule.Evaluate(ctx, request).Facts
	if facts == nil {
		return nil, nil
	}
	text := p.Require.Text
	for _, v := range p.Variables {
		text += "\n" + v.Value.Text
	}

	var out []string
	for _, j := range facts.Judgments {
		if strings.Contains(text, j.Question) && j.Error != "" && !slices.Contains(out, j.Question) {
			out = append(out, j.Question)
		}
	}
	return out, nil
}
