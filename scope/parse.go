package scope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/internal/superlative"
	"github.com/remit-project/remit/schema"
)

// Refusal is an entry of a scope that grants nothing, and why.
type Refusal struct {
	// Pointer is the place in the scope.
	Pointer string `json:"path"`
	Message string `json:"message"`
}

// String returns the refusal as one line.
func (r Refusal) String() string { return r.Pointer + ": " + r.Message }

// ErrInvalid is the error of [Parse] for a text that is not a scope.
var ErrInvalid = errors.New("not a scope")

// invalid is the error for a text that is not a scope.
type invalid struct{ error }

// Is makes the error an [ErrInvalid].
func (invalid) Is(target error) bool { return target == ErrInvalid }

// Parse reads a scope. The catalogues are those of the session: an entry with a tool or an
// argument that none of them defines is left out and reported as a refusal; the rest of the scope
// holds without it. The error is [ErrInvalid].
func Parse(data []byte, tools []*schema.Catalogue) (*Scope, []Refusal, error) {
	s, refused, err := parse(data, tools)
	if err != nil {
		return nil, nil, invalid{err}
	}
	return s, refused, nil
}

func parse(data []byte, tools []*schema.Catalogue) (*Scope, []Refusal, error) {
	if len(data) > MaxSize {
		return nil, nil, fmt.Errorf("the scope has %d bytes: write at most %d", len(data), MaxSize)
	}
	if _, err := strictjson.Parse(data, strictjson.Limits{Size: MaxSize, Depth: 32, Leaves: 32 << 10}); err != nil {
		return nil, nil, fmt.Errorf("read the scope: %w", err)
	}
	var raw rawScope
	if err := decode(data, &raw); err != nil {
		return nil, nil, fmt.Errorf("read the scope: %w", err)
	}
	if len(raw.Calls) > MaxCalls {
		return nil, nil, fmt.Errorf("the scope has %d calls: write at most %d", len(raw.Calls), MaxCalls)
	}

	r := reader{tools: tools}
	out := &Scope{}
	for i, c := range raw.Calls {
		r.at = fmt.Sprintf("/calls/%d", i)
		call, err := r.call(c)
		if err == nil {
			err = out.grouped(call)
		}
		if err != nil {
			r.refused = append(r.refused, Refusal{r.at, err.Error()})
			continue
		}
		out.Calls = append(out.Calls, call)
	}
	for i, s := range raw.Delegates {
		r.at = fmt.Sprintf("/delegates/%d", i)
		source, err := r.source(s, 0)
		if err == nil && source.By != "" {
			err = errBy
		}
		if err != nil {
			r.refused = append(r.refused, Refusal{r.at, err.Error()})
			continue
		}
		out.Delegates = append(out.Delegates, source)
	}
	return out, r.refused, nil
}

// The form of a scope as it is written.
type (
	rawScope struct {
		Calls     []json.RawMessage `json:"calls"`
		Delegates []json.RawMessage `json:"delegates"`
	}
	rawCall struct {
		Server string                     `json:"server"`
		Tool   string                     `json:"tool"`
		Times  json.RawMessage            `json:"times"`
		Group  string                     `json:"group"`
		If     []json.RawMessage          `json:"if"`
		Unless []json.RawMessage          `json:"unless"`
		OnlyIf []string                   `json:"only_if"`
		Args   map[string]json.RawMessage `json:"args"`
	}
	rawConstraint struct {
		Is        json.RawMessage            `json:"is"`
		Date      json.RawMessage            `json:"date"`
		From      []json.RawMessage          `json:"from"`
		Except    []json.RawMessage          `json:"except"`
		Record    string                     `json:"record"`
		Kind      string                     `json:"kind"`
		Pick      string                     `json:"pick"`
		By        string                     `json:"by"`
		Computed  *[]json.RawMessage         `json:"computed"`
		Any       bool                       `json:"any"`
		Absent    bool                       `json:"absent"`
		Unchanged bool                       `json:"unchanged"`
		Template  string                     `json:"template"`
		Holes     map[string]json.RawMessage `json:"holes"`
	}
	rawSource struct {
		Server string                     `json:"server"`
		Tool   string                     `json:"tool"`
		Args   map[string]json.RawMessage `json:"args"`
		Field  string                     `json:"field"`
		Or     []string                   `json:"or"`
		Where  map[string]json.RawMessage `json:"where"`
		By     string                     `json:"by"`
	}
	rawMatch struct {
		Or       []string          `json:"or"`
		Is       json.RawMessage   `json:"is"`
		From     []json.RawMessage `json:"from"`
		Prefix   string            `json:"prefix"`
		Ends     string            `json:"ends"`
		Contains json.RawMessage   `json:"contains"`
		Before   Value             `json:"before"`
		After    Value             `json:"after"`
		Below    json.Number       `json:"below"`
		Above    json.Number       `json:"above"`
	}
)

