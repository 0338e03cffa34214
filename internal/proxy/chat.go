package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// chat is OpenAI's Chat Completions.
type chat struct{}

func (chat) name() string { return "chat" }

func (chat) request(body []byte, b *begun, _ containers) (*request, error) {
	o, err := object(body, b, "messages", "tools", "tool_choice", "functions", "n", "stream")
	if err != nil {
		return nil, err
	}
	m := o.members
	if len(m["messages"]) == 0 || m["messages"][0] != '[' {
		return nil, refuse(`"messages" is missing, or no list`)
	}

	r := &request{read: o.read, body: body, stream: truth(m["stream"]), turns: o.elements, tools: values(m["tools"]), frame: []json.RawMessage{m["tools"]}}
	switch {
	case !absent(m["functions"]):
		return nil, refuse(`calls of "functions" can't be decided: offer them as "tools"`)
	case len(r.tools) > 0 && !absent(m["n"]) && string(m["n"]) != "1":
		return nil, refuse(`several answers with calls can't be decided: leave "n" out`)
	}

	if !absent(m["web_search_options"]) {
		r.unread = append(r.unread, unreadable("web search"))
	}
	r.only, r.forced = chosenTools(m["tool_choice"]), forces(m["tool_choice"])
	r.body = unmark(body, b, "messages")
	return r, nil
}

func (chat) turn(raw json.RawMessage, c containers) turn {
	switch strictjson.GetText(raw, "role") {
	case "system", "developer":
		return turn{events: c.events(remit.SystemEvent, contentOf(raw))}
	case "user":
		return turn{events: c.events(remit.UserEvent, contentOf(raw))}
	case "assistant":
		return turn{utterance: chatUtterance(raw)}
	case "tool":
		return turn{events: []remit.Event{result(strictjson.GetText(raw, "tool_call_id"), strictjson.Get(raw, "content"), nil)}}
	}
	return turn{events: []remit.Event{attached("message", everything(raw))}}
}

// chatUtterance reads an assistant message.
func chatUtterance(message json.RawMessage) *utterance {
	s := &utterance{}
	members, err := strictjson.Members(message)
	if err != nil {
		s.external = append(s.external, everything(message))
		return s
	}

	for _, m := range members {
		value := m.Value.Of(message)
		switch m.Name {
		case "role", "name":
		case "content":
			for _, p := range parts(value) {
				if p.isText() {
					s.text = append(s.text, p.text)
				} else {
					s.other = append(s.other, strictjson.Strings(p.raw, opaque)...)
				}
			}
		case "tool_calls":
			for _, raw := range values(value) {
				s.calls = append(s.calls, chatCall(raw))
			}
		case "annotations":
			if len(values(value)) > 0 {
				s.external = append(s.external, unreadable("web search"))
			}
		default:
			if !opaque(m.Name) {
				s.other = append(s.other, strictjson.Strings(value, opaque)...)
			}
		}
	}

	return s
}

func chatCall(raw json.RawMessage) call {
	c := call{id: strictjson.GetText(raw, "id"), raw: raw}
	if kind := strictjson.GetText(raw, "type"); kind != "" && kind != "function" {
		return foreign(c, kind, strictjson.GetText(raw, kind, "name"))
	}
	c.tool = strictjson.GetText(raw, "function", "name")
	c.arguments = argumentText(strictjson.Get(raw, "function", "arguments"))
	return c
}

// argumentText returns a call's arguments as the model wrote them: normally a
// string that holds JSON, from some servers the object itself.
func argumentText(raw json.RawMessage) json.RawMessage {
	if len(raw) > 0 && raw[0] == '"' {
		raw = json.RawMessage(strings.TrimSpace(strictjson.Text(raw)))
	}
	return raw
}

// foreign marks a call of a kind without a schema. Its name has a space, which no
// defined tool's name has, so the call stays unknown.
func foreign(c call, kind, name string) call {
	c.tool = strings.TrimSpace(kind + " " + name)
	if c.tool == name || !strings.Contains(c.tool, " ") {
		c.tool = "tool " + c.tool
	}
	c.arguments = json.RawMessage("{}")
	if input := everything(c.raw); input != "" {
		c.arguments = fmt.Appendf(nil, `{"input":%s}`, strictjson.Quote(input))
	}
	return c
}

// chatShape is the shape of answers and of a stream's chunks.
var chatShape = &shape{members: []string{"id", "choices", "error", "usage"}, inner: map[string]*shape{
	"choices": {list: true, members: []string{"index", "message", "delta", "finish_reason"}, inner: map[string]*shape{"message": chatMessage, "delta": chatMessage}},
}}

