package schema

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse parses a catalogue in any of these forms:
//
//   - the tools/list result of an MCP server, as [ParseMCP] does
//   - OpenAI's function tools, bare or as "tools" or "functions" of an object, in the
//     form of the Chat Completions API, of the Responses API, or of bare functions.
//     Tools that run at the provider are errors, because they have no schema for
//     checking calls
//   - an OpenAPI 3.0 or 3.1 document, JSON or YAML
//
// name is the name of the server or of the file: it appears in errors, and without
// directories and extension it names the server. A document can't name its own
// server, because contracts are found by that name and one server could impersonate
// another.
//
// If one tool can't be parsed, Parse returns no catalogue but an error of type
// [Errors] that names every such tool. A monitor that knew only some of the tools
// would be mistaken for one that knows them all.
func Parse(name string, data []byte) (*Catalogue, error) {
	p, err := newParser(name, data, readAny)
	if err != nil {
		return nil, err
	}
	switch {
	case p.doc.get("openapi") != nil || p.doc.get("swagger") != nil:
		return p.openAPI()
	default:
		return p.list(formUnknown)
	}
}

// ParseMCP parses an MCP tools/list result, the JSON-RPC response around one, or a
// bare list of tools. It accepts JSON only, to keep untrusted servers away from the
// YAML parser.
func ParseMCP(name string, data []byte) (*Catalogue, error) {
	p, err := newParser(name, data, readJSON)
	if err != nil {
		return nil, err
	}
	return p.list(formMCP)
}

// ParseEach parses tool definitions with a function such as [ParseMCP]. It leaves
// out definitions that can't be parsed and those that share a name, which stay
// unknown; the errors give the reasons. The server has the unchanged name.
func ParseEach(server string, tools []json.RawMessage, parse func(name string, data []byte) (*Catalogue, error)) (*Catalogue, []error) {
	list := func(tools []json.RawMessage) []byte {
		return slices.Concat([]byte("["), bytes.Join(rawBytes(tools), []byte(",")), []byte("]"))
	}

	if c, err := parse(server, list(tools)); err == nil {
		c.Server = server
		return c, nil
	}

	if len(tools) > MaxTools {
		tools = tools[:MaxTools]
	}

	out, errs := &Catalogue{Server: server}, []error(nil)
	times := map[string]int{}
	for i := range tools {
		c, err := parse(server, list(tools[i:i+1]))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, t := range c.Tools {
			times[t.Name]++
			out.Tools = append(out.Tools, t)
		}
	}

	for name, n := range times {
		if n > 1 {
			errs = append(errs, Errors{{File: server, Tool: name, Message: "two tools have this name", Hint: "rename one, or leave one out"}})
		}
	}

	out.Tools = slices.DeleteFunc(out.Tools, func(t Tool) bool { return times[t.Name] > 1 })
	return out, errs
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = raw
	}
	return out
}

// parser parses one document.
type parser struct {
	file string
	doc  *value
	out  *Catalogue
	seen map[string]struct{}
	errs Errors
	// nodes counts the nodes of all tools.
	nodes int
	// refs is for OpenAPI documents, whose tools share definitions.
	refs references
}

// readAny parses JSON, or YAML if the text doesn't start like JSON.
func readAny(data []byte) (*value, error) {
	if first := bytes.TrimLeft(data, " \t\r\n"); first[0] == '{' || first[0] == '[' {
		return readJSON(data)
	}
	return readYAML(data)
}

// newParser parses a document in the given syntax.
func newParser(name string, data []byte, read func([]byte) (*value, error)) (*parser, error) {
	fail := func(message, hint string) (*parser, error) {
		return nil, Errors{{File: name, Message: message, Hint: hint}}
	}

	if len(data) > MaxDocument {
		return fail("the document is larger than "+strconv.Itoa(MaxDocument>>20)+" MiB", "split it")
	}

	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return fail("the document is not valid UTF-8", "convert it to UTF-8")
	}
	if len(bytes.TrimLeft(data, " \t\r\n")) == 0 {
		return fail("the document is empty", "write an MCP tools/list result, an OpenAI function list or an OpenAPI document")
	}

	doc, err := read(data)
	if err != nil {
		return fail(err.Error(), "")
	}

	server := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if ext := path.Ext(server); ext != "" && ext != server {
		server = strings.TrimSuffix(server, ext)
	}

	return &parser{file: name, doc: doc, out: &Catalogue{Server: server}, seen: map[string]struct{}{}}, nil
}

// fail records a mistake outside of a tool.
func (p *parser) fail(pointer, message, hint string) {
	p.errs = append(p.errs, &Error{File: p.file, Pointer: pointer, Message: message, Hint: hint})
}

// done returns the catalogue, or all mistakes as an error.
func (p *parser) done() (*Catalogue, error) {
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return p.out, nil
}

