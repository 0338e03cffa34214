package planner

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// answerSchema is that of the model's answer. It has lists where a scope has maps, since strict
// endpoints can't hold a model to members of unknown names.
//
//go:embed schema.json
var answerSchema string

// answer is what a model answers.
type answer struct {
	// Reading is what the user wants, in the model's words. Models that write it first
	// find the calls better.
	Reading   string   `json:"reading"`
	Calls     []entry  `json:"calls"`
	Delegates []source `json:"delegates"`
}

// entry is a call of an answer.
type entry struct {
	// Call is the name by which sources mean the entry.
	Call  string          `json:"call"`
	Tool  string          `json:"tool"`
	Times json.RawMessage `json:"times"`
	// Group, If, Unless and OnlyIf are those of conditional calls.
	Group  string     `json:"group"`
	If     []source   `json:"if"`
	Unless []source   `json:"unless"`
	OnlyIf []string   `json:"only_if"`
	Args   []argument `json:"args"`
}

// argument is a constraint of an answer, on an argument or a hole of a template.
type argument struct {
	At        string            `json:"at"`
	Is        []json.RawMessage `json:"is"`
	Date      []string          `json:"date"`
	Any       bool              `json:"any"`
	Absent    bool              `json:"absent"`
	Unchanged bool              `json:"unchanged"`
	From      []source          `json:"from"`
	Except    []source          `json:"except"`
	Kind      string            `json:"kind"`
	Pick      string            `json:"pick"`
	By        string            `json:"by"`
	Computed  []source          `json:"computed"`
	Template  string            `json:"template"`
	Holes     []argument        `json:"holes"`
}

// source is the result of an entry.
type source struct {
	Call string `json:"call"`
	// Field names the member, or several of which the first counts that there is.
	Field texts   `json:"field"`
	Where []match `json:"where"`
	// By is the criterion of what is left out.
	By string `json:"by"`
}

type match struct {
	// Field names the member, or several of which one has to meet the condition.
	Field    texts             `json:"field"`
	Is       []json.RawMessage `json:"is"`
	From     []source          `json:"from"`
	Prefix   string            `json:"prefix"`
	Ends     string            `json:"ends"`
	Contains texts             `json:"contains"`
	Before   string            `json:"before"`
	After    string            `json:"after"`
	Below    json.Number       `json:"below"`
	Above    json.Number       `json:"above"`
}

// texts are one text, or a list.
type texts []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// The form of a scope, as the planner writes it.
type (
	object  = map[string]any
	written struct {
		Calls     []object `json:"calls"`
		Delegates []object `json:"delegates"`
	}
)

// maxExpanded bounds how often a scope repeats the entries that sources name: a scope
// spells them out at every place.
const maxExpanded = 2048

// reader turns an answer into a scope.
type reader struct {
	answer *answer
	shown  *shown
	// left counts down from [maxExpanded].
	left int
	// unheld are the conditions that entries don't hold.
	unheld map[*entry][]clause
}

// reading is an answer that was read.
type reading struct {
	answer *answer
	scope  json.RawMessage
	// mistakes are those of entries. The scope is without the entries that have one.
	mistakes []string
	// unheld are conditions of the user's that entries with an effect don't hold. These wait for
	// a person.
	unheld map[*entry][]clause
}

