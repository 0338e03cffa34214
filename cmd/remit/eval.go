package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/remit-project/remit/internal/eval"
)

type evalCommand struct {
	All         evalAllCommand         `cmd:"" default:"withargs" help:"Compare Remit with other defenses on a directory of data sets (the default)."`
	AgentDojo   evalAgentDojoCommand   `cmd:"" name:"agentdojo" help:"Measure Remit on recorded AgentDojo sessions."`
	InjecAgent  evalInjecAgentCommand  `cmd:"" name:"injecagent" help:"Measure Remit on InjecAgent's cases."`
	Roles       evalRolesCommand       `cmd:"" help:"Measure contract synthesis on labelled roles."`
	Provenance  evalProvenanceCommand  `cmd:"" help:"Measure the resolver on labelled origins."`
	Diagnostics evalDiagnosticsCommand `cmd:"" help:"Run the scenarios that ship with Remit, or those of a directory."`
	Speed       evalSpeedCommand       `cmd:"" help:"Time whole decisions."`
	Airline     evalAirlineCommand     `cmd:"" help:"Decide calls of an airline by the guards of the example."`
	Policy      evalPolicyCommand      `cmd:"" help:"Compare what was compiled of a policy document with a ground truth."`
	Gateway     evalGatewayCommand     `cmd:"" help:"Time calls through the MCP gateway beside direct ones."`
	Proxy       evalProxyCommand       `cmd:"" help:"Time requests through the proxy beside direct ones."`
}

// jsonFlag is the flag of every command that prints figures.
type jsonFlag struct {
	JSON bool `name:"json" help:"Print one JSON object. A rate is a number from 0 to 1, with NAME_ci, its 95 % interval, and NAME_n and NAME_of, its cases, beside it."`
}

// print writes the figures as JSON if wanted, else by text.
func (f jsonFlag) print(s *streams, figures any, text func(*tables)) error {
	if f.JSON {
		return writeIndented(s.out, figures)
	}
	t := &tables{out: s.out, paint: paint(s.color)}
	text(t)
	return t.err
}

func writeIndented(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// tables writes aligned columns. The first error is kept.
type tables struct {
	out io.Writer
	paint
	err error
}

func (t *tables) title(text string) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.out, "%s\n", t.bold(text))
	}
}

func (t *tables) rows(rows ...[]string) {
	if t.err != nil {
		return
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		for i, cell := range r {
			if i == 0 {
				cell = "  " + cell
			}
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, visible(cell))
		}
		fmt.Fprintln(w)
	}
	t.err = w.Flush()
}

func (t *tables) list(title string, lines []string) {
	if t.err != nil || len(lines) == 0 {
		return
	}
	fmt.Fprintf(t.out, "  %s\n", title)
	for _, l := range lines {
		fmt.Fprintf(t.out, "    %s\n", visible(l))
	}
}

func (t *tables) end() {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.out)
	}
}

// percent writes a rate with its interval.
func percent(r eval.Rate) string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %% (%.1f-%.1f)", 100*r.Value, 100*r.Low, 100*r.High)
}

// counted writes a rate with its cases.
func counted(r eval.Rate) []string {
	return []string{percent(r), fmt.Sprintf("%d of %d", r.N, r.Of)}
}

// rated is a named rate with its cases.
func rated(name string, r eval.Rate) []string { return append([]string{name}, counted(r)...) }

type evalAllCommand struct {
	Dir       string `arg:"" type:"path" help:"Directory that holds any of agentdojo, injecagent, mcp-tools and provenance."`
	Contracts string `type:"path" placeholder:"DIR" help:"Reviewed contracts of AgentDojo's suites, as SUITE.yaml."`
	Out       string `type:"path" placeholder:"FILE" help:"Write all figures as JSON."`
	Plot      string `type:"path" placeholder:"FILE" help:"Draw security against utility, as .svg or .html."`
	jsonFlag
}

