package remit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

const (
	// maxReadings bounds the readings that a session keeps. Beyond it, results stay text.
	maxReadings = 256
	// maxAssumed bounds the readings that one question is about.
	maxAssumed = 8
)

// read keeps readings to which a person agreed.
func (s *Session) read(readings []scope.Reading) {
	for _, r := range readings {
		if !slices.Contains(s.readings, r) && len(s.readings) < maxReadings {
			s.readings = append(slices.Clip(s.readings), r) // a decision may be looking at them
		}
	}
}

// endReadings forgets, with the user's turn, which results a person was shown in whole: that was
// for what the turn was about.
func (s *Session) endReadings() {
	s.readings = slices.DeleteFunc(slices.Clone(s.readings), func(r scope.Reading) bool { return r.Call != "" })
}

// agreedReadings notes the readings that the person was asked about with the call. What the
// person was shown of a result is for the turn in which the question was asked: an answer that
// comes later, or that is used again, says nothing of what the user asks for since.
func (x *deciding) agreedReadings(turn int) {
	for _, reason := range x.d.Reasons {
		for _, r := range reason.Reads {
			if r.Call == "" || turn == x.in.turn {
				x.out.readings = append(x.out.readings, r)
			}
		}
	}
}

// readings returns what a person is to be asked about beside a call that the scope doesn't
// cover, where it would if results were read as the fields that they look like, and says so.
// It lets nothing pass.
func (x *deciding) readings() (reads []scope.Reading, shown string) {
	var all []scope.Reading
	for _, r := range x.in.results {
		if as := r.Appearance(); as != nil && !slices.Contains(all, *as) {
			all = append(all, *as)
		}
	}
	if len(all) == 0 || len(all) > maxAssumed {
		return nil, ""
	}
	values, ok := x.coveredBy(all)
	if !ok {
		return nil, ""
	}
	for _, as := range slices.Clone(all) {
		less := slices.DeleteFunc(slices.Clone(all), func(r scope.Reading) bool { return r == as })
		if fewer, ok := x.coveredBy(less); len(less) > 0 && ok {
			all, values = less, fewer
		}
	}

	var texts []string
	for _, as := range all {
		text, whole := x.looks(as, values)
		texts = append(texts, text)
		if !x.known(as) {
			reads = append(reads, as)
		}
		if as.Call = whole; whole != "" && !slices.Contains(x.in.readings, as) {
			reads = append(reads, as)
		}
	}
	shown = "; read as it looks, the call may be what the user asked for: " + strings.Join(texts, "; ")
	var agreed []string
	if slices.ContainsFunc(reads, func(r scope.Reading) bool { return r.Call == "" }) {
		agreed = append(agreed, "that results of that shape are read so for the rest of the session")
	}
	if slices.ContainsFunc(reads, func(r scope.Reading) bool { return r.Call != "" }) {
		agreed = append(agreed, "to the other calls that the user asked for with the records that are listed here, if they can be taken back")
	}
	if len(agreed) > 0 {
		shown += ". Who agrees to the call agrees as well " + strings.Join(agreed, ", and ")
	}
	return reads, shown
}

// known reports whether results of a shape are read as fields already: by the contract, or since a
// person agreed.
func (x *deciding) known(as scope.Reading) bool {
	pinned := func(r *match.Result) bool { return r.Pinned() && *r.Appearance() == as }
	return slices.Contains(x.in.readings, as) || slices.ContainsFunc(x.in.results, pinned)
}

// coveredBy reports whether the scope would cover the call if results were read so, and returns
// the values that the call would take from results then.
func (x *deciding) coveredBy(as []scope.Reading) (values []string, ok bool) {
	p := x.scopeProposal()
	p.Assumed = as
	cover, _, ok := x.in.task.Match(p, x.in.results)
	for _, g := range cover.Grants {
		for i := range p.Args {
			if p.Args[i].Pointer == g.Pointer && g.Call != "" {
				values = append(values, p.Args[i].Text)
			}
		}
	}
	return values, ok
}

// looks says how a tool's results look: the last one that has a value which the call takes from
// results, else the last one. It returns the call of the result if a person sees all of it.
func (x *deciding) looks(as scope.Reading, values []string) (text, whole string) {
	var look match.Shown
	for _, r := range slices.Backward(x.in.results) {
		if have := r.Appearance(); have == nil || *have != as {
			continue
		}
		if found := r.Show(values); look.Records == 0 || found.This != nil {
			look, whole = found, r.Call
		}
		if look.This != nil {
			break
		}
	}

	text = fmt.Sprintf("%s answered as %s with %d %s", as.Tool, formats[as.Format], look.Records, plural("record", look.Records))
	if look.This != nil {
		text += ", this one: " + strings.Join(look.This, ", ")
	}
	if look.All == nil || x.scopeProposal().Irreversible {
		return text, ""
	}
	if look.Records > 1 || look.This == nil {
		text += ", of"
		for i, record := range look.All {
			text += fmt.Sprintf(" (%d) %s", i+1, strings.Join(record, ", "))
		}
	}
	return text, whole
}

// formats are the formats in words.
var formats = map[string]string{"yaml": "YAML", "table": "a table", "lines": `"name: value" lines`}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// readAs says of a grant that it is by a reading to which a person agreed, or which the contract
// has; empty where it isn't.
func (x *deciding) readAs(g match.Grant) string {
	for _, r := range x.in.results {
		as := r.Appearance()
		if g.Call == "" || r.Call != g.Call || as == nil {
			continue
		}
		agreed := func(have scope.Reading) bool {
			shown := have.Call == r.Call
			have.Call = ""
			return have == *as && (shown || !r.Pinned())
		}
		switch {
		case slices.ContainsFunc(x.in.readings, agreed):
			return fmt.Sprintf(", which is read as %s as a person agreed", formats[as.Format])
		case r.Pinned():
			return fmt.Sprintf(", which is read as %s as the contract says", formats[as.Format])
		}
	}
	return ""
}
