package contract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

const mailTools = `{"tools": [
  {"name": "send_email", "inputSchema": {"type": "object", "properties": {
    "recipients": {"type": "array", "items": {"type": "string"}},
    "subject": {"type": "string"}, "body": {"type": "string"}}}},
  {"name": "search_contacts", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
    "outputSchema": {"type": "array", "items": {"type": "object", "properties": {"email": {"type": "string"}}}}},
  {"name": "read_inbox", "inputSchema": {"type": "object"}},
  {"name": "manage", "inputSchema": {"type": "object", "properties": {
    "method": {"enum": ["get", "delete"], "default": "get"}, "data": {"type": "object"}}}}
]}`

func catalogue(t *testing.T) *schema.Catalogue {
	t.Helper()
	c, err := schema.Parse("mail.json", []byte(mailTools))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const manage = `  manage:
    effect: destructive
    args: {/method: {role: control}, /data/**: {role: content}}
    variants: {argument: /method, default: get, cases: {get: {effect: read}, delete: {}}}
`

func TestLint(t *testing.T) {
	clean := strings.Replace(mail, "fingerprint: sha256:0123\n", "fingerprint: "+catalogue(t).Fingerprint()+"\n", 1) + manage
	for _, tt := range []struct {
		name string
		// old and new change the clean file.
		old, new string
		want     []string
	}{
		{name: "clean"},
		{"tool without a contract", manage, "", []string{`error: tool "manage" has no contract; run 'remit contract synth'`}},
		{"contract without a tool", manage, manage + "  manege: {effect: read}\n", []string{`warning: the server offers no tool "manege"; did you mean manage?`}},
		{"argument without a contract", "      /subject:      {role: content}\n", "", []string{`error: argument /subject of tool "send_email" has no contract; add '/subject: {role: …}'`}},
		{"a tool behind another", manage, "  manage: {effect: execute, unwrap: {tool: /method, arguments: /data}}\n  hidden: {effect: read}\n", nil},
		{"a tool behind nothing there", manage, "  manage: {effect: execute, args: {/method: {role: control}, /data/**: {role: content}}, unwrap: {tool: /name, arguments: /data}}\n", []string{`error: tool "manage" has no argument /name; name the argument that holds it`}},
		{"pattern without an argument", "/subject:", "/subjet:", []string{`argument /subject of`, `error: tool "send_email" accepts no argument that /subjet matches; did you mean /subject?`}},
		{"container only", "/recipients/*:", "/recipients:", []string{`error: argument /recipients/* of tool "send_email" has no contract`}},
		{"wildcard covers", "/subject:", "/*:", nil},
		{"index is a part only", "/recipients/*:", "/recipients/0:", []string{`error: argument /recipients/* of`}},
		{"undescribed object", "/data/**", "/data", []string{`warning: the schema lets lists or objects into /data of tool "manage"`}},
		{"inside an undescribed object", "/data/**", "/data/**: {role: content}, /data/to", nil},
		{"low floor", "/subject:      {role: content}", "/subject: {role: target, floor: EXTERNAL}", []string{`warning: the floor EXTERNAL of /subject is lower than USER`}},
		{"low floor with a reason", "/recipients/*: {role: target, floor: USER", "/recipients/*: {role: target, floor: EXTERNAL", []string{`info: the floor EXTERNAL of /recipients/* is lower than USER, which a target has otherwise; 'why' is: name 'recipients', format email; see`}},
		{"selector of a read", "get: {effect: read}", "get: {effect: read, args: {/data/id: {role: selector, floor: EXTERNAL}}}", nil},
		{"selector of a write", "delete: {}", "delete: {args: {/data/id: {role: selector, floor: EXTERNAL}}}", []string{`warning: the floor EXTERNAL of /data/id is lower than TOOL_OUTPUT`}},
		{"selector of a write with a reason", "delete: {}", "delete: {args: {/data/id: {role: selector, floor: EXTERNAL, why: a page}}}", []string{`info: the floor EXTERNAL of /data/id`}},
		{"empty allowlist", "discharge: [directory, confirm]", "discharge: [allowlist]", []string{`warning: /recipients/* is discharged by an allowlist that is empty`}},
		{"file fingerprint", "fingerprint: sha256:", "fingerprint: sha256:f", []string{`error: the server's tool definitions are not the ones`}},
		{"no fingerprint", "fingerprint: ", "# ", []string{"info: the contract has no fingerprint", "info: ", "info: ", "info: "}},
		{"tool fingerprint", "  send_email:\n", "  send_email:\n    fingerprint: sha256:1\n", []string{`error: the definition of tool "send_email" is not the one`}},
		{"unknown certify key", "key: /query", "key: /name", []string{`error: the key /name of a certify entry is not an argument of tool "search_contacts"`}},
		{"unknown certify field", `field: "/*/email"`, `field: "/*/mail"`, []string{`error: the field /*/mail of a certify entry is not in the result`}},
		{"weak certify", "key_floor: USER", "key_floor: EXTERNAL", []string{`warning: with key_floor EXTERNAL`}},
		{"strong certify", "max: USER", "max: TRUSTED", []string{`warning: a result can't vouch for more`}},
		{"deep field", `field: "/*/email"`, `field: "/**/email"`, nil},
		{"unknown output field", "  read_inbox:", "  search_contacts2:\n    effect: read\n  read_inbox:", []string{`no tool "search_contacts2"`}},
		{"review marks", "/subject:      {role: content}", "/subject: {role: content, review: is it?}", []string{`info: send_email /subject is yet to be reviewed: is it?`}},
		{"missing case", "get: {effect: read}, delete: {}", "get: {effect: read}", []string{`warning: /method accepts "delete", and there is no case for it`}},
		{"unknown case", "delete: {}}", "delete: {}, delte: {}}", []string{`warning: /method does not accept "delte"; did you mean delete?`}},
		{"other default", "default: get", "default: delete", []string{`warning: the schema's default for /method is "get", and the contract's "delete"`}},
		{"unknown verb", "argument: /method", "argument: /verb", []string{`error: tool "manage" has no argument /verb`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(clean, tt.old) {
				t.Fatalf("%q is not in the clean file", tt.old)
			}
			got := contract.Lint(load(t, strings.Replace(clean, tt.old, tt.new, 1)), catalogue(t))
			if len(got) != len(tt.want) {
				t.Fatalf("got %d findings, want %d: %v", len(got), len(tt.want), got)
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i].String(), want) {
					t.Errorf("got  %s\nwant %s", got[i], want)
				}
				if got[i].Position.Line == 0 || got[i].Hint == "" {
					t.Errorf("no place or no hint: %s", got[i])
				}
			}
			if hasError := strings.Contains(strings.Join(tt.want, "\n"), "error: "); (got.Err() != nil) != hasError && len(tt.want) == 1 {
				t.Errorf("Err is %v", got.Err())
			}
		})
	}
}

