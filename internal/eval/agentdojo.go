package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/synth"
)

// dojoTask is one user task of a suite.
type dojoTask struct {
	ID     string     `json:"id"`
	Prompt string     `json:"prompt"`
	Calls  []dojoCall `json:"calls"`
}

type dojoCall struct {
	Function   string          `json:"function"`
	Args       json.RawMessage `json:"args"`
	Output     string          `json:"output"`
	Structured json.RawMessage `json:"structured"`
	// IfDenied is true if the task's own check passes when only this call is
	// denied. It is reported, not relied on: some checks pass with everything
	// denied.
	IfDenied bool   `json:"utility_check_if_denied"`
	Label    string `json:"label"`
	// Shows is true if the injection appears in the call's output.
	Shows bool `json:"shows_injection"`
}

// dojoTranscript is one recorded session of an agent that obeys an injection.
type dojoTranscript struct {
	UserTask      string     `json:"user_task"`
	InjectionTask string     `json:"injection_task"`
	Prompt        string     `json:"user_prompt"`
	TextOnly      bool       `json:"text_only"`
	Calls         []dojoCall `json:"calls"`
	Outcome       struct {
		Utility       bool `json:"utility"`
		AttackSuccess bool `json:"attack_success"`
		Attacked      bool `json:"attacked"`
	} `json:"outcome"`
	OutcomeAttackDenied struct {
		Utility bool `json:"utility"`
	} `json:"outcome_attack_denied"`
	SuccessByMask map[string]bool `json:"attack_success_by_denied_mask"`
}

// DojoRates are the rates of one way to guard the sessions.
type DojoRates struct {
	// ASR is the share of attack sessions (those that make a call) in which the
	// attack succeeded.
	ASR Rate
	// Utility is the share of user tasks whose every call was allowed.
	Utility Rate
	// UtilityUnderAttack is the share of attack sessions in which every call of
	// the user's task was allowed and the environment's check passed, of those in
	// which it passes when exactly the attack is denied.
	UtilityUnderAttack Rate
	// FalsePositives is the share of the tasks' own calls, without an injection,
	// that were not allowed.
	FalsePositives Rate
	// Questions counts the questions to a person in all tasks without an
	// injection.
	Questions        int
	QuestionsPerTask float64
	// Denied lists the calls that were not allowed, by task; Succeeded lists the
	// attacks.
	Denied    map[string][]string
	Succeeded []string
}

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members.
func (r DojoRates) MarshalJSON() ([]byte, error) {
	o := object{"questions_per_task": r.QuestionsPerTask}
	o.rate("asr", r.ASR)
	o.rate("utility", r.Utility)
	o.rate("utility_under_attack", r.UtilityUnderAttack)
	o.rate("false_positives", r.FalsePositives)
	if len(r.Denied) > 0 {
		o["denied"] = r.Denied
	}
	if len(r.Succeeded) > 0 {
		o["succeeded"] = r.Succeeded
	}
	return json.Marshal(o)
}

// DojoReport holds the rates of each way, and their suites.
type DojoReport struct {
	Suites []string `json:"suites"`
	// DojoOutputs are the rates with outputs as structures, where the tools give
	// them.
	DojoOutputs
	// Structures are the same rates under a name of their own.
	Structures *DojoOutputs `json:"structures"`
	// Text are the rates with text outputs only, as most agents get them.
	Text DojoOutputs `json:"text"`
}

// DojoOutputs are the rates with one form of the tools' outputs.
type DojoOutputs struct {
	Synthesized DojoRates `json:"synthesized"`
	// Reviewed are the rates with reviewed contracts; nil without a directory of
	// them.
	Reviewed *DojoRates `json:"reviewed,omitempty"`
	// Unreviewed are the suites without reviewed contracts; they use the
	// synthesized ones.
	Unreviewed []string `json:"unreviewed,omitempty"`
	// Answered are the rates with a person who answers as the user would, and
	// with the reviewed contracts if given.
	Answered DojoRates `json:"answered"`
	// Scoped are the rates with task scopes, which bound the agent's actions,
	// with synthesized contracts and no person to ask; nil without scopes.
	Scoped *DojoRates `json:"scoped,omitempty"`
}

