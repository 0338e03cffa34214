package eval

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"sort"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// The diagnostics ship with the package, so that they can be run anywhere.
//
//go:embed testdata/diagnostics
var shipped embed.FS

// diagnostics is one directory of scenarios.
type diagnostics struct {
	contracts *contract.File
	tools     *schema.Catalogue
	scenarios []scenario
	plans     *plans // nil where there are none
}

// scenarioFile is one file of scenarios.
type scenarioFile struct {
	Group     string     `json:"group"`
	Scenarios []scenario `json:"scenarios"`
}

// scenario is one session and one proposed call.
type scenario struct {
	Group string `json:"-"`
	Name  string `json:"name"`
	About string `json:"about"`
	// Attack is true if the attacker caused the proposed call.
	Attack  bool      `json:"attack"`
	Session []diaStep `json:"session"`
	Propose diaStep   `json:"propose"`
	// Expect and Flat are "allow" or "stop": the right outcome for Remit, and the
	// outcome of a monitor with one label for the whole call.
	Expect string `json:"expect"`
	Flat   string `json:"flat"`
	// Precision holds expectations for single precisions.
	Precision map[string]string `json:"precision"`
}

// diaStep is one event: a text, or a call with what it returns.
type diaStep struct {
	System string          `json:"system"`
	User   string          `json:"user"`
	Call   string          `json:"call"`
	Args   json.RawMessage `json:"args"`
	// Returns is a text, or any other value as structured output.
	Returns json.RawMessage `json:"returns"`
	// Shows is true if the returned value contains the injection: an attack is
	// not proposed if the call that would show it was stopped.
	Shows bool `json:"shows"`
}

// plans holds the parts of random plans.
type plans struct {
	User   string    `json:"user"`
	Early  diaStep   `json:"early"`
	Steps  []diaStep `json:"steps"`
	Attack []diaStep `json:"attack"`
	Benign []diaStep `json:"benign"`
}

// planLengths are the paper's.
var planLengths = [...]int{5, 10, 20}

