package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

const petstore = `openapi: 3.0.3
info: {title: Pets, version: "1.0"}
paths:
  x-internal: 1
  /pets/{id}:
    parameters:
      - $ref: '#/components/parameters/id'
      - {name: trace, in: header, schema: {type: string}}
    get:
      operationId: getPet
      summary: Read a pet
      parameters:
        - {name: trace, in: header, description: own, schema: {type: integer}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: filter, in: query, content: {application/json: {schema: {type: object, properties: {kind: {type: string}}}}}}
      responses:
        '404': {description: none}
        '200':
          description: a pet
          content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
    put:
      requestBody:
        required: true
        content:
          application/json; charset=utf-8:
            schema: {$ref: '#/components/schemas/Pet'}
      responses: {'204': {description: done}}
    delete:
      responses: {'2XX': {$ref: '#/components/responses/Done'}}
  /pets:
    post:
      operationId: upload
      requestBody: {content: {image/png: {schema: {type: string, format: binary}}}}
      responses: {}
    patch:
      operationId: choose
      requestBody:
        content:
          application/json:
            schema:
              oneOf:
                - {type: object, properties: {kind: {const: cat}, lives: {type: integer}}, required: [kind]}
                - {type: object, properties: {kind: {const: dog}, name: {type: string}}, required: [kind]}
      responses: {}
components:
  parameters:
    id: {name: id, in: path, required: true, description: which, schema: {type: integer}}
  responses:
    Done: {description: done, content: {application/json: {schema: {type: object, properties: {ok: {type: boolean}}}}}}
  schemas:
    Pet:
      type: object
      required: [name, id]
      properties:
        id: {type: integer}
        name: {type: string, nullable: true}
        born: {type: string, format: date, example: 2020-01-02}
        parent: {$ref: '#/components/schemas/Pet'}
`

func TestOpenAPI(t *testing.T) {
	c, err := schema.Parse("api/pets.yaml", []byte(petstore))
	if err != nil {
		t.Fatal(err)
	}
	if c.Server != "pets" {
		t.Errorf("server %q", c.Server)
	}
	for i, want := range []struct {
		name   string
		leaves []string
		output []string
	}{
		{
			"getPet",
			[]string{"/id integer!", "/trace integer", "/filter/kind string"},
			[]string{"/id integer!", "/name string!?", "/born string", "/parent/id integer", "/parent/name string?", "/parent/born string", "/parent/parent ~"},
		},
		{
			"put_pets_id",
			[]string{"/id integer!", "/trace string", "/id__body integer!", "/name string!?", "/born string", "/parent/id integer", "/parent/name string?", "/parent/born string", "/parent/parent ~"},
			nil,
		},
		{"delete_pets_id", []string{"/id integer!", "/trace string"}, []string{"/ok boolean"}},
		{"upload", []string{"/body string"}, nil},
		{"choose", []string{`/kind ="cat","dog"`, "/lives integer", "/name string"}, nil},
	} {
		tool := &c.Tools[i]
		if tool.Name != want.name {
			t.Fatalf("tool %d is %q, want %q", i, tool.Name, want.name)
		}
		if got := lines(tool.Leaves()); !slices.Equal(got, want.leaves) {
			t.Errorf("%s: leaves\n%q\nwant\n%q", tool.Name, got, want.leaves)
		}
		var got []string
		if tool.Output != nil {
			got = lines(tool.Output.Leaves())
		}
		if !slices.Equal(got, want.output) {
			t.Errorf("%s: output\n%q\nwant\n%q", tool.Name, got, want.output)
		}
	}
	get, del := c.Tools[0], c.Tools[2]
	if get.Annotations.ReadOnly == nil || !*get.Annotations.ReadOnly || get.Title != "Read a pet" || get.Description != "Read a pet" {
		t.Errorf("%+v", get)
	}
	if del.Annotations.Destructive == nil || del.Annotations.ReadOnly != nil {
		t.Errorf("%+v", del.Annotations)
	}
	if id := get.Leaves()[0].Node; id.Description != "which" {
		t.Errorf("%+v", id)
	}
}

// A definition that an operation refers to, at any remove, is a part of it.
func TestOpenAPIFingerprint(t *testing.T) {
	prints := func(text string) (out []string) {
		c, err := schema.Parse("p", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Tools {
			out = append(out, c.Tools[i].Fingerprint)
		}
		return out
	}
	was := prints(petstore)
	for _, tt := range []struct {
		name, old, new string
		changed        []bool
	}{
		{"schema", "format: date", "format: date-time", []bool{true, true, false, false, false}},
		{"shared parameter", "description: which", "description: what", []bool{true, true, true, false, false}},
		{"path parameter", "{name: trace, in: header, schema: {type: string}}", "{name: trace, in: header, schema: {type: number}}", []bool{true, true, true, false, false}},
		{"other part", "title: Pets", "title: Dogs", []bool{false, false, false, false, false}},
		{"unused definition", "  schemas:\n", "  schemas:\n    Unused: {}\n", []bool{false, false, false, false, false}},
		{"response", "ok: {type: boolean}", "ok: {type: string}", []bool{false, false, true, false, false}},
	} {
		if !strings.Contains(petstore, tt.old) {
			t.Fatal(tt.name)
		}
		now := prints(strings.Replace(petstore, tt.old, tt.new, 1))
		for i, changed := range tt.changed {
			if (was[i] != now[i]) != changed {
				t.Errorf("%s: tool %d changed: %v", tt.name, i, !changed)
			}
		}
	}
}

func TestOpenAPIErrors(t *testing.T) {
	op := func(text string) string {
		return `{"openapi": "3.1.0", "paths": {"/a": {"get": ` + text + `}}}`
	}
	for _, tt := range []struct{ name, text, want string }{
		{"no object", op(`1`), "/paths/~1a/get: an operation must be an object"},
		{"no place", op(`{"parameters": [{"name": "x"}]}`), `tool "get_a": /paths/~1a/get/parameters/0: a parameter's "in" is ""; write path, query`},
		{"no list", op(`{"parameters": {}}`), "parameters is an object"},
		{"dangling parameter", op(`{"parameters": [{"$ref": "#/components/x"}]}`), `"#/components/x" points to nothing`},
		{"dangling response", op(`{"responses": {"200": {"$ref": "#/components/x"}}}`), "points to nothing"},
		{"circle", `{"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}`, "leads through more than"},
		{"no name", op(`{"parameters": [{"in": "query"}]}`), "a parameter's name has 1 to"},
		{"two of a name", `{"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "x"}}, "/b": {"get": {"operationId": "x"}}}}`, `tool "x": two tools have this name`},
		{"bad schema", op(`{"parameters": [{"name": "x", "in": "query", "schema": {"type": "text"}}]}`), `/paths/~1a/get/parameters/0/schema: type "text" doesn't exist`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := schema.Parse("f", []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
