package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/judge"
	"github.com/remit-project/remit/internal/llm"
)

type policyCommand struct {
	Dir           string   `arg:"" type:"path" help:"Directory with the policy document, ground_truth*.json, cases*.json and tools*.json."`
	Compiled      string   `type:"path" placeholder:"DIR" help:"What remit policy compile wrote; DIR itself or DIR/policy without it."`
	TruthCompiled string   `type:"path" placeholder:"DIR" help:"Guards that were generated of the ground truth, to be measured as well."`
	Document      string   `type:"path" placeholder:"FILE" help:"The policy document."`
	Truth         string   `type:"path" placeholder:"FILE" help:"The ground truth."`
	Tools         []string `type:"path" placeholder:"FILE" sep:"none" help:"Tool definitions; the server is called like the file. Repeatable."`
	Contracts     string   `type:"path" placeholder:"DIR" help:"Contract files, which say what only reads. Without them contracts are made from the tools' schemas."`
	Records       []string `type:"path" placeholder:"PATH" sep:"none" help:"What further look-ups find: a file, or a directory of records*.jsonl. Repeatable."`
	WriteMapping  string   `type:"path" placeholder:"DIR" help:"Write the ground truth as a mapping into this directory, and measure nothing."`
	Judge         string   `placeholder:"MODEL" help:"Measure with a judge as well, as anthropic:NAME or openai:NAME; key and address are in the environment."`
	jsonFlag
}

// Help is shown below the flags.
func (policyCommand) Help() string {
	return `Compares the mapping with the ground truth, and decides its cases by the guards.

Example:
  remit-eval policy airline --compiled policy --json
  remit-eval policy airline --write-mapping truth`
}

// Run measures what was compiled of a policy document.
func (c *policyCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.WriteMapping != "" {
		return eval.WriteMapping(c.Dir, c.Truth, c.WriteMapping)
	}
	tools := c.Tools
	if len(tools) == 0 {
		var err error
		if tools, err = eval.ToolFiles(c.Dir); err != nil {
			return err
		}
	}

	scope, err := inputs.Deployment(tools, c.Contracts)
	if err != nil {
		return err
	}
	o := eval.PolicyOptions{Document: c.Document, Truth: c.Truth, Compiled: c.Compiled, TruthCompiled: c.TruthCompiled, Records: c.Records, Deployment: scope}
	if c.Judge != "" {
		e, err := llm.Named(c.Judge)
		if err != nil {
			return command.UsageError(err)
		}
		if o.Judge, err = judge.New(e.FromEnvironment(os.LookupEnv)); err != nil {
			return command.UsageError(err)
		}
	}
	r, err := eval.Policy(ctx, c.Dir, o)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { policyTables(t, r) })
}

func policyTables(t *command.Tables, r *eval.PolicyReport) {
	if m := r.Mapping; m != nil {
		t.Title("document: " + r.Document)
		mappingTables(t, m)
	}
	if g := r.Guards; g != nil {
		generatedTables(t, "guards of the mapping", g)
	}
	if g := r.JudgedGuards; g != nil {
		generatedTables(t, "guards of the mapping, with the judge", g)
	}
	if g := r.TruthGuards; g != nil {
		generatedTables(t, "guards of the ground truth", g)
	}
	t.List("notes:", r.Notes)
	t.End()
}

func mappingTables(t *command.Tables, m *eval.MappingReport) {
	t.Title("the mapping beside the ground truth, by pairs of tool and sentence")
	rows := [][]string{{"tool", "precision", "", "recall", "", "alike divided"}}
	row := func(name string, r *eval.MappingRates) {
		cells := append(rated(name, r.Precision), counted(r.Recall)...)
		rows = append(rows, append(cells, share(r.References)))
	}
	for _, tool := range slices.Sorted(maps.Keys(m.ByTool)) {
		row(tool, m.ByTool[tool])
	}

	row("all", &m.MappingRates)
	t.Rows(rows...)
	t.Rows(
		rated("policies that are the same, of the mapping's", m.Items.Precision),
		rated("policies that are the same, of the truth's", m.Items.Recall),
	)
	pairs(t, "missed:", m.Missed)
	pairs(t, "extra:", m.Extra)
	pairs(t, "references that stand nowhere in the document:", m.Foreign)
	pairs(t, "references of the truth that stand nowhere in the document, left out:", m.Unplaced)
	pairs(t, "for every tool, left out:", m.EveryTool)
	pairs(t, "archived:", m.Archived)
	t.End()
}

