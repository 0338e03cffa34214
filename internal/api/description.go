package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/validate"
)

// Description is the OpenAPI description of the server.
//
//go:embed openapi.yaml
var Description []byte

// descriptionPath is where the server serves the description.
const descriptionPath = "/openapi.yaml"

// operation is the description of one route.
type operation struct {
	id, method, path string
	// open is true when the operation needs no token.
	open   bool
	scopes []access.Scope
	params []parameter
	body   *shape // nil when there is none
}

// parameter is one parameter of an operation.
type parameter struct {
	Name     string          `json:"name"`
	In       string          `json:"in"`
	Required bool            `json:"required"`
	Schema   json.RawMessage `json:"schema"`
	Ref      string          `json:"$ref"`

	integer, boolean bool
	schema           *validate.Schema
}

// shape is a schema that validates bodies.
type shape struct {
	whole *validate.Schema
	// kinds are the schemas of a body with several forms, by its member "type".
	kinds map[string]*validate.Schema
}

const (
	parametersAt = "#/components/parameters/"
	schemasAt    = "#/components/schemas/"
)

// document is the part of the description that the server is built from.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Parameters map[string]parameter       `json:"parameters"`
		Schemas    map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

// operations reads the description.
func operations(description []byte) ([]operation, error) {
	var tree any
	if err := yaml.Load(description, &tree); err != nil {
		return nil, err
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}

	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}

	var list []operation
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		var common []parameter
		if raw, ok := d.Paths[path]["parameters"]; ok {
			if err := json.Unmarshal(raw, &common); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			if method == "parameters" {
				continue
			}
			o, err := d.operation(d.Paths[path][method], common)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			o.method, o.path = strings.ToUpper(method), path
			list = append(list, *o)
		}
	}

	return list, nil
}