// decode reads one JSON value into a form, strictly.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		return nil
	}

	var members []string
	form := reflect.TypeOf(into).Elem()
	for i := range form.NumField() {
		members = append(members, form.Field(i).Tag.Get("json"))
	}
	return fmt.Errorf("%s: it may have %s", strings.TrimPrefix(err.Error(), "json: "), strings.Join(members, ", "))
}

// reader reads the entries of a scope.
type reader struct {
	tools   []*schema.Catalogue
	at      string
	refused []Refusal
}

func (r *reader) call(data json.RawMessage) (Call, error) {
	var raw rawCall
	if err := decode(data, &raw); err != nil {
		return Call{}, err
	}
	times, err := readTimes(raw.Times)
	if err != nil {
		return Call{}, err
	}

	out := Call{Server: raw.Server, Tool: raw.Tool, Times: times, Group: raw.Group}
	if out.Args, err = r.args(raw.Server, raw.Tool, raw.Args, 0); err != nil {
		return Call{}, err
	}
	if out.If, err = r.sources(raw.If, 0); err != nil {
		return Call{}, fmt.Errorf("if: %w", err)
	}
	if out.Unless, err = r.sources(raw.Unless, 0); err != nil {
		return Call{}, fmt.Errorf("unless: %w", err)
	}
	out.OnlyIf = raw.OnlyIf
	return out, checkOnlyIf(raw.OnlyIf)
}

// checkOnlyIf returns an error for conditions that a person can't be shown.
func checkOnlyIf(all []string) error {
	if len(all) > MaxOnlyIf {
		return fmt.Errorf("only_if has %d conditions: write at most %d", len(all), MaxOnlyIf)
	}
	for _, text := range all {
		if strings.TrimSpace(text) == "" || len(text) > MaxCondition {
			return fmt.Errorf("only_if: write each condition in the user's words, in at most %d bytes", MaxCondition)
		}
	}
	return nil
}

// grouped returns an error if an entry doesn't count as the others of its group do.
func (s *Scope) grouped(c Call) error {
	for _, other := range s.Calls {
		if c.Group != "" && other.Group == c.Group && other.Times != c.Times {
			return fmt.Errorf("the calls of group %s have one count: write the same times for all of them", clip([]byte(c.Group)))
		}
	}
	return nil
}

func readTimes(data json.RawMessage) (Times, error) {
	if len(data) == 0 {
		return Times{N: 1}, nil
	}
	if string(data) == `"each"` {
		return Times{Each: true}, nil
	}
	var n int
	if err := json.Unmarshal(data, &n); err != nil || n < 1 || n > MaxTimes {
		return Times{}, fmt.Errorf(`times is %s: write a number from 1 to %d, or "each"`, clip(data), MaxTimes)
	}
	return Times{N: n}, nil
}

// args reads the constraints on the arguments of a tool.
func (r *reader) args(server, name string, raw map[string]json.RawMessage, depth int) ([]Arg, error) {
	tool, err := r.tool(server, name)
	if err != nil {
		return nil, err
	}
	if len(raw) > MaxArgs {
		return nil, fmt.Errorf("%d arguments of %s are constrained: write at most %d", len(raw), name, MaxArgs)
	}

	out := make([]Arg, 0, len(raw))
	for _, pointer := range slices.Sorted(maps.Keys(raw)) {
		if !knows(tool, pointer) {
			return nil, fmt.Errorf("the tool %s has no argument %s%s", name, clip([]byte(pointer)), meant(pointer, places(tool)))
		}
		c, err := r.constraint(raw[pointer], depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pointer, err)
		}
		out = append(out, Arg{pointer, c})
	}
	return out, nil
}