func share(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *x)
}

func pairs(t *command.Tables, title string, all []eval.MappingPair) {
	lines := make([]string, len(all))
	for i, p := range all {
		lines[i] = fmt.Sprintf("%s  %s (%s)", p.Tool, p.Sentence, strings.Join(p.Policies, ", "))
	}
	t.List(title, lines)
}

func generatedTables(t *command.Tables, title string, g *eval.GuardReport) {
	t.Title(title)
	t.Rows(
		rated("forbidden calls denied by a rule (tpr)", g.Truth.TPR),
		rated("allowed calls stopped by a rule", g.Truth.AllowRight.Complement()),
		[]string{"of these, denied for words alone", fmt.Sprint(g.Truth.Words)},
		[]string{"of these, only asked about", fmt.Sprint(g.Truth.AskedAllowed)},
		[]string{"of these, asked about: look-up not proven", fmt.Sprint(g.Truth.UnprovenAllowed)},
		rated("denials by a rule that the case breaks", g.Truth.RightRule),
		rated("literal cases, denied", g.Literal.TPR),
		rated("literal cases, allowed", g.Literal.AllowRight),
		rated("interpretive cases, denied", g.Interpretive.TPR),
		rated("interpretive cases, allowed", g.Interpretive.AllowRight),
		rated("all tools, denied", g.All.TPR),
		rated("all tools, allowed", g.All.AllowRight),
		[]string{"only stopped by a rule without expression", fmt.Sprint(g.Truth.Unenforced)},
		[]string{"only stopped by a rule that could not be decided", fmt.Sprint(g.Truth.Undecided)},
		[]string{"only asked about", fmt.Sprint(g.Truth.Asked)},
		[]string{"asked about: look-up not proven", fmt.Sprint(g.Truth.Unproven)},
		[]string{"policies with an expression", fmt.Sprintf("%d of %d", g.Enforced, g.Policies)},
		[]string{"mutants killed by examples", fmt.Sprintf("%d of %d", g.Killed, g.Killed+g.Survived)},
	)

	timesTables(t, g.Times)
	lines := make([]string, len(g.Wrong))
	for i, m := range g.Wrong {
		lines[i] = m.Summary()
	}
	t.List("decided otherwise:", lines)
	t.List("mistakes:", g.Mistakes)
	if c := g.Conversations; c != nil {
		t.Rows(
			rated("conversations that pass", c.Passed),
			[]string{"of the others, only asked about", fmt.Sprint(c.Asked)},
			[]string{"of the others, asked about: look-up not proven", fmt.Sprint(c.Unproven)},
			[]string{"of the others, denied for words alone", fmt.Sprint(c.Words)},
			rated("conversations that are denied, of those to be denied", c.Denied),
			[]string{"of the others, stopped in another way", fmt.Sprint(c.Held)},
			[]string{"questions of conversations that words leave to a judge", fmt.Sprint(c.Questions)},
			[]string{"conversations that can't be measured: calls without a known result", fmt.Sprint(len(c.Unmeasured))},
		)
		lines = nil
		for _, m := range c.Wrong {
			lines = append(lines, m.Summary())
		}
		t.List("conversations decided otherwise:", lines)
	}
	t.End()
}

// timesTables shows what the rules take; nothing where no call was timed.
func timesTables(t *command.Tables, d *eval.DecisionTimes) {
	if d == nil {
		return
	}
	row := func(what string, s eval.Spread) []string {
		floors := ""
		if d.Floor.P50 > 0 {
			floors = fmt.Sprintf("%.1f", float64(s.P50)/float64(d.Floor.P50))
		}
		return []string{what, fmt.Sprint(s.P50), fmt.Sprint(s.P99), floors}
	}

	t.Title(fmt.Sprintf("the time of all rules for the calls of %d cases, with what they look up at hand", d.Calls))
	t.Rows(
		[]string{"", "P50", "P99", "floors"},
		row("the first decision of a session", d.First),
		row("of a session that was restored, with nothing read ahead", d.Restored),
		row("the same call again", d.Again),
		row("the first one after another turn of the user's", d.Turn),
		row("before it: telling that turn, with what is read ahead", d.Told),
		row("floor: reading the arguments and what is looked up", d.Floor),
	)
}
