package eval

import (
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/policydoc"
)

// ItemThreshold is the least Jaccard index of the sentences of two policies, one
// of the truth and one of the mapping, that count as the same: half of all their
// sentences are in both.
const ItemThreshold = 0.5

// MappingRates say how a mapping of a policy document to tools compares with the
// ground truth. What is compared are pairs of a tool and a sentence that one of
// its policies refers to, of the tools that the truth knows.
type MappingRates struct {
	Precision, Recall Rate
	// Items are the same of policies as wholes; see [ItemThreshold].
	Items ItemRates
	// References and GradedReferences are how alike the sentences that both refer
	// to are divided into policies: by pairs of sentences that share a policy, and
	// by how many they share. They are means over the tools, weighted by Pairs,
	// the pairs of such sentences; where there are none they are nil.
	References, GradedReferences *float64
	Pairs                        int
}

// ItemRates compare policies. In Precision and Recall, each policy is the same as
// one other at most. In TouchedPrecision and TouchedRecall, which is what ToolGuard
// counts, it is enough that one of its sentences is in a policy of the other side.
type ItemRates struct {
	Precision, Recall               Rate
	TouchedPrecision, TouchedRecall Rate
}

// MappingReport are the rates of all tools, and what is behind them.
type MappingReport struct {
	MappingRates
	// MacroPrecision, MacroRecall and MacroF1 are means over the tools that the
	// truth has rules for, each of the same weight; nil where there is no such
	// tool. A tool without policies has a precision of 0 in them.
	MacroPrecision, MacroRecall, MacroF1 *float64
	ByTool                               map[string]*MappingRates
	// RecallByKind is the recall of the sentences of the truth's kinds of rules.
	RecallByKind map[string]Rate
	// Missed are the pairs of the truth that the mapping lacks, and Extra those of
	// the mapping that the truth lacks.
	Missed, Extra []MappingPair
	// Foreign are references of the mapping that are not in the document. They count as wrong
	// where policies of the tool are counted.
	Foreign []MappingPair
	// Unplaced are references of the truth that are not in the document. They are left out.
	Unplaced []MappingPair
	// EveryTool are sentences of policies for every tool of which the truth of no
	// tool has a rule. Where it has no policies for every tool they are left out:
	// the rules of one tool don't list what holds for all.
	EveryTool []MappingPair
	// Archived are pairs of archived policies. They count as mapped: the truth, too,
	// has rules of which no check is made.
	Archived []MappingPair
}

// MappingPair is a sentence of the document that policies of a tool refer to.
type MappingPair struct {
	Tool     string   `json:"tool"`
	Sentence string   `json:"sentence"`
	Policies []string `json:"policies"`
}

// policyItem is a policy by its sentences.
type policyItem struct {
	name, kind string
	sentences  map[string]bool
	// foreign are references that are not in the document.
	foreign []string
}

// quoted returns the sentences of the document, except headings, that have a quotation; false
// when none has.
type quoted func(quotation string) ([]string, bool)

func (q quoted) item(name, kind string, references []string) policyItem {
	out := policyItem{name: name, kind: kind, sentences: map[string]bool{}}
	for _, r := range references {
		sentences, ok := q(r)
		if !ok {
			out.foreign = append(out.foreign, r)
		}
		for _, s := range sentences {
			out.sentences[s] = true
		}
	}
	return out
}

// mappingComparison is what two mappings are compared by.
type mappingComparison struct {
	report *MappingReport
	// truth and found are the policies by tool.
	truth, found map[string][]policyItem
	// general are the sentences of the truth's policies for every tool; nil where it
	// has no such rules. stray are pairs that a tool's own policies have of them.
	general map[string]bool
	stray   []policyItem
	// macro sums up the tools that have rules.
	macro struct{ precision, recall, f1 float64 }
	ruled int
}

// compareMappings compares a mapping with the truth.
func compareMappings(truth *policyTruth, found []*policydoc.Mapping, find quoted) *MappingReport {
	c := &mappingComparison{truth: map[string][]policyItem{}, found: map[string][]policyItem{},
		report: &MappingReport{ByTool: map[string]*MappingRates{}, RecallByKind: map[string]Rate{}}}
	for i := range truth.Rules {
		r := &truth.Rules[i]
		item := find.item(nameOf(r), r.Kind, r.References)
		for _, tool := range r.names() {
			c.truth[tool] = append(c.truth[tool], item)
			c.report.Unplaced = append(c.report.Unplaced, foreign(tool, item)...)
		}
	}

	archived := map[string][]policyItem{}
	for _, m := range found {
		for i := range m.Policies {
			it := &m.Policies[i]
			item := find.item(it.Name, "", it.References)
			if it.Status == policydoc.Archived {
				item.foreign = nil // what the document no longer says is archived as well
				for _, tool := range toolsOf(m, it) {
					archived[tool] = append(archived[tool], item)
				}
			}
			for _, tool := range toolsOf(m, it) {
				c.found[tool] = append(c.found[tool], item)
			}
		}
	}

	if every := c.truth[policydoc.EveryTool]; every != nil {
		c.general = sentencesOf(every)
	}
	tools := truth.tools()
	for _, tool := range tools {
		c.tool(tool)
	}

	if c.general != nil {
		tools = append(tools, policydoc.EveryTool)
		c.everyTool()
	} else {
		c.leaveOut(tools)
	}
	for _, tool := range tools {
		for _, s := range slices.Sorted(maps.Keys(sentencesOf(archived[tool]))) {
			c.report.Archived = append(c.report.Archived, pairOf(tool, s, archived[tool]))
		}
	}

	return c.finish()
}