// read turns an answer into a scope. The error is about an answer of which nothing can be
// used.
func (s *shown) read(raw json.RawMessage) (*reading, error) {
	out := &reading{answer: &answer{}}
	if err := json.Unmarshal(raw, out.answer); err != nil {
		return nil, err
	}
	if err := s.reach(out.answer); err != nil {
		return nil, err
	}

	out.unheld = s.unheld(out.answer)
	r := &reader{answer: out.answer, shown: s, left: maxExpanded, unheld: out.unheld}
	w := written{Calls: []object{}, Delegates: []object{}}
	for i := range out.answer.Calls {
		call, err := r.entry(i)
		if err == nil {
			err = check(written{Calls: []object{call}})
		}
		if err != nil {
			out.mistakes = append(out.mistakes, fmt.Sprintf("/calls/%d: %v", i, err))
			continue
		}
		w.Calls = append(w.Calls, call)
	}
	for i, d := range out.answer.Delegates {
		delegate, err := r.source(d, nil)
		if err == nil {
			err = check(written{Delegates: []object{delegate}})
		}
		if err != nil {
			out.mistakes = append(out.mistakes, fmt.Sprintf("/delegates/%d: %v", i, err))
			continue
		}
		w.Delegates = append(w.Delegates, delegate)
	}

	var err error
	if out.scope, err = strictjson.Encode(w); err != nil {
		return nil, err
	}
	_, refused, err := scope.Parse(out.scope, nil)
	for _, r := range refused { // entries that don't go together
		out.mistakes = append(out.mistakes, r.String())
	}
	return out, err
}

// check returns what [scope.Parse] has against an entry.
func check(w written) error {
	data, err := strictjson.Encode(w)
	if err != nil {
		return err
	}
	_, refused, err := scope.Parse(data, nil)
	if err == nil && len(refused) > 0 {
		return fmt.Errorf("%s", refused[0].Message)
	}
	return err
}

