package contract_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"pgregory.net/rapid"
)

const generatedBase = `version: 1
server: s
fingerprint: sha256:1
tools:
  send:
    effect: egress
    fingerprint: sha256:s1
    why: name 'send'
    args:
      /to: {role: target, review: "is it an address?"}
      /body: {role: content}
    output: {trust: TOOL_OUTPUT}
  list:
    effect: read
    fingerprint: sha256:l1
`

func TestMerge(t *testing.T) {
	type replace [2]string
	for _, tt := range []struct {
		name              string
		generated, edited replace
		// want are lines of the merged file, without those of base that are in
		// it still; lines that are gone have a leading "-".
		want      []string
		conflicts []string
	}{
		{name: "nothing"},
		{
			name:   "a person's edit",
			edited: replace{"/body: {role: content}", "/body: {role: content, floor: USER, why: links are followed}"},
			want:   []string{"-/body: {role: content}", `/body: {role: content, floor: USER, why: "links are followed"}`},
		},
		{
			name:      "a new argument is marked",
			generated: replace{"      /body:", "      /cc: {role: target}\n      /body:"},
			want:      []string{`/cc:   {role: target, floor: USER, review: "new since the last review"}`},
		},
		{
			name:      "a new tool is marked",
			generated: replace{"  list:", "  drop: {effect: destructive}\n  list:"},
			want:      []string{"drop:", "effect: destructive", `review: "new since the last review"`},
		},
		{
			name:      "a changed definition is marked",
			generated: replace{"sha256:l1", "sha256:l2"},
			want:      []string{"-fingerprint: sha256:l1", "fingerprint: sha256:l2", `review: "the tool's definition changed since the last review"`},
		},
		{
			name:      "a regenerated role is marked",
			generated: replace{"/body: {role: content}", "/body: {role: command}"},
			want:      []string{"-/body: {role: content}", `/body: {role: command, floor: USER, review: "was content EXTERNAL before"}`},
		},
		{
			name:   "a reviewed mark stays away",
			edited: replace{`, review: "is it an address?"`, ""},
			want:   []string{`-/to:   {role: target, floor: USER, review: "is it an address?"}`, "/to:   {role: target, floor: USER}"},
		},
		{
			name:      "a new doubt comes back",
			generated: replace{"is it an address?", "is it a list?"},
			edited:    replace{`, review: "is it an address?"`, ""},
			want:      []string{`-/to:   {role: target, floor: USER, review: "is it an address?"}`, `/to:   {role: target, floor: USER, review: "is it a list?"}`},
		},
		{
			name:      "both changed the same way",
			generated: replace{"effect: read", "effect: write\n    output: {trust: EXTERNAL}"},
			edited:    replace{"effect: read", "effect: write\n    output: {trust: EXTERNAL}"},
			want:      []string{"-effect: read", "effect: write"},
		},
		{
			name:      "both changed differently",
			generated: replace{"/body: {role: content}", "/body: {role: command}"},
			edited:    replace{"/body: {role: content}", "/body: {role: target}"},
			want:      []string{"-/body: {role: content}", "/body: {role: target, floor: USER}"},
			conflicts: []string{"send args /body role: kept target, generated now is command (was content)"},
		},
		{
			name:      "a removed tool goes",
			generated: replace{"  list:\n    effect: read\n    fingerprint: sha256:l1\n", ""},
			want:      []string{"-list:", "-effect: read", "-fingerprint: sha256:l1", "-output: {trust: EXTERNAL}"},
		},
		{
			name:      "a removed tool that was edited",
			generated: replace{"  list:\n    effect: read\n    fingerprint: sha256:l1\n", ""},
			edited:    replace{"effect: read", "effect: read\n    output: {trust: TOOL_OUTPUT}"},
			want:      []string{"-output: {trust: EXTERNAL}"},
			conflicts: []string{"list: kept "},
		},
		{
			name:   "an argument that a person removed",
			edited: replace{"      /body: {role: content}\n", ""},
			want:   []string{"-/body: {role: content}", "-/to:   {role: target, floor: USER, review: \"is it an address?\"}", `/to: {role: target, floor: USER, review: "is it an address?"}`},
		},
		{
			name:      "an argument that both added",
			generated: replace{"      /body:", "      /cc: {role: content}\n      /body:"},
			edited:    replace{"      /body:", "      /cc: {role: target}\n      /body:"},
			want:      []string{"/cc:   {role: target, floor: USER}"},
			conflicts: []string{
				"send args /cc role: kept target, generated now is content (was none)",
				"send args /cc floor: kept USER, generated now is EXTERNAL (was EXTERNAL)",
			},
		},
		{
			name:      "new certificates are marked",
			generated: replace{"    fingerprint: sha256:l1\n", "    fingerprint: sha256:l1\n    output: {certify: [{procedure: lookup, key: /q, field: /id, roles: [selector]}]}\n"},
			want: []string{"-output: {trust: EXTERNAL}", "output:", "trust: EXTERNAL", "certify:",
				"- {procedure: lookup, key: /q, key_floor: USER, field: /id, roles: [selector], max: USER}", `review: "new certificates since the last review"`},
		},
		{
			name:      "new variants are marked",
			generated: replace{"    fingerprint: sha256:l1\n", "    fingerprint: sha256:l1\n    variants: {argument: /m, cases: {a: {}}}\n"},
			want:      []string{`review: "its variants are new or gone since the last review"`, "variants:", "argument: /m", "cases:", "a: {}"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			change := func(r replace) *contract.File {
				if !strings.Contains(generatedBase, r[0]) {
					t.Fatalf("%q is not in the base file", r[0])
				}
				return load(t, strings.Replace(generatedBase, r[0], r[1], 1))
			}
			base := load(t, generatedBase)
			merged, conflicts := contract.Merge(base, change(tt.generated), change(tt.edited))
			var got []string
			for _, c := range conflicts {
				got = append(got, c.String())
			}
			if len(got) != len(tt.conflicts) {
				t.Fatalf("conflicts %q, want %q", got, tt.conflicts)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], tt.conflicts[i]) {
					t.Errorf("conflict %q, want %q", got[i], tt.conflicts[i])
				}
			}
			if lines := changedLines(t, base, merged); !reflect.DeepEqual(lines, asSet(tt.want)) {
				out, _ := merged.Marshal()
				t.Errorf("changed lines %v\nwant %q\n%s", lines, tt.want, out)
			}
		})
	}
}

