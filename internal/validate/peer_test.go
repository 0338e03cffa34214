package validate_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/validate"
)

// values are few, so that schemas accept some of them.
func values() *rapid.Generator[any] {
	leaf := rapid.SampledFrom([]any{nil, true, "", "a", "b", "äö", "a/b", json.Number("0"), json.Number("1"), json.Number("1.0"), json.Number("2.5"), json.Number("1e1")})
	return rapid.Custom(func(t *rapid.T) any {
		inside := func() any { return leaf.Draw(t, "inside") }
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			out := []any{}
			for range rapid.IntRange(0, 3).Draw(t, "length") {
				out = append(out, inside())
			}
			return out
		case 1, 2:
			out := map[string]any{}
			for _, name := range []string{"a", "b", "a/b"} {
				if rapid.Bool().Draw(t, "has") {
					out[name] = inside()
				}
			}
			return out
		}
		return inside()
	})
}

// schemas have every keyword that is known.
func schemas(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if depth == 0 {
			return rapid.Bool().Draw(t, "boolean")
		}
		part := func() any { return schemas(depth-1).Draw(t, "part") }
		parts := func() any { return []any{part(), part()} }
		number := func() any { return rapid.SampledFrom([]json.Number{"0", "1", "2.5", "3"}).Draw(t, "number") }
		count := func() any { return rapid.IntRange(0, 2).Draw(t, "count") }
		name := func() string { return rapid.SampledFrom([]string{"a", "b", "a/b"}).Draw(t, "name") }
		value := func() any { return values().Draw(t, "value") }
		kind := func() any {
			return rapid.SampledFrom([]any{"null", "boolean", "string", "number", "integer", "array", "object"}).Draw(t, "type")
		}
		keywords := map[string]func() any{
			"type": kind, "enum": func() any { return []any{value(), value()} }, "const": value,
			"required": func() any { return []any{name()} }, "pattern": func() any { return "^[ab]" },
			"minLength": count, "maxLength": count, "minItems": count, "maxItems": count, "minProperties": count, "maxProperties": count,
			"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number,
			"multipleOf": func() any { return rapid.SampledFrom([]json.Number{"1", "2.5", "3"}).Draw(t, "multiple") },
			"properties": func() any { return map[string]any{name(): part(), name(): part()} }, "additionalProperties": part, "items": part,
			"not": part, "allOf": parts, "anyOf": parts, "oneOf": parts, "title": func() any { return "x" },
			"$ref": func() any { return "#/$defs/" + rapid.SampledFrom([]string{"plain", "list"}).Draw(t, "ref") },
		}
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "keywords") {
			k := rapid.SampledFrom([]string{"type", "enum", "const", "required", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
				"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "properties", "additionalProperties", "items", "not", "allOf", "anyOf", "oneOf", "title", "$ref"}).Draw(t, "keyword")
			out[k] = keywords[k]()
		}
		return out
	})
}

// A value is accepted by whom the peer accepts it, with numbers in either form.
func TestAcceptsWhatThePeerAccepts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := map[string]any{
			"allOf": []any{schemas(3).Draw(t, "schema")},
			"$defs": map[string]any{"plain": map[string]any{"type": "string"}, "list": map[string]any{"items": map[string]any{"$ref": "#/$defs/list"}, "maxItems": 2}},
		}
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		s, err := validate.Compile(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("s.json", doc); err != nil {
			t.Fatal(err)
		}
		peer, err := c.Compile("s.json")
		if err != nil {
			t.Fatal(err)
		}

		value := values().Draw(t, "value")
		plain, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var floats any
		if err := json.Unmarshal(plain, &floats); err != nil {
			t.Fatal(err)
		}
		for _, v := range []any{value, floats} {
			if mistakes, err := s.Mistakes(v, "it"), peer.Validate(v); (mistakes == nil) != (err == nil) {
				t.Fatalf("%s of %s: %q, and the peer says %v", plain, text, mistakes, err)
			}
		}
	})
}

// A keyword that no check enforces makes no schema.
func TestCompileRefuses(t *testing.T) {
	for name, schema := range map[string]string{
		"a keyword that isn't known":    `{"items": {"uniqueItems": true}}`,
		"a misspelt one":                `{"addtionalProperties": false}`,
		"a type that is none":           `{"type": "text"}`,
		"a pattern that is none":        `{"pattern": "("}`,
		"a bound in words":              `{"minimum": "1"}`,
		"multiples of nothing":          `{"multipleOf": 0}`,
		"a part of a length":            `{"minLength": 1.5}`,
		"a list where a schema is":      `{"items": []}`,
		"no alternatives":               `{"anyOf": []}`,
		"a reference to nothing":        `{"$ref": "#/$defs/a"}`,
		"a reference to itself":         `{"$ref": "#"}`,
		"references in a circle":        `{"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}`,
		"two schemas":                   `{} {}`,
		"no JSON":                       `{`,
		"required as a text":            `{"required": "a"}`,
		"a member that is not a schema": `{"properties": {"a": 1}}`,
		"an anchor, which isn't known":  `{"$ref": "#a"}`,
		"an identity, which isn't used": `{"$id": "https://schemas.example/a"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := validate.Compile([]byte(schema)); err == nil {
				t.Error("it was compiled")
			}
		})
	}
}
