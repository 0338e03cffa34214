package match

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ordinalStems are how the words for third and the like begin, by their numbers, in several languages.
var ordinalStems = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"2": strings.Fields("zweite deuxi segund secondo seconda tweede andra втор другий друга druhý druhé druhou drugi toinen toise második ikinci δεύτερ 第二 둘째"),
		"3": strings.Fields("dritte troisi tercer terzo terza terceir derde tredje трет trzeci třetí tretí kolma harmadik üçüncü τρίτ 第三 셋째"),
		"4": strings.Fields("vierte quatri cuarto cuarta quarto quarta vierde fjärde fjerde четв czwart čtvrt štvrt neljä negyedik dördüncü τέταρτ 第四 넷째"),
		"5": strings.Fields("fünfte cinqui quinto quinta vijfde femte пят п'ят piąt pátý pátou piaty viide ötödik beşinci πέμπτ 第五 다섯째"),
	}
})

// isOrdinal reports whether a small number is in the user's words as an ordinal: without the third round.
func (m *matcher) isOrdinal(text string) bool {
	stems := ordinalStems()[text]
	begins := func(w string) bool {
		isSo := strconv.Itoa(ordinalOf(w)) == text
		return isSo || slices.ContainsFunc(stems, func(stem string) bool { return strings.HasPrefix(w, stem) })
	}
	return stems != nil && m.work(perStep*len(m.said)) && slices.ContainsFunc(words(m.said), begins)
}
