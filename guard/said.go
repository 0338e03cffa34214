package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/internal/strictjson"
)

// AgreedQuestion is what the judge is asked where words don't settle session.agreed().
const AgreedQuestion = "Did the user's latest words clearly agree to what the assistant proposed to do last?"

// The functions of what was said, and the others whose answers depend on the call.
const (
	agreedFunction   = "agreed"
	listedFunction   = "listed"
	statedFunction   = "stated"
	toldFunction     = "told"
	completeFunction = "complete"
	answeredFunction = "answered"
	judgedFunction   = "judged"
	judgeFunction    = "judge"
	labelFunction    = "label"
)

// saidFunctions are the functions whose answer may be that the words don't settle it.
var saidFunctions = []string{agreedFunction, listedFunction, statedFunction, toldFunction, completeFunction, answeredFunction, judgedFunction}

// said declares the notions of what was said.
func (l sessionLibrary) said() []cel.EnvOption {
	value := func(name, overload, docs string, examples ...string) cel.EnvOption {
		return cel.Function(name, cel.FunctionDocs(docs),
			cel.MemberOverload(overload, []*cel.Type{l.session.Type, cel.DynType}, cel.BoolType, cel.LateFunctionBinding(), cel.OverloadExamples(examples...)))
	}

	assertion := func(name, docs string, examples ...string) cel.EnvOption {
		overload := func(kind string, of *cel.Type, examples ...string) cel.FunctionOpt {
			return cel.MemberOverload("session_"+name+"_"+kind, []*cel.Type{l.session.Type, of}, cel.BoolType, cel.LateFunctionBinding(), cel.OverloadExamples(examples...))
		}
		return cel.Function(name, cel.FunctionDocs(docs), overload("string", cel.StringType, examples[0]), overload("list", cel.ListType(cel.StringType), examples[1:]...))
	}

	return []cel.EnvOption{
		cel.Function(agreedFunction,
			cel.FunctionDocs("whether the user's latest words agree to what the agent proposed last"),
			cel.MemberOverload("session_agreed", []*cel.Type{l.session.Type}, cel.BoolType, cel.LateFunctionBinding(),
				cel.OverloadExamples(`session.agreed()`))),
		value(listedFunction, "session_listed_dyn",
			"whether the agent named a value, each of a list, in what the user answered: by itself, or by what the looked-up record of an id says",
			`session.listed(args.id)`),
		value(statedFunction, "session_stated_dyn",
			"the same for what the user named, or agreed to when the agent named it",
			`session.stated(args.id)`),
		assertion(toldFunction, "whether the agent told, asked or reminded the user of something before they answered",
			`session.told("an order can be changed only once")`, `session.told(["an order can be changed only once", "no second change is possible"]) // in one of several wordings`),
		assertion(completeFunction, "whether the user said that nothing is missing, or agreed when the agent asked",
			`session.complete("these are all the items to be exchanged")`),
		assertion(answeredFunction, "whether the user gave what the agent asked for and no argument has, or a reason by themselves",
			`session.answered("the reason for the cancellation")`, `session.answered(["the reason for the cancellation", "why do you want to cancel"])`),
		cel.Function(judgedFunction,
			cel.FunctionDocs("what words can't settle: the judge says whether it is so, by the words of the user, of the assistant, or of both; without a judge, the call is asked about"),
			cel.MemberOverload("session_judged_string", []*cel.Type{l.session.Type, cel.StringType}, cel.BoolType, cel.LateFunctionBinding(),
				cel.OverloadExamples(`session.user_said("because") || session.judged("Did the user say why they return the item?")`)),
			cel.MemberOverload("session_judged_string_string", []*cel.Type{l.session.Type, cel.StringType, cel.StringType}, cel.BoolType, cel.LateFunctionBinding(),
				cel.OverloadExamples(`session.judged("Did the assistant ask for the reason?", "assistant")`))),
	}
}

// statement is what a rule asks of something that is said in whatever words.
type statement struct {
	function        string
	by              func(*dialogue, string) reply.Answer
	speaker         EntryKind
	about, question string
}

