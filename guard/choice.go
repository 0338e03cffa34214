package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/reply"
)

// saysMore reports whether a yes says something of its own about a value that it names: "Yes, take W1 out".
func (d *dialogue) saysMore(e *exchange, records *mention.Records, value string) bool {
	if e.reading().Answer != reply.Agreed {
		return false
	}
	for _, c := range e.memo.clausesOf(e.reply).list {
		if records.Names(c.text, value) == mention.Named {
			return reply.Surprises(e.question, mention.Without(c.raw, append(slices.Clone(d.used()), value)))
		}
	}
	return false
}

// choice is what a turn may take of several things that a question lists.
type choice struct {
	words []string // those that say something and that the question has
	items []reply.Item
	texts []mention.Text // of the items
}

func newChoice(e *exchange) *choice {
	out := &choice{words: slices.DeleteFunc(reply.Picks(e.question, e.taken()), func(w string) bool { return reply.DeedsOf(w) != 0 })}
	if len(out.words) == 0 {
		return out
	}
	out.items = reply.Items(e.question)
	for _, item := range out.items {
		out.texts = append(out.texts, mention.NewText(item.Text))
	}
	return out
}

// chooses reports whether a yes takes another one of several that the question lists, by words that it has of
// that one alone: "Yes, the diesel one", "Yes, option 2".
func (d *dialogue) chooses(e *exchange, records *mention.Records, value string) bool {
	if e.reading().Answer != reply.Agreed {
		return false
	}
	c := e.memo.choiceOf(e)
	if len(c.words) == 0 || c.items == nil {
		return len(c.words) > 0
	}

	own := make([]bool, len(c.items))
	for i, text := range c.texts {
		own[i] = records.Names(text, value) == mention.Named
	}
	takes, leaves := false, false
	for _, w := range c.words {
		inOwn, inPeer := false, false
		for i, item := range c.items {
			has := item.Has(w)
			inOwn, inPeer = inOwn || (has && own[i]), inPeer || (has && isPeer(c.items, own, i, value))
		}
		takes, leaves = takes || (inOwn && !inPeer), leaves || (inPeer && !inOwn)
	}
	return leaves && !takes
}

// taken returns the clauses of a reply that don't take anything out: "Yes, but drop W1".
func (e *exchange) taken() string {
	out := reply.DeedOf([]string{"remove"})
	asked := e.memo.proposal(e.question).Deeds.Has(out)

	var kept []string
	for _, c := range e.memo.clausesOf(e.reply).list {
		drops := !asked && reply.DeedsOf(c.raw).Has(out)
		if !drops && !c.text.Spares() && !reply.Negates(c.raw) {
			kept = append(kept, c.raw)
		}
	}
	return strings.Join(kept, "\n")
}

// isPeer reports whether a listed item is an alternative to a value: it has a code of the same form or, if the
// value has no code, it is listed next to the value in the same sentence.
func isPeer(items []reply.Item, own []bool, i int, value string) bool {
	if own[i] {
		return false
	}
	if form := formOf(value); form != "" {
		return slices.ContainsFunc(strings.Fields(items[i].Text), func(w string) bool { return formOf(w) == form })
	}
	before, after := i > 0 && own[i-1] && !items[i].Begins, i+1 < len(own) && own[i+1] && !items[i+1].Begins
	return before || after
}

// formOf returns the form of a code, with a sign for each letter and digit; "" for a word without digits.
func formOf(code string) string {
	if !strings.ContainsFunc(code, unicode.IsDigit) {
		return ""
	}
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsDigit(c):
			return '9'
		case unicode.IsLetter(c):
			return 'a'
		}
		return c
	}, strings.TrimFunc(code, func(c rune) bool { return !unicode.IsDigit(c) && !unicode.IsLetter(c) }))
}
