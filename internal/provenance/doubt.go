package provenance

import (
	"sort"
)

// isDoubted reports whether the words of the clause rule out, question, or put into
// another person's mouth what the verb at i would ask for.
func (r *reading) isDoubted(text string, i int) bool {
	t := &r.tokens[i]
	english := requests().english[t.word]
	if r.isDoubtedBefore(i, english) {
		return true
	}
	if t.marks&(negator|hedge) != 0 && !r.isSaidInEnglish(i) {
		return true // a run of Chinese or Japanese says both
	}
	return !english && r.isNegatedBehind(i)
}

// isSaidInEnglish reports whether the English verb at i, which another language has as a word
// of doubt, is the verb by what follows: "comment on it", and neither "comment créer" nor
// "comment on crée".
func (r *reading) isSaidInEnglish(i int) bool {
	if !requests().english[r.tokens[i].word] {
		return false
	}
	next := r.next(i)
	if next.quoted {
		return true
	}
	after := r.next(i + 1)
	foreign := after.deeds != 0 && !requests().english[after.word]
	return vocabulary().Fronting.Has(next.word) && after.word != "" && !foreign
}

// isDoubtedBefore reports whether the words of the clause before the verb at i doubt it.
func (r *reading) isDoubtedBefore(i int, english bool) bool {
	d := doubt{r: r, verb: i, english: english}
	for j := i - 1; j >= 0 && j >= i-reachBack && r.tokens[j].clause == r.tokens[i].clause; j-- {
		b := &r.tokens[j]
		if b.quoted {
			continue
		}
		if b.marks&lenient != 0 && j > 0 && r.tokens[j-1].marks&negator != 0 {
			j-- // "don't forget to"
			continue
		}
		if d.take(j) {
			return true
		}
	}
	return false
}

// doubt is what the words before a verb say about it, read from the verb on back.
type doubt struct {
	r         *reading
	verb      int
	english   bool
	joined    bool // a conjunction is between the verb and the word
	you, want bool
}

// take takes the word at j in, and reports whether it doubts the verb.
func (d *doubt) take(j int) bool {
	b := &d.r.tokens[j]

	switch {
	case b.word == "you":
		d.you = true
	case vocabulary().Wanting.Has(b.word):
		d.want = true
	case b.word == "to" && !d.joined:
	case b.marks&conjunction != 0:
		d.joined = true
	case b.marks&modal != 0:
		yours := j > 0 && d.r.tokens[j-1].word == "you"
		return !d.you && !d.want && !yours
	case b.marks&negator != 0:
		return !d.joined || !d.english
	case b.marks&hedge != 0:
		begins := b.word == "do" && j == 0
		return b.word == "did" || (!d.joined && !begins)
	case vocabulary().Actors.Has(b.word) && !d.joined && !d.want && j == d.verb-1:
		return true // what a person does
	case b.word == "can" && !d.you && j+1 < len(d.r.tokens) && d.r.tokens[j+1].word == "i":
		return true
	}
	return false
}

// isNegatedBehind reports whether a negation follows the verb at i in its clause, as
// languages other than English have it.
func (r *reading) isNegatedBehind(i int) bool {
	for j := i + 1; j < len(r.tokens) && r.tokens[j].clause == r.tokens[i].clause; j++ {
		t := &r.tokens[j]
		if t.deeds != 0 && !unspacedScript(t.word) {
			return false
		}
		if !t.quoted && t.marks&negator != 0 {
			return true
		}
	}
	return false
}

// ruledOut reports whether a negation is between a request's verb and a value,
// or a word that puts the value beside the request.
func (r *reading) ruledOut(work *meter, q *request, start, end int) bool {
	value := r.clauseAt(start)
	first := sort.Search(len(r.tokens), func(i int) bool { return r.tokens[i].start >= q.verb.end })
	for i := first; i < len(r.tokens) && r.tokens[i].end <= start; i++ {
		t := &r.tokens[i]
		if !work.spend(1) {
			return true
		}

		aside := t.start >= value.start && q.verb.end <= value.start && t.marks&(hedge|modal) != 0
		if aside && !t.quoted {
			return true // "…, he asked about billing"
		}
		if t.quoted || t.marks&negator == 0 || t.marks&lenient != 0 {
			continue
		}
		if t.start >= value.start || q.verb.end >= value.start {
			return true
		}
	}
	return false
}
