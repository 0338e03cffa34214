package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictyaml"
)

// Language describes what every rule may use, for a model that writes rules: the
// session, the macros and the functions. Of what CEL has by itself only the names are
// there, for models know it. It leaves out the named functions.
func Language(without ...string) (string, error) {
	u, err := newUniverse(Deployment{})
	if err != nil {
		return "", err
	}

	var b strings.Builder
	s := structure{u.base.CELTypeProvider()}
	b.WriteString("Variables:\n")
	for _, v := range u.base.Variables() {
		if !strings.HasPrefix(v.Name(), "origin.") && v.Name() != v.Type().TypeName() {
			fmt.Fprintf(&b, "%s: %s\n", v.Name(), s.of(v.Type(), 0))
		}
	}
	fmt.Fprintf(&b, "of session.calls(), session.together(), session.denied(): %s\n", s.of(u.session.call.Type, 0))
	if !slices.Contains(without, "label") {
		fmt.Fprintf(&b, "of label(args.name): %s; origins are origin.user, origin.system, origin.config, origin.model, origin.unknown\n", s.of(u.session.label.Type, 0))
	}

	b.WriteString("\nMacros: ")
	var own []string
	var plain []string
	for _, m := range u.base.Macros() {
		example, ok := macroExamples[m.MacroKey()]
		switch {
		case ok && example == "": // said by another one
		case slices.Contains(without, m.Function()):
		case ok:
			own = append(own, example)
		case !slices.Contains(plain, m.Function()):
			plain = append(plain, m.Function())
		}
	}
	b.WriteString(strings.Join(plain, " ") + ", and as in\n")
	for _, example := range own {
		fmt.Fprintf(&b, "  %s\n", example)
	}

	b.WriteString("\nFunctions:\n")
	functions := u.base.Functions()
	var known []*decls.FunctionDecl
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f := functions[name].Subset(usable)
		switch {
		case f == nil || !ofRules(name) || slices.Contains(without, name):
		case isOwn(f):
			describe(&b, f)
		default:
			known = append(known, f)
		}
	}
	writeKnown(&b, known)
	return strings.TrimSpace(b.String()), nil
}

// standard begins the names of functions that rules have no use for, or that are signs.
var standard = pattern.OnUse(`^(_|!|-|math\.bit|math\.sign|optional\.|strings\.|in$)|@`)

func ofRules(name string) bool { return !standard().MatchString(name) }

func isOwn(f *decls.FunctionDecl) bool {
	return slices.ContainsFunc(f.OverloadDecls(), func(o *decls.OverloadDecl) bool { return ownOverloads().MatchString(o.ID()) })
}

// describe writes a function's signatures, with its words and examples.
func describe(b *strings.Builder, f *decls.FunctionDecl) {
	fmt.Fprintf(b, "* %s - %s\n", f.Name(), f.Description())
	for _, o := range f.OverloadDecls() {
		args := make([]string, len(o.ArgTypes()))
		for i, t := range o.ArgTypes() {
			args[i] = shortType(t)
		}

		call := ""
		if o.IsMemberFunction() {
			call, args = args[0]+".", args[1:]
		}
		line := fmt.Sprintf("  %s%s(%s) -> %s", call, f.Name(), strings.Join(args, ", "), shortType(o.ResultType()))
		for _, e := range o.Examples() {
			line += ": " + strings.ReplaceAll(e, "\n", "; ")
		}
		b.WriteString(line + "\n")
	}
}

// writeKnown names functions that CEL has by itself, by what they are called on.
func writeKnown(b *strings.Builder, functions []*decls.FunctionDecl) {
	names := map[string][]string{}
	for _, f := range functions {
		for _, o := range f.OverloadDecls() {
			of := ""
			if o.IsMemberFunction() {
				of = strings.Split(shortType(o.ArgTypes()[0]), "(")[0]
			}
			if !slices.Contains(names[of], f.Name()) {
				names[of] = append(names[of], f.Name())
			}
		}
	}
	fmt.Fprintf(b, "As CEL has them: %s\n", strings.Join(names[""], " "))
	for _, of := range slices.Sorted(maps.Keys(names)) {
		if of != "" {
			fmt.Fprintf(b, "  of %s: %s\n", of, strings.Join(names[of], " "))
		}
	}
}

// ownOverloads are the overloads of the functions that CEL doesn't have.
var ownOverloads = pattern.OnUse(`^(session_|string_says|label_|judge_|date_|datetime_|.*_to_decimal$|.*_round|.*_sum)`)

// shortType returns a type without the package that its name begins with.
func shortType(t *cel.Type) string {
	return strings.ReplaceAll(strings.ReplaceAll(cel.FormatCELType(t), "remit.", ""), "google.protobuf.Timestamp", "timestamp")
}