// entry writes an entry of the answer as one of a scope.
func (r *reader) entry(i int) (object, error) {
	e := &r.answer.Calls[i]
	if e.Call != "" && slices.ContainsFunc(r.answer.Calls[:i], func(other entry) bool { return other.Call == e.Call }) {
		return nil, fmt.Errorf("another entry is called %s too: give each a name of its own", clip(e.Call))
	}
	out, err := r.called(e, nil)
	if err != nil {
		return nil, err
	}

	out["times"] = e.Times
	if e.Group != "" {
		out["group"] = e.Group
	}
	for name, sources := range map[string][]source{"if": e.If, "unless": e.Unless} {
		if len(sources) == 0 {
			continue
		}
		if out[name], err = r.sources(sources, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	onlyIf := slices.Clip(e.OnlyIf)
	for _, c := range r.unheld[e] {
		onlyIf = append(onlyIf, c.text)
	}
	if len(onlyIf) > 0 {
		out["only_if"] = onlyIf[:min(len(onlyIf), scope.MaxOnlyIf)]
	}
	return out, nil
}

// called writes the tool and the arguments of an entry. The path has the entries around
// it that take values of its result.
func (r *reader) called(e *entry, path []*entry) (object, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("the sources lead to more than %d calls: take values from fewer", maxExpanded)
	}
	if slices.Contains(path, e) {
		return nil, fmt.Errorf("the entry %s takes values from its own result", clip(e.Call))
	}
	tool, ok := r.shown.tools[e.Tool]
	if !ok {
		return nil, fmt.Errorf("there is no tool %s: write one of the list", clip(e.Tool))
	}

	args := object{}
	for _, a := range e.Args {
		pointer := place(a.At)
		if _, again := args[pointer]; again {
			return nil, fmt.Errorf("%s is there twice: write the alternatives as one list", clip(pointer))
		}
		if !takes(tool, pointer) {
			return nil, fmt.Errorf("the tool %s has no argument %s", clip(e.Tool), clip(pointer))
		}
		c, err := r.constraint(a, append(slices.Clip(path), e))
		if err == nil && decides(tool, pointer) {
			err = r.shown.chosen(a.Is, parameterAt(tool, pointer))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", clip(pointer), err)
		}
		args[pointer] = c
	}
	out := object{"tool": tool.Name, "args": args}
	if tool.Server != "" {
		out["server"] = tool.Server
	}
	return out, nil
}

// takes reports whether a pointer is a place of a tool's input: one that it lists, an
// object or array around one, or a member of one whose members it doesn't list.
func takes(t *scope.Tool, pointer string) bool {
	segments := strings.Split(pointer, "/")
	return slices.ContainsFunc(t.Args, func(p scope.Parameter) bool {
		listed := strings.Split(p.Pointer, "/")
		for i, want := range listed[:min(len(listed), len(segments))] {
			if want != "*" && want != segments[i] {
				return false
			}
		}
		scalar := p.Type != "" && !strings.Contains(p.Type, "object") && !strings.Contains(p.Type, "array")
		return len(segments) <= len(listed) || !scalar
	})
}

// place makes a pointer of an argument's name, as small models write it.
func place(at string) string {
	if strings.HasPrefix(at, "/") {
		return at
	}
	return "/" + at
}

// constraint writes an argument of the answer as a constraint of a scope.
func (r *reader) constraint(a argument, path []*entry) (object, error) {
	switch {
	case a.Any:
		return object{"any": true}, nil
	case a.Absent:
		return object{"absent": true}, nil
	case a.Unchanged:
		return object{"unchanged": true}, nil
	case len(a.Date) > 0:
		return object{"date": a.Date}, nil
	case a.Template != "":
		return r.template(a, path)
	case a.Computed != nil:
		sources, err := r.sources(a.Computed, path)
		return object{"computed": sources, "by": a.By}, err
	case a.From != nil && len(a.Is) == 0:
		return r.from(a, path)
	}

	if len(a.Is) == 0 {
		return nil, fmt.Errorf("is is empty: write the value, or absent")
	}
	for _, v := range a.Is {
		if err := r.shown.stated(v); err != nil {
			return nil, err
		}
	}
	has := func(flag string) bool {
		return slices.ContainsFunc(a.Is, func(v json.RawMessage) bool { return textOf(v) == flag })
	}
	if has("true") && has("false") {
		return nil, fmt.Errorf("is has true and false, which says nothing: write the value that the message decides, or leave the argument out")
	}
	if a.From == nil {
		return object{"is": a.Is}, nil
	}
	out, err := r.from(a, path)
	if err == nil {
		out["is"] = a.Is
	}
	return out, err
}

func (r *reader) from(a argument, path []*entry) (object, error) {
	if len(a.From) == 0 {
		return nil, fmt.Errorf("from is empty: name the entry whose result has the value")
	}
	sources, err := r.sources(a.From, path)
	if err != nil {
		return nil, err
	}
	out := object{"from": sources, "kind": a.Kind, "pick": a.Pick, "by": a.By}
	if len(a.Except) > 0 {
		if out["except"], err = r.sources(a.Except, path); err != nil {
			return nil, fmt.Errorf("except: %w", err)
		}
	}
	return out, nil
}

func (r *reader) template(a argument, path []*entry) (object, error) {
	if err := r.shown.said(a.Template); err != nil {
		return nil, err
	}
	holes := object{}
	for _, h := range a.Holes {
		c, err := r.constraint(h, path)
		if err != nil {
			return nil, fmt.Errorf("hole %s: %w", clip(h.At), err)
		}
		if h.Any {
			// What the agent makes up stays within one name where the text decides
			// something.
			c = object{"computed": []object{}, "by": "as the agent likes"}
		}
		holes[strings.Trim(h.At, "/{}")] = c
	}
	return object{"template": a.Template, "holes": holes}, nil
}

func (r *reader) sources(all []source, path []*entry) ([]object, error) {
	out := make([]object, 0, len(all))
	for _, s := range all {
		o, err := r.source(s, path)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// source writes a source with the call that it names.
func (r *reader) source(s source, path []*entry) (object, error) {
	i := slices.IndexFunc(r.answer.Calls, func(e entry) bool { return e.Call == s.Call })
	if i < 0 || s.Call == "" {
		return nil, fmt.Errorf("no entry is called %s: list the call that the value comes from", clip(s.Call))
	}
	if len(path) > scope.MaxNesting {
		return nil, fmt.Errorf("sources are nested more than %d deep", scope.MaxNesting)
	}
	out, err := r.called(&r.answer.Calls[i], path)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", clip(s.Call), err)
	}
	if len(s.Field) > 0 && s.Field[0] != "" {
		out["field"] = s.Field[0]
	}
	if len(s.Field) > 1 {
		out["or"] = []string(s.Field[1:])
	}
	if s.By != "" {
		out["by"] = s.By
	}

	where, err := r.where(s.Where, path)
	if err != nil {
		return nil, err
	}
	if len(where) > 0 {
		out["where"] = where
	}
	return out, nil
}

// where writes the conditions of a source, those on one field as a list: all of them hold.
func (r *reader) where(all []match, path []*entry) (object, error) {
	on := map[string][]object{}
	for _, m := range all {
		if len(m.Field) == 0 {
			return nil, fmt.Errorf("where: a condition needs a field: write the member that it is on")
		}

		field, or := m.Field[0], []string(m.Field[1:])
		to := object{}
		if len(or) > 0 {
			to["or"] = or
		}
		if err := r.match(m, to, path); err != nil {
			return nil, fmt.Errorf("where %s: %w", clip(field), err)
		}
		if i := slices.IndexFunc(on[field], func(o object) bool { return complements(o, to) }); i >= 0 {
			maps.Copy(on[field][i], to)
		} else {
			on[field] = append(on[field], to)
		}
	}

	out := object{}
	for field, conditions := range on {
		if out[field] = conditions; len(conditions) == 1 {
			out[field] = conditions[0]
		}
	}
	return out, nil
}

// complements reports whether two conditions on one field are on the same others as well, and say
// different things, so that they are one: after one day and before another.
func complements(a, b object) bool {
	for name := range b {
		if _, both := a[name]; both && name != "or" {
			return false
		}
	}
	aOr, _ := a["or"].([]string)
	bOr, _ := b["or"].([]string)
	_, joins := a["from"]
	_, joined := b["from"]
	return !joins && !joined && slices.Equal(aOr, bOr)
}

// match adds a condition on a field to those that it has.
func (r *reader) match(m match, to object, path []*entry) error {
	if m.From != nil {
		sources, err := r.sources(m.From, path)
		if err != nil {
			return err
		}
		to["from"] = sources
	}
	for _, v := range m.Is {
		if err := r.shown.stated(v); err != nil {
			return err
		}
	}
	if len(m.Is) > 0 {
		to["is"] = m.Is
	}

	if len(m.Contains) > 0 {
		to["contains"] = []string(m.Contains)
	}
	for name, text := range map[string]string{"prefix": m.Prefix, "ends": m.Ends, "before": m.Before, "after": m.After} {
		if text != "" {
			to[name] = text
		}
	}
	for name, n := range map[string]json.Number{"below": m.Below, "above": m.Above} {
		if n != "" {
			to[name] = n
		}
	}
	return r.shown.said(m.Prefix + " " + m.Ends + " " + strings.Join(m.Contains, " "))
}

// maxEffects bounds the different tools with an effect that one scope may cover, and
// maxEntries its entries: a request in a person's words is for a few. A larger answer is
// that of a model which something has steered, or which gives away all it sees.
const (
	maxEffects = 12
	maxEntries = 40
)

// reach holds a scope to the bounds on what it covers.
func (s *shown) reach(a *answer) error {
	if len(a.Calls) > maxEntries {
		return fmt.Errorf("/calls: %d entries: list at most %d, for what the user asks", len(a.Calls), maxEntries)
	}
	effects := map[string]bool{}
	for _, e := range a.Calls {
		if t := s.tools[e.Tool]; t != nil && t.Effect != "read" {
			effects[e.Tool] = true
		}
	}
	if len(effects) > maxEffects {
		return fmt.Errorf("/calls: %d different tools that change something: list at most %d, for what the user asks", len(effects), maxEffects)
	}
	return nil
}

// clip shortens text of a model for a message.
func clip(s string) string {
	const longest = 80
	return fmt.Sprintf("%q", display.Clip(s, longest))
}

// shown is what a model was shown of a request, by which its answer is checked.
type shown struct {
	// tools are by the names that the model gives them.
	tools map[string]*scope.Tool
	// list has the tools, which are those of other turns too, and talk the conversation.
	list, talk string
	// notes say what was left out.
	notes []string
	// words are what was said, without what users quote, as values are looked for in it.
	words string
	// spoken are the user's messages.
	spoken spoken
}