var (
	toldStatement = statement{toldFunction, (*dialogue).told, AssistantEntry, "whether the agent told the user: %s",
		"Did the assistant tell the user this, ask them about it, or remind them of it, in whatever words: %s?"}
	completeStatement = statement{completeFunction, (*dialogue).complete, UserEntry, "whether the user said: %s",
		"Did the user say this, or agree to it, in whatever words: %s?"}
	answeredStatement = statement{answeredFunction, (*dialogue).answered, UserEntry, "whether the user gave: %s",
		"Did the user give this for the call, in whatever words: %s?"}
)

// asserted is session.told(), session.complete() and session.answered(): a statement, in one of several wordings.
func (x *view) asserted(s *statement, wording ref.Val) ref.Val {
	var wordings []string
	for _, l := range leavesOf(wording, nil) {
		if l.err != nil {
			return types.WrapErr(l.err)
		}
		wordings = append(wordings, l.text)
	}
	if len(wordings) == 0 || len(wordings) > maxWordings {
		return types.NewErr("session.%s takes one statement, in %d wordings at most", s.function, maxWordings)
	}

	refused := 0
	for _, w := range wordings {
		switch s.by(x.talk(), w) {
		case reply.Agreed:
			return types.True
		case reply.Refused:
			refused++
		}
	}
	if refused == len(wordings) {
		return types.False
	}
	what := wordings[0]
	return x.unsettled(cut(fmt.Sprintf(s.question, what), maxQuestion), s.speaker, fmt.Sprintf(s.about, cut(what, MaxShown)))
}

// maxWordings bounds the wordings of one statement.
const maxWordings = 8

// told reports whether the agent told the user something before they said anything more.
// That it used other words shows nothing, unless they are surely of something else.
func (d *dialogue) told(statement string) reply.Answer {
	var spoken []string
	for i := len(d.exchanges) - 1; i >= 0; i-- {
		e := &d.exchanges[i]
		if e.memo.tells(e.question, statement) {
			return reply.Agreed
		}
		if e.question != "" {
			spoken = append(spoken, e.question)
		}
	}
	silent := len(spoken) == 0 || reply.PassesOver(spoken, statement)
	if d.heard && silent {
		return reply.Refused
	}
	return reply.Unclear
}

// complete reports whether the user made clear that nothing is missing: they said so with what
// they want or in answer, or agreed when the agent asked. An answer that passes the question over
// leaves it to the agreement that follows.
func (d *dialogue) complete(statement string) reply.Answer {
	var spoken []string
	for i := len(d.exchanges) - 1; i >= 0; i-- {
		e := &d.exchanges[i]
		spoken = append(spoken, e.question, e.reply)
		latest := i == len(d.exchanges)-1
		asked := e.memo.tells(e.question, statement)
		if e.memo.closes(e.reply, statement) && (asked || latest || d.namesArgument(e)) {
			return reply.Agreed
		}
		if !asked {
			continue
		}

		r := e.reading()
		passedOver := !latest && (r.Answer == reply.Unclear || r.Asks)
		if r.Answer == reply.Agreed || (passedOver && d.agreed() == reply.Agreed) {
			return reply.Agreed
		}
		return reply.Unclear
	}

	if d.heard && reply.PassesOver(spoken, statement) {
		return reply.Refused
	}
	return reply.Unclear
}

// answered reports whether the user gave what the agent asked for, or a reason by themselves. What
// came before a call of the same tool was given for that one, unless it names an argument of this.
func (d *dialogue) answered(statement string) reply.Answer {
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
	var none *mention.Records
	return slices.ContainsFunc(d.used(), func(value string) bool {
		return len(value) >= least && none.Names(e.replyText(), value) == mention.Named
	})
}

