package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/display"
)

// Question is what a person has to decide about a policy, in words.
type Question struct {
	PolicyRef
	Kind QuestionKind
	Why  string
}

// QuestionKind says what kind of question it is.
type QuestionKind string

// The kinds of questions, those first that weigh most.
const (
	// Undecided policies are in conflict, or no rule decides them.
	Undecided QuestionKind = "no rule in force, or a conflict"
	// Failed rules don't pass their tests.
	Failed QuestionKind = "tests fail"
	// OnGuess rules read results of unknown form.
	OnGuess QuestionKind = "a guessed record"
	// Laxer rules may let calls pass that the sentences forbid: a call in words that
	// breaks the policy is not a test.
	Laxer QuestionKind = "perhaps laxer than the sentence"
	// Stricter rules may stop calls that the sentences allow.
	Stricter QuestionKind = "perhaps stricter than the sentence"
	// Disputed tests were taken out, since the sentences read by themselves say
	// otherwise.
	Disputed QuestionKind = "a contested test"
	// OnWords rules hang on what is said.
	OnWords QuestionKind = "on words"
	// OutOfForce policies were archived by no person.
	OutOfForce QuestionKind = "archived"
)

// kinds lists the kinds in their order.
var kinds = []QuestionKind{Undecided, Failed, OnGuess, Laxer, Stricter, Disputed, OnWords, OutOfForce}

// Questions lists what needs a decision, what weighs most first.
func (r *Report) Questions() []Question {
	var out []Question
	for _, t := range r.Tools {
		for _, p := range t.Policies {
			out = append(out, p.questions()...)
		}
	}
	slices.SortStableFunc(out, func(a, b Question) int { return cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)) })
	return out
}

// QuestionGroup are the questions of one kind.
type QuestionGroup struct {
	Kind      QuestionKind
	Questions []Question
}

// QuestionGroups lists the questions by kind.
func (r *Report) QuestionGroups() []QuestionGroup {
	var out []QuestionGroup
	for _, q := range r.Questions() {
		if n := len(out); n == 0 || out[n-1].Kind != q.Kind {
			out = append(out, QuestionGroup{Kind: q.Kind})
		}
		last := &out[len(out)-1]
		last.Questions = append(last.Questions, q)
	}
	return out
}

func (p *Policy) questions() []Question {
	var out []Question
	ask := func(kind QuestionKind, why string) { out = append(out, Question{p.PolicyRef, kind, why}) }
	switch p.State {
	case Conflicted, NotEnforced, Unguarded:
		ask(Undecided, strings.TrimSuffix(p.State.Label()+": "+p.Reason, ": "))
	case Archived:
		ask(OutOfForce, p.Reason)
		return out
	}
	for _, e := range p.Violations {
		if e.Reason != "" {
			ask(Laxer, fmt.Sprintf("nothing holds the rule to: %s (%s)", e.Text, e.Reason))
		}
	}
	for _, e := range p.Compliance {
		if e.Reason != "" {
			ask(Stricter, fmt.Sprintf("nothing holds the rule to: %s (%s)", e.Text, e.Reason))
		}
	}
	if n := len(p.Contested); n > 0 {
		ask(Disputed, fmt.Sprintf("%s, such as %q: %s", display.Count(n, "test was taken out", "tests were taken out"), p.Contested[0].Name, p.Contested[0].Reason))
	}
	if p.Rule == nil {
		return out
	}

	if n := p.Rule.Failing(); n > 0 {
		ask(Failed, fmt.Sprintf("%d of %d", n, len(p.Rule.Tests)))
	}
	if len(p.Rule.Needs.Guessed) > 0 {
		ask(OnGuess, "what "+strings.Join(p.Rule.Needs.Guessed, ", ")+" returns")
	}
	if len(p.Rule.Unseen) > 0 {
		ask(OnGuess, "nobody has seen "+strings.Join(p.Rule.Unseen, ", "))
	}
	if len(p.Rule.Needs.Words) > 0 {
		ask(OnWords, "by "+strings.Join(p.Rule.Needs.Words, ", "))
	}
	return out
}
