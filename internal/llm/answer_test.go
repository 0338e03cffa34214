package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
	"github.com/remit-project/remit/internal/strictjson"
)

// An answer in text is the one JSON object in it, wherever that is.
func TestRead(t *testing.T) {
	for _, tc := range []struct{ name, text, want, mistake string }{
		{"only JSON", ` {"a": 1} `, `{"a":1}`, ""},
		{"a fence", "```json\n{\"a\": 1}\n```", `{"a":1}`, ""},
		{"a fence without a language", "```\n{\"a\": 1}\n```", `{"a":1}`, ""},
		{"a fence in prose", "Sure.\n\n```json\n{\n  \"a\": 1\n}\n```\nAnything else?", `{"a":1}`, ""},
		{"a fence is preferred to prose", "Not {\"a\": 0}, but:\n```json\n{\"a\": 1}\n```", `{"a":1}`, ""},
		{"prose with braces", `In set notation {a}, so: {"a": "}{"} (see [1]).`, `{"a":"}{"}`, ""},
		{"JSON behind a line", "Here it is\n{\"a\": 1}", `{"a":1}`, ""},
		{"reasoning in front", "<think>Maybe {\"a\": 2}? No.</think>\n{\"a\": 1}", `{"a":1}`, ""},
		{"a fence within JSON", "{\"a\": \"x\\n```json\\n{}\\n```\"}", "{\"a\":\"x\\n```json\\n{}\\n```\"}", ""},
		{"two objects", `{"a": 1} {"a": 2}`, "", "more than one JSON object"},
		{"two objects on two lines", "{\"a\": 1}\n{\"a\": 2}", "", "more than one JSON object"},
		{"two fences", "```\n{\"a\": 1}\n```\nor\n```\n{\"a\": 2}\n```", "", "more than one JSON object"},
		{"none", "I don't know.", "", "no JSON object"},
		{"nothing", "", "", "no JSON object"},
		{"a list", `[1, 2]`, "", "no JSON object"},
		{"half of one", `{"a": {"b": 1`, "", `in "/a"`},
		{"a comma too many", `{"a": 1,}`, "", `JSON at byte 8`},
		{"a member twice", `{"a": 1, "a": 2}`, "", `"a" appears twice`},
		{"a member twice in prose", `It is {"a": 1, "a": 2}.`, "", `"a" appears twice`},
		{"a lone surrogate", `{"a": "\ud800"}`, "", "surrogate"},
		{"a number that takes much space", `{"a": {"b": 1e-999999}}`, "", "/a/b: the number is out of bounds"},
		{"a number beyond all", `{"a": 1E+99999999999999999999}`, "", "/a: the number is out of bounds"},
		{"a number with many digits", `{"a": ` + strings.Repeat("1", 9999) + `}`, "", "/a: the number is out of bounds"},
		{"a large number", `{"a": -1.5E+308}`, `{"a":-1.5E+308}`, ""},
		{"nesting without an end", strings.Repeat(`{"a":`, 100), "", "ends too early"},
		{"braces without an end", strings.Repeat(`{`, 1<<20), "", "JSON at byte 1"},
		{"a brace behind many", strings.Repeat(`{`, 100) + ` {"a": 1}`, "", "JSON at byte 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := llm.Read(tc.text)
			switch {
			case tc.mistake == "" && (err != nil || string(got) != tc.want):
				t.Errorf("%s, %v", got, err)
			case tc.mistake != "" && (err == nil || !strings.Contains(err.Error(), tc.mistake)):
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// Answers in text are taken from both dialects.
func TestAnswersInText(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		s := llmtest.New(t, says("The capital is:\n```json\n{\"city\": \"Paris\", \"population\": 2}\n```"))
		c := newClient(t, llm.Options{Default: s.Endpoint(p)})
		if a, err := c.Complete(t.Context(), prompt()); city(t, a, err) != "Paris" || string(a.Value) != `{"city":"Paris","population":2}` {
			t.Error(a, err)
		}
	})
}

// anything has a keyword for every kind of value, all of which are compared.
func anything() llm.Schema {
	return llm.Schema{Name: "anything", JSON: json.RawMessage(`{"type": "object", "additionalProperties": {"$ref": "#/$defs/v"}, "$defs": {"v": {
		"minimum": 1, "multipleOf": 3, "enum": [1, "a", {"a": 1}], "pattern": "^a*$",
		"items": {"$ref": "#/$defs/v"}, "additionalProperties": {"$ref": "#/$defs/v"}}}}`)}
}

// Two calls of the tool are two answers, and none of them is taken.
func TestTwoToolCalls(t *testing.T) {
	var asked atomic.Int32
	e := raw(t, llm.Anthropic, func(w http.ResponseWriter, _ *http.Request) {
		const call = `{"type": "tool_use", "id": "1", "name": "capital", "input": {"city": "Paris", "population": 1}}`
		content := call
		if asked.Add(1) == 1 {
			content += ", " + call
		}
		io.WriteString(w, `{"content": [`+content+`], "stop_reason": "tool_use"}`)
	})
	var why string
	c := newClient(t, llm.Options{Default: e, Progress: func(e llm.Event) {
		if e.Step == llm.Repaired {
			why = e.Err.Error()
		}
	}})
	a, err := c.Complete(t.Context(), prompt())
	if got := city(t, a, err); got != "Paris" || !strings.Contains(why, "more than one JSON object") {
		t.Errorf("%s, after %q", got, why)
	}
}

// A wrong answer of any length goes back to the model as what helps of it.
func TestLongWrongAnswer(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		s := llmtest.New(t, func(a llmtest.Asked) llmtest.Reply {
			if len(a.Messages) > 1 {
				return llmtest.Reply{JSON: paris}
			}
			return llmtest.Reply{Text: strings.Repeat("é", 1<<20)}
		})
		a, err := newClient(t, llm.Options{Default: s.Endpoint(p)}).Complete(t.Context(), prompt())
		if got := city(t, a, err); got != "Paris" {
			t.Fatal(got)
		}
		if said := s.Asked()[1].Messages[1].Text; len(said) > 300<<10 || !strings.HasSuffix(said, "é…") {
			t.Errorf("%d bytes, the last %q", len(said), said[len(said)-9:])
		}
	})
}

