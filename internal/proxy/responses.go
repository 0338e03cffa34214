package proxy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/rawjson"
)

// responses is OpenAI's Responses.
type responses struct{}

func (responses) name() string { return "responses" }

func (responses) request(body []byte, c containers) (*request, error) {
	m, err := object(body, "input", "instructions", "tools", "tool_choice", "stream", "background", "previous_response_id", "conversation", "prompt")
	if err != nil {
		return nil, err
	}
	r := &request{stream: truth(m["stream"]), tools: values(m["tools"]), frame: []json.RawMessage{m["instructions"], m["tools"]}}
	input := m["input"]
	switch {
	case truth(m["background"]):
		return nil, refuse(`the calls of an answer that is fetched later can't be decided: leave "background" out`)
	case absent(input):
	case input[0] == '"':
		r.turns = []json.RawMessage{fmt.Appendf(nil, `{"role":"user","content":%s}`, input)}
	case input[0] == '[':
		r.turns = values(input)
		if r.turns == nil && len(input) > 2 && strict(input) != nil {
			return nil, refuse(`"input" is not acceptable JSON`)
		}
	default:
		return nil, refuse(`"input" is neither a text nor a list`)
	}
	r.system = c.events(remit.SystemEvent, parts(m["instructions"]))
	switch {
	case !absent(m["previous_response_id"]):
		r.kept = "response " + rawjson.Text(m["previous_response_id"])
	case !absent(m["conversation"]):
		id := rawjson.Text(m["conversation"])
		if id == "" {
			id = rawjson.GetText(m["conversation"], "id")
		}
		r.kept = "conversation " + id
	}
	if !absent(m["prompt"]) {
		r.unread = append(r.unread, words([]string{unreadable("stored prompt"), everything(rawjson.Get(m["prompt"], "variables"))}))
	}
	r.only, r.forced = chosen(m["tool_choice"]), forces(m["tool_choice"])
	r.body = unmark(body, "instructions", "input")
	return r, nil
}

func (responses) turn(raw json.RawMessage, c containers) turn {
	kind := rawjson.GetText(raw, "type")
	if kind == "" || kind == "message" {
		switch rawjson.GetText(raw, "role") {
		case "system", "developer":
			return turn{events: c.events(remit.SystemEvent, contentOf(raw))}
		case "user":
			return turn{events: c.events(remit.UserEvent, contentOf(raw))}
		case "assistant":
			return turn{said: itemSaid(raw)}
		}
	}
	if id := rawjson.GetText(raw, "call_id"); strings.HasSuffix(kind, "_output") {
		return turn{events: []remit.Event{result(id, rawjson.Get(raw, "output"))}}
	}
	if kind == "reasoning" || strings.HasSuffix(kind, "_call") || kind == "mcp_list_tools" || kind == "mcp_approval_request" {
		return turn{said: itemSaid(raw)}
	}
	return turn{events: []remit.Event{attached("item", words([]string{unreadable(kind), everything(raw)}))}}
}

// itemSaid reads one item of a model's output.
func itemSaid(item json.RawMessage) *said {
	s := &said{}
	kind := rawjson.GetText(item, "type")
	switch {
	case kind == "" || kind == "message":
		for _, p := range parts(rawjson.Get(item, "content")) {
			if p.isText() {
				s.text = append(s.text, p.text)
			} else {
				s.other = append(s.other, rawjson.Strings(p.raw, opaque)...)
			}
		}
	case isCall(item):
		s.calls = append(s.calls, itemCall(item, kind))
	case kind == "reasoning":
		s.other = append(s.other, rawjson.Strings(item, opaque)...)
	default:
		s.external = append(s.external, words([]string{unreadable(kind), everything(item)}))
	}
	return s
}

// isCall reports whether an item of the output is a call that the agent would
// make, among them those of kinds that aren't known yet. Calls that run at the
// provider are not the agent's to make, and what they bring the model has read.
func isCall(item json.RawMessage) bool {
	switch rawjson.GetText(item, "type") {
	case "", "message", "reasoning", "compaction", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools", "tool_search_output":
		return false
	case "tool_search_call":
		return rawjson.GetText(item, "execution") == "client"
	}
	return true
}

// answered reports whether calls of a kind have results in the API, by which the
// model can be told that one was denied.
func answered(kind string) bool {
	switch kind {
	case "function_call", "custom_tool_call", "local_shell_call":
		return true
	}
	return false
}

func itemCall(item json.RawMessage, kind string) call {
	c := call{id: rawjson.GetText(item, "call_id"), raw: item, mute: !answered(kind)}
	if kind != "function_call" {
		return foreign(c, strings.TrimSuffix(kind, "_call"), rawjson.GetText(item, "name"))
	}
	c.tool = rawjson.GetText(item, "name")
	if space := rawjson.GetText(item, "namespace"); space != "" {
		return foreign(c, space, c.tool)
	}
	c.arguments = argumentText(rawjson.Get(item, "arguments"))
	return c
}

