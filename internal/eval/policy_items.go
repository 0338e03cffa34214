package eval

import (
	"slices"
)

// merge adds the policies of another tool.
func (r *ItemRates) merge(other ItemRates) {
	r.Precision.merge(other.Precision)
	r.Recall.merge(other.Recall)
	r.TouchedPrecision.merge(other.TouchedPrecision)
	r.TouchedRecall.merge(other.TouchedRecall)
}

// compareItems compares policies by their sentences. As many as possible are
// paired one to one.
func compareItems(truth, found []policyItem) ItemRates {
	alike := make([][]int, len(truth))
	for i := range truth {
		for j := range found {
			if jaccard(truth[i].sentences, found[j].sentences) >= ItemThreshold {
				alike[i] = append(alike[i], j)
			}
		}
	}
	paired := matchingSize(alike, len(found))
	out := ItemRates{Precision: rateOf(paired, len(found)), Recall: rateOf(paired, len(truth))}
	want, got := sentencesOf(truth), sentencesOf(found)
	for _, item := range truth {
		out.TouchedRecall.add(touches(item, got))
	}
	for _, item := range found {
		out.TouchedPrecision.add(touches(item, want))
	}
	return out
}

// matchingSize returns the size of a maximum bipartite matching, by augmenting
// paths.
func matchingSize(left [][]int, right int) int {
	partner := make([]int, right)
	for j := range partner {
		partner[j] = -1
	}
	var augment func(i int, tried []bool) bool
	augment = func(i int, tried []bool) bool {
		for _, j := range left[i] {
			if tried[j] {
				continue
			}
			tried[j] = true
			if partner[j] < 0 || augment(partner[j], tried) {
				partner[j] = i
				return true
			}
		}
		return false
	}

	n := 0
	for i := range left {
		if augment(i, make([]bool, right)) {
			n++
		}
	}
	return n
}

// jaccard returns the Jaccard index of two policies' sentences.
func jaccard(a, b map[string]bool) float64 {
	both := 0
	for s := range a {
		if b[s] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

func touches(item policyItem, sentences map[string]bool) bool {
	for s := range item.sentences {
		if sentences[s] {
			return true
		}
	}
	return false
}

// sentencesOf returns the sentences of all policies.
func sentencesOf(items []policyItem) map[string]bool {
	out := map[string]bool{}
	for _, item := range items {
		for s := range item.sentences {
			out[s] = true
		}
	}
	return out
}

// placedItems returns the policies that have a sentence.
func placedItems(items []policyItem) []policyItem {
	return slices.DeleteFunc(slices.Clone(items), func(i policyItem) bool { return len(i.sentences) == 0 })
}

// removeSentences returns the sentences for which drop is false.
func removeSentences(sentences map[string]bool, drop func(string) bool) map[string]bool {
	out := map[string]bool{}
	for s := range sentences {
		if !drop(s) {
			out[s] = true
		}
	}
	return out
}

// groups returns, for each sentence, the policies that have it.
func groups(sentences []string, items []policyItem) grouping {
	out := make(grouping, len(sentences))
	for i, s := range sentences {
		for j, item := range items {
			if item.sentences[s] {
				out[i] = append(out[i], j)
			}
		}
	}
	return out
}

// pairOf returns a sentence with the policies that refer to it.
func pairOf(tool, sentence string, items []policyItem) MappingPair {
	out := MappingPair{Tool: tool, Sentence: sentence}
	for _, item := range items {
		if item.sentences[sentence] {
			out.Policies = append(out.Policies, item.name)
		}
	}
	return out
}

// foreign returns a policy's references that don't appear in the document.
func foreign(tool string, item policyItem) []MappingPair {
	var out []MappingPair
	for _, reference := range item.foreign {
		out = append(out, MappingPair{Tool: tool, Sentence: reference, Policies: []string{item.name}})
	}
	return out
}

// kindsOf returns the kinds of the rules that refer to a sentence.
func kindsOf(sentence string, items []policyItem) []string {
	var out []string
	for _, item := range items {
		if item.kind != "" && item.sentences[sentence] && !slices.Contains(out, item.kind) {
			out = append(out, item.kind)
		}
	}
	return out
}
