package guard

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

const (
	// MaxFile bounds the size of a guard file in bytes. A tool with a hundred
	// policies and ten examples each needs a tenth of it.
	MaxFile = 4 << 20
	// MaxPolicies bounds the policies of a file, and its duties.
	MaxPolicies = 256
	// MaxVariables bounds the variables of a rule.
	MaxVariables = 64
	// MaxExpression bounds the length of an expression in bytes. A longer one is
	// several policies, or needs variables.
	MaxExpression = 8 << 10
	// maxExamples bounds the examples of a policy.
	maxExamples = 1000
)

// Load reads a guard file. The name appears in errors and positions. It collects all
// mistakes: the error is of type [Errors]. It doesn't check expressions: see
// [Compile]. Examples may refer to samples, as to the records of the file.
func Load(name string, data []byte, samples ...Record) (*File, error) {
	var f *File
	err := strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: MaxFile, TooLarge: "split the policies, or leave examples out",
		Empty: "write 'tool:' and 'policies:'",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		l := &loader{Reader: r, lines: strings.Split(string(data), "\n"), samples: samples}
		f = l.guard(root)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// loader reads the members of one file.
type loader struct {
	*strictyaml.Reader
	lines   []string
	file    *File
	samples []Record
	names   map[string]bool // of the policies and duties so far
	// histories are beginnings of histories that examples refer to.
	histories map[string][]Entry
}

// The words of the format.
var (
	otherwiseWords = []string{"deny", "ask"}
	verdictWords   = []string{"allow", "deny", "ask"}
)

// verdictWord is a [label.Verdict] as a file spells it.
type verdictWord label.Verdict

// UnmarshalText implements [encoding.TextUnmarshaler].
func (v *verdictWord) UnmarshalText(text []byte) error {
	parsed, err := label.ParseVerdict(string(text))
	*v = verdictWord(parsed)
	return err
}

func (l *loader) guard(root *strictyaml.Node) *File {
	f := &File{Position: l.At(root), Otherwise: label.Deny}
	l.file, l.names = f, map[string]bool{}
	var policies, duties, records, histories *strictyaml.Node
	had := l.Mapping(root, "a guard file", strictyaml.Keys{
		"tool":      l.Text("tool", &f.Tool),
		"server":    l.Text("server", &f.Server),
		"otherwise": l.otherwise(&f.Otherwise),
		"policies":  func(n *strictyaml.Node) { policies = n },
		"duties":    func(n *strictyaml.Node) { duties = n },
		"records":   func(n *strictyaml.Node) { records = n },
		"histories": func(n *strictyaml.Node) { histories = n },
	})

	if !strictyaml.IsMapping(root) {
		return f
	}

	if had["tool"] == nil || f.Tool == "" {
		l.Fail(root, "write 'tool: NAME', the tool whose calls the policies are about, or 'tool: \"*\"' for every tool", "the tool's name is missing")
	}
	if policies == nil && duties == nil {
		l.Fail(root, "write 'policies:' and the policies below it", "there are no policies")
	}
	l.shared(records, histories)
	if policies != nil {
		l.List(policies, "policies", func(n *strictyaml.Node) {
			if len(f.Policies) < MaxPolicies {
				f.Policies = append(f.Policies, l.policy(n))
			} else if len(f.Policies) == MaxPolicies {
				l.Fail(n, "combine policies", "a tool has more than %d policies", MaxPolicies)
			}
		})
	}

	if duties != nil {
		l.List(duties, "duties", func(n *strictyaml.Node) {
			if len(f.Duties) < MaxPolicies {
				f.Duties = append(f.Duties, l.duty(n))
			} else if len(f.Duties) == MaxPolicies {
				l.Fail(n, "combine duties", "a tool has more than %d duties", MaxPolicies)
			}
		})
	}

	f.samples = slices.DeleteFunc(slices.Clone(l.samples), func(r Record) bool {
		return !slices.ContainsFunc(f.Policies, func(p Policy) bool { return slices.Contains(p.Guessed, r.Tool) })
	})
	return f
}

func (l *loader) otherwise(into *label.Verdict) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		l.Word("word", otherwiseWords, (*verdictWord)(into))(n)
		if *into == label.Allow {
			l.Fail(n, "write deny or ask", "a violation can't allow the call")
		}
	}
}