// responsesShape is that of answers.
var responsesShape = &shape{members: []string{"id", "status", "output", "usage", "error"}, inner: map[string]*shape{
	"output": {list: true, members: itemMembers},
}}

var itemMembers = []string{"type", "id", "call_id", "name", "namespace", "arguments", "input", "action", "execution", "role", "content"}

func (responses) answer(body []byte) (*answer, error) {
	if err := readable(body, responsesShape); err != nil {
		return nil, err
	}
	output := rawjson.Get(body, "output")
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

// noCallsIn returns an error where an item that is no call has parts that could
// be some.
func noCallsIn(item json.RawMessage) error {
	if kind := rawjson.GetText(item, "type"); kind != "" && kind != "message" {
		return nil
	}
	return noCalls(rawjson.Get(item, "content"))
}

// outputAnswer is the answer of a response with these items of output.
func outputAnswer(response json.RawMessage, items []json.RawMessage) *answer {
	a := &answer{id: rawjson.GetText(response, "id"), usage: rawjson.Get(response, "usage"), turn: join(items)}
	status := rawjson.GetText(response, "status")
	a.cut = status != "" && status != "completed"
	for _, item := range items {
		a.add(itemSaid(item))
	}
	return a
}

// outputs are the turns that tell the model about calls that may not run.
func outputs(a *answer) []json.RawMessage {
	var out []json.RawMessage
	for i, c := range a.calls {
		if a.fate[i].denial == "" {
			continue
		}
		kind := strings.TrimSuffix(rawjson.GetText(c.raw, "type"), "_call") + "_call_output"
		out = append(out, fmt.Appendf(nil, `{"type":%s,"call_id":%s,"output":%s}`, rawjson.Quote(kind), rawjson.Quote(c.id), rawjson.Quote(a.fate[i].denial)))
	}
	return out
}

// listed is a request whose input is a list.
func listed(body []byte) []byte {
	if input := rawjson.Get(body, "input"); absent(input) {
		body = rawjson.Set(body, "input", []byte("[]"))
	} else if input[0] == '"' {
		body = rawjson.Set(body, "input", fmt.Appendf(nil, `[{"role":"user","content":%s}]`, input))
	}
	return body
}

// settled is a request with what the history that the provider keeps lacks.
func settled(body []byte, k kept) []byte {
	if k.response != "" && !absent(rawjson.Get(body, "previous_response_id")) {
		body = rawjson.Replace(body, rawjson.Quote(k.response), "previous_response_id")
	}
	if len(k.owed) == 0 {
		return body
	}
	body = listed(body)
	return rawjson.Replace(body, join(append(k.owed[:len(k.owed):len(k.owed)], values(rawjson.Get(body, "input"))...)), "input")
}

func (responses) again(body []byte, a *answer) []byte {
	return unforced(extend(listed(body), "input", append(values(a.turn), outputs(a)...)...))
}

func (responses) owed(a *answer) []json.RawMessage { return outputs(a) }

// keptItems are those that the client gets, with the arguments as they were
// checked. Reasoning that led to nothing but calls that may not run goes with
// them: the provider refuses it without what followed.
func keptItems(items []json.RawMessage, fates []fate) (out []json.RawMessage, calls int) {
	n := 0
	var led []json.RawMessage // reasoning before calls
	for _, item := range items {
		kind := rawjson.GetText(item, "type")
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
			item = rawjson.Set(item, "arguments", rawjson.Quote(string(f.arguments)))
			calls++
		}
		out = append(append(out, led...), item)
		led = nil
	}
	return append(out, led...), calls
}

func (responses) whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte {
	if at, ok := rawjson.Find(body, "usage"); ok && usage != nil {
		body = rawjson.Splice(body, at, usage)
	}
	at, ok := rawjson.Find(body, "output")
	if !ok || len(a.calls) == 0 {
		return body
	}
	items, _ := keptItems(values(at.Of(body)), a.fate)
	if len(notes) > 0 {
		items = append(items, noteItem(noteID(a.id, 0), noted("", notes)))
	}
	return rawjson.Splice(body, at, join(items))
}

// noteID names an item of the proxy's own, as the provider's items are named.
func noteID(answer string, n int) string {
	return fmt.Sprintf("msg_remit_%s_%d", strings.TrimPrefix(answer, "resp_"), n)
}

func noteItem(id, text string) json.RawMessage {
	return fmt.Appendf(nil, `{"id":%s,"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":%s}]}`,
		rawjson.Quote(id), rawjson.Quote(text))
}

func (responses) problem(status int, message string) []byte { return openAIProblem(status, message) }
