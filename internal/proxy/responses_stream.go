package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

func (responses) codec() codec { return &responsesCodec{} }

// responsesCodec reads and writes the events of responses.
type responsesCodec struct {
	// of the whole stream
	tries, sequence, sent, sentCalls int
	output                           []json.RawMessage // what the client has got
	notes                            int
	firstID                          string

	// of this try
	items  map[int]*item
	order  []*item
	calls  []*item
	final  json.RawMessage
	failed bool
}

// item is an incomplete output item.
type item struct {
	added, done json.RawMessage
	kind        string
	call        bool
	to          int // its place for the client, -1 when it has none yet
}

// responsesEvent is the shape of a stream's events.
var responsesEvent = &shape{members: []string{"type", "output_index", "item_id", "item", "response", "output", "part", "delta", "arguments", "name"}, inner: map[string]*shape{
	"item":     {members: itemMembers},
	"response": responsesShape,
}}

func (k *responsesCodec) next() {
	*k = responsesCodec{tries: k.tries + 1, sequence: k.sequence, sent: k.sent, sentCalls: k.sentCalls, output: k.output, notes: k.notes, firstID: k.firstID}
}

func (k *responsesCodec) event(e sse.Event) ([]piece, error) {
	if err := readable(e.Data, responsesEvent); err != nil {
		return nil, err
	}

	one := func(s step) ([]piece, error) { return []piece{{s, e}}, nil }
	switch strictjson.GetText(e.Data, "type") {
	case "response.created", "response.queued", "response.in_progress":
		if len(values(strictjson.Get(e.Data, "response", "output"))) > 0 {
			return nil, errBody // nothing has been said yet
		}
		if k.firstID == "" {
			k.firstID = strictjson.GetText(e.Data, "response", "id")
		}
		if k.tries > 0 {
			return nil, nil
		}
		return one(pass)
	case "response.completed", "response.incomplete", "response.failed":
		k.final = strictjson.Get(e.Data, "response")
		return one(tail)
	case "error":
		k.failed = true
		return one(pass)
	}

	s, err := k.outputEvent(e)
	if err != nil || s == pending {
		return nil, err
	}
	return one(s)
}

// outputEvent reads an event within the output and returns its step.
func (k *responsesCodec) outputEvent(e sse.Event) (step, error) {
	kind, at := strictjson.GetText(e.Data, "type"), strictjson.Get(e.Data, "output_index")
	holds := func(member string) bool { return strictjson.Get(e.Data, member) != nil }
	if at == nil && kind != "" && !callLike(kind) && !slices.ContainsFunc([]string{"item", "response", "output"}, holds) {
		return pass, nil
	}

	x := k.items[integer(at)]
	if kind == "response.output_item.added" {
		if x != nil || integer(at) < 0 {
			return pending, errBody
		}
		x = &item{added: strictjson.Get(e.Data, "item"), kind: strictjson.GetText(e.Data, "item", "type"), to: -1}
		x.call = isCall(x.added)
		if k.items == nil {
			k.items = map[int]*item{}
		}
		k.items[integer(at)], k.order = x, append(k.order, x)
		if x.call {
			k.calls = append(k.calls, x)
			return begin, nil
		}
	}
	if x == nil || x.done != nil {
		return pending, errBody
	}
	if kind == "response.output_item.done" {
		x.done = strictjson.Get(e.Data, "item")
		if strictjson.GetText(x.done, "type") != x.kind || isCall(x.done) != x.call {
			return pending, errBody
		}
	}
	item := strictjson.Get(e.Data, "item")
	hidden := !absent(item) && noCallsIn(item) != nil
	if hidden || callLike(strictjson.GetText(e.Data, "part", "type")) {
		return pending, errBody
	}

	switch {
	case x.call:
		return pending, nil
	case x.kind == "reasoning":
		return lead, nil
	}
	return pass, nil
}

func (k *responsesCodec) answer() (*answer, error) {
	if k.failed {
		return nil, errTold
	}
	if k.final == nil {
		return nil, errBroken
	}

	var items []json.RawMessage
	for _, x := range k.order {
		if x.done == nil && len(k.calls) > 0 {
			return nil, errBroken
		}
		if x.done != nil {
			items = append(items, x.done)
		}
	}

	a := outputAnswer(k.final, items)
	// The last event must not list anything new: a call in it would be undecided.
	for _, raw := range values(strictjson.Get(k.final, "output")) {
		undecided := isCall(raw) && len(k.calls) == 0
		if undecided || noCallsIn(raw) != nil {
			return nil, errBody
		}
	}

	return a, nil
}

