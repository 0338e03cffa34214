package reader_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
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

// TestNoAnswerLoosens: whatever a model answers, the contract is nowhere laxer than
// the one that the rules made.
func TestNoAnswerLoosens(t *testing.T) {
	var tools []contract.Tool
	for _, c := range catalogues(t) {
		tools = append(tools, synth.Contract(c).Tools...)
	}
	rapid.Check(t, func(t *rapid.T) {
		made := rapid.SampledFrom(tools).Draw(t, "tool")
		before := (&contract.File{Version: contract.Version, Tools: []contract.Tool{made}}).Clone()
		tight, _ := reader.Tighten(made, anyReading(t, &made))
		after := &contract.File{Version: contract.Version, Tools: []contract.Tool{tight}}
		for _, change := range contract.Diff(before, after) {
			if change.Laxer {
				t.Fatalf("%s", change)
			}
		}

		// What [contract.Diff] doesn't know: which effects are followed afterwards.
		was := before.Tools[0].Effect
		kept := map[contract.Effect]bool{contract.Write: true, contract.Destructive: true, contract.Execute: true}
		switch {
		case kept[was] && !kept[tight.Effect]:
			t.Fatalf("%s became %s: what it writes is followed no longer", was, tight.Effect)
		case was != tight.Effect && was.Outward():
			t.Fatalf("%s became %s", was, tight.Effect)
		case was == contract.Read && tight.Effect != was && (tight.Output.Trust > label.External || len(tight.Output.Certify) > 0 || tight.Output.Settled):
			t.Fatalf("what became an effect still vouches: %+v", tight.Output)
		}
		if _, err := contract.Compile(after, contract.Defaults{}); err != nil {
			t.Fatal(err)
		}
		if len(contract.Diff(before, &contract.File{Version: contract.Version, Tools: []contract.Tool{made}})) > 0 {
			t.Fatal("the rules' contract was changed")
		}
	})
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

func TestTighten(t *testing.T) {
	read := `
  show:
    effect: read
    args:
      /id: {role: selector, floor: EXTERNAL}
      /ids/*: {role: selector, floor: EXTERNAL}
      /ids: {role: selector, floor: EXTERNAL}
    output: {trust: TOOL_OUTPUT, fields: {/id: TOOL_OUTPUT}}
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
		// want are the security changes to the contract, queue what is left to people.
		want, queue []string
	}{
		{
			"agreement changes nothing", note,
			reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{
				{At: "/to", Role: label.Content}, {At: "/text", Role: label.Content}, {At: "/list", Role: label.Target, Floor: label.User},
			}},
			nil, nil,
		},
		{
			"an authority that the rules missed is taken, with its floor", note,
			reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/to", Role: label.Target, Floor: label.External, Why: "who hears of it"}}},
			[]string{"args /to role: content → target", "args /to floor: EXTERNAL → USER"},
			[]string{"add_note args /to role: the rules say content, the model target; took target (who hears of it)"},
		},
		{
			"an authority that the model doesn't see stays, for people", note,
			reader.Reading{Effect: contract.Write, Output: label.ToolOutput, Args: []reader.Arg{{At: "/list", Role: label.Content, Floor: label.External}}},
			nil,
			[]string{"add_note args /list role: the rules say target, the model content; kept target"},
		},
		{
			"a read that has an effect vouches for nothing", read,
			reader.Reading{Does: "rings", Effect: contract.Egress, Output: label.ToolOutput, Args: []reader.Arg{{At: "/id", Role: label.Selector}, {At: "/ids/*", Role: label.Selector}}},
			[]string{
				"effect: read → egress", "args /id floor: EXTERNAL → TOOL_OUTPUT", "args /ids/* floor: EXTERNAL → TOOL_OUTPUT", "args /ids floor: EXTERNAL → TOOL_OUTPUT",
				"output trust: TOOL_OUTPUT → EXTERNAL", "output fields /id: removed TOOL_OUTPUT",
			},
			[]string{"show effect: the rules say read, the model egress; took egress (rings)"},
		},
		{
			"what is written stays followed", note,
			reader.Reading{Effect: contract.Egress, Output: label.ToolOutput},
			[]string{"effect: write → destructive"},
			[]string{"add_note effect: the rules say write, the model egress; took egress"},
		},
		{
			"a milder effect is for people", note,
			reader.Reading{Effect: contract.Read, Output: label.ToolOutput},
			nil,
			[]string{"add_note effect: the rules say write, the model read; kept write"},
		},
		{
			"what is said about elements holds for their list", read,
			reader.Reading{Effect: contract.Read, Output: label.External, Args: []reader.Arg{{At: "/ids/*", Role: label.Command, Floor: label.Trusted}}},
			[]string{
				"args /ids/* role: selector → command", "args /ids/* floor: EXTERNAL → TRUSTED", "args /ids role: selector → command", "args /ids floor: EXTERNAL → TRUSTED",
				"output trust: TOOL_OUTPUT → EXTERNAL",
			},
			[]string{"show args /ids/* role: the rules say selector, the model command; took command", "show output: the rules say TOOL_OUTPUT, the model EXTERNAL; took EXTERNAL"},
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
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := rules(t, c.made)
			tight, queue := reader.Tighten(made, &c.reading)
			reader.Sort(queue)
			var got, told []string
			for _, d := range contract.Diff(&contract.File{Tools: []contract.Tool{made}}, &contract.File{Tools: []contract.Tool{tight}}) {
				if d.Security {
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
