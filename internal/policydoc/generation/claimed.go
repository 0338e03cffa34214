package generation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/label"
)

// claim is something that is said to be so, and the member of a record that tells whether it is.
type claim struct {
	// Part is the part of a rule that takes it as said, or the name of a test; Word what is said.
	Part, Word string
	At         state
}

// claimed returns a test to be allowed in which somebody says how a thing is, as the sentences ask
// for it, and the record says it is otherwise: what is claimed stands alone there.
func (w *work) claimed(e *guard.Example, states []state) (guard.Example, string, bool) {
	if e.Expect != label.Allow {
		return guard.Example{}, "", false
	}

	said, asked := strings.Join(messages(e), "\n"), w.sentences()
	for _, s := range states {
		other, ok := s.other(said + "\n" + asked)
		if !ok {
			continue
		}
		for _, one := range s.inBoth(said, asked) {
			if out, ok := w.with(e, one, other); ok {
				return out, fmt.Sprintf("%s/%s is %q, whatever is said of it", s.Lookup, strings.TrimPrefix(s.Path, "/"), other), true
			}
		}
	}
	return guard.Example{}, "", false
}

// inBoth returns a state for each of its words that two texts have.
func (s state) inBoth(a, b string) []state {
	var out []state
	for _, value := range s.Values {
		one := state{s.Lookup, s.Path, []string{value}}
		_, inA := one.in(a)
		if _, inB := one.in(b); inA && inB {
			out = append(out, one)
		}
	}
	return out
}

// other returns a word of a state that a text doesn't have.
func (s state) other(text string) (string, bool) {
	i := slices.IndexFunc(s.Values, func(value string) bool {
		_, has := state{Values: []string{value}}.in(text)
		return !has
	})
	if i < 0 {
		return "", false
	}
	return s.Values[i], true
}

// with returns a test in which the records of a look-up have another word in the place of a state's;
// false where none has it.
func (w *work) with(e *guard.Example, s state, other string) (guard.Example, bool) {
	l, ok := w.find(s.Lookup)
	if !ok {
		return *e, false
	}
	changed := false
	put := func(raw json.RawMessage) json.RawMessage {
		v, err := decode(raw)
		if err != nil {
			return raw
		}
		v = textsOf(v, "", func(path, value string) string {
			if path != s.Path || value != s.Values[0] {
				return value
			}
			changed = true
			return other
		})
		return json.RawMessage(compact(v))
	}

	out := *e
	out.Given = slices.Clone(e.Given)
	for i := range out.Given {
		if f := &out.Given[i]; l.answers(*f) && f.Result != nil {
			f.Result = put(f.Result)
		}
	}
	if !changed {
		return out, false
	}
	out.History = slices.Clone(e.History)
	for i := range out.History {
		c := out.History[i].Call
		if c == nil || c.Tool != l.Name || c.Result == nil || c.Result.Structured == nil {
			continue
		}
		call, result := *c, *c.Result
		result.Structured = put(result.Structured)
		call.Result, out.History[i].Call = &result, &call
	}
	return out, true
}

// unshown returns the facts that tests to be allowed rest on as somebody says them, although look-ups
// tell them of which no test has a record: the sentences ask for them by a word of theirs. Each has the
// most fitting of these look-ups.
func (w *work) unshown(tests []guard.Example) []claim {
	var out []claim
	known := map[string]bool{} // words that are told of, or that some record tells
	states := w.states(nil)
	for _, s := range states {
		for _, value := range s.Values {
			known[value] = known[value] || w.given(s.Lookup, tests)
		}
	}

	asked := w.sentences()
	for _, s := range states {
		for i := range tests {
			if tests[i].Expect != label.Allow {
				continue
			}
			for _, one := range s.inBoth(strings.Join(messages(&tests[i]), "\n"), asked) {
				if word := one.Values[0]; !known[word] {
					known[word] = true
					out = append(out, claim{tests[i].Name, word, s})
				}
			}
		}
	}
	return out
}

// onClaims returns the parts of a rule that take a fact for true since it is said, although a
// record that tests have tells it: nothing that has to be true with them reads that record.
func (w *work) onClaims(c candidate) []claim {
	states := slices.DeleteFunc(w.states(w.tests.examples), func(s state) bool { return !w.given(s.Lookup, w.tests.examples) })
	r, err := newRuleReader(c)
	if err != nil {
		return nil
	}

	var out []claim
	for _, words := range r.words() {
		told := slices.DeleteFunc(slices.Clone(states), func(s state) bool { _, ok := s.in(words.text); return !ok })
		held := slices.ContainsFunc(told, func(s state) bool {
			return slices.ContainsFunc(words.beside, func(e ast.Expr) bool { return r.reads(e, s.name()) })
		})
		if held || len(told) == 0 {
			continue
		}
		word, _ := told[0].in(words.text)
		out = append(out, claim{words.part, word, told[0]})
	}
	return out
}