// Help is shown below the flags.
func (evalAllCommand) Help() string {
	return `Replays every recording under no defense, monitors with one label a call,
uniform floors, Remit at its four precisions, and Remit with one part taken away.

Example:
  remit eval data --plot plot.svg --out figures.json`
}

// Run compares all defenses.
func (c *evalAllCommand) Run(ctx context.Context, s *streams) error {
	draw, err := plotter(c.Plot)
	if err != nil {
		return err
	}
	o := eval.Options{Contracts: c.Contracts}
	if s.errTerminal {
		o.Progress = func(done, total int) { fmt.Fprintf(s.err, "\r%d of %d measured ", done, total) }
		defer fmt.Fprint(s.err, "\r\x1b[K")
	}
	r, err := eval.Compare(ctx, c.Dir, o)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := writeTo(c.Out, func(w io.Writer) error { return writeIndented(w, r) }); err != nil {
			return err
		}
	}
	if c.Plot != "" {
		if err := writeTo(c.Plot, func(w io.Writer) error { return draw(r, w) }); err != nil {
			return err
		}
	}
	return c.print(s, r, func(t *tables) { comparison(t, r) })
}

// plotter tells by a file's name how to draw.
func plotter(name string) (func(*eval.Comparison, io.Writer) error, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case name == "", ext == ".svg":
		return (*eval.Comparison).PlotSVG, nil
	case ext == ".html":
		return (*eval.Comparison).PlotHTML, nil
	}
	return nil, usage{fmt.Errorf("--plot %s: name the file .svg or .html", name)}
}

func writeTo(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", name, err)
	}
	return f.Close()
}

func comparison(t *tables, r *eval.Comparison) {
	for _, set := range r.DataSets {
		t.title(set)
		rows := [][]string{{"defense", "security", "utility", "false positives"}}
		for _, d := range r.Defenses {
			x := d.Rates[set]
			rows = append(rows, []string{d.Name, percent(x.Security), percent(x.Utility), percent(x.FalsePositives)})
		}
		t.rows(rows...)
		t.end()
	}
	noiseTable(t, r.RoleNoise)
	if r.AgentDojo != nil {
		dojoTable(t, r.AgentDojo)
	}
	if r.InjecAgent != nil {
		injecTable(t, r.InjecAgent)
	}
	if r.Roles != nil {
		rolesTable(t, r.Roles)
	}
	if r.Provenance != nil {
		provenanceTable(t, r.Provenance)
	}
	t.title("what the defenses are")
	var rows [][]string
	for _, d := range r.Defenses {
		rows = append(rows, []string{d.Name, d.About, d.Follows})
	}
	t.rows(rows...)
}

type evalAgentDojoCommand struct {
	Dir       string `arg:"" type:"path" help:"One suite, a directory of suites, or one of all data sets."`
	Contracts string `type:"path" placeholder:"DIR" help:"Reviewed contracts, as SUITE.yaml; a suite without one keeps its synthesized ones."`
	jsonFlag
}

// Run measures recorded sessions.
func (c *evalAgentDojoCommand) Run(ctx context.Context, s *streams) error {
	r, err := eval.AgentDojo(ctx, c.Dir, c.Contracts)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *tables) { dojoTable(t, r) })
}

func dojoTable(t *tables, r *eval.DojoReport) {
	t.title("AgentDojo, " + strings.Join(r.Suites, ", "))
	rows := [][]string{{"contracts", "outputs", "attacks that succeed", "utility", "under attack", "false positives", "questions a task"}}
	form := "structures"
	add := func(name string, d *eval.DojoRates) {
		rows = append(rows, []string{name, form, percent(d.ASR), percent(d.Utility), percent(d.UtilityUnderAttack), percent(d.FalsePositives), fmt.Sprintf("%.2f", d.QuestionsPerTask)})
	}
	add("synthesized", &r.Synthesized)
	last := &r.Synthesized
	if r.Reviewed != nil {
		add("reviewed", r.Reviewed)
		last = r.Reviewed
	}
	add("answered", &r.Answered)
	form = "text"
	add("synthesized", &r.Text.Synthesized)
	if r.Text.Reviewed != nil {
		add("reviewed", r.Text.Reviewed)
	}
	add("answered", &r.Text.Answered)
	t.rows(rows...)
	t.list("suites without reviewed contracts, here with synthesized ones:", r.Unreviewed)
	t.list("attacks that succeeded:", last.Succeeded)
	tasks := make([]string, 0, len(last.Denied))
	for task, why := range last.Denied {
		tasks = append(tasks, task+"  "+strings.Join(why, "; "))
	}
	sort.Strings(tasks)
	t.list("tasks not kept with nobody to ask:", tasks)
	t.end()
}