// judged is session.judged().
func (x *view) judged(args []ref.Val) ref.Val {
	question, ok := args[0].(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	speaker := EntryKind("")
	if len(args) > 1 {
		who, ok := args[1].(types.String)
		if !ok || !isSpeaker(EntryKind(who)) {
			return x.fail(errNoSpeaker)
		}
		speaker = EntryKind(who)
	}
	return x.unsettled(cut(string(question), maxQuestion), speaker, cut(string(question), MaxShown))
}

// exchange is what the agent said up to a turn of the user's, and that turn.
type exchange struct {
	question, reply string
	memo            *memo
	spent           bool // the tool that is called was called after it
	at              int  // the entry with which the turn begins
}

func (e *exchange) reading() reply.Reading     { return e.memo.reading(e.question, e.reply) }
func (e *exchange) questionText() mention.Text { return e.memo.text(e.question) }
func (e *exchange) replyText() mention.Text    { return e.memo.text(e.reply) }

// dialogue is a session as a talk of user and agent.
type dialogue struct {
	exchanges []exchange
	// after is what the agent said since.
	after string
	// heard reports whether the agent's words are known here: it said something, or the user
	// spoke but once.
	heard bool
	// used returns the texts of the call's arguments, and elements the things in their lists that
	// an agent sums up.
	used     func() []string
	elements func() []element
	// passages are the pairs in them of which one takes the other's place.
	passages func() []passage
	// arguments are the texts of the call's arguments by their names, and given those of the
	// calls before it.
	arguments, given func() []given
	// before and all are the results that were looked up: by the agent, and by the
	// rules of this decision as well. They are made when first searched.
	before, all *mention.Records
	results     []*Result
	tools       []string
}

// maxSpoken bounds the exchanges that are searched, the newest.
const maxSpoken = 64

// talk returns the dialogue of the session.
func (x *evaluation) talk() *dialogue {
	if x.dialogue != nil {
		return x.dialogue
	}

	d := &dialogue{}
	turns, spent, spoke, inReply, begun := 0, 0, false, false, 0
	var question, answer []string
	end := func() {
		if len(answer) > 0 {
			d.exchanges = append(d.exchanges, exchange{question: strings.Join(question, "\n"), reply: strings.Join(answer, "\n"), memo: x.memo, at: begun})
			question, answer = nil, nil
		}
	}
	for i, e := range x.request.History.Entries {
		switch e.Kind {
		case AssistantEntry:
			if spoke = true; inReply {
				end()
			}
			question, inReply = append(question, e.Text), false
		case UserEntry:
			turns++
			if len(answer) == 0 {
				begun = i
			}
			answer, inReply = append(answer, e.Text), true
		case CallEntry:
			if x.isCalled(e.Call) {
				spent = len(d.exchanges) + min(1, len(answer))
			}
		}
	}
	end()
	d.after = strings.Join(append(question, x.request.Beside), "\n")
	for i := range d.exchanges[:spent] {
		d.exchanges[i].spent = true
	}

	d.heard = spoke || turns == 1
	d.exchanges = d.exchanges[max(0, len(d.exchanges)-maxSpoken):]
	d.arguments = sync.OnceValue(func() []given { return textsOf(x.request.Arguments) })
	d.used = sync.OnceValue(func() []string { return valuesOf(d.arguments()) })
	d.given = sync.OnceValue(x.givenBefore)
	d.passages = sync.OnceValue(func() []passage { return passagesOf(x.request.Arguments) })
	d.elements = sync.OnceValue(func() []element { return elementsOf(x.request.Arguments) })
	x.dialogue = d
	return d
}

// isCalled reports whether a call is one of the tool that is called.
func (x *evaluation) isCalled(c *Call) bool {
	return c.Tool == x.request.Tool && (c.Server == "" || c.Server == x.request.Server)
}

// argumentLeaves returns the leaves of a call's arguments; none of those that can't be read.
func argumentLeaves(arguments json.RawMessage) []strictjson.Leaf {
	doc, err := strictjson.Parse(arguments, strictjson.DefaultLimits())
	if err != nil {
		return nil
	}
	return doc.Leaves()
}

// textsOf returns the texts in the arguments of a call with the name under which each stands, up to
// [maxSpoken].
func textsOf(arguments json.RawMessage) []given {
	var out []given
	for _, l := range argumentLeaves(arguments) {
		if l.Kind == strictjson.String && len(out) < maxSpoken {
			member, _, _ := strings.Cut(strings.TrimPrefix(l.Pointer, "/"), "/")
			out = append(out, given{member, l.Text})
		}
	}
	return out
}

func valuesOf(all []given) []string {
	var out []string
	for _, g := range all {
		out = append(out, g.text)
	}
	return out
}

// hasAgreed is session.agreed().
func (x *view) hasAgreed() ref.Val {
	answer, at := x.talk().agreement()
	switch answer {
	case reply.Agreed:
		return x.covered(at)
	case reply.Refused:
		return types.False
	}
	return x.unsettled(AgreedQuestion, UserEntry, "whether the user agreed")
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
		case r.Idle && i > 0 && !strings.ContainsAny(e.question, "?？"):
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

// notion is what a rule asks of a value: was it listed, was it stated.
type notion struct {
	by func(*dialogue, *mention.Records, string) reply.Answer
	// wholly is set where a list was not listed when nothing in it was named, if the records of
	// all its values are known: then it isn't a matter of words.
	wholly bool
	// described is set where what the user told by themselves of a thing counts.
	described       bool
	speaker         EntryKind
	about, question string
}

var (
	listedNotion = notion{(*dialogue).listed, true, true, AssistantEntry, "whether the agent named %q in what the user answered",
		"Did the assistant, in what the user's latest words answer, name this as part of what it would do: %s?"}
	statedNotion = notion{(*dialogue).stated, false, false, UserEntry, "whether the user named %q",
		"Did the user ask for this, or agree to it when the assistant named it: %s?"}
)

// said returns a notion of a value, or of all that are in it.
func (x *view) said(n notion, v ref.Val) ref.Val {
	var open []leaf
	leaves := leavesOf(v, nil)
	for _, l := range leaves {
		if l.err != nil {
			return types.WrapErr(l.err)
		}
		answer, known := x.named(x.talk(), n, l.text)
		switch {
		case !known:
			return types.NewUnknown(0, nil)
		case answer == reply.Refused:
			return types.False
		case answer == reply.Unclear:
			open = append(open, l)
		}
	}

	records := x.lookedAll()
	if n.described {
		open = slices.DeleteFunc(open, func(l leaf) bool { return x.talk().summedUp(records, leaves, l) })
	}
	if len(open) == 0 {
		return types.True
	}
	if slices.ContainsFunc(open, func(l leaf) bool {
		return x.talk().unspoken(records, l.text) || (!n.wholly && x.talk().saidAnother(records, l.text))
	}) {
		return types.False
	}

	none := n.wholly && len(open) == len(leaves) && len(open) > 1
	if none && !slices.ContainsFunc(open, func(l leaf) bool { return !records.Know(l.text) }) && x.talk().heard {
		return types.False
	}
	out := ref.Val(types.True)
	for _, l := range open {
		question := cut(fmt.Sprintf(n.question, records.Describe(l.text)), maxQuestion)
		switch got := x.unsettled(question, n.speaker, fmt.Sprintf(n.about, cut(l.text, MaxShown))); {
		case got == types.False:
			return got
		case got != types.True && !types.IsUnknown(out):
			out = got
		}
	}
	return out
}

// named decides a notion of a value by the records that the agent looked up, then by
// those of the decision as well. It is not known yet while the rules look things up.
func (x *view) named(d *dialogue, n notion, value string) (answer reply.Answer, known bool) {
	if answer = n.by(d, x.looked(), value); answer == reply.Agreed {
		return answer, true
	}
	if !x.complete && !x.closed {
		return answer, false
	}
	return n.by(d, x.lookedAll(), value), true
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

		refused = refused || takenBack(e.memo.clausesOf(own), records, value)
		if e.question == "" || records.Names(e.questionText(), value) != mention.Named {
			continue
		}
		r := e.reading()
		switch {
		case r.Answer == reply.Agreed && d.turnsRound(e.question, records, value):
			return reply.Refused
		case r.Answer == reply.Agreed && refused:
			return reply.Unclear
		case r.Answer == reply.Agreed:
			return reply.Agreed
		}
		refused = refused || (r.Answer == reply.Refused && !r.Asks)
	}
	return reply.Unclear
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
		return d.takesBack(e, records, value)
	case mention.Other:
		return true
	}
	if takenBack(e.memo.clausesOf(e.reply), records, value) {
		return true
	}
	onlyPart := said.Narrows() && !e.questionText().Narrows() // and doesn't answer "Is this the only one?"
	return onlyPart || said.OtherNumber(value)
}

