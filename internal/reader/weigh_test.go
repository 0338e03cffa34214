package reader_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/internal/reader"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// catalogues are the tool definitions of the evaluation sets.
func catalogues(t testing.TB) []*schema.Catalogue {
	t.Helper()
	files, err := filepath.Glob("../eval/testdata/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []*schema.Catalogue
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := schema.Parse(name, data); err == nil {
			out = append(out, c)
		}
	}
	if len(out) < 20 {
		t.Fatalf("only %d catalogues", len(out))
	}
	return out
}

// anyReading is whatever a model may say about places, and about others.
func anyReading(t *rapid.T, made *contract.Tool) *reader.Reading {
	r := &reader.Reading{
		Does:   rapid.StringN(0, 10, 40).Draw(t, "does"),
		Effect: rapid.SampledFrom(contract.Effects()).Draw(t, "effect"),
		Output: label.Trust(rapid.SampledFrom([]label.Trust{label.External, label.ToolOutput, label.User, label.Trusted}).Draw(t, "output")),
	}
	places := reader.Places(made)
	for i := range made.Args {
		places = append(places, made.Args[i].Pattern)
	}
	for _, p := range places {
		r.Args = append(r.Args, reader.Arg{
			At: p, Role: rapid.SampledFrom(label.Roles()).Draw(t, "role"),
			Floor: rapid.SampledFrom([]label.Trust{label.External, label.ToolOutput, label.User, label.Trusted}).Draw(t, "floor"),
		})
	}
	return r
}

// TestNoAnswerAloneLoosens: whatever a model answers, the contract is nowhere laxer than the one
// that the rules made, unless the rules alone or most tools and arguments like these are as lax.
func TestNoAnswerAloneLoosens(t *testing.T) {
	raced.SkipTable(t)
	type known struct {
		made   contract.Tool
		second synth.Opinion
	}
	var tools []known
	for _, c := range catalogues(t) {
		opinions := synth.Opinions(c)
		for _, made := range synth.Contract(c).Tools {
			tools = append(tools, known{made, opinions[made.Name]})
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom(tools).Draw(t, "tool")
		reading := anyReading(t, &tool.made)
		before := file(tool.made).Clone()
		alone, _ := reader.Weigh(tool.made, reading, nil)
		for _, change := range contract.Diff(before, file(alone)) {
			if change.Laxer {
				t.Fatalf("by the model alone: %s", change)
			}
		}

		weighed, _ := reader.Weigh(tool.made, reading, &tool.second)
		if len(contract.Diff(before, file(tool.made))) > 0 {
			t.Fatal("the rules' contract was changed")
		}
		if _, err := contract.Compile(file(weighed), contract.Defaults{}); err != nil {
			t.Fatal(err)
		}
		checkEffect(t, &tool.made, &weighed, &tool.second)
		becameRead := tool.made.Effect != contract.Read && weighed.Effect == contract.Read
		for i, a := range weighed.Args {
			checkArgument(t, &tool.made.Args[i], &a, becameRead, reading, &tool.second)
		}
	})
}

func file(tools ...contract.Tool) *contract.File {
	return &contract.File{Version: contract.Version, Tools: tools}
}

func lowers(made, weighed *contract.Arg) bool { return weighed.Floor < made.Floor }

// checkEffect holds what became of an effect and of the result: a milder one is somebody else's too, what executes
// does, what is written stays followed, and what became an effect vouches for nothing.
func checkEffect(t *rapid.T, made, weighed *contract.Tool, second *synth.Opinion) {
	follows := map[contract.Effect]bool{contract.Write: true, contract.Destructive: true, contract.Execute: true}
	was, is := made.Effect, weighed.Effect
	likely := second.Effects[string(is)]
	most := likely >= slices.Max(slices.Collect(maps.Values(second.Effects)))
	many := (was != contract.Destructive && likely >= 0.25) || (second.NoVerb && likely >= 0.1)
	seen := is == second.Rules.Effect || most || many
	switch {
	case was == contract.Execute && is != was:
		t.Fatalf("what executes became %s", is)
	case seen || was == is:
	case follows[was] && !follows[is]:
		t.Fatalf("%s became %s: what it writes is followed no longer", was, is)
	case was.Outward():
		t.Fatalf("%s became %s", was, is)
	}
	if own := second.Outputs["TOOL_OUTPUT"]; weighed.Output.Trust > made.Output.Trust && (own < 0.25 || !weighed.Output.Derived) {
		t.Fatalf("the result was %s and became %s by the model alone: %+v", made.Output.Trust, weighed.Output.Trust, weighed.Output)
	}
	runs := is == contract.Execute || slices.ContainsFunc(weighed.Args, func(a contract.Arg) bool { return a.Role == label.Command })
	if runs && weighed.Output.Trust > made.Output.Trust {
		t.Fatalf("the result of what runs became %s", weighed.Output.Trust)
	}
	if was == contract.Read && is != was && (weighed.Output.Trust > label.External || len(weighed.Output.Certify) > 0 || weighed.Output.Settled) {
		t.Fatalf("what became an effect still vouches: %+v", weighed.Output)
	}
}