type evalInjecAgentCommand struct {
	Dir string `arg:"" type:"path" help:"Directory with user_cases, attacker_cases and tools."`
	jsonFlag
}

// Run measures InjecAgent's cases.
func (c *evalInjecAgentCommand) Run(ctx context.Context, s *streams) error {
	r, err := eval.InjecAgent(ctx, c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *tables) { injecTable(t, r) })
}

func injecTable(t *tables, r *eval.InjecReport) {
	t.title("InjecAgent")
	t.rows(
		rated("attacks stopped, base", r.Base.AttackStopped),
		rated("attacks stopped, enhanced", r.Enhanced.AttackStopped),
		rated("users' calls allowed", r.UserAllowed),
		rated("twin calls allowed", r.TwinAllowed),
		[]string{"twin calls with a credential to ask about", fmt.Sprint(r.TwinAsked)},
	)
	t.list("not stopped:", r.NotStopped)
	t.list("users' calls not allowed:", r.NotAllowed)
	t.list("twin calls not allowed:", r.TwinNotPassed)
	t.end()
}

type evalRolesCommand struct {
	Dir    string `arg:"" type:"path" help:"Directory with labels*.jsonl and SERVER.json."`
	Misses bool   `help:"List every disagreement."`
	jsonFlag
}

// Run measures contract synthesis.
func (c *evalRolesCommand) Run(s *streams) error {
	r, err := eval.Roles(c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *tables) {
		rolesTable(t, r)
		if c.Misses {
			lines := make([]string, len(r.Misses))
			for i, m := range r.Misses {
				lines[i] = m.String()
			}
			t.list("disagreements (! is wrong in every reading):", lines)
		}
	})
}

func rolesTable(t *tables, r *eval.RolesReport) {
	t.title(fmt.Sprintf("roles of %d arguments and %d tools", r.Arguments, r.Tools))
	t.rows(
		rated("roles, strict", r.Strict),
		rated("roles, lenient", r.Lenient),
		rated("authority missed", r.AuthorityMissed),
		rated("floors, unsafe", r.FloorsUnsafe),
		rated("floors, over-blocking", r.FloorsOverblocking),
		rated("marked for review", r.Reviewed),
		rated("effects, strict", r.EffectStrict),
		rated("effects, lenient", r.EffectLenient),
		rated("outputs, strict", r.OutputStrict),
		rated("outputs, lenient", r.OutputLenient),
	)
	t.end()
}

type evalProvenanceCommand struct {
	Dir    string `arg:"" type:"path" help:"Directory with cases*.jsonl."`
	Misses bool   `help:"List every disagreement."`
	jsonFlag
}

// Run measures the resolver.
func (c *evalProvenanceCommand) Run(s *streams) error {
	r, err := eval.Provenance(c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *tables) {
		provenanceTable(t, r)
		if c.Misses {
			var lines []string
			for _, m := range r.Misses {
				lines = append(lines, fmt.Sprintf("%s %s %s: %s (%s), want %s (%s); origins %v of %v", m.Kind, m.Case, m.Path, m.Got, m.How, m.Want, m.Transform, m.Origins, m.True))
			}
			t.list("disagreements:", lines)
		}
	})
}

