package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

const (
	// MaxFile is the maximum size of a contract file in bytes: about two hundred
	// times the size for a server with a hundred tools.
	MaxFile = 8 << 20
	// maxToolName is the maximum length of a tool's name, as in package schema.
	maxToolName = 512
)

// Load parses and validates a contract file. Errors and positions call it by name.
// It collects all mistakes in an error of type [Errors].
func Load(name string, data []byte) (*File, error) {
	var f *File
	err := strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: MaxFile, TooLarge: "split it, one file a server",
		Empty: "write version, server and tools, or make it with 'remit contract synth'",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		l := &loader{r}
		f = l.contract(root)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// loader reads one file.
type loader struct{ *strictyaml.Reader }

// The words of the format.
var (
	trustWords     = label.TrustWords()
	precisionWords = []string{"L0", "L1", "L2", "L3"}
	modeWords      = []string{string(Off), string(Ask), string(Deny)}
	formWords      = []string{"url", "address", "path", "shell", "sql"}
	effectWords    = []string{"read", "write", "destructive", "execute", "egress"}
	roleWords      = []string{"target", "command", "credential", "content", "selector", "control"}
	outputWords    = []string{"text", "json", "yaml", "python", "table", "list", "lines", "outline"}
	procedureWords = []string{"directory", "lookup", "source"}
	dischargeWords = []string{"allowlist", "directory", "lookup", "source", "validation", "confirm"}
)

// contract reads the whole file.
func (l *loader) contract(root *strictyaml.Node) *File {
	f := &File{Position: l.At(root)}
	var version string
	versionAt := root
	badServer := false

	had := l.Mapping(root, "a contract file", strictyaml.Keys{
		"version": func(n *strictyaml.Node) { versionAt = n; l.Text("version", &version)(n) },
		"server": func(n *strictyaml.Node) {
			before := l.Mistakes()
			l.Text("server", &f.Server)(n)
			badServer = l.Mistakes() > before
		},
		"fingerprint": l.Text("fingerprint", &f.Fingerprint),
		"precision":   l.Word("precision", precisionWords, &f.Precision),
		"unprovoked":  l.Word("mode", modeWords, &f.Unprovoked),
		"sinks":       l.Word("mode", modeWords, &f.Sinks),
		"settled":     l.Texts("settled", &f.Settled),
		"tools": func(n *strictyaml.Node) {
			l.Entries(n, "tools", func(name string, k, v *strictyaml.Node) { f.Tools = append(f.Tools, l.tool(name, k, v)) })
		},
	})

	if !strictyaml.IsMapping(root) {
		return f
	}

	switch {
	case had["version"] == nil:
		l.Fail(root, "write 'version: 1' in the first line", "the version of the format is missing")
	case version != strconv.Itoa(Version):
		l.Fail(versionAt, "write 'version: 1', or use the release of Remit that wrote the file", "unknown version %q", strictyaml.Clip(version))
	default:
		f.Version = Version
	}

	if f.Server == "" && !badServer {
		l.Fail(root, "write 'server: NAME', the name that the gateway knows it by", "the server's name is missing")
	}
	if had["tools"] == nil {
		l.Fail(root, "write 'tools:' and the tools' names below it", "the tools are missing")
	}

	return f
}

func (l *loader) tool(name string, k, v *strictyaml.Node) Tool {
	t := Tool{Position: l.At(k), Name: name}
	if name == "" || len(name) > maxToolName {
		l.Fail(k, "write the name that the server uses", "a tool's name has 1 to %d bytes", maxToolName)
	}

	t.Output = Output{Position: t.Position, Trust: DefaultOutput}
	var variants *strictyaml.Node
	had := l.Mapping(v, "a tool", strictyaml.Keys{
		"effect":      l.Word("effect", effectWords, &t.Effect),
		"fingerprint": l.Text("fingerprint", &t.Fingerprint),
		"precision":   l.Word("precision", precisionWords, &t.Precision),
		"unprovoked":  l.Word("mode", modeWords, &t.Unprovoked),
		"sinks":       l.Word("mode", modeWords, &t.Sinks),
		"why":         l.Text("why", &t.Why),
		"review":      l.Text("review", &t.Review),
		"approved":    func(n *strictyaml.Node) { t.Approved = l.approved(n) },
		"args":        func(n *strictyaml.Node) { t.Args = l.args(n) },
		"output":      func(n *strictyaml.Node) { l.output(n, &t.Output) },
		"variants":    func(n *strictyaml.Node) { variants = n },
		"unwrap":      func(n *strictyaml.Node) { t.Unwrap = l.unwrap(n) },
	})

	if had["effect"] == nil && (strictyaml.IsMapping(v)) {
		l.Fail(k, "add 'effect:' and the worst that a call does: "+strictyaml.Listing(effectWords, " or "), "tool %q has no effect", strictyaml.Clip(name))
	}
	if variants != nil && !strictyaml.Null(variants) {
		t.Variants = l.variants(variants)
	}

	if t.Unwrap != nil && t.Variants != nil {
		l.Fail(variants, "give the variants to the tools that it calls", "a tool that is unwrapped has no variants of its own")
	}

	return t
}

func (l *loader) approved(n *strictyaml.Node) []Approved {
	var out []Approved
	l.List(n, "approved", func(call *strictyaml.Node) {
		a := Approved{}
		l.Entries(call, "an approved call", func(pointer string, k, v *strictyaml.Node) {
			var value string
			l.Text("the value of an argument", &value)(v)
			if !strings.HasPrefix(pointer, "/") {
				l.Fail(k, "write the argument as /path", "%q is not a JSON pointer", strictyaml.Clip(pointer))
			}
			a[pointer] = value
		})

		if len(a) == 0 {
			l.Fail(call, "write the arguments that decide, as {/path: /srv/notes/a.txt}, or unprovoked: off for every call of the tool", "the approved call has no arguments")
		}
		out = append(out, a)
	})

	if len(out) > maxApproved {
		l.Fail(n, "allow the values in args, or leave some out", "more than %d calls are approved", maxApproved)
	}
	return out
}

func (l *loader) args(n *strictyaml.Node) []Arg {
	var out []Arg
	l.Entries(n, "args", func(pattern string, k, v *strictyaml.Node) {
		l.argPattern(pattern, k)
		out = append(out, l.arg(pattern, k, v))
	})
	return out
}

// argPattern checks the pattern of an argument.
func (l *loader) argPattern(pattern string, at *strictyaml.Node) {
	if pattern == "" {
		l.Fail(at, `write "/**" for all arguments`, "the pattern is empty")
		return
	}
	p, ok := l.pattern(pattern, at)
	if ok && p.Deep() {
		l.Fail(at, "write ** as the last segment only, or * for one segment", "pattern %q has a ** before its end", strictyaml.Clip(pattern))
	}
}

func (l *loader) pattern(pattern string, at *strictyaml.Node) (Pattern, bool) {
	p, err := ParsePattern(pattern)
	if err != nil {
		message, hint, _ := strings.Cut(err.Error(), ": write ")
		if hint != "" {
			hint = "write " + hint
		}
		l.Fail(at, hint, "%s", message)
	}
	return p, err == nil
}

func (l *loader) arg(pattern string, k, v *strictyaml.Node) Arg {
	a := Arg{Position: l.At(k), Pattern: pattern}
	had := l.Mapping(v, "an argument", strictyaml.Keys{
		"role":      l.Word("role", roleWords, &a.Role),
		"floor":     l.Word("trust", trustWords, &a.Floor),
		"form":      l.Word("form", formWords, &a.Form),
		"forbidden": l.Texts("forbidden", &a.Forbidden),
		"require":   l.Texts("require", &a.Require),
		"allow":     l.Texts("allow", &a.Allow),
		"discharge": func(n *strictyaml.Node) {
			l.List(n, "discharge", func(e *strictyaml.Node) {
				var s string
				l.Text("a member of discharge", &s)(e)
				if s != "" && !slices.Contains(dischargeWords, s) {
					l.Fail(e, strictyaml.DidYouMean(s, dischargeWords), "unknown discharge procedure %q", strictyaml.Clip(s))
				}
				a.Discharge = append(a.Discharge, s)
			})
		},
		"group":  l.Text("group", &a.Group),
		"why":    l.Text("why", &a.Why),
		"review": l.Text("review", &a.Review),
	})

	if had["role"] == nil && (strictyaml.IsMapping(v)) {
		l.Fail(k, "add 'role:' and one of "+strictyaml.Listing(roleWords, " or "), "argument %q has no role", strictyaml.Clip(pattern))
	}
	if had["floor"] == nil {
		a.Floor = DefaultFloor(a.Role)
	}

	return a
}

func (l *loader) output(n *strictyaml.Node, o *Output) {
	o.Position = l.At(n)

	l.Mapping(n, "output", strictyaml.Keys{
		"trust":   l.Word("trust", trustWords, &o.Trust),
		"derived": l.Boolean("derived", &o.Derived),
		"format":  l.Word("format", outputWords, &o.Format),
		"returns": l.returns(&o.Returns),
		"shapes":  l.shapes(&o.Shapes),
		"settled": l.Boolean("settled", &o.Settled),
		"fields": func(n *strictyaml.Node) {
			l.Entries(n, "fields", func(pattern string, k, v *strictyaml.Node) {
				l.pattern(pattern, k)
				field := Field{Position: l.At(k), Pattern: pattern}
				l.Word("trust", trustWords, &field.Trust)(v)
				o.Fields = append(o.Fields, field)
			})
		},
		"certify": func(n *strictyaml.Node) {
			l.List(n, "certify", func(e *strictyaml.Node) { o.Certify = append(o.Certify, l.certify(e)) })
		},
		"review": l.Text("review", &o.Review),
	})
}

// returns reads the members of a result.
func (l *loader) returns(into *[]string) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		l.List(n, "returns", func(e *strictyaml.Node) {
			var pattern string
			before := l.Mistakes()
			l.Text("returns", &pattern)(e)
			if l.Mistakes() > before {
				return
			}
			if _, ok := l.pattern(pattern, e); ok {
				*into = append(*into, pattern)
			}
		})
		if len(*into) > MaxReturns {
			l.Fail(n, "name the members that records are found by", "more than %d members in returns", MaxReturns)
		}
	}
}

