package proxy

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/synth"
)

// floor says who speaks next in a conversation. After calls, any text counts as their results,
// whatever its role, until the model has spoken again.
type floor struct {
	// work is true when the model's last turn had calls.
	work bool
	// open are the ids of the calls without a result.
	open []string
	// alone is true when it had one call, which has no result but text.
	alone bool
}

// newFloor returns the floor after a model's turn. After a call by which the
// model gives its answer, the user speaks.
func newFloor(calls []call) floor {
	f := floor{alone: len(calls) == 1}
	for i := range calls {
		f.open = append(f.open, calls[i].id)
		f.work = f.work || !synth.LastWord(calls[i].tool)
	}
	return f
}

// noteReturn records that a call has returned, by any of its ids.
func (f *floor) noteReturn(id string, names map[string]string) {
	f.open = slices.DeleteFunc(f.open, func(o string) bool {
		alias := names[o] != "" && names[o] == names[id]
		return o == id || alias
	})
}

// event returns the event for a text that arrives while calls run: the result of a call that was
// made alone and has no other, or an attachment to the results. Of several calls another one may
// have added the text, also where it has a result already.
func (f *floor) event(text string) remit.Event {
	if f.alone && len(f.open) == 1 {
		id := f.open[0]
		f.open = nil
		return remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Call: id, Content: text}}
	}
	return attached("result", text)
}

// people are the names with which a user's message still counts as the user's.
// Frameworks set other agents' names on messages with their words.
var people = []string{"user", "human", "user_proxy", "userproxy"}

// speaker returns the declared speaker of a user's message: its name, which the
// application sets, or a label in the text, which anyone can write and which can
// only lower trust. The name is empty if nothing is declared.
func speaker(message json.RawMessage, text string) (name string, another bool) {
	name = strings.ToLower(strictjson.GetText(message, "name"))
	other := name != "" && !slices.Contains(people, name)
	label := saying().FindStringSubmatch(text)
	return name, other || (label != nil && !slices.Contains(people, strings.ToLower(label[1])))
}

// saying matches the label of another speaker's words.
var saying = pattern.OnUse(`^\s*([\pL\pN_.-]{1,64}) (?:said|says|wrote):[ \t]*\r?\n`)

// attribute returns the events of a turn with their actual speakers.
func (r *reader) attribute(c *conversation, i int, events []remit.Event) []remit.Event {
	var out []remit.Event
	for _, e := range events {
		switch e.Kind {
		case remit.UserEvent:
			out = append(out, r.users(c, i, e)...)
			continue
		case remit.SystemEvent:
			if c.floor.work {
				e = attached("result", e.Text) // an agent has put it there
			}
		}
		if e.Kind == remit.ResultEvent {
			c.floor.noteReturn(e.Result.Call, c.ids)
		}
		out = append(out, e)
	}

	for _, e := range out {
		c.hear(e)
		switch e.Kind {
		case remit.ResultEvent:
			r.p.echoes.remember(r.owner, e.Result.Content, &c.lineage)
		case remit.AttachmentEvent:
			r.p.echoes.remember(r.owner, e.Text, &c.lineage)
		}
	}

	return out
}

// users returns the events of text in the user's turn.
func (r *reader) users(c *conversation, i int, e remit.Event) []remit.Event {
	name, another := speaker(r.req.turns[i], e.Text)
	named := name != "" && len(c.floor.open) == 0
	switch {
	case another:
		r.logLowered(i, "it has the name of another agent")
		return []remit.Event{attached("agent", e.Text)}
	case c.floor.work && !named:
		r.logLowered(i, "it follows calls that the model has said nothing about yet")
		if c.floor.alone && len(c.floor.open) == 1 {
			c.floor.alone = !r.returnsLater(i)
		}
		return []remit.Event{c.floor.event(e.Text)}
	case c.log.isOthers(e.Text):
		return []remit.Event{attached("recorded", e.Text)}
	}

	x := r.p.echoes.divide(r.owner, r.spoken[i+1], e.Text, &c.lineage, func() earlier { return r.earlierThan(i) })
	if len(x.found) > 0 {
		r.logLowered(i, "it has what was passed on before")
	}

	rest, answer, yes := c.answered(x.own)
	c.open, c.held, c.told, r.beside = nil, nil, yes, rest != ""
	var out []remit.Event
	if answer.Delegated != nil { // it was written before the turn beside it
		out = append(out, answer)
	}
	if rest != "" {
		out = append(out, event(remit.UserEvent, rest))
	}
	if answer.Kind == remit.AgreementEvent {
		out = append(out, answer)
	}

	for _, f := range x.found {
		out = append(out, attached("passed on", f))
	}
	return out
}

// returnsLater reports whether a call returns between a turn and the model's next words.
func (r *reader) returnsLater(i int) bool {
	for j := i + 1; j < len(r.req.turns); j++ {
		t := r.turn(j)
		if t.utterance != nil {
			return false
		}
		if slices.ContainsFunc(t.events, func(e remit.Event) bool { return e.Kind == remit.ResultEvent }) {
			return true
		}
	}
	return false
}

// logLowered logs that a user's turn doesn't count as the user's words.
func (r *reader) logLowered(i int, because string) {
	r.p.o.Log.Info("a user's turn is not all the user's words", "dialect", r.d.name(), "turn", i, "because", because)
}

