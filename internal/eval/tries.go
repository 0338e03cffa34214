package eval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A list of attacks tries many calls after the same lines. Each try is a scenario of its own: the lines before it, and its calls.

// scenarioTry is a line of a scenario that is played as a scenario of its own.
type scenarioTry struct {
	Kind  string `json:"try"` // "attack" or "benign"
	Title string `json:"title"`
	// Later marks a try that is made after the ordinary ones before it that are marked so too.
	Later bool              `json:"later"`
	Lines []json.RawMessage `json:"lines"`
}

// tries returns the scenarios that the lines of one are; itself where it has no tries.
func (s *playedScenario) tries() ([]playedScenario, error) {
	var out []playedScenario
	var all, plain []json.RawMessage // with and without what later tries are made after
	for _, raw := range s.Lines {
		var t scenarioTry
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.ID, err)
		}
		if t.Kind == "" {
			all, plain = append(all, raw), append(plain, raw)
			continue
		}

		before := plain
		if t.Later {
			before = all
		}
		try, err := s.try(&t, before, len(out)+1)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", try.ID, err)
		}
		out = append(out, try)
		if t.Later && t.Kind == "benign" {
			all = append(all, t.Lines...)
		}
	}
	if out == nil {
		return []playedScenario{*s}, nil
	}
	return out, nil
}

// try returns a try as a scenario, of which the last call is judged.
func (s *playedScenario) try(t *scenarioTry, before []json.RawMessage, number int) (playedScenario, error) {
	try := *s
	try.ID, try.Kind, try.Lines = strings.TrimSpace(fmt.Sprintf("%s/%d %s", s.ID, number, t.Title)), t.Kind, slices.Concat(before, t.Lines)
	for _, raw := range t.Lines {
		var l scenarioLine
		if err := json.Unmarshal(raw, &l); err != nil {
			return try, err
		}
		if l.Type == "call" {
			try.HelpersMayFail, try.Judged = append(try.HelpersMayFail, try.Judged...), []string{l.ID}
		}
	}
	return try, nil
}
