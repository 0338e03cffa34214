package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

func (messages) codec() codec { return &messagesCodec{} }

// messagesCodec reads and writes the events of messages.
type messagesCodec struct {
	// of the whole stream
	tries, sent, sentCalls int

	// of this try
	id     string
	blocks []*block
	byAt   map[int]*block
	calls  []*block
	usage  json.RawMessage
	reason string
	ended  bool
	failed bool
}

// block is an incomplete content block.
type block struct {
	start  json.RawMessage // the block as it began
	text   map[string]*strings.Builder
	lists  map[string][]json.RawMessage
	call   bool
	closed bool
	to     int // its place for the client, -1 when it has none yet
}

// messagesEvent is the shape of a stream's events.
var messagesEvent = &shape{members: []string{"type", "index", "message", "content_block", "content", "delta", "error"}, inner: map[string]*shape{
	"message":       messagesShape,
	"content_block": {members: blockMembers},
	"delta":         {members: []string{"type", "text", "partial_json", "stop_reason"}},
}}

func (k *messagesCodec) next() {
	*k = messagesCodec{tries: k.tries + 1, sent: k.sent, sentCalls: k.sentCalls}
}

func (k *messagesCodec) event(e sse.Event) ([]piece, error) {
	if err := readable(e.Data, messagesEvent); err != nil {
		return nil, err
	}

	one := func(s step) ([]piece, error) { return []piece{{s, e}}, nil }
	switch strictjson.GetText(e.Data, "type") {
	case "message_start":
		message := strictjson.Get(e.Data, "message")
		if len(blocksUtterance(strictjson.Get(message, "content")).calls) > 0 {
			return nil, errBody // calls come in blocks of their own
		}
		k.id, k.usage = strictjson.GetText(message, "id"), strictjson.Get(message, "usage")
		if k.tries > 0 {
			return nil, nil
		}
		return one(pass)
	case "content_block_start":
		b := &block{start: strictjson.Get(e.Data, "content_block"), text: map[string]*strings.Builder{}, lists: map[string][]json.RawMessage{}, to: -1}
		at := integer(strictjson.Get(e.Data, "index"))
		if k.byAt == nil {
			k.byAt = map[int]*block{}
		}
		if at < 0 || k.byAt[at] != nil {
			return nil, errBody
		}
		k.blocks, k.byAt[at] = append(k.blocks, b), b
		if b.call = isCallBlock(strictjson.GetText(b.start, "type")); b.call {
			k.calls = append(k.calls, b)
			return one(begin)
		}
		return one(pass)
	case "content_block_delta", "content_block_stop":
		b := k.byAt[integer(strictjson.Get(e.Data, "index"))]
		if b == nil || b.closed {
			return nil, errBody
		}
		if b.closed = strictjson.GetText(e.Data, "type") == "content_block_stop"; !b.closed {
			b.add(strictjson.Get(e.Data, "delta"))
		}
		if b.call {
			return nil, nil
		}
		return one(pass)
	case "message_delta":
		k.usage = overlay(k.usage, strictjson.Get(e.Data, "usage"))
		if r := strictjson.GetText(e.Data, "delta", "stop_reason"); r != "" {
			k.reason = r
		}
		return one(tail)
	case "message_stop":
		k.ended = true
		return one(tail)
	case "error":
		k.failed = true
	}

	// Refuse unknown events: they could hold blocks.
	holds := func(member string) bool { return strictjson.Get(e.Data, member) != nil }
	if slices.ContainsFunc([]string{"content_block", "message", "content"}, holds) || strictjson.GetText(e.Data, "type") == "" {
		return nil, errBody
	}
	return one(pass)
}

// add continues a block. A delta's type names the member that it continues.
func (b *block) add(delta json.RawMessage) {
	members, err := strictjson.Members(delta)
	if err != nil {
		return
	}
	for _, m := range members {
		value := m.Value.Of(delta)
		switch {
		case m.Name == "type":
		case m.Name == "citation":
			b.lists["citations"] = append(b.lists["citations"], value)
		case len(value) > 0 && value[0] == '"':
			if b.text[m.Name] == nil {
				b.text[m.Name] = &strings.Builder{}
			}
			b.text[m.Name].WriteString(strictjson.Text(value))
		}
	}
}

