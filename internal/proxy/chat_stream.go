package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

func (chat) codec() codec { return &chatCodec{} }

// chatCodec reads and writes chunks of chat completions.
type chatCodec struct {
	// of the whole stream
	id, created json.RawMessage
	tries       int
	sentCalls   int
	sentText    bool
	last        json.RawMessage // the last chunk, as a model for those made here

	// of this try
	message  map[string]*strings.Builder // members of the deltas that are text
	order    []string
	rest     json.RawMessage // and those that are not
	calls    []*chatPending
	answerID string
	finish   string
	parted   bool // its text is separated from that of the try before
	failed   bool
	usage    json.RawMessage
}

// chatPending is an incomplete call.
type chatPending struct {
	index     int
	entry     json.RawMessage // all members but the arguments
	arguments []byte
	model     json.RawMessage // the chunk in which it began
}

func (k *chatCodec) next() {
	*k = chatCodec{id: k.id, created: k.created, tries: k.tries + 1, sentCalls: k.sentCalls, sentText: k.sentText || k.hasOutput(), last: k.last}
}

// hasOutput reports whether this try has produced text or a call.
func (k *chatCodec) hasOutput() bool {
	text := k.message["content"]
	return text != nil && text.Len() > 0
}

func (k *chatCodec) event(e sse.Event) ([]piece, error) {
	data := bytes.TrimSpace(e.Data)
	if string(data) == "[DONE]" {
		return []piece{{tail, e}}, nil
	}
	if err := readable(data, chatShape); err != nil {
		return nil, err
	}
	if !absent(strictjson.Get(data, "error")) {
		k.failed = true
		return []piece{{pass, e}}, nil
	}

	if k.id == nil {
		k.id, k.created = strictjson.Get(data, "id"), strictjson.Get(data, "created")
	}
	k.answerID, k.last = strictjson.GetText(data, "id"), data
	if u := strictjson.Get(data, "usage"); !absent(u) {
		k.usage = u
	}

	at, ok := strictjson.Find(data, "choices")
	choices := values(at.Of(data))
	if !ok || len(choices) == 0 {
		if k.finish != "" {
			return []piece{{tail, e}}, nil
		}
		return []piece{{pass, e}}, nil
	}

	var out []piece
	for i, c := range choices {
		delta := strictjson.Get(c, "delta")
		calls := values(strictjson.Get(delta, "tool_calls"))
		if err := noFunctionCall(delta); err != nil {
			return nil, err
		}
		index := integer(strictjson.Get(c, "index"))
		second := index > 0 && len(calls) > 0 // calls beside those of the first choice
		if second || !absent(strictjson.Get(c, "message")) {
			return nil, fmt.Errorf("%w: there are calls in one of several choices, or outside of a delta", errBody)
		}
		if index > 0 {
			continue
		}
		for _, entry := range calls {
			out = append(out, k.part(entry, data)...)
		}
		if len(calls) > 0 {
			delta = strictjson.Remove(delta, "tool_calls")
			choices[i] = strictjson.Set(c, "delta", delta)
			e.Data = strictjson.Splice(data, at, join(choices))
		}
		k.merge(delta)
		finish := strictjson.GetText(c, "finish_reason")
		switch members, _ := strictjson.Members(delta); {
		case finish != "":
			k.finish = finish
			if len(k.calls) > 0 && strictjson.GetText(delta, "content") != "" {
				// The text is passed on whatever is decided about the calls.
				text := strictjson.Set(choices[i], "finish_reason", []byte("null"))
				out = append([]piece{{pass, sse.Event{Data: strictjson.Splice(e.Data, k.choices(e.Data), join([]json.RawMessage{text}))}}}, out...)
				e.Data = strictjson.Splice(e.Data, k.choices(e.Data), join([]json.RawMessage{strictjson.Set(c, "delta", []byte("{}"))}))
			}
			return append(out, piece{tail, e}), nil
		case len(calls) > 0 && len(members) == 0:
			return out, nil // nothing is left of it
		}
	}

	// The other content of the event precedes its calls.
	return append([]piece{{pass, e}}, out...), nil
}