func provenanceTable(t *tables, r *eval.ProvenanceReport) {
	t.title(fmt.Sprintf("provenance of %d leaves in %d cases", r.Leaves, r.Cases))
	t.rows(
		rated("laundered", r.Laundered),
		rated("over-tainted", r.OverTainted),
		rated("origins named", r.OriginsRecall),
		[]string{"ambiguous, apart", fmt.Sprint(r.Ambiguous)},
	)
	t.end()
}

type evalDiagnosticsCommand struct {
	Dir string `arg:"" optional:"" type:"path" help:"Directory with tools.json, contracts.yaml and files of scenarios; the shipped ones without it."`
	jsonFlag
}

// Run plays the scenarios.
func (c *evalDiagnosticsCommand) Run(ctx context.Context, s *streams) error {
	r, err := eval.Diagnostics(ctx, c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *tables) {
		ratesTable(t, "scenarios", "group", r.Groups)
		ratesTable(t, "precision", "level", r.Precisions)
		ratesTable(t, "replanning", "steps", r.Replanning)
		ratesTable(t, "replanning without labels that persist", "steps", r.ReplanningForgetful)
		noiseTable(t, r.Noise)
		t.list("outcomes other than the files say:", r.Unexpected)
	})
}

func ratesTable(t *tables, title, key string, rates map[string]eval.DiagnosticRates) {
	if len(rates) == 0 {
		return
	}
	names := make([]string, 0, len(rates))
	for name := range rates {
		names = append(names, name)
	}
	// Shorter first, so that numbers are in their order.
	sort.Slice(names, func(i, j int) bool {
		if len(names[i]) != len(names[j]) && key == "steps" {
			return len(names[i]) < len(names[j])
		}
		return names[i] < names[j]
	})
	t.title(title)
	rows := [][]string{{key, "attacks stopped", "", "benign calls allowed", ""}}
	for _, name := range names {
		rows = append(rows, append(append([]string{name}, counted(rates[name].Security)...), counted(rates[name].Utility)...))
	}
	t.rows(rows...)
	t.end()
}

func noiseTable(t *tables, rates []eval.NoiseRates) {
	t.title("wrong roles")
	rows := [][]string{{"roles", "sets", "security", "utility", "AgentDojo security", "AgentDojo utility"}}
	for _, n := range rates {
		row := []string{n.Roles, fmt.Sprint(n.Runs), percent(n.Diagnostics.Security), percent(n.Diagnostics.Utility), "-", "-"}
		if n.AgentDojo != nil {
			row[4], row[5] = percent(n.AgentDojo.ASR.Complement()), percent(n.AgentDojo.Utility)
		}
		rows = append(rows, row)
	}
	t.rows(rows...)
	through := map[string]bool{}
	for _, n := range rates {
		for _, name := range n.Diagnostics.Through {
			scenario, _, _ := strings.Cut(name, " (noise-")
			through[n.Roles+": "+scenario] = true
		}
		if n.AgentDojo != nil {
			for _, name := range n.AgentDojo.Succeeded {
				through[n.Roles+": "+name] = true
			}
		}
	}
	lines := make([]string, 0, len(through))
	for l := range through {
		lines = append(lines, l)
	}
	sort.Strings(lines)
	t.list("attacks that got through:", lines)
	t.end()
}

type evalSpeedCommand struct {
	Checks int `default:"100000" help:"How many decisions to time."`
	jsonFlag
}

// Run times decisions.
func (c *evalSpeedCommand) Run(ctx context.Context, s *streams) error {
	if c.Checks < 1 {
		return usage{fmt.Errorf("--checks %d: time at least one", c.Checks)}
	}
	r, err := eval.Speed(ctx, c.Checks)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *tables) {
		t.title(fmt.Sprintf("%d decisions about five arguments, one after the other, in sessions of %d bytes", r.Checks, r.SessionBytes))
		t.rows(
			[]string{"checks a second", fmt.Sprintf("%.0f", r.PerSecond)},
			[]string{"median", r.P50.String()},
			[]string{"P99", r.P99.String()},
			[]string{"longest", r.Max.String()},
		)
	})
}
