package guard

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// examples reads the examples of a policy. They name the tool that is called only
// where the file doesn't.
func (l *loader) examples(n *strictyaml.Node, ofAny bool) []Example {
	return l.examplesOn(n, ofAny, &Example{})
}

// examplesOn reads examples that have what a base has where they say nothing else.
func (l *loader) examplesOn(n *strictyaml.Node, ofAny bool, base *Example) []Example {
	var out []Example
	l.List(n, "examples", func(e *strictyaml.Node) {
		if len(out) == maxExamples {
			l.Fail(e, "leave some out", "a policy has more than %d examples", maxExamples)
		}
		if len(out) <= maxExamples {
			out = append(out, l.example(e, ofAny, base))
		}
	})
	return out
}

// exampleKeys read what an example has beside its name and verdict.
func (l *loader) exampleKeys(e *Example) strictyaml.Keys {
	return strictyaml.Keys{
		"tool":   l.Text("tool", &e.Tool),
		"server": l.Text("server", &e.Server),
		"args":   l.object("args", &e.Args),
		"given": func(n *strictyaml.Node) {
			l.List(n, "given", func(g *strictyaml.Node) { e.Given = append(e.Given, l.fixture(g)) })
		},
		"history":   func(n *strictyaml.Node) { e.History = l.history(n) },
		"now":       l.time("now", &e.Now),
		"principal": func(n *strictyaml.Node) { e.Principal = l.principal(n) },
		"labels":    func(n *strictyaml.Node) { e.Labels = l.labels(n) },
	}
}

func (l *loader) example(n *strictyaml.Node, ofAny bool, base *Example) Example {
	e := Example{Position: l.At(n)}
	keys := l.exampleKeys(&e)
	keys["name"] = l.Text("name", &e.Name)
	keys["expect"] = l.Word("verdict", verdictWords, (*verdictWord)(&e.Expect))
	verdicts := l.verdictKeys(&e)
	maps.Copy(keys, verdicts)
	had := l.Mapping(n, "an example", keys)

	if strictyaml.IsMapping(n) {
		said := 0
		for name := range verdicts {
			if had[name] != nil {
				said++
			}
		}
		both := said == 1 && had["name"] == nil && had["expect"] == nil
		if said > 0 && !both {
			l.Fail(n, "write {allow: NAME, …}, or {name: …, expect: allow, …}", "the example has its name or its verdict twice")
		}
		for _, name := range [...]string{"name", "expect"} {
			if said == 0 && had[name] == nil {
				l.Fail(n, "write {name: …, expect: allow, args: {…}}", "the example has no %s", name)
			}
		}
		l.callee(n, had, ofAny)
	}

	e.on(base)
	if e.Args == nil {
		e.Args = json.RawMessage("{}")
	}
	return e
}

// callee checks what an example says about the called tool against its file.
func (l *loader) callee(n *strictyaml.Node, had map[string]*strictyaml.Node, ofAny bool) {
	switch {
	case ofAny && had["tool"] == nil:
		l.Fail(n, "write {name: …, tool: NAME, expect: allow, args: {…}}", "the example doesn't say which tool is called")
	case !ofAny && had["tool"] != nil:
		l.Fail(had["tool"], "leave it out", "only the examples of policies for every tool say which is called")
	case had["server"] != nil && (!ofAny || l.file.Server != ""):
		l.Fail(had["server"], "leave it out", "the server is known without it")
	}
}

// history reads entries, and the names of histories that stand for theirs.
func (l *loader) history(n *strictyaml.Node) []Entry {
	var out []Entry
	l.List(n, "history", func(h *strictyaml.Node) {
		if !strictyaml.Scalar(h) {
			out = append(out, l.event(h))
			return
		}
		known, ok := l.histories[h.Value]
		if !ok {
			l.Fail(h, strictyaml.DidYouMean(h.Value, slices.Sorted(maps.Keys(l.histories))), "there is no history %q", strictyaml.Clip(h.Value))
		}
		out = append(out, known...)
	})
	return out
}