func (k *chatCodec) choices(data []byte) strictjson.Span {
	at, _ := strictjson.Find(data, "choices")
	return at
}

// part adds a fragment of a call.
func (k *chatCodec) part(entry, chunk json.RawMessage) []piece {
	index, id := integer(strictjson.Get(entry, "index")), strictjson.GetText(entry, "id")
	var p *chatPending
	if i := slices.IndexFunc(k.calls, func(p *chatPending) bool { return p.index == index }); i >= 0 && index >= 0 {
		p = k.calls[i]
		if have := strictjson.GetText(p.entry, "id"); id != "" && have != "" && id != have {
			// Some servers number all calls alike.
			p.index, p = -1, nil
		}
	}

	var out []piece
	if p == nil {
		p = &chatPending{index: index, model: chunk, entry: json.RawMessage(`{}`)}
		k.calls = append(k.calls, p)
		out = []piece{{step: begin}}
	}

	arguments := strictjson.Get(entry, "function", "arguments")
	if len(arguments) > 0 && arguments[0] == '"' {
		arguments = json.RawMessage(strictjson.Text(arguments))
	}
	p.arguments = append(p.arguments, arguments...)
	function := overlay(strictjson.Get(p.entry, "function"), strictjson.Remove(strictjson.Get(entry, "function"), "arguments"))
	p.entry = overlay(p.entry, strictjson.Remove(entry, "function"))
	if !absent(function) {
		p.entry = strictjson.Set(p.entry, "function", function)
	}
	return out
}

// merge adds a delta to the message.
func (k *chatCodec) merge(delta json.RawMessage) {
	members, err := strictjson.Members(delta)
	if err != nil {
		return
	}

	for _, m := range members {
		value := m.Value.Of(delta)
		switch {
		case m.Name == "role" || m.Name == "tool_calls" || absent(value):
		case value[0] == '"':
			if k.message == nil {
				k.message = map[string]*strings.Builder{}
			}
			if k.message[m.Name] == nil {
				k.message[m.Name] = &strings.Builder{}
				k.order = append(k.order, m.Name)
			}
			k.message[m.Name].WriteString(strictjson.Text(value))
		default:
			if k.rest == nil {
				k.rest = json.RawMessage(`{}`)
			}
			if old := values(strictjson.Get(k.rest, m.Name)); old != nil {
				value = join(append(old, values(value)...))
			}
			k.rest = strictjson.Set(k.rest, m.Name, value)
		}
	}
}

func (k *chatCodec) answer() (*answer, error) {
	if k.failed {
		return nil, errTold
	}
	if k.finish == "" {
		return nil, errBroken
	}

	turn := []byte(`{"role":"assistant","content":null}`)
	for _, name := range k.order {
		turn = strictjson.Set(turn, name, strictjson.Quote(k.message[name].String()))
	}

	if k.rest != nil {
		turn = overlay(turn, k.rest)
	}

	a := &answer{id: k.answerID, usage: k.usage, cut: chatCut(k.finish)}
	var calls []json.RawMessage
	for _, p := range k.calls {
		calls = append(calls, p.whole(string(p.arguments)))
	}

	if len(calls) > 0 {
		turn = strictjson.Set(turn, "tool_calls", join(calls))
	}
	a.utterance, a.turn = *chatUtterance(turn), turn
	return a, nil
}

// whole returns the call with the given arguments.
func (p *chatPending) whole(arguments string) json.RawMessage {
	entry := strictjson.Remove(p.entry, "index")
	if kind := strictjson.GetText(entry, "type"); kind != "" && kind != "function" {
		return entry
	}
	function := strictjson.Get(entry, "function")
	if absent(function) {
		function = json.RawMessage(`{}`)
	}
	return strictjson.Set(strictjson.Set(entry, "type", []byte(`"function"`)), "function", strictjson.Set(function, "arguments", strictjson.Quote(arguments)))
}

