package guard

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/reply"
)

// restricts reports whether a turn narrows what the user wants to the things of the call, "No, the phone can
// stay, only the watch": a clause names each thing of one of its lists, says that it is those alone, and nothing
// but courtesies comes behind it.
func (d *dialogue) restricts(e *exchange, records *mention.Records, statement string) bool {
	own := e.memo.ownOf(e.reply, "")
	if !e.memo.text(own).Narrows() {
		return false
	}

	var words []string
	for _, value := range d.used() {
		words = append(words, value)
		words = append(words, records.Texts(value)...)
	}
	for _, c := range e.memo.clausesOf(own).list {
		narrows, plain := reply.Restricts(c.raw, statement, words)
		if narrows && d.namesList(c, records) {
			return true
		}
		if !plain {
			return false
		}
	}
	return false
}

// namesList reports whether a clause names each text of a list of the call.
func (d *dialogue) namesList(c clause, records *mention.Records) bool {
	return slices.ContainsFunc(d.lists(), func(list []string) bool {
		return !slices.ContainsFunc(list, func(value string) bool { return records.Names(c.text, value) != mention.Named })
	})
}

// namesBeside reports whether a turn says what another thing is called that is in a list with the things of the
// call: "the toaster, please".
func (d *dialogue) namesBeside(e *exchange, records *mention.Records) bool {
	said := d.memo.wordsOf(e.memo.ownOf(e.reply, ""))
	return slices.ContainsFunc(d.calledBeside(records), said.Echo)
}

// calledBeside returns the words by which the other things are called that are in a list with the things of the
// call, and those not.
func (d *dialogue) calledBeside(records *mention.Records) []string {
	return d.others.Of(records, func() []string {
		var own, beside []string
		for _, list := range d.lists() {
			for _, value := range list {
				own, beside = append(own, records.Texts(value)...), append(beside, records.CalledBeside(value)...)
			}
		}
		text := reply.WordsOf(strings.Join(own, " "))
		return slices.DeleteFunc(mention.NewText(strings.Join(beside, " ")).Words(), func(w string) bool { return reply.IsSmall(w) || text.Echo(w) })
	})
}
