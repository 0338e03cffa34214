package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// A call's arguments are held to the kinds of their values, to enumerations,
// ranges and required members, and a mistake says what to write instead.
func TestMisfits(t *testing.T) {
	for name, test := range map[string]struct {
		schema, value string
		want          string // "" for none; else place, message and remedy
	}{
		"as declared": {`{"type": "boolean"}`, `true`, ""},
		// What a program takes for true, and a monitor for empty.
		"a list for a switch":     {`{"type": "boolean"}`, `[]`, "/v: it must be boolean, not array; write true or false without quotes, or leave it out"},
		"an object for a switch":  {`{"type": "boolean"}`, `{}`, "/v: it must be boolean, not object; write true or false without quotes, or leave it out"},
		"null for a switch":       {`{"type": "boolean"}`, `null`, "/v: it must be boolean, not null; leave it out"},
		"text for a switch":       {`{"type": "boolean"}`, `"true"`, "/v: it must be boolean, not string; write true or false without quotes, or leave it out"},
		"null for a text":         {`{"type": "string"}`, `null`, "/v: it must be string, not null; leave it out"},
		"null that is accepted":   {`{"type": ["string", "null"]}`, `null`, ""},
		"null in one form":        {`{"anyOf": [{"type": "string"}, {"type": "null"}]}`, `null`, ""},
		"null that is nullable":   {`{"type": "string", "nullable": true}`, `null`, ""},
		"null in an enumeration":  {`{"enum": ["a", null]}`, `null`, ""},
		"null for an enumeration": {`{"enum": ["a", "b"]}`, `null`, `/v: it must be one of "a", "b", not null; leave it out`},
		// Left out, it is null.
		"null that is the default": {`{"type": "array", "default": null}`, `null`, ""},
		"nothing but null":         {`{"type": "null"}`, `"x"`, "/v: it must be one of null; correct it, or leave it out"},

		"a number":                  {`{"type": "number"}`, `2.5`, ""},
		"text for a number":         {`{"type": "number"}`, `"2.5"`, "/v: it must be number, not string; write a number without quotes, or leave it out"},
		"a number for a text":       {`{"type": "string"}`, `2`, "/v: it must be string, not integer; write a string in quotes, or leave it out"},
		"a whole number":            {`{"type": "integer"}`, `3.0`, ""},
		"one with an exponent":      {`{"type": "integer"}`, `12e2`, ""},
		"a fraction":                {`{"type": "integer"}`, `3.1`, "/v: it must be integer, not number; write a whole number without quotes, or leave it out"},
		"a fraction of large":       {`{"type": "integer"}`, `9007199254740993.5`, "/v: it must be integer, not number; write a whole number without quotes, or leave it out"},
		"an endless exponent":       {`{"type": "integer"}`, `1e99999999999`, "/v: it must be integer, not number; write a whole number without quotes, or leave it out"},
		"at the end of a range":     {`{"minimum": 1, "maximum": 10}`, `10.0`, ""},
		"below a range":             {`{"minimum": 1}`, `0.99`, "/v: it must be at least 1; correct it, or leave it out"},
		"above a range":             {`{"type": "integer", "maximum": 10}`, `11`, "/v: it must be at most 10; correct it, or leave it out"},
		"at an excluded end":        {`{"exclusiveMinimum": 0}`, `0e5`, "/v: it must be more than 0; correct it, or leave it out"},
		"at an end of draft 4":      {`{"maximum": 5, "exclusiveMaximum": true}`, `5`, "/v: it must be less than 5; correct it, or leave it out"},
		"beyond a float":            {`{"maximum": 9007199254740992}`, `9007199254740993`, "/v: it must be at most 9007199254740992; correct it, or leave it out"},
		"beyond what is read":       {`{"maximum": 5}`, `1e99999999999`, "/v: it is too large to be held to the range of the schema; write a smaller number, or leave it out"},
		"below zero":                {`{"minimum": -5}`, `-6`, "/v: it must be at least -5; correct it, or leave it out"},
		"the narrower of two":       {`{"minimum": 1, "allOf": [{"minimum": 3}]}`, `2`, "/v: it must be at least 3; correct it, or leave it out"},
		"a range says nothing else": {`{"minimum": 1}`, `"x"`, ""},

		"a constant":                    {`{"const": "a"}`, `"a"`, ""},
		"not the constant":              {`{"const": "a"}`, `"b"`, `/v: it must be one of "a"; correct it, or leave it out`},
		"a constant list":               {`{"const": [1, {"a": 2}]}`, `[1, {"a": 2}]`, ""},
		"another list":                  {`{"const": [1, {"a": 2}]}`, `[1, {"a": 3}]`, `/v: it must be one of [1,{"a":2}]; correct it, or leave it out`},
		"an enumeration":                {`{"enum": ["a", 3, false]}`, `3.0`, ""},
		"outside of an enumeration":     {`{"type": "string", "enum": ["a", "b"]}`, `"c"`, `/v: it must be one of "a", "b"; correct it, or leave it out`},
		"upper case":                    {`{"type": "string", "enum": ["a"]}`, `"A"`, `/v: it must be one of "a"; correct it, or leave it out`},
		"with what needs an escape":     {`{"enum": ["<a&b>\n\""]}`, `"<a&b>\n\""`, ""},
		"another type than enumerated":  {`{"type": "string", "enum": ["a"]}`, `1`, `/v: it must be string, not integer; write one of "a", or leave it out`},
		"a contradiction, in the type":  {`{"type": "string", "enum": [1, 2]}`, `"2"`, ""},
		"a contradiction, as listed":    {`{"type": "string", "enum": [true, false]}`, `true`, ""},
		"a contradiction, and neither":  {`{"type": "string", "enum": [1, 2]}`, `"3"`, `/v: it must be one of 1, 2; correct it, or leave it out`},
		"an enumeration of a long list": {`{"enum": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}`, `22`, "/v: it must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 2 more; correct it, or leave it out"},

		"a list":                {`{"type": "array", "items": {"type": "string"}}`, `["a"]`, ""},
		"text for a list":       {`{"type": "array", "items": {"type": "string"}}`, `"a"`, "/v: it must be array, not string; write a list in brackets, or leave it out"},
		"within a list":         {`{"type": "array", "items": {"type": "string"}}`, `["a", 1]`, "/v/1: it must be string, not integer; write a string in quotes"},
		"a list of a few kinds": {`{"prefixItems": [{"type": "string"}, {"type": "integer"}]}`, `["a", {}]`, "/v/1: it is none of the 2 forms that are accepted; for the nearest of them, /v/1: it must be string, not object"},

		"a member that is missing":        {`{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`, `{}`, `/v: the member "a" is missing; add it: write a string in quotes`},
		"one that isn't listed":           {`{"type": "object", "additionalProperties": {"type": "string"}, "required": ["a"]}`, `{"b": "x"}`, `/v: the member "a" is missing; add it`},
		"required beside a reference":     {`{"required": ["a"], "allOf": [{"properties": {"a": {"type": "string"}}}]}`, `{}`, `/v: the member "a" is missing; add it`},
		"required in one of two forms":    {`{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`, `{}`, `/v: it is none of the 2 forms that are accepted; for the nearest of them, /v: the member "a" is missing, or leave it out`},
		"which is there":                  {`{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`, `{"b": "x"}`, ""},
		"a member of additional":          {`{"type": "object", "additionalProperties": {"type": "integer"}}`, `{"x/y": "1"}`, "/v/x~1y: it must be integer, not string; write a whole number without quotes"},
		"a condition may not hold":        {`{"properties": {"k": {"type": "string"}, "n": {"type": "integer"}}, "if": {"properties": {"k": {"const": "a"}}}, "then": {"properties": {"n": {"minimum": 5}}, "required": ["n"]}}`, `{"k": "b"}`, ""},
		"what a condition lists":          {`{"properties": {"k": {"type": "string"}}, "then": {"properties": {"n": {"type": "integer"}}}}`, `{"k": "b", "n": []}`, "/v/n: it is none of the 1 forms that are accepted; for the nearest of them, /v/n: it must be integer, not array"},
		"two groups of forms":             {`{"anyOf": [{"type": "string"}, {"type": "integer"}], "oneOf": [{"enum": ["a", 1]}, {"enum": ["b", 2]}]}`, `"c"`, `/v: it is none of the 2 forms that are accepted; for the nearest of them, /v: it must be one of "a", 1, or leave it out`},
		"a form that says nothing":        {`{"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}]}`, `{"a": "x"}`, ""},
		"of the other form":               {`{"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]}, {"type": "object", "properties": {"k": {"const": "b"}, "n": {"type": "integer"}}, "required": ["k"]}]}`, `{"k": "a", "n": {}}`, "/v/n: it is none of the 1 forms that are accepted; for the nearest of them, /v/n: it must be integer, not object"},
		"of the other form, closed":       {`{"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"], "additionalProperties": false}, {"type": "object", "properties": {"k": {"const": "b"}, "n": {"type": "integer"}}, "required": ["k"], "additionalProperties": false}]}`, `{"k": "a", "n": 1}`, "/v: it is none of the 2 forms that are accepted; for the nearest of them, /v/n: there is no such member; there are k, or leave it out"},
		"forms in what is closed":         {`{"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"properties": {"b": {"type": "string"}}}, {"properties": {"c": {"type": "string"}}}], "additionalProperties": false}`, `{"a": "x", "b": "y"}`, ""},
		"members around a closed form":    {`{"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"properties": {"b": {"type": "string"}}, "additionalProperties": false}, {"required": ["c"]}]}`, `{"a": "x", "b": "y"}`, ""},
		"nothing is said":                 {`{}`, `{"a": [null]}`, ""},
		"patterns are the tool's":         {`{"type": "string", "pattern": "^a$", "format": "date-time"}`, `"b"`, ""},
		"a definition within itself":      {`{"$ref": "#/$defs/tree"}`, `{"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}`, ""},
		"and below them, where it is cut": {`{"$ref": "#/$defs/tree"}`, `{"name": "a", "children": [{"name": "b", "children": [{"name": []}]}]}`, ""},
		"a mistake in its first levels":   {`{"$ref": "#/$defs/tree"}`, `{"name": "a", "children": [{"name": []}]}`, "/v/children/0/name: it must be string, not array; write a string in quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, input(`{"type": "object", "properties": {"v": `+test.schema+`}, "$defs": {"tree": {"type": "object", "required": ["name"],
				"properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}}`))
			var got []string
			for _, m := range c.Tools[0].Misfits(json.RawMessage(`{"v": ` + test.value + `}`)) {
				got = append(got, strings.TrimSuffix(m.String()+"; "+m.Instead, "; "))
			}
			if strings.Join(got, "\n") != test.want {
				t.Errorf("%s\ngot  %q\nwant %q", test.value, got, test.want)
			}
		})
	}
}

