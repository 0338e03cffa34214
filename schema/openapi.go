package schema

import (
	"slices"
	"strconv"
	"strings"
)

// methods lists the operations of a path item, in the order of the OpenAPI
// specification.
var methods = [...]string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// openAPI parses an OpenAPI document: one tool for each operation, named by its
// operationId, or else by method and path. Parameters and the members of a JSON or
// form request body become arguments; a parameter whose name is taken gets its place
// as a suffix (id__path), and a body that isn't an object is the argument "body". The
// schema of the first 2xx JSON response becomes the output. GET, HEAD and OPTIONS are
// hinted to be read-only, and DELETE to be destructive.
//
// It decodes what it needs itself: OpenAPI libraries resolve into maps, which lose
// the order of members and the text of numbers that a fingerprint needs, and bring
// dependencies of their own.
func (p *parser) openAPI() (*Catalogue, error) {
	switch version := p.doc.get("openapi"); {
	case p.doc.get("swagger") != nil:
		p.fail("/swagger", "Swagger 2.0 is not supported", "convert the document to OpenAPI 3")
		return p.done()
	case version == nil:
		p.fail("", `the document has no member "openapi"`, `write "openapi": "3.1.0" and "paths"`)
		return p.done()
	case !strings.HasPrefix(version.text, "3."):
		p.fail("/openapi", "version "+clip(jsonText(version))+" is not supported", "use OpenAPI 3.0 or 3.1")
		return p.done()
	}

	paths := p.doc.get("paths")
	if paths == nil || paths.kind != kindObject {
		p.fail("/paths", "the document has no paths", `write "paths" with an operation or more`)
		return p.done()
	}

	p.refs = references{direct: map[*value][]string{}, digests: map[*value]string{}}
	targets := map[string]*value{}
	for _, item := range paths.members {
		if strings.HasPrefix(item.name, "x-") {
			continue
		}

		where := []string{"paths", item.name}
		c := p.compiler("", p.doc)
		c.targets = targets
		ops, err := c.follow(item.value, where)
		if err != nil {
			p.errs = append(p.errs, err)
			continue
		}

		for _, method := range methods {
			op := ops.get(method)
			if op == nil {
				continue
			}

			if p.full() {
				return p.done()
			}
			if len(p.out.Tools) == MaxTools {
				p.fail("/paths", "there are more than "+strconv.Itoa(MaxTools)+" operations", "split the document")
				return p.done()
			}

			if err := p.operation(item.name, method, ops, op, targets); err != nil {
				p.errs = append(p.errs, err)
			}
		}
	}
	return p.done()
}

// operation adds the tool for one operation.
func (p *parser) operation(path, method string, item, op *value, targets map[string]*value) *Error {
	c := p.compiler("", p.doc)
	c.targets = targets
	c.path = []string{"paths", path, method}
	if op.kind != kindObject {
		return c.errorf("", "an operation must be an object, not %s", op.kind)
	}

	t := Tool{Name: op.str("operationId"), Title: op.str("summary"), Description: op.str("description")}
	if t.Name == "" {
		t.Name = operationName(method, path)
	}
	if message := badName(t.Name); message != "" {
		return c.errorf("give the operation a short operationId", "%s", message)
	}

	if t.Description == "" {
		t.Description = t.Title
	}
	if len(t.Title) > maxText || len(t.Description) > maxText {
		return c.errorf("shorten it", "the description is longer than %d bytes", maxText)
	}

	if err := p.unique(t.Name); err != nil {
		return err
	}

	yes := true
	switch method {
	case "get", "head", "options":
		t.Annotations.ReadOnly = &yes
	case "delete":
		t.Annotations.Destructive = &yes
	}

	c.tool = t.Name
	input, err := c.node()
	if err != nil {
		return c.wrap(err)
	}

	a := &arguments{c: c, input: input, taken: map[string]int{}}
	if err := a.parameters(item, op); err != nil {
		return c.wrap(err)
	}
	if err := a.body(op); err != nil {
		return c.wrap(err)
	}

	if t.Input, err = nilOr(c.arguments(input)); err != nil {
		return c.wrap(err)
	}
	if t.Output, err = c.response(op); err != nil {
		return c.wrap(err)
	}
	if t.Fingerprint, err = p.refs.fingerprint(path, method, item, op, c); err != nil {
		return c.wrap(err)
	}

	p.out.Tools = append(p.out.Tools, t)
	return nil
}

