package guard

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictjson"
)

// sessionTypes are the CEL types of a session and its parts.
type sessionTypes struct {
	session, principal, message, call, label *record.Shape
}

// searchCost is the cost of a search for a label or for words.
const searchCost = 50

func declareSession(t *record.Types) sessionTypes {
	s := sessionTypes{
		principal: t.Declare("remit.Principal", record.Field{Name: "id", Type: cel.StringType}, record.Field{Name: "groups", Type: cel.ListType(cel.StringType)},
			record.Field{Name: "attributes", Type: cel.MapType(cel.StringType, cel.StringType)}),
		message: t.Declare("remit.Message", record.Field{Name: "role", Type: cel.StringType}, record.Field{Name: "text", Type: cel.StringType},
			record.Field{Name: "time", Type: cel.TimestampType}, record.Field{Name: "index", Type: cel.IntType}),
		call: t.Declare("remit.Call", record.Field{Name: "tool", Type: cel.StringType}, record.Field{Name: "server", Type: cel.StringType},
			record.Field{Name: "args", Type: cel.DynType}, record.Field{Name: "result", Type: cel.DynType, Optional: true},
			record.Field{Name: "time", Type: cel.TimestampType}, record.Field{Name: "index", Type: cel.IntType}),
		label: t.Declare("remit.Label", record.Field{Name: "trust", Type: cel.IntType}, record.Field{Name: "origins", Type: cel.ListType(cel.StringType)},
			record.Field{Name: "obligations", Type: cel.ListType(cel.StringType)}),
	}
	s.session = t.Declare("remit.Session", record.Field{Name: "principal", Type: s.principal.Type}, record.Field{Name: "messages", Type: cel.ListType(s.message.Type)})
	return s
}

// library declares the variable session with its functions, and the functions label
// and judge.
func (s sessionTypes) library() cel.EnvOption { return cel.Lib(sessionLibrary{s}) }

type sessionLibrary struct{ sessionTypes }

// CompileOptions implements [cel.Library].
func (l sessionLibrary) CompileOptions() []cel.EnvOption {
	calls := cel.ListType(l.call.Type)

	return append(l.said(),
		// A search in a text costs as much as CEL's own functions on texts. A label is
		// searched for among all arguments, and words in all messages of the user.
		cel.CostModel(
			cost.MemberOverload("string_says_string", cost.EvalCost(cost.Scale(cost.Target(), cost.StringTraversalCostFactor))),
			cost.MemberOverload("session_user_said_string", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_agreed", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_listed_dyn", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_stated_dyn", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_told_string", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_told_list", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_complete_string", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_complete_list", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_judged_string", cost.EvalCost(cost.Const(searchCost))),
			cost.MemberOverload("session_judged_string_string", cost.EvalCost(cost.Const(searchCost))),
			cost.Overload("label_dyn", cost.EvalCost(cost.Const(searchCost))),
		),
		cel.Variable(sessionVariable, l.session.Type),
		cel.Constant("origin.system", cel.StringType, types.String("system")),
		cel.Constant("origin.user", cel.StringType, types.String("user")),
		cel.Constant("origin.config", cel.StringType, types.String("config")),
		cel.Constant("origin.model", cel.StringType, types.String("model")),
		cel.Constant("origin.unknown", cel.StringType, types.String("unknown")),
		cel.Function("calls",
			cel.FunctionDocs("the calls that were allowed before, in order; of one tool, or of all"),
			cel.MemberOverload("session_calls", []*cel.Type{l.session.Type}, calls,
				cel.OverloadExamples(`session.calls().all(c, has(c.result)) // every call has returned`),
				cel.UnaryBinding(func(v ref.Val) ref.Val { return v.(*sessionValue).calls("") })),
			cel.MemberOverload("session_calls_string", []*cel.Type{l.session.Type, cel.StringType}, calls,
				cel.OverloadExamples(`session.calls("get_item").exists(c, c.args.?id.orValue("") == args.id)`),
				cel.BinaryBinding(func(v, tool ref.Val) ref.Val { return v.(*sessionValue).calls(string(tool.(types.String))) }))),
		cel.Function("denied",
			cel.FunctionDocs("the calls that were denied or held back before, in order; they have no result"),
			cel.MemberOverload("session_denied", []*cel.Type{l.session.Type}, calls,
				cel.OverloadExamples(`session.denied().size() < 3`),
				cel.UnaryBinding(func(v ref.Val) ref.Val { return v.(*sessionValue).denied() }))),
		cel.Function("together",
			cel.FunctionDocs("the calls that the agent makes together with this one: those before it whose results it hasn't waited for"),
			cel.MemberOverload("session_together", []*cel.Type{l.session.Type}, calls,
				cel.OverloadExamples(`session.together().size() == 0 // one call at a time`),
				cel.UnaryBinding(func(v ref.Val) ref.Val { return v.(*sessionValue).together() }))),
		cel.Function("beside",
			cel.FunctionDocs("what the agent says to the user in the same message as this call; \"\" for nothing"),
			cel.MemberOverload("session_beside", []*cel.Type{l.session.Type}, cel.StringType,
				cel.OverloadExamples(`session.beside() == ""`),
				cel.UnaryBinding(func(v ref.Val) ref.Val { return v.(*sessionValue).beside() }))),
		cel.Function("user_said",
			cel.FunctionDocs("whether one message of the user has the words, as text.says(words) has it"),
			cel.MemberOverload("session_user_said_string", []*cel.Type{l.session.Type, cel.StringType}, cel.BoolType,
				cel.OverloadExamples(`session.user_said(args.id)`),
				cel.BinaryBinding(func(v, words ref.Val) ref.Val { return v.(*sessionValue).userSaid(string(words.(types.String))) }))),
		cel.Function("says",
			cel.FunctionDocs("whether a text has the words, whole, one after the other, in any case; only signs may stand between them"),
			cel.MemberOverload("string_says_string", []*cel.Type{cel.StringType, cel.StringType}, cel.BoolType,
				cel.OverloadExamples(`"Yes, please!".says("yes please") // true`, `"yesterday".says("yes") // false`),
				cel.BinaryBinding(func(text, words ref.Val) ref.Val {
					return types.Bool(says(string(text.(types.String)), string(words.(types.String))))
				}))),
		cel.Function(labelFunction, cel.FunctionDocs("where a value of the arguments came from"),
			cel.Overload("label_dyn", []*cel.Type{cel.DynType}, l.label.Type, cel.LateFunctionBinding(),
				cel.OverloadExamples(`label(args.to).trust >= USER`))),
		cel.Function(judgeFunction, cel.FunctionDocs("what the deployment's judge, a model, answers about the conversation"),
			cel.Overload("judge_string", []*cel.Type{cel.StringType}, cel.BoolType, cel.LateFunctionBinding(),
				cel.OverloadExamples(`judge("Was the order looked up for this return?")`)),
			cel.Overload("judge_string_string", []*cel.Type{cel.StringType, cel.StringType}, cel.BoolType, cel.LateFunctionBinding(),
				cel.OverloadExamples(`judge("Did the user give a reason for the return?", "user")`))),
	)
}

