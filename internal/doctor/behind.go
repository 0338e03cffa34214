package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// behind examines the servers behind the gateway.
func (x *examination) behind(ctx context.Context, sh *shown, o mcp.Options, many bool) []*Diagnosis {
	out := make([]*Diagnosis, len(o.Servers))
	catalogues := make([]*schema.Catalogue, len(o.Servers))
	var work sync.WaitGroup
	for i, s := range o.Servers {
		d := &Diagnosis{File: x.File, Server: x.d.Server, Findings: slices.Clone(x.d.Findings), Line: x.d.Line}
		if many {
			d.Behind = s.Name
		} else {
			d.Denied, d.Tools = 1, x.d.Tools
		}
		out[i] = d
		work.Go(func() { catalogues[i] = x.contracts(ctx, d, s, o.Synthesized != nil) })
	}

	work.Wait()
	policies(ctx, out, o, catalogues)
	ctx, cancel := context.WithTimeout(ctx, x.o.Timeout)
	defer cancel()
	if many {
		sh.await(ctx, o.Servers, catalogues)
	}
	for _, name := range sh.tools {
		of, shadow, sure := -1, false, true
		for i, c := range catalogues {
			if c == nil {
				sure = sure && !shadows(o.Servers[i])
				continue
			}
			if own, ok := ownName(name, o.Servers[i], c); ok {
				of = i
				shadow = shadow || o.Servers[i].Mode == mcp.Shadow || o.Servers[i].Modes[own] == mcp.Shadow
			}
		}
		if many && of >= 0 {
			out[of].Tools++
		}
		// A call that would not be stopped is not made: where it isn't known whose
		// tool it is, or that its calls are stopped.
		if of < 0 || !sure || shadow {
			continue
		}
		r, err := sh.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: canaryAddress})
		if err != nil || !denialOf(r).stopped("", "") {
			out[of].add(true, "open", name, "compare remit version with the program in "+x.File, "a call of the tool was not denied by Remit")
			break
		}
		out[of].Denied++
	}

	for i, d := range out {
		if many && d.Denied == 0 && catalogues[i] != nil && !shadows(o.Servers[i]) {
			if len(catalogues[i].Tools) > 0 {
				d.add(true, "unproven", "", "if it is only slow, give it longer with --timeout; the gateway's log has the reason", "none of its tools is offered, so that no canary could be called")
				for _, line := range sh.said.warnings(o.Servers[i].Name) {
					d.add(false, "log", "", "correct that", "the gateway's log says: %s", line)
				}
			} else {
				d.Denied = 1 // it has nothing that could be called
			}
		}
	}

	return out
}

// ownName returns a server's own name for a tool that a client sees.
func ownName(name string, s mcp.Server, c *schema.Catalogue) (own string, ok bool) {
	for _, own := range []string{strings.TrimPrefix(name, s.Name+"__"), name} {
		if _, ok := c.Tool(own); ok {
			return own, true
		}
	}
	return "", false
}

// again is how long the doctor waits until it lists the tools again.
const again = time.Second

// await lists the tools until those of all servers are among them that offer any: a gateway
// takes servers in when they have started. It ends with the context, too.
func (sh *shown) await(ctx context.Context, servers []mcp.Server, catalogues []*schema.Catalogue) {
	missing := func(i int) bool {
		return offers(servers[i], catalogues[i]) && !slices.ContainsFunc(sh.tools, func(name string) bool {
			_, ok := ownName(name, servers[i], catalogues[i])
			return ok
		})
	}
	for {
		some := false
		for i := range servers {
			some = some || missing(i)
		}
		if !some {
			return
		}

		select {
		case <-time.After(again):
		case <-ctx.Done():
			return
		}
		if tools, err := toolNames(ctx, sh.session); err == nil {
			sh.tools = tools
		}
	}
}

// offers reports whether a gateway shows any of a server's tools: those without contracts, and
// those whose definitions have changed, are hidden.
func offers(s mcp.Server, c *schema.Catalogue) bool {
	return c != nil && slices.ContainsFunc(c.Tools, func(t schema.Tool) bool {
		if s.Contract == nil {
			return true
		}
		known, ok := s.Contract.Tool(t.Name)
		return ok && (known.Fingerprint == "" || known.Fingerprint == t.Fingerprint)
	})
}