// checkArgument holds what became of an argument: authority is taken away, and a floor lowered, only as
// far as the rules alone or most arguments like it go, unless the rules know nothing of it, or the tool has lost its effect.
func checkArgument(t *rapid.T, made, weighed *contract.Arg, becameRead bool, reading *reader.Reading, second *synth.Opinion) {
	likely := second.Arguments[made.Pattern]
	by := contract.Arg{Role: made.Role, Floor: made.Floor}
	if i := slices.IndexFunc(second.Rules.Args, func(a contract.Arg) bool { return a.Pattern == made.Pattern }); i >= 0 {
		by = second.Rules.Args[i]
	}
	most := func(of map[string]float64, class string) bool {
		return len(of) > 0 && of[class] >= slices.Max(slices.Collect(maps.Values(of)))
	}

	// What is said of the elements of a list holds for the list, and for what is in it.
	said := slices.ContainsFunc(reading.Args, func(r reader.Arg) bool {
		return strings.HasPrefix(r.At, strings.TrimSuffix(made.Pattern, "/**")) && r.Role == weighed.Role
	})
	if lowers(made, weighed) && !said {
		t.Fatalf("the floor of %s was lowered to %s, and its role %s is nobody's word", made.Pattern, weighed.Floor, weighed.Role)
	}
	if least := contract.DefaultFloor(weighed.Role); weighed.Role.AuthorityBearing() && weighed.Floor < min(made.Floor, least) {
		t.Fatalf("%s is a %s with the floor %s", made.Pattern, weighed.Role, weighed.Floor)
	}

	if made.Review != "" && weighed.Review == "" && (made.Review != likely.Doubt || weighed.Role != made.Role) {
		t.Fatalf("%s is no longer marked: %s", made.Pattern, made.Review)
	}
	lost := made.Role.AuthorityBearing() && weighed.Role != made.Role
	isGuess := likely.Unknown && likely.Roles[weighed.Role.String()] >= 0.05
	if lost && by.Role != weighed.Role && !isGuess && !most(likely.Roles, weighed.Role.String()) {
		t.Fatalf("%s was %s and became %s by the model alone", made.Pattern, made.Role, weighed.Role)
	}
	lowered := lowers(made, weighed)
	guessed := likely.Unknown && !weighed.Role.AuthorityBearing()
	if lowered && !becameRead && !guessed && by.Floor > weighed.Floor && !slices.ContainsFunc([]label.Trust{label.External, label.ToolOutput, label.User, label.Trusted}, func(f label.Trust) bool { return f <= weighed.Floor && most(likely.Floors, f.String()) }) {
		t.Fatalf("the floor of %s was %s and became %s by the model alone", made.Pattern, made.Floor, weighed.Floor)
	}
	secret := made.Role == label.Credential || made.Role == label.Command
	if secret && (!weighed.Role.AuthorityBearing() || lowered) {
		t.Fatalf("%s was %s and became %s %s", made.Pattern, made.Role, weighed.Role, weighed.Floor)
	}
}