// tool finds the definition of a tool; nil where no catalogue was given.
func (r *reader) tool(server, name string) (*schema.Tool, error) {
	if name == "" {
		return nil, fmt.Errorf("an entry needs a tool")
	}
	if r.tools == nil {
		return nil, nil
	}

	var found *schema.Tool
	for _, c := range r.tools {
		if server != "" && c.Server != server {
			continue
		}
		t, ok := c.Tool(name)
		if ok && found != nil {
			return nil, fmt.Errorf("several servers have a tool %s: name one of them", clip([]byte(name)))
		}
		if ok {
			found = t
		}
	}
	if found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("no server has a tool %s%s", clip([]byte(name)), meant(name, r.names()))
}

// names are those of all tools.
func (r *reader) names() []string {
	var out []string
	for _, c := range r.tools {
		for i := range c.Tools {
			out = append(out, c.Tools[i].Name)
		}
	}
	return out
}

// places are the pointers of a tool's arguments.
func places(t *schema.Tool) []string {
	var out []string
	if t != nil {
		for _, a := range t.Leaves() {
			out = append(out, a.Pattern)
		}
	}
	return out
}

// meant asks whether one of the known words was meant; empty where none is near.
func meant(word string, known []string) string {
	if s := strictyaml.Suggest(word, known); s != "" {
		return ": did you mean " + s + "?"
	}
	return ""
}

// knows reports whether a tool's input has a place for a pointer.
func knows(t *schema.Tool, pointer string) bool {
	if !strings.HasPrefix(pointer, "/") {
		return false
	}
	return t == nil || t.Accepts(strings.ReplaceAll(pointer, "/*", "/0"))
}

var errDeep = fmt.Errorf("sources are nested more than %d deep", MaxNesting)

func (r *reader) constraint(data json.RawMessage, depth int) (Constraint, error) {
	if depth > MaxNesting {
		return Constraint{}, errDeep
	}
	var raw rawConstraint
	if err := decode(data, &raw); err != nil {
		return Constraint{}, err
	}
	ways := 0
	for _, set := range []bool{raw.Is != nil, raw.Date != nil, raw.From != nil, raw.Computed != nil, raw.Any, raw.Absent, raw.Unchanged, raw.Template != ""} {
		if set {
			ways++
		}
	}
	either := ways == 2 && raw.Is != nil && raw.From != nil
	if ways != 1 && !either {
		return Constraint{}, fmt.Errorf("a constraint has one of is, date, from, computed, any, absent, unchanged and template, not %d of them: "+
			"is and from alone go together, as alternatives", ways)
	}

	if raw.From == nil && (raw.Except != nil || raw.Record != "") {
		return Constraint{}, fmt.Errorf("except and record go with from: write where the value comes from")
	}

	out := Constraint{
		Kind: Kind(raw.Kind), Pick: Pick(raw.Pick), By: raw.By, Any: raw.Any, Absent: raw.Absent, Unchanged: raw.Unchanged,
		Template: raw.Template, Record: raw.Record,
	}
	var err error
	if either {
		if out.Is, err = readValues(raw.Is); err != nil {
			return Constraint{}, err
		}
	}
	switch {
	case raw.Is != nil && !either:
		out.Is, err = readValues(raw.Is)
	case raw.From != nil:
		if !slices.Contains([]Pick{Only, All, Choice}, out.Pick) {
			return Constraint{}, fmt.Errorf("from has the pick %s: write only, all or choice", clip([]byte(raw.Pick)))
		}
		if out.From, err = r.sources(raw.From, depth); err == nil {
			out.Except, err = r.exceptions(raw.Except, depth)
		}
		if err == nil {
			err = out.restricted()
		}
	case raw.Date != nil:
		out.Date, err = readDays(raw.Date)
	case raw.Computed != nil:
		out.Computed = true
		out.Sources, err = r.sources(*raw.Computed, depth)
	case raw.Template != "":
		out.Holes, err = r.holes(raw, depth)
	}
	return out, err
}

// hole is a place in a template.
var hole = pattern.OnUse(`\{(\w+)\}`)

