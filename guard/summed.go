package guard

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/internal/strictjson"
)

// element is an object that has nothing but several texts, such as a person's name and birth date.
type element struct {
	members map[string]string
	texts   []string // of the members, the longest first
	// list is the name of the list that it is in, "" for none, and of how many there are.
	list string
	of   int
}

func newElement(members map[string]string, list string, of int) element {
	longer := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	return element{members, slices.SortedFunc(maps.Values(members), longer), list, of}
}

// key returns what tells an element from any other.
func (e element) key() string {
	parts := []string{e.list, strconv.Itoa(e.of)}
	for _, name := range slices.Sorted(maps.Keys(e.members)) {
		parts = append(parts, strconv.Quote(name), strconv.Quote(e.members[name]))
	}
	return strings.Join(parts, " ")
}

// elementsOf returns the elements of the lists in the arguments of a call, up to [maxSpoken].
func elementsOf(call *strictjson.Document) []element {
	var out []element
	for name, member := range call.Root().Members() {
		if member.Kind() != strictjson.Array {
			continue
		}
		all := member.Elements()
		for _, v := range all {
			if members := onlyTexts(v); members != nil && len(out) < maxSpoken {
				out = append(out, newElement(members, name, len(all)))
			}
		}
	}
	return out
}

// onlyTexts returns the members of an object of several, all of them texts; nil for others.
func onlyTexts(v strictjson.Value) map[string]string {
	if v.Kind() != strictjson.Object {
		return nil
	}
	out := map[string]string{}
	for name, m := range v.Members() {
		if m.Kind() != strictjson.String {
			return nil
		}
		out[name] = m.Text()
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// summedUp reports whether a text belongs to things of a list that the user told of, each in one turn,
// and that the agent summed up, "for two passengers". What has an id or a code, which a record
// ties to more, the agent has to name.
func (d *dialogue) summedUp(records *mention.Records, leaves []leaf, l leaf) bool {
	var of []element
	inside := 0
	for _, e := range d.elements() {
		if n := e.has(l.text); n > 0 {
			of, inside = append(of, e), inside+n
		}
	}
	if len(of) == 0 {
		of = thingOf(leaves, l.thing)
	} else if inside < count(d.used(), l.text) {
		return false // it is something else of the call as well
	}
	return len(of) > 0 && !slices.ContainsFunc(of, func(e element) bool {
		return d.ask(summedNotion, e.summed, records, e.key()) != reply.Agreed
	})
}

// summedNotion is what [element.summed] answers.
const summedNotion = "summed up"

// summed is [dialogue.sumsUp] as an answer.
func (e element) summed(d *dialogue, records *mention.Records, _ string) reply.Answer {
	if d.sumsUp(records, e) {
		return reply.Agreed
	}
	return reply.Unclear
}

// has returns how often an element has a text: as a member, or made up of its members.
func (e element) has(text string) int {
	if n := count(e.texts, text); n > 0 {
		return n
	}
	rest := text
	for _, m := range e.texts {
		rest = strings.ReplaceAll(rest, m, " ")
	}
	if text != "" && strings.TrimSpace(rest) == "" {
		return 1
	}
	return 0
}

func count(texts []string, text string) int {
	n := 0
	for _, t := range texts {
		if t == text {
			n++
		}
	}
	return n
}

// thingOf returns an object of the value itself, by its number.
func thingOf(leaves []leaf, thing int) []element {
	if thing == 0 {
		return nil
	}
	members, things := map[string]string{}, map[int]bool{}
	for _, l := range leaves {
		if l.thing != 0 {
			things[l.thing] = true
		}
		if l.thing == thing {
			members[l.text] = l.text
		}
	}
	return []element{newElement(members, "", len(things))}
}

// sumsUp reports whether the user told of an element, and refused nothing of it since, and the agent
// counted as many as there are where there are several. Where it names some, it has to name all, and
// nobody else.
func (d *dialogue) sumsUp(records *mention.Records, e element) bool {
	for _, text := range e.members {
		if text == "" || isCode(text) || records.Know(text) {
			return false
		}
	}

	told := -1
	for i := len(d.exchanges) - 1; i >= 0 && told < 0; i-- {
		x := &d.exchanges[i]
		named := 0
		for _, text := range e.members {
			if names(records, x.replyText(), text) && !d.takesBack(x, records, text) {
				named++
			}
		}
		proposed := slices.ContainsFunc(e.texts, func(text string) bool { return names(records, x.questionText(), text) })
		switch {
		case named == len(e.members):
			told = i
		case named > 0, proposed && x.reading().Answer == reply.Refused:
			return false
		}
	}

	return told >= 0 && d.counted(records, e, told)
}

// counted reports whether what the agent said after a turn of the user's sums the list of an element
// up as it is: it names this one, or counts as many as there are and names none. One alone needs no
// count. Where the user told of others as well, it has to be named.
func (d *dialogue) counted(records *mention.Records, e element, told int) bool {
	strangers := records.TextsOf(slices.Collect(maps.Keys(e.members)))
	strangers = slices.DeleteFunc(strangers, d.isOurs)
	alone, proposed := e.of == 1 && !d.toldOfOthers(e, told), false

	for i := len(d.exchanges) - 1; i > told; i-- {
		said := d.exchanges[i].questionText()
		proposed = proposed || d.exchanges[i].question != ""
		counts := said.Counts(e.list)
		named := slices.ContainsFunc(e.texts, func(text string) bool { return d.tellsApart(e, text) && names(records, said, text) })
		leftOut := !named && slices.ContainsFunc(d.elements(), func(o element) bool {
			return o.list == e.list && slices.ContainsFunc(o.texts, func(text string) bool { return d.tellsApart(o, text) && names(records, said, text) })
		})
		wrong := slices.ContainsFunc(counts, func(n int) bool { return n != e.of })
		switch {
		case wrong, leftOut, slices.ContainsFunc(strangers, said.SaysName):
			return false
		case named, len(counts) > 0 && !d.toldOfOthers(e, told):
			return true
		}
	}
	return alone && proposed
}

// tellsApart reports whether a text of an element is of no other one of the call.
func (d *dialogue) tellsApart(e element, text string) bool {
	return !slices.ContainsFunc(d.elements(), func(o element) bool {
		return o.list == e.list && !maps.Equal(o.members, e.members) && slices.Contains(o.texts, text)
	})
}

// isOurs reports whether an argument of the call has the words of a text.
func (d *dialogue) isOurs(text string) bool {
	return slices.ContainsFunc(d.used(), func(used string) bool { return d.memo.text(used).SaysName(text) })
}

// toldOfOthers reports whether the user told of things like an element that the call doesn't have: by a
// day in the form of its own, or, where it has none, by a name in the turn that tells of it.
func (d *dialogue) toldOfOthers(e element, told int) bool {
	days := false
	for _, text := range e.members {
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			continue
		}
		days = true
		for i := range d.exchanges {
			if slices.ContainsFunc(d.exchanges[i].replyText().Shaped(text), func(day string) bool { return day != text && !d.isOurs(day) }) {
				return true
			}
		}
	}
	return !days && slices.ContainsFunc(d.exchanges[told].replyText().Capitals(), func(name string) bool { return !d.isOurs(name) })
}

func names(records *mention.Records, said mention.Text, text string) bool {
	return records.Names(said, text) == mention.Named
}

// isCode reports whether a text is a code that people read out: letters and digits in one word, or
// a long number.
func isCode(text string) bool {
	const long = 5
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		letters, digits, run := false, false, 0
		for _, r := range word {
			if !unicode.IsDigit(r) {
				letters, run = letters || unicode.IsLetter(r), 0
				continue
			}
			digits = true
			if run++; run >= long {
				return true
			}
		}
		return letters && digits
	})
}
