package contract

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/label"
	"go.yaml.in/yaml/v4"
)

const (
	// MaxFile is the size of a contract file in bytes: some two hundred times
	// that of a server with a hundred tools.
	MaxFile = 8 << 20
	// maxMistakes is how many mistakes are reported; nobody reads more, and a
	// hostile file would make megabytes of them.
	maxMistakes = 200
	// maxToolName is the length of a tool's name, as in package schema.
	maxToolName = 512
	// maxList is the length of a list of words in a contract.
	maxList = 10_000
)

// Load reads a contract file; the name stands in errors and positions. All
// mistakes are collected: the error is of type [Errors].
func Load(name string, data []byte) (*File, error) {
	l := &loader{file: name}
	root := l.document(data)
	if root == nil {
		return nil, l.errs
	}
	f := l.contract(root)
	if len(l.errs) > 0 {
		l.errs.Sort()
		return nil, l.errs
	}
	return f, nil
}

// loader reads one file and collects its mistakes.
type loader struct {
	file string
	errs Errors
}

func (l *loader) at(n *yaml.Node) Position {
	return Position{File: l.file, Line: n.Line, Column: n.Column}
}

// fail records a mistake at a node.
func (l *loader) fail(n *yaml.Node, hint, format string, args ...any) {
	if len(l.errs) < maxMistakes {
		l.errs = append(l.errs, &Error{Position: l.at(n), Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// document parses YAML and returns its root, or nil after a mistake.
func (l *loader) document(data []byte) *yaml.Node {
	top := &yaml.Node{}
	switch {
	case len(data) > MaxFile:
		l.fail(top, "split it, one file a server", "the file is larger than %d MiB", MaxFile>>20)
		return nil
	case !utf8.Valid(data):
		l.fail(top, "save it as UTF-8", "the file is not valid UTF-8")
		return nil
	case blank(data):
		l.fail(top, "write version, server and tools, or make it with 'remit contract synth'", "the file is empty")
		return nil
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		l.syntax(err)
		return nil
	}
	root := &doc
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		root = doc.Content[0]
	}
	if root.Kind == 0 || root.ShortTag() == "!!null" {
		l.fail(top, "write version, server and tools, or make it with 'remit contract synth'", "the file is empty")
		return nil
	}
	return root
}

// blank tells whether there is nothing but comments.
func blank(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// syntax records what the YAML parser says.
func (l *loader) syntax(err error) {
	at := &yaml.Node{}
	var where *yaml.LoadError
	message := err.Error()
	if errors.As(err, &where) {
		at.Line, at.Column = where.Mark.Line, where.Mark.Column
		message = where.Message
	}
	l.fail(at, "", "not readable as YAML: %s", strings.TrimPrefix(message, "yaml: "))
}

// keys maps what may be written in a mapping to what reads it.
type keys []key

type key struct {
	name string
	read func(value *yaml.Node)
}

func (k keys) names() []string {
	out := make([]string, len(k))
	for i := range k {
		out[i] = k[i].name
	}
	return out
}

// mapping reads a mapping with known keys and returns which ones it had.
func (l *loader) mapping(n *yaml.Node, what string, known keys) map[string]bool {
	had := make(map[string]bool, len(known))
	l.entries(n, what, func(name string, k, v *yaml.Node) {
		i := slices.IndexFunc(known, func(k key) bool { return k.name == name })
		if i < 0 {
			l.fail(k, didYouMean(name, known.names()), "%s has no key %q", what, clip(name))
			return
		}
		had[name] = true
		known[i].read(v)
	})
	return had
}

// entries reads a mapping with free keys. Keys that stand twice are mistakes:
// a reader would see one and the monitor might follow the other.
func (l *loader) entries(n *yaml.Node, what string, read func(name string, k, v *yaml.Node)) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		l.fail(n, "write 'key: value' lines", "%s must be a mapping, not %s", what, kindOf(n))
		return
	}
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || isNull(k) {
			l.fail(k, "write plain or quoted text before the colon", "a key of %s must be text, not %s", what, kindOf(k))
			continue
		}
		if k.ShortTag() == "!!merge" {
			l.fail(k, "write the members out", "merge keys are not supported in contracts")
			continue
		}
		if line, dup := first[k.Value]; dup {
			l.fail(k, fmt.Sprintf("remove one; the first is in line %d", line), "%q stands twice in %s", clip(k.Value), what)
			continue
		}
		first[k.Value] = k.Line
		if v.Kind == yaml.AliasNode {
			l.fail(v, "write the value out", "aliases are not supported in contracts")
			continue
		}
		read(k.Value, k, v)
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// kindOf names what a node is, for messages.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if isNull(n) {
		return "empty"
	}
	return "text"
}

// text reads a scalar. The type that YAML would give it does not matter: what
// stands there is what was meant, "off" and "1.10" included.
func (l *loader) text(what string, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || isNull(n) {
			l.fail(n, "write text, in quotes if need be", "%s must be text, not %s", what, kindOf(n))
			return
		}
		*into = n.Value
	}
}

