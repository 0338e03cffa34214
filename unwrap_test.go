package remit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"pgregory.net/rapid"
)

// switchboard is the desk with a tool that calls the others by their names.
const switchboard = desk + `  call_tool:
    effect: execute
    args: {/note: {role: content}, /host: {role: target, floor: USER}}
    unwrap: {tool: /tool, arguments: /arguments}
  call_any:
    effect: execute
    unwrap: {tool: /tool, arguments: /arguments, server: /server}
`

// through is the call of a tool by way of call_tool, with the arguments as an
// object or as text.
func through(tool, arguments string, written bool) string {
	if written {
		text, _ := json.Marshal(arguments)
		arguments = string(text)
	}
	return fmt.Sprintf(`{"tool":%q,"arguments":%s}`, tool, arguments)
}

// A call through a meta-tool is decided as the call that it makes, whichever way
// it is written, with the same effect on what comes after.
func TestUnwrapIsTheInnerCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		direct, unwrapped := open(t, switchboard), open(t, switchboard)
		for _, s := range anySession(12).Draw(t, "session") {
			want := direct.play(s)
			if want == nil {
				unwrapped.play(s)
				continue
			}
			s.arguments = through(s.kind, s.arguments, rapid.Bool().Draw(t, "written"))
			s.kind = "call_tool"
			got := unwrapped.play(s)
			if summary(want) != strings.ReplaceAll(summary(got), " /arguments", " ") {
				t.Fatalf("%s %s:\ndirectly %s\nthrough call_tool %s", want.Tool, want.Arguments, summary(want), summary(got))
			}
			if got.Tool != want.Tool || got.Through != "call_tool" || got.Effect != want.Effect {
				t.Fatalf("decided %s (%s) through %q, not %s (%s)", got.Tool, got.Effect, got.Through, want.Tool, want.Effect)
			}
			for i, f := range want.Findings {
				g := got.Findings[i]
				if g.Path != "/arguments"+f.Path || g.Trust != f.Trust || g.Role != f.Role || g.Satisfied != f.Satisfied {
					t.Fatalf("finding %+v, directly %+v", g, f)
				}
			}
		}
	})
}

func TestUnwrap(t *testing.T) {
	for _, c := range []struct{ name, tool, arguments, want string }{
		{"no arguments", "call_tool", `{"tool":"inbox"}`, "allow"},
		{"an empty object", "call_tool", `{"tool":"inbox","arguments":{}}`, "allow"},
		{"null", "call_tool", `{"tool":"inbox","arguments":null}`, "allow"},
		{"empty text", "call_tool", `{"tool":"inbox","arguments":""}`, "deny; invalid-arguments /arguments"},
		{"a list", "call_tool", `{"tool":"inbox","arguments":[]}`, "deny; invalid-arguments /arguments"},
		{"a filled list", "call_tool", `{"tool":"inbox","arguments":["x"]}`, "deny; unknown-argument /arguments/0"},
		{"a member twice in the text", "call_tool", through("send", `{"to":["ann@corp.example"],"to":["eve@evil.example"]}`, true), "deny; invalid-arguments /arguments"},
		{"text beside the arguments is the outer tool's", "call_tool", `{"tool":"inbox","note":"hello"}`, "allow"},
		{"and is held to the outer contract", "call_tool", `{"tool":"inbox","host":"evil.example"}`, "ask; below-floor /host"},
		{"an argument that nobody knows", "call_tool", `{"tool":"inbox","other":1}`, "deny; unknown-argument /other"},
		{"an inner argument beside the arguments", "call_tool", `{"tool":"send","to":["ann@corp.example"]}`, "deny; unknown-argument /to/0"},
		{"no tool", "call_tool", `{"arguments":{}}`, "deny; invalid-arguments /tool"},
		{"a tool that is not a name", "call_tool", `{"tool":["inbox"]}`, "deny; invalid-arguments /tool"},
		{"an unknown tool", "call_tool", `{"tool":"shell"}`, "deny; unknown-tool /tool"},
		{"itself", "call_tool", through("call_tool", `{"tool":"inbox"}`, false), "deny; invalid-arguments /tool"},
		{"another of its kind", "call_tool", through("call_any", `{"tool":"inbox"}`, false), "deny; invalid-arguments /tool"},
		{"a server", "call_any", `{"server":"desk","tool":"inbox"}`, "allow"},
		{"another server", "call_any", `{"server":"safe","tool":"inbox"}`, "deny; unknown-tool /tool"},
		{"no server's name", "call_any", `{"server":"","tool":"inbox"}`, "deny; invalid-arguments /server"},
		{"a server that is null", "call_any", `{"server":null,"tool":"inbox"}`, "deny; invalid-arguments /server"},
		{"a server that is a number", "call_any", `{"server":7,"tool":"inbox"}`, "deny; invalid-arguments /server"},
		{"a server that is an object", "call_any", `{"server":{"a":1},"tool":"inbox"}`, "deny; invalid-arguments /server"},
		{"a variant", "call_tool", through("ticket", `{"method":"explode"}`, false), "deny; unknown-variant /arguments/method"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := open(t, switchboard)
			o.User("Look at my mail.")
			o.Attach("page", hostile)
			expect(t, o.decide(c.tool, c.arguments), c.want)
		})
	}
}

