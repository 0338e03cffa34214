package generation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

const (
	// maxTests bounds the tests of a rule: more than that and a reader skips them.
	maxTests = 40
	// maxReported bounds the mistakes that go back at once.
	maxReported = 15
	// maxName is the length of a test's name in bytes.
	maxName = 120
)

// maker makes examples of what a model wrote, and notes what is wrong with it.
type maker struct {
	*setting
	judge    bool
	records  map[string]guard.Fixture
	taken    map[string]bool
	mistakes []string
}

func (m *maker) fail(at, format string, args ...any) {
	m.mistakes = append(m.mistakes, at+": "+fmt.Sprintf(format, args...))
}

// err returns what goes back to the model; nil when nothing is wrong.
func (m *maker) err() error {
	if n := len(m.mistakes) - maxReported; n > 0 {
		m.mistakes = append(m.mistakes[:maxReported:maxReported], fmt.Sprintf("and %d more", n))
	}
	if len(m.mistakes) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(m.mistakes, "\n"))
}

// newMaker returns a maker that knows the names of the tests that there are.
func (w *work) newMaker() *maker {
	m := &maker{setting: w.setting, judge: w.options.Judge, records: map[string]guard.Fixture{}, taken: map[string]bool{}}
	for _, e := range w.tests.examples {
		m.taken[e.Name] = true
	}
	for name := range w.result.Contested {
		m.taken[name] = true
	}
	for _, l := range w.lookups {
		if l.sample != nil {
			m.records[l.label] = guard.Fixture{Server: serverOf(&l), Tool: l.Name, Args: l.sample.Args, Result: l.sample.Result}
		}
	}
	return m
}

// examples makes the examples of those tests that have no mistake.
func (w *work) examples(written writtenTests) ([]guard.Example, *maker) {
	m := w.newMaker()
	for i, r := range written.Records {
		m.record(fmt.Sprintf("/records/%d", i), r)
	}
	var out []guard.Example
	for i, t := range written.Tests {
		at, mistakes := fmt.Sprintf("/tests/%d", i), len(m.mistakes)
		if len(w.tests.examples)+i >= maxTests {
			m.fail("/tests", "there are more than %d tests: keep those that show the most", maxTests)
			break
		}
		e := m.example(at, t)
		if len(m.mistakes) == mistakes {
			m.writable(at, &e)
		}
		if len(m.mistakes) == mistakes {
			out = append(out, e)
			w.why[e.Name] = prompt.OneLine(t.Why)
		}
	}

	return out, m
}

// writable reports a test that a guard file can't have, such as one that is larger than a file
// may be.
func (m *maker) writable(at string, e *guard.Example) {
	doc := guard.NewEditor("test", m.task.Server, m.task.Tool)
	err := doc.Put(&guard.Policy{Name: "p", Message: "m", Examples: []guard.Example{*e}})
	if err == nil {
		_, err = doc.File()
	}
	if err != nil {
		m.fail(at, "it can't be written to a file: %s", err)
	}
}

func (m *maker) record(at string, r writtenRecord) {
	l, ok := m.find(r.Tool)
	switch _, twice := m.records[r.Name]; {
	case r.Name == "" || twice:
		m.fail(at+"/name", "give every record a name of its own, and none that a sample has")
		return
	case !ok:
		m.fail(at+"/tool", "%s can't be looked up with; there are %s", strictyaml.Clip(r.Tool), clipped(strings.Join(m.labels(), ", ")))
		return
	}
	mistakes := len(m.mistakes)
	f := guard.Fixture{Server: serverOf(l), Tool: l.Name}
	if r.Args != "" {
		f.Args = m.arguments(at+"/args", r.Args, l)
	}
	f.Result = m.json(at+"/result", r.Result)
	if len(m.mistakes) == mistakes {
		m.records[r.Name] = f
	}
}

// serverOf returns the server that a fixture needs to name.
func serverOf(l *lookup) string {
	if l.label == l.Name {
		return ""
	}
	return l.Server
}

