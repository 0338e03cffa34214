package contract_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

// A value that is allowed for always is written beside what people wrote, of
// which nothing changes.
func TestAllowIn(t *testing.T) {
	const head = "version: 1\nserver: s\ntools:\n"
	for name, test := range map[string]struct {
		tools    string
		a        contract.Allowance
		from, to string // the line that changes, and what it becomes
	}{
		"an entry on one line": {
			tools: "  send: # ours\n    effect: egress\n    args:\n      # who gets it\n      /to: {role: target, discharge: [confirm]} # reviewed\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to", Value: "ann@corp.example"},
			from:  "/to: {role: target, discharge", to: "/to: {role: target, allow: [ann@corp.example], discharge",
		},
		"an entry on lines of its own": {
			tools: "  send:\n    effect: egress\n    args:\n      /to:\n        role: target # yes\n        floor: USER\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to", Value: "x"},
			from:  "        floor: USER", to: "        allow: [x]\n        floor: USER",
		},
		"a list on one line": {
			tools: "  send: {effect: egress, args: {/to: {role: target, allow: [a, b]}}}\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to", Value: "c, d"},
			from:  "[a, b]", to: `["c, d", a, b]`,
		},
		"an empty list": {
			tools: "  send: {effect: egress, args: {/to: {role: target, allow: []}}}\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to", Value: "a"},
			from:  "[]", to: "[a]",
		},
		"a list of lines": {
			tools: "  send:\n    effect: egress\n    args:\n      /to:\n        role: target\n        allow:\n          # ours\n          - a\n          - b\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to", Value: "line\nbreak"},
			from:  "          - a", to: "          - \"line\\nbreak\"\n          - a",
		},
		"elements of a list share their entry": {
			tools: "  send: {effect: egress, args: {/to/*: {role: target}}}\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to/7", Value: "a"},
			from:  "{role: target}", to: "{allow: [a], role: target}",
		},
		"other members don't": {
			tools: "  send:\n    effect: egress\n    args:\n      /**: {role: target, why: \"all\"}\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to/0/user*", Value: "a"},
			from:  "      /**:", to: "      /to/*/user~2: {role: target, floor: USER, allow: [a], why: all}\n      /**:",
		},
		"other variants don't": {
			tools: "  send:\n    effect: egress\n    args:\n      /verb: {role: control}\n      /to: {role: target, allow: [a]}\n    variants:\n      argument: /verb\n      cases:\n        mail: {}\n        post: {effect: write}\n",
			a:     contract.Allowance{Tool: "send", Variant: "mail", Pointer: "/to", Value: "b"},
			from:  "mail: {}", to: "mail: {args: {/to: {role: target, floor: USER, allow: [b, a]}}}",
		},
		"a variant with members": {
			tools: "  send:\n    effect: egress\n    args: {/verb: {role: control}, /to: {role: target}}\n    variants:\n      argument: /verb\n      cases:\n        post:\n          # mild\n          effect: write\n",
			a:     contract.Allowance{Tool: "send", Variant: "post", Pointer: "/to", Value: "b"},
			from:  "          effect: write", to: "          args: {/to: {role: target, floor: USER, allow: [b]}}\n          effect: write",
		},
		"characters of several bytes before it": {
			tools: "  send: {why: \"für Ünï 🙂\", effect: egress, args: {/to: {role: target, allow: [ä]}}}\n",
			a:     contract.Allowance{Tool: "send", Pointer: "/to", Value: "ö"},
			from:  "[ä]", to: `["ö", ä]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := head + test.tools
			got, err := contract.AllowIn("s.yaml", []byte(text), test.a)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Replace(text, test.from, test.to, 1), string(got)); d != "" {
				t.Error(d)
			}
			again, err := contract.AllowIn("s.yaml", got, test.a)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("it is written twice: %v\n%s", err, again)
			}
		})
	}
}

// What no allowlist can hold, and what can't be edited, changes nothing.
func TestAllowInRefuses(t *testing.T) {
	const text = "version: 1\nserver: s\ntools:\n  send:\n    effect: egress\n    args:\n      /key: {role: credential}\n      /dir: {role: target, form: path}\n      /null: {role: target, allow: }\n      ? /odd\n      : role: target\n"
	for name, test := range map[string]struct {
		a    contract.Allowance
		want string
		is   error
	}{
		"a credential":            {contract.Allowance{Tool: "send", Pointer: "/key", Value: "s3cr3t"}, "it is a credential", contract.ErrNotAllowable},
		"a directory":             {contract.Allowance{Tool: "send", Pointer: "/dir", Value: "/srv/**"}, "all that is below a directory", contract.ErrNotAllowable},
		"no tool":                 {contract.Allowance{Tool: "sned", Pointer: "/dir", Value: "x"}, `no tool "sned"`, nil},
		"no argument":             {contract.Allowance{Tool: "send", Pointer: "/nothing", Value: "x"}, "no argument /nothing", nil},
		"a list without anything": {contract.Allowance{Tool: "send", Pointer: "/null", Value: "x"}, "by hand", nil},
		"no text":                 {contract.Allowance{Tool: "send", Pointer: "/dir", Value: "\xff"}, "UTF-8", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := contract.AllowIn("s.yaml", []byte(text), test.a)
			if err == nil || got != nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("got %v\n%s", err, got)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
		})
	}
}

// Whatever the file and the value: the value is allowed there, nothing else is,
// and the text has only grown, in one place.
func TestAllowInProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := file().Draw(t, "file")
		tool := rapid.SampledFrom(append([]contract.Tool{{Name: "none"}}, f.Tools...)).Draw(t, "tool")
		a := contract.Allowance{Tool: tool.Name, Value: anyText().Draw(t, "value"), Pointer: "/x"}
		if len(tool.Args) > 0 {
			p := rapid.SampledFrom(tool.Args).Draw(t, "arg").Pattern
			a.Pointer = strings.NewReplacer("**", "deep/3", "*", rapid.SampledFrom([]string{"0", "name"}).Draw(t, "segment"), "~2", "*").Replace(p)
		}
		if tool.Variants != nil {
			a.Variant = rapid.SampledFrom(tool.Variants.Cases).Draw(t, "case").Value
		}
		text, err := f.Marshal()
		if err != nil {
			t.Skip()
		}
		got, err := contract.AllowIn("f.yaml", text, a)
		if err != nil {
			return
		}
		grown(t, text, got)
		for name, at := range map[string]contract.Allowance{"here": a, "of another value": {Tool: a.Tool, Variant: a.Variant, Pointer: a.Pointer, Value: a.Value + "x"}} {
			before, after := allows(t, text, at), allows(t, got, at)
			if name == "here" && !after || name != "here" && before != after {
				t.Fatalf("%s: %v became %v\n%s", name, before, after, got)
			}
		}
	})
}

// grown tells whether a text has only something more, in one place.
func grown(t interface{ Fatalf(string, ...any) }, text, got []byte) {
	same := 0
	for same < len(text) && text[same] == got[same] {
		same++
	}
	if len(got) < len(text) || !bytes.Equal(got[len(got)-(len(text)-same):], text[same:]) {
		t.Fatalf("something else changed:\n%s\n%s", text, got)
	}
}

func allows(t interface{ Fatal(...any) }, text []byte, a contract.Allowance) bool {
	f := load(t, string(text))
	tools, err := contract.Compile(f, contract.Scope{Precision: label.L3, Classes: &label.Classes{}, Obligations: &label.ObligationNames{}})
	if err != nil {
		t.Fatal(err)
	}
	v, ok := tools[a.Tool].Variant(a.Variant, a.Variant != "")
	if !ok {
		t.Fatal("no variant")
	}
	arg, ok := v.Match(a.Pointer)
	return ok && arg.Allows(a.Value)
}

// FuzzAllowIn: whatever people write, a file is edited as meant or not at all.
func FuzzAllowIn(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/bad/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil {
				f.Add(data, "x", "/x")
			}
		}
	}
	f.Add([]byte(mail), "ann@corp.example", "/recipients/0")
	f.Fuzz(func(t *testing.T, data []byte, value, pointer string) {
		file, err := contract.Load("f.yaml", data)
		if err != nil || len(file.Tools) == 0 {
			return
		}
		tool := file.Tools[0]
		a := contract.Allowance{Tool: tool.Name, Value: value, Pointer: pointer}
		if tool.Variants != nil {
			a.Variant = tool.Variants.Cases[0].Value
		}
		got, err := contract.AllowIn("f.yaml", data, a)
		if err != nil {
			return
		}
		grown(t, data, got)
		if !allows(t, got, a) {
			t.Fatalf("%q is not allowed at %q:\n%s", value, pointer, got)
		}
	})
}