// nilOr returns an untyped nil for a nil *Error.
func nilOr(n *Node, err *Error) (*Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// operationName returns the name of an operation without an operationId, such as
// "get_users_id" for GET /users/{id}.
func operationName(method, path string) string {
	words := strings.FieldsFunc(path, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	return strings.Join(append([]string{method}, words...), "_")
}

// follow follows a chain of references to an object of the document.
func (c *compiler) follow(v *value, where []string) (*value, *Error) {
	at := c.path
	defer func() { c.path = at }()
	c.path = where

	for range MaxDepth {
		if v == nil || v.kind != kindObject {
			return nil, c.errorf("", "an object is expected here")
		}

		ref := v.get("$ref")
		if ref == nil {
			return v, nil
		}

		if ref.kind != kindString {
			return nil, c.errorf(`write a reference such as "#/components/parameters/name"`, "$ref is %s", ref.kind)
		}

		target, err := c.resolve(ref.text)
		if err != nil {
			return nil, c.wrap(err)
		}
		v = target
	}
	return nil, c.errorf("refer to the definition itself", "a reference leads through more than %d others", MaxDepth)
}

// arguments collects the parameters and the body of an operation as one object.
type arguments struct {
	c     *compiler
	input *Node
	// taken is the index of each argument in the input's properties.
	taken map[string]int
}

// add adds an argument. A name that is taken gets a suffix.
func (a *arguments) add(name, in string, required bool, n *Node) error {
	if n == nil {
		return nil
	}
	if _, taken := a.taken[name]; taken {
		name += "__" + in
		if _, taken := a.taken[name]; taken {
			return a.c.errorf("rename one", "two parameters are called %q", clip(name))
		}
	}
	if name == "" || len(name) > maxName {
		return a.c.errorf("give it a short name", "a parameter's name has 1 to %d bytes", maxName)
	}
	a.taken[name] = len(a.input.Properties)
	a.input.Properties = append(a.input.Properties, Property{Name: name, Required: required, Node: n})
	return nil
}

// parameters adds the parameters of the path and of the operation. The operation's
// win.
func (a *arguments) parameters(item, op *value) error {
	type parameter struct {
		v     *value
		name  string
		in    string
		where []string
	}

	var all []parameter
	at := map[[2]string]int{}
	base := a.c.path
	defer func() { a.c.path = base }()

	for _, source := range [...]struct {
		list  *value
		where []string
	}{
		{item.get("parameters"), []string{base[0], base[1], "parameters"}},
		{op.get("parameters"), append(slices.Clone(base), "parameters")},
	} {
		if source.list == nil || source.list.kind == kindNull {
			continue
		}
		if source.list.kind != kindArray {
			a.c.path = source.where
			return a.c.errorf("write a list", "parameters is %s", source.list.kind)
		}

		for i, e := range source.list.elems {
			where := append(slices.Clone(source.where), strconv.Itoa(i))
			v, err := a.c.follow(e, where)
			if err != nil {
				return err
			}

			p := parameter{v, v.str("name"), v.str("in"), where}
			switch p.in {
			case "path", "query", "header", "cookie":
			default:
				a.c.path = where
				return a.c.errorf("write path, query, header or cookie", "a parameter's \"in\" is %q", clip(p.in))
			}

			k := [2]string{p.name, p.in}
			if j, ok := at[k]; ok {
				all[j] = p
				continue
			}
			at[k] = len(all)
			all = append(all, p)
		}
	}

	for _, p := range all {
		if p.in == "header" && (strings.EqualFold(p.name, "Accept") || strings.EqualFold(p.name, "Content-Type") || strings.EqualFold(p.name, "Authorization")) {
			// OpenAPI ignores these parameters: other parts describe them.
			continue
		}

		a.c.path = p.where
		s := p.v.get("schema")
		segments := []string{"schema"}
		if s == nil {
			if content := p.v.get("content"); content != nil && len(content.members) > 0 {
				s = content.members[0].value.get("schema")
				segments = []string{"content", content.members[0].name, "schema"}
			}
		}

		n, err := a.c.described(s, p.v.str("description"), segments...)
		if err != nil {
			return err
		}
		if err := a.add(p.name, p.in, p.in == "path" || p.v.get("required").isTrue(), n); err != nil {
			return err
		}
	}
	return nil
}

// described compiles a schema, or returns a node that accepts any value if there is
// none. It uses the description if the schema has none.
func (c *compiler) described(s *value, words string, segments ...string) (*Node, error) {
	var n *Node
	var err error
	if s == nil {
		n, err = c.node()
	} else {
		n, err = c.child(s, 1, segments...)
	}
	if err != nil || n == nil {
		return nil, err
	}
	if n.Description == "" {
		n.Description = words
	}
	return n, nil
}

// body adds the members of the request body, or the body itself.
func (a *arguments) body(op *value) error {
	b := op.get("requestBody")
	if b == nil || b.kind == kindNull {
		return nil
	}

	base := a.c.path
	defer func() { a.c.path = base }()
	a.c.path = append(slices.Clone(base), "requestBody")
	v, fault := a.c.follow(b, a.c.path)
	if fault != nil {
		return fault
	}

	required := v.get("required").isTrue()
	media, name := mediaType(v.get("content"), true)
	n, err := a.c.described(media.get("schema"), v.str("description"), "content", name, "schema")
	if err != nil || n == nil {
		return err
	}

	structured := len(n.Properties) > 0 || len(n.Alternatives) > 0
	object := len(n.Types) == 0 || slices.Equal(n.Types, []string{"object"})
	if !structured || !object || !objectBranches(n) {
		return a.add("body", "body", required, n)
	}

	// The body's members become members of the tool's input. Its own annotations
	// don't apply to the whole input and are dropped.
	for _, p := range n.Properties {
		if err := a.add(p.Name, "body", required && p.Required, p.Node); err != nil {
			return err
		}
	}

	if !required {
		for _, branch := range n.Alternatives {
			optional(branch)
		}
	}

	a.input.Alternatives = n.Alternatives
	a.input.Additional = n.Additional
	a.input.openness = n.openness
	a.input.Cut = n.Cut
	return nil
}

// optional makes the members of a branch optional, because the body is optional.
func optional(n *Node) {
	for i := range n.Properties {
		n.Properties[i].Required = false
	}
	for _, a := range n.Alternatives {
		optional(a)
	}
}

// objectBranches reports whether all alternatives of a body are objects with
// members, so that they can be merged into the arguments.
func objectBranches(n *Node) bool {
	for _, a := range n.Alternatives {
		object := len(a.Types) == 0 || slices.Equal(a.Types, []string{"object"})
		other := len(a.Enum) > 0 || a.Items != nil
		bare := a.describes() && len(a.Properties) == 0 && len(a.Alternatives) == 0
		if !object || other || bare || !objectBranches(a) {
			return false
		}
	}
	return true
}

// mediaType selects the content for calls: JSON, else a form, else (if any is set)
// the first.
func mediaType(content *value, any bool) (*value, string) {
	if content == nil || content.kind != kindObject {
		return nil, ""
	}

	is := func(want ...string) (*value, string) {
		for _, m := range content.members {
			base, _, _ := strings.Cut(strings.ToLower(m.name), ";")
			base = strings.TrimSpace(base)
			json := want[0] == "application/json" && strings.HasSuffix(base, "+json")
			if json || slices.Contains(want, base) {
				return m.value, m.name
			}
		}
		return nil, ""
	}

	if m, name := is("application/json", "text/json"); m != nil {
		return m, name
	}
	if !any {
		return nil, ""
	}
	if m, name := is("application/x-www-form-urlencoded", "multipart/form-data"); m != nil {
		return m, name
	}

	if len(content.members) > 0 {
		return content.members[0].value, content.members[0].name
	}
	return nil, ""
}

// response compiles the first 2xx JSON response, or returns nil if there is none.
func (c *compiler) response(op *value) (*Node, error) {
	responses := op.get("responses")
	if responses == nil || responses.kind != kindObject {
		return nil, nil
	}
	codes := make([]string, 0, len(responses.members))
	for _, m := range responses.members {
		if len(m.name) == 3 && m.name[0] == '2' {
			codes = append(codes, m.name)
		}
	}

	slices.Sort(codes)
	base := c.path
	defer func() { c.path = base }()

	for _, code := range codes {
		c.path = append(slices.Clone(base), "responses", code)
		v, fault := c.follow(responses.get(code), c.path)
		if fault != nil {
			return nil, fault
		}

		media, name := mediaType(v.get("content"), false)
		if s := media.get("schema"); s != nil {
			n, err := c.child(s, 0, "content", name, "schema")
			if n != nil {
				seal(n)
			}
			return n, err
		}
	}
	return nil, nil
}