func (d *document) operation(raw json.RawMessage, common []parameter) (*operation, error) {
	var described struct {
		OperationID string                      `json:"operationId"`
		Security    []map[string][]access.Scope `json:"security"`
		Parameters  []parameter                 `json:"parameters"`
		RequestBody struct {
			Content map[string]struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	}
	if err := json.Unmarshal(raw, &described); err != nil {
		return nil, err
	}

	o := &operation{id: described.OperationID, open: len(described.Security) == 0}
	for _, s := range described.Security {
		o.scopes = append(o.scopes, s["token"]...)
	}

	if !o.open && len(o.scopes) == 0 {
		return nil, fmt.Errorf("it needs a token and names no scope")
	}

	for _, p := range append(slices.Clone(common), described.Parameters...) {
		if name, ok := strings.CutPrefix(p.Ref, parametersAt); ok {
			p = d.Components.Parameters[name]
		}
		var err error
		if p.schema, err = d.compile(p.Schema); err != nil {
			return nil, fmt.Errorf("parameter %q: %w", p.Name, err)
		}
		p.integer, p.boolean = bytes.Contains(p.Schema, []byte(`"integer"`)), bytes.Contains(p.Schema, []byte(`"boolean"`))
		o.params = append(o.params, p)
	}

	if content, ok := described.RequestBody.Content["application/json"]; ok {
		var err error
		if o.body, err = d.shape(content.Schema); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	return o, nil
}

// shape compiles the schema of a body.
func (d *document) shape(schema json.RawMessage) (*shape, error) {
	var named struct {
		Ref string `json:"$ref"`
	}
	if err := json.Unmarshal(schema, &named); err != nil {
		return nil, err
	}

	whole, err := d.compile(schema)
	if err != nil {
		return nil, err
	}
	s := &shape{whole: whole}
	var forms struct {
		OneOf []json.RawMessage `json:"oneOf"`
	}
	if name, ok := strings.CutPrefix(named.Ref, schemasAt); ok {
		if err := json.Unmarshal(d.Components.Schemas[name], &forms); err != nil {
			return nil, err
		}
	}

	for _, raw := range forms.OneOf {
		var form struct {
			Properties struct {
				Type struct {
					Const string `json:"const"`
				} `json:"type"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(raw, &form); err != nil {
			return nil, err
		}
		if s.kinds == nil {
			s.kinds = map[string]*validate.Schema{}
		}
		if s.kinds[form.Properties.Type.Const], err = d.compile(raw); err != nil {
			return nil, err
		}
	}

	return s, nil
}

// compile resolves a schema of the description on its own. OpenAPI 3.1 uses JSON
// Schema 2020-12, but keeps shared schemas under its own path.
func (d *document) compile(schema json.RawMessage) (*validate.Schema, error) {
	needed := map[string]json.RawMessage{}
	d.collect(schema, needed)
	text, err := json.Marshal(map[string]any{"$defs": needed, "allOf": []json.RawMessage{schema}})
	if err != nil {
		return nil, err
	}
	return validate.Compile(bytes.ReplaceAll(text, []byte(`"`+schemasAt), []byte(`"#/$defs/`)))
}

// collect adds every schema that schema refers to, directly or not, to into.
func (d *document) collect(schema json.RawMessage, into map[string]json.RawMessage) {
	parts := strings.Split(string(schema), `"`+schemasAt)
	for _, part := range parts[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if into[name] == nil {
			into[name] = d.Components.Schemas[name]
			d.collect(into[name], into)
		}
	}
}

// check returns an error that says what is wrong with a body.
func (s *shape) check(body any) error {
	members, _ := body.(map[string]any)
	if len(s.kinds) == 0 {
		return hold(s.whole, body, "the body")
	}
	kind, _ := members["type"].(string)
	form, ok := s.kinds[kind]
	if !ok {
		return fmt.Errorf("the type must be one of %s", strings.Join(slices.Sorted(maps.Keys(s.kinds)), ", "))
	}
	return hold(form, body, "the body")
}

// hold returns an error that lists the mistakes in a value; whole is its name.
func hold(s *validate.Schema, value any, whole string) error {
	mistakes := s.Mistakes(value, whole)
	if len(mistakes) == 0 {
		return nil
	}
	return errors.New(strings.Join(mistakes, "; "))
}

// checkParameters returns an error that says what is wrong with a request's
// parameters.
func (o *operation) checkParameters(r *http.Request) error {
	query := r.URL.Query()
	for name, values := range query {
		known := slices.ContainsFunc(o.params, func(p parameter) bool { return p.In == "query" && p.Name == name })
		if !known || len(values) > 1 {
			return fmt.Errorf("the query parameter %s is not known, or appears twice", strconv.Quote(clip(name)))
		}
	}

	for _, p := range o.params {
		var values []string
		switch p.In {
		case "query":
			values = query[p.Name]
		case "header":
			values = r.Header.Values(p.Name)
		case "path":
			values = []string{r.PathValue(p.Name)}
		}
		if len(values) > 1 {
			return fmt.Errorf("%s appears twice", p.Name)
		}
		if p.Required && len(values) == 0 {
			return fmt.Errorf("%s is missing", p.Name)
		}
		for _, text := range values {
			if err := p.check(text); err != nil {
				return err
			}
		}
	}

	return nil
}

func (p *parameter) check(text string) error {
	var value any = text
	switch {
	case p.integer:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%s: write a number", p.Name)
		}
		value = json.Number(strconv.Itoa(n))
	case p.boolean:
		if text != "true" && text != "false" {
			return fmt.Errorf("%s: write true or false", p.Name)
		}
		value = text == "true"
	}
	return hold(p.schema, value, p.Name)
}

// maxDetail bounds, in characters, how much of a request a problem quotes.
const maxDetail = 400

func clip(s string) string { return display.Clip(s, maxDetail) }

// plain words an error for the caller.
func plain(err error) string {
	return clip(strings.ToValidUTF8(err.Error(), "\uFFFD"))
}
