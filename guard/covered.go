package guard

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/reply"
)

// onceMoreQuestion is what the judge is asked where it isn't sure that a yes is for the call.
const onceMoreQuestion = "Did the user's latest words agree to this very call, beside what the assistant has done or said since?"

// covered decides a call after a yes: it counts for what was proposed when it was given, and for carrying
// that out once.
func (x *view) covered(at int) ref.Val {
	d := x.talk()
	given := d.exchanges[at].at
	entries := x.request.History.Entries
	since := x.changesIn(entries[given:])
	for _, c := range since {
		switch {
		case !x.isSame(c):
		case c.Result.outcome() == done:
			return types.False
		default:
			return x.beyond()
		}
	}
	// "Great" to a report that it is done is no wish to have it done again, and what fails
	// each time isn't tried for ever.
	praised := !reply.HasQuestion(d.exchanges[at].question) && slices.ContainsFunc(entries[:given], x.isRepeated)
	if praised || x.isReport(at) || x.tries(entries[given:]) >= maxRetries {
		return x.beyond()
	}

	before := d.upTo(at)
	answer, known := reply.Agreed, true
	if elsewhere, sure := x.isElsewhere(at); elsewhere {
		answer, known = reply.Unclear, sure
	} else if len(since) > 0 {
		answer, known = x.announced(before, since)
	} else if later := d.saidSince(at); later != "" {
		answer, known = x.addedLater(before, later)
	}
	switch {
	case !known:
		return types.NewUnknown(0, nil)
	case answer != reply.Agreed:
		return x.beyond()
	}
	return types.True
}

// maxRetries bounds how often a call that failed is made again by one yes.
const maxRetries = 3

// isSame reports whether a call is the one that is decided.
func (x *view) isSame(c *Call) bool {
	return x.isCalled(c) && (bytes.Equal(c.Arguments, x.request.Arguments) || SameArguments(c.Arguments, x.request.Arguments))
}

// isRepeated reports whether an entry is the call that is decided, and may have changed something.
func (x *view) isRepeated(e Entry) bool {
	return e.Kind == CallEntry && x.isSame(e.Call) && !e.Call.Result.failed()
}

// isReport reports whether what a yes answers tells of a call that was made, and proposes nothing like the one
// that is decided.
func (x *view) isReport(at int) bool {
	d := x.talk()
	e := &d.exchanges[at]
	if at == 0 || reply.HasQuestion(e.question) {
		return false
	}
	made := x.changesIn(x.request.History.Entries[d.exchanges[at-1].at:e.at])
	return len(made) > 0 && !x.proposes(e)
}

// tries counts how often the call that is decided has failed.
func (x *view) tries(entries []Entry) int {
	n := 0
	for _, e := range entries {
		if e.Kind == CallEntry && x.isSame(e.Call) && e.Call.Result.failed() {
			n++
		}
	}
	return n
}

func (x *view) beyond() ref.Val {
	return x.unsettled(onceMoreQuestion, UserEntry, "whether what the user agreed to is this call, too")
}

// upTo returns the dialogue as it was after an exchange.
func (d *dialogue) upTo(at int) *dialogue {
	out := *d
	out.talk = d.talk.upTo(at)
	return &out
}

// saidSince returns what the agent said after an exchange.
func (d *dialogue) saidSince(at int) string {
	var said []string
	for _, e := range d.exchanges[at+1:] {
		said = append(said, e.question)
	}
	return strings.TrimSpace(strings.Join(append(said, d.after), "\n"))
}

// changesIn returns the calls among entries that may have changed something. A call that failed, or was denied,
// hasn't.
func (x *evaluation) changesIn(entries []Entry) []*Call {
	var out []*Call
	for _, e := range entries {
		if e.Kind == CallEntry && !x.reads(e.Call) && !e.Call.Result.failed() {
			out = append(out, e.Call)
		}
	}
	return out
}

// reads reports whether a call surely changes nothing.
func (x *evaluation) reads(c *Call) bool {
	if c.Server == "" {
		return x.onlyReads[toolName{x.request.Server, c.Tool}]
	}
	return x.onlyReads[toolName{c.Server, c.Tool}]
}