// whole returns the block in the form of a message.
func (b *block) whole() json.RawMessage {
	out := []byte(b.start)
	for name, text := range b.text {
		if name == "partial_json" {
			continue
		}
		out = strictjson.Set(out, name, strictjson.Quote(strictjson.GetText(b.start, name)+text.String()))
	}
	for name, values := range b.lists {
		out = strictjson.Set(out, name, join(values))
	}
	if input := b.input(); input != nil && strict(input) == nil {
		out = strictjson.Set(out, "input", input)
	}
	return out
}

// input returns the streamed input of a call; nil if the block itself has it.
func (b *block) input() json.RawMessage {
	if p := b.text["partial_json"]; p != nil && strings.TrimSpace(p.String()) != "" {
		return json.RawMessage(p.String())
	}
	return nil
}

func (k *messagesCodec) answer() (*answer, error) {
	if k.failed {
		return nil, errTold
	}
	if !k.ended {
		return nil, errBroken
	}

	a := &answer{id: k.id, usage: k.usage, cut: blocksCut(k.reason)}
	var content []json.RawMessage
	for _, b := range k.blocks {
		if !b.closed {
			return nil, errBroken
		}
		content = append(content, b.whole())
	}

	a.turn = join(content)
	a.utterance = *blocksUtterance(a.turn)
	for i, b := range k.calls {
		if input := b.input(); input != nil && !a.calls[i].mute {
			a.calls[i].arguments = input
		}
	}
	return a, nil
}

func (k *messagesCodec) forward(e sse.Event) sse.Event {
	at := strictjson.Get(e.Data, "index")
	b := k.byAt[integer(at)]
	if at == nil || b == nil {
		return e
	}
	if b.to < 0 {
		b.to = k.sent
		k.sent++
	}
	if b.to != integer(at) {
		e.Data = strictjson.Replace(e.Data, number(b.to), "index")
	}
	return e
}

// blockEvents returns the events of a block by the proxy.
func (k *messagesCodec) blockEvents(start, delta json.RawMessage) []sse.Event {
	at := k.sent
	k.sent++
	return []sse.Event{
		{Name: "content_block_start", Data: fmt.Appendf(nil, `{"type":"content_block_start","index":%d,"content_block":%s}`, at, start)},
		{Name: "content_block_delta", Data: fmt.Appendf(nil, `{"type":"content_block_delta","index":%d,"delta":%s}`, at, delta)},
		{Name: "content_block_stop", Data: fmt.Appendf(nil, `{"type":"content_block_stop","index":%d}`, at)},
	}
}

func (k *messagesCodec) call(n int, arguments json.RawMessage) []sse.Event {
	k.sentCalls++
	return k.blockEvents(strictjson.Set(k.calls[n].start, "input", []byte("{}")),
		fmt.Appendf(nil, `{"type":"input_json_delta","partial_json":%s}`, strictjson.Quote(string(arguments))))
}

func (k *messagesCodec) divide(tail []sse.Event) (text, rest []sse.Event) { return nil, tail }

func (k *messagesCodec) note(text string) []sse.Event {
	return k.blockEvents(json.RawMessage(`{"type":"text","text":""}`), fmt.Appendf(nil, `{"type":"text_delta","text":%s}`, strictjson.Quote(text)))
}

func (k *messagesCodec) end(tail []sse.Event, a *answer, usage json.RawMessage) []sse.Event {
	for i, e := range tail {
		if strictjson.GetText(e.Data, "type") != "message_delta" {
			continue
		}
		if usage != nil {
			e.Data = strictjson.Replace(e.Data, usage, "usage")
		}
		if a.denied() > 0 && k.sentCalls == 0 && strictjson.GetText(e.Data, "delta", "stop_reason") == "tool_use" {
			e.Data = strictjson.Replace(e.Data, []byte(`"end_turn"`), "delta", "stop_reason")
		}
		tail[i] = e
	}
	return tail
}

func (k *messagesCodec) failure(message string) []sse.Event {
	return []sse.Event{{Name: "error", Data: messages{}.problem(502, message)}}
}
