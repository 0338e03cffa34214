package guard

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/parser"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/direct"
	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// Deployment is the tools that guards are compiled for.
type Deployment struct {
	// Tools are the definitions of the tools. Without any, arguments and results are
	// untyped JSON.
	Tools []*schema.Catalogue
	// Contracts say which tools only read. Rules may look things up with those.
	Contracts []*contract.File
	// Complete is set where there are no other tools than those of the contracts.
	Complete bool
}

// Readable is a tool that rules may look things up with.
type Readable struct {
	Server, Name string
	// Definition is nil if no catalogue has it.
	Definition *schema.Tool
}

// Readable lists the tools that rules may look things up with, in the order of the
// contracts.
func (s Deployment) Readable() []Readable {
	var out []Readable
	for _, f := range s.Contracts {
		for i := range f.Tools {
			if t := &f.Tools[i]; reads(t) {
				d, _ := definition(s.Tools, f.Server, t.Name)
				out = append(out, Readable{f.Server, t.Name, d})
			}
		}
	}
	return out
}

// toolNames lists the tools with a definition, of one server or, if none is named, of all. Where
// nothing is defined, it lists those with contracts.
func (s Deployment) toolNames(server string) []string {
	var names []string
	add := func(of, name string) {
		if server == "" || of == server {
			names = append(names, name)
		}
	}
	for _, c := range s.Tools {
		for i := range c.Tools {
			add(c.Server, c.Tools[i].Name)
		}
	}
	if len(s.Tools) > 0 {
		return names
	}

	for _, f := range s.Contracts {
		for i := range f.Tools {
			add(f.Server, f.Tools[i].Name)
		}
	}
	return names
}

// Bounds on what an expression may be.
const (
	maxNodes   = 4000 // of its syntax tree: more than any rule has that a person wrote
	maxNesting = 100  // of parentheses, calls and lists
	maxLoops   = 3    // comprehensions within each other
)

// Names of types and variables in expressions.
const (
	argsVariable    = "args"
	nowVariable     = "now"
	sessionVariable = "session"
	callVariable    = "call"

	lookupPrefix = "tools."
)

// reserved reports whether a name has a meaning in expressions already.
func reserved(name string) bool {
	return slices.Contains(label.TrustWords(), name) || slices.Contains([]string{argsVariable, nowVariable, sessionVariable, callVariable, "tools", "origin",
		"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
		"namespace", "return", "var", "void", "while",
		"bool", "bytes", "decimal", "duration", "dyn", "has", "int", "list", "map", "null_type", "optional", "string", "timestamp", "type", "uint",
		"cel", "lists", "math", "sets", "strings", "judge", "label", "date", "datetime"}, name)
}

// universe is what the guards of all servers share.
type universe struct {
	scope   Deployment
	types   *record.Types
	session sessionTypes
	base    *cel.Env
	quick   *parser.Parser
	readers []*reader
	// onlyReads are the tools that change nothing, and defined the names of all that have a
	// definition.
	onlyReads map[toolName]bool
	defined   map[string]bool
	// origins are the names that an origin can have; nil if no tool is known.
	origins []string
}

// reader is a tool that rules may look things up with.
type reader struct {
	server, tool string
	input        *schema.Node
	output       *record.Shape
}

