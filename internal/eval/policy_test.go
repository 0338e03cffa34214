package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/examples/airline"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// library is a data set of our own: the lending desk of a library, with a mapping
// and guards that are right and wrong in every way that is counted.
var library = filepath.Join("testdata", "policy")

func libraryScope(t *testing.T) guard.Deployment {
	t.Helper()
	names, err := ToolFiles(library)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	tools, err := schema.Parse(names[0], data)
	if err != nil {
		t.Fatal(err)
	}
	return guard.Deployment{Tools: []*schema.Catalogue{tools}, Contracts: []*contract.File{synth.Contract(tools)}}
}

// The figures were worked out by hand from the files.
func TestPolicyOwn(t *testing.T) {
	r, err := Policy(t.Context(), library, PolicyOptions{Deployment: libraryScope(t)})
	if err != nil {
		t.Fatal(err)
	}
	m, g := r.Mapping, r.Guards
	if m.Precision != rateOf(6, 8) || m.Recall != rateOf(6, 8) || !near(f1(m.Precision, m.Recall), 3.0/4) || !near(*m.References, 3.0/4) {
		t.Errorf("mapping: %+v", m.MappingRates)
	}
	if m.Items.Precision != rateOf(5, 7) || m.Items.Recall != rateOf(5, 8) || m.Items.TouchedPrecision != rateOf(5, 7) || m.Items.TouchedRecall != rateOf(6, 8) {
		t.Errorf("items: %+v", m.Items)
	}
	if m.RecallByKind["db"] != rateOf(5, 6) || m.RecallByKind["history"] != rateOf(1, 1) || m.RecallByKind["permission"] != rateOf(0, 1) {
		t.Errorf("kinds: %+v", m.RecallByKind)
	}
	if len(m.Missed) != 2 || len(m.Extra) != 1 || len(m.Foreign) != 1 || len(m.EveryTool) != 1 || len(m.Archived) != 1 || len(m.Unplaced) != 0 {
		t.Errorf("lists: %+v", m)
	}

	// A rule that can't be decided, and a rule without expression, which denies
	// everything, are no detection, and the second stops an allowed call.
	if want := (GuardRates{TPR: rateOf(3, 7), AllowRight: rateOf(3, 4), RightRule: rateOf(3, 3), Unenforced: 1, Undecided: 1}); g.Truth != want {
		t.Errorf("tools of the truth: %+v, want %+v", g.Truth, want)
	}
	if g.All.TPR != rateOf(4, 8) || g.All.AllowRight != rateOf(4, 5) || g.Literal.TPR != rateOf(3, 6) || g.Interpretive.TPR != rateOf(0, 1) || g.Interpretive.AllowRight.Of != 0 {
		t.Errorf("parts: %+v", g)
	}
	if g.ByTool["lend_item"].TPR != rateOf(2, 4) || g.ByTool["order_item"].TPR != rateOf(1, 1) {
		t.Errorf("by tool: %+v", g.ByTool)
	}
	if g.Policies != 5 || g.Enforced != 4 || !slices.Equal(g.Unenforced, []GuardPolicy{{"waive_fee", "small-fees"}}) {
		t.Errorf("policies: %d of %d, %v", g.Enforced, g.Policies, g.Unenforced)
	}
	if g.Killed != 9 || g.Survived != 5 || !slices.Equal(g.Skipped, []GuardPolicy{{"order_item", "budget"}}) {
		t.Errorf("mutants: %d and %d, %v", g.Killed, g.Survived, g.Skipped)
	}
	var wrong []string
	for _, w := range g.Wrong {
		wrong = append(wrong, w.Case)
	}
	if got := strings.Join(wrong, " "); got != "4 7 8 9 11" {
		t.Errorf("wrong: %s", got)
	}
}

