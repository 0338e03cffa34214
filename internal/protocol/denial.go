package protocol

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit"
)

// DenialText returns the text that the model reads instead of the result of a call
// that was stopped. The only text of others in it are the offending values.
func DenialText(d *remit.Decision) string {
	text := d.Explain()
	switch {
	case d.Refused:
		text += "Don't make it again, nor the same by another tool, and don't ask for it again, unless the user brings it up.\n"
	case d.Verdict == remit.Ask:
		text += "Nobody has confirmed it. Don't try the same call again unless the user asks for it.\n"
	}
	return text
}

// DenialData returns what [DenialText] says as JSON, for programs.
func DenialData(d *remit.Decision) json.RawMessage {
	type reason struct {
		Code     remit.Code    `json:"code"`
		Path     string        `json:"path,omitempty"`
		Verdict  remit.Verdict `json:"verdict"`
		Message  string        `json:"message"`
		Remedies []string      `json:"remedies,omitempty"`
		// The values on which a rule was decided are left out: they may come from
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
		Refused bool          `json:"refused,omitempty"`
		Reasons []reason      `json:"reasons"`
	}

	out := decision{Session: d.Session, Call: d.Call, Server: d.Server, Tool: d.Tool, Through: d.Through, Verdict: d.Verdict, Refused: d.Refused, Reasons: []reason{}}
	for _, r := range d.Reasons {
		out.Reasons = append(out.Reasons, reason{r.Code, r.Path, r.Verdict, r.Message, d.Advice(r), r.Policy, r.References})
	}

	data, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return data
}

// ReasonCodes returns the codes of a decision's reasons, each with the argument that
// it is about, for logs.
func ReasonCodes(d *remit.Decision) []string {
	codes := make([]string, 0, len(d.Reasons))
	for _, r := range d.Reasons {
		codes = append(codes, strings.TrimSpace(string(r.Code)+" "+r.Path))
	}
	return codes
}
