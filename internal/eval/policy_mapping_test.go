package eval

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/policydoc"
)

// letters is a document whose sentences are the letters a to z. A quotation is a text of them;
// "Z" is not in it, and "#" is a heading.
func letters(quotation string) ([]string, bool) {
	if strings.Contains(quotation, "Z") {
		return nil, false
	}
	return strings.Split(strings.ReplaceAll(quotation, "#", ""), ""), true
}

// mapped makes mappings of "tool name references…".
func mapped(lines ...string) []*policydoc.Mapping {
	var out []*policydoc.Mapping
	for _, line := range lines {
		f := strings.Fields(line)
		item := policydoc.Policy{Name: f[1], References: f[2:], Status: policydoc.Proposed}
		if strings.HasPrefix(item.Name, "archived") {
			item.Status = policydoc.Archived
		}
		out = append(out, &policydoc.Mapping{Tool: f[0], Policies: []policydoc.Policy{item}})
	}
	return out
}

// truly makes a truth of "tool name references…", with "-" for tools without rules.
func truly(lines ...string) *policyTruth {
	t := &policyTruth{}
	for _, line := range lines {
		f := strings.Fields(line)
		if f[1] == "-" {
			t.WithoutRules = append(t.WithoutRules, f[0])
			continue
		}
		t.Rules = append(t.Rules, truthRule{ID: f[1], Kind: "kind-" + f[0], Tool: truthTools{f[0]}, References: f[2:]})
	}
	return t
}

func TestCompareMappings(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		truth                 *policyTruth
		found                 []*policydoc.Mapping
		precision, recall     [2]int
		missed, extra, others string // "tool:sentence" of those left out, archived or foreign
	}{
		{"the same", truly("lend R1 ab", "lend R2 c"), mapped("lend one abc"), [2]int{3, 3}, [2]int{3, 3}, "", "", ""},
		{"half of it, and more", truly("lend R1 ab"), mapped("lend one bc"), [2]int{1, 2}, [2]int{1, 2}, "lend:a", "lend:c", ""},
		{"a sentence twice is one pair", truly("lend R1 a", "lend R2 a"), mapped("lend one a", "lend two a"), [2]int{1, 1}, [2]int{1, 1}, "", "", ""},
		{"another tool's sentence", truly("lend R1 a", "renew R2 b"), mapped("lend one b", "renew two a"), [2]int{0, 2}, [2]int{0, 2}, "lend:a renew:b", "lend:b renew:a", ""},
		{"tools that the truth doesn't know", truly("lend R1 a"), mapped("lend one a", "throw two z"), [2]int{1, 1}, [2]int{1, 1}, "", "", ""},
		{"a tool that has no rules", truly("lend R1 a", "find -"), mapped("lend one a", "find two b"), [2]int{1, 2}, [2]int{1, 1}, "", "find:b", ""},
		{"headings are not sentences", truly("lend R1 #a"), mapped("lend one #a"), [2]int{1, 1}, [2]int{1, 1}, "", "", ""},
		{"a reference that is nowhere", truly("lend R1 a"), mapped("lend one a Z"), [2]int{1, 2}, [2]int{1, 1}, "", "", "lend:Z"},
		{"a reference of the truth that is nowhere", truly("lend R1 a Z"), mapped("lend one a"), [2]int{1, 1}, [2]int{1, 1}, "", "", "lend:Z"},
		{"archived policies", truly("lend R1 ab"), mapped("lend one a", "lend archived b"), [2]int{2, 2}, [2]int{2, 2}, "", "", "lend:b"},
		{"what holds for every tool holds for one", truly("lend R1 ab"), mapped("* every a", "lend one b"), [2]int{2, 2}, [2]int{2, 2}, "", "", ""},
		{"what holds for every tool, of which the truth knows none", truly("lend R1 a"), mapped("lend one a", "* every bc"), [2]int{1, 1}, [2]int{1, 1}, "", "", "*:b *:c"},
		{"the truth has policies for every tool", truly("lend R1 a", "* R2 b"), mapped("lend one a", "* every bc"), [2]int{2, 3}, [2]int{2, 2}, "", "*:c", ""},
		{"a rule for every tool, written for one", truly("lend R1 a", "* R2 b"), mapped("lend one ab"), [2]int{2, 2}, [2]int{2, 2}, "", "", ""},
		{"a rule for one tool, written for all", truly("lend R1 a", "* R2 b"), mapped("* every ab"), [2]int{2, 3}, [2]int{2, 2}, "", "*:a", ""},
		{"nothing is mapped", truly("lend R1 a"), mapped("throw one a"), [2]int{0, 0}, [2]int{0, 1}, "lend:a", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := compareMappings(tt.truth, tt.found, letters)
			if got := [2]int{r.Precision.N, r.Precision.Of}; got != tt.precision {
				t.Errorf("precision: %v, want %v", got, tt.precision)
			}
			if got := [2]int{r.Recall.N, r.Recall.Of}; got != tt.recall {
				t.Errorf("recall: %v, want %v", got, tt.recall)
			}
			for _, list := range []struct {
				what, want string
				got        []MappingPair
			}{{"missed", tt.missed, r.Missed}, {"extra", tt.extra, r.Extra}, {"others", tt.others, slices.Concat(r.Foreign, r.Unplaced, r.Archived, r.EveryTool)}} {
				var got []string
				for _, p := range list.got {
					got = append(got, p.Tool+":"+p.Sentence)
				}
				if strings.Join(got, " ") != list.want {
					t.Errorf("%s: %v, want %v", list.what, got, list.want)
				}
			}
		})
	}
}