// The members that others read are plain numbers; what can't be measured is null,
// with a note that says why.
func TestPolicyJSON(t *testing.T) {
	compiled := filepath.Join(library, "policy")
	only := func(parts ...string) string {
		dir := t.TempDir()
		for _, part := range parts {
			if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(compiled, part))); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	bare := t.TempDir()
	for _, tt := range []struct {
		name, dir string
		options   PolicyOptions
		null      string
		note      string
	}{
		{"all", library, PolicyOptions{Deployment: libraryScope(t), TruthCompiled: compiled}, "", ""},
		{"no guards", library, PolicyOptions{Deployment: libraryScope(t), Compiled: only("mapping")}, "tpr false_positive_rate mutation_score", "there are none"},
		{"no tools", library, PolicyOptions{}, "tpr false_positive_rate mutation_score", "give --tools FILE"},
		{"no mapping", library, PolicyOptions{Deployment: libraryScope(t), Compiled: only("guards")}, "precision recall f1 references", "no mapping files"},
		{"no truth", bare, PolicyOptions{Deployment: libraryScope(t), Compiled: compiled}, "precision recall f1 references tpr", "give --truth FILE"},
		{"no document", bare, PolicyOptions{Compiled: compiled, Truth: filepath.Join(library, "ground_truth.own.json")}, "precision recall f1 references tpr", "give --document FILE"},
		{"no cases", bare, PolicyOptions{Deployment: libraryScope(t), Compiled: compiled}, "tpr false_positive_rate", "no cases*.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Policy(t.Context(), tt.dir, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"precision", "recall", "f1", "references", "tpr", "false_positive_rate", "mutation_score"} {
				value, there := got[name]
				_, number := value.(float64)
				if null := slices.Contains(strings.Fields(tt.null), name); !there || null && value != nil || !number && tt.null == "" {
					t.Errorf("%s is %v", name, value)
				}
			}
			if !strings.Contains(string(text), tt.note) {
				t.Errorf("no note says %q: %v", tt.note, got["notes"])
			}
			if truth, ok := got["ground_truth_mapping"].(map[string]any); ok != (tt.name == "all") || ok && truth["tpr"] != got["tpr"] {
				t.Errorf("ground_truth_mapping: %v", got["ground_truth_mapping"])
			}
		})
	}
}

