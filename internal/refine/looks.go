package refine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/scope"
)

// looks is how the texts of a tool look that prove no serializer.
type looks struct {
	// seen are the shapes of results, and agreed those that people agreed to read so.
	seen, agreed map[string]bool
	// texts are those that look like something, and records are what the largest had.
	texts, records int
}

// look returns how a tool's texts look so far. Beyond the bound it is a new one that is not kept.
func (o *Observer) look(at place) *looks {
	l := o.looks[at]
	if l == nil {
		l = &looks{seen: map[string]bool{}, agreed: map[string]bool{}}
		if len(o.looks) < maxShapes {
			o.looks[at] = l
		}
	}
	return l
}

// add takes in how a text looks; nil for one that looks like nothing.
func (l *looks) add(a *serialized.Appearance) {
	if a == nil {
		return
	}
	l.texts++
	l.records = max(l.records, a.Records)
	if shape := serialized.Marked(a.Shape, serialized.Trust{}); shape != "" && len(l.seen) <= contract.MaxShapes {
		l.seen[shape] = true
	}
}

// Agreed takes in the readings of results to which a person agreed.
func (o *Observer) Agreed(readings []scope.Reading) {
	for _, r := range readings {
		server, c := o.find(r.Server, r.Tool)
		shape := serialized.Marked(r.Shape, serialized.Trust{})
		if l := o.look(place{server, r.Tool, ""}); c != nil && shape != "" && len(l.agreed) < contract.MaxShapes {
			l.agreed[shape] = true
		}
	}
}

// byLooks proposes to keep how a template writes, where all results look so or people agreed to
// read them so.
func (o *Observer) byLooks() (out []Proposal) {
	for at, l := range o.looks {
		now := o.output(at)
		then := maps.Clone(l.agreed)
		why := display.Count(len(then), "shape that people agreed to read so", "shapes that people agreed to read so")
		if often := l.texts >= fewCalls || l.records >= fewRecords; often && l.texts == o.texts[at] {
			maps.Copy(then, l.seen)
			why = fmt.Sprintf("all of %s look so; what is in them may be anybody's", display.Count(l.texts, "result", "results"))
		}
		for _, shape := range now.Shapes {
			then[shape] = true
		}
		if len(then) == len(now.Shapes) || len(then) > contract.MaxShapes || now.Format != "" {
			continue
		}

		all := slices.Sorted(maps.Keys(then))
		at.path = "output shapes"
		p := at.propose(quoted(now.Shapes), quoted(all), why, max(l.texts, len(all)), true)
		p.Shapes = all
		out = append(out, p)
	}
	return out
}

// quoted writes shapes as a contract does.
func quoted(shapes []string) string {
	if len(shapes) == 0 {
		return ""
	}
	return fmt.Sprintf("%q", shapes)
}
