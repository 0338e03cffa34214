package remit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
)

// target is a tool that a call reaches, with the arguments that it gets.
type target struct {
	*binding
	arguments json.RawMessage // one object in canonical form
	prefix    string          // where they are in the call
}

// leaf is one scalar of a call's arguments.
type leaf struct {
	strictjson.Leaf        // with its pointer in the call
	place           string // its pointer in the arguments of the tool whose contract it is held to
	outer           bool   // this is the tool through which another one is called
}

// reviewChange is what is to be done about a tool that isn't the one of its contract.
const reviewChange = "tell the user, who can review the change: remit contract update shows it for an MCP server, remit contract synth takes definitions in a file"

// bind finds the contract of the tool that the call names.
func (x *deciding) bind() bool {
	b, ok := x.in.find(x.in.call.Server, x.in.call.Tool)
	if !ok {
		x.refuse(UnknownTool, "", fmt.Sprintf("the tool %q has no contract", cutText(x.in.call.Tool)),
			"tell the user, who can make one: remit contract update does it for an MCP server, remit contract synth for definitions in a file")
		return false
	}

	x.bound = b
	x.d.Server, x.d.Precision = b.server, b.contract.Precision
	if b.changed != "" {
		x.refuse(ChangedTool, "", b.changed, reviewChange)
		return false
	}
	return true
}

// parse reads the arguments, and those of another tool that the call is for.
func (x *deciding) parse() bool {
	raw := x.in.call.Arguments
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	if err != nil {
		x.refuse(InvalidArguments, "", "the arguments are not acceptable JSON: "+err.Error(), "send one JSON object, every member once")
		return false
	}
	if doc.Root().Kind() != strictjson.Object {
		x.refuse(InvalidArguments, "", "the arguments are not a JSON object", "send one JSON object")
		return false
	}

	x.d.Arguments = doc.Canonical()
	x.target = target{binding: x.bound, arguments: x.d.Arguments}
	if x.bound.contract.Tool.Unwrap != nil {
		return x.unwrap(doc)
	}

	x.leaves = make([]leaf, 0, len(doc.Leaves()))
	for _, l := range doc.Leaves() {
		if l.Pointer != "" { // the empty object
			x.leaves = append(x.leaves, leaf{Leaf: l, place: l.Pointer})
		}
	}
	return true
}

// targets returns the tools that the call reaches: the one that it names, and the
// one that this calls.
func (x *deciding) targets() []target {
	if x.through == nil {
		return []target{x.target}
	}
	return []target{*x.through, x.target}
}

// verb finds the value of the argument that splits the tool.
func (x *deciding) verb() (value string, present bool) {
	if x.bound.contract.Verb == "" {
		return "", false
	}
	for _, l := range x.leaves {
		if !l.outer && l.place == x.bound.contract.Verb && l.Kind != strictjson.Null {
			return l.Text, true
		}
	}
	return "", false
}

// fit finds the contract's variant, and its entry for every leaf.
func (x *deciding) fit() bool {
	verb, present := x.verb()
	x.variant, present = x.bound.contract.Variant(verb, present)
	if !present {
		x.refuse(UnknownVariant, x.target.prefix+x.bound.contract.Verb, fmt.Sprintf("%q is not a variant of the tool that has a contract", cutText(verb)),
			"one of: "+strings.Join(x.bound.contract.Variants(), ", "))
		return false
	}
	x.d.Variant, x.d.Effect = x.variant.Value, x.variant.Effect
	x.act = x.bound.actOf(x.variant)

	for _, t := range x.targets() {
		x.misfits(t)
	}
	x.arguments = make([]*contract.Argument, 0, len(x.leaves))
	for i := range x.leaves {
		if a := x.entry(&x.leaves[i]); a != nil {
			x.arguments = append(x.arguments, a)
		}
	}
	return len(x.d.Reasons) == 0
}

// entry returns the contract's entry for a leaf; nil where there is none.
func (x *deciding) entry(l *leaf) *contract.Argument {
	variant, definition := x.variant, x.bound.definition
	if l.outer {
		variant, _ = x.through.contract.Variant("", false)
		definition = nil // unwrap has held the whole call to it
	}

	if definition != nil && !definition.Accepts(l.place) {
		if !x.within(l.Pointer) {
			x.refuse(UnknownArgument, l.Pointer, "the tool's schema has no such argument", "leave it out")
		}
		return nil
	}
	a, ok := variant.Match(l.place)
	if !ok {
		x.refuse(UnknownArgument, l.Pointer, "the tool's contract has no such argument", "leave it out, or add it to the contract")
		return nil
	}
	return a
}

// within reports whether a place of the call is inside of one that was refused as
// a whole.
func (x *deciding) within(pointer string) bool {
	return slices.ContainsFunc(x.d.Reasons, func(r Reason) bool { return r.Path != "" && strings.HasPrefix(pointer, r.Path+"/") })
}

// misfits refuses arguments that don't have the types, values and members that the
// tool's definition declares. Without a definition nothing is known of them.
func (x *deciding) misfits(t target) {
	if t.definition == nil {
		return
	}
	for _, m := range t.definition.Misfits(t.arguments) {
		if !x.spared(m) {
			x.misfit(t, m)
		}
	}
}

// spared reports whether a misfit doesn't count here. Definitions require more than
// their tools do: a look-up that lacks something fails, or answers, and either
// changes nothing. Unlisted members are refused by [deciding.entry].
func (x *deciding) spared(m schema.Mistake) bool {
	return m.Unlisted || (m.Missing && x.variant.Effect == contract.Read)
}

func (x *deciding) misfit(t target, m schema.Mistake) {
	var remedies []string
	if m.Instead != "" {
		remedies = []string{m.Instead}
	}
	x.refuse(InvalidArguments, t.prefix+m.Pointer, "by the tool's schema, "+m.Message, remedies...)
}