// boolean reads true or false.
func (l *loader) boolean(what string, into *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
			l.fail(n, "write true or false", "%s must be true or false", what)
			return
		}
		*into = n.Value == "true"
	}
}

// word reads one of a few words.
func (l *loader) word(what string, known []string, into encoding.TextUnmarshaler) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || isNull(n) {
			l.fail(n, "write "+listing(known, " or "), "%s must be one word, not %s", what, kindOf(n))
			return
		}
		if into.UnmarshalText([]byte(n.Value)) != nil {
			l.fail(n, didYouMean(n.Value, known), "unknown %s %q", what, clip(n.Value))
		}
	}
}

// words reads a list of texts.
func (l *loader) words(what string, into *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		l.list(n, what, func(e *yaml.Node) {
			var s string
			l.text("a member of "+what, &s)(e)
			*into = append(*into, s)
		})
	}
}

// list reads a list.
func (l *loader) list(n *yaml.Node, what string, read func(*yaml.Node)) {
	switch {
	case isNull(n):
		return
	case n.Kind == yaml.ScalarNode:
		l.fail(n, fmt.Sprintf("write [%s]", clip(n.Value)), "%s must be a list", what)
		return
	case n.Kind != yaml.SequenceNode:
		l.fail(n, "write [one, two]", "%s must be a list, not %s", what, kindOf(n))
		return
	case len(n.Content) > maxList:
		l.fail(n, "shorten it", "%s has more than %d members", what, maxList)
		return
	}
	for _, e := range n.Content {
		if e.Kind == yaml.AliasNode {
			l.fail(e, "write the value out", "aliases are not supported in contracts")
			continue
		}
		read(e)
	}
}

// The words of the format.
var (
	trustWords     = []string{"EXTERNAL", "TOOL_OUTPUT", "USER", "TRUSTED"}
	precisionWords = []string{"L0", "L1", "L2", "L3"}
	modeWords      = []string{"off", "ask", "deny"}
	formWords      = []string{"url", "address", "path", "shell", "sql"}
	effectWords    = []string{"read", "write", "destructive", "execute", "egress"}
	roleWords      = []string{"target", "command", "credential", "content", "selector", "control"}
	procedureWords = []string{"directory", "lookup", "source"}
	dischargeWords = []string{"allowlist", "directory", "lookup", "source", "validation", "confirm"}
)

// contract reads the whole file.
func (l *loader) contract(root *yaml.Node) *File {
	f := &File{Position: l.at(root)}
	var version string
	versionAt := root
	badServer := false
	had := l.mapping(root, "a contract file", keys{
		{"version", func(n *yaml.Node) { versionAt = n; l.text("version", &version)(n) }},
		{"server", func(n *yaml.Node) {
			before := len(l.errs)
			l.text("server", &f.Server)(n)
			badServer = len(l.errs) > before
		}},
		{"fingerprint", l.text("fingerprint", &f.Fingerprint)},
		{"precision", l.word("precision", precisionWords, &f.Precision)},
		{"unprovoked", l.word("mode", modeWords, &f.Unprovoked)},
		{"sinks", l.word("mode", modeWords, &f.Sinks)},
		{"settled", l.words("settled", &f.Settled)},
		{"tools", func(n *yaml.Node) {
			l.entries(n, "tools", func(name string, k, v *yaml.Node) { f.Tools = append(f.Tools, l.tool(name, k, v)) })
		}},
	})
	if root.Kind != yaml.MappingNode {
		return f
	}
	switch {
	case !had["version"]:
		l.fail(root, "write 'version: 1' in the first line", "the version of the format is missing")
	case version != strconv.Itoa(Version):
		l.fail(versionAt, "write 'version: 1', or use the release of Remit that wrote the file", "unknown version %q", clip(version))
	default:
		f.Version = Version
	}
	if f.Server == "" && !badServer {
		l.fail(root, "write 'server: NAME', the name that the gateway knows it by", "the server's name is missing")
	}
	if !had["tools"] {
		l.fail(root, "write 'tools:' and the tools' names below it", "the tools are missing")
	}
	return f
}

