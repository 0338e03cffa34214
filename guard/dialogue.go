package guard

import (
	"slices"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/reply"
)

// told reports whether the agent told the user something before they said anything more.
// That it used other words shows nothing, unless they are surely of something else.
func (d *dialogue) told(_ *mention.Records, statement string) reply.Answer {
	silent := true
	for i := len(d.exchanges) - 1; i >= 0; i-- {
		e := &d.exchanges[i]
		if e.memo.tells(e.question, statement) {
			return reply.Agreed
		}
		silent = silent && e.question == ""
	}
	if d.heard && (silent || d.questions().PassOver(statement)) {
		return reply.Refused
	}
	return reply.Unclear
}

// complete reports whether the user made clear that nothing is missing: they said so with what
// they want or in answer, narrowed it to the things of the call, or agreed when the agent asked. An
// answer that passes the question over leaves it to the agreement that follows, and one that adds
// something later takes it back.
func (d *dialogue) complete(records *mention.Records, statement string) reply.Answer {
	added := false
	for i := len(d.exchanges) - 1; i >= 0; i-- {
		e := &d.exchanges[i]
		latest := i == len(d.exchanges)-1
		asked := e.memo.tells(e.question, statement)
		closes := e.memo.closes(e.reply, statement) && (asked || latest || d.namesArgument(e))
		all := closes || d.restricts(e, records, statement)
		switch {
		case (all || asked) && added:
			return reply.Unclear
		case all:
			return reply.Agreed
		case asked:
			return d.agreedToAll(e, latest)
		}
		added = added || reply.Adds(e.reply) || d.namesBeside(e, records)
	}

	if d.heard && d.spoken().PassOver(statement) {
		return reply.Refused
	}
	return reply.Unclear
}

// agreedToAll reports whether the user agreed when the agent asked whether that is all.
func (d *dialogue) agreedToAll(e *exchange, latest bool) reply.Answer {
	r := e.reading()
	passedOver := !latest && (r.Answer == reply.Unclear || r.Asks)
	if r.Answer == reply.Agreed || (passedOver && d.agreed() == reply.Agreed) {
		return reply.Agreed
	}
	return reply.Unclear
}

// answered reports whether the user gave what the agent asked for, or a reason by themselves. What
// came before a call of the same tool was given for that one, unless it names an argument of this.
func (d *dialogue) answered(_ *mention.Records, statement string) reply.Answer {
	for i := range d.exchanges {
		e := &d.exchanges[i]
		if e.memo.gives(e.question, e.reply, statement) && (!e.spent || d.namesArgument(e)) {
			return reply.Agreed
		}
	}
	return reply.Unclear
}

// namesArgument reports whether a reply names a text of the call's arguments by itself, one that
// is no word of any sentence.
func (d *dialogue) namesArgument(e *exchange) bool {
	const least = 4 // bytes
	return slices.ContainsFunc(d.used(), func(value string) bool {
		return len(value) >= least && d.memo.none.Names(e.replyText(), value) == mention.Named
	})
}

// agreed is what [dialogue.agreement] reads.
func (d *dialogue) agreed() reply.Answer {
	answer, _ := d.agreement()
	return answer
}

// agreement reads the latest exchange that says something, and returns its place.
func (d *dialogue) agreement() (answer reply.Answer, at int) {
	for i := len(d.exchanges) - 1; i >= 0; i-- {
		e := &d.exchanges[i]
		r := e.reading()
		switch {
		case r.Answer == reply.Agreed && e.question == "" && d.heard:
			return reply.Refused, i // nothing was proposed
		case r.Idle && i > 0 && !reply.HasQuestion(e.question):
			continue
		case r.Answer == reply.Unclear && e.question == "" && d.heard:
			return reply.Refused, i
		case r.Answer == reply.Agreed && e.question == "":
			return reply.Unclear, i
		}
		return r.Answer, i
	}
	return reply.Unclear, 0
}

// listed reports whether the agent named a value in what the user answered, or before
// that where nothing took it back.
func (d *dialogue) listed(records *mention.Records, value string) reply.Answer {
	back, spoke := false, false
	for i := len(d.exchanges) - 1; i >= 0; i-- {
		e := &d.exchanges[i]
		spoke = spoke || e.question != ""
		if latest := i == len(d.exchanges)-1; !latest {
			if records.NamesBeside(e.replyText(), value, d.used) == mention.Other {
				return reply.Refused
			}
			r := e.reading()
			refused := r.Answer == reply.Refused && !r.Asks
			back = back || refused
		} else {
			back = d.narrows(e, records, value)
		}

		switch records.NamesBeside(e.questionText(), value, d.used) {
		case mention.Named:
			if d.turnsRound(e.question, records, value) {
				return reply.Refused
			}
			if back || d.leavesOut(e.memo.clausesOf(e.question), records, value) {
				return reply.Unclear
			}
			return reply.Agreed
		case mention.Other:
			return reply.Refused
		}
	}
	if d.heard && !spoke {
		return reply.Refused
	}
	return reply.Unclear
}

