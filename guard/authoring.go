package guard

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictyaml"
)

// Language describes what every rule may use, for a model that writes rules: the
// session, the macros and the functions. What CEL has by itself is there by its
// signatures alone, for models know it. It leaves out the named functions.
func Language(without ...string) (string, error) {
	u, err := newUniverse(Deployment{})
	if err != nil {
		return "", err
	}

	options := []cel.EnvOption{cel.CustomTypeProvider(u.base.CELTypeProvider()),
		// cel-go describes fields of variables only, not of functions' results.
		cel.Variable(sessionVariable+".calls()[0]", u.session.call.Type),
	}
	if !slices.Contains(without, "label") {
		options = append(options, cel.Variable("label(args.name)", u.session.label.Type))
	}
	for _, v := range u.base.Variables() {
		options = append(options, cel.VariableDecls(v))
	}
	variables, err := render(options)
	if err != nil {
		return "", err
	}

	var b strings.Builder
	b.WriteString(variables + "\n\nMacros:\n\n")
	for _, m := range u.base.Macros() {
		d := documented{m}.Documentation()
		fmt.Fprintf(&b, "* %s - %s\n", d.Name, firstLine(d.Description))
		if own, ok := macroDocs[m.MacroKey()]; ok {
			fmt.Fprintf(&b, "      %s\n", own[1])
		}
	}

	b.WriteString("\nFunctions:\n\n")
	functions := u.base.Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f := functions[name].Subset(usable)
		if f == nil || !ofRules(name) || slices.Contains(without, name) {
			continue
		}
		describe(&b, f)
	}
	return strings.TrimSpace(b.String()), nil
}

// standard begins the names of functions that rules have no use for, or that are signs.
var standard = regexp.MustCompile(`^(_|!|-|math\.bit|math\.sign|optional\.|strings\.|in$)|@`)

func ofRules(name string) bool { return !standard.MatchString(name) }

// describe writes a function's signatures, with the words and examples of those that
// CEL doesn't have.
func describe(b *strings.Builder, f *decls.FunctionDecl) {
	own := slices.ContainsFunc(f.OverloadDecls(), func(o *decls.OverloadDecl) bool {
		return ownOverloads.MatchString(o.ID())
	})
	if own {
		fmt.Fprintf(b, "* %s - %s\n", f.Name(), f.Description())
	}
	for _, o := range f.OverloadDecls() {
		args := make([]string, len(o.ArgTypes()))
		for i, t := range o.ArgTypes() {
			args[i] = cel.FormatCELType(t)
		}

		call := ""
		if o.IsMemberFunction() {
			call, args = args[0]+".", args[1:]
		}
		fmt.Fprintf(b, "  %s%s(%s) -> %s\n", call, f.Name(), strings.Join(args, ", "), cel.FormatCELType(o.ResultType()))
		for _, e := range o.Examples() {
			if own {
				fmt.Fprintf(b, "      %s\n", strings.ReplaceAll(e, "\n", "\n      "))
			}
		}
	}
}

// ownOverloads are the overloads of the functions that CEL doesn't have.
var ownOverloads = regexp.MustCompile(`^(session_|string_says|label_|judge_|date_|datetime_|.*_to_decimal$|.*_round|.*_sum)`)

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Vocabulary describes what the rules for a tool, or for [EveryTool], may use in
// addition to [Language]: the arguments with the paths of their fields, and the named
// look-ups with their results.
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
	options := []cel.EnvOption{cel.CustomTypeProvider(e.env.CELTypeProvider()),
		cel.VariableWithDoc(argsVariable, args.Type, "the arguments of the call")}
	for _, l := range lookups {
		name, r, ok := e.shortest(l)
		if !ok {
			return "", fmt.Errorf("rules of %s can't look things up with %s", strictyaml.Clip(tool), strictyaml.Clip(l.Name))
		}
		options = append(options, cel.VariableWithDoc(name+signature(r), r.output.Type, "what this look-up returns"))
	}

	return render(options)
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

// render returns cel-go's description of what the options declare.
func render(options []cel.EnvOption) (string, error) {
	env, err := cel.NewCustomEnv(options...)
	if err != nil {
		return "", fmt.Errorf("guards: %w", err)
	}
	p, err := cel.AuthoringPromptWithFieldPaths(env)
	if err != nil {
		return "", fmt.Errorf("guards: %w", err)
	}
	// Its persona, answer format and numeric types don't apply here.
	p.Persona, p.FormatRules, p.GeneralUsage = "", "", ""
	return strings.TrimSpace(p.Render("")), nil
}

// documented is a macro with a description. The macros of the extensions have none.
type documented struct{ cel.Macro }

// macroDocs describe macros by their keys: name, number of arguments, and
// whether they are called on a value.
var macroDocs = map[string][2]string{
	"least:*:true":             {"the smallest of some whole numbers", "math.least(args.a, 10)"},
	"greatest:*:true":          {"the largest of some whole numbers", "math.greatest(args.a, 0)"},
	"sortBy:2:true":            {"sorts a list by what an expression says of each element", "args.items.sortBy(i, i.price)"},
	"all:3:true":               {"all over index and element of a list, or key and value of a map", "args.items.all(i, item, i == 0 || item.price <= args.items[i - 1].price)"},
	"exists:3:true":            {"exists over index and element, or key and value", "args.extra.exists(k, v, k == 'gift' && v == 'yes')"},
	"existsOne:3:true":         {"exists_one over index and element, or key and value", "args.extra.existsOne(k, v, v == 'yes')"},
	"exists_one:3:true":        {"the same as existsOne", "args.extra.exists_one(k, v, v == 'yes')"},
	"transformList:3:true":     {"makes a list of an expression over index and element, or key and value", "args.extra.transformList(k, v, v)"},
	"transformList:4:true":     {"the same of those for which the condition holds", "args.extra.transformList(k, v, k != 'gift', v)"},
	"transformMap:3:true":      {"makes a map with the same keys", "args.extra.transformMap(k, v, v.size())"},
	"transformMap:4:true":      {"the same of those for which the condition holds", "args.extra.transformMap(k, v, k != 'gift', v)"},
	"transformMapEntry:3:true": {"makes a map of an expression that is a map", "args.items.transformMapEntry(i, item, {item.sku: item.price})"},
	"transformMapEntry:4:true": {"the same of those for which the condition holds", "args.items.transformMapEntry(i, item, item.price > 0, {item.sku: item.price})"},
	"bind:3:true":              {"names a value within an expression", "cel.bind(fee, args.amount * 0.1, fee < 5 && fee > 1)"},
}

// Documentation implements [common.Documentor].
func (m documented) Documentation() *common.Doc {
	if d, ok := macroDocs[m.MacroKey()]; ok {
		return common.NewMacroDoc(m.Function(), d[0], common.NewExampleDoc(d[1]))
	}
	if d, ok := m.Macro.(common.Documentor); ok {
		return d.Documentation()
	}
	return common.NewMacroDoc(m.Function(), "")
}
