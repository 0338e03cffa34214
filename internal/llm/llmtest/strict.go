package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// unsupported returns the keywords that OpenAI refuses in strict schemas. Source:
// platform.openai.com, Structured Outputs, "Supported schemas".
func unsupported() []string {
	return []string{
		"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas",
		"patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties",
		"unevaluatedItems", "contains", "minContains", "maxContains", "uniqueItems", "minLength", "maxLength",
	}
}

// Strict returns an error where endpoints can't hold a model to a schema: every
// object has additionalProperties: false and requires all its properties, the
// outermost is an object, and no keyword is among those that OpenAI refuses.
func Strict(schema json.RawMessage) error {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return fmt.Errorf("the schema is not an object: %w", err)
	}
	if root["type"] != "object" {
		return fmt.Errorf("the outermost type is %v: make it object", root["type"])
	}
	return strict("#", root)
}

func strict(at string, s map[string]any) error {
	for _, k := range unsupported() {
		if _, ok := s[k]; ok {
			return fmt.Errorf("%s: %s is not supported", at, k)
		}
	}

	properties, _ := s["properties"].(map[string]any)
	kinds, _ := s["type"].([]any)
	if s["type"] == "object" || slices.Contains(kinds, any("object")) || properties != nil {
		if s["additionalProperties"] != false {
			return fmt.Errorf("%s: additionalProperties must be false", at)
		}
		required, _ := s["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !slices.Contains(required, any(name)) {
				return fmt.Errorf("%s: required must have %s", at, name)
			}
		}
	}

	for _, k := range []string{"properties", "$defs", "definitions"} {
		all, _ := s[k].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if err := inside(at+"/"+k+"/"+name, all[name]); err != nil {
				return err
			}
		}
	}
	for _, k := range []string{"anyOf", "prefixItems"} {
		all, _ := s[k].([]any)
		for i, one := range all {
			if err := inside(fmt.Sprintf("%s/%s/%d", at, k, i), one); err != nil {
				return err
			}
		}
	}
	if items, ok := s["items"]; ok {
		return inside(at+"/items", items)
	}
	return nil
}

func inside(at string, s any) error {
	m, ok := s.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: a schema must be an object", at)
	}
	return strict(at, m)
}
