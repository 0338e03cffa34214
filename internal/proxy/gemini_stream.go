package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

func (gemini) codec() codec { return &geminiCodec{} }

// geminiCodec reads and writes the chunks of streamGenerateContent, as events.
type geminiCodec struct {
	// of the whole stream
	id       json.RawMessage
	tries    int
	sentText bool
	last     json.RawMessage // the last chunk, as a model for those made here

	// of this try
	answerID string
	list     []part
	calls    []geminiPending
	external []string
	usage    json.RawMessage
	cut      bool
	ended    bool
	failed   bool
	parted   bool // its text is separated from that of the try before
	hasText  bool
}

// geminiPending is a call with its chunk.
type geminiPending struct{ part, chunk json.RawMessage }

func (k *geminiCodec) next() {
	*k = geminiCodec{id: k.id, tries: k.tries + 1, sentText: k.sentText || k.hasText, last: k.last}
}

func (k *geminiCodec) event(e sse.Event) ([]piece, error) {
	data := bytes.TrimSpace(e.Data)
	c, err := readGemini(data)
	if err != nil {
		return nil, err
	}
	if c.failed {
		k.failed = true
		return []piece{{pass, e}}, nil
	}

	if k.id == nil {
		k.id = strictjson.Get(data, "responseId")
	}
	if k.answerID == "" {
		k.answerID = strictjson.GetText(data, "responseId")
	}
	if u := strictjson.Get(data, "usageMetadata"); !absent(u) {
		k.usage = u
	}
	if strictjson.Get(data, "candidates") != nil {
		k.last = data
	}
	k.external = append(k.external, c.external...)
	k.cut, k.ended = k.cut || geminiCut(c.finish), k.ended || c.finish != "" || c.blocked
	return k.pieces(e, data, c), nil
}

// pieces divides a chunk: text goes on at once, and the end of the answer waits.
func (k *geminiCodec) pieces(e sse.Event, data json.RawMessage, c *geminiChunk) []piece {
	var own []json.RawMessage
	var calls []piece
	for _, p := range c.parts {
		k.list = append(k.list, p)
		if len(geminiUtterance([]part{p}).calls) > 0 {
			k.calls = append(k.calls, geminiPending{p.raw, data})
			calls = append(calls, piece{step: begin})
			continue
		}
		if p.kind == "text" && p.text != "" {
			k.hasText = true
		}
		own = append(own, p.raw)
	}

	ends := c.finish != "" || c.blocked
	switch {
	case len(k.calls) == 0 && ends:
		return []piece{{tail, e}}
	case len(calls) == 0 && !ends:
		return []piece{{pass, e}}
	}

	var out []piece
	if len(own) > 0 {
		// Parts before a call go on, whatever the decision on the call.
		out = append(out, piece{pass, sse.Event{Data: dropFinish(replaceParts(data, own))}})
	}
	out = append(out, calls...)
	if ends {
		out = append(out, piece{tail, sse.Event{Data: replaceParts(data, nil)}})
	}
	return out
}

// dropFinish removes the end of the answer from a chunk.
func dropFinish(chunk json.RawMessage) json.RawMessage {
	at, ok := strictjson.Find(chunk, "candidates")
	candidates := values(at.Of(chunk))
	if !ok || len(candidates) == 0 {
		return chunk
	}
	candidates[0] = strictjson.Remove(candidates[0], "finishReason")
	return strictjson.Splice(chunk, at, join(candidates))
}

func (k *geminiCodec) answer() (*answer, error) {
	if k.failed {
		return nil, errTold
	}
	if !k.ended {
		return nil, errBroken
	}
	a := &answer{id: k.answerID, usage: k.usage, cut: k.cut, turn: geminiTurn(k.list)}
	a.utterance = *geminiUtterance(k.list)
	a.external = append(a.external, k.external...)
	return a, nil
}

func (k *geminiCodec) forward(e sse.Event) sse.Event {
	if k.tries == 0 {
		return e
	}

	if k.id != nil {
		e.Data = strictjson.Replace(e.Data, k.id, "responseId")
	}
	c, err := readGemini(e.Data)
	if err != nil || k.parted || !k.sentText {
		return e
	}

	list := make([]json.RawMessage, len(c.parts))
	for i, p := range c.parts {
		list[i] = p.raw
		if p.kind == "text" && p.text != "" && !k.parted {
			k.parted = true
			list[i] = strictjson.Set(p.raw, "text", strictjson.Quote("\n\n"+p.text))
		}
	}

	if k.parted {
		e.Data = replaceParts(e.Data, list)
	}
	return e
}

// chunk builds a chunk on the model of another.
func (k *geminiCodec) chunk(model, part json.RawMessage) sse.Event {
	data := fmt.Appendf(nil, `{"candidates":[{"content":{"role":"model","parts":[%s]},"index":0}]}`, part)
	for _, name := range []string{"modelVersion", "createTime"} {
		if v := strictjson.Get(model, name); v != nil {
			data = strictjson.Set(data, name, v)
		}
	}
	if k.id != nil {
		data = strictjson.Set(data, "responseId", k.id)
	}
	return sse.Event{Data: data}
}

func (k *geminiCodec) call(n int, arguments json.RawMessage) []sse.Event {
	p := k.calls[n]
	return []sse.Event{k.chunk(p.chunk, replaceArguments(p.part, arguments))}
}

func (k *geminiCodec) divide(tail []sse.Event) (text, rest []sse.Event) {
	for _, e := range tail {
		c, err := readGemini(e.Data)
		if err == nil && len(c.parts) > 0 {
			first := e
			first.Data = dropFinish(e.Data)
			text = append(text, k.forward(first))
			e.Data = replaceParts(e.Data, nil)
		}
		rest = append(rest, e)
	}
	return text, rest
}

func (k *geminiCodec) note(text string) []sse.Event {
	if k.sentText || k.hasText {
		text = "\n\n" + text
	}
	k.sentText = true
	return []sse.Event{k.chunk(k.last, geminiText(text))}
}

func (k *geminiCodec) end(tail []sse.Event, _ *answer, usage json.RawMessage) []sse.Event {
	out := make([]sse.Event, 0, len(tail))
	for _, e := range tail {
		e = k.forward(e)
		if usage != nil {
			e.Data = strictjson.Replace(e.Data, usage, "usageMetadata")
		}
		out = append(out, e)
	}
	return out
}

func (k *geminiCodec) failure(message string) []sse.Event {
	return []sse.Event{{Data: gemini{}.problem(502, message)}}
}