// ruleReader reads the expressions of a rule.
type ruleReader struct {
	require   ast.Expr
	variables map[string]ast.Expr
	visits    int
}

// maxVisits bounds how many places of a rule are walked through, its variables' each time that
// they are used, and maxReads how many are searched for members.
const maxVisits, maxReads = 5000, 1 << 20

func newRuleReader(c candidate) (*ruleReader, error) {
	env, err := cel.NewCustomEnv(cel.OptionalTypes(), cel.ClearMacros(), cel.ParserExpressionSizeLimit(guard.MaxExpression))
	if err != nil {
		return nil, err
	}
	r := &ruleReader{variables: map[string]ast.Expr{}}
	for _, v := range c.Variables {
		parsed, issues := env.Parse(v.Value)
		if issues.Err() != nil {
			return nil, issues.Err()
		}
		r.variables[v.Name] = parsed.NativeRep().Expr()
	}
	parsed, issues := env.Parse(c.Require)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	r.require = parsed.NativeRep().Expr()
	return r, nil
}

// spoken is a part of a rule that asks for words, with what has to be true beside it where it is.
type spoken struct {
	part, text string
	beside     []ast.Expr
}

// words returns the parts of a rule that let calls pass for words.
func (r *ruleReader) words() []spoken {
	w := &wordFinder{rule: r}
	w.walk(r.require, nil)
	return w.found
}

// wordFinder walks through a rule, and notes what asks for words.
type wordFinder struct {
	rule   *ruleReader
	visits int
	found  []spoken
}

func (w *wordFinder) walk(e ast.Expr, beside []ast.Expr) {
	if w.visits++; w.visits > maxVisits {
		return
	}
	switch e.Kind() {
	case ast.IdentKind:
		if v, ok := w.rule.variables[e.AsIdent()]; ok {
			w.walk(v, beside)
		}
	case ast.SelectKind:
		w.walk(e.AsSelect().Operand(), beside)
	case ast.ListKind:
		for _, one := range e.AsList().Elements() {
			w.walk(one, beside)
		}
	case ast.CallKind:
		w.call(e, beside)
	}
}

func (w *wordFinder) call(e ast.Expr, beside []ast.Expr) {
	call := e.AsCall()
	if part, text, ok := asksForWords(call); ok {
		w.found = append(w.found, spoken{part, text, beside})
		return
	}

	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalNot: // where words keep a call from passing, they are no claim
	case operators.LogicalAnd:
		all := operands(e, operators.LogicalAnd)
		for i, one := range all {
			w.walk(one, slices.Concat(beside, all[:i], all[i+1:]))
		}
	case operators.Conditional:
		w.walk(args[1], slices.Concat(beside, args[:1]))
		w.walk(args[2], slices.Concat(beside, args[:1]))
	case operators.LogicalOr:
		// In "the record doesn't say so, or the user does" the record has to say so.
		beside = slices.Concat(beside, negated(args))
		fallthrough
	default:
		if call.IsMemberFunction() {
			w.walk(call.Target(), beside)
		}
		for _, one := range args {
			w.walk(one, beside)
		}
	}
}

// negated returns what some expressions say isn't so.
func negated(list []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, e := range list {
		if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.LogicalNot {
			out = append(out, e.AsCall().Args()...)
		}
	}
	return out
}

// askers are the functions that ask for words which say how a thing is.
var askers = []string{"user_said", "says", "judged", "judge", "stated", "contains", "matches", "startsWith", "endsWith"}

// asksForWords returns the words that a call asks the conversation for, if it does.
func asksForWords(call ast.CallExpr) (part, text string, ok bool) {
	name := call.FunctionName()
	if !slices.Contains(askers, name) || len(call.Args()) == 0 || call.Args()[0].Kind() != ast.LiteralKind {
		return "", "", false
	}

	words, isText := call.Args()[0].AsLiteral().(types.String)
	ofResult := call.IsMemberFunction() && within(call.Target(), "result")
	if !isText || ofResult {
		return "", "", false
	}
	return fmt.Sprintf("%s(%q)", name, string(words)), string(words), true
}

// within reports whether an expression is a member of a name, or of a member of it.
func within(e ast.Expr, name string) bool {
	for e.Kind() == ast.SelectKind {
		if e.AsSelect().FieldName() == name {
			return true
		}
		e = e.AsSelect().Operand()
	}
	return false
}

// reads reports whether an expression reads a member of that name. A rule of which too much was
// searched reads all: nobody is asked about it.
func (r *ruleReader) reads(e ast.Expr, member string) bool {
	found := false
	own := map[ast.Expr]bool{} // names of loops, which hide variables of the rule
	var visit func(e ast.Expr)
	visitor := ast.NewExprVisitor(func(e ast.Expr) {
		if found || r.visits > maxReads {
			return
		}

		r.visits++
		switch {
		case e.Kind() == ast.SelectKind:
			found = e.AsSelect().FieldName() == member
		case e.Kind() == ast.LiteralKind: // in r["status"] and r.?status
			text, ok := e.AsLiteral().(types.String)
			found = ok && string(text) == member
		case e.Kind() == ast.CallKind:
			shadow(e.AsCall(), own)
		case e.Kind() == ast.IdentKind:
			if v, ok := r.variables[e.AsIdent()]; ok && !own[e] {
				visit(v)
			}
		}
	})

	visit = func(e ast.Expr) { ast.PreOrderVisit(e, visitor) }
	visit(e)
	return found || r.visits > maxReads
}