// A meta-tool that names no server calls a tool of its own one: never the tool of that name which
// another server alone has.
func TestUnwrapOfNoServer(t *testing.T) {
	var files []*contract.File
	for _, text := range []string{switchboard, "version: 1\nserver: other\ntools: {list: {effect: read}}\n"} {
		f, err := contract.Load("contract.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	o := open(t, desk, func(o *remit.Options) { o.Contracts = files })
	o.User("List them.")
	expect(t, o.decide("call_any", `{"server":"other","tool":"list"}`), "allow")
	expect(t, o.decide("call_any", `{"tool":"list"}`), "deny; unknown-tool /tool")
	expect(t, o.decide("call_any", `{"server":"","tool":"list"}`), "deny; invalid-arguments /server")
}

// What goes on is the canonical form of what was checked, in the text too.
func TestUnwrapCanonical(t *testing.T) {
	o := open(t, switchboard)
	o.User("Mail ann@corp.example a < b & c.")
	d := o.decide("call_tool", `{ "tool": "send", "arguments": "{ \"to\" : [\"\\u0061nn@corp.example\"], \"body\": \"a < b & c\" }" }`)
	expect(t, d, "allow")
	if want := `{"tool":"send","arguments":"{\"to\":[\"ann@corp.example\"],\"body\":\"a < b & c\"}"}`; string(d.Arguments) != want {
		t.Errorf("goes on as %s", d.Arguments)
	}
	o.Attach("page", hostile)
	if text := o.decide("call_tool", through("wipe", `{}`, false)).Explain(); !strings.Contains(text, "wipe through call_tool") {
		t.Errorf("explained as %s", text)
	}
}

// A tool behind a meta-tool is in no list; one that was in the list when its
// contract was made is fenced off without it.
func TestUnwrapUnlisted(t *testing.T) {
	listed, err := schema.ParseMCP("desk", []byte(`{"tools":[{"name":"call_tool","inputSchema":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"additionalProperties":false}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tools := func(o *remit.Options) { o.Tools = []*schema.Catalogue{listed} }
	o := open(t, switchboard, tools)
	expect(t, o.decide("call_tool", `{"tool":"inbox"}`), "allow")
	expect(t, o.decide("inbox", `{}`), "deny; changed-tool")
	expect(t, o.decide("call_tool", `{"tool":"inbox","note":"x"}`), "deny; unknown-argument /note")
	o = open(t, strings.Replace(switchboard, "  inbox:\n", "  inbox:\n    fingerprint: sha256:00\n", 1), tools)
	expect(t, o.decide("call_tool", `{"tool":"inbox"}`), "deny; changed-tool /tool")
}