func (k *chatCodec) forward(e sse.Event) sse.Event {
	if k.tries == 0 || string(bytes.TrimSpace(e.Data)) == "[DONE]" {
		return e
	}
	e.Data = strictjson.Replace(strictjson.Replace(e.Data, k.id, "id"), k.created, "created")
	if at, ok := strictjson.Find(e.Data, "choices"); ok {
		choices := values(at.Of(e.Data))
		for i, c := range choices {
			// Clients that add deltas up would add the role again.
			delta := strictjson.Remove(strictjson.Get(c, "delta"), "role")
			if text := strictjson.GetText(delta, "content"); text != "" && k.sentText && !k.parted {
				k.parted = true
				delta = strictjson.Set(delta, "content", strictjson.Quote("\n\n"+text))
			}
			choices[i] = strictjson.Replace(c, delta, "delta")
		}
		e.Data = strictjson.Splice(e.Data, at, join(choices))
	}
	return e
}

// chunk builds a chunk on the model of another.
func (k *chatCodec) chunk(model, delta json.RawMessage) sse.Event {
	data := strictjson.Set(model, "choices", fmt.Appendf(nil, `[{"index":0,"delta":%s,"finish_reason":null}]`, delta))
	data = strictjson.Replace(strictjson.Replace(data, k.id, "id"), k.created, "created")
	return sse.Event{Data: strictjson.Replace(data, []byte("null"), "usage")}
}

func (k *chatCodec) call(n int, arguments json.RawMessage) []sse.Event {
	p := k.calls[n]
	entry := strictjson.Set(p.whole(string(arguments)), "index", number(k.sentCalls))
	k.sentCalls++
	return []sse.Event{k.chunk(p.model, fmt.Appendf(nil, `{"tool_calls":[%s]}`, entry))}
}

func (k *chatCodec) divide(tail []sse.Event) (text, rest []sse.Event) {
	for _, e := range tail {
		choices := values(strictjson.Get(e.Data, "choices"))
		if len(choices) > 0 && strictjson.GetText(choices[0], "delta", "content") != "" {
			first := e
			with := strictjson.Set(choices[0], "finish_reason", []byte("null"))
			first.Data = strictjson.Replace(e.Data, join([]json.RawMessage{with}), "choices")
			text = append(text, k.forward(first))
			choices[0] = strictjson.Set(choices[0], "delta", []byte("{}"))
			e.Data = strictjson.Replace(e.Data, join(choices), "choices")
		}
		rest = append(rest, e)
	}
	return text, rest
}

func (k *chatCodec) note(text string) []sse.Event {
	if k.sentText || k.hasOutput() {
		text = "\n\n" + text
	}
	k.sentText = true
	return []sse.Event{k.chunk(k.last, fmt.Appendf(nil, `{"content":%s}`, strictjson.Quote(text)))}
}

func (k *chatCodec) end(tail []sse.Event, a *answer, usage json.RawMessage) []sse.Event {
	out := make([]sse.Event, 0, len(tail))
	for _, e := range tail {
		e = k.forward(e)
		if u := strictjson.Get(e.Data, "usage"); usage != nil && !absent(u) {
			e.Data = strictjson.Replace(e.Data, usage, "usage")
		}
		if at, ok := strictjson.Find(e.Data, "choices"); ok && a.denied() > 0 && k.sentCalls == 0 {
			choices := values(at.Of(e.Data))
			for i, c := range choices {
				if strictjson.GetText(c, "finish_reason") == "tool_calls" {
					choices[i] = strictjson.Set(c, "finish_reason", []byte(`"stop"`))
				}
			}
			e.Data = strictjson.Splice(e.Data, at, join(choices))
		}
		out = append(out, e)
	}
	return out
}

func (k *chatCodec) failure(message string) []sse.Event {
	return []sse.Event{{Data: openAIProblem(502, message)}}
}
