// Package change compares two compiled policy documents: which policies are added,
// removed and changed, which are no longer enforced, and which rules are stricter or
// laxer.
package change

import (
	"context"
	"maps"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// Side is one of the two compiled documents.
type Side struct {
	Directory *policydoc.Directory
	// Guards are the compiled guards of the directory. Rules of files with mistakes are
	// not compared.
	Guards *guard.Set
}

// Kind is what happened to a policy.
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

// Enforcement is how a policy is enforced.
type Enforcement string

// The enforcements.
const (
	// None is for a policy without a rule.
	None Enforcement = "none"
	// Checked calls are held to the rule's condition, and denied by it;
	// CheckedAsking ones are held back for a person.
	Checked       Enforcement = "checked"
	CheckedAsking Enforcement = "checked-asking"
	// Denied and Asked is every call whose rule has no condition.
	Denied Enforcement = "denied"
	Asked  Enforcement = "asked"
)

// bounds returns the mildest and the strictest verdict of calls.
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

// Texts is a text before and after.
type Texts struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Policy is what changes about one policy. Fields without a change are empty.
type Policy struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Policy string `json:"policy"`
	Change Kind   `json:"change"`
	// Was is the policy's previous name, if it was renamed.
	Was string `json:"was,omitempty"`
	// Text is the policy's description, or the message of a policy that is only in the
	// guard.
	Text        string `json:"text"`
	Description *Texts `json:"description,omitempty"`
	// Gone are the sentences that it no longer refers to, New those that it refers to
	// now.
	Gone []string `json:"sentences_gone,omitempty"`
	New  []string `json:"sentences_new,omitempty"`
	// Status is the current status; Reason says why the policy is archived.
	Status policydoc.Status `json:"status,omitempty"`
	Reason string           `json:"reason,omitempty"`
	// NewlyApproved is set if people approved it in between.
	NewlyApproved bool `json:"newly_approved,omitempty"`

	Before Enforcement `json:"enforced_before"`
	After  Enforcement `json:"enforced_after"`
	// Condition is what the rule requires, with its variables.
	Condition *Texts `json:"condition,omitempty"`
	Message   *Texts `json:"message,omitempty"`
	// Stricter and Laxer are the examples of both sides that now have a stricter or
	// milder verdict; Undecided those that only one rule can decide.
	Stricter  []Example `json:"stricter,omitempty"`
	Laxer     []Example `json:"laxer,omitempty"`
	Undecided []string  `json:"undecided,omitempty"`
	// Unknown is set if the condition changed and every example has the same verdict,
	// so that the effect is not known.
	Unknown bool `json:"unknown,omitempty"`
}

// Loosens reports whether some calls have a milder verdict now.
func (p *Policy) Loosens() bool { return len(p.Laxer) > 0 || below(p.After, p.Before) }

// Tightens reports whether some calls have a stricter verdict now.
func (p *Policy) Tightens() bool { return len(p.Stricter) > 0 || below(p.Before, p.After) }

// below reports whether the mildest or the strictest verdict is milder under one
// enforcement than under another.
func below(a, b Enforcement) bool {
	aBest, aWorst := a.bounds()
	bBest, bWorst := b.bounds()
	return severity(aBest) < severity(bBest) || severity(aWorst) < severity(bWorst)
}

// Example is an example whose verdict changed.
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

// Report is everything that changes.
type Report struct {
	Document Texts `json:"document"`
	// Edited reports whether the document itself changed.
	Edited   bool     `json:"document_edited"`
	Policies []Policy `json:"policies"`
	// Unmapped are the sentences that no policy refers to now, Mapped those that a
	// policy refers to now.
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

// sentences compares the sentences that no policy refers to.
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
