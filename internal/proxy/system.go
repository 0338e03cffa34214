package proxy

import (
	"strings"

	"github.com/remit-project/remit"
)

// deployment divides the deployment's text: a text that this proxy passed on
// before, such as a summary that a framework puts into the system prompt, is not
// the deployment's.
func (r *reader) deployment(events []remit.Event) []remit.Event {
	var out []remit.Event
	for _, e := range events {
		if e.Kind != remit.SystemEvent {
			out = append(out, e)
			continue
		}
		x := r.p.echoes.divideLines(r.owner, e.Text)
		if len(x.found) > 0 {
			r.p.o.Log.Info("system text is not all the deployment's", "dialect", r.d.name(), "because", "it has what was passed on before")
			for _, f := range x.found {
				out = append(out, attached("passed on", f))
			}
		}
		if x.own != "" {
			r.p.echoes.noteDeployment(r.owner, x.own)
			out = append(out, event(remit.SystemEvent, x.own))
		}
	}

	return out
}

// divideLines finds echoes in a text that comes back with every request, with
// some lines changed: in each line, what was passed on before the line was first
// read. It searches lines that first came together as one text.
func (e *echoes) divideLines(owner uint64, text string) echo {
	var own strings.Builder
	var out echo
	var came string

	var since uint64
	end := func() {
		if came == "" {
			return
		}
		x := e.divideSince(owner, since, came)
		out.found = append(out.found, x.found...)
		if len(x.found) > 0 && x.own != "" {
			x.own += "\n"
		}
		own.WriteString(x.own)
		came = ""
	}

	for line := range strings.Lines(text) {
		at := since
		if strings.TrimSpace(line) != "" {
			at = e.lineReadAt(owner, line)
		}
		if at != since {
			end()
		}
		since, came = at, came+line
	}

	end()
	if out.own = own.String(); len(out.found) == 0 {
		out.own = text
	}
	return out
}

// lineReadAt returns when an owner's line was first read.
func (e *echoes) lineReadAt(owner uint64, line string) uint64 {
	words, _ := tokensOf(line, maxEchoTokens)
	e.mu.Lock()
	defer e.mu.Unlock()
	place := key(owner, words) ^ systemLines
	at, known := e.reads.get(place)
	if !known {
		at = e.now
		e.reads.put(place, at, 0)
	}
	return at
}

// systemLines separates lines of system text from turns.
const systemLines = 0x5d3b9c417ae60f25