func (l *loader) fixture(n *strictyaml.Node) Fixture {
	f := Fixture{Position: l.At(n)}
	var ref reference
	if strictyaml.Scalar(n) {
		if r, ok := l.resolve(n, reference{name: n.Value}); ok {
			f.Server, f.Tool, f.Result, f.Args = r.Server, r.Tool, r.Result, r.Args
		}
		return f
	}
	keys := l.referenceKeys(&ref)
	maps.Copy(keys, strictyaml.Keys{
		"tool":   l.Text("tool", &f.Tool),
		"server": l.Text("server", &f.Server),
		"args":   l.object("args", &f.Args),
		"result": l.json("result", &f.Result),
		"error":  l.Text("error", &f.Error),
		"judge":  l.Text("judge", &f.Judge),
		"answer": l.Boolean("answer", &f.Answer),
	})
	had := l.Mapping(n, "a fixture", keys)
	if !strictyaml.IsMapping(n) {
		return f
	}

	if l.refers(n, had, "a fixture") {
		if r, ok := l.resolve(n, ref); ok {
			f.Server, f.Tool, f.Result = r.Server, r.Tool, r.Result
			if had["args"] == nil {
				f.Args = r.Args
			}
		}
		return f
	}

	lookup := had["tool"] != nil && had["judge"] == nil && had["answer"] == nil && (had["result"] != nil) != (had["error"] != nil)
	judged := had["judge"] != nil && had["tool"] == nil && had["args"] == nil && had["result"] == nil && (had["answer"] != nil) != (had["error"] != nil)
	if !lookup && !judged {
		l.Fail(n, "write {tool: …, args: {…}, result: …}, or {judge: …, answer: true}; instead of a result or answer, error: says why there is none",
			"the fixture is neither a look-up with its result nor a question with its answer")
	}

	return f
}

// refers reports whether a mapping refers to a record. It may only add arguments and changes.
func (l *loader) refers(n *strictyaml.Node, had map[string]*strictyaml.Node, what string) bool {
	if had["record"] == nil {
		if had["changes"] != nil || had["without"] != nil {
			l.Fail(n, "write 'record: NAME'", "%s changes a record and names none", what)
		}
		return false
	}
	for _, name := range [...]string{"tool", "server", "result", "error", "judge", "answer"} {
		if had[name] != nil {
			l.Fail(had[name], "leave it out, or write it under changes", "the record says it already")
		}
	}
	return true
}

func (l *loader) event(n *strictyaml.Node) Entry {
	e := Entry{}
	text := func(kind EntryKind) func(*strictyaml.Node) {
		return func(n *strictyaml.Node) { e.Kind = kind; l.Text(string(kind), &e.Text)(n) }
	}
	had := l.Mapping(n, "an entry of the history", strictyaml.Keys{
		"system":     text(SystemEntry),
		"user":       text(UserEntry),
		"assistant":  text(AssistantEntry),
		"attachment": text(AttachmentEntry),
		"call":       func(n *strictyaml.Node) { e.Kind, e.Call = CallEntry, l.call(n) },
		"denied":     func(n *strictyaml.Node) { e.Kind, e.Call = DeniedEntry, l.call(n) },
		"at":         l.time("at", &e.Time),
	})

	delete(had, "at")
	if len(had) != 1 && strictyaml.IsMapping(n) {
		l.Fail(n, "write {user: …}, {assistant: …}, {system: …}, {attachment: …}, {call: {tool: …, args: {…}, result: …}} or {denied: {tool: …, args: {…}}}, one an entry",
			"the entry is not one thing that happened")
	}
	return e
}

func (l *loader) call(n *strictyaml.Node) *Call {
	c := &Call{Arguments: json.RawMessage("{}")}
	var result json.RawMessage
	var ref reference
	if strictyaml.Scalar(n) {
		if r, ok := l.resolve(n, reference{name: n.Value}); ok {
			c.of(r, true)
		}
		return c
	}
	keys := l.referenceKeys(&ref)
	maps.Copy(keys, strictyaml.Keys{
		"tool":   l.Text("tool", &c.Tool),
		"server": l.Text("server", &c.Server),
		"args":   l.object("args", &c.Arguments),
		"result": l.json("result", &result),
	})
	had := l.Mapping(n, "a call", keys)
	if strictyaml.IsMapping(n) && l.refers(n, had, "a call") {
		if r, ok := l.resolve(n, ref); ok {
			c.of(r, had["args"] == nil)
		}
		return c
	}

	if strictyaml.IsMapping(n) && had["tool"] == nil {
		l.Fail(n, "write {tool: …, args: {…}, result: …}", "the call names no tool")
	}
	if result != nil {
		c.Result = ResultOf(result)
	}
	return c
}