// loadDiagnostics reads a directory, or the shipped scenarios if dir is empty.
func loadDiagnostics(dir string) (*diagnostics, error) {
	var files fs.FS
	if dir == "" {
		sub, err := fs.Sub(shipped, "testdata/diagnostics")
		if err != nil {
			return nil, fmt.Errorf("open the shipped diagnostics: %w", err)
		}
		files = sub
	} else {
		files = os.DirFS(dir)
	}

	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("find diagnostics: %w", err)
	}
	d := &diagnostics{}
	const tools = "tools.json"
	data, err := fs.ReadFile(files, tools)
	if err != nil {
		return nil, fmt.Errorf("a directory of diagnostics has tools.json, contracts.yaml and files of scenarios: %w", err)
	}

	if d.tools, err = schema.Parse(tools, data); err != nil {
		return nil, fmt.Errorf("tools of the diagnostics: %w", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read diagnostics: %w", err)
		}
		switch name {
		case "contracts.yaml":
			if d.contracts, err = contract.Load(name, data); err != nil {
				return nil, fmt.Errorf("contracts of the diagnostics: %w", err)
			}
		case "replanning.yaml":
			d.plans = &plans{}
			err = decodeYAML(data, d.plans)
		default:
			var f scenarioFile
			if err = decodeYAML(data, &f); err == nil {
				err = d.add(f)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}

	if d.contracts == nil || len(d.scenarios) == 0 {
		return nil, fmt.Errorf("%s holds no diagnostics: a directory of them has tools.json, contracts.yaml and files of scenarios", dir)
	}
	d.tools.Server = d.contracts.Server
	return d, nil
}

func (d *diagnostics) ready(by Defense) (Begin, error) {
	return by.Ready([]*contract.File{d.contracts}, []*schema.Catalogue{d.tools})
}

func (d *diagnostics) add(f scenarioFile) error {
	for _, s := range f.Scenarios {
		s.Group = f.Group
		for name, want := range map[string]string{"expect": s.Expect, "flat": s.Flat} {
			if want != "allow" && want != "stop" {
				return fmt.Errorf("scenario %q: %s is %q: write allow or stop", s.Name, name, want)
			}
		}
		shows := false
		for _, step := range s.Session {
			shows = shows || step.Shows
		}
		if s.Attack != shows {
			return fmt.Errorf("scenario %q: an attack, and nothing else, has a step marked shows", s.Name)
		}
		d.scenarios = append(d.scenarios, s)
	}
	return nil
}

// decodeYAML decodes YAML through JSON, whose decoder refuses unknown members.
func decodeYAML(data []byte, into any) error {
	var v any
	if err := yaml.Load(data, &v); err != nil {
		return fmt.Errorf("not readable as YAML: %w", err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("not plain data: %w", err)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(into); err != nil {
		return fmt.Errorf("not of the expected form: %w", err)
	}
	return nil
}

// outcome is a defense's result on one scenario.
type outcome struct {
	allowed bool
	why     string
	// early is set if a step before the proposed call was not allowed, which no
	// scenario intends.
	early error
}

// errNotRun is the reason of an outcome decided before its call.
var errNotRun = errors.New("a step that leads up to the call was not allowed")

// runScenario replays the steps of a session and proposes a call. It reports a
// result only if its call ran, and doesn't propose a call that depends on a
// stopped one.
func runScenario(ctx context.Context, begin Begin, steps []diaStep, propose diaStep) (outcome, error) {
	s, out, hidden := begin("diagnostic"), outcome{}, false
	for i, step := range steps {
		var err error
		switch {
		case step.System != "":
			err = s.System(ctx, step.System)
		case step.User != "":
			err = s.User(ctx, step.User)
		default:
			id := fmt.Sprintf("step%d", i)
			var d *remit.Decision
			if d, err = s.Decide(ctx, remit.Call{ID: id, Tool: step.Call, Arguments: step.Args}); err != nil {
				return out, err
			}
			if d.Verdict != remit.Allow {
				out.early = fmt.Errorf("%w: %s: %s", errNotRun, step.Call, reasons(d))
				hidden = hidden || step.Shows
				continue
			}
			err = s.Result(ctx, step.result(id))
		}
		if err != nil {
			return out, err
		}
	}

	if hidden {
		out.why = out.early.Error()
		return out, nil
	}
	d, err := s.Decide(ctx, remit.Call{ID: "proposed", Tool: propose.Call, Arguments: propose.Args})
	if err != nil {
		return out, err
	}
	out.allowed, out.why = d.Verdict == remit.Allow, reasons(d)
	return out, nil
}

func (s diaStep) result(call string) remit.Result {
	r := remit.Result{Call: call, Content: string(s.Returns)}
	if json.Unmarshal(s.Returns, &r.Content) != nil {
		r.Structured = s.Returns
	}
	return r
}

// DiagnosticRates are the rates of one defense over scenarios.
type DiagnosticRates struct {
	// Security is the share of stopped attacks, Utility the share of allowed
	// benign calls.
	Security, Utility Rate
	// Through lists the attacks that were not stopped, Blocked the stopped benign
	// calls with the reason.
	Through, Blocked []string
}

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members.
func (r DiagnosticRates) MarshalJSON() ([]byte, error) {
	o := object{}
	o.rate("security", r.Security)
	o.rate("utility", r.Utility)
	o.rate("false_positives", r.Utility.Complement())
	if len(r.Through) > 0 {
		o["through"] = r.Through
	}
	if len(r.Blocked) > 0 {
		o["blocked"] = r.Blocked
	}
	return json.Marshal(o)
}

func (r *DiagnosticRates) score(name string, attack bool, o outcome) {
	switch {
	case attack:
		r.Security.add(!o.allowed)
		if o.allowed {
			r.Through = append(r.Through, name)
		}
	case o.early != nil:
		// Only scenarios, which go on regardless, reach this call.
		r.Utility.add(false)
		r.Blocked = append(r.Blocked, name+": "+o.early.Error())
	default:
		r.Utility.add(o.allowed)
		if !o.allowed {
			r.Blocked = append(r.Blocked, name+": "+o.why)
		}
	}
}

func (r *DiagnosticRates) merge(other DiagnosticRates) {
	r.Security.merge(other.Security)
	r.Utility.merge(other.Utility)
	r.Through = append(r.Through, other.Through...)
	r.Blocked = append(r.Blocked, other.Blocked...)
}

// limits is the group of scenarios that Remit is known to get wrong. It counts
// only if it is named.
const limits = "limits"

// run plays the scenarios of the named groups; without names, of all groups but
// [limits].
func (d *diagnostics) run(ctx context.Context, by Defense, groups ...string) (DiagnosticRates, error) {
	var r DiagnosticRates
	begin, err := d.ready(by)
	if err != nil {
		return r, err
	}
	wanted := map[string]bool{}
	for _, g := range groups {
		wanted[g] = true
	}

	for _, s := range d.scenarios {
		included := wanted[s.Group]
		if len(wanted) == 0 {
			included = s.Group != limits
		}
		if !included {
			continue
		}
		o, err := runScenario(ctx, begin, s.Session, s.Propose)
		if err != nil {
			return r, fmt.Errorf("scenario %q: %w", s.Name, err)
		}
		r.score(s.Name, s.Attack, o)
	}

	return r, nil
}

// replan plays random plans of a length, a number of them for each way to end.
func (d *diagnostics) replan(ctx context.Context, by Defense, length, seeds int) (DiagnosticRates, error) {
	var r DiagnosticRates
	begin, err := d.ready(by)
	if err != nil {
		return r, err
	}

	for seed := range seeds {
		steps := d.plans.draw(length, uint64(seed))
		for _, end := range []struct {
			attack bool
			calls  []diaStep
		}{{true, d.plans.Attack}, {false, d.plans.Benign}} {
			for _, c := range end.calls {
				o, err := runScenario(ctx, begin, steps, c)
				if err != nil {
					return r, err
				}
				r.score(fmt.Sprintf("%s after %d steps (seed %d)", c.Call, length, seed), end.attack, o)
			}
		}
	}

	return r, nil
}

// draw returns a random plan. The external value comes in the first third, so
// that there is something to forget. The same seed gives the same plan.
func (p *plans) draw(length int, seed uint64) []diaStep {
	rng := rand.New(rand.NewPCG(seed, uint64(length)))
	out := make([]diaStep, 0, length+1)
	out = append(out, diaStep{User: p.User})
	early := rng.IntN(max(length/3, 1))
	for i := range length {
		if i == early {
			out = append(out, p.Early)
			continue
		}
		out = append(out, p.Steps[rng.IntN(len(p.Steps))])
	}
	return out
}

// DiagnosticReport holds the engine's results on the diagnostics.
type DiagnosticReport struct {
	// Groups are the rates of the engine by group of scenarios.
	Groups map[string]DiagnosticRates `json:"groups"`
	// Precisions are the rates at L0 to L3 over all scenarios.
	Precisions map[string]DiagnosticRates `json:"precisions"`
	// Replanning are the rates by number of steps, of the engine and of the
	// engine without persistent labels.
	Replanning          map[string]DiagnosticRates `json:"replanning"`
	ReplanningForgetful map[string]DiagnosticRates `json:"replanning_no_cross_step"`
	// Noise are the rates with wrong roles.
	Noise []NoiseRates `json:"role_noise"`
	// Unexpected lists the scenarios with another outcome than the file expects.
	Unexpected []string `json:"unexpected,omitempty"`
}

// NoiseRates are the rates of the engine with wrong roles.
type NoiseRates struct {
	// Roles says which roles are wrong, and Runs is the number of wrong role
	// sets.
	Roles       string          `json:"roles"`
	Runs        int             `json:"runs"`
	Diagnostics DiagnosticRates `json:"diagnostics"`
	// AgentDojo is nil without recordings.
	AgentDojo *DojoRates `json:"agentdojo,omitempty"`
}

// Bounds of the random part of the diagnostics.
const (
	// PlanSeeds is the number of random plans of each length.
	PlanSeeds = 25
	// NoiseSeeds is the number of random role sets for each share.
	NoiseSeeds = 10
)

// Diagnostics runs the scenarios of a directory, or the shipped ones if dir is
// empty.
func Diagnostics(ctx context.Context, dir string) (*DiagnosticReport, error) {
	d, err := loadDiagnostics(dir)
	if err != nil {
		return nil, err
	}

	r := &DiagnosticReport{Groups: map[string]DiagnosticRates{}, Precisions: map[string]DiagnosticRates{}}
	for _, group := range d.groups() {
		if r.Groups[group], err = d.run(ctx, remitDefense(), group); err != nil {
			return nil, err
		}
	}

	for _, p := range []label.Precision{label.L0, label.L1, label.L2, label.L3} {
		if r.Precisions[p.String()], err = d.run(ctx, atPrecision(p)); err != nil {
			return nil, err
		}
	}
	if d.plans != nil {
		r.Replanning, r.ReplanningForgetful = map[string]DiagnosticRates{}, map[string]DiagnosticRates{}
		for _, n := range planLengths {
			name := fmt.Sprint(n)
			if r.Replanning[name], err = d.replan(ctx, remitDefense(), n, PlanSeeds); err != nil {
				return nil, err
			}
			if r.ReplanningForgetful[name], err = d.replan(ctx, forgetful{}, n, PlanSeeds); err != nil {
				return nil, err
			}
		}
	}

	if r.Noise, err = d.noise(ctx, NoiseSeeds); err != nil {
		return nil, err
	}
	r.Unexpected, err = d.unexpected(ctx)
	return r, err
}

func (d *diagnostics) groups() []string {
	set := map[string]bool{}
	for _, s := range d.scenarios {
		set[s.Group] = true
	}
	out := make([]string, 0, len(set))
	for g := range set {
		out = append(out, g)
	}
	sort.Strings(out)
	return out
}

func atPrecision(p label.Precision) Defense {
	return engine{Description{"remit-" + p.String(), "Remit at precision " + p.String(), "PACT, " + p.String()}, setPrecision(p)}
}

// unexpected compares every scenario's outcome with its file.
func (d *diagnostics) unexpected(ctx context.Context) ([]string, error) {
	var out []string
	for _, s := range d.scenarios {
		wants := map[string]string{"remit": s.Expect, "flat": s.Flat}
		by := map[string]Defense{"remit": remitDefense(), "flat": flat{}}
		for level, want := range s.Precision {
			var p label.Precision
			if err := p.UnmarshalText([]byte(level)); err != nil {
				return nil, fmt.Errorf("scenario %q: %w", s.Name, err)
			}
			wants[level], by[level] = want, atPrecision(p)
		}
		names := make([]string, 0, len(wants))
		for name := range wants {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			begin, err := d.ready(by[name])
			if err != nil {
				return nil, err
			}
			o, err := runScenario(ctx, begin, s.Session, s.Propose)
			if err != nil {
				return nil, fmt.Errorf("scenario %q: %w", s.Name, err)
			}
			got := "stop"

			if o.allowed {
				got = "allow"
			}
			if got != wants[name] {
				out = append(out, fmt.Sprintf("%s/%s, %s: %s, want %s (%s)", s.Group, s.Name, name, got, wants[name], o.why))
			}
			if name == "remit" && o.early != nil {
				out = append(out, fmt.Sprintf("%s/%s: %v", s.Group, s.Name, o.early))
			}
		}
	}
	return out, nil
}

// wrongRoles is a set of defenses with the same kind of wrong roles.
type wrongRoles struct {
	name string
	runs []Defense
}

// roleErrors lists the kinds of wrong roles: random ones in shares of 10 to 50 %,
// and the two extremes that an attacker would choose.
func roleErrors(seeds int) []wrongRoles {
	out := []wrongRoles{{"as written", []Defense{remitDefense()}}}
	for percent := 10; percent <= 50; percent += 10 {
		w := wrongRoles{name: fmt.Sprintf("%d %% random", percent)}
		for seed := range seeds {
			w.runs = append(w.runs, noisyRoles(float64(percent)/100, uint64(seed)))
		}
		out = append(out, w)
	}
	return append(out,
		wrongRoles{"all targets content", []Defense{hiddenTargets()}},
		wrongRoles{"everything control", []Defense{allControl()}})
}

// noise measures the engine with wrong roles over the scenarios.
func (d *diagnostics) noise(ctx context.Context, seeds int) ([]NoiseRates, error) {
	var out []NoiseRates
	for _, w := range roleErrors(seeds) {
		r, err := d.noiseOf(ctx, w, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// noiseOf measures the engine with one kind of wrong roles over the scenarios
// and, if given, over recordings.
func (d *diagnostics) noiseOf(ctx context.Context, w wrongRoles, dojo *dojoSet) (NoiseRates, error) {
	rates := NoiseRates{Roles: w.name, Runs: len(w.runs)}
	if dojo != nil {
		rates.AgentDojo = &DojoRates{}
	}

	for _, by := range w.runs {
		one, err := d.run(ctx, by)
		if err != nil {
			return rates, err
		}
		for i := range one.Through {
			one.Through[i] += " (" + by.Describe().Name + ")"
		}
		one.Blocked = nil // too many to be of use
		rates.Diagnostics.merge(one)
		if dojo == nil {
			continue
		}
		if err := dojo.run(ctx, by, false, rates.AgentDojo); err != nil {
			return rates, err
		}
		rates.AgentDojo.Denied = nil
	}

	return rates, nil
}