// structure writes types with the members of records.
type structure struct{ types types.Provider }

// maxInner bounds how deep the members of members are written.
const maxInner = 4

// of returns a type as a model reads it: {name: type, …} for records.
func (s structure) of(t *cel.Type, depth int) string {
	if t.Kind() == types.ListKind && depth < maxInner {
		return "list of " + s.of(t.Parameters()[0], depth)
	}
	names, ok := s.types.FindStructFieldNames(t.TypeName())
	if !ok || t.Kind() != types.StructKind || depth >= maxInner {
		return shortType(t)
	}
	var fields []string
	for _, name := range names {
		if f, ok := s.types.FindStructFieldType(t.TypeName(), name); ok {
			fields = append(fields, name+": "+s.of(f.Type, depth+1))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// Vocabulary describes what the rules for a tool, or for [EveryTool], may use in
// addition to [Language]: the arguments with their types, and the named look-ups with
// what they return.
func Vocabulary(s Deployment, server, tool string, lookups []Readable) (string, error) {
	u, err := newUniverse(s)
	if err != nil {
		return "", err
	}

	g := &Guard{File: &File{Server: server, Tool: tool}, Server: server, Tool: tool}
	d, mistake := u.subject(g)
	if mistake != nil {
		return "", mistake
	}
	e, err := u.environment(g.Server)
	if err != nil {
		return "", err
	}

	args := record.Anything()
	if tool == EveryTool {
		args = record.AnyObject()
	} else if d != nil {
		args = u.types.Add(tool+"/args", d.Input)
	}
	types := structure{e.env.CELTypeProvider()}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", argsVariable, types.of(args.Type, 0))
	for _, l := range lookups {
		name, r, ok := e.shortest(l)
		if !ok {
			return "", fmt.Errorf("rules of %s can't look things up with %s", strictyaml.Clip(tool), strictyaml.Clip(l.Name))
		}
		fmt.Fprintf(&b, "%s%s: %s\n", name, signature(r), types.of(r.output.Type, 0))
	}

	return strings.TrimSpace(b.String()), nil
}

// shortest returns the shortest name of the function for a look-up.
func (e *environment) shortest(l Readable) (string, *reader, bool) {
	best := ""
	for name, r := range e.readers {
		if r.server == l.Server && r.tool == l.Name && (best == "" || len(name) < len(best)) {
			best = name
		}
	}
	return best, e.readers[best], best != ""
}

// signature returns the arguments of a look-up with their types.
func signature(r *reader) string {
	if r.input == nil {
		return "({…})"
	}
	var args []string
	types := record.NewTypes()
	for _, p := range r.input.Properties {
		optional := ""
		if !p.Required {
			optional = " (optional)"
		}
		args = append(args, fmt.Sprintf("%q: %s%s", p.Name, cel.FormatCELType(types.Add("", p.Node).Type), optional))
	}
	return "({" + strings.Join(args, ", ") + "})"
}

// usable reports whether an overload has only types that rules have: their numbers are
// int and decimal.
func usable(o *decls.OverloadDecl) bool {
	return !slices.ContainsFunc(append(slices.Clip(o.ArgTypes()), o.ResultType()), func(t *cel.Type) bool {
		for t.Kind() == types.ListKind {
			t = t.Parameters()[0]
		}
		return t.Kind() == types.DoubleKind || t.Kind() == types.UintKind || t.Kind() == types.BytesKind
	})
}

// macroExamples show the macros that the extensions add, by their keys: name, number of
// arguments, and whether they are called on a value. Empty ones are shown by the form with a
// filter, or under their other name.
var macroExamples = map[string]string{
	"least:*:true":             "math.least(args.a, 10)",
	"greatest:*:true":          "math.greatest(args.a, 0)",
	"sortBy:2:true":            "args.items.sortBy(i, i.price)",
	"all:3:true":               "args.items.all(i, item, i == 0 || item.price <= args.items[i - 1].price)",
	"exists:3:true":            "args.extra.exists(k, v, k == 'gift' && v == 'yes')",
	"existsOne:3:true":         "", // exists_one
	"exists_one:3:true":        "args.extra.exists_one(k, v, v == 'yes')",
	"transformList:3:true":     "", // with all elements
	"transformList:4:true":     "args.extra.transformList(k, v, k != 'gift', v)",
	"transformMap:3:true":      "",
	"transformMap:4:true":      "args.extra.transformMap(k, v, k != 'gift', v)",
	"transformMapEntry:3:true": "",
	"transformMapEntry:4:true": "args.items.transformMapEntry(i, item, item.price > 0, {item.sku: item.price})",
	"bind:3:true":              "cel.bind(fee, args.amount * 0.1, fee < 5 && fee > 1)",
}
