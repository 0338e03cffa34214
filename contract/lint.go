package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// Severity is the importance of a finding.
type Severity string

// The severities.
const (
	// SevereError marks a contract that makes calls fail, or that means something
	// else than it suggests.
	SevereError Severity = "error"
	// SevereWarning marks a contract that is valid and probably not intended.
	SevereWarning Severity = "warning"
	// SevereInfo marks an open task.
	SevereInfo Severity = "info"
)

// Finding is a problem of a contract file, found by comparing it with its
// catalogue.
type Finding struct {
	Severity Severity
	Position Position
	// Tool and Path name the subject; both may be empty.
	Tool, Path string
	// Message is the problem, and Hint its solution.
	Message, Hint string
}

// String formats the finding as "file:line:col: severity: message; hint".
func (f Finding) String() string {
	s := fmt.Sprintf("%s: %s: %s", f.Position, f.Severity, f.Message)
	if f.Hint != "" {
		s += "; " + f.Hint
	}
	return s
}

// Findings are the findings about a file, sorted by position.
type Findings []Finding

// Err returns the findings of severity [SevereError] as an error of type [Errors],
// or nil if there are none.
func (f Findings) Err() error {
	var errs Errors
	for _, x := range f {
		if x.Severity == SevereError {
			errs = append(errs, &Error{Position: x.Position, Message: x.Message, Hint: x.Hint})
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// Lint checks a contract file against the catalogue that it describes.
func Lint(f *File, c *schema.Catalogue) Findings {
	l := &linter{}
	l.file(f, c)

	unwraps := slices.ContainsFunc(f.Tools, func(t Tool) bool { return t.Unwrap != nil })
	for i := range f.Tools {
		t := &f.Tools[i]
		l.tool = t.Name
		l.reviews(t)

		def, ok := c.Tool(t.Name)
		if !ok && t.Fingerprint == "" && unwraps {
			continue // a tool that another one calls need not be listed
		}

		if !ok {
			names := make([]string, len(c.Tools))
			for j := range c.Tools {
				names[j] = c.Tools[j].Name
			}
			hint := "remove the contract"
			if s := strictyaml.Suggest(t.Name, names); s != "" {
				hint = "did you mean " + s + "? Otherwise " + hint
			}
			l.add(SevereWarning, t.Position, "", hint, "the server offers no tool %q", strictyaml.Clip(t.Name))
			continue
		}

		l.definition(f, t, def)
		l.arguments(t, def)
		if t.Unwrap != nil {
			l.unwrap(t.Unwrap, def)
		}
		l.output(&t.Output, def, t.Effect)
		if t.Variants != nil {
			l.variants(t, def)
		}
	}

	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
	})
	return l.found
}

type linter struct {
	found Findings
	tool  string
}

func (l *linter) add(s Severity, at Position, path, hint, format string, args ...any) {
	l.found = append(l.found, Finding{Severity: s, Position: at, Tool: l.tool, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// file checks the settings of the whole file.
func (l *linter) file(f *File, c *schema.Catalogue) {
	if f.Fingerprint != "" && f.Fingerprint != c.Fingerprint() {
		l.add(SevereError, f.Position, "", "run 'remit contract synth' on the new definitions and review what changed",
			"the server's tool definitions are not the ones that this file was made from: fingerprint %s, now %s",
			strictyaml.Clip(f.Fingerprint), c.Fingerprint())
	}
	for i := range c.Tools {
		name := c.Tools[i].Name
		if _, ok := f.Tool(name); !ok {
			l.tool = name
			l.add(SevereError, f.Position, "", "run 'remit contract synth' to add it; until then its calls are denied",
				"tool %q has no contract", strictyaml.Clip(name))
		}
	}
	l.tool = ""
}

// definition checks the fingerprint of one tool.
func (l *linter) definition(f *File, t *Tool, def *schema.Tool) {
	switch {
	case t.Fingerprint == "" && f.Fingerprint == "":
		l.add(SevereInfo, t.Position, "", "run 'remit contract synth' to add one",
			"the contract has no fingerprint: a change of the tool's definition goes unnoticed")
	case t.Fingerprint != "" && t.Fingerprint != def.Fingerprint:
		l.add(SevereError, t.Position, "", "run 'remit contract synth' on the new definition and review what changed; until then its calls are denied",
			"the definition of tool %q is not the one that this contract was made for: fingerprint %s, now %s",
			strictyaml.Clip(t.Name), strictyaml.Clip(t.Fingerprint), def.Fingerprint)
	}
}

// rule is an argument's contract with a parsed pattern.
type rule struct {
	arg     *Arg
	pattern Pattern
	// effect is the effect of the tool or of the variant that has the argument.
	effect Effect
}

// rules returns the arguments of a tool and of its variants. It skips patterns that
// can't be parsed, which Load reports.
func rules(t *Tool) []rule {
	var out []rule
	add := func(args []Arg, effect Effect) {
		for i := range args {
			if p, err := ParsePattern(args[i].Pattern); err == nil {
				out = append(out, rule{&args[i], p, effect})
			}
		}
	}
	add(t.Args, t.Effect)
	if t.Variants != nil {
		for i := range t.Variants.Cases {
			c := &t.Variants.Cases[i]
			add(c.Args, cmp.Or(c.Effect, t.Effect))
		}
	}
	return out
}

// pointerOf converts a pattern of the schema to a pointer that contract patterns
// can match: "*" becomes a segment that equals no literal.
func pointerOf(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		if s == "*" {
			segments[i] = "\x00"
		} else {
			segments[i] = strings.ReplaceAll(s, "~2", "*")
		}
	}
	return strings.Join(segments, "/")
}

func (l *linter) arguments(t *Tool, def *schema.Tool) {
	all := rules(t)
	covered := func(pattern string) bool {
		pointer := pointerOf(pattern)
		unwrapped := t.Unwrap != nil && t.Unwrap.covers(pointer)
		return unwrapped || slices.ContainsFunc(all, func(r rule) bool { return r.pattern.Match(pointer) })
	}

	// uncovered reports whether the schema accepts values below pattern that no
	// contract pattern matches.
	uncovered := func(pattern string) bool {
		return def.Accepts(pattern+"/*") && !covered(pattern+"/*")
	}

	leaves := def.Leaves()
	names := make([]string, len(leaves))
	for i, leaf := range leaves {
		names[i] = leaf.Pattern
		switch {
		case !covered(leaf.Pattern):
			l.add(SevereError, t.Position, leaf.Pattern, fmt.Sprintf("add '%s: {role: …}' to its args; until then calls that use it are denied", strictyaml.Clip(leaf.Pattern)),
				"argument %s of tool %q has no contract", strictyaml.Clip(leaf.Pattern), strictyaml.Clip(t.Name))
		case uncovered(leaf.Pattern) && !slices.ContainsFunc(leaves, func(above schema.Leaf) bool {
			// The finding about the place above includes this one.
			return strings.HasPrefix(leaf.Pattern, above.Pattern+"/") && uncovered(above.Pattern)
		}):
			l.add(SevereWarning, t.Position, leaf.Pattern, fmt.Sprintf("write %s/** to cover them", strictyaml.Clip(leaf.Pattern)),
				"the schema lets lists or objects into %s of tool %q, and no pattern matches what is inside", strictyaml.Clip(leaf.Pattern), strictyaml.Clip(t.Name))
		}
	}

	for _, r := range all {
		l.floor(r.arg, r.effect)
		if !r.used(def, leaves) {
			hint := "remove it"
			if s := strictyaml.Suggest(r.arg.Pattern, names); s != "" {
				hint = "did you mean " + s + "?"
			} else if len(names) > 0 && len(names) <= 12 {
				hint = "the tool has " + strictyaml.Listing(names, " and ")
			}
			l.add(SevereError, r.arg.Position, r.arg.Pattern, hint, "tool %q accepts no argument that %s matches", strictyaml.Clip(t.Name), strictyaml.Clip(r.arg.Pattern))
		}
	}
}

// used reports whether the tool accepts an argument that matches the pattern.
func (r rule) used(def *schema.Tool, leaves []schema.Leaf) bool {
	if slices.ContainsFunc(leaves, func(leaf schema.Leaf) bool { return r.pattern.Match(pointerOf(leaf.Pattern)) }) {
		return true
	}
	rest, deep := strings.CutSuffix(r.arg.Pattern, "/**")
	return (deep && rest == "") || def.Accepts(rest)
}

// floor checks the floor of an argument. A low floor with a reason is still listed,
// because a generated reason explains the role and remains when a person lowers the
// floor. Selectors of a read are not listed: synthesis gives them low floors
// because outsiders may choose what is read.
func (l *linter) floor(a *Arg, effect Effect) {
	switch want := DefaultFloor(a.Role); {
	case a.Floor >= want, a.Role == label.Selector && effect == Read:
	case a.Why == "":
		l.add(SevereWarning, a.Position, a.Pattern, "raise it, or say in 'why' what makes it safe",
			"the floor %s of %s is lower than %s, which a %s has otherwise", a.Floor, strictyaml.Clip(a.Pattern), want, a.Role)
	default:
		l.add(SevereInfo, a.Position, a.Pattern, "see that this makes it safe, or raise it",
			"the floor %s of %s is lower than %s, which a %s has otherwise; 'why' is: %s", a.Floor, strictyaml.Clip(a.Pattern), want, a.Role, strictyaml.Clip(a.Why))
	}

	for _, v := range a.Allow {
		dir, below := strings.CutSuffix(v, "/**")
		switch {
		case below && a.Form != Path:
			l.add(SevereWarning, a.Position, a.Pattern, "add 'form: path', or list the values", "%s allows %s, which is a directory only where the argument is a path", strictyaml.Clip(a.Pattern), strictyaml.Clip(v))
		case below && (!strings.HasPrefix(dir, "/") || !plainPath(dir)):
			l.add(SevereWarning, a.Position, a.Pattern, "write an absolute path in its shortest form, and /** after it", "%s allows %s, below which no path lies", strictyaml.Clip(a.Pattern), strictyaml.Clip(v))
		}
	}

	if slices.Contains(a.Discharge, "allowlist") && len(a.Allow) == 0 {
		l.add(SevereWarning, a.Position, a.Pattern, "add 'allow: [value, …]'", "%s is discharged by an allowlist that is empty", strictyaml.Clip(a.Pattern))
	}
}

func (l *linter) output(o *Output, def *schema.Tool, effect Effect) {
	for i := range o.Fields {
		f := &o.Fields[i]
		if !returns(def, f.Pattern) {
			l.add(SevereWarning, f.Position, f.Pattern, "correct the pattern, or remove it",
				"the result of tool %q has no field that %s matches", strictyaml.Clip(def.Name), strictyaml.Clip(f.Pattern))
		}
	}

	for i := range o.Certify {
		c := &o.Certify[i]
		key := c.Key
		if rest, ok := strings.CutSuffix(key, "/**"); ok {
			key = rest
		}

		if c.Key != "" && !def.Accepts(key) {
			l.add(SevereError, c.Position, c.Key, "name an argument of the tool", "the key %s of a certify entry is not an argument of tool %q", strictyaml.Clip(c.Key), strictyaml.Clip(def.Name))
		}
		if c.By != "" && !returns(def, c.By) {
			l.add(SevereError, c.Position, c.By, "name a field of the result", "the field %s of a certify entry is not in the result of tool %q", strictyaml.Clip(c.By), strictyaml.Clip(def.Name))
		}
		if !returns(def, c.Field) {
			l.add(SevereError, c.Position, c.Field, "name a field of the result", "the field %s of a certify entry is not in the result of tool %q", strictyaml.Clip(c.Field), strictyaml.Clip(def.Name))
		}

		if c.Made && effect == Read {
			l.add(SevereError, c.Position, c.Field, "name a key or a field by which the user names the record", "the tool %q reads, and a read makes no record", strictyaml.Clip(def.Name))
		}
		if c.KeyFloor < label.User {
			l.add(SevereWarning, c.Position, c.Key, "write 'key_floor: USER'", "with key_floor %s, whoever writes such text chooses which values are vouched for", c.KeyFloor)
		}
		if c.Max > label.User {
			l.add(SevereWarning, c.Position, c.Field, "write 'max: USER'", "a result can't vouch for more than the user can: max is %s", c.Max)
		}
	}
}

// wrapsText reports whether a result has nothing but a text, as frameworks describe a tool
// that returns a string: {"result": "…"}. The text may have fields of its own.
func wrapsText(result *schema.Node) bool {
	return len(result.Properties) == 1 && result.Properties[0].Name == "result" && slices.Equal(result.Properties[0].Node.Types, []string{"string"})
}

// returns reports whether a tool's result has a place that matches a pattern. A
// result without a schema may have any place.
func returns(def *schema.Tool, pattern string) bool {
	if def.Output == nil || pattern == "" || wrapsText(def.Output) {
		return true
	}
	p, err := ParsePattern(pattern)
	if err != nil {
		return true
	}
	if _, ok := def.Output.Lookup(pattern); ok {
		return true
	}
	return slices.ContainsFunc(def.Output.Leaves(), func(leaf schema.Leaf) bool {
		if p.Match(pointerOf(leaf.Pattern)) {
			return true
		}
		// A place without a description may contain anything.
		_, open := def.Output.Lookup(leaf.Pattern + "/\x00")
		return open && p.Deep()
	})
}

// covers reports whether an argument belongs to the inner call.
func (u *Unwrap) covers(pointer string) bool {
	server := u.Server != "" && pointer == u.Server
	return server || pointer == u.Tool || pointer == u.Arguments || strings.HasPrefix(pointer, u.Arguments+"/")
}

func (l *linter) unwrap(u *Unwrap, def *schema.Tool) {
	for _, pointer := range []string{u.Tool, u.Arguments, u.Server} {
		if pointer == "" {
			continue
		}
		if _, ok := def.Lookup(pointer); !ok {
			l.add(SevereError, u.Position, pointer, "name the argument that holds it", "tool %q has no argument %s", strictyaml.Clip(def.Name), strictyaml.Clip(pointer))
		}
	}
}

func (l *linter) variants(t *Tool, def *schema.Tool) {
	v := t.Variants
	node, ok := def.Lookup(v.Argument)
	if !ok {
		l.add(SevereError, v.Position, v.Argument, "name the argument that selects what the tool does", "tool %q has no argument %s", strictyaml.Clip(def.Name), strictyaml.Clip(v.Argument))
		return
	}

	for i := range v.Cases {
		if c := &v.Cases[i]; c.Output != nil {
			l.output(c.Output, def, cmp.Or(c.Effect, t.Effect))
		}
	}

	if def := jsonString(node.Default); node.Default != "" && def != v.Default {
		l.add(SevereWarning, v.Position, v.Argument, fmt.Sprintf("write 'default: %s'", strictyaml.Clip(def)),
			"the schema's default for %s is %q, and the contract's %q", strictyaml.Clip(v.Argument), strictyaml.Clip(def), strictyaml.Clip(v.Default))
	}

	values := enumeration(node)
	if len(values) == 0 {
		return
	}
	for _, value := range values {
		if !slices.ContainsFunc(v.Cases, func(c Case) bool { return c.Value == value }) {
			l.add(SevereWarning, v.Position, v.Argument, "add the case; until then calls with it are denied", "%s accepts %q, and there is no case for it", strictyaml.Clip(v.Argument), strictyaml.Clip(value))
		}
	}

	for i := range v.Cases {
		if c := &v.Cases[i]; !slices.Contains(values, c.Value) {
			l.add(SevereWarning, c.Position, v.Argument, strictyaml.DidYouMean(c.Value, values), "%s does not accept %q", strictyaml.Clip(v.Argument), strictyaml.Clip(c.Value))
		}
	}
}

// enumeration returns the accepted values of a place and of its alternatives; nil
// if one of them accepts any value.
func enumeration(n *schema.Node) []string {
	var out []string
	for _, e := range n.Enum {
		out = append(out, jsonString(e))
	}
	if len(out) > 0 {
		return out
	}
	for _, a := range n.Alternatives {
		values := enumeration(a)
		if values == nil {
			return nil
		}
		out = append(out, values...)
	}
	return out
}

// jsonString returns the text of a JSON string, and other JSON unchanged.
func jsonString(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// reviews reports everything that needs a review.
func (l *linter) reviews(t *Tool) {
	mark := func(at Position, path, review string) {
		if review != "" {
			what := strictyaml.Clip(t.Name)
			if path != "" {
				what += " " + strictyaml.Clip(path)
			}
			l.add(SevereInfo, at, path, "look at it, correct it, and remove 'review'", "%s is yet to be reviewed: %s", what, strictyaml.Clip(review))
		}
	}

	args := func(args []Arg) {
		for i := range args {
			mark(args[i].Position, args[i].Pattern, args[i].Review)
		}
	}

	mark(t.Position, "", t.Review)
	args(t.Args)
	mark(t.Output.Position, "output", t.Output.Review)
	if t.Variants == nil {
		return
	}

	for i := range t.Variants.Cases {
		c := &t.Variants.Cases[i]
		mark(c.Position, c.Value, c.Review)
		args(c.Args)
		if c.Output != nil {
			mark(c.Output.Position, c.Value+" output", c.Output.Review)
		}
	}
}
