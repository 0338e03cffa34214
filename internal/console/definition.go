package console

import (
	"encoding/json"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/definitions"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

const (
	// maxParts bounds the parts of a definition that are shown on each side, those that
	// changed and those that did not.
	maxParts = 300
	// maxPart is how much of a part is shown at first, in bytes; of one that changed also what
	// is around the change.
	maxPart = 600
)

// redefined is what a server has changed about the definition of a tool.
type redefined struct {
	// Changed are the parts that differ, Same those that don't; More counts the parts that
	// are not shown.
	Changed, Same []definedPart
	More          int
	// Fenced is set where calls are denied, since the contract was made for another definition.
	Fenced bool
	// Back is set where the server shows the reviewed definition again.
	Back bool
	// Short is set where a definition was too long to be kept.
	Short bool
	// Speaks are the texts in the present definition that speak to the model.
	Speaks []string
	// Mistake says why there is nothing to show.
	Mistake string
}

// definedPart is a part of a definition on both sides, with what differs as marks.
type definedPart struct {
	Place   string
	Was, Is []run
	// Gone and Fresh are set where one side alone has the part.
	Gone, Fresh bool
}

// redefined returns what has changed about the definition of a tool; nil for nothing.
func (c *Console) redefined(server string, t *contract.Tool) *redefined {
	kept, err := c.o.Desk.Files.Definitions(server)
	if err != nil {
		return &redefined{Mistake: err.Error()}
	}
	d := kept[t.Name]
	if !d.Changed() {
		return nil
	}
	out := &redefined{Back: d.Back, Fenced: t.Fingerprint != "" && t.Fingerprint != d.Present.Fingerprint,
		Short: len(d.Reviewed.Text) == 0 || len(d.Present.Text) == 0}
	if now, _ := schema.ParseEach(server, []json.RawMessage{d.Present.Text}, schema.Parse); len(now.Tools) == 1 {
		out.Speaks = synth.Instructions(&now.Tools[0])
	}
	if out.Short {
		return out
	}

	parts, err := definitions.Compare(*d.Reviewed, *d.Present)
	if err != nil {
		out.Mistake = err.Error()
		return out
	}
	for _, p := range parts {
		list := &out.Changed
		if p.Same {
			list = &out.Same
		}
		if len(*list) == maxParts {
			out.More++
			continue
		}
		*list = append(*list, partOf(p))
	}
	return out
}

// partOf prepares a part for showing.
func partOf(p definitions.Part) definedPart {
	out := definedPart{Place: p.Place, Gone: p.Is == nil, Fresh: p.Was == nil}
	var was, is []mark
	switch {
	case p.Same:
	case out.Gone:
		was = []mark{{End: len(*p.Was)}}
	case out.Fresh:
		is = []mark{{End: len(*p.Is)}}
	default:
		a, b, c, d := definitions.Differing(*p.Was, *p.Is)
		was, is = []mark{{Start: a, End: b}}, []mark{{Start: c, End: d}}
	}

	if p.Was != nil {
		out.Was = excerpt(*p.Was, was, maxPart)
	}
	if p.Is != nil {
		out.Is = excerpt(*p.Is, is, maxPart)
	}
	return out
}
