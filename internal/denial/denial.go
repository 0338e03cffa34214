// Package denial words a call that was stopped: for the model that proposed it,
// and for programs. It repeats nothing that others wrote but the offending
// values.
package denial

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit"
)

// Text is what the model is told instead of a result.
func Text(d *remit.Decision) string {
	text := d.Explain()
	if d.Verdict == remit.Ask {
		text += "Nobody has confirmed it. Don't try the same call again unless the user asks for it.\n"
	}
	return text
}

// Data is the same for programs, as JSON.
func Data(d *remit.Decision) json.RawMessage {
	type reason struct {
		Code     remit.Code    `json:"code"`
		Path     string        `json:"path,omitempty"`
		Verdict  remit.Verdict `json:"verdict"`
		Message  string        `json:"message"`
		Remedies []string      `json:"remedies,omitempty"`
		// The values by which a rule was decided stay here: they may come from
		// look-ups that the model didn't make.
		Policy     string   `json:"policy,omitempty"`
		References []string `json:"references,omitempty"`
	}
	type decision struct {
		Session string        `json:"session"`
		Call    string        `json:"call"`
		Server  string        `json:"server,omitempty"`
		Tool    string        `json:"tool"`
		Through string        `json:"through,omitempty"`
		Verdict remit.Verdict `json:"verdict"`
		Reasons []reason      `json:"reasons"`
	}
	out := decision{Session: d.Session, Call: d.Call, Server: d.Server, Tool: d.Tool, Through: d.Through, Verdict: d.Verdict, Reasons: []reason{}}
	for _, r := range d.Reasons {
		out.Reasons = append(out.Reasons, reason{r.Code, r.Path, r.Verdict, r.Message, r.Remedies, r.Policy, r.References})
	}
	data, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return data
}

// Codes are the reasons in short, with the arguments they are about: for logs.
func Codes(d *remit.Decision) []string {
	codes := make([]string, 0, len(d.Reasons))
	for _, r := range d.Reasons {
		codes = append(codes, strings.TrimSpace(string(r.Code)+" "+r.Path))
	}
	return codes
}
