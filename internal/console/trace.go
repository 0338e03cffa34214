package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// The bounds of a way back: what a person can follow.
const (
	maxSteps  = 12 // arguments that are explained
	maxPlaces = 6  // places of each
	maxDepth  = 6  // calls one after the other
)

// step explains one argument: where its value appears in the texts that the model had read.
// The first is the argument that a person chose, the others are arguments of the calls that
// returned those texts, or that wrote what they hold.
type step struct {
	N     int
	Seq   int64
	Call  string
	Tool  string
	Path  string
	Value []run
	*remit.Finding
	Places []place
	// Because is the step that leads here; 0 for the first.
	Because int
	depth   int
}

// place is an event in whose text a value appears.
type place struct {
	Seq   int64
	Kind  remit.EventKind
	Tool  string
	Field string
	remit.Evidence
	// Written is set where the model itself wrote the text into a call.
	Written bool
}

// way is the way back from one argument: its steps, and what to mark in which event.
type way struct {
	Steps []step
	Marks map[int64][]originMark
	// More is set when there is more than the bounds allow.
	More bool
}

// originMark is a piece of evidence to be found in the text of an event.
type originMark struct {
	remit.Evidence
	Field string
	Step  int
}

// back finds where an argument of a call came from.
func back(ctx context.Context, o *outline, read func(context.Context, int64) (store.Record, error), seq int64, path string) (*way, error) {
	w := &way{Marks: map[int64][]originMark{}}
	queue := []step{{Seq: seq, Path: path}}
	seen := map[string]bool{}

	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		r, err := read(ctx, s.Seq)
		if err != nil {
			return nil, err
		}
		f := findingOf(r.Decision, s.Path)
		key := s.key()
		if f == nil || seen[key] {
			continue
		}
		if seen[key] = true; len(w.Steps) == maxSteps {
			w.More = true
			break
		}
		s.N, s.Call, s.Tool, s.Finding = len(w.Steps)+1, r.Decision.Call, r.Decision.Tool, f
		s.Value = argumentOf(f, nil).Value
		next, err := unfold(ctx, read, w.locate(o, &s))
		if err != nil {
			return nil, err
		}
		if s.depth > 0 && len(s.Places) == 0 && f.Trust >= label.User {
			continue // nothing that explains anything
		}
		w.Steps = append(w.Steps, s)
		if s.depth < maxDepth {
			queue = append(queue, next...)
		}
	}
	return w, nil
}

func (s *step) key() string { return strconv.FormatInt(s.Seq, 10) + s.Path }

func findingOf(d *remit.Decision, path string) *remit.Finding {
	if d == nil {
		return nil
	}
	i := slices.IndexFunc(d.Findings, func(f remit.Finding) bool { return f.Path == path })
	if i < 0 {
		return nil
	}
	return &d.Findings[i]
}

// locate finds the places of a step, and returns the steps after them.
func (w *way) locate(o *outline, s *step) (next []step) {
	for _, e := range explanation.Ranked(s.Evidence) {
		if len(s.Places) == maxPlaces {
			w.More = true
			return next
		}
		if seq, path, ok := o.written(e.Origin); ok {
			s.Places = append(s.Places, place{
				Seq: seq, Kind: remit.CallEvent, Tool: o.events[seq].Tool, Field: path, Evidence: e,
				Written: true,
			})
			next = append(next, step{Seq: seq, Path: path, Because: s.N, depth: s.depth + 1})
			continue
		}

		seq, field, ok := o.find(e.Origin)
		if !ok {
			continue
		}
		p := place{Seq: seq, Kind: o.events[seq].Kind, Field: field, Evidence: e}
		w.Marks[seq] = append(w.Marks[seq], originMark{e, field, s.N})
		if made := o.calls[o.events[seq].Call]; p.Kind == remit.ResultEvent && len(made) > 0 {
			from := made[len(made)-1]
			p.Tool = o.events[from].Tool
			next = append(next, step{Seq: from, Path: everyArgument, Because: s.N, depth: s.depth + 1})
		}
		s.Places = append(s.Places, p)
	}
	return next
}

// everyArgument means all arguments of a call: they asked for its result.
const everyArgument = "\x00"

// unfold replaces steps for every argument of a call by one for each.
func unfold(ctx context.Context, read func(context.Context, int64) (store.Record, error), steps []step) ([]step, error) {
	var out []step
	for _, s := range steps {
		if s.Path != everyArgument {
			out = append(out, s)
			continue
		}
		r, err := read(ctx, s.Seq)
		if err != nil {
			return nil, err
		}
		for i := range r.Decision.Findings[:min(len(r.Decision.Findings), maxSteps)] {
			one := s
			one.Path = r.Decision.Findings[i].Path
			out = append(out, one)
		}
	}
	return out, nil
}

// marksIn finds evidence in a text of an event. What can't be found is left out.
func marksIn(text string, origins []originMark) []mark {
	var out []mark
	var doc *strictjson.Document
	for _, m := range origins {
		from, to := m.Start, m.End
		switch {
		case m.Field != "":
			if doc == nil {
				doc, _ = strictjson.Parse([]byte(text), strictjson.OutputLimits())
			}
			from, to = fieldIn(doc, text, m)
		case !isAt(text, from, to, m.Text):
			// The user's text counts without what can't be seen in it.
			from = strings.Index(text, m.Text)
			to = from + len(m.Text)
		}
		out = append(out, mark{Start: from, End: to, Trust: m.Trust, Step: m.Step})
	}
	return out
}

// isAt reports whether a text has the beginning of a piece of evidence from one byte to
// another. Evidence has what is not text as the sign for that.
func isAt(text string, from, to int, evidence string) bool {
	if from < 0 || to > len(text) || from > to {
		return false
	}
	return strings.HasPrefix(string([]rune(text[from:min(to, from+remit.MaxShownValue)])), string([]rune(evidence[:runeStart(evidence, min(len(evidence), remit.MaxShownValue/4))])))
}

// fieldIn finds a field of a result in the result's text; doc is nil where that is not
// JSON.
func fieldIn(doc *strictjson.Document, text string, m originMark) (from, to int) {
	if doc != nil {
		if leaf, ok := doc.Get(m.Field); ok {
			return leaf.Start, leaf.End
		}
	}
	from = strings.Index(text, m.Text)
	if m.Text == "" {
		from = -1
	}
	return from, from + len(m.Text)
}
