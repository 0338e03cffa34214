package doctor

import (
	"context"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/enforcement"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// policies says of each policy that the gateway can't decide as it is written what becomes
// of the calls. Only what passes is a problem.
func policies(ctx context.Context, out []*Diagnosis, o mcp.Options, catalogues []*schema.Catalogue) {
	if len(o.Policies) == 0 {
		return
	}
	var d guard.Deployment
	for i, c := range catalogues {
		if c == nil {
			return // what is known of the tools is not enough, and said already
		}
		f := o.Servers[i].Contract
		if f == nil {
			f = synth.Contract(c)
		}
		d.Tools, d.Contracts = append(d.Tools, c), append(d.Contracts, f)
	}

	for _, f := range o.Policies {
		for i := range f.Policies {
			if p := &f.Policies[i]; len(p.Guessed) > 0 {
				out[server(d.Contracts, f.Server)].add(false, "unproven", tool(f.Tool), "try the rule on the real look-ups, with remit policy test --live",
					"%s: it rests on a guess of what %s returns; a person is asked about each call for which that is wrong", p.Name, strings.Join(p.Guessed, ", "))
			}
		}
	}
	r := enforcement.Gateway().Examine(ctx, o.Policies, d)
	for _, f := range r.Others {
		remedy := "the gateway hears no conversation: hold the policy in a proxy, or in a session that an application shares"
		switch f.Why {
		case enforcement.Mistaken:
			remedy = "look at it with remit policy lint, and the server's tools"
		case enforcement.Absent:
			remedy = "name a tool that a server has, or take the policy out: remit policy lint says which name is meant"
		}
		at := out[server(d.Contracts, f.Server)]
		at.add(f.Outcome == enforcement.Pass, "undecided", tool(f.Tool), remedy, "%s: %s (%s)", f.Policy, f.Outcome, f.Why)
	}
	if len(r.Others) > 0 {
		out[0].add(false, "undecided", "", "remit policy lint shows what other enforcement points make of them", "%d of %s are decided here as they are written", r.Decided, display.Count(r.Rules, "policy", "policies"))
	}
}

// server returns the place of a server; the first for policies for every server.
func server(files []*contract.File, name string) int {
	for i, f := range files {
		if f.Server == name {
			return i
		}
	}
	return 0
}

// tool names a tool in a finding; every tool has no name.
func tool(name string) string {
	if name == guard.EveryTool {
		return ""
	}
	return name
}
