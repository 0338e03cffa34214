package reply

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed deeds.txt
var deedTable string

// Deeds are what words say that is done: paying, cancelling, looking up.
type Deeds uint32

// deedWords are the words for deeds.
type deedWords struct {
	whole map[string]Deeds
	// begins are words that begin so, by their first sign.
	begins map[rune][]beginning
	joined []beginning // looked for anywhere in a script without spaces
	// marked are the deeds of a mark.
	marked map[string]Deeds
}

type beginning struct {
	text  string
	deeds Deeds
}

var deeds = sync.OnceValue(func() *deedWords {
	d, err := parseDeeds(deedTable)
	if err != nil {
		panic(err) // a mistake in the program's own table
	}
	return d
})

func parseDeeds(table string) (*deedWords, error) {
	out := &deedWords{whole: map[string]Deeds{}, begins: map[rune][]beginning{}, marked: map[string]Deeds{}}
	next := Deeds(1)
	for n, line := range strings.Split(table, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, list, ok := strings.Cut(line, ": ")
		_, mark, _ := strings.Cut(head, " ")
		if !ok || next == 0 {
			return nil, fmt.Errorf("deeds.txt:%d: write DEED: word, word, for 32 deeds at most", n+1)
		}
		out.marked[mark] |= next
		for word := range strings.SplitSeq(list, ", ") {
			out.add(word, next)
		}
		next <<= 1
	}
	return out, nil
}

func (d *deedWords) add(word string, deed Deeds) {
	stem, begins := strings.CutSuffix(word, "*")
	text := strings.Join(tokensOf(stem), "")
	switch {
	case Joined(text):
		d.joined = append(d.joined, beginning{text, deed})
	case begins:
		first := []rune(text)[0]
		d.begins[first] = append(d.begins[first], beginning{text, deed})
	default:
		d.whole[text] |= deed
	}
}

// DeedsOf returns what a text says that is done, or to be done.
func DeedsOf(text string) Deeds {
	d := deeds()
	var out Deeds

	for _, word := range tokensOf(text) {
		out |= d.whole[word]
		for _, b := range d.begins[[]rune(word)[0]] {
			if strings.HasPrefix(word, b.text) {
				out |= b.deeds
			}
		}
		if !Joined(word) {
			continue
		}

		for _, b := range d.joined {
			if strings.Contains(word, b.text) {
				out |= b.deeds
			}
		}
	}
	return out
}

// Has reports whether some deed is among others.
func (d Deeds) Has(other Deeds) bool { return d&other != 0 }

// OnlyRead reports whether some deeds change nothing, such as looking up or drafting.
func (d Deeds) OnlyRead() bool { return d != 0 && d&^deeds().marked["reads"] == 0 }

// IsApart reports whether some deeds are surely others: archiving, and not deleting.
func (d Deeds) IsApart(other Deeds) bool {
	vague := deeds().marked["vague"]
	return d != 0 && other != 0 && !d.Has(other) && !(d.Has(vague) && other.Has(vague))
}

// DeedOf returns what a tool does, or a sentence speaks of first.
func DeedOf(words []string) Deeds {
	for _, w := range words {
		if found := DeedsOf(w); found != 0 {
			return found
		}
	}
	return 0
}

// Proposal is what an agent's words propose, and ask.
type Proposal struct {
	// Deeds are those that they speak of, but for clauses that negate.
	Deeds Deeds
	// Asked is the last question, or all where there is none, and AskedDeeds those in it.
	Asked      string
	AskedDeeds Deeds
	// Drafts is set where the question is first of all of a draft, or of reading.
	Drafts bool
	// Describes is set for a last question of what is so, rather than of what to do: "Is your account DE-1?"
	Describes bool
	// GoesOn is set for a last question of whether to go on with what was said before: "Shall I proceed?"
	GoesOn bool
}

// Proposed reads what an agent proposes. It takes time linear in the text, of which the end is read.
func Proposed(text string) Proposal {
	if len(text) > maxQuestion {
		text = strings.ToValidUTF8(text[len(text)-maxQuestion:], "")
	}
	out := Proposal{Asked: lastQuestion(text)}
	out.AskedDeeds = DeedsOf(out.Asked)
	for _, clause := range Clauses(text) {
		if found := DeedsOf(clause); found&^out.Deeds != 0 && !Negates(clause) {
			out.Deeds |= found
		}
	}

	words := tokensOf(out.Asked)
	out.Drafts = DeedOf(words).OnlyRead()
	for _, l := range bestOf(words, out.Asked, text) {
		goesOn := l.has(yes, words) || l.has(settle, words)
		out.GoesOn = out.GoesOn || goesOn
		out.Describes = out.Describes || (len(words) > 0 && l.at(words, 0, being) != nil)
	}
	out.Describes = out.Describes && !out.GoesOn && HasQuestion(out.Asked)
	return out
}

// questionSigns end a question, in the scripts that agents write.
const questionSigns = "?？؟"

// HasQuestion reports whether a text asks something.
func HasQuestion(text string) bool { return strings.ContainsAny(text, questionSigns) }

// lastQuestion returns the last sentence of a text that asks, or all of a text that has none.
func lastQuestion(text string) string {
	end := strings.LastIndexAny(text, questionSigns)
	if end < 0 {
		return text
	}
	begin := strings.LastIndexAny(text[:end], sentenceEnds)
	for begin > 0 && begin+1 < end && text[begin] == '.' && text[begin+1] != ' ' {
		begin = strings.LastIndexAny(text[:begin], sentenceEnds) // within a number or an address
	}
	if begin < 0 {
		return text[:end+1]
	}
	return strings.TrimSpace(strings.TrimLeft(text[begin:end+1], sentenceEnds))
}
