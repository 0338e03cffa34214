package dialogue

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// request is one line of the input. Which members a line may have
// depends on its type; see docs/reference/session.schema.json.
type request struct {
	Type       string          `json:"type"`
	Session    string          `json:"session"`
	Server     string          `json:"server"`
	Tools      json.RawMessage `json:"tools"`
	YAML       string          `json:"yaml"`
	Text       *string         `json:"text"`
	Name       string          `json:"name"`
	ID         string          `json:"id"`
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments"`
	Call       string          `json:"call"`
	For        string          `json:"for"`
	Content    *string         `json:"content"`
	Structured json.RawMessage `json:"structured"`
	Suspended  bool            `json:"suspended"`
	Failed     *bool           `json:"failed"`
	Scope      json.RawMessage `json:"scope"`
	Plan       json.RawMessage `json:"plan"`
	Delegated  scope.Delegated `json:"delegated"`
	Message    string          `json:"message"`
	Beside     string          `json:"beside"`
	Lookup     string          `json:"lookup"`
	Error      string          `json:"error"`
}

// answered is a decision as a line of the output.
type answered struct {
	Type string `json:"type"`
	protocol.Answer
}

// acknowledged answers a line that needs no answer.
type acknowledged struct {
	Type string `json:"type"`
	Line int    `json:"line"`
}

// problem answers a line that was not understood or not accepted. It never
// allows anything: the call of such a line, if there was one, must not run.
type problem struct {
	Type    string `json:"type"`
	Line    int    `json:"line"`
	Session string `json:"session,omitempty"`
	Call    string `json:"call,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// members lists what each type of line must and may have beside "type" and
// "session".
var members = map[string]struct{ must, may []string }{
	"tools":         {must: []string{"server", "tools"}},
	"contracts":     {must: []string{"yaml"}},
	"system":        {must: []string{"text"}},
	"user":          {must: []string{"text"}},
	"attach":        {must: []string{"text"}, may: []string{"name"}},
	"assistant":     {must: []string{"text"}},
	"call":          {must: []string{"tool"}, may: []string{"id", "server", "arguments", "message", "beside"}},
	"confirm":       {must: []string{"call"}, may: []string{"for"}},
	"result":        {must: []string{"call"}, may: []string{"content", "structured", "suspended", "failed"}},
	"scope":         {may: []string{"scope"}},
	"delegations":   {},
	"delegate":      {must: []string{"plan", "delegated"}, may: []string{"text"}},
	"lookup_result": {must: []string{"lookup"}, may: []string{"content", "structured", "error"}},
	"end":           {},
}

// parseRequest reads a line. It returns what it could of the line with the
// error, for the answer to name the call.
func parseRequest(data []byte) (*request, error) {
	const form = "docs/reference/session.md describes every line"
	limits := strictjson.OutputLimits()
	limits.Size, limits.Depth = maxLine, limits.Depth+2
	if _, err := strictjson.Parse(data, limits); err != nil {
		return nil, hint.Wrap(err, form)
	}
	var r request
	if err := strictjson.Decode(data, &r); err != nil {
		return identified(data), hint.Wrap(err, form)
	}

	allowed, known := members[r.Type]
	if !known {
		return &r, hint.Wrap(fmt.Errorf("unknown type %q", r.Type), "write tools, contracts, system, user, scope, delegations, delegate, attach, assistant, call, confirm, result, lookup_result or end")
	}
	var have map[string]json.RawMessage
	if err := json.Unmarshal(data, &have); err != nil {
		return &r, hint.Wrap(err, form)
	}
	for _, name := range allowed.must {
		raw, ok := have[name]
		empty := string(raw) == `""` && name != "text"
		if !ok || empty || string(raw) == "null" {
			return &r, hint.Wrap(fmt.Errorf("a line of type %q needs %q", r.Type, name), form)
		}
	}

	for name := range have {
		if name != "type" && name != "session" && !slices.Contains(allowed.must, name) && !slices.Contains(allowed.may, name) {
			return &r, hint.Wrap(fmt.Errorf("a line of type %q has no %q", r.Type, name), form)
		}
	}
	return &r, nil
}

// identified reads the ids of a malformed line, so that the error names the call that an agent waits
// for.
func identified(data []byte) *request {
	return &request{
		Type: strictjson.GetText(data, "type"), Session: strictjson.GetText(data, "session"),
		ID: strictjson.GetText(data, "id"), Call: strictjson.GetText(data, "call"),
	}
}

// scoped answers a scope line: what the turn authorises, or why it has no scope.
type scoped struct {
	Type    string `json:"type"`
	Session string `json:"session,omitempty"`
	explanation.Turn
}

// delegating answers a delegations line.
type delegating struct {
	Type        string                   `json:"type"`
	Session     string                   `json:"session,omitempty"`
	Delegations []explanation.Delegation `json:"delegations"`
}