// ProgramOptions implements [cel.Library].
func (sessionLibrary) ProgramOptions() []cel.ProgramOption { return nil }

// sessionValue is a session as a CEL value. Its parts are made when an expression
// first reads them, and shared by all expressions of a decision.
type sessionValue struct {
	types   sessionTypes
	session *History
	memo    *remembered
	// message names the message of the call, and besides is the text in it.
	message, besides string
	present          *Call // that is decided; nil where none is
	messages         ref.Val
	made             []ref.Val          // the calls as values; nil until they are made
	byTool           map[string]ref.Val // the lists of calls that were read so far
	said             map[string]ref.Val
}

// Member implements [record.Record].
func (s *sessionValue) Member(name string) (ref.Val, bool) {
	switch name {
	case "principal":
		return s.principal(), true
	case "messages":
		if s.messages == nil {
			s.messages = s.allMessages()
		}
		return s.messages, true
	}
	return nil, false
}

func (s *sessionValue) principal() ref.Val {
	p := s.session.Principal
	return s.types.principal.New(types.String(p.ID), types.NewStringList(types.DefaultTypeAdapter, p.Groups),
		types.NewStringStringMap(types.DefaultTypeAdapter, p.Attributes))
}

func (s *sessionValue) allMessages() ref.Val {
	vals := []ref.Val{}
	for i, e := range s.session.Entries {
		if e.Call == nil {
			vals = append(vals, s.types.message.New(types.String(e.Kind), types.String(e.Text), types.Timestamp{Time: e.Time}, types.Int(i)))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, vals)
}

// calls returns the calls of a tool, or of every tool if it is empty.
func (s *sessionValue) calls(tool string) ref.Val {
	if list, ok := s.byTool[tool]; ok {
		return list
	}
	if s.made == nil {
		s.made, s.byTool = make([]ref.Val, len(s.session.Entries)), map[string]ref.Val{}
	}

	vals := []ref.Val{}
	for i, e := range s.session.Entries {
		if e.Kind != CallEntry {
			continue
		}
		if tool != "" && e.Call.Tool != tool {
			continue
		}
		if s.made[i] == nil {
			s.made[i] = s.call(i, &s.session.Entries[i])
		}
		vals = append(vals, s.made[i])
	}

	s.byTool[tool] = types.NewRefValList(types.DefaultTypeAdapter, vals)
	return s.byTool[tool]
}

// denied returns the calls that were not allowed.
func (s *sessionValue) denied() ref.Val {
	vals := []ref.Val{}
	for i := range s.session.Entries {
		if e := &s.session.Entries[i]; e.Kind == DeniedEntry {
			vals = append(vals, s.call(i, e))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, vals)
}

// step returns where the agent's present message begins: what it said and called since
// it last heard anything, be it a user, a result, or that a call was denied.
func (s *sessionValue) step() int {
	for i := len(s.session.Entries); i > 0; i-- {
		e := &s.session.Entries[i-1]
		runs := e.Kind == CallEntry && e.Call.Result == nil
		if e.Kind != AssistantEntry && !runs {
			return i
		}
	}
	return 0
}

// isPresent reports whether a call that was held back is the one that is decided now: it
// is decided again once a person has answered.
func (s *sessionValue) isPresent(c *Call) bool {
	p := s.present
	return p != nil && c.Server == p.Server && c.Tool == p.Tool && SameArguments(c.Arguments, p.Arguments)
}

// together returns the calls of the present message. Where messages have names, those that
// were denied or held back are among them: they were made all the same.
func (s *sessionValue) together() ref.Val {
	vals := []ref.Val{}
	from := 0
	if s.message == "" {
		from = s.step()
	}
	for i := from; i < len(s.session.Entries); i++ {
		e := &s.session.Entries[i]
		held := e.Kind == DeniedEntry && s.message != "" && e.Call.Message == s.message
		if held && s.isPresent(e.Call) {
			break // what follows came after it
		}
		if held || (e.Kind == CallEntry && e.Call.Message == s.message) {
			vals = append(vals, s.call(i, e))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, vals)
}

// beside returns the text of the present message.
func (s *sessionValue) beside() ref.Val {
	if s.message != "" {
		return types.String(s.besides)
	}
	var said []string
	for _, e := range s.session.Entries[s.step():] {
		if e.Kind == AssistantEntry {
			said = append(said, e.Text)
		}
	}
	if s.besides != "" {
		said = append(said, s.besides)
	}
	return types.String(strings.Join(said, "\n"))
}

// call returns a call of the history, the one at the place i.
func (s *sessionValue) call(i int, e *Entry) ref.Val {
	return s.memo.call(i, e, func() ref.Val { return s.makeCall(i, e) })
}

func (s *sessionValue) makeCall(i int, e *Entry) ref.Val {
	args, err := record.Anything().Decode(e.Call.Arguments)
	if err != nil {
		args = nil
	}
	var result ref.Val
	if e.Call.Result != nil {
		result, _ = s.memo.value(e.Call.Result, record.Anything())
	}
	return s.types.call.New(types.String(e.Call.Tool), types.String(e.Call.Server), args, result, types.Timestamp{Time: e.Time}, types.Int(i))
}

// userSaid reports whether the user's own messages have the words.
func (s *sessionValue) userSaid(words string) ref.Val {
	if answer, ok := s.said[words]; ok {
		return answer
	}
	if s.said == nil {
		s.said = map[string]ref.Val{}
	}
	s.said[words] = types.Bool(slices.ContainsFunc(s.session.Entries, func(e Entry) bool { return e.Kind == UserEntry && says(e.Text, words) }))
	return s.said[words]
}

// says reports whether a text has the words in order, whole and in any case. Signs
// between the words don't matter.
func says(text, words string) bool {
	want := wordsOf(words)
	if len(want) == 0 {
		return false
	}
	have := wordsOf(text)
	for i := 0; i+len(want) <= len(have); i++ {
		found := true
		for j := range want {
			if have[i+j] != want[j] {
				found = false
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c)
	})
}

// ConvertToNative implements [ref.Val].
func (s *sessionValue) ConvertToNative(reflect.Type) (any, error) {
	return s.session, nil
}

// ConvertToType implements [ref.Val].
func (s *sessionValue) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("a session can't be converted to %s", t.TypeName())
}

// Equal implements [ref.Val].
func (s *sessionValue) Equal(other ref.Val) ref.Val { return types.Bool(other == ref.Val(s)) }

// Type implements [ref.Val].
func (s *sessionValue) Type() ref.Type { return s.types.session.Type }

// Value implements [ref.Val].
func (s *sessionValue) Value() any { return s }

// readResult reads the result of a tool: its structured form, or its text if that is a JSON
// object or list. It returns nil for any other text.
func readResult(r *Result) (*strictjson.Document, error) {
	doc, err := strictjson.Parse(content(r), strictjson.OutputLimits())
	if len(r.Structured) > 0 {
		return doc, err
	}
	if err != nil || (doc.Root().Kind() != strictjson.Object && doc.Root().Kind() != strictjson.Array) {
		return nil, nil
	}
	return doc, nil
}

// decodeResult returns the result of a tool as expressions see it.
func decodeResult(r *Result, shape *record.Shape) (ref.Val, error) {
	doc, err := readResult(r)
	switch {
	case err != nil:
		return nil, err
	case doc != nil:
		return shape.Decode(doc.Canonical())
	case shape.Type != types.DynType && shape.Type != types.StringType:
		return nil, errNoStructure
	}
	return types.String(r.Content), nil
}

// cut shortens a text to at most a number of bytes, at the boundary of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