// rules is the contract that a test starts from.
func rules(t testing.TB, yaml string) contract.Tool {
	t.Helper()
	f, err := contract.Load("mail.yaml", []byte("version: 1\nserver: mail\ntools:\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	return f.Tools[0]
}

const note = `
  add_note:
    effect: write
    args:
      /to: {role: content, floor: EXTERNAL}
      /text: {role: content, floor: EXTERNAL}
      /list: {role: target, floor: USER}
    output: {trust: TOOL_OUTPUT}
`

func TestWeigh(t *testing.T) {
	read := `
  show:
    effect: read
    args:
      /id: {role: selector, floor: EXTERNAL}
      /ids/*: {role: selector, floor: EXTERNAL}
      /ids: {role: selector, floor: EXTERNAL}
    output: {trust: TOOL_OUTPUT, fields: {/id: TOOL_OUTPUT}}
`
	doubted := `
  save:
    effect: write
    args:
      /slot: {role: content, floor: EXTERNAL, review: "might also be a target"}
      /list: {role: content, floor: EXTERNAL, review: "may say what is executed"}
    output: {trust: EXTERNAL}
`
	split := `
  manage:
    effect: write
    args: {/op: {role: control, floor: USER}, /id: {role: selector, floor: TOOL_OUTPUT}}
    output: {trust: TOOL_OUTPUT}
    variants: {argument: /op, cases: {get: {effect: read}, set: {effect: write}}}
`
	for _, c := range []struct {
		name, made string
		reading    reader.Reading
		// want are the security changes to the contract ("!" is laxer), queue what is told to people.
		want, queue []string
		// second is what synthesis knows beside the contract.
		second *synth.Opinion
	}{
		{
			name: "an authority that neither the model nor the rules alone see is taken away", made: note,
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			second:  &synth.Opinion{Rules: rules(t, strings.ReplaceAll(note, "target, floor: USER", "content, floor: TOOL_OUTPUT"))},
			want:    []string{"! add_note args /list role: target → content", "! add_note args /list floor: USER → TOOL_OUTPUT"},
			queue:   []string{"add_note args /list role: the rules say target, the model content; took content"},
		},
		{
			name: "or that arguments like it seldom bear", made: note,
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			second: &synth.Opinion{Rules: rules(t, note), Arguments: map[string]synth.Likelihood{
				"/list": {Roles: map[string]float64{"content": 0.7, "target": 0.3}, Floors: map[string]float64{"EXTERNAL": 0.6, "USER": 0.4}},
			}},
			want:  []string{"! add_note args /list role: target → content", "! add_note args /list floor: USER → EXTERNAL"},
			queue: []string{"add_note args /list role: the rules say target, the model content; took content"},
		},
		{
			name: "an authority that arguments like it often bear stays, for people", made: note,
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			second: &synth.Opinion{Rules: rules(t, note), Arguments: map[string]synth.Likelihood{
				"/list": {Roles: map[string]float64{"content": 0.4, "target": 0.6}, Floors: map[string]float64{"EXTERNAL": 0.4, "USER": 0.6}},
			}},
			queue: []string{"add_note args /list role: the rules say target, the model content; kept target"},
		},
		{
			name: "a floor goes with its role", made: note,
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			second: &synth.Opinion{Rules: rules(t, note), Arguments: map[string]synth.Likelihood{
				"/list": {Roles: map[string]float64{"content": 0.4, "target": 0.6}, Floors: map[string]float64{"EXTERNAL": 0.6, "USER": 0.4}},
			}},
			queue: []string{"add_note args /list role: the rules say target, the model content; kept target"},
		},
		{
			name: "what bears authority is nobody's to choose", made: note,
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Target, Floor: label.External}}},
			second: &synth.Opinion{Rules: rules(t, note), Arguments: map[string]synth.Likelihood{
				"/list": {Roles: map[string]float64{"content": 0.4, "target": 0.6}, Floors: map[string]float64{"EXTERNAL": 0.6, "USER": 0.4}},
			}},
			queue: []string{"add_note args /list floor: the rules say USER, the model EXTERNAL; kept USER"},
		},
		{
			name: "what executes stays so", made: strings.ReplaceAll(note, "effect: write", "effect: execute"),
			reading: reader.Reading{Does: "shows", Effect: contract.Read, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, strings.ReplaceAll(note, "effect: write", "effect: read"))},
			queue:   []string{"add_note effect: the rules say execute, the model read; kept execute (shows)"},
		},
		{
			name: "what bears no authority may be what is plausible, with the floor of the strictest", made: note,
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/text", Role: label.Control, Floor: label.User}}},
			second: &synth.Opinion{Rules: rules(t, note), Arguments: map[string]synth.Likelihood{
				"/text": {Roles: map[string]float64{"content": 0.9, "control": 0.1}},
			}},
			want:  []string{"args /text role: content → control", "args /text floor: EXTERNAL → USER"},
			queue: []string{"add_note args /text role: the rules say content, the model control; took control"},
		},
		{
			name: "what is secret stays so", made: strings.ReplaceAll(note, "target, floor: USER", "credential, floor: TRUSTED"),
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			second:  &synth.Opinion{Rules: rules(t, strings.ReplaceAll(note, "target, floor: USER", "content, floor: EXTERNAL"))},
			queue:   []string{"add_note args /list role: the rules say credential, the model content; kept credential"},
		},
		{
			name: "a milder effect that the rules alone see is taken", made: note,
			reading: reader.Reading{Does: "shows", Effect: contract.Read, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, strings.ReplaceAll(note, "effect: write", "effect: read"))},
			want:    []string{"! add_note effect: write → read"},
			queue:   []string{"add_note effect: the rules say write, the model read; took read (shows)"},
		},
		{
			name: "and one that most tools like it have", made: note,
			reading: reader.Reading{Does: "shows", Effect: contract.Read, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, note), Effects: map[string]float64{"read": 0.6, "write": 0.4}},
			want:    []string{"! add_note effect: write → read"},
			queue:   []string{"add_note effect: the rules say write, the model read; took read (shows)"},
		},
		{
			name: "or that tools like it may well have, where nothing is destroyed", made: strings.ReplaceAll(note, "effect: write", "effect: egress"),
			reading: reader.Reading{Does: "keeps", Effect: contract.Write, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, strings.ReplaceAll(note, "effect: write", "effect: egress")), Effects: map[string]float64{"egress": 0.7, "write": 0.3}},
			want:    []string{"! add_note effect: egress → write"},
			queue:   []string{"add_note effect: the rules say egress, the model write; took write (keeps)"},
		},
		{
			name: "what destroys does so unless most tools like it don't", made: strings.ReplaceAll(note, "effect: write", "effect: destructive"),
			reading: reader.Reading{Does: "keeps", Effect: contract.Write, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, strings.ReplaceAll(note, "effect: write", "effect: destructive")), Effects: map[string]float64{"destructive": 0.6, "write": 0.4}},
			queue:   []string{"add_note effect: the rules say destructive, the model write; kept destructive (keeps)"},
		},
		{
			name: "or the rules only took the strictest", made: strings.ReplaceAll(note, "effect: write", "effect: destructive"),
			reading: reader.Reading{Does: "keeps", Effect: contract.Write, Output: label.ToolOutput},
			second: &synth.Opinion{
				Rules: rules(t, strings.ReplaceAll(note, "effect: write", "effect: destructive")), NoVerb: true,
				Effects: map[string]float64{"destructive": 0.8, "write": 0.2},
			},
			want:  []string{"! add_note effect: destructive → write"},
			queue: []string{"add_note effect: the rules say destructive, the model write; took write (keeps)"},
		},
		{
			name: "a stricter effect is for people where the rules and nearly all tools like it see a write", made: note,
			reading: reader.Reading{Does: "replaces", Effect: contract.Destructive, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, note), Effects: map[string]float64{"write": 0.97, "destructive": 0.02, "egress": 0.01}},
			queue:   []string{"add_note effect: the rules say write, the model destructive; kept write (replaces)"},
		},
		{
			name: "and is taken where some do more", made: note,
			reading: reader.Reading{Does: "replaces", Effect: contract.Destructive, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, note), Effects: map[string]float64{"write": 0.93, "destructive": 0.04, "egress": 0.03}},
			want:    []string{"effect: write → destructive"},
			queue:   []string{"add_note effect: the rules say write, the model destructive; took destructive (replaces)"},
		},
		{
			name: "a result that most tools like it make themselves is trusted as far as the call's arguments", made: strings.ReplaceAll(note, "trust: TOOL_OUTPUT", "trust: EXTERNAL"),
			reading: reader.Reading{Does: "adds", Effect: contract.Write, Output: label.Trusted},
			second:  &synth.Opinion{Rules: rules(t, note), Outputs: map[string]float64{"EXTERNAL": 0.3, "TOOL_OUTPUT": 0.7}},
			want:    []string{"! add_note output trust: EXTERNAL → TOOL_OUTPUT", "output derived: false → true"},
			queue:   []string{"add_note output: the rules say EXTERNAL, the model TOOL_OUTPUT; took TOOL_OUTPUT (adds)"},
		},
		{
			name: "one that others often write in stays theirs", made: strings.ReplaceAll(note, "trust: TOOL_OUTPUT", "trust: EXTERNAL"),
			reading: reader.Reading{Does: "adds", Effect: contract.Write, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, note), Outputs: map[string]float64{"EXTERNAL": 0.8, "TOOL_OUTPUT": 0.2}},
			queue:   []string{"add_note output: the rules say EXTERNAL, the model TOOL_OUTPUT; kept EXTERNAL (adds)"},
		},
		{
			name: "and what a file holds is whoever's wrote it", made: `
  show:
    effect: read
    args: {/file: {role: target, floor: USER, form: path}}
    output: {trust: EXTERNAL}
`,
			reading: reader.Reading{Does: "shows", Effect: contract.Read, Output: label.ToolOutput, Args: []reader.Arg{{At: "/file", Role: label.Target, Floor: label.User}}},
			second:  &synth.Opinion{Rules: rules(t, note), Outputs: map[string]float64{"EXTERNAL": 0.3, "TOOL_OUTPUT": 0.7}},
			queue:   []string{"show output: the rules say EXTERNAL, the model TOOL_OUTPUT; kept EXTERNAL (shows)"},
		},
		{
			name: "nor is what a command returns the service's own, though the model alone sees that it is one", made: `
  report:
    effect: read
    args: {/q: {role: content, floor: EXTERNAL}}
    output: {trust: EXTERNAL}
`,
			reading: reader.Reading{Does: "runs SQL", Effect: contract.Read, Output: label.ToolOutput, Args: []reader.Arg{{At: "/q", Role: label.Command, Floor: label.User}}},
			second:  &synth.Opinion{Rules: rules(t, note), Outputs: map[string]float64{"EXTERNAL": 0.3, "TOOL_OUTPUT": 0.7}},
			want:    []string{"args /q role: content → command", "args /q floor: EXTERNAL → USER"},
			queue: []string{
				"report args /q role: the rules say content, the model command; took command",
				"report output: the rules say EXTERNAL, the model TOOL_OUTPUT; kept EXTERNAL (runs SQL)",
			},
		},
		{
			name: "nor what runs, though the model alone sees that it does", made: strings.ReplaceAll(note, "trust: TOOL_OUTPUT", "trust: EXTERNAL"),
			reading: reader.Reading{Does: "runs it", Effect: contract.Execute, Output: label.ToolOutput},
			second:  &synth.Opinion{Rules: rules(t, note), Outputs: map[string]float64{"EXTERNAL": 0.3, "TOOL_OUTPUT": 0.7}},
			want:    []string{"effect: write → execute"},
			queue: []string{
				"add_note effect: the rules say write, the model execute; took execute (runs it)",
				"add_note output: the rules say EXTERNAL, the model TOOL_OUTPUT; kept EXTERNAL (runs it)",
			},
		},
		{
			name: "nor what a page holds that the call names, though nothing says any more that it decides", made: `
  show:
    effect: read
    args: {/page: {role: target, floor: USER, form: url}}
    output: {trust: EXTERNAL}
`,
			reading: reader.Reading{Does: "shows", Effect: contract.Read, Output: label.ToolOutput, Args: []reader.Arg{{At: "/page", Role: label.Content, Floor: label.External}}},
			second: &synth.Opinion{Rules: rules(t, note), Outputs: map[string]float64{"EXTERNAL": 0.3, "TOOL_OUTPUT": 0.7}, Arguments: map[string]synth.Likelihood{
				"/page": {Roles: map[string]float64{"content": 1}, Floors: map[string]float64{"EXTERNAL": 1}},
			}},
			want: []string{"! show args /page role: target → content", "! show args /page floor: USER → EXTERNAL"},
			queue: []string{
				"show args /page role: the rules say target, the model content; took content",
				"show output: the rules say EXTERNAL, the model TOOL_OUTPUT; kept EXTERNAL (shows)",
			},
		},
		{
			name: "a mark of likeness alone goes where the model agrees, another stays", made: doubted,
			reading: reader.Reading{Effect: contract.Write, Output: label.External, Args: []reader.Arg{{At: "/slot", Role: label.Content}, {At: "/list", Role: label.Content}}},
			second:  &synth.Opinion{Rules: rules(t, doubted), Arguments: map[string]synth.Likelihood{"/slot": {Doubt: "might also be a target"}, "/list": {}}},
			want:    []string{"args /slot review: removed might also be a target"},
		},
		{
			name: "and stays where the model sees something else", made: doubted,
			reading: reader.Reading{Effect: contract.Write, Output: label.External, Args: []reader.Arg{{At: "/slot", Role: label.Selector}}},
			second:  &synth.Opinion{Rules: rules(t, doubted), Arguments: map[string]synth.Likelihood{"/slot": {Doubt: "might also be a target"}}},
			want:    []string{"args /slot role: content → selector"},
			queue:   []string{"save args /slot role: the rules say content, the model selector; took selector"},
		},
		{
			name: "where the rules know nothing of an argument, their authority is a guess", made: note,
			reading: reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			second: &synth.Opinion{Rules: rules(t, note), Arguments: map[string]synth.Likelihood{
				"/list": {Unknown: true, Roles: map[string]float64{"content": 0.1, "target": 0.9}, Floors: map[string]float64{"EXTERNAL": 0.1, "TOOL_OUTPUT": 0.3, "USER": 0.6}},
			}},
			want:  []string{"! add_note args /list role: target → content", "! add_note args /list floor: USER → TOOL_OUTPUT"},
			queue: []string{"add_note args /list role: the rules say target, the model content; took content"},
		},
		{
			name: "what was held to more for an effect isn't without it", made: strings.ReplaceAll(note, "content, floor: EXTERNAL", "content, floor: TOOL_OUTPUT"),
			reading: reader.Reading{Does: "shows", Effect: contract.Read, Output: label.ToolOutput, Args: []reader.Arg{
				{At: "/to", Role: label.Content, Floor: label.External}, {At: "/list", Role: label.Target, Floor: label.External},
			}},
			second: &synth.Opinion{Rules: rules(t, note), Effects: map[string]float64{"read": 0.6, "write": 0.4}},
			want:   []string{"! add_note effect: write → read", "! add_note args /to floor: TOOL_OUTPUT → EXTERNAL"},
			queue: []string{
				"add_note effect: the rules say write, the model read; took read (shows)",
				"add_note args /list floor: the rules say USER, the model EXTERNAL; kept USER",
				"add_note args /to floor: the rules say TOOL_OUTPUT, the model EXTERNAL; took EXTERNAL",
			},
		},
		{
			"agreement changes nothing", note,
			reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{
				{At: "/to", Role: label.Content}, {At: "/text", Role: label.Content}, {At: "/list", Role: label.Target, Floor: label.User},
			}},
			nil, nil,
			nil,
		},
		{
			"an authority that the rules missed is taken, with its floor", note,
			reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/to", Role: label.Target, Floor: label.External, Why: "who hears of it"}}},
			[]string{"args /to role: content → target", "args /to floor: EXTERNAL → USER"},
			[]string{"add_note args /to role: the rules say content, the model target; took target (who hears of it)"},
			nil,
		},
		{
			"an authority that the model doesn't see stays, for people", note,
			reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			nil,
			[]string{"add_note args /list role: the rules say target, the model content; kept target"},
			nil,
		},
		{
			"a read that has an effect vouches for nothing", read,
			reader.Reading{Does: "rings", Effect: contract.Egress, Output: label.ToolOutput, Args: []reader.Arg{{At: "/id", Role: label.Selector}, {At: "/ids/*", Role: label.Selector}}},
			[]string{
				"effect: read → egress", "args /id floor: EXTERNAL → TOOL_OUTPUT", "args /ids/* floor: EXTERNAL → TOOL_OUTPUT", "args /ids floor: EXTERNAL → TOOL_OUTPUT",
				"output trust: TOOL_OUTPUT → EXTERNAL", "output fields /id: removed TOOL_OUTPUT",
			},
			[]string{"show effect: the rules say read, the model egress; took egress (rings)"},
			nil,
		},
		{
			"what is written stays followed", note,
			reader.Reading{Effect: contract.Egress, Output: label.ToolOutput},
			[]string{"effect: write → destructive"},
			[]string{"add_note effect: the rules say write, the model egress; took egress"},
			nil,
		},
		{
			"a milder effect is for people", note,
			reader.Reading{Effect: contract.Read, Output: label.ToolOutput},
			nil,
			[]string{"add_note effect: the rules say write, the model read; kept write"},
			nil,
		},
		{
			"what is said about elements holds for their list", read,
			reader.Reading{Effect: contract.Read, Output: label.External, Args: []reader.Arg{{At: "/ids/*", Role: label.Command, Floor: label.Trusted}}},
			[]string{
				"args /ids/* role: selector → command", "args /ids/* floor: EXTERNAL → TRUSTED", "args /ids role: selector → command", "args /ids floor: EXTERNAL → TRUSTED",
				"output trust: TOOL_OUTPUT → EXTERNAL",
			},
			[]string{"show args /ids/* role: the rules say selector, the model command; took command", "show output: the rules say TOOL_OUTPUT, the model EXTERNAL; took EXTERNAL"},
			nil,
		},
		{
			"cases are left to people", split,
			reader.Reading{Effect: contract.Destructive, Output: label.External, Args: []reader.Arg{{At: "/id", Role: label.Target, Floor: label.User}}},
			nil,
			[]string{
				"manage effect: the rules say write, the model destructive; kept write",
				"manage args /id role: the rules say selector, the model target; kept selector",
				"manage output: the rules say TOOL_OUTPUT, the model EXTERNAL; kept TOOL_OUTPUT",
			},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := rules(t, c.made)
			tight, queue := reader.Weigh(made, &c.reading, c.second)
			reader.Sort(queue)
			var got, told []string
			for _, d := range contract.Diff(&contract.File{Tools: []contract.Tool{made}}, &contract.File{Tools: []contract.Tool{tight}}) {
				if d.Security || d.Path == "args /slot review" {
					got = append(got, strings.TrimPrefix(strings.TrimSpace(d.String()), d.Tool+" "))
				}
			}
			for _, d := range queue {
				told = append(told, d.String())
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("changes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if strings.Join(told, "\n") != strings.Join(c.queue, "\n") {
				t.Errorf("queue:\n%s\nwant:\n%s", strings.Join(told, "\n"), strings.Join(c.queue, "\n"))
			}
		})
	}
}

