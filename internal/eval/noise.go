package eval

import (
	"fmt"
	"math/rand/v2"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

// NoisyRoles is Remit with a share of all argument entries given a role at
// random, as an unlucky synthesis would. The same seed gives the same roles.
func NoisyRoles(share float64, seed uint64) Defense {
	return engine{
		Description{fmt.Sprintf("noise-%.0f%%-seed-%d", 100*share, seed), fmt.Sprintf("Remit with %.0f %% of all roles random", 100*share), "PACT, role noise"},
		func(f *contract.File) {
			rng := rand.New(rand.NewPCG(seed, 0))
			roles := label.Roles()
			relabel(f, func(a *contract.Arg) label.Role {
				// Both numbers are drawn for every entry, so that a larger share
				// relabels a superset of what a smaller one does.
				chance, role := rng.Float64(), roles[rng.IntN(len(roles))]
				if chance >= share {
					return a.Role
				}
				return role
			})
		},
	}
}

// HiddenTargets is Remit with every target relabelled content: what an attacker
// who writes the tools' schemas would want.
func HiddenTargets() Defense {
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

// AllControl is Remit with every argument relabelled control.
func AllControl() Defense {
	return engine{Description{"all-control", "Remit with every argument relabelled control", "PACT, adversarial roles"},
		func(f *contract.File) { relabel(f, func(*contract.Arg) label.Role { return label.Control }) }}
}

// relabel gives arguments other roles, and with a new role its own floor and
// procedures: whoever is wrong about the role is wrong about those too.
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