// shapes reads how a template writes a result.
func (l *loader) shapes(into *[]string) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		l.List(n, "shapes", func(e *strictyaml.Node) {
			var shape string
			before := l.Mistakes()
			l.Text("shapes", &shape)(e)
			if l.Mistakes() > before {
				return
			}
			if _, err := serialized.Pin(shape); err != nil {
				l.Fail(e, "", "a shape is %s", err)
			}
			*into = append(*into, shape)
		})
		if len(*into) > MaxShapes {
			l.Fail(n, "name the format if the tool's source has a serializer", "more than %d shapes", MaxShapes)
		}
	}
}

func (l *loader) certify(n *strictyaml.Node) Certify {
	c := Certify{Position: l.At(n), KeyFloor: label.User, Max: label.User}
	had := l.Mapping(n, "a certify entry", strictyaml.Keys{
		"procedure": func(n *strictyaml.Node) {
			l.Text("procedure", &c.Procedure)(n)
			if c.Procedure != "" && !slices.Contains(procedureWords, c.Procedure) {
				l.Fail(n, strictyaml.DidYouMean(c.Procedure, procedureWords), "unknown procedure %q", strictyaml.Clip(c.Procedure))
			}
		},
		"key": func(n *strictyaml.Node) {
			l.Text("key", &c.Key)(n)
			if strictyaml.Scalar(n) {
				l.argPattern(c.Key, n)
			}
		},
		"key_floor": l.Word("trust", trustWords, &c.KeyFloor),
		"by": func(n *strictyaml.Node) {
			l.Text("by", &c.By)(n)
			l.pattern(c.By, n)
		},
		"field": func(n *strictyaml.Node) {
			l.Text("field", &c.Field)(n)
			l.pattern(c.Field, n)
		},
		"unique": l.Boolean("unique", &c.Unique),
		"exact":  l.Boolean("exact", &c.Exact),
		"made":   l.Boolean("made", &c.Made),
		"of":     l.Texts("of", &c.Of),
		"roles": func(n *strictyaml.Node) {
			l.List(n, "roles", func(e *strictyaml.Node) {
				var r label.Role
				l.Word("role", roleWords, &r)(e)
				c.Roles = append(c.Roles, r)
			})
		},
		"max": l.Word("trust", trustWords, &c.Max),
	})

	if !strictyaml.IsMapping(n) {
		return c
	}
	for _, name := range [...]string{"procedure", "key", "field", "roles"} {
		named := name == "key" && (had["by"] != nil || c.Made)
		if had[name] == nil && !named {
			l.Fail(n, "write {procedure: directory, key: /argument, field: /member, roles: [target]}", "a certify entry has no %s", name)
		}
	}
	if c.Exact && c.Key == "" {
		l.Fail(n, "write key: /argument, by which the server picks the record", "a certify entry is exact without a key")
	}
	if had["roles"] != nil && len(c.Roles) == 0 {
		l.Fail(n, "name the roles that the values may serve, such as [target]", "a certify entry has no roles")
	}

	return c
}