// A case that sets no effect has that of its tool, also where its own result vouches for a record.
func TestLintOfInheritedEffects(t *testing.T) {
	for effect, want := range map[string]int{"read": 1, "write": 0} {
		f := load(t, `version: 1
server: mail
fingerprint: `+catalogue(t).Fingerprint()+`
tools:
  manage:
    effect: `+effect+`
    args: {/method: {role: control}, /data/**: {role: content}}
    variants: {argument: /method, default: get, cases: {get: {}, delete: {output: {trust: EXTERNAL, certify: [{procedure: directory, made: true, field: /id, roles: [selector]}]}}}}
`)
		found := 0
		for _, finding := range contract.Lint(f, catalogue(t)) {
			if strings.Contains(finding.String(), "a read makes no record") {
				found++
			}
		}
		if found != want {
			t.Errorf("%s: %d findings, want %d", effect, found, want)
		}
	}
}

// An alternative that is open lets anything into the places of the others as
// well. That is one thing to mend, and one finding.
func TestLintNamesTheOutermostOpenPlace(t *testing.T) {
	c, err := schema.Parse("pages.json", []byte(`{"tools": [{"name": "append", "inputSchema": {"type": "object", "properties": {
	  "blocks": {"type": "array", "items": {"anyOf": [
	    {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": false},
	    {"type": "object", "additionalProperties": true}]}}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	f := load(t, `version: 1
server: pages
fingerprint: `+c.Fingerprint()+`
tools:
  append:
    effect: write
    args: {/blocks: {role: content}, /blocks/*: {role: content}, /blocks/*/text: {role: content}}
`)
	got := contract.Lint(f, c)
	if len(got) != 1 || !strings.Contains(got[0].String(), "write /blocks/*/** to cover them") {
		t.Errorf("got %v", got)
	}
}

func TestLintPublishedCatalogues(t *testing.T) {
	dir := os.Getenv("REMIT_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "mcp-tools", "*.json"))
	if len(files) == 0 {
		t.Skipf("no data sets in %s: set REMIT_DATA to the directory that holds them", dir)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".dev.json") {
			continue // what a reader says of contracts, and no catalogue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := schema.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		// A contract that lists every leaf is complete.
		f := &contract.File{Version: 1, Server: c.Server, Fingerprint: c.Fingerprint()}
		for i := range c.Tools {
			tool := contract.Tool{Name: c.Tools[i].Name, Effect: contract.Write, Fingerprint: c.Tools[i].Fingerprint}
			for _, leaf := range c.Tools[i].Leaves() {
				pattern := leaf.Pattern
				if c.Tools[i].Accepts(pattern + "/*") {
					pattern += "/**"
				}
				tool.Args = append(tool.Args, contract.Arg{Pattern: pattern, Role: 1, Floor: 2})
			}
			f.Tools = append(f.Tools, tool)
		}
		out, err := f.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := contract.Load(file, out)
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range contract.Lint(again, c) {
			t.Errorf("%s", finding)
		}
	}
}