// earlierThan returns the keys of the text before a turn. Turns must be
// requested in order, and each is read once.
func (r *reader) earlierThan(i int) earlier {
	if r.earlier.said == nil {
		r.earlier = earlier{said: map[uint64]bool{}, brought: map[uint64]bool{}}
	}
	for ; r.phrased < i; r.phrased++ {
		said, brought := r.turn(r.phrased).texts()
		for _, text := range said {
			phrases(r.owner, text, r.earlier.said)
		}
		for _, text := range brought {
			phrases(r.owner, text, r.earlier.brought)
		}
	}
	return r.earlier
}

// texts returns the texts of a turn that a user could have read: what the model said, and
// what came from outside.
func (t *turn) texts() (said, brought []string) {
	for _, e := range t.events {
		switch e.Kind {
		case remit.ResultEvent:
			brought = append(brought, e.Result.Content)
		case remit.AttachmentEvent:
			brought = append(brought, e.Text)
		}
	}
	if t.utterance == nil {
		return nil, brought
	}
	said = slices.Concat(t.utterance.text, t.utterance.other)
	for _, k := range t.utterance.calls {
		said = append(said, strictjson.Strings(k.arguments, func(string) bool { return false })...)
	}
	return said, slices.Concat(brought, t.utterance.external)
}

// isOthers reports whether the log attributes a text to another speaker than the
// user: it was recorded with more knowledge of its source.
func (r *recorded) isOthers(text string) bool {
	if r == nil {
		return false
	}
	return slices.ContainsFunc(r.events[r.cursor:], func(e remit.Event) bool {
		return (e.Kind == remit.AttachmentEvent && e.Text == text) || (e.Kind == remit.ResultEvent && e.Result.Content == text)
	})
}

// recall adds to the conversation what the request attributes to the model from a turn on; a live
// conversation already knows the calls of its last answer.
func (r *reader) recall(c *conversation, i int, s *utterance, live bool) (told *utterance, genuine bool) {
	genuine = r.genuine(i, s)
	hidden := r.hiddenCalls(i, s, genuine)
	switch {
	case live && hidden != nil:
		return s, genuine
	case hidden != nil:
		more := *s
		more.calls = hidden
		s = &more
		c.floor = newFloor(hidden)
	case !genuine && len(s.calls) == 0 && r.writesCall(words(s.text)):
		c.floor = floor{work: true}
	default:
		c.floor = newFloor(s.calls)
	}

	if !genuine {
		for _, text := range slices.Concat(s.text, s.other) {
			r.p.echoes.remember(r.owner, text, &c.lineage)
		}
	}
	return s, genuine
}

// codeFence is how models mark code.
const codeFence = "```"

// echo records what goes out.
func (x *exchange) echo(shown *utterance) {
	x.c.floor = newFloor(shown.calls)
	if len(shown.calls) > 0 {
		x.p.echoes.noteCalls(x.spoken, shown.calls)
	} else {
		x.p.echoes.noteAnswer(x.owner, words(shown.text))
	}
	if len(x.req.tools) == 0 && strings.Contains(words(shown.text), codeFence) {
		x.p.o.Log.Info("an answer has code, and its request no tools: nobody decides what a program would run of it", "dialect", x.d.name())
	}
	if !x.c.outside && !x.c.transcript() {
		return
	}
	for _, text := range slices.Concat(shown.text, shown.other, shown.external) {
		x.p.echoes.remember(x.owner, text, &x.c.lineage)
	}
	for i := range shown.calls {
		x.p.echoes.rememberCall(x.owner, shown.calls[i].arguments, &x.c.lineage)
	}
}

// hiddenCalls returns the calls that went out at a place where the request has
// none: an agent rewrote them as text or omitted them. If it also omitted
// everything that followed from them, and has the answer to which they led,
// nothing is hidden.
func (r *reader) hiddenCalls(i int, s *utterance, genuine bool) []call {
	if genuine || len(s.calls) > 0 || r.p.echoes.isAnswer(r.owner, words(s.text)) {
		return nil
	}
	return r.p.echoes.callsAt(r.spoken[i])
}

// maxWritten bounds, in bytes, the text searched for written calls: models write
// less at once.
const maxWritten = 1 << 20

// writesCall reports whether a text contains a call of one of the request's tools as agents write
// it: the tool's name before a parenthesis, after "Action:", or in quotes with arguments.
func (r *reader) writesCall(text string) bool {
	text = text[:min(len(text), maxWritten)]
	return slices.ContainsFunc(r.req.tools, func(tool json.RawMessage) bool {
		name := strictjson.GetText(tool, "name")
		if name == "" {
			name = strictjson.GetText(tool, "function", "name")
		}
		return name != "" && writesCallOf(text, name)
	})
}

func writesCallOf(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		before, after := text[:at+i], text[at+i+len(name):]
		at += i + len(name)
		quoted := strings.HasSuffix(before, `"`) || strings.HasSuffix(before, `'`) || strings.HasSuffix(before, "`")
		near := strings.ToLower(after[:min(len(after), 80)])
		switch {
		case strings.HasPrefix(after, "("):
			return true
		case strings.HasSuffix(strings.ToLower(strings.TrimRight(before, " \t`\"'*")), "action:"):
			return true
		case quoted && slices.ContainsFunc([]string{"argument", "param", "input", "args"}, func(w string) bool { return strings.Contains(near, w) }):
			return true
		}
	}
}