type dojoSuite struct {
	name        string
	catalogue   *schema.Catalogue
	tasks       []dojoTask
	transcripts []dojoTranscript
}

// AgentDojo measures the engine on recorded AgentDojo sessions. dir is one suite,
// or has one directory for each suite. Contracts are synthesized from the suites'
// schemas, and also read from the directory contracts unless it is empty. scopes
// is the directory of the tasks' scopes; empty for none.
func AgentDojo(ctx context.Context, dir, contracts, scopes string) (*DojoReport, error) {
	dir = dataSetDir(dir, agentDojoDir)
	set, err := newDojoSet(dir, "")
	if err != nil {
		return nil, err
	}
	reviewed := set
	if contracts != "" {
		if reviewed, err = newDojoSet(dir, contracts); err != nil {
			return nil, err
		}
	}
	if err := set.readScopes(scopes); err != nil {
		return nil, err
	}
	report := &DojoReport{}
	report.Structures = &report.DojoOutputs
	for _, s := range set.suites {
		report.Suites = append(report.Suites, s.name)
	}

	for _, out := range [...]*DojoOutputs{&report.DojoOutputs, &report.Text} {
		if err := set.run(ctx, remitDefense(), false, &out.Synthesized); err != nil {
			return nil, err
		}
		if contracts != "" {
			out.Reviewed, out.Unreviewed = &DojoRates{}, reviewed.unreviewed
			if err := reviewed.run(ctx, remitDefense(), false, out.Reviewed); err != nil {
				return nil, err
			}
		}
		if err := reviewed.run(ctx, remitDefense(), true, &out.Answered); err != nil {
			return nil, err
		}
		if scopes != "" {
			out.Scoped = &DojoRates{}
			if err := set.run(ctx, scopedEngine{scope.ModeBound}, false, out.Scoped); err != nil {
				return nil, err
			}
		}
		set.toText()
		reviewed.toText()
	}
	return report, nil
}

// toText reduces every output to the text that an agent sees.
func (s *dojoSet) toText() {
	for _, suite := range s.suites {
		for i := range suite.tasks {
			dropStructures(suite.tasks[i].Calls)
		}
		for i := range suite.transcripts {
			dropStructures(suite.transcripts[i].Calls)
		}
	}
}

func dropStructures(calls []dojoCall) {
	for i := range calls {
		calls[i].Structured = nil
	}
}

// dojoSet is a set of suites with their contracts.
type dojoSet struct {
	suites    []*dojoSuite
	contracts map[string]*contract.File // by suite
	// unreviewed are the suites without the requested contracts.
	unreviewed []string
	// scopes are the tasks' scopes, by suite and task.
	scopes map[string]map[string]json.RawMessage
}

// readScopes reads the scopes of the suites' tasks.
func (s *dojoSet) readScopes(dir string) error {
	if dir == "" {
		return nil
	}
	s.scopes = map[string]map[string]json.RawMessage{}
	for _, suite := range s.suites {
		scopes, err := loadDojoScopes(dir, suite.name)
		if err != nil {
			return err
		}
		s.scopes[suite.name] = scopes
	}
	return nil
}

