package proxy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// responses is OpenAI's Responses.
type responses struct{}

func (responses) name() string { return "responses" }

func (responses) request(body []byte, b *begun, c containers) (*request, error) {
	o, err := object(body, b, "input", "instructions", "tools", "tool_choice", "stream", "background", "previous_response_id", "conversation", "prompt")
	if err != nil {
		return nil, err
	}
	m := o.members

	r := &request{read: o.read, stream: truth(m["stream"]), tools: values(m["tools"]), frame: []json.RawMessage{m["instructions"], m["tools"]}}
	input := m["input"]
	switch {
	case truth(m["background"]):
		return nil, refuse(`the calls of an answer that is fetched later can't be decided: leave "background" out`)
	case absent(input):
	case input[0] == '"':
		r.turns = []json.RawMessage{fmt.Appendf(nil, `{"role":"user","content":%s}`, input)}
	case input[0] == '[':
		r.turns = o.elements
	default:
		return nil, refuse(`"input" is neither a text nor a list`)
	}

	r.system = c.events(remit.SystemEvent, parts(m["instructions"]))
	switch {
	case !absent(m["previous_response_id"]):
		r.kept = "response " + strictjson.Text(m["previous_response_id"])
	case !absent(m["conversation"]):
		id := strictjson.Text(m["conversation"])
		if id == "" {
			id = strictjson.GetText(m["conversation"], "id")
		}
		r.kept = "conversation " + id
	}

	if !absent(m["prompt"]) {
		r.unread = append(r.unread, words([]string{unreadable("stored prompt"), everything(strictjson.Get(m["prompt"], "variables"))}))
	}
	r.only, r.forced = chosenTools(m["tool_choice"]), forces(m["tool_choice"])
	r.body = unmark(body, b, "instructions", "input")
	return r, nil
}

func (responses) turn(raw json.RawMessage, c containers) turn {
	kind := strictjson.GetText(raw, "type")
	if kind == "" || kind == "message" {
		switch strictjson.GetText(raw, "role") {
		case "system", "developer":
			return turn{events: c.events(remit.SystemEvent, contentOf(raw))}
		case "user":
			return turn{events: c.events(remit.UserEvent, contentOf(raw))}
		case "assistant":
			return turn{utterance: itemUtterance(raw)}
		}
	}
	if id := strictjson.GetText(raw, "call_id"); strings.HasSuffix(kind, "_output") {
		return turn{events: []remit.Event{result(id, strictjson.Get(raw, "output"), nil)}}
	}
	if kind == "reasoning" || strings.HasSuffix(kind, "_call") || kind == "mcp_list_tools" || kind == "mcp_approval_request" {
		return turn{utterance: itemUtterance(raw)}
	}
	return turn{events: []remit.Event{attached("item", words([]string{unreadable(kind), everything(raw)}))}}
}

// itemUtterance reads one item of a model's output.
func itemUtterance(item json.RawMessage) *utterance {
	s := &utterance{}
	kind := strictjson.GetText(item, "type")
	switch {
	case kind == "" || kind == "message":
		for _, p := range parts(strictjson.Get(item, "content")) {
			if p.isText() {
				s.text = append(s.text, p.text)
			} else {
				s.other = append(s.other, strictjson.Strings(p.raw, opaque)...)
			}
		}
	case isCall(item):
		s.calls = append(s.calls, itemCall(item, kind))
	case kind == "reasoning":
		s.other = append(s.other, strictjson.Strings(item, opaque)...)
	default:
		s.external = append(s.external, words([]string{unreadable(kind), everything(item)}))
	}

	return s
}

// isCall reports whether an output item is a call that the agent would run,
// including unknown kinds. Calls that run at the provider are not the agent's;
// the model has already read their results.
func isCall(item json.RawMessage) bool {
	switch strictjson.GetText(item, "type") {
	case "", "message", "reasoning", "compaction", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools", "tool_search_output":
		return false
	case "tool_search_call":
		return strictjson.GetText(item, "execution") == "client"
	}
	return true
}

// hasResult reports whether the API has results for calls of a kind, by which the
// model can be told of a denial.
func hasResult(kind string) bool {
	switch kind {
	case "function_call", "custom_tool_call", "local_shell_call":
		return true
	}
	return false
}

func itemCall(item json.RawMessage, kind string) call {
	c := call{id: strictjson.GetText(item, "call_id"), raw: item, mute: !hasResult(kind)}
	if kind != "function_call" {
		return foreign(c, strings.TrimSuffix(kind, "_call"), strictjson.GetText(item, "name"))
	}
	c.tool = strictjson.GetText(item, "name")
	if space := strictjson.GetText(item, "namespace"); space != "" {
		return foreign(c, space, c.tool)
	}
	c.arguments = argumentText(strictjson.Get(item, "arguments"))
	return c
}

// responsesShape is the shape of answers.
var responsesShape = &shape{members: []string{"id", "status", "output", "usage", "error"}, inner: map[string]*shape{
	"output": {list: true, members: itemMembers},
}}

