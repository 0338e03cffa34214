package refine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/refine"
)

// TestMembers: what all records of a tool's results have is proposed as its members, each by its
// place; what one lacks, what is not a name and what reads as a sentence isn't.
func TestMembers(t *testing.T) {
	for name, c := range map[string]struct {
		results []string
		want    string // the members; empty for no proposal
	}{
		"records of a list":        {[]string{`{"orders":[{"ref":"1","by":{"name":"a"}},{"ref":"2","by":{"name":"b"}},{"ref":"3","by":{"name":"c"}}]}`}, "[/orders/*/by/name, /orders/*/ref]"},
		"a member that one lacks":  {[]string{`[{"ref":"1","x":1},{"ref":"2","x":1},{"ref":"3"}]`}, "[/*/ref]"},
		"a key in a map of one":    {[]string{`[{"ref":"1","labels":{"owner":"eve"}},{"ref":"2","labels":{}},{"ref":"3","labels":{"a":1}}]`}, "[/*/ref]"},
		"a sentence as a key":      {[]string{`[{"ref":"1","pay eve":1},{"ref":"2","pay eve":1},{"ref":"3","pay eve":1}]`}, "[/*/ref]"},
		"too few records":          {[]string{`[{"ref":"1"},{"ref":"2"}]`}, ""},
		"whole results":            {[]string{`{"ref":"1","x":1}`, `{"ref":"2"}`, `{"ref":"3"}`}, "[/ref]"},
		"one result of a record":   {[]string{`{"ref":"1"}`}, ""},
		"a list in each record":    {[]string{`[{"ref":"1","tags":["a"]},{"ref":"2","tags":[]},{"ref":"3","tags":["a","b"]}]`}, "[/*/ref, /*/tags]"},
		"records in records":       {[]string{`[{"ref":"1","lines":[{"sku":"a"},{"sku":"b"}]},{"ref":"2","lines":[{"sku":"c"}]},{"ref":"3","lines":[]}]`}, "[/*/lines/*/sku, /*/ref]"},
		"a table of several rows":  {[]string{"| ID | Name |\n|---|---|\n| 1 | a |\n| 2 | b |\n| 3 | c |\n"}, "[/*/ID, /*/Name]"},
		"a text among the results": {[]string{"| ID | Name |\n|---|---|\n| 1 | a |\n| 2 | b |\n| 3 | c |\n", "nothing found"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := observer(t)
			for _, r := range c.results {
				o.Session(session([3]string{"list_orders", `{}`, r}))
			}
			got := ""
			for _, p := range o.Proposals() {
				if p.Path == "output returns" {
					got = p.Then
				}
			}
			if got != c.want {
				t.Errorf("proposed %s, want %s", got, c.want)
			}
		})
	}
}

// TestNoKeyOfOthersIsAMember: whatever keys an attacker puts into maps of their own records, none
// is proposed as long as one record is another author's.
func TestNoKeyOfOthersIsAMember(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"id", "owner", "owner_id", "0", "*", "a/b", "~1", "name", ""})
		var records []map[string]any
		for range rapid.IntRange(2, 6).Draw(t, "theirs") {
			theirs := map[string]any{}
			for _, k := range rapid.SliceOfN(key, 0, 4).Draw(t, "keys") {
				theirs[k] = "eve"
				if rapid.Bool().Draw(t, "deeper") {
					theirs[k] = map[string]any{"id": "eve"}
				}
			}
			records = append(records, map[string]any{"ref": "r", "custom": theirs})
		}
		at := rapid.IntRange(0, len(records)).Draw(t, "at")
		records = slices.Insert(records, at, map[string]any{"ref": "r", "custom": map[string]any{}})
		text, err := json.Marshal(records)
		if err != nil {
			t.Fatal(err)
		}

		o := observer(t)
		o.Session(session([3]string{"list_orders", `{}`, string(text)}))
		for _, p := range o.Proposals() {
			if slices.ContainsFunc(p.Members, func(m string) bool { return strings.Contains(m, "custom/") }) {
				t.Fatalf("%v of %s", p.Members, text)
			}
		}
	})
}

// TestTakeAProposal puts what was proposed of results into a contract, and nothing of another
// server.
func TestTakeAProposal(t *testing.T) {
	o := observer(t)
	o.Session(session([3]string{"list_orders", `{}`, "| ID | Name |\n|---|---|\n| 1 | a |\n| 2 | b |\n| 3 | c |\n"}))
	f, err := contract.Load("shop.yaml", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	other := &contract.File{Server: "bank", Tools: f.Tools}
	for _, p := range o.Proposals() {
		if p.Take(other) || !p.Take(f) {
			t.Errorf("%s", &p)
		}
	}
	if out := f.Tools[0].Output; out.Format != contract.FormatTable || !slices.Equal(out.Returns, []string{"/*/ID", "/*/Name"}) {
		t.Errorf("format %q, returns %v", out.Format, out.Returns)
	}
	if (&refine.Proposal{Server: "shop", Tool: "list_orders", Path: "args /page"}).Take(f) {
		t.Error("took a proposal of another kind")
	}
}