// json reads a JSON text.
func (m *maker) json(at, text string) json.RawMessage {
	doc, err := strictjson.Parse([]byte(text), strictjson.OutputLimits())
	if err != nil {
		m.fail(at, "it is no JSON text: %s", err)
		return json.RawMessage("null")
	}
	return doc.Canonical()
}

// returned reads what a call returned: JSON, or the text of an error as it is.
func (m *maker) returned(at, text string) json.RawMessage {
	first, _ := utf8.DecodeRuneInString(text)
	if unicode.IsLetter(first) && !json.Valid([]byte(text)) {
		text = quote(text)
	}
	return m.json(at, text)
}

// arguments reads the arguments of a call and holds them to its tool's schema.
func (m *maker) arguments(at, text string, l *lookup) json.RawMessage {
	doc, err := strictjson.Parse([]byte(text), strictjson.DefaultLimits())
	if err != nil || doc.Root().Kind() != strictjson.Object {
		m.fail(at, "it must be the text of a JSON object, such as {\"id\": \"A1\"}")
		return json.RawMessage("{}")
	}
	if l != nil && l.Definition != nil {
		for _, mistake := range l.Definition.Input.Check(doc.Canonical(), true) {
			m.fail(at, "in the arguments of %s: %s", l.label, mistake)
		}
	}
	return doc.Canonical()
}

// testName returns the name of a test as it is kept.
func testName(t writtenTest) string { return clipped(strings.Join(strings.Fields(t.Name), " ")) }

func (m *maker) example(at string, t writtenTest) guard.Example {
	e := guard.Example{Name: testName(t), Expect: t.Expect}
	if e.Name == "" || m.taken[e.Name] {
		m.fail(at+"/name", "give every test a name of its own")
	}
	m.taken[e.Name] = true
	if e.Expect != label.Allow && e.Expect != label.Deny {
		m.fail(at+"/expect", "write allow or deny")
	}
	e.Args = m.arguments(at+"/args", t.Args, m.called(at, t, &e))
	for i, g := range t.Given {
		e.Given = append(e.Given, m.given(fmt.Sprintf("%s/given/%d", at, i), g))
	}
	e.Now = m.time(at+"/now", t.Now)
	for i, h := range t.History {
		e.History = append(e.History, m.event(fmt.Sprintf("%s/history/%d", at, i), h))
	}
	e.Principal = guard.Principal{ID: t.Principal.ID, Groups: t.Principal.Groups}
	for _, a := range t.Principal.Attributes {
		if e.Principal.Attributes == nil {
			e.Principal.Attributes = map[string]string{}
		}
		e.Principal.Attributes[a.Name] = a.Value
	}

	m.labelled(at, t, &e)
	return e
}

// called returns the tool that a test calls; nil where nothing is known of it. Only where the
// policy is about every tool does the test say which.
func (m *maker) called(at string, t writtenTest, e *guard.Example) *lookup {
	if m.task.Tool != policydoc.EveryTool {
		if m.tool == nil {
			return nil
		}
		return named(m.tool.Name, m.tool)
	}
	e.Tool = t.Tool
	d, ok := m.tools[t.Tool]

	about := m.task.Policy.Tools
	if ok && len(about) > 0 && !slices.ContainsFunc(about, func(key string) bool { return m.label(key) == t.Tool }) {
		m.fail(at+"/tool", "the policy isn't about calls of %s: it is about %s", strictyaml.Clip(t.Tool), strings.Join(about, ", "))
	}
	if !ok {
		if len(m.tools) > 0 || t.Tool == "" {
			m.fail(at+"/tool", "there is no tool %s", strictyaml.Clip(t.Tool))
		}
		return nil
	}
	e.Tool, e.Server = d.Name, d.server
	return named(t.Tool, d.Tool)
}

// named returns a tool whose arguments are held to its definition.
func named(label string, d *schema.Tool) *lookup {
	return &lookup{Readable: guard.Readable{Name: d.Name, Definition: d}, label: label}
}