func (l *loader) tool(name string, k, v *yaml.Node) Tool {
	t := Tool{Position: l.at(k), Name: name}
	if name == "" || len(name) > maxToolName {
		l.fail(k, "write the name that the server uses", "a tool's name has 1 to %d bytes", maxToolName)
	}
	var output, variants *yaml.Node
	had := l.mapping(v, "a tool", keys{
		{"effect", l.word("effect", effectWords, &t.Effect)},
		{"fingerprint", l.text("fingerprint", &t.Fingerprint)},
		{"precision", l.word("precision", precisionWords, &t.Precision)},
		{"unprovoked", l.word("mode", modeWords, &t.Unprovoked)},
		{"sinks", l.word("mode", modeWords, &t.Sinks)},
		{"why", l.text("why", &t.Why)},
		{"review", l.text("review", &t.Review)},
		{"args", func(n *yaml.Node) { t.Args = l.args(n) }},
		{"output", func(n *yaml.Node) { output = n }},
		{"variants", func(n *yaml.Node) { variants = n }},
	})
	if !had["effect"] && (v.Kind == yaml.MappingNode || isNull(v)) {
		l.fail(k, "add 'effect:' and the worst that a call does: "+listing(effectWords, " or "), "tool %q has no effect", clip(name))
	}
	// These two depend on the effect, which may stand behind them.
	t.Output = Output{Position: t.Position, Trust: DefaultOutput(t.Effect)}
	if output != nil {
		l.output(output, &t.Output)
	}
	if variants != nil && !isNull(variants) {
		t.Variants = l.variants(variants, t.Effect)
	}
	return t
}

func (l *loader) args(n *yaml.Node) []Arg {
	var out []Arg
	l.entries(n, "args", func(pattern string, k, v *yaml.Node) {
		l.argPattern(pattern, k)
		out = append(out, l.arg(pattern, k, v))
	})
	return out
}

// argPattern checks a pattern of an argument.
func (l *loader) argPattern(pattern string, at *yaml.Node) {
	if pattern == "" {
		l.fail(at, `write "/**" for all arguments`, "the pattern is empty")
		return
	}
	p, ok := l.pattern(pattern, at)
	if ok && p.Deep() {
		l.fail(at, "write ** as the last segment only, or * for one segment", "pattern %q has a ** before its end", clip(pattern))
	}
}

func (l *loader) pattern(pattern string, at *yaml.Node) (Pattern, bool) {
	p, err := ParsePattern(pattern)
	if err != nil {
		message, hint, _ := strings.Cut(err.Error(), ": write ")
		if hint != "" {
			hint = "write " + hint
		}
		l.fail(at, hint, "%s", message)
	}
	return p, err == nil
}

func (l *loader) arg(pattern string, k, v *yaml.Node) Arg {
	a := Arg{Position: l.at(k), Pattern: pattern}
	had := l.mapping(v, "an argument", keys{
		{"role", l.word("role", roleWords, &a.Role)},
		{"floor", l.word("trust", trustWords, &a.Floor)},
		{"form", l.word("form", formWords, &a.Form)},
		{"forbidden", l.words("forbidden", &a.Forbidden)},
		{"require", l.words("require", &a.Require)},
		{"allow", l.words("allow", &a.Allow)},
		{"discharge", func(n *yaml.Node) {
			l.list(n, "discharge", func(e *yaml.Node) {
				var s string
				l.text("a member of discharge", &s)(e)
				if s != "" && !slices.Contains(dischargeWords, s) {
					l.fail(e, didYouMean(s, dischargeWords), "unknown discharge procedure %q", clip(s))
				}
				a.Discharge = append(a.Discharge, s)
			})
		}},
		{"group", l.text("group", &a.Group)},
		{"why", l.text("why", &a.Why)},
		{"review", l.text("review", &a.Review)},
	})
	if !had["role"] && (v.Kind == yaml.MappingNode || isNull(v)) {
		l.fail(k, "add 'role:' and one of "+listing(roleWords, " or "), "argument %q has no role", clip(pattern))
	}
	if !had["floor"] {
		a.Floor = DefaultFloor(a.Role)
	}
	return a
}

func (l *loader) output(n *yaml.Node, o *Output) {
	o.Position = l.at(n)
	l.mapping(n, "output", keys{
		{"trust", l.word("trust", trustWords, &o.Trust)},
		{"derived", l.boolean("derived", &o.Derived)},
		{"settled", l.boolean("settled", &o.Settled)},
		{"fields", func(n *yaml.Node) {
			l.entries(n, "fields", func(pattern string, k, v *yaml.Node) {
				l.pattern(pattern, k)
				field := Field{Position: l.at(k), Pattern: pattern}
				l.word("trust", trustWords, &field.Trust)(v)
				o.Fields = append(o.Fields, field)
			})
		}},
		{"certify", func(n *yaml.Node) {
			l.list(n, "certify", func(e *yaml.Node) { o.Certify = append(o.Certify, l.certify(e)) })
		}},
		{"review", l.text("review", &o.Review)},
	})
}

