package remit

import (
	"fmt"

	"github.com/remit-project/remit/label"
)

// groups holds arguments that make one authority value together to the worst of
// them: host and port, owner and repository.
func (x *deciding) groups() {
	worst, best := map[string]label.Trust{}, map[string]label.Trust{}
	for i, a := range x.arguments {
		if a.Group == "" {
			continue
		}
		t := x.checked[i].Certified.Trust
		if w, ok := worst[a.Group]; !ok || t < w {
			worst[a.Group] = t
		}
		best[a.Group] = max(best[a.Group], t)
	}

	named := map[string]bool{}
	for i, a := range x.arguments {
		if a.Group == "" || !x.d.Findings[i].Satisfied {
			named[a.Group] = true
			continue
		}
		if worst[a.Group] < a.Floor {
			named[a.Group] = true
			x.ask(GroupBelowFloor, x.leaves[i].Pointer, fmt.Sprintf("together with the other arguments of %q it names one place, and part of that is less trusted than %s", a.Group, a.Floor),
				x.remedies(a)...)
		}
	}
	if !x.variant.Effect.Outward() {
		return
	}

	// Whatever the roles are: the user's half of a name, with an outsider's half,
	// is not the user's name.
	for i, a := range x.arguments {
		mixed := worst[a.Group] == label.External && best[a.Group] >= label.User
		if mixed && a.Group != "" && !named[a.Group] && x.checked[i].Certified.Trust == label.External {
			x.ask(GroupBelowFloor, x.leaves[i].Pointer, fmt.Sprintf("together with the other arguments of %q it names one place, half of which is the user's and half from outside", a.Group),
				x.remedies(a)...)
		}
	}
}