func (l *loader) policy(n *strictyaml.Node) Policy {
	p := Policy{Position: l.At(n), Otherwise: l.file.Otherwise}

	had := l.Mapping(n, "a policy", strictyaml.Keys{
		"name":       l.name(&p.Name),
		"tools":      l.Texts("tools", &p.Tools),
		"references": l.Texts("references", &p.References),
		"variables":  func(n *strictyaml.Node) { p.Variables = l.variables(n) },
		"require":    l.expression("require", &p.Require),
		"message":    l.Text("message", &p.Message),
		"otherwise":  l.otherwise(&p.Otherwise),
		"guessed":    l.guessed(&p),
		"examples":   func(n *strictyaml.Node) { p.Examples = l.examples(n, l.file.Tool == EveryTool) },
	})
	if strictyaml.IsMapping(n) {
		l.needed(n, had, "policy", "name", "message")
	}
	if had["tools"] != nil && l.file.Tool != EveryTool {
		l.Fail(had["tools"], "leave it out, or move the policy to the file with 'tool: \"*\"'", "only policies of the file for every tool are about several tools")
	}
	return p
}

func (l *loader) duty(n *strictyaml.Node) Duty {
	d := Duty{Position: l.At(n)}
	had := l.Mapping(n, "a duty", strictyaml.Keys{
		"name":       l.name(&d.Name),
		"references": l.Texts("references", &d.References),
		"when":       l.expression("when", &d.When),
		"require":    l.expression("require", &d.Require),
		"message":    l.Text("message", &d.Message),
		"examples":   func(n *strictyaml.Node) { d.Examples = l.examples(n, false) },
	})
	if strictyaml.IsMapping(n) {
		l.needed(n, had, "duty", "name", "require", "message")
	}
	return d
}

// needed reports the keys that an entry lacks; what names the kind of entry.
func (l *loader) needed(n *strictyaml.Node, had map[string]*strictyaml.Node, what string, names ...string) {
	for _, name := range names {
		if had[name] == nil {
			l.Fail(n, "add '"+name+":'", "the %s has no %s", what, name)
		}
	}
}

func (l *loader) name(into *string) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		l.Text("name", into)(n)
		if *into != "" && l.names[*into] {
			l.Fail(n, "give every policy and duty a name of its own", "the name %q is used already", strictyaml.Clip(*into))
		}
		l.names[*into] = true
	}
}

func (l *loader) expression(what string, into *Expression) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		l.Text(what, &into.Text)(n)
		into.Position = l.At(n)
		switch {
		case !strictyaml.Scalar(n):
		case strings.TrimSpace(into.Text) == "":
			l.Fail(n, "write a CEL expression, or leave it out", "%s is empty", what)
		case len(into.Text) > MaxExpression:
			l.Fail(n, "use variables, or make several policies of it", "%s is longer than %d bytes", what, MaxExpression)
		default:
			into.places = placesOf(l.lines, into.Position, n)
			into.Position = into.places.position(0, into.Position)
		}
	}
}

func (l *loader) variables(n *strictyaml.Node) []Variable {
	var out []Variable
	l.Entries(n, "variables", func(name string, k, v *strictyaml.Node) {
		switch {
		case !identifier(name) || reserved(name):
			l.Fail(k, "use letters, digits and underscores, and none of the words that expressions have already", "%q can't be the name of a variable", strictyaml.Clip(name))
			return
		case len(out) == MaxVariables:
			l.Fail(k, "make several policies of it", "a policy has more than %d variables", MaxVariables)
			return
		}
		variable := Variable{Name: name}
		l.expression("a variable", &variable.Value)(v)
		out = append(out, variable)
	})
	return out
}

func identifier(name string) bool {
	for i, c := range name {
		later := i > 0 && isDigit(c)
		if !isLetter(c) && !later {
			return false
		}
	}
	return name != ""
}

// isLetter reports whether names in expressions may begin with c.
func isLetter(c rune) bool {
	lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
	return c == '_' || lower || upper
}

func isDigit(c rune) bool { return '0' <= c && c <= '9' }
