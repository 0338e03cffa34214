package main

import (
	"errors"
	"fmt"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

type policyCommand struct {
	Compile policyCompileCommand `cmd:"" help:"Make guards of a policy document."`
	Prompts policyPromptsCommand `cmd:"" help:"Write the prompts of the policy compiler, to change them."`

	Lint policyLintCommand `cmd:"" help:"Check guard files, also against the tools they are about."`
	Test policyTestCommand `cmd:"" help:"Run the examples of guard files."`

	Mutate   policyMutateCommand   `cmd:"" help:"Find what the examples of guard files don't tell apart."`
	Coverage policyCoverageCommand `cmd:"" help:"List the tools with their rules, and those without."`

	Sentences policySentencesCommand `cmd:"" help:"List the sentences of a policy document, and what is hidden in it."`

	Diff    policyDiffCommand    `cmd:"" help:"Say what a changed policy document changes for the company."`
	Review  policyReviewCommand  `cmd:"" help:"Show what became of each sentence of a policy document, on the terminal or as a page."`
	Approve policyApproveCommand `cmd:"" help:"Record that policies of a document were found right."`
	Archive policyArchiveCommand `cmd:"" help:"Take policies of a document out of force, with the reason."`
	Resolve policyResolveCommand `cmd:"" help:"Decide what people edited and a later run says otherwise."`
}

// policyFlags say which guards a command is about, and for which tools.
type policyFlags struct {
	scopeFlags
	Paths []string `arg:"" name:"policies" help:"Guard files, or directories of them."`
}

// scopeFlags say what tools rules are about.
type scopeFlags struct {
	Tools     []string `placeholder:"FILE" sep:"none" help:"Tool definitions that the rules are about; the server is called like the file. Repeatable."`
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

// read reads and compiles. Mistakes in guard files are no error: they are what
// some commands are about.
func (f policyFlags) read() (*policies, error) {
	scope, err := f.scope()
	if err != nil {
		return nil, err
	}
	p := &policies{scope: scope}
	for _, path := range f.Paths {
		if err := p.add(path); err != nil {
			return nil, err
		}
	}
	set, mistakes, err := compileGuards(p.files, p.scope)
	if err != nil {
		return nil, err
	}
	p.set, p.mistakes = set, append(p.mistakes, mistakes...)
	return p, nil
}

// compileGuards compiles guards. Mistakes in their files are no error.
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
		return name(g.Tool)
	case g.Server != "":
		return "every tool of " + name(g.Server)
	}
	return "every tool"
}

// scope reads the tools with their contracts.
func (f scopeFlags) scope() (guard.Deployment, error) {
	tools, err := readTools(f.Tools)
	if err != nil {
		return guard.Deployment{}, err
	}
	if f.Contracts == "" {
		return guard.Deployment{Tools: tools, Contracts: synthesized(tools)}, nil
	}
	scope := guard.Deployment{}
	if scope.Contracts, err = readContracts(f.Contracts); err != nil {
		return guard.Deployment{}, err
	}
	for _, c := range tools {
		scope.Tools = append(scope.Tools, assign(c, scope.Contracts)...)
	}
	return scope, nil
}

// synthesized makes contracts of tools that have none.
func synthesized(tools []*schema.Catalogue) []*contract.File {
	var out []*contract.File
	for _, c := range tools {
		out = append(out, synth.Contract(c))
	}
	return out
}

// add reads the guard files of a path.
func (p *policies) add(path string) error {
	names, err := yamlFiles(path, "guard", "write one file a tool, and one for every tool: docs/reference/guards.md")
	if err != nil {
		return err
	}
	for _, name := range names {
		f, err := readGuard(name)
		var mistakes guard.Errors
		switch {
		case errors.As(err, &mistakes):
			p.mistakes = append(p.mistakes, mistakes...)
		case err != nil:
			return err
		default:
			p.files = append(p.files, f)
		}
	}
	return nil
}

// readGuards reads the guard files of a path. All mistakes are reported.
func readGuards(path string) ([]*guard.File, error) {
	p := &policies{}
	if err := p.add(path); err != nil {
		return nil, err
	}
	if len(p.mistakes) > 0 {
		return nil, p.mistakes
	}
	return p.files, nil
}

func readGuard(name string) (*guard.File, error) {
	data, err := readFileOf(name, "a guard file (*.yaml) in it")
	if err != nil {
		return nil, err
	}
	return guard.Load(name, data)
}

// mistake prints one mistake in a file.
func (s *streams) mistake(m *guard.Error) {
	p := paint(s.color)
	fmt.Fprintf(s.out, "%s: %s %s\n", visible(m.Position.String()), p.bad("error:"), visible(m.Message))
	if m.Hint != "" {
		fmt.Fprintf(s.out, "  %s %s\n", p.dim("hint:"), visible(m.Hint))
	}
}
