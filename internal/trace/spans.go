package trace

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// readSpans reads spans as OTLP's JSON has them, with the attributes of OpenTelemetry's
// semantic conventions for generative AI (version 1.37 and later): one exchange a call of
// a model, in the order of time, grouped by conversation or else by trace.
func readSpans(top object, line int) ([]exchange, error) {
	var doc struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []span `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	raw, err := json.Marshal(top)
	if err == nil {
		err = json.Unmarshal(raw, &doc)
	}
	if err != nil {
		return nil, &Error{line, "the spans can't be read: " + err.Error(), "export them as OTLP's JSON"}
	}

	var spans []span
	for _, resource := range doc.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			spans = append(spans, scope.Spans...)
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return strings.Compare(a.nanos(), b.nanos()) })

	var out []exchange
	for _, s := range spans {
		e, err := s.exchange(line)
		if err != nil {
			return nil, err
		}
		if len(e.messages) > 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

// span is a span of OTLP's JSON.
type span struct {
	TraceID    string          `json:"traceId"`
	Start      json.RawMessage `json:"startTimeUnixNano"`
	Attributes []struct {
		Key   string `json:"key"`
		Value object `json:"value"`
	} `json:"attributes"`
}

// nanos returns the beginning so that text in order is time in order.
func (s *span) nanos() string {
	digits := strings.Trim(string(s.Start), `"`)
	return strings.Repeat("0", max(0, 20-len(digits))) + digits
}

// exchange returns the conversation of a span that is a call of a model.
func (s *span) exchange(line int) (exchange, error) {
	e := exchange{key: s.TraceID, line: line}
	values := map[string]json.RawMessage{}
	for _, a := range s.Attributes {
		values[a.Key] = attribute(a.Value)
	}

	// Spans of agents repeat what the spans of their models have.
	if operation, ok := text(values["gen_ai.operation.name"]); ok && operation != "chat" && operation != "generate_content" && operation != "text_completion" {
		return e, nil
	}
	if conversation, ok := text(values["gen_ai.conversation.id"]); ok && conversation != "" {
		e.key = conversation
	}
	e.tools = functionsOf(values["gen_ai.tool.definitions"])

	if raw, ok := values["gen_ai.system_instructions"]; ok {
		b := blocks{turn: turn{role: System}}
		if err := b.content(raw); err != nil {
			return e, &Error{line, "gen_ai.system_instructions: " + err.Error(), ""}
		}
		e.messages = b.turns()
	}
	asked, err := readTurns(values["gen_ai.input.messages"], "", line)
	if err != nil {
		return e, err
	}
	said, err := readTurns(values["gen_ai.output.messages"], Assistant, line)
	e.messages = slices.Concat(e.messages, asked, answered(said))
	return e, err
}

// attribute returns an attribute of OTLP's JSON as plain JSON. A text that holds JSON, as
// exporters write messages, is that JSON; a text within it is a text.
func attribute(v object) json.RawMessage {
	said, ok := str(v, "stringValue")
	if !ok {
		return plainValue(v)
	}
	limits := strictjson.Limits{Size: MaxSession, Depth: maxDepth, Leaves: maxLeaves}
	trimmed := strings.TrimSpace(said)
	if !strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, "{") {
		return v["stringValue"]
	}
	if _, err := strictjson.Parse([]byte(trimmed), limits); err != nil {
		return v["stringValue"]
	}
	return json.RawMessage(trimmed)
}

// plainValue returns a value of OTLP's JSON as plain JSON.
func plainValue(v object) json.RawMessage {
	var plain any
	switch {
	case has(v, "arrayValue"):
		values := []json.RawMessage{}
		array, _ := member(v, "arrayValue")
		for _, raw := range list(array["values"]) {
			var one object
			if json.Unmarshal(raw, &one) == nil {
				values = append(values, plainValue(one))
			}
		}
		plain = values
	case has(v, "kvlistValue"):
		values := object{}
		kv, _ := member(v, "kvlistValue")
		for _, raw := range list(kv["values"]) {
			var one struct {
				Key   string `json:"key"`
				Value object `json:"value"`
			}
			if json.Unmarshal(raw, &one) == nil {
				values[one.Key] = plainValue(one.Value)
			}
		}
		plain = values
	default:
		for _, name := range [...]string{"stringValue", "intValue", "doubleValue", "boolValue"} {
			if raw, ok := present(v, name); ok {
				return raw
			}
		}
	}

	out, err := json.Marshal(plain)
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}

// text returns a JSON value that is a string.
func text(raw json.RawMessage) (string, bool) {
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