// pointer reads the JSON pointer of an argument.
func (l *loader) pointer(what, example string, into *string) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		l.Text(what, into)(n)
		switch {
		case !strictyaml.Scalar(n):
		case strings.Contains(*into, "*"):
			l.Fail(n, "write the JSON pointer of one argument, such as "+example, "%s can't be a pattern", what)
		default:
			l.argPattern(*into, n)
		}
	}
}

func (l *loader) unwrap(n *strictyaml.Node) *Unwrap {
	u := &Unwrap{Position: l.At(n)}
	had := l.Mapping(n, "unwrap", strictyaml.Keys{
		"tool":      l.pointer("the argument that names the tool", "/name", &u.Tool),
		"arguments": l.pointer("the argument that holds the arguments", "/arguments", &u.Arguments),
		"server":    l.pointer("the argument that names the server", "/server", &u.Server),
	})
	if strictyaml.IsMapping(n) && (had["tool"] == nil || had["arguments"] == nil) {
		l.Fail(n, "write {tool: /name, arguments: /arguments}", "unwrap doesn't say which arguments hold the call")
	}
	return u
}

func (l *loader) variants(n *strictyaml.Node) *Variants {
	v := &Variants{Position: l.At(n)}
	defaultAt := n

	had := l.Mapping(n, "variants", strictyaml.Keys{
		"argument": l.pointer("the verb argument", "/method", &v.Argument),
		"default":  func(n *strictyaml.Node) { defaultAt = n; l.Text("default", &v.Default)(n) },
		"cases": func(n *strictyaml.Node) {
			l.Entries(n, "cases", func(value string, k, e *strictyaml.Node) {
				v.Cases = append(v.Cases, l.variant(value, k, e))
			})
		},
	})

	if !strictyaml.IsMapping(n) {
		return v
	}

	if had["argument"] == nil {
		l.Fail(n, "write 'argument: /method', the JSON pointer of the verb", "variants have no argument")
	}
	if len(v.Cases) == 0 {
		l.Fail(n, "write 'cases:' and the verb's values below it", "variants have no cases")
	}
	if len(v.Cases) > 0 && v.Default != "" && !slices.ContainsFunc(v.Cases, func(c Case) bool { return c.Value == v.Default }) {
		l.Fail(defaultAt, "add the case, or name another", "the default %q is none of the cases", strictyaml.Clip(v.Default))
	}

	return v
}

func (l *loader) variant(value string, k, v *strictyaml.Node) Case {
	c := Case{Position: l.At(k), Value: value}
	l.Mapping(v, "a case", strictyaml.Keys{
		"effect":     l.Word("effect", effectWords, &c.Effect),
		"unprovoked": l.Word("mode", modeWords, &c.Unprovoked),
		"args":       func(n *strictyaml.Node) { c.Args = l.args(n) },
		"output": func(n *strictyaml.Node) {
			if !strictyaml.Null(n) {
				c.Output = &Output{Trust: DefaultOutput}
				l.output(n, c.Output)
			}
		},
		"why":    l.Text("why", &c.Why),
		"review": l.Text("review", &c.Review),
	})
	return c
}