// TestAccept: where a person has read the definitions, a model's word counts in both directions. What bears authority by the rules alone
// is marked, all disagreements are told, and what nobody asked about is weighed.
func TestAccept(t *testing.T) {
	made := rules(t, note)
	got, queue := reader.Accept(made, &reader.Reading{Effect: contract.Read, Output: label.Trusted, Args: []reader.Arg{
		{At: "/list", Role: label.Selector, Floor: label.External, Why: "only read"},
		{At: "/text", Role: label.Control, Floor: label.User},
	}}, nil)
	if got.Effect != contract.Read || got.Output.Trust != label.ToolOutput {
		t.Errorf("effect %s, output %s", got.Effect, got.Output.Trust)
	}
	for _, a := range got.Args {
		switch a.Pattern {
		case "/list":
			if a.Role != label.Selector || a.Floor != label.External || !strings.Contains(a.Review, "the rules say target, and a model selector: only read") {
				t.Errorf("%s: %s %s %q", a.Pattern, a.Role, a.Floor, a.Review)
			}
		case "/text":
			if a.Role != label.Control || a.Floor != label.User || a.Review != "" {
				t.Errorf("%s: %s %s %q", a.Pattern, a.Role, a.Floor, a.Review)
			}
		}
	}
	if len(queue) == 0 || slices.ContainsFunc(queue, func(d reader.Disagreement) bool { return !d.Taken }) {
		t.Errorf("queue: %v", queue)
	}
	if made.Args[0].Review != "" || made.Effect != contract.Write {
		t.Error("the rules' contract was changed")
	}
}
