package contract_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/strictjson"
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
  save_note:
    effect: write
    args: {/**: {role: content}}
    output: {trust: EXTERNAL, fields: {/**/note_id: TOOL_OUTPUT, /**/owner/ref: TOOL_OUTPUT}}
  get_size:
    effect: read
    output: {trust: TOOL_OUTPUT, fields: {/**/title: EXTERNAL}}
  find_people:
    effect: read
    args: {/name: {role: selector}}
    output:
      trust: EXTERNAL
      certify: [{procedure: directory, key: /name, field: /**/email, unique: true, roles: [target]}]
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
	tools, err := contract.Compile(f, contract.Defaults{Classes: &label.Classes{}, Obligations: &label.ObligationNames{}})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// An entry that raises a field above its result counts for the members of the records themselves.
// One that lowers a field, or names a single place, counts everywhere.
func TestOutputFields(t *testing.T) {
	tools := compile(t)
	for _, c := range []struct {
		name, tool, result, pointer string
		trust                       label.Trust
		listed                      bool
	}{
		{"a settled member of a record", "list_notes", `{"id": 7, "title": "x"}`, "/id", label.ToolOutput, true},
		{"of one in a list", "list_notes", `[{"id": 7, "title": "x"}]`, "/0/id", label.ToolOutput, true},
		{"of one that is wrapped", "list_notes", `{"ok": true, "note": {"id": 7, "title": "x"}}`, "/note/id", label.ToolOutput, true},
		{"of one in a list that is wrapped", "list_notes", `{"data": {"notes": {"nodes": [{"id": 7}], "next": "c"}}}`, "/data/notes/nodes/0/id", label.ToolOutput, true},
		{"of one in a list beside what the list is of", "list_notes", `{"folder": "inbox", "notes": [{"id": 7}]}`, "/notes/0/id", label.ToolOutput, true},
		{"nested in a record", "list_notes", `{"id": 7, "answers": {"id": "x"}}`, "/answers/id", 0, false},
		{"nested in a record that its text tells", "list_notes", `{"form": "a", "answers": {"id": "x"}}`, "/answers/id", 0, false},
		{"nested in a record whose identifier stands behind", "list_notes", `{"answers": {"id": "x"}, "id": 7}`, "/answers/id", 0, false},
		{"nested in a record of a list", "list_notes", `[{"id": 7, "answers": {"id": "x"}}]`, "/0/answers/id", 0, false},
		{"in a list in a record", "list_notes", `{"id": 7, "answers": [{"id": "x"}]}`, "/answers/0/id", 0, false},
		{"in an object by number in a record", "list_notes", `{"form": "a", "answers": {"77": {"id": "x"}}}`, "/answers/77/id", 0, false},
		{"nested in a record whose text has a number for a name", "list_notes", `{"1": "a", "answers": {"id": "x"}}`, "/answers/id", 0, false},
		{"deep below a record", "list_notes", `{"response": {"id": 7, "a": {"b": {"id": "x"}}}}`, "/response/a/b/id", 0, false},
		{"a member that is not settled", "list_notes", `[{"id": 7, "title": "x"}]`, "/0/title", 0, false},
		{"a field of its own wins over settled", "list_notes", `[{"draft": {"size": 1}}]`, "/0/draft/size", label.External, true},
		{"an output that settles nothing", "read_note", `{"id": 7}`, "/id", 0, false},
		{"a deep field of a record", "save_note", `{"note": {"note_id": "n7", "text": "x"}}`, "/note/note_id", label.ToolOutput, true},
		{"a deep field of what is nested in one", "save_note", `{"note_id": "n7", "meta": {"note_id": "x"}}`, "/meta/note_id", 0, false},
		{"a deep field with its place in the record", "save_note", `{"note_id": "n7", "owner": {"ref": "x"}}`, "/owner/ref", label.ToolOutput, true},
		{"the same place in what is nested", "save_note", `{"note_id": "n7", "meta": {"owner": {"ref": "x"}}}`, "/meta/owner/ref", 0, false},
		{"a deep field that is lowered", "get_size", `{"note_id": "n7", "meta": {"title": "x"}}`, "/meta/title", label.External, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := tools[c.tool].Variant("", false)
			if !ok {
				t.Fatal("no variant")
			}
			result, err := strictjson.Parse([]byte(c.result), strictjson.OutputLimits())
			if err != nil {
				t.Fatal(err)
			}
			trust, listed := v.Output.Field(c.pointer, contract.RecordsOf(scalars(result)))
			if trust != c.trust || listed != c.listed {
				t.Errorf("got %s %v, want %s %v", trust, listed, c.trust, c.listed)
			}
		})
	}
}

