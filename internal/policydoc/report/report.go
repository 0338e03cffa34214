package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
)

// Input is what a report is made of.
type Input struct {
	Document *document.Document
	// Directory is what the document was compiled into.
	Directory *policydoc.Directory
	// Deployment is the tools that the rules are about, with their contracts.
	Deployment guard.Deployment
	// Flags name the deployment, for commands of the report that need it.
	Flags []string
	// Tool is the key of the only tool whose policies are shown; empty for all tools.
	// The states of sentences always take the policies of all tools into account.
	Tool string
	// Mutate runs the mutants of the rules now. Otherwise the counts are those of the
	// lock, from when the rule was made.
	Mutate bool
}

// Report is a policy document with what it was compiled into.
type Report struct {
	// Name and Digest are the document's; Root is the path of the directory.
	Name, Digest, Root string
	// Tool is the key of the only tool whose policies are shown, if there is one.
	Tool string
	// Changed reports whether the directory was made from another version of the
	// document, and Compiled whether it was made from any.
	Changed, Compiled bool
	// Sentences are those of the document, in reading order, headings among them.
	Sentences []Sentence
	// Tools are the tools that have policies, ordered by their keys.
	Tools []Tool
	// Suspicions are the suspicious places of the document.
	Suspicions []Suspicion
	// Mistakes are the mistakes in guard files.
	Mistakes []string
	Counts   Counts
	// Coverage are the tools of the deployment with the number of their policies.
	Coverage []Covered
}

// Counts summarizes a report.
type Counts struct {
	// Sentences counts the sentences without headings; ByState, by state.
	Sentences int
	ByState   map[State]int
	// Policies counts the policies; PoliciesByState, by state.
	Policies        int
	PoliciesByState map[State]int
	// Tests counts the tests of all rules, and Failing those that fail.
	Tests, Failing int
}

// Covered returns the number of sentences with a policy that is not archived.
func (c Counts) Covered() int { return c.Sentences - c.ByState[Unmapped] - c.ByState[Archived] }

// Checked returns the number of sentences all of whose policies have rules that decide.
func (c Counts) Checked() int { return c.ByState[Enforced] + c.ByState[Approved] }

// Sentence is a sentence of the document.
type Sentence struct {
	document.Sentence
	// State is what became of it; empty for headings.
	State State
	// Policies are the policies that refer to it.
	Policies []PolicyRef
	// Reason says why no policy does.
	Reason string
	// Suspicious is set where there are suspicions about it.
	Suspicious bool
	// New is set where the version of the document from which the directory was made did not have
	// it.
	New bool
}

// PolicyRef leads to a policy.
type PolicyRef struct {
	// Anchor is the policy's place in the page; empty when it is not shown.
	Anchor string
	// Tool is the tool's key.
	Tool, Name string
	State      State
}

// Suspicion is something in the document that a person should look at.
type Suspicion struct {
	Kind  document.SuspicionKind
	Text  string
	Place document.Place
	// Sentence is the ID of the sentence that it is about, if it is about one.
	Sentence string
	Why      string
}

// New makes a report. It runs the tests of all rules.
func New(ctx context.Context, in Input) (*Report, error) {
	b := &builder{in: in, report: &Report{Name: in.Document.Name, Digest: in.Document.Digest, Root: in.Directory.Root, Tool: in.Tool},
		refs: map[string][]PolicyRef{}}
	if lock := in.Directory.Lock; lock != nil {
		b.lock = lock
		b.report.Compiled, b.report.Changed = true, lock.Document.Digest != in.Document.Digest
	}
	keys := in.Directory.Keys()
	if in.Tool != "" && !slices.Contains(keys, in.Tool) {
		return nil, fmt.Errorf("there is no policy for the tool %q: there are some for %s", in.Tool, listing(keys))
	}
	set, err := b.compile()
	if err != nil {
		return nil, err
	}
	b.report.Coverage = Coverage(set, in.Deployment)

	for _, key := range keys {
		if err := b.tool(ctx, key, set, in.Tool == "" || key == in.Tool); err != nil {
			return nil, err
		}
	}

	b.suspicions()
	b.sentences()
	b.count()
	return b.report, ctx.Err()
}

