package match

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ordinalStems are how the words for third and the like begin, by their numbers, in several languages. None is how a day of the week begins (пятница,
// piątek, segunda-feira, Τρίτη), nor what means "other" or "according to".
var ordinalStems = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"2": strings.Fields("zweite deuxi segundo seconda tweede второ втора втору вторы második ikinci δεύτερο 第二 둘째"),
		"3": strings.Fields("dritte troisi tercer terzo terza terceir derde tredje трет trzeci třetí tretí kolmas kolman harmadik üçüncü τρίτο 第三 셋째"),
		"4": strings.Fields("vierte quatri cuarto cuarta vierde fjärde fjerde четверт czwarty czwarta czwarteg czwartej czwartą čtvrtý čtvrtá čtvrté čtvrtou štvrtý štvrtá štvrté štvrtou neljäs negyedik dördüncü τέταρτο 第四 넷째"),
		"5": strings.Fields("fünfte cinqui quinto vijfde femte пято пяты пята пяту piąty piąta piąteg piątej piątą pátý pátou piaty viides ötödik beşinci πέμπτο 第五 다섯째"),
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
