package generation

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit/internal/llm"
)

// form is a JSON Schema of an answer. Members keep their order: models write them
// one after the other, and reasons are to come before verdicts. As endpoints want
// it, objects require all their members and take no others.
type form string

type property struct {
	name string
	form form
}

func text(about string) form {
	if about == "" {
		return `{"type":"string"}`
	}
	return `{"type":"string","description":` + form(quote(about)) + `}`
}

func flag(about string) form {
	return `{"type":"boolean","description":` + form(quote(about)) + `}`
}

func word(words ...string) form {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, quote(w))
	}
	return form(`{"type":"string","enum":[` + strings.Join(quoted, ",") + `]}`)
}

func list(of form) form { return `{"type":"array","items":` + of + `}` }

func either(forms ...form) form {
	var all []string
	for _, f := range forms {
		all = append(all, string(f))
	}
	return form(`{"anyOf":[` + strings.Join(all, ",") + `]}`)
}

func object(properties ...property) form {
	var names, forms []string
	for _, p := range properties {
		names = append(names, quote(p.name))
		forms = append(forms, quote(p.name)+":"+string(p.form))
	}
	return form(`{"type":"object","properties":{` + strings.Join(forms, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`)
}

func (f form) schema(name string) llm.Schema { return llm.Schema{Name: name, JSON: json.RawMessage(f)} }

func quote(s string) string {
	b, _ := json.Marshal(s) // a text is always valid
	return string(b)
}
