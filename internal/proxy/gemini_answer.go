package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// geminiShape is the shape of answers, and of the chunks of a stream.
var geminiShape = &shape{members: []string{"candidates", "promptFeedback", "usageMetadata", "responseId", "error"}, inner: map[string]*shape{
	"candidates": {list: true, members: []string{"content", "finishReason", "index", "groundingMetadata", "urlContextMetadata"}, inner: map[string]*shape{
		"content": {members: []string{"role", "parts"}, inner: map[string]*shape{
			"parts": {list: true, members: partMembers, inner: map[string]*shape{
				"functionCall": {members: []string{"id", "name", "args"}},
			}},
		}},
	}},
}}

// geminiChunk is the content of one chunk of an answer.
type geminiChunk struct {
	parts           []part
	finish          string
	blocked, failed bool
	// external is what the provider's tools returned outside of the parts.
	external []string
}

// readGemini reads a chunk. It returns an error for calls that can't be decided.
func readGemini(chunk json.RawMessage) (*geminiChunk, error) {
	if err := readable(chunk, geminiShape); err != nil {
		return nil, err
	}

	c := &geminiChunk{blocked: strictjson.GetText(chunk, "promptFeedback", "blockReason") != "", failed: !absent(strictjson.Get(chunk, "error"))}
	for i, candidate := range values(strictjson.Get(chunk, "candidates")) {
		list := geminiParts(strictjson.Get(candidate, "content"))
		if i > 0 || integer(strictjson.Get(candidate, "index")) > 0 {
			if len(geminiUtterance(list).calls) > 0 {
				return nil, fmt.Errorf("%w: there are calls in one of several answers", errBody)
			}
			continue
		}
		for _, p := range list {
			for _, name := range []string{"partialArgs", "willContinue"} {
				if v := memberEither(p.raw, "functionCall", name); !absent(v) && string(v) != "false" {
					return nil, fmt.Errorf("%w: a call comes in fragments", errBody)
				}
			}
		}
		c.parts, c.finish = list, strictjson.GetText(candidate, "finishReason")
		for _, name := range []string{"groundingMetadata", "urlContextMetadata"} {
			if m := strictjson.Get(candidate, name); !absent(m) && string(m) != "{}" {
				c.external = append(c.external, words([]string{unreadable(name), everything(m)}))
			}
		}
	}

	return c, nil
}

// geminiCut reports whether an answer is truncated.
func geminiCut(finish string) bool { return finish != "" && finish != "STOP" }

// chunks returns the chunks of an answer in one body: the body itself, or the
// elements of a list.
func chunks(body []byte) []json.RawMessage {
	if len(body) > 0 && body[0] == '[' {
		return values(body)
	}
	return []json.RawMessage{body}
}

func (gemini) answer(body []byte) (*answer, error) {
	if err := strict(body); err != nil {
		return nil, fmt.Errorf("%w: %v", errBody, err)
	}

	a := &answer{}
	var list []part
	ended := false
	for _, raw := range chunks(body) {
		c, err := readGemini(raw)
		if err != nil {
			return nil, err
		}
		empty := strictjson.Get(raw, "candidates") == nil && !c.blocked && absent(strictjson.Get(raw, "usageMetadata"))
		if c.failed || empty {
			return nil, fmt.Errorf("%w: it has no candidates", errBody)
		}
		list = append(list, c.parts...)
		ended = ended || c.finish != "" || c.blocked
		a.cut = a.cut || geminiCut(c.finish)
		a.external = append(a.external, c.external...)
		if u := strictjson.Get(raw, "usageMetadata"); !absent(u) {
			a.usage = u
		}
		if a.id == "" {
			a.id = strictjson.GetText(raw, "responseId")
		}
	}

	external := a.external
	a.utterance, a.turn = *geminiUtterance(list), geminiTurn(list)
	a.external = append(a.external, external...)
	a.cut = a.cut || !ended
	return a, nil
}