var itemMembers = []string{"type", "id", "call_id", "name", "namespace", "arguments", "input", "action", "execution", "role", "content"}

func (responses) answer(body []byte) (*answer, error) {
	if err := readable(body, responsesShape); err != nil {
		return nil, err
	}
	output := strictjson.Get(body, "output")
	if absent(output) {
		return nil, errBody
	}
	items := values(output)
	for _, item := range items {
		if err := noCallsIn(item); err != nil {
			return nil, err
		}
	}
	return outputAnswer(body, items), nil
}

// noCallsIn returns an error if an item that is not a call has parts that could
// be calls.
func noCallsIn(item json.RawMessage) error {
	if kind := strictjson.GetText(item, "type"); kind != "" && kind != "message" {
		return nil
	}
	return noCalls(strictjson.Get(item, "content"))
}

// outputAnswer returns the answer of a response with these output items.
func outputAnswer(response json.RawMessage, items []json.RawMessage) *answer {
	a := &answer{id: strictjson.GetText(response, "id"), usage: strictjson.Get(response, "usage"), turn: join(items)}
	status := strictjson.GetText(response, "status")
	a.cut = status != "" && status != "completed"
	for _, item := range items {
		a.add(itemUtterance(item))
	}
	return a
}

// outputs returns the turns that tell the model about denied calls.
func outputs(a *answer) []json.RawMessage {
	var out []json.RawMessage
	for i, c := range a.calls {
		if a.fate[i].denial == "" {
			continue
		}
		kind := strings.TrimSuffix(strictjson.GetText(c.raw, "type"), "_call") + "_call_output"
		out = append(out, fmt.Appendf(nil, `{"type":%s,"call_id":%s,"output":%s}`, strictjson.Quote(kind), strictjson.Quote(c.id), strictjson.Quote(a.fate[i].denial)))
	}
	return out
}

// listInput returns a request with its input as a list.
func listInput(body []byte) []byte {
	if input := strictjson.Get(body, "input"); absent(input) {
		body = strictjson.Set(body, "input", []byte("[]"))
	} else if input[0] == '"' {
		body = strictjson.Set(body, "input", fmt.Appendf(nil, `[{"role":"user","content":%s}]`, input))
	}
	return body
}

// addMissing adds the turns that the provider's history lacks to a request.
func addMissing(body []byte, k kept) []byte {
	if k.response != "" && !absent(strictjson.Get(body, "previous_response_id")) {
		body = strictjson.Replace(body, strictjson.Quote(k.response), "previous_response_id")
	}
	if len(k.missing) == 0 {
		return body
	}
	body = listInput(body)
	return strictjson.Replace(body, join(append(k.missing[:len(k.missing):len(k.missing)], values(strictjson.Get(body, "input"))...)), "input")
}

func (responses) again(body []byte, a *answer) []byte {
	return allowNoCall(extend(listInput(body), "input", append(values(a.turn), outputs(a)...)...))
}

func (responses) tell(body []byte, text string) []byte {
	return below(listInput(body), "input", text)
}

func (responses) missingTurns(a *answer) []json.RawMessage { return outputs(a) }

// keptItems returns the items for the client, with checked arguments. It drops
// reasoning that led only to denied calls, because the provider refuses reasoning
// without what followed.
func keptItems(items []json.RawMessage, fates []fate) (out []json.RawMessage, calls int) {
	n := 0
	var led []json.RawMessage // reasoning before calls
	for _, item := range items {
		kind := strictjson.GetText(item, "type")
		switch {
		case kind == "reasoning":
			led = append(led, item)
			continue
		case isCall(item):
			f := fates[n]
			n++
			if f.denial != "" {
				if n < len(fates) && fates[n].denial == "" {
					continue // it led to the next call as well
				}
				led = nil
				continue
			}
			item = strictjson.Set(item, "arguments", strictjson.Quote(string(f.arguments)))
			calls++
		}
		out = append(append(out, led...), item)
		led = nil
	}

	return append(out, led...), calls
}

func (responses) whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte {
	if at, ok := strictjson.Find(body, "usage"); ok && usage != nil {
		body = strictjson.Splice(body, at, usage)
	}
	at, ok := strictjson.Find(body, "output")
	if !ok || len(a.calls)+len(notes) == 0 {
		return body
	}
	items, _ := keptItems(values(at.Of(body)), a.fate)
	if len(notes) > 0 {
		items = append(items, noteItem(noteID(a.id, 0), appendNotes("", notes)))
	}
	return strictjson.Splice(body, at, join(items))
}

// noteID returns an id for an item by the proxy in the provider's style.
func noteID(answer string, n int) string {
	return fmt.Sprintf("msg_remit_%s_%d", strings.TrimPrefix(answer, "resp_"), n)
}

func noteItem(id, text string) json.RawMessage {
	return fmt.Appendf(nil, `{"id":%s,"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":%s}]}`,
		strictjson.Quote(id), strictjson.Quote(text))
}

func (responses) problem(status int, message string) []byte { return openAIProblem(status, message) }
