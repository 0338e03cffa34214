package contract_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
)

// An approved call is those values in those arguments, all of them and no others.
func TestApprovedCovers(t *testing.T) {
	type call = map[string]string
	command := contract.Approved{"/command/0": "rm", "/command/1": "-rf", "/command/2": "/tmp/cache"}
	notes := contract.Approved{"/path": "/srv/notes/**"}
	for name, test := range map[string]struct {
		approved contract.Approved
		call     call
		want     bool
	}{
		"the same":                 {command, call{"/command/0": "rm", "/command/1": "-rf", "/command/2": "/tmp/cache"}, true},
		"another value":            {command, call{"/command/0": "rm", "/command/1": "-rf", "/command/2": "/"}, false},
		"one more":                 {command, call{"/command/0": "rm", "/command/1": "-rf", "/command/2": "/tmp/cache", "/command/3": "/"}, false},
		"one less":                 {command, call{"/command/0": "rm", "/command/1": "-rf"}, false},
		"in another order":         {command, call{"/command/0": "rm", "/command/1": "/tmp/cache", "/command/2": "-rf"}, false},
		"below a directory":        {notes, call{"/path": "/srv/notes/a.txt"}, true},
		"the directory":            {notes, call{"/path": "/srv/notes"}, true},
		"beside it":                {notes, call{"/path": "/srv/notes2/a.txt"}, false},
		"out of it":                {notes, call{"/path": "/srv/notes/../a.txt"}, false},
		"below it in another":      {notes, call{"/to": "/srv/notes/a.txt"}, false},
		"nothing, and of nothing":  {contract.Approved{}, call{}, false},
		"a relative one is itself": {contract.Approved{"/path": "notes/**"}, call{"/path": "notes/a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.approved.Covers(test.call); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// A call that is allowed for always is written beside what people wrote, of
// which nothing changes.
func TestApproveIn(t *testing.T) {
	const head = "version: 1\nserver: s\ntools:\n"
	to := func(value string) contract.Approval {
		return contract.Approval{Tool: "send", Call: contract.Approved{"/to": value}}
	}
	for name, test := range map[string]struct {
		tools    string
		a        contract.Approval
		from, to string // the line that changes, and what it becomes
	}{
		"the first": {
			tools: "  send: # ours\n    effect: egress # mails\n    args:\n      /to: {role: target} # reviewed\n",
			a:     to("ann@corp.example"),
			from:  "    args:", to: "    approved:\n      - {/to: ann@corp.example}\n    args:",
		},
		"another one": {
			tools: "  send:\n    effect: egress\n    approved:\n      # ours\n      - {/to: b}\n    args:\n      /to: {role: target}\n",
			a:     to("c, d"),
			from:  "      - {/to: b}", to: "      - {/to: \"c, d\"}\n      - {/to: b}",
		},
		"a tool on one line": {
			tools: "  send: {effect: egress, args: {/to: {role: target}}}\n",
			a:     to("line\nbreak"),
			from:  "egress, ", to: "egress, approved: [{/to: \"line\\nbreak\"}], ",
		},
		"a list on one line": {
			tools: "  send:\n    effect: egress\n    approved: [{/to: b}]\n",
			a:     to("a"),
			from:  "[{/to: b}]", to: "[{/to: a}, {/to: b}]",
		},
		"an empty list": {
			tools: "  send: {effect: egress, approved: []}\n",
			a:     to("a"),
			from:  "[]", to: "[{/to: a}]",
		},
		"several arguments": {
			tools: "  send:\n    effect: execute\n",
			a:     contract.Approval{Tool: "send", Call: contract.Approved{"/command/1": "-rf", "/command/0": "rm", "/when*": "~"}},
			from:  "    effect:", to: "    approved:\n      - {/command/0: rm, /command/1: \"-rf\", /when*: \"~\"}\n    effect:",
		},
		"characters of several bytes before it": {
			tools: "  send: {why: \"für Ünï 🙂\", effect: egress, approved: [{/to: ä}]}\n",
			a:     to("ö"),
			from:  "[{/to: ä}]", to: `[{/to: "ö"}, {/to: ä}]`,
		},
		"lines that end as on Windows": {
			tools: "  send:\r\n    effect: egress\r\n    args: {}\r\n",
			a:     to("a"),
			from:  "    args:", to: "    approved:\r\n      - {/to: a}\r\n    args:",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := head + test.tools
			got, err := contract.ApproveIn("s.yaml", []byte(text), test.a)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Replace(text, test.from, test.to, 1), string(got)); d != "" {
				t.Error(d)
			}
			again, err := contract.ApproveIn("s.yaml", got, test.a)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("it is written twice: %v\n%s", err, again)
			}
		})
	}
}

// What no file can hold, and what can't be edited, changes nothing.
func TestApproveInRefuses(t *testing.T) {
	const text = "version: 1\nserver: s\ntools:\n  send:\n    effect: egress\n  odd:\n    ? effect\n    : egress\n  void:\n    effect: egress\n    approved:\n"
	for name, test := range map[string]struct {
		a    contract.Approval
		want string
		is   error
	}{
		"nothing that decides":    {contract.Approval{Tool: "send"}, "every call", contract.ErrNotApprovable},
		"a directory":             {contract.Approval{Tool: "send", Call: contract.Approved{"/dir": "/srv/**"}}, "all that is below a directory", contract.ErrNotApprovable},
		"no tool":                 {contract.Approval{Tool: "sned", Call: contract.Approved{"/dir": "x"}}, `no tool "sned"`, nil},
		"a list without anything": {contract.Approval{Tool: "void", Call: contract.Approved{"/dir": "x"}}, "by hand", nil},
		"no text":                 {contract.Approval{Tool: "send", Call: contract.Approved{"/dir": "\xff"}}, "UTF-8", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := contract.ApproveIn("s.yaml", []byte(text), test.a)
			if err == nil || got != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v\n%s", err, got)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
		})
	}
}