// geminiTurn returns the model's turn with these parts.
func geminiTurn(list []part) json.RawMessage {
	raw := make([]json.RawMessage, len(list))
	for i, p := range list {
		raw[i] = p.raw
	}
	return fmt.Appendf(nil, `{"role":"model","parts":%s}`, join(raw))
}

func (gemini) again(body []byte, a *answer) []byte {
	var told []json.RawMessage
	for i, c := range a.calls {
		raw := strictjson.Get(c.raw, "functionCall")
		response := fmt.Appendf(nil, `{"name":%s,"response":{"error":%s}}`, strictjson.Quote(c.tool), strictjson.Quote(a.fate[i].denial))
		if id := strictjson.GetText(raw, "id"); id != "" {
			response = strictjson.Set(response, "id", strictjson.Quote(id))
		}
		told = append(told, fmt.Appendf(nil, `{"functionResponse":%s}`, response))
	}
	return allowNoCallGemini(extend(listContents(body), "contents", a.turn, fmt.Appendf(nil, `{"role":"user","parts":%s}`, join(told))))
}

func (gemini) missingTurns(*answer) []json.RawMessage { return nil }

// replaceParts returns a chunk with other parts.
func replaceParts(chunk json.RawMessage, list []json.RawMessage) json.RawMessage {
	at, ok := strictjson.Find(chunk, "candidates")
	if !ok {
		return chunk
	}
	candidates := values(at.Of(chunk))
	if len(candidates) == 0 {
		return chunk
	}
	candidates[0] = strictjson.Replace(candidates[0], join(list), "content", "parts")
	return strictjson.Splice(chunk, at, join(candidates))
}

// addPart returns a chunk with a further part.
func addPart(chunk, p json.RawMessage) json.RawMessage {
	c, err := readGemini(chunk)
	if err != nil {
		return chunk
	}
	var out []json.RawMessage
	for _, have := range c.parts {
		out = append(out, have.raw)
	}
	return replaceParts(chunk, append(out, p))
}

// replaceArguments returns the part of a call with the checked arguments.
func replaceArguments(part, arguments json.RawMessage) json.RawMessage {
	return strictjson.Set(part, "functionCall", strictjson.Set(strictjson.Get(part, "functionCall"), "args", arguments))
}

func geminiText(text string) json.RawMessage {
	return fmt.Appendf(nil, `{"text":%s}`, strictjson.Quote(text))
}

func (gemini) whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte {
	list := chunks(body)
	n, counted, last := 0, -1, 0
	for i, chunk := range list {
		c, err := readGemini(chunk)
		if err != nil {
			continue
		}
		if !absent(strictjson.Get(chunk, "usageMetadata")) {
			counted = i
		}
		if len(c.parts) > 0 {
			last = i
		}
		var out []json.RawMessage
		first := n
		for _, p := range c.parts {
			if len(geminiUtterance([]part{p}).calls) == 0 {
				out = append(out, p.raw)
				continue
			}
			if n == 0 && len(notes) > 0 {
				out = append(out, geminiText(strings.TrimPrefix(appendNotes(words(a.text), notes), words(a.text))))
			}
			if f := a.fate[n]; f.denial == "" {
				out = append(out, replaceArguments(p.raw, f.arguments))
			}
			n++
		}
		if n > first {
			list[i] = replaceParts(chunk, out)
		}
	}

	if n == 0 && len(notes) > 0 {
		list[last] = addPart(list[last], geminiText("\n\n"+appendNotes("", notes)))
	}
	if usage != nil && counted >= 0 {
		list[counted] = strictjson.Set(list[counted], "usageMetadata", usage)
	}
	if len(body) > 0 && body[0] == '[' {
		return join(list)
	}
	return list[0]
}

func (gemini) problem(status int, message string) []byte {
	kind := "INVALID_ARGUMENT"
	switch {
	case status == http.StatusForbidden:
		kind = "PERMISSION_DENIED"
	case status >= http.StatusInternalServerError:
		kind = "INTERNAL"
	}
	return fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":%q}}`, status, strictjson.Quote("remit: "+message), kind)
}