// toolsOf returns the tools that a policy of a mapping is about.
func toolsOf(m *policydoc.Mapping, p *policydoc.Policy) []string {
	if len(p.Tools) == 0 {
		return []string{m.Tool}
	}
	var out []string
	for _, key := range p.Tools {
		_, name, divided := strings.Cut(key, "/")
		if !divided {
			name = key
		}
		out = append(out, name)
	}
	return out
}

func nameOf(r *truthRule) string {
	if r.ID != "" {
		return r.ID
	}
	return r.Name
}

// tool compares the policies of one tool. Those for every tool hold for it too:
// where they say what the truth has for the tool, they count as its own.
func (c *mappingComparison) tool(tool string) {
	want := sentencesOf(c.truth[tool])
	got := slices.Clone(c.found[tool])
	for i, item := range got {
		stray := map[string]bool{}
		for s := range item.sentences {
			if c.general[s] && !want[s] {
				stray[s] = true
			}
		}
		if len(stray) > 0 {
			got[i].sentences = removeSentences(item.sentences, func(s string) bool { return stray[s] })
			c.stray = append(c.stray, policyItem{name: item.name, sentences: stray})
		}
	}
	got = slices.DeleteFunc(got, func(i policyItem) bool { return len(i.sentences)+len(i.foreign) == 0 })

	for _, item := range c.found[policydoc.EveryTool] {
		item.sentences = removeSentences(item.sentences, func(s string) bool { return !want[s] })
		if len(item.sentences) > 0 {
			item.foreign = nil
			got = append(got, item)
		}
	}
	c.compare(tool, c.truth[tool], got)
}

// everyTool compares the policies for every tool. A sentence that single tools
// have a policy of each is found as well.
func (c *mappingComparison) everyTool() {
	got := append(slices.Clone(c.found[policydoc.EveryTool]), c.stray...)
	c.compare(policydoc.EveryTool, c.truth[policydoc.EveryTool], got)
}

// leaveOut lists the policies for every tool that say what the truth of no tool
// has.
func (c *mappingComparison) leaveOut(tools []string) {
	every := c.found[policydoc.EveryTool]
	left := sentencesOf(every)
	for _, tool := range tools {
		want := sentencesOf(c.truth[tool])
		left = removeSentences(left, func(s string) bool { return want[s] })
	}
	for _, item := range every {
		c.report.Foreign = append(c.report.Foreign, foreign(policydoc.EveryTool, item)...)
	}
	for _, s := range slices.Sorted(maps.Keys(left)) {
		c.report.EveryTool = append(c.report.EveryTool, pairOf(policydoc.EveryTool, s, every))
	}
}

// compare adds the rates of one tool.
func (c *mappingComparison) compare(tool string, truth, found []policyItem) {
	want, got := sentencesOf(truth), sentencesOf(found)
	r := &MappingRates{}
	c.report.ByTool[tool] = r
	var common []string
	for _, s := range slices.Sorted(maps.Keys(want)) {
		r.Recall.add(got[s])
		if got[s] {
			common = append(common, s)
		} else {
			c.report.Missed = append(c.report.Missed, pairOf(tool, s, truth))
		}
		for _, kind := range kindsOf(s, truth) {
			rate := c.report.RecallByKind[kind]
			rate.add(got[s])
			c.report.RecallByKind[kind] = rate
		}
	}

	for _, s := range slices.Sorted(maps.Keys(got)) {
		r.Precision.add(want[s])
		if !want[s] {
			c.report.Extra = append(c.report.Extra, pairOf(tool, s, found))
		}
	}

	for _, item := range found {
		for _, pair := range foreign(tool, item) {
			r.Precision.add(false)
			c.report.Foreign = append(c.report.Foreign, pair)
		}
	}

	r.Items = compareItems(placedItems(truth), found)
	if r.Pairs = pairs(len(common)); r.Pairs > 0 {
		a, b := groups(common, truth), groups(common, found)
		index, graded := randIndex(a, b), gradedRandIndex(a, b)
		r.References, r.GradedReferences = &index, &graded
	}
	if len(want) > 0 {
		c.ruled++
		c.macro.precision += r.Precision.Value
		c.macro.recall += r.Recall.Value
		c.macro.f1 += f1(r.Precision, r.Recall)
	}
}

// finish sums up the tools.
func (c *mappingComparison) finish() *MappingReport {
	out := c.report
	var index, graded float64
	for _, tool := range slices.Sorted(maps.Keys(out.ByTool)) {
		r := out.ByTool[tool]
		out.Precision.merge(r.Precision)
		out.Recall.merge(r.Recall)
		out.Items.merge(r.Items)
		if r.Pairs > 0 {
			out.Pairs += r.Pairs
			index += float64(r.Pairs) * *r.References
			graded += float64(r.Pairs) * *r.GradedReferences
		}
	}

	if out.Pairs > 0 {
		index, graded = index/float64(out.Pairs), graded/float64(out.Pairs)
		out.References, out.GradedReferences = &index, &graded
	}
	if n := float64(c.ruled); n > 0 {
		precision, recall, f1 := c.macro.precision/n, c.macro.recall/n, c.macro.f1/n
		out.MacroPrecision, out.MacroRecall, out.MacroF1 = &precision, &recall, &f1
	}
	return out
}

// f1 returns the harmonic mean of precision and recall, which may be of nothing.
func f1(precision, recall Rate) float64 {
	if precision.N == 0 || recall.N == 0 {
		return 0
	}
	return 2 * precision.Value * recall.Value / (precision.Value + recall.Value)
}