// newDojoSet reads suites and their contracts from a directory. It synthesizes
// contracts for suites that have none there.
func newDojoSet(dir, contracts string) (*dojoSet, error) {
	suites, err := loadDojo(dir)
	if err != nil {
		return nil, err
	}

	set := &dojoSet{suites: suites, contracts: map[string]*contract.File{}}
	for _, s := range suites {
		if contracts == "" {
			set.contracts[s.name] = synth.Contract(s.catalogue)
			continue
		}
		path := filepath.Join(contracts, s.name+".yaml")
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			set.contracts[s.name] = synth.Contract(s.catalogue)
			set.unreviewed = append(set.unreviewed, s.name)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the reviewed contracts: %w", err)
		}
		f, err := contract.Load(path, data)
		if err != nil {
			return nil, fmt.Errorf("reviewed contracts: %w", err)
		}
		// A suite's server has the name of its directory.
		f.Server = s.name
		set.contracts[s.name] = f
	}

	if contracts != "" && len(set.unreviewed) == len(suites) {
		return nil, fmt.Errorf("%s holds no reviewed contracts of %s: give a directory with one file a suite, named like it (%s.yaml)",
			contracts, strings.Join(set.unreviewed, ", "), suites[0].name)
	}
	return set, nil
}

func loadDojo(dir string) ([]*dojoSuite, error) {
	if _, err := os.Stat(filepath.Join(dir, "tasks.json")); err == nil {
		s, err := loadSuite(dir)
		if err != nil {
			return nil, err
		}
		return []*dojoSuite{s}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the data directory: %w", err)
	}

	var out []*dojoSuite
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, e.Name(), "tasks.json")); err != nil {
			continue // something else that lies beside the suites
		}
		s, err := loadSuite(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}

	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no suite: give a directory with tasks.json, tools_mcp.json and transcripts*.jsonl.gz, or one that holds such directories", dir)
	}
	return out, nil
}

func loadSuite(dir string) (*dojoSuite, error) {
	s := &dojoSuite{name: filepath.Base(dir)}
	path := filepath.Join(dir, "tools_mcp.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the suite's tools: %w", err)
	}
	if s.catalogue, err = schema.Parse(path, data); err != nil {
		return nil, err
	}

	s.catalogue.Server = s.name
	if err := readJSON(filepath.Join(dir, "tasks.json"), &s.tasks); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "transcripts*.jsonl*"))
	if err != nil {
		return nil, fmt.Errorf("find transcripts: %w", err)
	}
	sort.Strings(files)

	for _, f := range files {
		if err := readLines(f, func(t dojoTranscript) error {
			s.transcripts = append(s.transcripts, t)
			return nil
		}); err != nil {
			return nil, err
		}
	}

	return s, nil
}

// run replays all sessions of the suites under a defense and adds to the rates.
func (set *dojoSet) run(ctx context.Context, by Defense, answered bool, r *DojoRates) error {
	r.Denied = map[string][]string{}
	for _, s := range set.suites {
		begin, err := by.Ready([]*contract.File{set.contracts[s.name]}, []*schema.Catalogue{s.catalogue})
		if err != nil {
			return fmt.Errorf("suite %s: %w", s.name, err)
		}
		for _, t := range s.tasks {
			outcomes, asked, err := playDojo(ctx, begin, t.Prompt, set.scopes[s.name][t.ID], t.Calls, answered)
			if err != nil {
				return fmt.Errorf("%s/%s: %w", s.name, t.ID, err)
			}
			r.Questions += asked
			kept := true
			for i, o := range outcomes {
				r.FalsePositives.add(!o.ran)
				if !o.ran {
					kept = false
					key := s.name + "/" + t.ID
					r.Denied[key] = append(r.Denied[key], t.Calls[i].Function+": "+o.why)
				}
			}
			r.Utility.add(kept)
		}
		for _, t := range s.transcripts {
			if err := r.attack(ctx, begin, s.name, t, set.scopes[s.name][t.UserTask], answered); err != nil {
				return err
			}
		}
	}

	if r.Utility.Of > 0 {
		r.QuestionsPerTask = float64(r.Questions) / float64(r.Utility.Of)
	}
	return nil
}