func (m *maker) given(at string, g writtenGiven) guard.Fixture {
	if g.Judge != "" {
		if !m.judge {
			m.fail(at, "there is no judge here")
		}
		return guard.Fixture{Judge: g.Judge, Answer: g.Answer}
	}
	f, ok := m.records[g.Record]
	if !ok {
		m.fail(at+"/record", "there is no record %s", strictyaml.Clip(g.Record))
		return guard.Fixture{Tool: "none", Result: json.RawMessage("null")}
	}

	for i, c := range g.Changes {
		where := fmt.Sprintf("%s/changes/%d", at, i)
		var value json.RawMessage
		if c.Value != "" {
			value = m.json(where+"/value", c.Value)
		}
		changed, err := replace(f.Result, c.At, value)
		if err != nil {
			m.fail(where+"/at", "%s", err)
			continue
		}
		f.Result = changed
	}

	label := policydoc.Key(f.Server, f.Tool)
	if l, ok := m.find(label); ok {
		for _, mistake := range l.output().Check(f.Result, false) {
			m.fail(at, "the result of %s isn't as it returns it: %s", label, mistake)
		}
	}

	return f
}

func (m *maker) event(at string, h writtenEvent) guard.Entry {
	e := guard.Entry{Time: m.time(at+"/at", h.At)}
	switch {
	case h.Call != nil:
		e.Kind = guard.CallEntry
		e.Call = m.call(at+"/call", h.Call)
	case h.Denied != nil:
		e.Kind = guard.DeniedEntry
		e.Call = m.call(at+"/denied", &writtenCall{Tool: h.Denied.Tool, Args: h.Denied.Args})
	case h.Assistant != nil:
		e.Kind, e.Text = guard.AssistantEntry, *h.Assistant
	case h.User != nil:
		e.Kind, e.Text = guard.UserEntry, *h.User
	default:
		m.fail(at, "say what happened: user, assistant, call or denied")
		e.Kind = guard.UserEntry
	}
	return e
}

func (m *maker) call(at string, c *writtenCall) *guard.Call {
	d, ok := m.tools[c.Tool]
	if !ok && (len(m.tools) > 0 || c.Tool == "") {
		m.fail(at+"/tool", "there is no tool %s", strictyaml.Clip(c.Tool))
	}
	out := &guard.Call{Tool: c.Tool}
	var l *lookup
	if ok {
		out.Tool, out.Server = d.Name, d.server
		l = named(c.Tool, d.Tool)
	}
	out.Arguments = m.arguments(at+"/args", c.Args, l)
	if c.Result == "" && c.Record == "" {
		return out
	}

	var result json.RawMessage
	if f, known := m.records[c.Record]; known {
		result = f.Result
	} else if c.Record != "" {
		m.fail(at+"/record", "there is no record %s", strictyaml.Clip(c.Record))
		return out
	} else {
		result = m.returned(at+"/result", c.Result)
	}
	if failed := len(result) > 0 && result[0] == '"'; ok && !failed { // a text is why it failed
		for _, mistake := range d.Output.Check(result, false) {
			m.fail(at+"/result", "it isn't as %s returns it: %s", d.Name, mistake)
		}
	}
	out.Result = guard.ResultOf(result)
	return out
}

func (m *maker) time(at, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1 {
		m.fail(at, "write the time with its zone, as 2031-03-01T09:00:00Z or 2031-03-01T09:00:00-05:00")
		return time.Time{}
	}
	return t
}

func (m *maker) labelled(at string, t writtenTest, e *guard.Example) {
	doc, err := strictjson.Parse(e.Args, strictjson.DefaultLimits())
	if err != nil {
		return
	}

	for i, l := range t.Labels {
		var trust label.Trust
		if trust.UnmarshalText([]byte(l.Trust)) != nil {
			m.fail(fmt.Sprintf("%s/labels/%d/trust", at, i), "write EXTERNAL, TOOL_OUTPUT, USER or TRUSTED")
			continue
		}
		if _, ok := doc.Get(l.At); !ok {
			m.fail(fmt.Sprintf("%s/labels/%d/at", at, i), "there is no text or number at %s of the arguments", strictyaml.Clip(l.At))
			continue
		}
		if e.Labels == nil {
			e.Labels = map[string]label.Trust{}
		}
		e.Labels[l.At] = trust
	}
}

// clipped bounds a name.
func clipped(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName-len("…")], "") + "…"
}