// leavesOut reports whether the last of the clauses that names a value negates, or leaves it out: "The
// Visa. No, not the Visa." What is left out is left to the judge. The clauses come the last first; where
// some have the value itself, others don't count, that say something of it.
func (d *dialogue) leavesOut(clauses []clause, records *mention.Records, value string) bool {
	for _, by := range [...]*mention.Records{nil, records} {
		for _, c := range clauses {
			if by.Names(c.text, value) == mention.Named {
				return c.leavesOut(append(slices.Clone(d.used()), value))
			}
		}
	}
	return false
}

// takenBack reports whether a clause takes back what was said, behind the last one that names a value. The
// clauses come the last first.
func takenBack(clauses []clause, records *mention.Records, value string) bool {
	for _, c := range clauses {
		if c.takesBack() {
			return true
		}
		if records.Names(c.text, value) == mention.Named {
			return false
		}
	}
	return false
}

// leavesOut reports whether a clause negates or leaves out, by other words than those of the call: a
// reason may be "no longer needed".
func (c clause) leavesOut(values []string) bool {
	rest := mention.Without(c.raw, values)
	return reply.Negates(rest) || reply.IsUnread(rest) || mention.NewText(rest).Spares()
}

// looked returns the results of the session's calls.
func (x *evaluation) looked() *mention.Records {
	d := x.talk()
	if d.before == nil {
		room := MaxResult
		for _, e := range slices.Backward(x.request.History.Entries) {
			if e.Kind != CallEntry || e.Call.Result == nil {
				continue
			}
			if room -= len(content(e.Call.Result)); room < 0 {
				break
			}
			d.results, d.tools = append(d.results, e.Call.Result), append(d.tools, e.Call.Tool)
		}
		d.before = x.memo.records(d.results, d.tools)
	}
	return d.before
}

