package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// isInCompound reports whether other records of a list than the selected ones have the words of the conditions in compounds: of "presszókávé" and
// "szemes kávé", either may be the kávé that is meant. No compound selects a record by itself. What a place is called is no kind of anything:
// Nowolipowa is another street than Lipowa.
func (m *matcher) isInCompound(where []Match, selected selection, r *Result) bool {
	looser, any := where, false
	for i := range where {
		if len(where[i].Contains) == 0 || lexicon().Places.Ends(head(where[i].name())) {
			continue
		}
		if !any {
			looser, any = slices.Clone(where), true
		}
		looser[i].compounds = true
	}
	if !any {
		return false
	}

	lists := map[string]bool{}
	for record := range selected {
		lists[r.listOf(record)] = true
	}
	for record := range m.allMeeting(looser, r) {
		if !selected[record] && lists[r.listOf(record)] {
			return true
		}
	}
	return false
}

// hasCompound reports whether a text has all of some words, of which some may be what compounds are in the end.
func hasCompound(text, looked string) bool {
	all := strings.Fields(text)
	return looked != "" && !slices.ContainsFunc(strings.Fields(looked), func(of string) bool {
		return !slices.ContainsFunc(all, func(w string) bool { return w == of || isKindOf(w, of) })
	})
}

// isKindOf reports whether a word is a longer one that ends with another one, as compounds do that are a kind of it: a presszókávé is a kávé,
// and a kávéfőző is none, nor is a Seidelmann a Seidel. Less of either is there by accident.
func isKindOf(word, of string) bool {
	const kind, before = 4, 3 // letters
	end, isLonger := strings.CutSuffix(word, of)
	return isLonger && utf8.RuneCountInString(of) >= kind && utf8.RuneCountInString(end) >= before
}