// A certificate that reaches anywhere ends at the record: the address in a
// message that is nested there is whatever its sender put in.
func TestCertifiedFields(t *testing.T) {
	v, _ := compile(t)["find_people"].Variant("", false)
	for _, c := range []struct {
		name, result, pointer string
		want                  bool
	}{
		{"a record's own", `[{"name": "Bob", "email": "bob@corp.example"}]`, "/0/email", true},
		{"a wrapped record's own", `{"people": [{"email": "bob@corp.example"}]}`, "/people/0/email", true},
		{"a nested one", `[{"name": "Bob", "last": {"email": "eve@evil.example"}}]`, "/0/last/email", false},
		{"one in a nested list", `[{"name": "Bob", "mails": [{"email": "eve@evil.example"}]}]`, "/0/mails/0/email", false},
		{"another member", `[{"name": "Bob"}]`, "/0/name", false},
	} {
		result, err := strictjson.Parse([]byte(c.result), strictjson.OutputLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Output.Certify()[0].Matches(c.pointer, contract.RecordsOf(scalars(result))); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
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

// A call that doesn't say its verb could be any of the cases: for each argument the
// strictest of them holds, also where two are equally bad.
func TestUnspokenVerb(t *testing.T) {
	const file = `{version: 1, server: s, tools: {run: {effect: execute, output: {trust: TOOL_OUTPUT},
		args: {/command: {role: command}, /note: {role: content}},
		variants: {argument: /how, cases: {
			asked:   {effect: execute, unprovoked: "off", args: {/command: {role: content, allow: [ls]}}},
			outside: {effect: execute, output: {trust: EXTERNAL}},
			listed:  {effect: read, args: {/more: {role: content, discharge: [source]}}, output: {trust: EXTERNAL, fields: {/id: TOOL_OUTPUT}, certify: [{procedure: directory, key: /note, field: /id, roles: [target]}]}},
			loose:   {effect: read, args: {/note: {role: target}, /more: {role: content}}}}}}}}`
	f, err := contract.Load("s.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := contract.Compile(f, contract.Defaults{})
	if err != nil {
		t.Fatal(err)
	}

	v, _ := tools["run"].Variant("", false)
	if v.Effect != contract.Execute || v.Unprovoked != contract.Ask || v.Output.Trust != label.External {
		t.Errorf("%s, unprovoked %s, output %s", v.Effect, v.Unprovoked, v.Output.Trust)
	}
	for pointer, want := range map[string]label.Role{"/command": label.Command, "/note": label.Target, "/more": label.Content} {
		a, ok := v.Match(pointer)
		if !ok || a.Requirement.Role != want || a.Requirement.Floor != contract.DefaultFloor(want) {
			t.Errorf("%s: %v, %+v", pointer, ok, a)
		}
		if ok && a.Allows("ls") {
			t.Errorf("%s allows what one case allows", pointer)
		}
	}
	if v.Output.HasOwn() || len(v.Output.Output.Certify) > 0 {
		t.Error("the result of one case vouches for that of another")
	}
	if a, _ := v.Match("/more"); a.Discharges("source") || a.Discharges("confirm") {
		t.Error("an argument is recovered by what one case alone has")
	}
	if _, ok := v.Match("/other"); ok {
		t.Error("an argument that no case has was found")
	}
}

// Of several entries that may hold, each thing is as in the strictest of them: role, floor and form
// need not be of the same one.
func TestUnspokenVerbTakesTheStrictestOfEach(t *testing.T) {
	const entries = `{version: 1, server: s, tools: {run: {effect: write, variants: {argument: /how, cases: {
		a: {args: {/to: {role: %s}, /file: {role: target, form: path}, /host: {role: target, group: endpoint}}},
		b: {args: {/to: {role: %s}, /file: {role: target, form: url}, /host: {role: target}}}}}}}}`
	const content, target = "content, floor: USER", "target, floor: TOOL_OUTPUT"
	for _, roles := range [][2]string{{content, target}, {target, content}} {
		f, err := contract.Load("s.yaml", fmt.Appendf(nil, entries, roles[0], roles[1]))
		if err != nil {
			t.Fatal(err)
		}
		tools, err := contract.Compile(f, contract.Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		v, _ := tools["run"].Variant("", false)

		a, _ := v.Match("/to")
		if a.Role != label.Target || a.Floor != label.User || a.Requirement.Role != a.Role || a.Requirement.Floor != a.Floor {
			t.Errorf("%v: %s %s, and requires %s %s", roles, a.Role, a.Floor, a.Requirement.Role, a.Requirement.Floor)
		}
		if file, _ := v.Match("/file"); file.Form != contract.Text {
			t.Errorf("a path or a URL is read as %s", file.Form)
		}
		if host, _ := v.Match("/host"); host.Group != "endpoint" {
			t.Errorf("group %q", host.Group)
		}
	}
}

func scalars(result *strictjson.Document) iter.Seq[contract.Scalar] {
	return func(yield func(contract.Scalar) bool) {
		for _, leaf := range result.Leaves() {
			number := leaf.Kind == strictjson.Number
			if (number || leaf.Kind == strictjson.String) && !yield(contract.Scalar{Pointer: leaf.Pointer, Text: leaf.Text, Number: number, Indexes: leaf.Indexes}) {
				return
			}
		}
	}
}