// Without the base nothing tells a person's edits from what was generated: a tool whose definition has
// changed stays as it was reviewed, so that its calls are denied, until a person writes the new
// fingerprint. The file's own is no person's.
func TestMergeWithoutBase(t *testing.T) {
	edited := load(t, generatedBase)
	next := strings.ReplaceAll(strings.Replace(generatedBase, "sha256:1", "sha256:2", 1), "sha256:s1", "sha256:s2")
	generated := load(t, strings.Replace(next, "      /body:", "      /cc: {role: target}\n      /body:", 1))
	merged, conflicts := contract.Merge(nil, generated, edited)
	if want := []contract.Conflict{{Tool: "send", Path: contract.Definition, Generated: "sha256:s2", Edited: "sha256:s1"}}; !slices.Equal(conflicts, want) {
		t.Errorf("conflicts %v, want %v", conflicts, want)
	}
	want := asSet([]string{"-fingerprint: sha256:1", "fingerprint: sha256:2"})
	if lines := changedLines(t, edited, merged); !reflect.DeepEqual(lines, want) {
		t.Errorf("changed lines %v", lines)
	}

	edited = load(t, strings.ReplaceAll(generatedBase, "sha256:s1", "sha256:s2"))
	merged, conflicts = contract.Merge(nil, generated, edited)
	if len(conflicts) > 0 {
		t.Errorf("conflicts %v", conflicts)
	}
	if send, _ := merged.Tool("send"); len(send.Args) != 3 {
		t.Errorf("arguments of a definition that was read: %v", send.Args)
	}
}

func asSet(lines []string) map[string]bool {
	out := map[string]bool{}
	for _, l := range lines {
		out[l] = true
	}
	return out
}

// changedLines are the lines that only one of two files has.
func changedLines(t *testing.T, a, b *contract.File) map[string]bool {
	t.Helper()
	lines := func(f *contract.File) map[string]bool {
		data, err := f.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for l := range strings.Lines(string(data)) {
			out[strings.TrimSpace(l)] = true
		}
		return out
	}
	before, after, out := lines(a), lines(b), map[string]bool{}
	for l := range before {
		if !after[l] {
			out["-"+l] = true
		}
	}
	for l := range after {
		if !before[l] {
			out[l] = true
		}
	}
	return out
}

func TestMergeProperties(t *testing.T) {
	text := func(t *rapid.T, f *contract.File) string {
		out, err := f.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := file().Draw(t, "a"), file().Draw(t, "b")
		before := text(t, a) + text(t, b)
		// Nothing was regenerated: the person's file stays as it is.
		merged, conflicts := contract.Merge(a, a, b)
		if len(conflicts) > 0 || text(t, merged) != text(t, b) {
			t.Fatalf("%v\ngot\n%s\nwant\n%s", conflicts, text(t, merged), text(t, b))
		}
		// Merging once more changes nothing.
		merged, _ = contract.Merge(a, b, a)
		again, conflicts := contract.Merge(b, b, merged)
		if len(conflicts) > 0 || text(t, again) != text(t, merged) {
			t.Fatalf("%v\ngot\n%s\nwant\n%s", conflicts, text(t, again), text(t, merged))
		}
		// Without a base, what the person wrote stays.
		merged, _ = contract.Merge(nil, a, b)
		for i := range b.Tools {
			tool, ok := merged.Tool(b.Tools[i].Name)
			if !ok || tool.Effect != b.Tools[i].Effect || tool.Output.Trust != b.Tools[i].Output.Trust {
				t.Fatalf("tool %q was lost or changed", b.Tools[i].Name)
			}
		}
		if text(t, a)+text(t, b) != before {
			t.Fatal("Merge changed what it was given")
		}
	})
}