func TestPolicyMistakes(t *testing.T) {
	two, broken := t.TempDir(), t.TempDir()
	for dir, files := range map[string]map[string]string{
		two:    {"a.md": "# A\n", "b.md": "# B\n"},
		broken: {"cases.json": `[{"id": "1", "tool": "lend_item", "expected": "perhaps"}]`, "ground_truth.json": `{}`},
	} {
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	compiled, truth := filepath.Join(library, "policy"), filepath.Join(library, "ground_truth.own.json")
	for _, tt := range []struct {
		name, dir string
		options   PolicyOptions
		want      string
	}{
		{"nothing is compiled", two, PolicyOptions{}, "--compiled DIR"},
		{"two documents", two, PolicyOptions{Compiled: compiled, Truth: truth}, "--document FILE"},
		{"a truth without rules", broken, PolicyOptions{Compiled: compiled}, "has no rules"},
		{"an unknown verdict", broken, PolicyOptions{Compiled: compiled, Truth: truth, Deployment: libraryScope(t)}, "write allow or deny"},
		{"no such document", two, PolicyOptions{Compiled: compiled, Truth: truth, Document: "nowhere.md"}, "nowhere.md"},
		{"no guards of the truth", library, PolicyOptions{Compiled: compiled, Deployment: libraryScope(t), TruthCompiled: two}, "--compiled DIR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Policy(t.Context(), tt.dir, tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// A guard file with mistakes denies every call of its tool, and detects nothing.
func TestPolicyGuardsWithMistakes(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(library, "policy"))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "guards", "lend_item.yaml")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(data), ".loans", ".lent")), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Policy(t.Context(), library, PolicyOptions{Compiled: dir, Deployment: libraryScope(t)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *r.Guards.ByTool["lend_item"], (GuardRates{TPR: rateOf(0, 4), AllowRight: rateOf(0, 1), Undecided: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(r.Guards.Mistakes) != 1 || !strings.Contains(strings.Join(r.Notes, " "), "1 mistakes") {
		t.Errorf("%v; %v", r.Guards.Mistakes, r.Notes)
	}
}

// A truth as a mapping is the truth: nothing is missed but what no check is made
// of, and nothing is extra.
func TestWriteMapping(t *testing.T) {
	out := t.TempDir()
	if err := WriteMapping(library, "", out); err != nil {
		t.Fatal(err)
	}
	d, err := policydoc.ReadDirectory(out)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Mapping("", "lend_item").Mapping()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range m.Policies {
		names = append(names, i.Name+" "+string(i.Status))
	}
	if got := strings.Join(names, ", "); got != "at-most-five-items approved, no-reference-works approved, a-valid-card approved, on-the-same-day archived" {
		t.Errorf("%s", got)
	}
	if i := m.Policies[0]; !slices.Equal(i.Compliance, []string{`a member with two items ({"member":"m2","item":"b1"})`}) || len(i.Violations) != 1 || i.Description == "" {
		t.Errorf("%+v", i)
	}
	if r := m.Policies[3].Reason; r != "allows something, and forbids nothing" {
		t.Errorf("archived, because %s", r)
	}
	r, err := Policy(t.Context(), library, PolicyOptions{Compiled: out})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mapping.Precision != rateOf(8, 8) || r.Mapping.Recall != rateOf(8, 8) || !near(*r.Mapping.References, 1) {
		t.Errorf("%+v", r.Mapping.MappingRates)
	}
	if err := WriteMapping(t.TempDir(), "", out); err == nil || !strings.Contains(err.Error(), "--truth FILE") {
		t.Errorf("there is no truth: %v", err)
	}
}

func TestNamesOfPolicies(t *testing.T) {
	for text, want := range map[string]string{
		"At most five items": "at-most-five-items", " (1) A & B! ": "1-a-b", "": "policy", "日本": "policy",
		strings.Repeat("ab ", 60): strings.TrimSuffix(strings.Repeat("ab-", 30), "-"),
	} {
		got := hyphenate(text)
		if got != want || !policydoc.ValidName(got) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	m := &policydoc.Mapping{Policies: []policydoc.Policy{{Name: "a"}, {Name: "a-2"}}}
	if got := freeName("a", m); got != "a-3" {
		t.Errorf("%s", got)
	}
}

// The guards of the airline example, as if they had been compiled: what people
// wrote by the document is near what other people found in it.
func TestPolicyAirline(t *testing.T) {
	raced.SkipTable(t)
	dir := sharedData(t, "airline")
	truth, err := findTruth(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := findDocument(dir, "", "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := airline.Policies()
	if err != nil {
		t.Fatal(err)
	}
	var mappings []*policydoc.Mapping
	for _, f := range files {
		m := &policydoc.Mapping{Tool: f.Tool}
		for _, p := range f.Policies {
			m.Policies = append(m.Policies, policydoc.Policy{Name: p.Name, References: p.References})
		}
		mappings = append(mappings, m)
	}
	m := compareMappings(truth, mappings, sentencesIn(doc))
	t.Logf("precision %.3f recall %.3f references %.3f (graded %.3f) of %d pairs, items %.3f %.3f", m.Precision.Value, m.Recall.Value,
		*m.References, *m.GradedReferences, m.Pairs, m.Items.Precision.Value, m.Items.Recall.Value)
	for _, p := range slices.Concat(m.Missed, m.Foreign, m.Unplaced) {
		t.Errorf("%s %v: %s", p.Tool, p.Policies, p.Sentence)
	}
	if m.Precision.Value < 0.9 {
		t.Errorf("extra: %+v", m.Extra)
	}

	rig, err := newAirlineRig(dir)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := readCases(dir)
	if err != nil {
		t.Fatal(err)
	}
	measure, err := newGuardMeasure(rig, files, truth.tools())
	if err != nil {
		t.Fatal(err)
	}
	if err := measure.decide(t.Context(), cases); err != nil {
		t.Fatal(err)
	}
	for _, miss := range measure.report.Wrong {
		t.Error(miss.Summary())
	}
	if r := measure.report; r.Truth.TPR.Of == 0 || r.Truth.AllowRight.Of == 0 || r.All.TPR.Of+r.All.AllowRight.Of != len(cases) {
		t.Errorf("%+v of %d cases", r.All, len(cases))
	}
}