// lookedAll returns the results of the session's calls and of the decision's look-ups.
func (x *evaluation) lookedAll() *mention.Records {
	if !x.closed && !x.complete {
		return x.looked()
	}
	d := x.talk()
	if d.all == nil {
		x.looked()
		results, tools := slices.Clone(d.results), slices.Clone(d.tools)
		for _, q := range x.ordered {
			if q.lookup != nil && q.err == nil && q.lookup.Result != nil {
				results, tools = append(results, q.given), append(tools, q.lookup.Tool)
			}
		}
		d.all = x.memo.records(results, tools)
	}
	return d.all
}

func content(r *Result) []byte {
	if len(r.Structured) > 0 {
		return r.Structured
	}
	return []byte(r.Content)
}

// errUnclear is what the words don't settle.
var errUnclear = errors.New("the conversation doesn't settle it")

// unsettled asks the judge what words don't settle. Without an answer it is unclear.
func (x *evaluation) unsettled(question string, speaker EntryKind, what string) ref.Val {
	v, err := x.inquiry("judge\x00"+string(speaker)+"\x00"+question, func() *inquiry {
		return &inquiry{judgment: &Judgment{Question: question, Speaker: speaker}, notion: true}
	})
	if err == nil {
		return v
	}
	return x.unclear(what)
}

// unclear notes what of a rule is unclear. While the rule is tried as if all of it were
// as the call needs it, it is true.
func (x *evaluation) unclear(what string) ref.Val {
	if x.assuming {
		return types.True
	}
	if !slices.Contains(x.unsettledParts, what) {
		x.unsettledParts = append(x.unsettledParts, what)
	}
	return types.WrapErr(errUnclear)
}
