package contract_test

import (
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

const compiled = `
version: 1
server: desk
settled: [id, size]
tools:
  list_notes:
    effect: read
    args: {/limit: {role: control}}
    output: {trust: EXTERNAL, settled: true, fields: {/*/draft/size: EXTERNAL}}
  read_note:
    effect: read
    args: {/id: {role: selector}, /**: {role: content}}
    output: {trust: EXTERNAL}
  manage_note:
    effect: write
    args:
      /method: {role: control}
      /id:     {role: selector}
      /text:   {role: content}
    variants:
      argument: /method
      cases:
        get:    {effect: read, args: {/id: {role: selector, floor: EXTERNAL}}}
        delete: {effect: destructive, args: {/id: {role: selector, floor: USER}}}
`

func compile(t *testing.T) map[string]*contract.Compiled {
	t.Helper()
	f, err := contract.Load("desk.yaml", []byte(compiled))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := contract.Compile(f, contract.Scope{Classes: &label.Classes{}, Obligations: &label.ObligationNames{}})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestOutputFields(t *testing.T) {
	tools := compile(t)
	for _, c := range []struct {
		name, tool, pointer string
		trust               label.Trust
		listed              bool
	}{
		{"a settled member, wherever it stands", "list_notes", "/3/meta/id", label.ToolOutput, true},
		{"a member that is not settled", "list_notes", "/3/title", 0, false},
		{"a field of its own wins over settled", "list_notes", "/3/draft/size", label.External, true},
		{"an output that settles nothing", "read_note", "/id", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := tools[c.tool].Variant("", false)
			if !ok {
				t.Fatal("no variant")
			}
			if trust, listed := v.Output.Field(c.pointer); trust != c.trust || listed != c.listed {
				t.Errorf("Field(%q) = %s, %t; want %s, %t", c.pointer, trust, listed, c.trust, c.listed)
			}
		})
	}
}

func TestVariants(t *testing.T) {
	manage := compile(t)["manage_note"]
	for _, c := range []struct {
		name, verb string
		present    bool
		effect     contract.Effect
		floor      label.Trust
	}{
		{"a mild verb has its own floors", "get", true, contract.Read, label.External},
		{"a harmful verb has its own floors", "delete", true, contract.Destructive, label.User},
		{"without a verb the worst variant counts", "", false, contract.Destructive, label.User},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := manage.Variant(c.verb, c.present)
			if !ok {
				t.Fatal("no variant")
			}
			a, ok := v.Match("/id")
			if !ok || v.Effect != c.effect || a.Requirement.Floor != c.floor {
				t.Errorf("got %s and floor %s, want %s and %s", v.Effect, a.Requirement.Floor, c.effect, c.floor)
			}
			if _, ok := v.Match("/text"); !ok {
				t.Error("what a case leaves out is as in the tool")
			}
		})
	}
	if _, ok := manage.Variant("purge", true); ok {
		t.Error("a verb without a case has a variant")
	}
}