// Arguments that were made to be expensive are refused, not held to every form.
func TestMisfitsIsBounded(t *testing.T) {
	forms := strings.Repeat(`{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},`, 2000)
	numbers := strings.TrimSuffix(strings.Repeat("12345,", 19_000), ",")
	for name, test := range map[string]struct{ schema, element string }{
		"forms":        {`{"anyOf": [` + forms + `{"type": "string"}]}`, `{"b": 1}`},
		"enumerations": {`{"enum": [[` + numbers + `], "x"]}`, `[1]`},
	} {
		c := parse(t, input(`{"type": "object", "properties": {"v": {"type": "array", "items": `+test.schema+`}}}`))
		elements := strings.TrimSuffix(strings.Repeat(test.element+",", 4000), ",")
		got := fmt.Sprint(c.Tools[0].Misfits(json.RawMessage(`{"v": [` + elements + `]}`)))
		if !strings.Contains(got, "too many values") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What a validator of JSON Schema accepts is not a misfit, and what it refuses is
// one, over schemas of the kind that tools have.
func TestMisfitsAgreesWithAValidator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := compact(drawSchema(t, 3))
		definition := `{"type": "object", "properties": {"v": ` + text + `}, "required": ["v"]}`
		accepts := validator(t, definition)
		c, err := schema.ParseMCP("s", []byte(`[{"name": "t", "inputSchema": `+definition+`}]`))
		if err != nil {
			t.Fatalf("%s: %v", definition, err)
		}
		for range 30 {
			arguments := `{"v": ` + compact(drawValue(t, 3)) + `}`
			want := accepts(arguments)
			if got := c.Tools[0].Misfits(json.RawMessage(arguments)); (len(got) == 0) != want {
				t.Fatalf("schema %s\narguments %s\na validator accepts them: %v; misfits %v", text, arguments, want, got)
			}
		}
	})
}

