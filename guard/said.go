package guard

import (
	"errors"
	"fmt"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/reply"
)

// agreedQuestion is what the judge is asked where words don't settle session.agreed().
const agreedQuestion = "Did the user's latest words clearly agree to what the assistant proposed to do last?"

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
	by              func(*dialogue, *mention.Records, string) reply.Answer
	ofThings        bool // the user may say it of the call's things: "only the watch"
	speaker         EntryKind
	about, question string
}

var (
	toldStatement = statement{toldFunction, (*dialogue).told, false, AssistantEntry, "whether the agent told the user: %s",
		"Did the assistant tell the user this, ask them about it, or remind them of it, in whatever words: %s?"}
	completeStatement = statement{completeFunction, (*dialogue).complete, true, UserEntry, "whether the user said: %s",
		"Did the user say this, or agree to it, in whatever words: %s?"}
	answeredStatement = statement{answeredFunction, (*dialogue).answered, false, UserEntry, "whether the user gave: %s",
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
		answer, known := x.says(s, w)
		switch {
		case !known:
			return types.NewUnknown(0, nil)
		case answer == reply.Agreed:
			return types.True
		case answer == reply.Refused:
			refused++
		}
	}
	if refused == len(wordings) {
		return types.False
	}
	what := wordings[0]
	return x.unsettled(cut(fmt.Sprintf(s.question, what), maxQuestion), s.speaker, fmt.Sprintf(s.about, cut(what, MaxShown)))
}

// says decides a statement by the records that the agent looked up, then by those of the decision as
// well, where the user's words may name a thing of the call.
func (x *view) says(s *statement, wording string) (answer reply.Answer, known bool) {
	d := x.talk()
	answer = d.ask(s.function, s.by, x.looked(), wording)
	if answer == reply.Agreed || !s.ofThings || !d.narrowsAnywhere() {
		return answer, true
	}
	if !x.complete && !x.closed {
		return answer, false
	}
	return d.ask(s.function, s.by, x.lookedAll(), wording), true
}

// maxWordings bounds the wordings of one statement.
const maxWordings = 8

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

// hasAgreed is session.agreed().
func (x *view) hasAgreed() ref.Val {
	answer, at := x.talk().agreement()
	switch answer {
	case reply.Agreed:
		return x.covered(at)
	case reply.Refused:
		return types.False
	}
	return x.unsettled(agreedQuestion, UserEntry, "whether the user agreed")
}

// notion is what a rule asks of a value: was it listed, was it stated.
type notion struct {
	function string
	by       func(*dialogue, *mention.Records, string) reply.Answer
	// wholly is set where a list was not listed when nothing in it was named, if the records of
	// all its values are known: then it isn't a matter of words.
	wholly bool
	// described is set where what the user told by themselves of a thing counts.
	described       bool
	speaker         EntryKind
	about, question string
}

var (
	listedNotion = notion{listedFunction, (*dialogue).listed, true, true, AssistantEntry, "whether the agent named %q in what the user answered",
		"Did the assistant, in what the user's latest words answer, name this as part of what it would do: %s?"}
	statedNotion = notion{statedFunction, (*dialogue).stated, false, false, UserEntry, "whether the user named %q",
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
		if l.text == "" {
			if n.described {
				continue // there is nothing to name
			}
			return types.False
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
	if answer = d.ask(n.function, n.by, x.looked(), value); answer == reply.Agreed {
		return answer, true
	}
	if !x.complete && !x.closed {
		return answer, false
	}
	return d.ask(n.function, n.by, x.lookedAll(), value), true
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