// stated reports whether the user named a value, or agreed to it. What they named before they
// refused it from the agent is left to the judge.
func (d *dialogue) stated(records *mention.Records, value string) reply.Answer {
	refused := false
	for i := len(d.exchanges) - 1; i >= 0; i-- {
		e := &d.exchanges[i]
		own := e.memo.ownOf(e.reply, value)
		switch records.NamesBeside(e.memo.text(own), value, d.used) {
		case mention.Named:
			if d.turnsRound(own, records, value) {
				return reply.Refused
			}
			clauses := e.memo.clausesOf(own)
			if refused || d.leavesOut(clauses, records, value) || takenBack(clauses, records, value) {
				return reply.Unclear
			}
			return reply.Agreed
		case mention.Other:
			return reply.Refused
		}

		refused = refused || takenBack(e.memo.clausesOf(own), records, value) || e.stops()
		r := e.reading()
		declines := r.Answer == reply.Refused && !r.Asks
		answers := e.question != "" && (r.Answer == reply.Agreed || declines)
		if !answers || records.Names(e.questionText(), value) != mention.Named {
			continue
		}
		switch {
		case r.Answer == reply.Agreed && d.turnsRound(e.question, records, value):
			return reply.Refused
		case r.Answer == reply.Agreed && refused:
			return reply.Unclear
		case r.Answer == reply.Agreed:
			return reply.Agreed
		}
		refused = true
	}
	return reply.Unclear
}

// stops reports whether a turn refuses to let the agent go on, rather than an offer or a question of the
// agent's.
func (e *exchange) stops() bool {
	if e.question == "" || e.reading().Answer != reply.Refused {
		return false
	}
	offers := reply.HasQuestion(e.question) && !e.memo.proposal(e.question).GoesOn
	return !offers && reply.OnlyRefuses(e.reply)
}

// takesBack reports whether a reply may leave out the value that it names.
func (d *dialogue) takesBack(e *exchange, records *mention.Records, value string) bool {
	return d.leavesOut(e.memo.clausesOf(e.reply), records, value)
}

// narrows reports whether a reply may agree to another thing than a value, or to a part: "Yes, only W1."
func (d *dialogue) narrows(e *exchange, records *mention.Records, value string) bool {
	said := e.replyText()
	switch records.NamesBeside(said, value, d.used) {
	case mention.Named:
		return d.takesBack(e, records, value) || d.saysMore(e, records, value)
	case mention.Other:
		return true
	}
	if d.chooses(e, records, value) {
		return true
	}
	if takenBack(e.memo.clausesOf(e.reply), records, value) {
		return true
	}
	onlyPart := said.Narrows() && !e.questionText().Narrows() // and doesn't answer "Is this the only one?"
	return onlyPart || said.OtherNumber(value)
}

// leavesOut reports whether the last of the clauses that names a value negates, or leaves it out: "The
// Visa. No, not the Visa." What is left out is left to the judge. Where
// some have the value itself, others don't count, that say something of it.
func (d *dialogue) leavesOut(of *clauses, records *mention.Records, value string) bool {
	for _, by := range [...]*mention.Records{d.memo.none, records} {
		for _, c := range of.list {
			if by.Names(c.text, value) == mention.Named {
				return d.leavesOutBy(c, value)
			}
		}
	}
	return false
}

// takenBack reports whether a clause takes back what was said, behind the last one that names a value.
func takenBack(of *clauses, records *mention.Records, value string) bool {
	if !of.takeBack() {
		return false
	}
	for _, c := range of.list {
		if c.takesBack() {
			return true
		}
		if records.Names(c.text, value) == mention.Named {
			return false
		}
	}
	return false
}

// leavesOutBy reports whether a clause negates or leaves out, by other words than a value and those of the call:
// a reason may be "no longer needed".
func (d *dialogue) leavesOutBy(c clause, value string) bool {
	own := value
	if slices.Contains(d.used(), value) {
		own = ""
	}
	return d.leftOut.Of([2]string{c.raw, own}, func() bool {
		rest := mention.Without(c.raw, append(slices.Clone(d.used()), own))
		return reply.Negates(rest) || reply.IsUnread(rest) || mention.NewText(rest).Spares()
	})
}