// Means over tools weigh each tool the same; all others weigh pairs.
func TestCompareMappingsByTool(t *testing.T) {
	truth := truly("lend R1 abc", "lend R2 d", "renew R3 e", "renew R4 f", "find -")
	found := mapped("lend one ab", "lend two cd", "renew three ef")
	r := compareMappings(truth, found, letters)
	if got := r.ByTool["lend"]; got.Recall.N != 4 || got.Recall.Of != 4 || got.Pairs != 6 || !near(*got.References, 3.0/6) {
		// Of ab ac ad bc bd cd, the truth has ab ac bc together, the mapping ab cd:
		// they agree on ab ad bd.
		t.Errorf("lend: %+v, references %v", got, *got.References)
	}
	if got := r.ByTool["renew"]; got.Pairs != 1 || !near(*got.References, 0) {
		t.Errorf("renew: %+v", got)
	}
	if _, ok := r.ByTool["find"]; !ok || r.ByTool["find"].References != nil {
		t.Errorf("find: %+v", r.ByTool["find"])
	}
	if r.Pairs != 7 || !near(*r.References, 3.0/7) || !near(*r.GradedReferences, 3.0/7) {
		t.Errorf("%v over %d pairs", *r.References, r.Pairs)
	}
	// one is R1 by 2 of 3 sentences; two is none by 1 of 4 and 1 of 2, which is
	// half; three is R3 or R4, by 1 of 2.
	if i := r.Items; i.Precision != rateOf(3, 3) || i.Recall != rateOf(3, 4) || i.TouchedPrecision != rateOf(3, 3) || i.TouchedRecall != rateOf(4, 4) {
		t.Errorf("items: %+v", i)
	}
	if k := r.RecallByKind; k["kind-lend"] != rateOf(4, 4) || k["kind-renew"] != rateOf(2, 2) || len(k) != 2 {
		t.Errorf("kinds: %+v", k)
	}

	// A tool without policies counts as nothing found.
	r = compareMappings(truth, mapped("lend one abcdg"), letters)
	if !near(*r.MacroPrecision, (4.0/5+0)/2) || !near(*r.MacroRecall, 0.5) || !near(*r.MacroF1, (2*0.8/1.8)/2) {
		t.Errorf("macro: %v %v %v", *r.MacroPrecision, *r.MacroRecall, *r.MacroF1)
	}
	if r.Items.Precision != rateOf(1, 1) || r.Items.Recall != rateOf(1, 4) {
		t.Errorf("items: %+v", r.Items)
	}
}

// The tool of a rule is a name or a list of names; what is about every tool says so
// or names none.
func TestToolsOfARule(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`:                          {"*"},
		`{"tool": null}`:              {"*"},
		`{"tool": ""}`:                {"*"},
		`{"tool": "*"}`:               {"*"},
		`{"tool": "Every tool"}`:      {"*"},
		`{"tool": "lend"}`:            {"lend"},
		`{"tool": ["lend", "renew"]}`: {"lend", "renew"},
	} {
		var r truthRule
		if err := json.Unmarshal([]byte(text), &r); err != nil || !slices.Equal(r.names(), want) {
			t.Errorf("%s: %v %v, want %v", text, r.names(), err, want)
		}
	}
	var r truthRule
	if err := json.Unmarshal([]byte(`{"tool": 3}`), &r); err == nil || !strings.Contains(err.Error(), "name or a list of names") {
		t.Errorf("a number is taken: %v", err)
	}
}