// What people approved outlives a regeneration, and shows in a comparison.
func TestApprovedIsKept(t *testing.T) {
	base := load(t, "version: 1\nserver: s\ntools:\n  send:\n    effect: egress\n    fingerprint: a\n    args: {/to: {role: target}}\n")
	generated := load(t, "version: 1\nserver: s\ntools:\n  send:\n    effect: egress\n    fingerprint: b\n    args: {/to: {role: target}, /cc: {role: target}}\n")
	edited, err := base.Approve(contract.Approval{Tool: "send", Call: contract.Approved{"/to": "ann@corp.example"}})
	if err != nil {
		t.Fatal(err)
	}
	merged, conflicts := contract.Merge(base, generated, edited)
	if len(conflicts) > 0 || len(merged.Tools[0].Approved) != 1 || len(merged.Tools[0].Args) != 2 {
		t.Errorf("%v\n%v", conflicts, merged.Tools)
	}
	changes := contract.Diff(base, edited)
	if len(changes) != 1 || !changes[0].Laxer || changes[0].Path != "approved" {
		t.Errorf("the difference is %v", changes)
	}
	if back := contract.Diff(edited, base); len(back) != 1 || back[0].Laxer {
		t.Errorf("taken back, the difference is %v", back)
	}
}

// Whatever the file and the call: the call is approved, everything else is as it
// was, and the text has only grown, in one place.
func TestApproveInProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := file().Draw(t, "file")
		tool := rapid.SampledFrom(append([]contract.Tool{{Name: "none"}}, f.Tools...)).Draw(t, "tool")
		a := contract.Approval{Tool: tool.Name, Call: approved().Draw(t, "call")}
		text, err := f.Marshal()
		if err != nil {
			t.Skip()
		}
		got, err := contract.ApproveIn("f.yaml", text, a)
		if err != nil {
			return
		}
		onlyApproved(t, text, got, a)
	})
}

// onlyApproved holds an edited text to what was asked for.
func onlyApproved(t interface {
	Fatalf(string, ...any)
	Fatal(...any)
}, text, got []byte, a contract.Approval) {
	same := 0
	for same < len(text) && text[same] == got[same] {
		same++
	}
	if len(got) < len(text) || !bytes.Equal(got[len(got)-(len(text)-same):], text[same:]) {
		t.Fatalf("something else changed:\n%s\n%s", text, got)
	}
	before, after := load(t, string(text)), load(t, string(got))
	for i := range after.Tools {
		x := &after.Tools[i]
		if x.Name == a.Tool {
			at := slices.IndexFunc(x.Approved, func(have contract.Approved) bool { return maps.Equal(have, a.Call) })
			if at < 0 {
				t.Fatalf("%v is not approved:\n%s", a.Call, got)
			}
			if len(x.Approved) > len(before.Tools[i].Approved) {
				x.Approved = slices.Delete(x.Approved, at, at+1)
			}
		}
	}
	if changes := contract.Diff(before, after); len(changes) > 0 {
		t.Fatalf("something else changed: %v", changes)
	}
}

// FuzzApproveIn: whatever people write, a file is edited as meant or not at all.
func FuzzApproveIn(f *testing.F) {
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
		a := contract.Approval{Tool: file.Tools[0].Name, Call: contract.Approved{pointer: value, "/also": "so"}}
		got, err := contract.ApproveIn("f.yaml", data, a)
		if err != nil {
			return
		}
		onlyApproved(t, data, got, a)
	})
}