func (r *reader) holes(raw rawConstraint, depth int) (map[string]Constraint, error) {
	names := hole().FindAllStringSubmatch(raw.Template, -1)
	if len(names) == 0 {
		return nil, fmt.Errorf("the template has no hole such as {name}: write is instead")
	}
	out := map[string]Constraint{}
	for _, n := range names {
		data, ok := raw.Holes[n[1]]
		if !ok {
			return nil, fmt.Errorf("holes doesn't say what {%s} is", n[1])
		}
		c, err := r.constraint(data, depth+1)
		if err != nil {
			return nil, fmt.Errorf("hole %s: %w", n[1], err)
		}
		out[n[1]] = c
	}
	return out, nil
}

// errBy is why only what is left out has a criterion of its own.
var errBy = errors.New("by of a source goes with except: write pick and by beside from")

func (r *reader) sources(raw []json.RawMessage, depth int) ([]Source, error) {
	out, err := r.exceptions(raw, depth)
	if slices.ContainsFunc(out, func(s Source) bool { return s.By != "" }) {
		return nil, errBy
	}
	return out, err
}

// exceptions reads the sources of values that are left out.
func (r *reader) exceptions(raw []json.RawMessage, depth int) ([]Source, error) {
	if len(raw) > MaxSources {
		return nil, fmt.Errorf("%d sources: write at most %d", len(raw), MaxSources)
	}
	out := make([]Source, 0, len(raw))
	for _, data := range raw {
		s, err := r.source(data, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (r *reader) source(data json.RawMessage, depth int) (Source, error) {
	if depth > MaxNesting {
		return Source{}, errDeep
	}
	var raw rawSource
	if err := decode(data, &raw); err != nil {
		return Source{}, err
	}
	args, err := r.args(raw.Server, raw.Tool, raw.Args, depth+1)
	if err != nil {
		return Source{}, err
	}

	if len(raw.Where) > MaxArgs {
		return Source{}, errWhere(len(raw.Where))
	}
	if len(raw.Or) > MaxSources || slices.ContainsFunc(raw.Or, func(field string) bool { return len(scalar.Words(field)) == 0 }) {
		return Source{}, fmt.Errorf("or has %d fields: write at most %d, each with a name", len(raw.Or), MaxSources)
	}
	out := Source{Server: raw.Server, Tool: raw.Tool, Args: args, Field: raw.Field, Or: raw.Or, By: raw.By}
	for _, name := range slices.Sorted(maps.Keys(raw.Where)) {
		all, err := r.matches(raw.Where[name], depth)
		if err != nil {
			return Source{}, fmt.Errorf("where %s: %w", name, err)
		}
		for _, m := range all {
			m.Field = name
			out.Where = append(out.Where, m)
		}
	}
	if len(out.Where) > MaxArgs {
		return Source{}, errWhere(len(out.Where))
	}
	return out, nil
}

// errRestricts is why a criterion doesn't go with all values.
var errRestricts = errors.New("by can't restrict the pick all: say in where which records count and in except what is left out, or write the pick choice")

// restricted returns an error for a criterion that would have to leave out some of all values.
func (c *Constraint) restricted() error {
	if c.Pick == All && superlative.Restricts(c.By) {
		return errRestricts
	}
	return nil
}

var errNoScalar = errors.New("write a text, a number, true or false, or a list of them")

// readValues reads a scalar, or a list of scalars as alternatives.
func readValues(data json.RawMessage) ([]Value, error) {
	doc, err := strictjson.Parse(data, strictjson.Limits{Size: MaxSize, Depth: 2, Leaves: MaxValues})
	if err != nil {
		return nil, err
	}
	list := []strictjson.Value{doc.Root()}
	if doc.Root().Kind() == strictjson.Array {
		list = doc.Root().Elements()
	}

	out := make([]Value, 0, len(list))
	for _, v := range list {
		switch v.Kind() {
		case strictjson.String:
			out = append(out, Value(v.Text()))
		case strictjson.Number, strictjson.Bool:
			out = append(out, Value(v.Raw()))
		case strictjson.Null:
			out = append(out, "")
		default:
			return nil, errNoScalar
		}
	}
	return out, nil
}

// clip shortens text of a scope for a message.
func clip(data []byte) string {
	return strconv.Quote(display.Clip(string(data), 80))
}
