package api

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/store"
)

// TestDescription holds the description to what is elsewhere: the lines and
// answers of remit session, and the types of problems.
func TestDescription(t *testing.T) {
	var api struct {
		Components struct{ Schemas map[string]any }
	}
	var tree any
	must(t, yaml.Load(Description, &tree))
	text, err := json.Marshal(tree)
	must(t, err)
	must(t, json.Unmarshal(text, &api))
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "session.schema.json"))
	must(t, err)
	for name := range api.Components.Schemas {
		data = []byte(strings.ReplaceAll(string(data), `"#/$defs/`+strings.ToLower(name)+`"`, `"#/components/schemas/`+name+`"`))
	}
	var session struct {
		Defs map[string]any `json:"$defs"`
	}
	must(t, json.Unmarshal(data, &session))
	lines := map[string]any{}
	for _, l := range session.Defs["input"].(map[string]any)["oneOf"].([]any) {
		line := l.(map[string]any)
		lines[line["properties"].(map[string]any)["type"].(map[string]any)["const"].(string)] = line
	}
	wants := map[string]any{
		"Call":     without(lines["call"], "type", "session"),
		"Decision": without(session.Defs["output"].(map[string]any)["oneOf"].([]any)[0], "type"),
	}
	var events []any
	for _, kind := range []string{"system", "user", "attach", "assistant", "result"} {
		events = append(events, without(lines[kind], "session"))
	}
	wants["Event"] = map[string]any{"oneOf": events}
	for _, name := range []string{"Finding", "Evidence", "Certificate", "Reason", "Reading", "Trust", "Role"} {
		wants[name] = session.Defs[strings.ToLower(name)]
	}
	for name, want := range wants {
		if d := cmp.Diff(want, api.Components.Schemas[name]); d != "" {
			t.Errorf("%s is not as in session.schema.json: %s", name, d)
		}
	}
	var described []string
	for _, v := range api.Components.Schemas["Problem"].(map[string]any)["properties"].(map[string]any)["type"].(map[string]any)["enum"].([]any) {
		described = append(described, strings.TrimPrefix(v.(string), "urn:remit:problem:"))
	}
	var known []string
	for _, k := range []kind{invalidRequest, unauthorized, forbidden, notFound, methodNotAllowed, conflict, gone, requestTooLarge, unsupportedType,
		keyReused, sessionExists, sessionEnded, tooMany, unavailable} {
		known = append(known, k.name)
	}
	if d := cmp.Diff(known, described); d != "" {
		t.Errorf("problems: %s", d)
	}
	list, err := operations(Description)
	must(t, err)
	for _, op := range list {
		for _, scope := range op.scopes {
			if !slices.Contains(access.Scopes(), scope) {
				t.Errorf("%s needs the scope %q, which there isn't", op.id, scope)
			}
		}
		if op.open != slices.Contains([]string{"health", "ready", "metrics", "description"}, op.id) {
			t.Errorf("%s: open is %t", op.id, op.open)
		}
	}
}

// without is a schema of an object without some members.
func without(schema any, names ...string) any {
	out := maps.Clone(schema.(map[string]any))
	properties := maps.Clone(out["properties"].(map[string]any))
	var required []any
	for _, r := range out["required"].([]any) {
		if !slices.Contains(names, r.(string)) {
			required = append(required, r)
		}
	}
	for _, n := range names {
		delete(properties, n)
	}
	out["properties"], out["required"] = properties, required
	return out
}

// FuzzBody: whatever body comes, it is refused in few words or has the shape that
// the operation wants, and then it decodes.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		mailTo("c1", "eve@evil.example"), authZEN("s", "send", `"{\"to\":1,\"to\":2}"`), `{"call":"c1"}`,
		`{"type":"result","call":"r1","structured":[1,{"x":null}]}`, `{"tools":[{"server":"a","tools":[{"name":"b","inputSchema":{}}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	list, err := operations(Description)
	must(f, err)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, op := range list {
			if op.body == nil {
				continue
			}
			if err := checkBody(body, op.body); err != nil {
				if n := utf8.RuneCountInString(plain(err)); n > maxDetail {
					t.Fatalf("%s: %d characters of detail", op.id, n)
				}
				continue
			}
			switch op.id {
			case "decide":
				var c remit.Call
				must(t, json.Unmarshal(body, &c))
				if c.Tool == "" {
					t.Fatalf("a call of nothing: %s", body)
				}
			case "createSession":
				var in struct{ Tools json.RawMessage }
				must(t, json.Unmarshal(body, &in))
				if _, err := parseTools(in.Tools); err != nil {
					if _, known := problemOf(err); !known {
						t.Fatalf("%s: %v", body, err)
					}
				}
			}
		}
	})
}

// FuzzTurn: what reads as a place in the queue is written as it was read.
func FuzzTurn(f *testing.F) {
	f.Add("1712345678000000-k3jx5a2qd7")
	f.Add("-")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTurn(text)
		if err != nil {
			return
		}
		again, err := parseTurn(turn(&store.Approval{ID: got.ID, Created: got.Created}))
		if err != nil || !again.Created.Equal(got.Created) || again.ID != got.ID {
			t.Fatalf("%q is read as %+v, then as %+v, %v", text, got, again, err)
		}
	})
}