// validator compiles a schema by a library that is made for it.
func validator(t *rapid.T, definition string) (accepts func(value string) bool) {
	read := func(text string) any {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("s.json", read(definition)); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(value string) bool { return compiled.Validate(read(value)) == nil }
}

func compact(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// drawSchema draws a schema of a few words, so that values often fit.
func drawSchema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "any", "range"}
	if depth > 0 {
		kinds = append(kinds, "array", "object", "object", "anyOf", "nullable", "map")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "schema"); kind {
	case "enum":
		return map[string]any{"enum": rapid.SliceOfNDistinct(rapid.SampledFrom([]any{"a", "b", 1, 2.5, true}), 1, 3, func(v any) string { return compact(v) }).Draw(t, "enum")}
	case "any":
		return map[string]any{}
	case "range":
		return map[string]any{"type": "number", "minimum": rapid.IntRange(-1, 2).Draw(t, "low"), "exclusiveMaximum": rapid.IntRange(1, 3).Draw(t, "high")}
	case "nullable":
		return map[string]any{"anyOf": []any{drawSchema(t, 0), map[string]any{"type": "null"}}}
	case "array":
		return map[string]any{"type": "array", "items": drawSchema(t, depth-1)}
	case "map":
		return map[string]any{"type": "object", "additionalProperties": drawSchema(t, depth-1)}
	case "anyOf":
		// Objects of several forms are in TestMisfits: there the check is stricter.
		return map[string]any{"anyOf": []any{drawSchema(t, 0), drawSchema(t, 0), map[string]any{"type": "array", "items": drawSchema(t, depth-1)}}}
	case "object":
		properties := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.Just(0), 1, 3).Draw(t, "names")
		s := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			s[name] = drawSchema(t, depth-1)
		}
		required := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2, func(s string) string { return s }).Draw(t, "required")
		return map[string]any{"type": "object", "properties": s, "required": required, "additionalProperties": rapid.Bool().Draw(t, "open")}
	default:
		return map[string]any{"type": kind}
	}
}

func drawValue(t *rapid.T, depth int) any {
	kinds := []string{"scalar", "scalar"}
	if depth > 0 {
		kinds = append(kinds, "array", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "value") {
	case "array":
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	case "object":
		object := map[string]any{}
		for _, name := range []string{"a", "b", "c", "d"} {
			if rapid.Bool().Draw(t, "has") {
				object[name] = drawValue(t, depth-1)
			}
		}
		return object
	}
	return rapid.SampledFrom([]any{"a", "b", "", "1", 0, 1, 2, json.Number("2.0"), json.Number("2.5"), json.Number("1e1"), true, false, nil}).Draw(t, "scalar")
}