// of makes a call that of a record, with its arguments or others.
func (c *Call) of(r Record, args bool) {
	c.Server, c.Tool, c.Result = r.Server, r.Tool, ResultOf(r.Result)
	if args && r.Args != nil {
		c.Arguments = r.Args
	}
}

// ResultOf returns a JSON value as a tool would return it: a text as text, any other
// value as JSON.
func ResultOf(value json.RawMessage) *Result {
	var text string
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		return &Result{Content: text}
	}
	return &Result{Content: string(value), Structured: value}
}

func (l *loader) principal(n *strictyaml.Node) Principal {
	var p Principal
	l.Mapping(n, "principal", strictyaml.Keys{
		"id":     l.Text("id", &p.ID),
		"groups": l.Texts("groups", &p.Groups),
		"attributes": func(n *strictyaml.Node) {
			p.Attributes = map[string]string{}
			l.Entries(n, "attributes", func(name string, _, v *strictyaml.Node) {
				var text string
				l.Text("an attribute", &text)(v)
				p.Attributes[name] = text
			})
		},
	})
	return p
}

func (l *loader) labels(n *strictyaml.Node) map[string]label.Trust {
	out := map[string]label.Trust{}
	l.Entries(n, "labels", func(pointer string, k, v *strictyaml.Node) {
		if !strings.HasPrefix(pointer, "/") {
			l.Fail(k, "write it as /to/0", "%q is not a JSON pointer", strictyaml.Clip(pointer))
		}
		var t label.Trust
		l.Word("trust", label.TrustWords(), &t)(v)
		out[pointer] = t
	})
	return out
}

func (l *loader) time(what string, into *time.Time) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		t, err := time.Parse(time.RFC3339, n.Value)
		if !strictyaml.Scalar(n) || err != nil {
			l.Fail(n, "write it as 2026-03-31T09:00:00Z or 2026-03-31T09:00:00-05:00", "%s must be a time with its zone", what)
			return
		}
		*into = t
	}
}

// object reads a JSON object that is written as YAML.
func (l *loader) object(what string, into *json.RawMessage) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		if !strictyaml.IsMapping(n) {
			l.Fail(n, "write 'name: value' lines, or {}", "%s must be a mapping", what)
			return
		}
		l.json(what, into)(n)
		if string(*into) == "null" {
			*into = json.RawMessage("{}")
		}
	}
}

// json reads a JSON value that is written as YAML.
func (l *loader) json(what string, into *json.RawMessage) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		var b bytes.Buffer
		before := l.Mistakes()
		l.value(&b, n, what)
		if l.Mistakes() > before {
			return
		}
		doc, err := strictjson.Parse(b.Bytes(), strictjson.OutputLimits())
		if err != nil {
			l.Fail(n, "write what JSON can say, and less of it", "%s: %s", what, err)
			return
		}
		*into = json.RawMessage(doc.Canonical())
	}
}

func (l *loader) value(b *bytes.Buffer, n *strictyaml.Node, what string) {
	switch {
	case n.Kind == yaml.MappingNode:
		b.WriteByte('{')
		first := true
		l.Entries(n, what, func(name string, _, v *strictyaml.Node) {
			if !first {
				b.WriteByte(',')
			}
			first = false
			writeText(b, name)
			b.WriteByte(':')
			l.value(b, v, what)
		})
		b.WriteByte('}')
	case n.Kind == yaml.SequenceNode:
		b.WriteByte('[')
		first := true
		l.List(n, what, func(e *strictyaml.Node) {
			if !first {
				b.WriteByte(',')
			}
			first = false
			l.value(b, e, what)
		})
		b.WriteByte(']')
	case strictyaml.Null(n):
		b.WriteString("null")
	default:
		l.scalar(b, n)
	}
}

// scalar writes a number or truth value that JSON spells the same way; any other
// scalar is text.
func (l *loader) scalar(b *bytes.Buffer, n *strictyaml.Node) {
	switch n.ShortTag() {
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
			return
		}
		l.Fail(n, "write it as JSON does, such as true or 0.5, or in quotes if it is a text", "%q is not a JSON value", strictyaml.Clip(n.Value))
	default:
		writeText(b, n.Value)
	}
}

func writeText(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text is always valid, and a buffer takes all
}