// FuzzRead: what is read out of a text is one JSON object that all read alike, and
// that can be held to any schema.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"a": 1}`, "```json\n{\"a\": [1, {\"b\": null}]}\n```", `x {"a": 1} y`, "<think>{}</think>{}", "{{{{", "```\n```\n{}", `{"a":"\ud800"}`, `{"a": [1e99, 1E-308, -0.0], "b": 1e999999999}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := llm.Read(text)
		if err != nil {
			return
		}
		doc, err := strictjson.Parse(got, strictjson.OutputLimits())
		if err != nil || doc.Root().Kind() != strictjson.Object || string(doc.Canonical()) != string(got) {
			t.Fatalf("%q of %q: %v", got, text, err)
		}
		if _, err := anything().Mistakes(string(got)); err != nil {
			t.Fatal(err)
		}
		again, err := llm.Read("It is:\n```json\n" + string(got) + "\n```\n")
		if err != nil || string(again) != string(got) {
			t.Fatalf("%q in a fence is %q: %v", got, again, err)
		}
	})
}

// A model is told everything that is wrong, and where.
func TestMistakes(t *testing.T) {
	s := llm.Schema{Name: "x", JSON: json.RawMessage(`{
		"type": "object", "additionalProperties": false, "required": ["rules", "kind"],
		"properties": {
			"kind": {"enum": ["ask", "deny"]},
			"rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}},
			"at": {"anyOf": [{"type": "null"}, {"type": "string"}]}
		},
		"$defs": {"rule": {"type": "object", "required": ["a/b"], "properties": {"a/b": {"type": "integer", "minimum": 1}}}}
	}`)}
	for _, tc := range []struct {
		name, value string
		want        []string
	}{
		{"nothing", `{"rules": [{"a/b": 1}], "kind": "ask", "at": null}`, nil},
		{"numbers beyond 2⁵³ are what they are", `{"rules": [{"a/b": 90071992547409931234567}], "kind": "ask"}`, nil},
		{"a member is missing", `{"rules": []}`, []string{"the answer: missing property 'kind'"}},
		{"members too many", `{"rules": [], "kind": "ask", "d": 1, "b": 1, "a": 1, "c": 1}`, []string{"the answer: additional properties 'a', 'b', 'c', 'd' not allowed"}},
		{"several, each with its place", `{"rules": [{"a/b": "1"}, {}, {"a/b": 0}], "kind": "allow"}`, []string{
			"/rules/0/a~1b: got string, want integer", "/rules/1: missing property 'a/b'", "/rules/2/a~1b: minimum: got 0, want 1",
			"/kind: value must be one of 'ask', 'deny'"}},
		{"alternatives are one mistake", `{"rules": [], "kind": "ask", "at": 1}`, []string{"/at: fits none of the allowed forms: /at: got number, want null; or /at: got number, want string"}},
		{"not all of many", `{"kind": "ask", "rules": [` + strings.Repeat("{}, ", 29) + `{}]}`, []string{"/rules/0: missing property 'a/b'", "and 10 more"}},
		{"no more of a long one than helps", `{"kind": "ask", "rules": [], "` + strings.Repeat("x", 9999) + `": 1}`, []string{"xxx…"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := s.Mistakes(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := s.Mistakes(tc.value); !slices.Equal(again, got) {
				t.Errorf("%q, and then %q", got, again)
			}
			if (len(got) == 0) != (len(tc.want) == 0) || len(got) > 21 {
				t.Errorf("%q", got)
			}
			all := strings.Join(got, "\n")
			for _, want := range tc.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q lacks %q", got, want)
				}
			}
			if len(all) > 21*500 {
				t.Errorf("%d bytes", len(all))
			}
		})
	}
}

// A schema that endpoints or the client can't use is a mistake of the caller's.
func TestSchemasThatCantBeUsed(t *testing.T) {
	for name, schema := range map[string]string{
		"no JSON":      `{`,
		"a list":       `{"type": "array", "items": {"type": "string"}}`,
		"a wrong type": `{"type": "object", "properties": {"a": {"type": "text"}}}`,
		"a file":       `{"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}`,
		"an address":   `{"type": "object", "properties": {"a": {"$ref": "https://schemas.example/a"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := (llm.Schema{Name: "x", JSON: json.RawMessage(schema)}).Mistakes(`{}`); err == nil || !strings.Contains(err.Error(), "the schema x") {
				t.Error(err)
			}
		})
	}
}
