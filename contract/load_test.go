package contract_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

var update = flag.Bool("update", false, "write the golden files anew")

// mail is the example of the format's description.
const mail = `version: 1
server: mail
fingerprint: sha256:0123
tools:
  send_email:
    effect: egress             # read | write | destructive | execute | egress
    args:
      /recipients/*: {role: target, floor: USER, discharge: [directory, confirm], why: "name 'recipients', format email"}
      /subject:      {role: content}
      /body:         {role: content}
    output: {trust: TOOL_OUTPUT}
  search_contacts:
    effect: read
    args: {/query: {role: selector}}
    output:
      trust: TOOL_OUTPUT
      certify: [{procedure: directory, key: /query, key_floor: USER, field: "/*/email", roles: [target], max: USER}]
  read_inbox:
    effect: read
    output: {trust: EXTERNAL, fields: {"/*/id": TOOL_OUTPUT}}
`

func TestLoad(t *testing.T) {
	f := load(t, mail)
	for name, at := range map[string]contract.Position{
		"test.yaml:1:1":   f.Position,
		"test.yaml:5:3":   f.Tools[0].Position,
		"test.yaml:8:7":   f.Tools[0].Args[0].Position,
		"test.yaml:11:13": f.Tools[0].Output.Position,
		"test.yaml:17:17": f.Tools[1].Output.Certify[0].Position,
		"test.yaml:20:40": f.Tools[2].Output.Fields[0].Position,
	} {
		if at.String() != name {
			t.Errorf("%s was found at %s", name, at)
		}
	}
	want := &contract.File{
		Version: 1, Server: "mail", Fingerprint: "sha256:0123",
		Tools: []contract.Tool{
			{
				Name: "send_email", Effect: contract.Egress,
				Args: []contract.Arg{
					{Pattern: "/recipients/*", Role: label.Target, Floor: label.User, Discharge: []string{"directory", "confirm"}, Why: "name 'recipients', format email"},
					{Pattern: "/subject", Role: label.Content},
					{Pattern: "/body", Role: label.Content},
				},
				Output: contract.Output{Trust: label.ToolOutput},
			},
			{
				Name: "search_contacts", Effect: contract.Read,
				Args: []contract.Arg{{Pattern: "/query", Role: label.Selector, Floor: label.ToolOutput}},
				Output: contract.Output{Trust: label.ToolOutput, Certify: []contract.Certify{{
					Procedure: "directory", Key: "/query", KeyFloor: label.User, Field: "/*/email", Roles: []label.Role{label.Target}, Max: label.User,
				}}},
			},
			{
				Name: "read_inbox", Effect: contract.Read,
				Output: contract.Output{Trust: label.External, Fields: []contract.Field{{Pattern: "/*/id", Trust: label.ToolOutput}}},
			},
		},
	}
	if got := clear(f); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestLoadDefaults(t *testing.T) {
	f := load(t, `
version: 1
server: s
tools:
  read: {effect: read, args: {/t: {role: target}, /m: {role: command}, /c: {role: credential}, /x: {role: content}, /s: {role: selector}, /o: {role: control}}}
  write: {effect: write}
  egress: {effect: egress, variants: {argument: /m, cases: {get: {effect: read, output: {}}, put: {output: {derived: true}}, ask: {}}}}
`)
	floors := map[string]label.Trust{"/t": label.User, "/m": label.User, "/c": label.Trusted, "/x": label.External, "/s": label.ToolOutput, "/o": label.External}
	for _, a := range f.Tools[0].Args {
		if a.Floor != floors[a.Pattern] {
			t.Errorf("a %s has floor %s", a.Role, a.Floor)
		}
	}
	cases := f.Tools[2].Variants.Cases
	if cases[2].Output != nil {
		t.Error("a case without output has one")
	}
	for what, got := range map[string][2]label.Trust{
		"read":          {f.Tools[0].Output.Trust, label.External},
		"write":         {f.Tools[1].Output.Trust, label.External},
		"egress":        {f.Tools[2].Output.Trust, label.External},
		"case get":      {cases[0].Output.Trust, label.External},
		"inherited put": {cases[1].Output.Trust, label.External},
	} {
		if got[0] != got[1] {
			t.Errorf("the output of %s is %s by default", what, got[0])
		}
	}
}

func TestLoadGoodFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := contract.Load(filepath.ToSlash(file), data)
			if err != nil {
				t.Fatal(err)
			}
			out, err := f.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", string(out))
		})
	}
}

func TestLoadBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := contract.Load(filepath.Base(file), data)
			var errs contract.Errors
			if !errors.As(err, &errs) || f != nil {
				t.Fatalf("got file %v and error %v", f, err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", err.Error()+"\n")
		})
	}
}

func TestLoadBounds(t *testing.T) {
	for name, tt := range map[string]struct{ data, want string }{
		"size":     {strings.Repeat(" ", contract.MaxFile+1), "larger than"},
		"depth":    {"version: 1\nserver: x\ntools: " + strings.Repeat("[", 100_000), "YAML"},
		"mistakes": {"version: 1\nserver: x\ntools: {}\n" + numbered("k%: 1\n", 5000), "has no key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := contract.Load("x.yaml", []byte(tt.data))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %.300v", err)
			}
			if len(err.Error()) > 100_000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if got != string(want) {
		t.Errorf("%s has changed; run with -update if that was meant\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/bad/*.yaml", "testdata/good/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil {
				f.Add(data)
			}
		}
	}
	f.Add([]byte(mail))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := contract.Load("f.yaml", data)
		if err != nil {
			var errs contract.Errors
			if !errors.As(err, &errs) || len(errs) == 0 || got != nil {
				t.Fatalf("file %v, error %#v", got, err)
			}
			return
		}
		out, err := got.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := contract.Load("f.yaml", out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		second, err := again.Marshal()
		if err != nil || string(second) != string(out) {
			t.Fatalf("not stable: %v\n%s\n%s", err, out, second)
		}
	})
}
