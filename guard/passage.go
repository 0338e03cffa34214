package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
)

// passage is two values of a call, of which one passes into the other's place: an account and the one to
// which it pays, an item and the new one.
type passage struct{ from, to string }

// The words of arguments, and of what is said in the languages that users speak, for where something comes
// from and where it goes. A word that also means something else only divides a sentence more finely.
var (
	fromMembers = []string{"from", "source", "src", "origin", "old", "sender", "start", "current", "departure", "payer", "debit"}
	toMembers   = []string{"to", "target", "destination", "dest", "new", "recipient", "receiver", "end", "arrival", "payee", "credit"}

	fromWords = strings.Fields("from von vom aus ab de du des depuis desde del da dal dalla do van uit od z ze с со из от")
	toWords   = strings.Fields("to into onto for with by nach auf zu zum zur an in durch gegen à a au aux vers contre par al hacia para por con ao alla verso per naar tegen do na w в на к ко")
	// unmarked are those of them before which what something comes from may stand by itself: "A to B", and
	// swaps those where it does so without any word before: "replace A with B".
	unmarked = []string{"to", "->", "→", "=>", "⇒", "➔"}
	swaps    = strings.Fields("with for by durch gegen contre par por con voor tegen")
)

// passagesOf returns the pairs in the arguments of a call, up to [maxSpoken]: those whose names differ in such
// words alone, each element of two lists with the one in its place.
func passagesOf(call *strictjson.Document) []passage {
	var out []passage
	for goal, v := range call.Root().Members() {
		if _, isGoal := withoutRole(goal, toMembers); !isGoal {
			continue
		}
		for origin, other := range call.Root().Members() {
			if !arePair(origin, goal) {
				continue
			}
			all := scalars(v)
			for i, from := range scalars(other) {
				if i < len(all) && len(out) < maxSpoken && from != all[i] {
					out = append(out, passage{from, all[i]})
				}
			}
		}
	}
	return out
}

// arePair reports whether an argument is where what another one has, which is named as a goal, comes from: from_account for to_account, and
// item_id for new_item_id.
func arePair(origin, goal string) bool {
	what, _ := withoutRole(goal, toMembers)
	other, isOrigin := withoutRole(origin, fromMembers)
	_, alsoGoal := withoutRole(origin, toMembers)
	unnamed := !isOrigin && other != ""
	return !alsoGoal && other == what && (isOrigin || unnamed)
}

// withoutRole returns the words of a name but for those of a role, and whether it has one.
func withoutRole(name string, role []string) (rest string, has bool) {
	words := provenance.Words(name)
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(role, w) })
	return strings.Join(kept, " "), len(kept) < len(words)
}

// scalars returns the texts and numbers of a value that is one, or a list.
func scalars(v strictjson.Value) []string {
	switch v.Kind() {
	case strictjson.String:
		return []string{v.Text()}
	case strictjson.Number:
		return []string{string(v.Raw())}
	}
	var out []string
	for _, e := range v.Elements() {
		if s := scalars(e); len(s) == 1 {
			out = append(out, s[0])
		}
	}
	return out
}

// turnsRound reports whether a text says a value of the call only in the other's place: "from B to A"
// where the call goes from A to B.
func (d *dialogue) turnsRound(text string, records *mention.Records, value string) bool {
	names := func(parts []mention.Text, value string) bool {
		return slices.ContainsFunc(parts, func(part mention.Text) bool { return records.Names(part, value) == mention.Named })
	}
	return slices.ContainsFunc(d.passages(), func(p passage) bool {
		if p.from != value && p.to != value {
			return false
		}
		e := d.memo.endsOf(text)
		asSaid := names(e.from, p.from) || names(e.to, p.to)
		return !asSaid && names(e.from, p.to) && names(e.to, p.from)
	})
}

// ends are the parts of a text behind words for where something comes from, and behind those for
// where it goes.
type ends struct{ from, to []mention.Text }

func newEnds(text string) *ends {
	var out ends
	from, to := partsOf(text)
	for _, part := range from {
		out.from = append(out.from, mention.NewText(part))
	}
	for _, part := range to {
		out.to = append(out.to, mention.NewText(part))
	}
	return &out
}

// partsOf returns the parts of a text as [ends] has them.
func partsOf(text string) (from, to []string) {
	isEnd := func(c rune) bool { return strings.ContainsRune("\n!?;。！？", c) }
	for _, sentence := range strings.FieldsFunc(text, isEnd) {
		var other []string
		begin, into, marked := 0, &other, false
		words := strings.Fields(sentence)
		part := func(i int) string { return strings.Join(words[begin:i], " ") }

		for i, word := range words {
			plain := strings.ToLower(strings.TrimFunc(word, func(c rune) bool { return unicode.IsPunct(c) && c != '-' }))
			isOrigin, byItself := slices.Contains(fromWords, plain), slices.Contains(unmarked, plain) && !marked
			byItself = byItself || (into == &other && slices.Contains(swaps, plain))
			if !isOrigin && !byItself && !slices.Contains(toWords, plain) && !slices.Contains(unmarked, plain) {
				continue
			}
			*into = append(*into, part(i))
			if byItself {
				from = append(from, part(i))
			}
			begin, into, marked = i, &to, marked || isOrigin
			if isOrigin {
				into = &from
			}
		}
		*into = append(*into, part(len(words)))
	}
	return from, to
}