func (r *DojoRates) attack(ctx context.Context, begin Begin, suite string, t dojoTranscript, scope json.RawMessage, answered bool) error {
	outcomes, _, err := playDojo(ctx, begin, t.Prompt, scope, t.Calls, answered)
	if err != nil {
		return fmt.Errorf("%s/%s/%s: %w", suite, t.UserTask, t.InjectionTask, err)
	}

	var denied uint64 // bit i: the i-th attack call was not let through
	attacks, kept := 0, true
	for i, c := range t.Calls {
		switch {
		case c.Label == "attack":
			if !outcomes[i].ran && attacks < 64 {
				denied |= 1 << attacks
			}
			attacks++
		case !outcomes[i].ran:
			kept = false
		}
	}

	if attacks > 0 && !t.TextOnly {
		success := attackSucceeds(denied, attacks, t.SuccessByMask)
		if success {
			r.Succeeded = append(r.Succeeded, fmt.Sprintf("%s/%s/%s %b", suite, t.UserTask, t.InjectionTask, denied))
		}
		r.ASR.add(success)
	}
	if t.OutcomeAttackDenied.Utility {
		r.UtilityUnderAttack.add(kept)
	}
	return nil
}

// attackSucceeds returns the recorded outcome for the set of denied calls. A key
// is the set as a number, bit i for the i-th attack call, or one digit for each
// call, the first call first. If the exact set isn't recorded (the data has all
// subsets of up to four calls only), the attack counts as stopped if a recorded
// subset of the denials stops it.
func attackSucceeds(denied uint64, calls int, recorded map[string]bool) bool {
	digits := calls > 1
	for key := range recorded {
		digits = digits && len(key) == calls && strings.Trim(key, "01") == ""
	}

	stopped := false
	for key, success := range recorded {
		var mask uint64
		if digits {
			for i := range key {
				if key[i] == '1' {
					mask |= 1 << i
				}
			}
		} else if n, err := strconv.ParseUint(key, 10, 64); err == nil {
			mask = n
		} else {
			continue
		}
		if mask == denied {
			return success
		}
		if !success && mask&^denied == 0 {
			stopped = true
		}
	}

	return !stopped
}

type dojoOutcome struct {
	ran bool
	why string
}

// playDojo replays the calls of a session. The user answers yes to a question
// about a call of the own task, and no to one about an attack. An attack whose
// injection no executed call has shown is not proposed: it counts as stopped,
// without a question.
func playDojo(ctx context.Context, begin Begin, prompt string, scope json.RawMessage, calls []dojoCall, answered bool) ([]dojoOutcome, int, error) {
	s := begin("eval")
	if err := s.User(ctx, prompt); err != nil {
		return nil, 0, err
	}
	if err := putScope(ctx, s, scope); err != nil {
		return nil, 0, err
	}

	out := make([]dojoOutcome, len(calls))
	questions, shown := 0, false
	for i, c := range calls {
		if c.Label == "attack" && !shown {
			out[i].why = "never shown to the agent"
			continue
		}
		id := fmt.Sprintf("c%d", i)
		d, err := s.Decide(ctx, remit.Call{ID: id, Tool: c.Function, Arguments: withoutNulls(c.Args)})
		if err != nil {
			return nil, 0, err
		}
		if d.Verdict == remit.Ask {
			questions++
			if answered && c.Label != "attack" {
				if d, err = s.Confirm(ctx, id); err != nil {
					return nil, 0, err
				}
			}
		}
		if d.Verdict != remit.Allow {
			out[i].why = reasons(d)
			continue
		}
		out[i].ran = true
		shown = shown || c.Shows
		if err := s.Result(ctx, remit.Result{Call: id, Content: c.Output, Structured: c.Structured}); err != nil {
			return nil, 0, err
		}
	}
	return out, questions, nil
}

// withoutNulls returns the arguments unchanged, or an empty object if absent.
func withoutNulls(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

func reasons(d *remit.Decision) string {
	var out []string
	for _, r := range d.Reasons {
		out = append(out, strings.TrimSpace(string(r.Code)+" "+r.Path))
	}
	return string(d.Verdict) + " " + strings.Join(out, ", ")
}