// shadows reports whether a server has calls that are let pass undecided.
func shadows(s mcp.Server) bool {
	if s.Mode == mcp.Shadow {
		return true
	}
	for _, m := range s.Modes {
		if m == mcp.Shadow {
			return true
		}
	}
	return false
}

// contracts compares the contracts of a server with what it offers now, which is
// nil when it can't be found out.
func (x *examination) contracts(ctx context.Context, d *Diagnosis, s mcp.Server, kept bool) *schema.Catalogue {
	if s.Mode == mcp.Shadow {
		d.add(true, "shadow", "", "write mode: enforce", "Remit decides here, and lets everything pass")
	}
	for tool, mode := range s.Modes {
		if mode == mcp.Shadow && s.Mode != mcp.Shadow {
			d.add(true, "shadow", tool, "write mode: enforce", "Remit decides here, and lets everything pass")
		}
	}

	ctx, cancel := context.WithTimeout(ctx, x.o.Timeout)
	defer cancel()
	raw, err := Definitions(ctx, s, x.o.Version)
	if err != nil {
		message := fmt.Sprintf("the server behind Remit can't be asked for its tools: %v", err)
		if ctx.Err() != nil {
			message = fmt.Sprintf("the server behind Remit doesn't list its tools within %s", x.o.Timeout)
		}
		d.add(true, "silent", "", "start it by hand, and see what it says", "%s", message)
		return nil
	}

	c, bad := Catalogue(s.Name, raw)
	for _, name := range bad {
		d.add(false, "no-contract", name, "tell those who make the server", "the definition can't be understood, and so calls are denied")
	}
	if s.Contract == nil {
		remedy := "name a directory: --contracts DIR, or contracts in the configuration"
		if kept {
			remedy = "start it once, and look at the file that it makes"
		}
		d.add(false, "no-contract", "", remedy, "its contracts are made anew at each start, so that nobody has reviewed them and no change is noticed")
	}

	for i := range c.Tools {
		t := &c.Tools[i]
		if len(synth.Instructions(t)) > 0 {
			d.add(false, "instructions", t.Name, "read the definition, and ask those who make the server", "the definition speaks to the model instead of describing the tool")
		}
		if why := s.Packs.Differs(t, c, s.Contract); why != "" {
			d.add(false, "pack", t.Name, "read the definition, and review the tool's contract", "%s", why)
		}
		if s.Contract == nil {
			continue
		}
		switch known, ok := s.Contract.Tool(t.Name); {
		case !ok:
			d.add(false, "no-contract", t.Name, x.updating(s.Name), "the tool has no contract, and so calls are denied")
		case known.Fingerprint != "" && known.Fingerprint != t.Fingerprint:
			d.add(false, "fenced", t.Name, x.updating(s.Name), "the definition has changed since its contract was made: the tool is fenced off")
		}
	}

	if s.Contract != nil {
		unreviewed(d, s.Contract)
	}
	return c
}

// updating returns the command that repairs the contracts of a server.
func (x *examination) updating(server string) string {
	from := []string{"--file", x.File}
	if x.Configuration != "" {
		from = []string{"--config", x.Configuration}
	}
	return "read what has changed in: " + display.Command("remit", "contract", "update", from[0], from[1], "--only", server)
}

func unreviewed(d *Diagnosis, f *contract.File) {
	if n := CountReviews(f); n > 0 {
		d.add(false, "unreviewed", "", "look at "+cmp.Or(f.Position.File, "the contract file")+", and remove each review that is settled", "%s in the contracts of %s", display.Count(n, "place is marked for review", "places are marked for review"), f.Server)
	}
}

// CountReviews returns how many places of a contract file are marked for review by
// a person.
func CountReviews(f *contract.File) int {
	n := 0
	count := func(review string) {
		if review != "" {
			n++
		}
	}

	args := func(list []contract.Arg) {
		for i := range list {
			count(list[i].Review)
		}
	}
	for i := range f.Tools {
		t := &f.Tools[i]
		count(t.Review)
		count(t.Output.Review)
		args(t.Args)
		if t.Variants == nil {
			continue
		}
		for j := range t.Variants.Cases {
			v := &t.Variants.Cases[j]
			count(v.Review)
			args(v.Args)
		}
	}

	return n
}
