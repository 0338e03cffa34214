package question

import (
	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Binding returns the values that identify a call among others that a person has not seen: all
// values but free text that may come from anywhere and was not asked about. Lists and commands
// are bound whole, with the places of their elements, and a value that the approved call doesn't
// have makes it another call, unless it is such a text. It is false for a call whose approval
// can't cover later ones: because nothing in it is bound, or because it is asked about for other
// reasons than its values and the will of the user.
func Binding(d *remit.Decision) (contract.Approved, bool) {
	doubted := map[string]bool{}
	for _, r := range d.Reasons {
		if r.Verdict != remit.Ask || !Rememberable(r) {
			return nil, false
		}
		doubted[r.Path] = true
	}
	doc, err := strictjson.Parse(d.Arguments, strictjson.DefaultLimits())
	if err != nil {
		return nil, false
	}

	bound := contract.Approved{}
	for _, f := range d.Findings {
		leaf, ok := doc.Get(f.Path)
		if !ok {
			return nil, false
		}
		free := f.Role == label.Content && f.Floor == label.External && leaf.Kind == strictjson.String
		chooses := d.Variant != "" && leaf.Text == d.Variant
		if !free || doubted[f.Path] || chooses {
			bound[f.Path] = leaf.Text
		}
	}
	return bound, len(bound) > 0
}

// Rememberable reports whether a later call may meet the same reason with an answer
// that was given before. The company's policies, and checks of a call as one value,
// are asked about each time.
func Rememberable(r remit.Reason) bool {
	switch r.Code {
	case remit.BelowFloor, remit.OpenObligation, remit.GroupBelowFloor, remit.ExternalSink:
		return r.Path != ""
	case remit.Unprovoked:
		return true
	}
	return false
}
