package eval

import (
	"fmt"
	"math/rand/v2"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

// noisyRoles returns Remit with random roles for a share of all argument entries,
// as an unlucky synthesis would give them. The same seed gives the same roles.
func noisyRoles(share float64, seed uint64) Defense {
	return engine{
		Description{fmt.Sprintf("noise-%.0f%%-seed-%d", 100*share, seed), fmt.Sprintf("Remit with %.0f %% of all roles random", 100*share), "PACT, role noise"},
		func(f *contract.File) {
			rng := rand.New(rand.NewPCG(seed, 0))
			roles := label.Roles()
			relabel(f, func(a *contract.Arg) label.Role {
				// Draw both numbers for every entry, so that a larger share
				// relabels a superset.
				chance, role := rng.Float64(), roles[rng.IntN(len(roles))]
				if chance >= share {
					return a.Role
				}
				return role
			})
		},
	}
}

// hiddenTargets returns Remit with every target relabelled as content: the choice
// of an attacker who writes the tools' schemas.
func hiddenTargets() Defense {
	return engine{Description{"targets-as-content", "Remit with every target relabelled content", "PACT, adversarial roles"},
		func(f *contract.File) {
			relabel(f, func(a *contract.Arg) label.Role {
				if a.Role == label.Target {
					return label.Content
				}
				return a.Role
			})
		}}
}

// allControl returns Remit with every argument relabelled as control.
func allControl() Defense {
	return engine{Description{"all-control", "Remit with every argument relabelled control", "PACT, adversarial roles"},
		func(f *contract.File) { relabel(f, func(*contract.Arg) label.Role { return label.Control }) }}
}

// relabel changes the roles of arguments, and with a role its floor and
// procedures: a synthesis with the wrong role gets those wrong too.
func relabel(f *contract.File, role func(*contract.Arg) label.Role) {
	setPrecision(label.L3)(f)
	for i := range f.Tools {
		arguments(&f.Tools[i], func(a *contract.Arg) {
			if r := role(a); r != a.Role {
				a.Role, a.Floor, a.Discharge, a.Allow = r, contract.DefaultFloor(r), nil, nil
			}
		})
	}
}
