// Package change says what becomes different for a company from one compiled
// policy document to another: which policies come, go and change, what stops
// being enforced, and which rules get stricter or laxer.
package change

import (
	"context"
	"maps"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// Side is one of the two that are compared.
type Side struct {
	Directory *policydoc.Directory
	// Guards are those of the directory, compiled. Rules with mistakes are not
	// compared.
	Guards *guard.Set
}

// Kind says what becomes of a policy.
type Kind string

// The kinds. A policy that is approved and otherwise changed is [Changed].
const (
	Added    Kind = "added"
	Retired  Kind = "retired"
	Archived Kind = "archived"
	Restored Kind = "restored"
	Approved Kind = "approved"
	Changed  Kind = "changed"
)

// Enforcement says what a policy comes to.
type Enforcement string

// The enforcements.
const (
	// None is that of a policy without a rule.
	None Enforcement = "none"
	// Checked calls are held to the rule's condition, and denied by it;
	// CheckedAsking ones are held back for a person.
	Checked       Enforcement = "checked"
	CheckedAsking Enforcement = "checked-asking"
	// Denied and Asked is every call whose rule has no condition.
	Denied Enforcement = "denied"
	Asked  Enforcement = "asked"
)

// bounds are how calls come out at best and at worst.
func (e Enforcement) bounds() (best, worst label.Verdict) {
	switch e {
	case Checked:
		return label.Allow, label.Deny
	case CheckedAsking:
		return label.Allow, label.Ask
	case Asked:
		return label.Ask, label.Ask
	case Denied:
		return label.Deny, label.Deny
	}
	return label.Allow, label.Allow
}

// checks reports whether a condition decides.
func (e Enforcement) checks() bool { return e == Checked || e == CheckedAsking }

// severity orders verdicts.
func severity(v label.Verdict) int {
	return slices.Index([]label.Verdict{label.Allow, label.Ask, label.Deny}, v)
}

// Texts are a text before and after.
type Texts struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Policy is what becomes of one policy. What stays is left out.
type Policy struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Policy string `json:"policy"`
	Change Kind   `json:"change"`
	// Was is the policy's name before, where it was called otherwise.
	Was string `json:"was,omitempty"`
	// Text is what the policy says: its description, or the message of a rule
	// that is in no mapping.
	Text        string `json:"text"`
	Description *Texts `json:"description,omitempty"`
	// Gone are sentences that it no longer refers to, New those that it does now.
	Gone []string `json:"sentences_gone,omitempty"`
	New  []string `json:"sentences_new,omitempty"`
	// Status is the one now, and Reason why it is archived.
	Status policydoc.Status `json:"status,omitempty"`
	Reason string           `json:"reason,omitempty"`
	// NewlyApproved is set where people approved it in between.
	NewlyApproved bool `json:"newly_approved,omitempty"`

	Before Enforcement `json:"enforced_before"`
	After  Enforcement `json:"enforced_after"`
	// Condition is what the rule requires, with its variables.
	Condition *Texts `json:"condition,omitempty"`
	Message   *Texts `json:"message,omitempty"`
	// Stricter and Laxer are the examples of both sides that the rule now judges
	// worse or better; Undecided those that not both rules can judge.
	Stricter  []Example `json:"stricter,omitempty"`
	Laxer     []Example `json:"laxer,omitempty"`
	Undecided []string  `json:"undecided,omitempty"`
	// Unknown is set where the condition is another and no example is judged
	// otherwise, so that what it changes is not known.
	Unknown bool `json:"unknown,omitempty"`
}

// Loosens reports whether some calls come out better now.
func (p *Policy) Loosens() bool { return len(p.Laxer) > 0 || below(p.After, p.Before) }

// Tightens reports whether some calls come out worse now.
func (p *Policy) Tightens() bool { return len(p.Stricter) > 0 || below(p.Before, p.After) }

// below reports whether calls come out better, at best or at worst, under one
// enforcement than under another.
func below(a, b Enforcement) bool {
	aBest, aWorst := a.bounds()
	bBest, bWorst := b.bounds()
	return severity(aBest) < severity(bBest) || severity(aWorst) < severity(bWorst)
}

// Example is an example that is judged otherwise.
type Example struct {
	Name   string        `json:"example"`
	Before label.Verdict `json:"before"`
	After  label.Verdict `json:"after"`
}

// Sentence is a sentence of the document.
type Sentence struct {
	Text   string `json:"text"`
	Reason string `json:"reason,omitempty"`
}

// Report is all that changes.
type Report struct {
	Document Texts `json:"document"`
	// Edited reports whether the document itself is another.
	Edited   bool     `json:"document_edited"`
	Policies []Policy `json:"policies"`
	// Unmapped are sentences that no policy refers to any more or yet, Mapped
	// those that one refers to now.
	Unmapped []Sentence `json:"unmapped"`
	Mapped   []Sentence `json:"mapped"`
}

// Compare compares two sides.
func Compare(ctx context.Context, before, after Side) (*Report, error) {
	was, err := read(before)
	if err != nil {
		return nil, err
	}
	is, err := read(after)
	if err != nil {
		return nil, err
	}

	r := &Report{Policies: []Policy{}, Unmapped: []Sentence{}, Mapped: []Sentence{}}
	var digests Texts
	r.Document.Before, digests.Before = document(before.Directory)
	r.Document.After, digests.After = document(after.Directory)
	r.Edited = digests.Before != digests.After
	tools := maps.Clone(was.tools)
	maps.Copy(tools, is.tools)
	for _, key := range slices.Sorted(maps.Keys(tools)) {
		r.Policies = append(r.Policies, compareTool(ctx, was.tool(key), is.tool(key))...)
	}
	r.sentences(before.Directory.Unmapped, after.Directory.Unmapped, is)
	return r, nil
}

func document(d *policydoc.Directory) (name, digest string) {
	if d.Lock != nil {
		return d.Lock.Document.Name, d.Lock.Document.Digest
	}
	return "", ""
}

// sentences compares what nothing refers to.
func (r *Report) sentences(before, after *policydoc.Unmapped, now *contents) {
	old, rest := unmapped(before), unmapped(after)
	if after != nil {
		for _, s := range after.Sentences {
			if !old[plain(s.Text)] {
				r.Unmapped = append(r.Unmapped, Sentence{s.Text, s.Reason})
			}
		}
	}
	if before != nil {
		for _, s := range before.Sentences {
			if !rest[plain(s.Text)] && now.refers(s.Text) {
				r.Mapped = append(r.Mapped, Sentence{Text: s.Text})
			}
		}
	}
}

func unmapped(u *policydoc.Unmapped) map[string]bool {
	out := map[string]bool{}
	if u != nil {
		for _, s := range u.Sentences {
			out[plain(s.Text)] = true
		}
	}
	return out
}
