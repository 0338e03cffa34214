package record_test

import (
	"strings"
	"testing"

	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
)

const tools = `{"tools":[{"name":"t","inputSchema":{"type":"object","required":["id"],"properties":{
  "id": {"type": "string"}, "kind": {"type": "string", "enum": ["a", "b"]}, "count": {"type": "integer"}, "amount": {"type": "number"},
  "on": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}, "note": {"type": ["string", "null"]},
  "inner": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}},
  "map": {"type": "object", "additionalProperties": {"type": "integer"}}, "any": {}}}}]}`

func shape(t *testing.T) *record.Shape {
	t.Helper()
	c, err := schema.ParseMCP("s", []byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	return record.NewTypes().Add("t.args", c.Tools[0].Input)
}

// TestDecode reads documents as a schema has them, and names the place of what
// isn't.
func TestDecode(t *testing.T) {
	s := shape(t)
	for text, want := range map[string]string{
		`{"id":"a"}`: `{id: "a"}`,
		`{"id":"\u00e9\"","count":3,"amount":1.50,"on":true}`: `{id: "é\"", count: 3, amount: 1.5, on: true}`,
		`{"id":"a","tags":["x","y"],"inner":{"x":1}}`:         `{id: "a", tags: ["x", "y"], inner: {x: 1}}`,
		`{"id":"a","note":null,"map":{"p":1}}`:                `{id: "a", map: {p: 1}}`,
		`{"id":"a","any":[1,{"b":null},2.5]}`:                 `{id: "a", any: [1, {b: null}, 2.5]}`,
		`{"id":"a","unknown":{"deep":[1]},"amount":7.0}`:      `{id: "a", amount: 7}`,
	} {
		doc, err := strictjson.Parse([]byte(text), strictjson.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Decode(doc.Canonical())
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := record.Text(v); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`{}`:                               "/id: it is missing",
		`[]`:                               "an object here, not a list",
		`{"id":1}`:                         "/id: the schema wants a text here, not a number",
		`{"id":"a","kind":"c"}`:            `/kind: "c" is none of a, b`,
		`{"id":"a","count":1.5}`:           "/count: the schema wants a whole number",
		`{"id":"a","amount":"1"}`:          "/amount: the schema wants a number here, not a text",
		`{"id":"a","amount":1e999}`:        "/amount: the number is too long or too large",
		`{"id":"a","tags":["x",1]}`:        "/tags/1: ",
		`{"id":"a","inner":{}}`:            "/inner/x: it is missing",
		`{"id":"a","map":{"p/~":"x"}}`:     "/map/p~1~0: ",
		`{"id":"a","on":null}`:             "/on: the schema wants a boolean here, not null",
		`{"id":"a","inner":{"x":1,"x":2}}`: "",
	} {
		doc, err := strictjson.Parse([]byte(text), strictjson.DefaultLimits())
		if err != nil {
			continue // not even JSON that all readers read alike
		}
		if _, err := s.Decode(doc.Canonical()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestEncode writes values as JSON, alike whatever the order they were made in.
func TestEncode(t *testing.T) {
	for _, text := range []string{`{"a":[1,2.5,"x",null,true,[]],"b":{"c":"é\n\u0001<"}}`, `[[],{}]`, `"x"`} {
		v, err := record.Anything().Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := record.Encode(v)
		if err != nil || string(got) != text {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	v, _ := record.Anything().Decode([]byte(`{"b":1,"a":2}`))
	if got, err := record.Encode(v); err != nil || string(got) != `{"a":2,"b":1}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := record.Encode(types.Bytes("x")); err == nil {
		t.Error("bytes are JSON")
	}
}

// TestEqual: a record equals a map with the same members, in whatever order.
func TestEqual(t *testing.T) {
	a, _ := record.Anything().Decode([]byte(`{"x":1,"y":[2]}`))
	b, _ := record.Anything().Decode([]byte(`{"y":[2],"x":1}`))
	c, _ := record.Anything().Decode([]byte(`{"y":[2],"x":2}`))
	if types.Equal(a, b) != types.True || types.Equal(a, c) != types.False || types.Equal(a, types.String("x")) != types.False {
		t.Error("equality is wrong")
	}
}
