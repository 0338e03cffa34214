package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

// geminiTools reads the tool definitions of a request. The results of the
// provider's tools appear in no part.
func (r *request) geminiTools(tools json.RawMessage) error {
	for _, tool := range asList(tools) {
		if err := checkSpelling(tool, "functionDeclarations", "codeExecution"); err != nil {
			return err
		}
		members, _ := strictjson.Members(tool)
		for _, m := range members {
			switch value := m.Value.Of(tool); {
			case foldedName(m.Name) == foldedName("functionDeclarations"):
				for _, d := range asList(value) {
					declared, err := declaration(d)
					if err != nil {
						return err
					}
					r.tools = append(r.tools, declared)
				}
			case foldedName(m.Name) == foldedName("codeExecution") || absent(value):
				// The output of the code is a part of the answer.
			default:
				r.unread = append(r.unread, unreadable(m.Name))
			}
		}
	}

	return nil
}

// declaration returns a function definition in the form of other APIs.
func declaration(raw json.RawMessage) (json.RawMessage, error) {
	if err := checkSpelling(raw, "name", "description", "parameters", "parametersJsonSchema"); err != nil {
		return nil, err
	}

	parameters, schema := strictjson.Get(raw, "parameters"), memberEither(raw, "parametersJsonSchema")
	switch {
	case !absent(parameters) && !absent(schema):
		return nil, refuse(fmt.Sprintf("the function %q has both parameters and parametersJsonSchema: leave one out", display.Line(strictjson.GetText(raw, "name"))))
	case !absent(parameters):
		schema = jsonSchema(parameters)
	}

	out := []byte(`{"type":"function"}`)
	for _, name := range []string{"name", "description"} {
		if v := strictjson.Get(raw, name); !absent(v) {
			out = strictjson.Set(out, name, v)
		}
	}

	if !absent(schema) {
		out = strictjson.Set(out, "parameters", schema)
	}
	return out, nil
}

// maxSchemaDepth bounds the nesting of a schema: real tools have five or six
// levels.
const maxSchemaDepth = 64

// jsonSchema translates Google's dialect of OpenAPI schemas to JSON Schema.
// Malformed parts stay as they are, for the schema reader to refuse.
func jsonSchema(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	out, err := strictjson.Encode(translateSchema(v, 0))
	if err != nil {
		return raw
	}
	return out
}

// schemaNames maps members that have other names in JSON Schema.
var schemaNames = map[string]string{"any_of": "anyOf", "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength", "max_length": "maxLength",
	"min_properties": "minProperties", "max_properties": "maxProperties", "additional_properties": "additionalProperties", "ref": "$ref", "defs": "$defs"}

func translateSchema(v any, depth int) any {
	schema, ok := v.(map[string]any)
	if !ok || depth > maxSchemaDepth {
		return v
	}

	out := map[string]any{}
	for name, value := range schema {
		if other, ok := schemaNames[name]; ok {
			name = other
		}
		switch name {
		case "propertyOrdering", "property_ordering", "nullable":
		case "type":
			if kind, ok := value.(string); ok {
				value = strings.ToLower(kind)
			}
			out[name] = value
		case "items", "additionalProperties":
			out[name] = translateSchema(value, depth+1)
		case "properties", "$defs":
			out[name] = translateEach(value, depth+1)
		case "anyOf":
			list, _ := value.([]any)
			for i := range list {
				list[i] = translateSchema(list[i], depth+1)
			}
			out[name] = value
		case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
			if number, ok := value.(string); ok {
				value = json.Number(number) // as Google writes long integers
			}
			out[name] = value
		default:
			out[name] = value
		}
	}

	if kind, ok := out["type"].(string); ok && schema["nullable"] == true {
		out["type"] = []any{kind, "null"}
	}
	return out
}

// translateEach translates the schemas in an object's members.
func translateEach(v any, depth int) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name, value := range members {
		members[name] = translateSchema(value, depth)
	}
	return members
}