// loops are the functions whose first arguments name what the others are about.
var loops = []string{"all", "exists", "exists_one", "existsOne", "map", "filter", "transformList", "transformMap", "transformMapEntry", "bind"}

// shadow notes the names in a call's arguments that its first ones declare.
func shadow(call ast.CallExpr, own map[ast.Expr]bool) {
	args := call.Args()
	if !call.IsMemberFunction() || !slices.Contains(loops, call.FunctionName()) {
		return
	}
	names := map[string]bool{}
	for len(args) > 1 && args[0].Kind() == ast.IdentKind {
		names[args[0].AsIdent()], own[args[0]] = true, true
		args = args[1:]
	}
	if call.FunctionName() == "bind" && len(args) > 1 {
		args = args[1:] // what the name stands for doesn't know it
	}

	hidden := ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.IdentKind && names[e.AsIdent()] {
			own[e] = true
		}
	})
	for _, a := range args {
		ast.PreOrderVisit(a, hidden)
	}
}

// ofTime finds words that speak of days and hours. Sentences without any don't go by the time.
var ofTime = pattern.OnUse(`(?i)\b(hours?|days?|dates?|weeks?|months?|years?|minutes?|times?|before|after|until|since|within|by|due|overdue|expir\w*|late|later|early|earlier|today|tomorrow|yesterday|past|future|now|old|age|ago|deadline|departure|upcoming|season|[a-z]+day|stunden?|tage?n?|datum|wochen?|monate?n?|jahre?n?|minuten?|zeit|vor|nach|bis|seit|spätestens|heute|morgen|gestern|frist|abgelaufen|heures?|jours?|semaines?|mois|ans?|années?|avant|après|jusqu|depuis|aujourd|demain|hier|délai|horas?|días?|fecha|semanas?|mes(es)?|años?|minutos?|antes|después|hasta|desde|hoy|mañana|ayer|plazo)\b|\d\s*h\b`)

// planned returns the members that tell states where a rule goes by the time and the sentences
// don't: a day that is past shows only what was planned.
func (w *work) planned(rule *guard.Guard) []state {
	if !rule.Reads(rule.File.Policies[0].Name).Now || ofTime().MatchString(w.sentences()) {
		return nil
	}
	return slices.DeleteFunc(w.states(w.tests.examples), func(s state) bool { return !isStatus(s.name()) || !w.given(s.Lookup, w.tests.examples) })
}

// statuses are the names of members that say what became of a thing.
var statuses = pattern.OnUse(`(?i)(^|_)(status|state|phase|stage|progress)(_|$)|[a-z](Status|State)$`)

func isStatus(name string) bool { return statuses().MatchString(name) }

// maxClaims bounds the facts that an author of tests is asked the records of.
const maxClaims = 3

// unfounded asks for the records that tell what tests only say, or leave to the time, and says which
// states of records are made up, once. It reports whether there are such.
func (w *work) unfounded(tests []guard.Example, m *maker) bool {
	unseen := w.unseen(tests)
	for _, u := range unseen[:min(len(unseen), maxClaims)] {
		m.fail("/tests", "%q: no result shows the state %q, no definition lists it, and the document doesn't say that the field has it: %s. What no state tells shows in what is said, where no record says otherwise: give the tests so. Leave it only where the look-up surely returns it", u.Test, u.Value, u.At)
	}
	if len(unseen) > 0 {
		return true
	}

	claims := w.unshown(tests)
	for _, c := range claims[:min(len(claims), maxClaims)] {
		m.fail("/tests", "%q: that it is %q is only said, and %s: give its record wherever the policy hangs on this, and a test in which it is said and the record says otherwise. Where the policy doesn't hang on it, leave the tests as they are", c.Part, c.Word, c.At)
	}
	if len(claims) > 0 || ofTime().MatchString(w.sentences()) {
		return len(claims) > 0
	}

	byTime := slices.ContainsFunc(tests, func(e guard.Example) bool { return !e.Now.IsZero() })
	open := slices.DeleteFunc(w.states(nil), func(s state) bool { return !isStatus(s.name()) || w.given(s.Lookup, tests) })
	if !byTime || len(open) == 0 {
		return false
	}
	m.fail("/tests", "the sentences name no day and no hour, and a day that is past shows only what was planned: %s. Give its record where the policy hangs on what happened, with days before and after now; leave the tests as they are where it doesn't", open[0])
	return true
}