func (k *responsesCodec) forward(e sse.Event) sse.Event {
	if at := strictjson.Get(e.Data, "output_index"); at != nil {
		if x := k.items[integer(at)]; x != nil {
			if x.to < 0 {
				x.to = k.sent
				k.sent++
			}
			if x.to != integer(at) {
				e.Data = strictjson.Replace(e.Data, number(x.to), "output_index")
			}
			if strictjson.GetText(e.Data, "type") == "response.output_item.done" {
				k.output = append(k.output, x.done)
			}
		}
	}
	return k.setNumber(e)
}

// setNumber numbers an event in the stream.
func (k *responsesCodec) setNumber(e sse.Event) sse.Event {
	if at, ok := strictjson.Find(e.Data, "sequence_number"); ok {
		if integer(at.Of(e.Data)) != k.sequence {
			e.Data = strictjson.Splice(e.Data, at, number(k.sequence))
		}
	}
	k.sequence++
	return e
}

// newEvent returns an event by the proxy.
func (k *responsesCodec) newEvent(kind, format string, a ...any) sse.Event {
	return k.setNumber(sse.Event{Name: kind, Data: fmt.Appendf(nil, `{"type":%q,"sequence_number":-1,`+format+`}`, append([]any{kind}, a...)...)})
}

func (k *responsesCodec) call(n int, arguments json.RawMessage) []sse.Event {
	x := k.calls[n]
	at := k.sent
	k.sent++
	k.sentCalls++
	quoted := strictjson.Quote(string(arguments))
	done := strictjson.Set(x.done, "arguments", quoted)
	k.output = append(k.output, done)
	id := strictjson.Quote(strictjson.GetText(x.added, "id"))
	return []sse.Event{
		k.newEvent("response.output_item.added", `"output_index":%d,"item":%s`, at, strictjson.Set(x.added, "arguments", []byte(`""`))),
		k.newEvent("response.function_call_arguments.delta", `"item_id":%s,"output_index":%d,"delta":%s`, id, at, quoted),
		k.newEvent("response.function_call_arguments.done", `"item_id":%s,"output_index":%d,"name":%s,"arguments":%s`, id, at, strictjson.Quote(strictjson.GetText(x.done, "name")), quoted),
		k.newEvent("response.output_item.done", `"output_index":%d,"item":%s`, at, done),
	}
}

func (k *responsesCodec) divide(tail []sse.Event) (text, rest []sse.Event) { return nil, tail }

func (k *responsesCodec) note(text string) []sse.Event {
	at, id := k.sent, strictjson.Quote(noteID(k.firstID, k.notes))
	k.sent++
	k.notes++
	quoted := strictjson.Quote(text)
	done := noteItem(strictjson.Text(id), text)
	k.output = append(k.output, done)
	part := func(text json.RawMessage) json.RawMessage {
		return fmt.Appendf(nil, `{"type":"output_text","annotations":[],"logprobs":[],"text":%s}`, text)
	}
	begun := strictjson.Set(strictjson.Set(done, "content", []byte("[]")), "status", []byte(`"in_progress"`))
	return []sse.Event{
		k.newEvent("response.output_item.added", `"output_index":%d,"item":%s`, at, begun),
		k.newEvent("response.content_part.added", `"item_id":%s,"output_index":%d,"content_index":0,"part":%s`, id, at, part([]byte(`""`))),
		k.newEvent("response.output_text.delta", `"item_id":%s,"output_index":%d,"content_index":0,"logprobs":[],"delta":%s`, id, at, quoted),
		k.newEvent("response.output_text.done", `"item_id":%s,"output_index":%d,"content_index":0,"logprobs":[],"text":%s`, id, at, quoted),
		k.newEvent("response.content_part.done", `"item_id":%s,"output_index":%d,"content_index":0,"part":%s`, id, at, part(quoted)),
		k.newEvent("response.output_item.done", `"output_index":%d,"item":%s`, at, done),
	}
}

func (k *responsesCodec) end(tail []sse.Event, _ *answer, usage json.RawMessage) []sse.Event {
	for i, e := range tail {
		if (len(k.calls) > 0 || k.tries > 0 || k.notes > 0) && strings.HasPrefix(strictjson.GetText(e.Data, "type"), "response.") {
			e.Data = strictjson.Replace(e.Data, join(k.output), "response", "output")
			e.Data = strictjson.Replace(e.Data, strictjson.Quote(k.firstID), "response", "id")
			if usage != nil {
				e.Data = strictjson.Replace(e.Data, usage, "response", "usage")
			}
		}
		tail[i] = k.setNumber(e)
	}
	return tail
}

func (k *responsesCodec) failure(message string) []sse.Event {
	return []sse.Event{k.newEvent("error", `"code":"remit","message":%s,"param":null`, strictjson.Quote("remit: "+message))}
}
