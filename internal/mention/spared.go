package mention

import (
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/reply"
)

// These are words of all languages together: one that means something else in another language only
// makes a doubt.
var (
	// sparing words leave a thing out, or as it is.
	sparing = phrases(
		"except, excepting, spare, minus, excluding, apart from, aside from, other than, besides, but not, stays, stay, remains, remain, untouched, unaffected, alone, as it is, as they are, keep, keeping, skip, forget",
		"außer, ausser, ausgenommen, bleibt, bleiben, behalte, behalten", "sauf, excepté, hormis, reste, restent, garde, gardez",
		"excepto, salvo, menos, aparte de, queda, quedan, conserva, conservar, mantén, mantener", "exceto, fora, fica, ficam, mantenha, manter",
		"tranne, eccetto, resta, restano, rimane, rimangono", "behalve, uitgezonderd, blijft, blijven", "oprócz, prócz, poza, zostaje, zostaw",
		"ما عدا, باستثناء, إلا, سوى, اترك, اتركي, يبقى, تبقى", "छोड़कर, छोड़ कर, के अलावा, सिवाय, के सिवा, रहने, वैसा ही",
		"кроме, исключением, остается, остаётся, оставь, оставьте", "hariç, dışında, kalsın, kalır", "除了, 除外, 以外, 之外, 保留, 除いて, 残し, そのまま",
	)
	// adding words mention one more thing besides the one that was named.
	adding = phrases(
		"other, others, another, besides, too, also, as well, remaining, rest", "andere, anderen, anderes, auch", "autre, autres, aussi", "otro, otra, otros, otras, también",
		"outro, outra, outros, outras, também", "altro, altra, altri, altre, anche", "ook", "drugi, drugą, inny, inną, też", "другой, другую, другие, тоже, также", "diğer", "其他, 另一, 另外, 他の, 別の", "أيضا, أيضًا, كذلك, آخر, أخرى, الآخر, الأخرى", "भी, अन्य, दूसरा, दूसरी, दूसरे, बाकी",
	)
	// narrowing words agree to a part.
	narrowing = phrases(
		"only, just the, just that one, just one", "nur, lediglich", "seulement, uniquement", "solo, sólo, solamente, únicamente", "só, somente, apenas", "soltanto",
		"alleen, slechts, enkel", "tylko", "только, лишь", "فقط, وحده, وحدها", "सिर्फ, सिर्फ़, केवल, बस", "sadece, yalnızca", "只, 仅, だけ, のみ",
	)
)

// phraseList is phrases by their first words.
type phraseList struct {
	byFirst map[string][]Text
	joined  []Text // those of scripts without spaces
}

// phrases reads lists of phrases when they are first asked for.
func phrases(lists ...string) func() *phraseList {
	return sync.OnceValue(func() *phraseList {
		out := &phraseList{byFirst: map[string][]Text{}}
		for p := range strings.SplitSeq(strings.Join(lists, ", "), ", ") {
			t := NewText(p)
			out.byFirst[t.words[0].text] = append(out.byFirst[t.words[0].text], t)
			if reply.Joined(p) {
				out.joined = append(out.joined, t)
			}
		}
		return out
	})
}

// hasAny reports whether the text has one of several phrases. Han and kana are written without spaces.
func (t Text) hasAny(phrases *phraseList) bool {
	for i, w := range t.words {
		if slices.ContainsFunc(phrases.byFirst[w.text], func(p Text) bool { return t.at(i, p.words) }) {
			return true
		}
	}
	return slices.ContainsFunc(phrases.joined, func(p Text) bool { return strings.Contains(t.raw, p.raw) })
}

// Adds reports whether the text may speak of one more thing: "I'll also cancel W2".
func (t Text) Adds() bool { return t.hasAny(adding()) }

// Spares reports whether a clause may leave out what it names, or as it is: "all except W1".
func (t Text) Spares() bool { return t.hasAny(sparing()) }

// Narrows reports whether the text may agree to a part alone: "only the first".
func (t Text) Narrows() bool { return t.hasAny(narrowing()) }

// inPlace returns what of a text may name another thing in place of a value: not the clauses that negate
// or leave something out, and nothing where it speaks of one more.
func (t Text) inPlace() Text {
	if t.Adds() {
		return Text{}
	}
	kept := slices.DeleteFunc(reply.Clauses(t.raw), func(c string) bool { return reply.Negates(c) || NewText(c).Spares() })
	return NewText(strings.Join(kept, ""))
}
