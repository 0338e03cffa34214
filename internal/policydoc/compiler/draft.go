package compiler

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// draft is a policy while it is found.
type draft struct {
	name, description string
	// tools are the keys of those that share it; nil for a policy of one tool.
	tools []string
	// sentences are the ids of those that it refers to, in the document's order.
	sentences              []string
	compliance, violations []string
	// archived says why it isn't enforceable; empty where it is.
	archived string
}

// policy returns the draft as a policy of the mapping file.
func (d *draft) policy(c *corpus) *policydoc.Policy {
	i := &policydoc.Policy{
		Name: d.name, Description: d.description, Tools: d.tools, References: c.quotes(d.sentences),
		Status: policydoc.Proposed, Compliance: d.compliance, Violations: d.violations,
	}
	if d.archived != "" {
		i.Status, i.Reason = policydoc.Archived, d.archived
	}
	return i
}

// policyAnswer is a policy in an answer.
type policyAnswer struct {
	Name        string `json:"name" jsonschema:"two to five words in lower case with hyphens"`
	Description string `json:"description" jsonschema:"complete and on its own"`
	Sentences   []int  `json:"sentences" jsonschema:"numbers of sentences"`
}

// shownPolicy is a policy as prompts show it.
type shownPolicy struct {
	Name, Description, Sentences string
	// Archived says why no program is to enforce it.
	Archived                       string
	Quotes, Compliance, Violations []string
}

func (c *corpus) shown(drafts []*draft) []shownPolicy {
	out := make([]shownPolicy, len(drafts))
	for i, d := range drafts {
		out[i] = shownPolicy{Name: d.name, Description: d.description, Sentences: ranges(c.numbers(d.sentences)), Archived: d.archived,
			Compliance: d.compliance, Violations: d.violations}
		for _, t := range c.quotes(d.sentences) {
			out[i].Quotes = append(out[i].Quotes, prompt.Quoted(t))
		}
	}
	return out
}

// check says what is wrong with a policy of an answer.
func (p *policyAnswer) check(c *corpus) []string {
	var wrong []string
	if slug(p.Name) == "" {
		wrong = append(wrong, fmt.Sprintf("a policy has the name %q: use words of the letters a to z and digits, with hyphens", p.Name))
	}
	if strings.TrimSpace(p.Description) == "" {
		wrong = append(wrong, fmt.Sprintf("the policy %q has no description", p.Name))
	}
	return append(wrong, c.checkNumbers(p.Name, p.Sentences)...)
}

// checkNumbers says which of a policy's sentences there aren't.
func (c *corpus) checkNumbers(name string, numbers []int) []string {
	var wrong []string
	if len(numbers) == 0 {
		wrong = append(wrong, fmt.Sprintf("the policy %q names no sentence", name))
	}
	for _, n := range numbers {
		if _, ok := c.sentence(n); !ok {
			wrong = append(wrong, fmt.Sprintf("the policy %q: there is no sentence %d", name, n))
		}
	}
	return wrong
}

// mistakes returns an error of all that is wrong; nil where nothing is.
func mistakes(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	const most = 20
	if len(wrong) > most {
		wrong = append(wrong[:most], fmt.Sprintf("and %d more", len(wrong)-most))
	}
	return errors.New(strings.Join(wrong, "\n"))
}

// names gives drafts unique names.
type names map[string]bool

// take makes a name of the form that policies have, with a number after it where it is taken.
func (n names) take(name string) string {
	name = slug(name)
	unique := name
	for i := 2; n[unique]; i++ {
		number := fmt.Sprintf("-%d", i)
		unique = strings.TrimRight(name[:min(len(name), longestName-len(number))], "-") + number
	}
	n[unique] = true
	return unique
}

// longestName bounds the names that are given here, in bytes.
const longestName = 80

// slug returns a name in lower-case letters and digits with hyphens: letters without their
// accents, and no others, as [policydoc.ValidName] wants it.
func slug(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKD.String(name)))
	fields := strings.FieldsFunc(plain, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	out := strings.Join(fields, "-")
	return strings.TrimRight(out[:min(len(out), longestName)], "-")
}

// drafts makes drafts of the policies of an answer.
func (c *corpus) drafts(answers []policyAnswer, taken names) []*draft {
	out := make([]*draft, len(answers))
	for i, a := range answers {
		out[i] = &draft{name: taken.take(a.Name), description: strings.TrimSpace(a.Description), sentences: c.idsOf(a.Sentences)}
	}
	return out
}

// named returns the draft of a name; nil when there is none.
func named(drafts []*draft, name string) *draft {
	i := slices.IndexFunc(drafts, func(d *draft) bool { return d.name == slug(name) })
	if i < 0 {
		return nil
	}
	return drafts[i]
}

// checkNamed says which policies of an answer there aren't, and which of them are
// missing in it.
func checkNamed(drafts []*draft, answered []string) []string {
	var wrong []string
	seen := map[string]bool{}
	for _, name := range answered {
		if named(drafts, name) == nil {
			wrong = append(wrong, fmt.Sprintf("there is no policy %q", name))
		}
		seen[slug(name)] = true
	}
	for _, d := range drafts {
		if !seen[d.name] {
			wrong = append(wrong, fmt.Sprintf("there is no answer for the policy %q", d.name))
		}
	}
	return wrong
}