// full reports whether the limit of reported mistakes is reached.
func (p *parser) full() bool { return len(p.errs) >= maxErrors }

// form is the shape of one tool's definition.
type form uint8

const (
	formUnknown form = iota
	formMCP
	formOpenAI
)

// list parses a document that is or contains a list of tools.
func (p *parser) list(want form) (*Catalogue, error) {
	tools, where := p.doc, ""
	const hint = "write an MCP tools/list result, an OpenAI function list or an OpenAPI document"

	if tools.kind == kindObject {
		at := tools
		if at.get("error") != nil && at.get("jsonrpc") != nil {
			p.fail("/error", "the server answered with an error instead of its tools", "ask it again, and store the answer")
			return p.done()
		}
		if r := at.get("result"); r != nil && r.kind == kindObject {
			at, where = r, "/result"
		}

		for _, name := range [...]string{"tools", "functions"} {
			if tools = at.get(name); tools != nil {
				where += "/" + name
				break
			}
		}

		if tools == nil {
			p.fail(where, `the document has neither "tools" nor "functions" nor "openapi"`, hint)
			return p.done()
		}
	}

	if tools.kind != kindArray {
		p.fail(where, "a list of tools is expected here, not "+tools.kind.String(), hint)
		return p.done()
	}

	if len(tools.elems) > MaxTools {
		p.fail(where, "there are more than "+strconv.Itoa(MaxTools)+" tools", "split the catalogue")
		return p.done()
	}

	for i, t := range tools.elems {
		if p.full() {
			break
		}
		p.tool(t, where+"/"+strconv.Itoa(i), want)
	}
	return p.done()
}

// tool parses one definition at a place of the document.
func (p *parser) tool(v *value, where string, want form) {
	if v.kind != kindObject {
		p.fail(where, "a tool's definition must be an object, not "+v.kind.String(), "")
		return
	}
	got := want
	if got == formUnknown {
		got = formOf(v)
	}
	var err *Error
	if got == formOpenAI {
		err = p.openAITool(v, where)
	} else {
		err = p.mcpTool(v, where)
	}
	if err != nil {
		p.errs = append(p.errs, err)
	}
}

// formOf detects the form of a definition by the members that only one form has.
func formOf(v *value) form {
	switch {
	case v.get("inputSchema") != nil || v.get("input_schema") != nil:
		return formMCP
	case v.get("function") != nil || v.get("parameters") != nil || v.get("type") != nil:
		return formOpenAI
	}
	return formMCP
}

// mcpTool parses the MCP form; Anthropic's form differs only in one member's name.
func (p *parser) mcpTool(v *value, where string) *Error {
	t, err := p.named(v, where)
	if err != nil {
		return err
	}
	fail := func(pointer, message, hint string) *Error {
		return &Error{File: p.file, Tool: t.Name, Pointer: pointer, Message: message, Hint: hint}
	}

	annotations := v.get("annotations")
	if annotations != nil && annotations.kind != kindObject && annotations.kind != kindNull {
		return fail("/annotations", "annotations must be an object, not "+annotations.kind.String(), "")
	}

	for _, a := range [...]struct {
		name string
		into **bool
	}{
		{"readOnlyHint", &t.Annotations.ReadOnly},
		{"destructiveHint", &t.Annotations.Destructive},
		{"idempotentHint", &t.Annotations.Idempotent},
		{"openWorldHint", &t.Annotations.OpenWorld},
	} {
		switch hint := annotations.get(a.name); {
		case hint == nil || hint.kind == kindNull:
		case hint.kind == kindBool:
			says := hint.isTrue()
			*a.into = &says
		default:
			return fail("/annotations/"+a.name, "a hint must be true or false, not "+hint.kind.String(), "")
		}
	}

	if t.Title == "" {
		t.Title = annotations.str("title")
	}

	member := "inputSchema"
	input := v.get(member)
	if input == nil && v.get("input_schema") != nil {
		member = "input_schema"
		input = v.get(member)
	}
	if input == nil {
		return fail("", "inputSchema is missing", `write {"type": "object", "additionalProperties": false} for a tool without arguments`)
	}

	output := v.get("outputSchema")
	var d definition
	d.add("name", v.get("name"))
	d.add("title", v.get("title"))
	d.add("description", v.get("description"))
	d.add("inputSchema", input)
	d.add("outputSchema", output)
	d.add("annotations", annotations)
	t.Fingerprint = d.fingerprint()

	return p.finish(t, input, output, member)
}