func (l *loader) certify(n *yaml.Node) Certify {
	c := Certify{Position: l.at(n), KeyFloor: label.User, Max: label.User}
	had := l.mapping(n, "a certify entry", keys{
		{"procedure", func(n *yaml.Node) {
			l.text("procedure", &c.Procedure)(n)
			if c.Procedure != "" && !slices.Contains(procedureWords, c.Procedure) {
				l.fail(n, didYouMean(c.Procedure, procedureWords), "unknown procedure %q", clip(c.Procedure))
			}
		}},
		{"key", func(n *yaml.Node) {
			l.text("key", &c.Key)(n)
			if n.Kind == yaml.ScalarNode && !isNull(n) {
				l.argPattern(c.Key, n)
			}
		}},
		{"key_floor", l.word("trust", trustWords, &c.KeyFloor)},
		{"by", func(n *yaml.Node) {
			l.text("by", &c.By)(n)
			l.pattern(c.By, n)
		}},
		{"field", func(n *yaml.Node) {
			l.text("field", &c.Field)(n)
			l.pattern(c.Field, n)
		}},
		{"unique", l.boolean("unique", &c.Unique)},
		{"roles", func(n *yaml.Node) {
			l.list(n, "roles", func(e *yaml.Node) {
				var r label.Role
				l.word("role", roleWords, &r)(e)
				c.Roles = append(c.Roles, r)
			})
		}},
		{"max", l.word("trust", trustWords, &c.Max)},
	})
	if n.Kind != yaml.MappingNode {
		return c
	}
	for _, name := range [...]string{"procedure", "key", "field", "roles"} {
		if !had[name] && !(name == "key" && had["by"]) {
			l.fail(n, "write {procedure: directory, key: /argument, field: /member, roles: [target]}", "a certify entry has no %s", name)
		}
	}
	if had["roles"] && len(c.Roles) == 0 {
		l.fail(n, "name the roles that the values may serve, such as [target]", "a certify entry has no roles")
	}
	return c
}

func (l *loader) variants(n *yaml.Node, effect Effect) *Variants {
	v := &Variants{Position: l.at(n)}
	defaultAt := n
	had := l.mapping(n, "variants", keys{
		{"argument", func(n *yaml.Node) {
			l.text("argument", &v.Argument)(n)
			if n.Kind == yaml.ScalarNode && strings.Contains(v.Argument, "*") {
				l.fail(n, "write the JSON pointer of one argument, such as /method", "the verb argument can't be a pattern")
				return
			}
			if n.Kind == yaml.ScalarNode {
				l.argPattern(v.Argument, n)
			}
		}},
		{"default", func(n *yaml.Node) { defaultAt = n; l.text("default", &v.Default)(n) }},
		{"cases", func(n *yaml.Node) {
			l.entries(n, "cases", func(value string, k, e *yaml.Node) {
				v.Cases = append(v.Cases, l.variant(value, k, e, effect))
			})
		}},
	})
	if n.Kind != yaml.MappingNode {
		return v
	}
	if !had["argument"] {
		l.fail(n, "write 'argument: /method', the JSON pointer of the verb", "variants have no argument")
	}
	if len(v.Cases) == 0 {
		l.fail(n, "write 'cases:' and the verb's values below it", "variants have no cases")
	}
	if len(v.Cases) > 0 && v.Default != "" && !slices.ContainsFunc(v.Cases, func(c Case) bool { return c.Value == v.Default }) {
		l.fail(defaultAt, "add the case, or name another", "the default %q is none of the cases", clip(v.Default))
	}
	return v
}

func (l *loader) variant(value string, k, v *yaml.Node, effect Effect) Case {
	c := Case{Position: l.at(k), Value: value}
	var output *yaml.Node
	l.mapping(v, "a case", keys{
		{"effect", l.word("effect", effectWords, &c.Effect)},
		{"unprovoked", l.word("mode", modeWords, &c.Unprovoked)},
		{"args", func(n *yaml.Node) { c.Args = l.args(n) }},
		{"output", func(n *yaml.Node) { output = n }},
		{"why", l.text("why", &c.Why)},
		{"review", l.text("review", &c.Review)},
	})
	if output != nil && !isNull(output) {
		if c.Effect != "" {
			effect = c.Effect
		}
		c.Output = &Output{Trust: DefaultOutput(effect)}
		l.output(output, c.Output)
	}
	return c
}