var chatMessage = &shape{members: []string{"role", "content", "tool_calls", "function_call"}, inner: map[string]*shape{
	"tool_calls": {list: true, members: []string{"index", "id", "type", "function", "custom"}, inner: map[string]*shape{
		"function": {members: []string{"name", "arguments"}},
	}},
}}

func (chat) answer(body []byte) (*answer, error) {
	if err := readable(body, chatShape); err != nil {
		return nil, err
	}

	choices := values(strictjson.Get(body, "choices"))
	a := &answer{id: strictjson.GetText(body, "id"), usage: strictjson.Get(body, "usage")}
	for i, c := range choices {
		message := strictjson.Get(c, "message")
		s := chatUtterance(message)
		if err := noFunctionCall(message); err != nil {
			return nil, err
		}
		second := i > 0 && len(s.calls) > 0 // calls beside those of the first choice
		if second || !absent(strictjson.Get(c, "delta")) {
			return nil, fmt.Errorf("%w: there are calls in one of several choices, or outside of a message", errBody)
		}
		if i == 0 {
			a.utterance, a.turn = *s, message
			a.cut = chatCut(strictjson.GetText(c, "finish_reason"))
		}
	}

	if len(choices) == 0 {
		return nil, errBody
	}
	return a, nil
}

// noFunctionCall returns an error if a message has calls outside of tool_calls.
func noFunctionCall(message json.RawMessage) error {
	if !absent(strictjson.Get(message, "function_call")) {
		return fmt.Errorf("%w: it has a call in function_call, the old form of tool_calls", errBody)
	}
	return noCalls(strictjson.Get(message, "content"))
}

func chatCut(finish string) bool { return finish == "length" || finish == "content_filter" }

func (chat) again(body []byte, a *answer) []byte {
	turns := []json.RawMessage{a.turn}
	for i, c := range a.calls {
		turns = append(turns, fmt.Appendf(nil, `{"role":"tool","tool_call_id":%s,"content":%s}`, strictjson.Quote(c.id), strictjson.Quote(a.fate[i].denial)))
	}
	return allowNoCall(extend(body, "messages", turns...))
}

func (chat) tell(body []byte, text string) []byte { return below(body, "messages", text) }

func (chat) missingTurns(*answer) []json.RawMessage { return nil }

func (chat) whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte {
	if at, ok := strictjson.Find(body, "usage"); ok && usage != nil {
		body = strictjson.Splice(body, at, usage)
	}
	if len(a.calls) == 0 && len(notes) == 0 {
		return body
	}

	at, ok := strictjson.Find(body, "choices")
	if !ok {
		return body
	}
	choices := values(at.Of(body))
	choice := choices[0]
	message := strictjson.Get(choice, "message")
	calls, err := strictjson.Elements(strictjson.Get(message, "tool_calls"))
	if err != nil && len(a.calls) > 0 {
		return body
	}

	var kept []json.RawMessage
	for i, c := range a.calls[:min(len(calls), len(a.calls))] {
		if a.fate[i].denial == "" {
			kept = append(kept, strictjson.Replace(c.raw, strictjson.Quote(string(a.fate[i].arguments)), "function", "arguments"))
		}
	}

	if len(kept) == 0 {
		message = strictjson.Remove(message, "tool_calls")
		if strictjson.GetText(choice, "finish_reason") == "tool_calls" {
			choice = strictjson.Set(choice, "finish_reason", []byte(`"stop"`))
		}
	} else {
		message = strictjson.Set(message, "tool_calls", join(kept))
	}
	if len(notes) > 0 {
		message = strictjson.Set(message, "content", strictjson.Quote(appendNotes(words(a.text), notes)))
	}
	choices[0] = strictjson.Set(choice, "message", message)
	return strictjson.Splice(body, at, join(choices))
}

// appendNotes adds the proxy's notes below a text.
func appendNotes(text string, notes []string) string {
	note := strings.TrimSpace(strings.Join(notes, "\n"))
	if text == "" {
		return note
	}
	return text + "\n\n" + note
}

func (chat) problem(status int, message string) []byte { return openAIProblem(status, message) }

// openAIProblem returns an error in OpenAI's form.
func openAIProblem(status int, message string) []byte {
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	return fmt.Appendf(nil, `{"error":{"message":%s,"type":%q,"param":null,"code":"remit"}}`, strictjson.Quote("remit: "+message), kind)
}
