package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// messages is Anthropic's Messages.
type messages struct{}

func (messages) name() string { return "messages" }

func (messages) request(body []byte, b *begun, c containers) (*request, error) {
	o, err := object(body, b, "messages", "system", "tools", "tool_choice", "stream")
	if err != nil {
		return nil, err
	}
	m := o.members
	r := &request{read: o.read, body: body, stream: truth(m["stream"]), turns: o.elements, tools: values(m["tools"]), frame: []json.RawMessage{removeCacheMarks(m["system"]), removeCacheMarks(m["tools"])}}
	if len(r.turns) == 0 {
		return nil, refuse(`"messages" is missing, empty, or no list`)
	}
	r.system = c.events(remit.SystemEvent, parts(m["system"]))
	r.only, r.forced = chosenTools(m["tool_choice"]), forces(m["tool_choice"])
	r.body = unmark(body, b, "system", "messages")
	return r, nil
}

func (messages) turn(raw json.RawMessage, c containers) turn {
	switch strictjson.GetText(raw, "role") {
	case "system", "developer":
		return turn{events: c.events(remit.SystemEvent, contentOf(raw))}
	case "assistant":
		return turn{utterance: blocksUtterance(strictjson.Get(raw, "content"))}
	case "user":
		var t turn
		var own []part
		for _, p := range contentOf(raw) {
			if p.kind == "tool_result" {
				t.events = append(t.events, result(strictjson.GetText(p.raw, "tool_use_id"), strictjson.Get(p.raw, "content"), strictjson.GetBool(p.raw, "is_error")))
			} else {
				own = append(own, p)
			}
		}
		t.events = append(t.events, c.events(remit.UserEvent, own)...)
		return t
	}

	return turn{events: []remit.Event{attached("message", everything(raw))}}
}

// blocksUtterance reads an assistant's content.
func blocksUtterance(content json.RawMessage) *utterance {
	s := &utterance{}
	for _, p := range parts(content) {
		switch {
		case p.isText():
			s.text = append(s.text, p.text)
		case p.kind == "tool_use":
			s.calls = append(s.calls, call{id: strictjson.GetText(p.raw, "id"), tool: strictjson.GetText(p.raw, "name"), arguments: strictjson.Get(p.raw, "input"), raw: p.raw})
		case isCallBlock(p.kind):
			c := foreign(call{id: strictjson.GetText(p.raw, "id"), raw: p.raw, mute: true}, p.kind, strictjson.GetText(p.raw, "name"))
			s.calls = append(s.calls, c)
		case strings.HasSuffix(p.kind, "_tool_result"):
			s.external = append(s.external, words([]string{unreadable(p.kind), everything(p.raw)}))
		default:
			s.other = append(s.other, strictjson.Strings(p.raw, opaque)...)
		}
	}
	return s
}

// isCallBlock reports whether blocks of a kind are calls that the agent would
// run, including unknown kinds.
func isCallBlock(kind string) bool {
	switch kind {
	case "text", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use", "container_upload", "compaction":
		return false
	}
	return !strings.HasSuffix(kind, "_tool_result")
}

// messagesShape is the shape of answers.
var messagesShape = &shape{members: []string{"id", "type", "content", "stop_reason", "usage", "error"}, inner: map[string]*shape{
	"content": {list: true, members: blockMembers},
}}

var blockMembers = []string{"type", "id", "name", "input", "text"}

func (messages) answer(body []byte) (*answer, error) {
	if err := readable(body, messagesShape); err != nil {
		return nil, err
	}
	content := strictjson.Get(body, "content")
	if absent(content) {
		return nil, errBody
	}
	a := &answer{utterance: *blocksUtterance(content), id: strictjson.GetText(body, "id"), usage: strictjson.Get(body, "usage"), cut: blocksCut(strictjson.GetText(body, "stop_reason"))}
	a.turn = content
	return a, nil
}

func blocksCut(reason string) bool {
	return reason == "max_tokens" || reason == "refusal" || reason == "model_context_window_exceeded"
}

func (messages) again(body []byte, a *answer) []byte {
	var told []json.RawMessage
	for i, c := range a.calls {
		told = append(told, fmt.Appendf(nil, `{"type":"tool_result","tool_use_id":%s,"is_error":true,"content":%s}`, strictjson.Quote(c.id), strictjson.Quote(a.fate[i].denial)))
	}
	return allowNoCallMessages(extend(body, "messages",
		fmt.Appendf(nil, `{"role":"assistant","content":%s}`, a.turn),
		fmt.Appendf(nil, `{"role":"user","content":%s}`, join(told))))
}

func (messages) tell(body []byte, text string) []byte { return below(body, "messages", text) }

func (messages) missingTurns(*answer) []json.RawMessage { return nil }

func (messages) whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte {
	if at, ok := strictjson.Find(body, "usage"); ok && usage != nil {
		body = strictjson.Splice(body, at, usage)
	}
	if len(a.calls) == 0 && len(notes) == 0 {
		return body
	}

	at, ok := strictjson.Find(body, "content")
	if !ok {
		return body
	}

	var out []json.RawMessage
	n, kept := 0, 0
	for _, p := range parts(at.Of(body)) {
		if !isCallBlock(p.kind) {
			out = append(out, p.raw)
			continue
		}
		if n == 0 && len(notes) > 0 {
			out = append(out, textBlock(appendNotes("", notes)))
		}
		if f := a.fate[n]; f.denial == "" {
			kept++
			out = append(out, strictjson.Set(p.raw, "input", f.arguments))
		}
		n++
	}
	if n == 0 {
		out = append(out, textBlock(appendNotes("", notes)))
	}

	body = strictjson.Splice(body, at, join(out))
	if kept == 0 && strictjson.GetText(body, "stop_reason") == "tool_use" {
		body = strictjson.Set(body, "stop_reason", []byte(`"end_turn"`))
	}
	return body
}

func textBlock(text string) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, strictjson.Quote(text))
}

func (messages) problem(status int, message string) []byte {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusForbidden:
		kind = "permission_error"
	case status >= http.StatusInternalServerError:
		kind = "api_error"
	}
	return fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%s}}`, kind, strictjson.Quote("remit: "+message))
}
