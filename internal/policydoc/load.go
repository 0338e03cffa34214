package policydoc

import (
	"github.com/remit-project/remit/internal/strictyaml"
)

const (
	// maxMapping bounds the size of a mapping file and of unmapped.yaml, in bytes: the
	// sentences of a thousand pages fit.
	maxMapping = 16 << 20
	// MaxPolicies bounds the policies of a tool.
	MaxPolicies = 1000
	// maxUnmapped bounds the sentences of unmapped.yaml: as many as a document may
	// have.
	maxUnmapped = 100_000
	// maxName bounds the name of a policy, in bytes.
	maxName = 100
)

// LoadMapping reads a mapping file. The name appears in errors and positions. It
// collects all mistakes: the error is of type [strictyaml.Errors].
func LoadMapping(name string, data []byte) (*Mapping, error) {
	m := &Mapping{}
	err := strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: maxMapping, TooLarge: "a tool has fewer policies: leave some out",
		Empty: "write 'tool:' and 'policies:'",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		l := &loader{Reader: r, names: map[string]bool{}}
		l.mapping(root, m)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// LoadUnmapped reads unmapped.yaml.
func LoadUnmapped(name string, data []byte) (*Unmapped, error) {
	u := &Unmapped{}
	err := strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: maxMapping, TooLarge: "leave sentences out; the next compilation writes them again",
		MaxList: maxUnmapped,
		Empty:   "write 'document:' and 'sentences:', or remove the file",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		l := &loader{Reader: r}
		l.Mapping(root, "the file", strictyaml.Keys{
			"document": l.Text("document", &u.Document),
			"sentences": func(n *strictyaml.Node) {
				l.List(n, "sentences", func(n *strictyaml.Node) { u.Sentences = append(u.Sentences, l.unmapped(n)) })
			},
		})
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// loader reads the members of one file.
type loader struct {
	*strictyaml.Reader
	tool  string
	names map[string]bool // of the policies so far
}

func (l *loader) mapping(root *strictyaml.Node, m *Mapping) {
	m.Position = l.At(root)
	var policies *strictyaml.Node
	had := l.Mapping(root, "a mapping file", strictyaml.Keys{
		"tool":     l.Text("tool", &m.Tool),
		"server":   l.Text("server", &m.Server),
		"policies": func(n *strictyaml.Node) { policies = n },
	})

	if l.tool = m.Tool; policies != nil {
		l.List(policies, "policies", func(n *strictyaml.Node) {
			if len(m.Policies) < MaxPolicies {
				m.Policies = append(m.Policies, l.policy(n))
			} else if len(m.Policies) == MaxPolicies {
				l.Fail(n, "combine policies", "a tool has more than %d policies", MaxPolicies)
			}
		})
	}

	if !strictyaml.IsMapping(root) {
		return
	}

	if m.Tool == "" {
		l.Fail(root, "write 'tool: NAME', or 'tool: \"*\"' for policies about every call", "the tool's name is missing")
	}
	if had["policies"] == nil {
		l.Fail(root, "write 'policies:' and the policies below it", "there are no policies")
	}
}

var statuses = []string{string(Proposed), string(Approved), string(Archived)}

func (l *loader) policy(n *strictyaml.Node) Policy {
	i := Policy{Position: l.At(n), Status: Proposed}
	had := l.Mapping(n, "a policy", strictyaml.Keys{
		"name":                l.name(&i.Name),
		"description":         l.Text("description", &i.Description),
		"tools":               l.Texts("tools", &i.Tools),
		"references":          l.Texts("references", &i.References),
		"status":              l.Word("status", statuses, &i.Status),
		"reason":              l.Text("reason", &i.Reason),
		"compliance_examples": l.Texts("compliance_examples", &i.Compliance),
		"violation_examples":  l.Texts("violation_examples", &i.Violations),
		"conflicts": func(n *strictyaml.Node) {
			l.List(n, "conflicts", func(n *strictyaml.Node) { i.Conflicts = append(i.Conflicts, l.conflict(n)) })
		},
	})

	if strictyaml.IsMapping(n) {
		for _, name := range [...]string{"name", "description"} {
			if had[name] == nil {
				l.Fail(n, "add '"+name+":'", "the policy has no %s", name)
			}
		}
	}
	if had["tools"] != nil && l.tool != EveryTool {
		l.Fail(had["tools"], "leave it out, or move the policy to the mapping with 'tool: \"*\"'", "only policies of the mapping for every tool are about several tools")
	}

	return i
}

func (l *loader) name(into *string) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		l.Text("name", into)(n)
		switch {
		case !strictyaml.Scalar(n):
		case !ValidName(*into):
			l.Fail(n, "use lower-case letters, digits and hyphens, such as refund-within-30-days", "%q can't be the name of a policy", strictyaml.Clip(*into))
		case l.names[*into]:
			l.Fail(n, "give every policy a name of its own", "there is a policy named %q already", strictyaml.Clip(*into))
		}
		l.names[*into] = true
	}
}

// ValidName reports whether a policy may have the name: words of lower-case letters and
// digits, with hyphens between them, and at most 100 bytes.
func ValidName(name string) bool {
	for i := range len(name) {
		c := name[i]
		lower, digit := 'a' <= c && c <= 'z', '0' <= c && c <= '9'
		between := c == '-' && i > 0 && i < len(name)-1 && name[i-1] != '-'
		if !lower && !digit && !between {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

func (l *loader) conflict(n *strictyaml.Node) Conflict {
	c := Conflict{}
	had := l.Mapping(n, "a conflict", strictyaml.Keys{
		"field":     l.Text("field", &c.Field),
		"generated": l.Text("generated", &c.Generated),
	})
	if strictyaml.IsMapping(n) && (had["field"] == nil || had["generated"] == nil) {
		l.Fail(n, "write {field: …, generated: …}, or remove the conflict to keep what the policy says", "the conflict lacks a field or a value")
	}
	return c
}

func (l *loader) unmapped(n *strictyaml.Node) UnmappedSentence {
	s := UnmappedSentence{}
	had := l.Mapping(n, "a sentence", strictyaml.Keys{
		"text":   l.Text("text", &s.Text),
		"reason": l.Text("reason", &s.Reason),
	})
	if strictyaml.IsMapping(n) && had["text"] == nil {
		l.Fail(n, "write {text: …, reason: …}", "the sentence has no text")
	}
	return s
}