// announced reports whether the agent listed, before a yes, what a call has beyond those that were made with
// it: every number and code of it, or one of its texts. A call that has nothing of its own does what its
// tool says.
func (x *view) announced(before *dialogue, since []*Call) (reply.Answer, bool) {
	var had, verbs []string
	for _, c := range since {
		if x.isAgain(c) {
			return reply.Unclear, true
		}
		had, verbs = append(had, valuesOf(scalarsOf(x.memo.arguments(c)))...), append(verbs, provenance.Words(c.Tool)...)
	}
	own := slices.DeleteFunc(valuesOf(before.scalars()), func(v string) bool { return isAmong(had, v) })
	verbs = slices.DeleteFunc(provenance.Words(x.request.Tool), func(w string) bool { return slices.Contains(verbs, w) })
	if len(own) == 0 {
		if len(verbs) > 0 && before.speaksOf(verbs) {
			return reply.Agreed, true
		}
		return reply.Unclear, true
	}

	codes := slices.DeleteFunc(slices.Clone(own), func(v string) bool { return !x.identifies(v) })
	for _, v := range codes {
		if answer, known := x.named(before, listedNotion, v); !known || answer != reply.Agreed {
			return answer, known
		}
	}
	if len(codes) > 0 {
		return reply.Agreed, true
	}
	listed := reply.Unclear
	for _, v := range own {
		answer, known := x.named(before, listedNotion, v)
		if !known || answer == reply.Refused {
			return answer, known
		}
		listed = max(listed, answer)
	}
	return listed, true
}

// isAgain reports whether a call that was made did what the one that is decided does, in another form: with an
// argument more, another count, or a tool of the same first word.
func (x *view) isAgain(c *Call) bool {
	made := scalarsOf(x.memo.arguments(c))
	values := valuesOf(made)
	own := slices.DeleteFunc(slices.Clone(x.talk().scalars()), func(g given) bool { return isAmong(values, g.text) })
	if !x.isCalled(c) {
		words, others := provenance.Words(x.request.Tool), provenance.Words(c.Tool)
		return len(own) == 0 && len(words) > 0 && len(others) > 0 && words[0] == others[0]
	}

	about := slices.ContainsFunc(x.talk().scalars(), func(g given) bool { return !isCount(g.text) && x.identifies(g.text) })
	return about && !slices.ContainsFunc(own, func(g given) bool {
		further := !slices.ContainsFunc(made, func(m given) bool { return m.member == g.member })
		return x.identifies(g.text) || !(further || isCount(g.text))
	})
}

// isAmong reports whether a value is among others, in whatever case and however a number is written.
func isAmong(values []string, value string) bool {
	same := plainForm(value)
	return slices.ContainsFunc(values, func(v string) bool { return plainForm(v) == same })
}

// plainForm returns the one way to write a value that may be written in several.
func plainForm(value string) string {
	value = strings.ToLower(strings.TrimSpace(value))
	if n, err := decimal.Parse(value); err == nil {
		return fmt.Sprint(n.ConvertToType(types.StringType).Value())
	}
	return value
}

// addedLater reports whether a call is of what was listed before a yes, and not of what the agent added
// later: a code of it that only the addition names, or a call of which nothing was listed.
func (x *view) addedLater(before *dialogue, later string) (reply.Answer, bool) {
	text := x.memo.text(later)
	listed := false

	for _, v := range valuesOf(before.scalars()) {
		answer, known := x.named(before, listedNotion, v)
		if !known {
			return answer, known
		}
		if answer == reply.Agreed {
			listed = true
			continue
		}
		if !isCount(v) && x.lookedAll().Names(text, v) == mention.Named && !before.userNamed(x.lookedAll(), v) {
			return reply.Unclear, true
		}
	}

	words := provenance.Words(x.request.Tool)
	if !listed && !before.speaksOf(words) && (text.Adds() || speaks(text, words)) {
		return reply.Unclear, true
	}
	return reply.Agreed, true
}

// isCount reports whether a value may be the number of something that is said.
func isCount(value string) bool {
	const most = 2 // digits
	return len(value) <= most && !strings.ContainsFunc(value, func(c rune) bool { return !unicode.IsDigit(c) })
}

// userNamed reports whether the user named a value, and not to leave it out.
func (d *dialogue) userNamed(records *mention.Records, value string) bool {
	return slices.ContainsFunc(d.exchanges, func(e exchange) bool {
		return records.Names(e.replyText(), value) == mention.Named && !d.takesBack(&e, records, value)
	})
}

// speaksOf reports whether anybody said a word in one exchange or another, each in whatever form.
func (d *dialogue) speaksOf(words []string) bool {
	return slices.ContainsFunc(d.exchanges, func(e exchange) bool { return speaks(e.questionText(), words) || speaks(e.replyText(), words) })
}

// speaks reports whether a text has each of some words, in whatever form.
func speaks(text mention.Text, words []string) bool {
	said := reply.WordsOf(strings.Join(text.Words(), " "))
	return !slices.ContainsFunc(words, func(w string) bool { return !said.Echo(w) })
}

// identifies reports whether a value says what a call is about: a code, an amount, or what a record has.
func (x *view) identifies(value string) bool {
	const least = 2 // bytes of a number that is more than a count
	code := len(value) >= least && strings.ContainsFunc(value, unicode.IsDigit) && !strings.ContainsFunc(value, unicode.IsSpace)
	return code || x.lookedAll().Know(value)
}
