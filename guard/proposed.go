package guard

import (
	"slices"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/reply"
)

// isElsewhere reports whether the proposal that a yes answers is of something else than the call: of another
// deed, of what is so, or of nothing that the call has. It is not known yet while the rules look things up.
func (x *view) isElsewhere(at int) (elsewhere, known bool) {
	d := x.talk()
	e := &d.exchanges[at]
	if e.question == "" {
		return false, true
	}

	tool := provenance.Words(x.request.Tool)
	does, p := reply.DeedOf(tool), x.memo.proposal(e.question)
	proposed := x.proposes(e)
	another := p.Drafts || p.AskedDeeds.IsApart(does)
	switch {
	case p.AskedDeeds.Has(does), proposed:
		return false, true
	case another && !(p.GoesOn && p.AskedDeeds.OnlyRead()):
		return true, true
	case p.GoesOn:
		return false, true
	case p.Describes && !d.userSpeaksOf(does, tool):
		return true, true
	}

	otherDeed := does != 0 && p.AskedDeeds != 0
	answers := at > 0 && reply.HasQuestion(d.exchanges[at-1].reply)
	if !otherDeed && !answers {
		return false, true
	}
	records := x.lookedAll()
	if slices.ContainsFunc(d.scalars(), func(g given) bool { return records.Names(e.questionText(), g.text) == mention.Named }) {
		return false, true
	}
	return true, x.complete || x.closed
}

// proposes reports whether what the agent said speaks of what the tool does.
func (x *view) proposes(e *exchange) bool {
	tool := provenance.Words(x.request.Tool)
	does := reply.DeedOf(tool)
	return e.memo.proposal(e.question).Deeds.Has(does) || (does == 0 && speaksOfAny(e.questionText(), tool))
}

// speaksOfAny reports whether a text has one of some words, in whatever form.
func speaksOfAny(text mention.Text, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return speaks(text, []string{w}) })
}

// userSpeaksOf reports whether the user spoke of what a tool does.
func (d *dialogue) userSpeaksOf(does reply.Deeds, tool []string) bool {
	return slices.ContainsFunc(d.exchanges, func(e exchange) bool {
		return reply.DeedsOf(e.reply).Has(does) || (does == 0 && speaksOfAny(e.replyText(), tool))
	})
}