func newUniverse(s Deployment) (*universe, error) {
	u := &universe{scope: s, types: record.NewTypes(), onlyReads: s.onlyReads(), origins: s.origins(), defined: map[string]bool{}}
	for _, name := range s.toolNames("") {
		u.defined[name] = true
	}
	u.session = declareSession(u.types)
	for _, t := range s.Readable() {
		r := &reader{server: t.Server, tool: t.Name, output: record.Anything()}
		if t.Definition != nil {
			r.input = t.Definition.Input
			if t.Definition.Output != nil {
				r.output = u.types.Add(t.Name+"/result", t.Definition.Output)
			}
		}
		u.readers = append(u.readers, r)
	}

	base, err := cel.NewCustomEnv(
		decimal.Library(),
		cel.OptionalTypes(),
		ext.Strings(), ext.Math(), ext.Lists(), ext.Sets(), ext.TwoVarComprehensions(), ext.Bindings(),
		cel.EnableMacroCallTracking(),
		cel.DefaultUTCTimeZone(true),
		cel.StrictTimestampParsing(true),
		cel.ParserExpressionSizeLimit(MaxExpression),
		cel.ParserRecursionLimit(maxNesting),
		cel.ExpressionNodeLimit(maxNodes),
		cel.ExpressionNestingDepthLimit(maxNesting),
		cel.ASTValidators(
			cel.ValidateComprehensionNestingLimit(maxLoops),
			cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(),
		),
		cel.Variable(nowVariable, cel.TimestampType),
		cel.Variable(callVariable, u.session.call.Type),
		cel.Constant(label.External.String(), cel.IntType, types.Int(label.External)),
		cel.Constant(label.ToolOutput.String(), cel.IntType, types.Int(label.ToolOutput)),
		cel.Constant(label.User.String(), cel.IntType, types.Int(label.User)),
		cel.Constant(label.Trusted.String(), cel.IntType, types.Int(label.Trusted)),
		dates(),
		u.session.library(),
	)
	if err != nil {
		return nil, fmt.Errorf("guards: %w", err)
	}
	// The types come last: libraries can't add theirs to a provider of our own.
	if u.base, err = base.Extend(cel.CustomTypeProvider(u.types.Provider(base.CELTypeProvider()))); err != nil {
		return nil, fmt.Errorf("guards: %w", err)
	}
	u.quick, err = quickParser(u.base)
	return u, err
}

// reads reports whether a tool only reads, whatever its arguments are, and none of
// them says where the call goes. A rule looks things up before it is decided whether
// the values of a call may be used at all.
func reads(t *contract.Tool) bool {
	if t.Effect != contract.Read || t.Unwrap != nil || reaches(t.Args) {
		return false
	}
	return t.Variants == nil || (!changes(t.Variants.Cases) && !slices.ContainsFunc(t.Variants.Cases, func(c contract.Case) bool { return reaches(c.Args) }))
}

// changes reports whether one of a tool's variants may do more than read.
func changes(cases []contract.Case) bool {
	return slices.ContainsFunc(cases, func(c contract.Case) bool { return c.Effect != "" && c.Effect != contract.Read })
}

func reaches(args []contract.Arg) bool {
	return slices.ContainsFunc(args, func(a contract.Arg) bool { return a.Role.AuthorityBearing() })
}

func definition(tools []*schema.Catalogue, server, tool string) (*schema.Tool, bool) {
	for _, c := range tools {
		if c.Server == server {
			return c.Tool(tool)
		}
	}
	return nil, false
}

// environment is what the guards of one server's tools share.
type environment struct {
	*universe
	env *cel.Env
	// functions are those that expressions call.
	functions *direct.Functions
	// readers are the tools to look things up with, by the names of the functions.
	readers map[string]*reader
}

// environment declares a function for each tool to look things up with: by the
// tool's name on its own server, and by the server's name and the tool's anywhere.
func (u *universe) environment(server string) (*environment, error) {
	e := &environment{universe: u, readers: map[string]*reader{}}
	taken := map[string]int{}
	for _, r := range u.readers {
		taken[word(r.tool)]++
	}
	for _, r := range u.readers {
		if r.server == server || taken[word(r.tool)] == 1 {
			e.readers[lookupPrefix+word(r.tool)] = r
		}
		if r.server != "" {
			e.readers[lookupPrefix+word(r.server)+"."+word(r.tool)] = r
		}
	}

	options := make([]cel.EnvOption, 0, len(e.readers))
	for name, r := range e.readers {
		options = append(options, cel.Function(name,
			cel.Overload(strings.ReplaceAll(name, ".", "_")+"_map", []*cel.Type{cel.MapType(cel.StringType, cel.DynType)}, r.output.Type, cel.LateFunctionBinding())))
	}

	var err error
	if e.env, err = u.base.Extend(options...); err != nil {
		return nil, fmt.Errorf("guards of server %q: %w", server, err)
	}
	e.functions = direct.NewFunctions(e.env)
	return e, nil
}

// word turns the name of a tool or server into one that expressions can use.
func word(name string) string {
	return strings.Map(func(c rune) rune {
		if isLetter(c) || isDigit(c) {
			return c
		}
		return '_'
	}, name)
}
