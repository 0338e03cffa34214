package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/pattern"
)

type policyCommand struct {
	Compile policyCompileCommand `cmd:"" help:"Compile a policy document into guards."`
	Prompts policyPromptsCommand `cmd:"" help:"Write the prompts of the policy compiler to files, to change them."`

	Lint policyLintCommand `cmd:"" help:"Check guard files, also against the tools they are about."`
	Test policyTestCommand `cmd:"" help:"Run the examples of guard files."`

	Mutate   policyMutateCommand   `cmd:"" help:"Find changes of rules that the examples of guard files don't notice."`
	Coverage policyCoverageCommand `cmd:"" help:"List the tools with the number of their policies, and the tools without policies."`

	Sentences policySentencesCommand `cmd:"" help:"List the sentences of a policy document, and what is hidden in it."`

	Diff    policyDiffCommand    `cmd:"" help:"Show what a changed policy document changes for the company."`
	Review  policyReviewCommand  `cmd:"" help:"Show what became of each sentence of a policy document, on the terminal or as a page."`
	Approve policyApproveCommand `cmd:"" help:"Record that policies of a document are right."`
	Archive policyArchiveCommand `cmd:"" help:"Take policies of a document out of force, with the reason."`
	Resolve policyResolveCommand `cmd:"" help:"Resolve conflicts between edits and a recompilation."`
}

// policyFlags say which guards a command is about, and for which tools.
type policyFlags struct {
	deploymentFlags
	Paths []string `arg:"" name:"policies" help:"Guard files, or directories of them."`
}

// deploymentFlags name the tools that guards are compiled for.
type deploymentFlags struct {
	Tools     []string `placeholder:"FILE" sep:"none" help:"Tool definitions; the name of the file is that of the server. Repeatable."`
	Contracts string   `placeholder:"DIR" help:"Contract files, which say what only reads. Without them contracts are made from the tools' schemas."`
}

// policies are guards with what they were read from.
type policies struct {
	files []*guard.File
	scope guard.Deployment
	set   *guard.Set
	// mistakes are those of all files, in their order; nil when there are none.
	mistakes guard.Errors
}

// read reads and compiles. Mistakes in guard files are not an error: they are what
// some commands are about.
func (f policyFlags) read() (*policies, error) {
	scope, err := f.scope()
	if err != nil {
		return nil, err
	}
	p := &policies{scope: scope}
	for _, path := range f.Paths {
		files, mistakes, err := inputs.LintGuards(path)
		if err != nil {
			return nil, err
		}
		p.files, p.mistakes = append(p.files, files...), append(p.mistakes, mistakes...)
	}
	return p, p.compile()
}

// compile compiles the files for their deployment.
func (p *policies) compile() error {
	if len(p.scope.Tools) == 0 && len(p.scope.Contracts) == 0 && looksUp(p.files) {
		return hint.Wrap(errors.New("the rules look things up with tools, and no tools are given"),
			"give their definitions: --tools FILE, what tools/list of the servers returns")
	}

	set, mistakes, err := compileGuards(p.files, p.scope)
	if err != nil {
		return err
	}
	p.set, p.mistakes = set, append(p.mistakes, mistakes...)
	return nil
}

// test runs the examples of the rules.
func (p *policies) test(ctx context.Context) []guardtest.Result {
	var results []guardtest.Result
	for _, g := range p.set.Guards() {
		results = append(results, guardtest.Run(ctx, g)...)
	}
	return results
}

// sayUnchecked says on standard error that tools are missing, where there are none.
func (p *policies) sayUnchecked(s *command.Streams) {
	if len(p.scope.Tools) == 0 {
		fmt.Fprintln(s.Err, "note: no tool definitions are given, so that names and types of arguments are not checked: --tools FILE")
	}
}

// lookUp is the beginning of a look-up in an expression.
var lookUp = pattern.OnUse(`\btools\s*\.`)

// looksUp reports whether rules look things up.
func looksUp(files []*guard.File) bool {
	for _, f := range files {
		for _, p := range f.Policies {
			looks := lookUp().MatchString(p.Require.Text)
			if looks || slices.ContainsFunc(p.Variables, func(v guard.Variable) bool { return lookUp().MatchString(v.Value.Text) }) {
				return true
			}
		}
	}
	return false
}

// compileGuards compiles guards. Mistakes in their files are not an error.
func compileGuards(files []*guard.File, scope guard.Deployment) (*guard.Set, guard.Errors, error) {
	set, err := guard.Compile(files, scope)
	var mistakes guard.Errors
	if err != nil && !errors.As(err, &mistakes) {
		return nil, nil, err
	}
	return set, mistakes, nil
}

// concerning says whose calls a guard is about.
func concerning(g *guard.Guard) string {
	switch {
	case g.Tool != guard.EveryTool:
		return display.Name(g.Tool)
	case g.Server != "":
		return "every tool of " + display.Name(g.Server)
	}
	return "every tool"
}

// flags returns the flags as they are given to other commands.
func (f deploymentFlags) flags() []string {
	var out []string
	for _, name := range f.Tools {
		out = append(out, "--tools", name)
	}
	if f.Contracts != "" {
		out = append(out, "--contracts", f.Contracts)
	}
	return out
}

// scope reads the tools with their contracts.
func (f deploymentFlags) scope() (guard.Deployment, error) {
	return inputs.Deployment(f.Tools, f.Contracts)
}

// printMistakes prints the mistakes of guard files, and how many there are, which is read last.
func (p *policies) printMistakes(s *command.Streams) {
	if len(p.mistakes) == 0 {
		return
	}
	files, absent, idle := map[string]bool{}, 0, 0
	for _, m := range p.mistakes {
		printMistake(s, m)
		files[m.Position.File] = true
		switch {
		case errors.Is(m, guard.ErrNoTool):
			absent++
		case errors.Is(m, guardtest.ErrExample):
			idle++
		}
	}

	var consequences []string
	if absent > 0 {
		consequences = append(consequences, "a rule for a tool that there isn't decides no call of it")
	}
	if absent+idle < len(p.mistakes) {
		consequences = append(consequences, "a file with an error denies all calls that it is about")
	}
	if idle > 0 {
		consequences = append(consequences, "an example with an error shows nothing of its rule, which is in force")
	}
	fmt.Fprintf(s.Out, "%s: %s in %s; %s\n", display.Paint(s.Color).Bad("failed"),
		display.Count(len(p.mistakes), "error", "errors"), display.Count(len(files), "file", "files"), strings.Join(consequences, ", and "))
}

// printMistake prints one mistake in a file.
func printMistake(s *command.Streams, m *guard.Error) {
	p := display.Paint(s.Color)
	fmt.Fprintf(s.Out, "%s: %s %s\n", display.Line(m.Position.String()), p.Bad("error:"), display.Line(m.Message))
	if m.Hint != "" {
		fmt.Fprintf(s.Out, "  %s %s\n", p.Dim("hint:"), display.Line(m.Hint))
	}
}