// builder gathers a report.
type builder struct {
	in     Input
	lock   *policydoc.Lock // nil where there is none
	report *Report
	// refs are the policies that refer to a sentence, by its ID.
	refs map[string][]PolicyRef
	// files are the guard files, by tool.
	files map[string]*guard.File
}

// compile compiles the guards of the directory, as far as they can be.
func (b *builder) compile() (*guard.Set, error) {
	b.files = map[string]*guard.File{}
	var files []*guard.File
	for _, key := range b.in.Directory.Keys() {
		doc := b.in.Directory.Guards[key]
		if doc == nil {
			continue
		}
		f, err := doc.File()
		if err != nil {
			return nil, err
		}
		b.files[key] = f
		files = append(files, f)
	}

	set, err := guard.Compile(files, b.in.Deployment)
	var mistakes guard.Errors
	if err != nil && !errors.As(err, &mistakes) {
		return nil, err
	}

	for _, m := range mistakes {
		b.report.Mistakes = append(b.report.Mistakes, m.Error())
	}
	return set, nil
}

// suspicions gathers what the document's reader found, and what a model took for words to the
// compiler.
func (b *builder) suspicions() {
	known := map[string]bool{}
	for _, s := range b.in.Document.Suspicions {
		known[s.Sentence] = known[s.Sentence] || s.Kind == document.Instruction
		b.report.Suspicions = append(b.report.Suspicions, Suspicion{s.Kind, s.Text, s.Place, s.Sentence, s.Why})
	}
	if b.lock == nil {
		return
	}
	for _, s := range b.in.Document.Sentences {
		if b.lock.Sentences[s.ID].Suspicious && !known[s.ID] {
			b.report.Suspicions = append(b.report.Suspicions, Suspicion{document.Instruction, s.Text, s.Place, s.ID, "a model took it for words to whoever compiles the document"})
		}
	}
}

// sentences brings the sentences together with what became of them.
func (b *builder) sentences() {
	suspicious := map[string]bool{}
	for _, s := range b.report.Suspicions {
		suspicious[s.Sentence] = true
	}
	reasons := map[string]string{}
	if u := b.in.Directory.Unmapped; u != nil {
		for _, s := range u.Sentences {
			reasons[s.Text] = s.Reason
		}
	}

	for _, s := range b.in.Document.Sentences {
		out := Sentence{Sentence: s, Suspicious: suspicious[s.ID], Policies: b.refs[s.ID]}
		if b.report.Changed {
			_, known := b.lock.Sentences[s.ID]
			out.New = !known
		}
		if s.Kind != document.Heading {
			out.State = stateOf(out.Policies)
		}
		if out.State == Unmapped {
			out.Reason = cmp.Or(reasons[s.Text], b.reason(s.ID))
		}
		b.report.Sentences = append(b.report.Sentences, out)
	}
}

// reason returns what the lock knows of a sentence that no policy refers to.
func (b *builder) reason(id string) string {
	if b.lock == nil {
		return ""
	}
	s := b.lock.Sentences[id]
	if len(s.Pending) > 0 {
		return "not searched so far, for " + listing(s.Pending)
	}
	return s.Reason
}

func (b *builder) count() {
	c := &b.report.Counts
	c.ByState, c.PoliciesByState = map[State]int{}, map[State]int{}
	for _, s := range b.report.Sentences {
		if s.State != "" {
			c.Sentences++
			c.ByState[s.State]++
		}
	}
	for _, t := range b.report.Tools {
		for _, i := range t.Policies {
			c.Policies++
			c.PoliciesByState[i.State]++
			if i.Rule != nil {
				c.Tests += len(i.Rule.Tests)
				c.Failing += i.Rule.Failing()
			}
		}
	}
}
