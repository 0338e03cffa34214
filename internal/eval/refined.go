package eval

import (
	"slices"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/refine"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/synth"
)

// observed are the ordinary requests of a set, of which contracts learn how the results of
// tools look; nil where they don't.
type observed struct {
	requests []observation
	pinned   bool // they learn how templates write, and nothing else
}

// observation is a recorded session, with the user's words by which it is left out of what is
// learned for itself, and how its results look, where templates are learned alone.
type observation struct {
	said     string
	session  *trace.Session
	readings []scope.Reading
}

// observe gathers the ordinary requests, where contracts are to learn of them.
func observe(all []playedScenario, refined, pinned bool) (*observed, error) {
	if !refined && !pinned {
		return nil, nil
	}

	out := &observed{pinned: !refined}
	for i := range all {
		if all[i].Kind == "attack" {
			continue
		}
		lines, err := all[i].lines()
		if err != nil {
			return nil, err
		}
		session := &trace.Session{}
		for _, l := range lines {
			switch l.Type {
			case "call":
				call := trace.Call{ID: l.ID, Server: l.Server, Tool: l.Tool, Arguments: argumentsOf(l.Arguments)}
				session.Messages = append(session.Messages, trace.Message{Role: trace.Assistant, Calls: []trace.Call{call}})
			case "result":
				session.Messages = append(session.Messages, trace.Message{Role: trace.Tool, CallID: l.Call, Text: l.Content, Structured: l.Structured})
			}
		}
		seen := observation{said: firstSaid(lines), session: session}
		if out.pinned {
			seen.readings = readingsOf(session)
		}
		out.requests = append(out.requests, seen)
	}
	return out, nil
}

func firstSaid(lines []scenarioLine) string {
	i := slices.IndexFunc(lines, func(l scenarioLine) bool { return l.Type == "user" })
	if i < 0 {
		return ""
	}
	return lines[i].Text
}

// contracts returns the contracts of tools by synthesis, with what the results of other
// requests than the one in question show of their format and members.
func (o *observed) contracts(tools []*schema.Catalogue, said string) ([]*contract.File, error) {
	var out []*contract.File
	for _, c := range tools {
		out = append(out, synth.Contract(c))
	}
	if o == nil {
		return out, nil
	}

	seen, err := refine.New(out)
	if err != nil {
		return nil, err
	}
	for _, other := range o.requests {
		switch {
		case other.said == said:
		case o.pinned:
			seen.Agreed(other.readings)
		default:
			seen.Session(other.session)
		}
	}
	for _, p := range seen.Proposals() {
		for _, f := range out {
			p.Take(f)
		}
	}
	return out, nil
}

// readingsOf returns how the results of a session look: what a person agrees to who agrees to all.
func readingsOf(s *trace.Session) []scope.Reading {
	tools := map[string]trace.Call{}
	var out []scope.Reading
	for i := range s.Messages {
		m := &s.Messages[i]
		for _, c := range m.Calls {
			tools[c.ID] = c
		}
		c, ok := tools[m.CallID]
		if a := serialized.Appear(m.Text); ok && a != nil && len(m.Structured) == 0 {
			out = append(out, scope.Reading{Server: c.Server, Tool: c.Tool, Format: string(a.Format), Shape: a.Shape})
		}
	}
	return out
}

// ScenarioOptions say how scenarios are played.
type ScenarioOptions struct {
	// Mentions is the mode of [remit.Options.Mentions].
	Mentions contract.Mode
	// Refined has contracts learn the format and the members of results from the other
	// ordinary requests of the file, as a person would who takes all that is proposed.
	Refined bool
	// Pinned has them learn alone how templates write results, as a person would who agreed to
	// read them so in other requests.
	Pinned bool
	// Bound plays them in that mode alone, which is what scopes are for.
	Bound bool
	// Namer is asked what the names of the scopes mean that results don't have; nil for nobody. Timeout is how long an
	// answer takes at most.
	Namer   scope.Namer
	Timeout time.Duration
	// Parallel is how many scenarios are played at once; 1 if 0.
	Parallel int
}