// openAITool parses both OpenAI forms, and a bare function.
func (p *parser) openAITool(v *value, where string) *Error {
	if kind := v.get("type"); kind != nil && kind.text != "function" && v.get("function") == nil && v.get("parameters") == nil {
		return &Error{File: p.file, Tool: clip(v.str("name")), Pointer: where,
			Message: "a tool of type " + clip(jsonText(kind)) + " has no schema to hold a call against",
			Hint:    "leave it out of the catalogue, and expect its calls to be denied"}
	}

	prefix := ""
	if f := v.get("function"); f != nil {
		if f.kind != kindObject {
			return &Error{File: p.file, Pointer: where + "/function", Message: "function must be an object, not " + f.kind.String()}
		}
		v, prefix = f, "function/"
	}

	t, err := p.named(v, where)
	if err != nil {
		return err
	}

	input := v.get("parameters")
	var d definition
	d.add("name", v.get("name"))
	d.add("title", v.get("title"))
	d.add("description", v.get("description"))
	d.add("inputSchema", input)
	t.Fingerprint = d.fingerprint()

	if input == nil || input.kind == kindNull {
		// A function without parameters has no arguments.
		input = &value{kind: kindObject}
	}
	return p.finish(t, input, nil, prefix+"parameters")
}

// named reads the name and annotations of a definition.
func (p *parser) named(v *value, where string) (Tool, *Error) {
	fail := func(member, message, hint string) (Tool, *Error) {
		return Tool{}, &Error{File: p.file, Pointer: where + "/" + member, Message: message, Hint: hint}
	}

	var t Tool
	for _, m := range [...]struct {
		name string
		into *string
	}{{"name", &t.Name}, {"title", &t.Title}, {"description", &t.Description}} {
		text := v.get(m.name)

		if text == nil || text.kind == kindNull {
			continue
		}

		if text.kind != kindString {
			return fail(m.name, m.name+" must be a string, not "+text.kind.String(), "")
		}
		if len(text.text) > maxText {
			return fail(m.name, m.name+" is longer than "+strconv.Itoa(maxText)+" bytes", "shorten it")
		}
		*m.into = text.text
	}

	if message := badName(t.Name); message != "" {
		return fail("name", message, "give the tool a short printable name")
	}
	return t, nil
}

// badName returns what is wrong with a tool's name, or "". Names appear in logs,
// file names and terminals, so they must not have control characters.
func badName(name string) string {
	switch {
	case name == "":
		return "the tool has no name"
	case len(name) > maxName:
		return "the tool's name is longer than " + strconv.Itoa(maxName) + " bytes"
	case strings.ContainsFunc(name, control):
		return "the tool's name has control characters"
	}
	return ""
}

// control reports whether a character is a control character or breaks a line.
func control(r rune) bool { return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 }

// finish compiles a tool's schemas, resolves references within each, and adds the
// tool to the catalogue.
func (p *parser) finish(t Tool, input, output *value, inputAt string) *Error {
	if err := p.unique(t.Name); err != nil {
		return err
	}
	c := p.compiler(t.Name, input)
	var err *Error
	if t.Input, err = c.input(input, strings.Split(inputAt, "/")...); err != nil {
		return err
	}
	if output != nil && output.kind != kindNull {
		c := p.compiler(t.Name, output)
		if t.Output, err = c.top(output, "outputSchema"); err != nil {
			return err
		}
	}
	p.out.Tools = append(p.out.Tools, t)
	return nil
}

func (p *parser) unique(name string) *Error {
	if _, dup := p.seen[name]; dup {
		return &Error{File: p.file, Tool: name, Message: "two tools have this name", Hint: "rename one, or leave one out"}
	}
	p.seen[name] = struct{}{}
	return nil
}

func (p *parser) compiler(tool string, root *value) *compiler {
	return &compiler{
		file: p.file, tool: tool, root: root,
		active: map[*value]int{}, targets: map[string]*value{}, total: &p.nodes,
	}
}

// top compiles a whole schema.
func (c *compiler) top(v *value, segments ...string) (*Node, *Error) {
	n, err := c.child(v, 0, segments...)
	if err != nil {
		return nil, c.wrap(err)
	}
	if n != nil {
		seal(n)
	}
	return n, nil
}

// wrap ensures that an error has a place.
func (c *compiler) wrap(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return c.errorf("", "%s", err)
}

// input compiles the schema of a tool's arguments: an object that is closed unless
// the source explicitly opens it, because most servers write {"type": "object"} for
// a tool without arguments.
func (c *compiler) input(v *value, segments ...string) (*Node, *Error) {
	n, err := c.child(v, 0, segments...)
	if err != nil {
		return nil, c.wrap(err)
	}
	c.path = segments
	return c.arguments(n)
}

func (c *compiler) arguments(n *Node) (*Node, *Error) {
	if n == nil || len(n.Enum) > 0 || (len(n.Types) > 0 && !slices.Contains(n.Types, "object")) {
		return nil, c.errorf(`write "type": "object"`, "a tool's arguments must be an object")
	}
	n.Types = []string{"object"}
	seal(n)
	n.Open = n.openness == explicitlyOpen
	return n, nil
}
