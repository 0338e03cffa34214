package proxy

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// request is a request for an answer in the normal form of all dialects.
type request struct {
	// body is what goes to the upstream.
	body []byte
	// stream tells that the answer is wanted as a stream of events.
	stream bool
	// frame is what the conversation stands in, byte by byte: system text and
	// tool definitions. Where it changes, so does the conversation.
	frame []json.RawMessage
	// system are the events of the deployment's text beside the turns.
	system []remit.Event
	turns  []json.RawMessage
	tools  []json.RawMessage
	// only are the tools that the model may choose from, by name; nil when it
	// may choose from all.
	only map[string]bool
	// forced tells that the model has to call one of them.
	forced bool
	// kept names a history that the provider keeps and the request doesn't
	// repeat; empty when there is none.
	kept string
	// unread says what else the model sees that the request doesn't show.
	unread []string
}

// turn is one element of a conversation.
type turn struct {
	// events are what it adds to the session, unless it is the model's.
	events []remit.Event
	// said is what the model said; nil for the turns of others.
	said *said
}

// said is what a model said in one turn, or in several without a break.
type said struct {
	// text went to the user, other beside it: reasoning, refusals.
	text, other []string
	// external are what tools of the provider brought, which the model has read.
	external []string
	calls    []call
}

// call is a proposed call as an answer has it.
type call struct {
	// id is the provider's; results refer to it.
	id, tool  string
	arguments json.RawMessage
	raw       json.RawMessage
	// alias is another name by which results refer to it; empty when there is none.
	alias string
	// mute tells that its API has no result for calls of this kind, by which the
	// model could be told that it was denied.
	mute bool
}

// add continues what was said.
func (s *said) add(more *said) {
	s.text = append(s.text, more.text...)
	s.other = append(s.other, more.other...)
	s.external = append(s.external, more.external...)
	s.calls = append(s.calls, more.calls...)
}

// words puts texts together for a session.
func words(texts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" }), "\n")
}

// opaque tells of members that hold nothing for a model to read: encoded bytes,
// and the protocols' own words.
func opaque(member string) bool {
	switch member {
	case "id", "type", "role", "status", "signature", "encrypted_content", "data", "call_id", "tool_call_id", "tool_use_id",
		"media_type", "mime_type", "detail", "file_id", "annotations", "citations", "logprobs", "cache_control", "index",
		"object", "phase", "format", "encrypted_index", "encrypted_stdout", "expires_at", "mimeType", "thoughtSignature", "thought_signature":
		return true
	}
	return false
}

// everything is all that a model could read in a value.
func everything(value json.RawMessage) string { return words(strictjson.Strings(value, opaque)) }

// unreadable stands for a part that the model could see and the monitor can't
// read. It must not vanish: from there on the model may know what nobody
// vouched for.
func unreadable(kind string) string {
	kind = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, kind)
	return "[a part of type " + kind[:min(len(kind), 40)] + ", which was not read]"
}

func event(kind remit.EventKind, text string) remit.Event { return remit.Event{Kind: kind, Text: text} }

func attached(name, text string) remit.Event {
	return remit.Event{Kind: remit.AttachmentEvent, Name: name, Text: text}
}

// part is one part of a message's content.
type part struct {
	kind, text string
	raw        json.RawMessage
	// marked says that the application marked it, or the whole message, as
	// material that was passed on.
	marked bool
}

// parts reads a content member, which is a text or a list of parts.
func parts(content json.RawMessage) []part {
	if len(content) == 0 || string(content) == "null" {
		return nil
	}
	if content[0] == '"' {
		return []part{{kind: "text", text: strictjson.Text(content), raw: content}}
	}

	elements, err := strictjson.Elements(content)
	if err != nil {
		return []part{{kind: "unknown", raw: content}}
	}

	out := make([]part, 0, len(elements))
	for _, at := range elements {
		raw := at.Of(content)
		out = append(out, part{
			kind:   strictjson.GetText(raw, "type"),
			text:   strictjson.GetText(raw, "text"),
			raw:    raw,
			marked: strictjson.Get(raw, markMember) != nil,
		})
	}

	return out
}

// isText reports whether a part is text that its author wrote there.
func (p *part) isText() bool {
	switch p.kind {
	case "text", "input_text", "output_text":
		return true
	}
	return false
}

// attachment is the event for a part that isn't its author's own text.
func (p *part) attachment() remit.Event {
	name := strictjson.GetText(p.raw, markMember)
	if name == "" {
		name = p.kind
	}
	text := everything(strictjson.Remove(p.raw, markMember))
	if !p.isText() {
		text = words([]string{unreadable(p.kind), text})
		if strictjson.GetText(p.raw, "source", "type") == "text" {
			text = words([]string{text, strictjson.GetText(p.raw, "source", "data")})
		}
	}
	return attached(name, text)
}

// contentOf are the parts of a message. What it marks, it marks in all of them.
func contentOf(message json.RawMessage) []part {
	list := parts(strictjson.Get(message, "content"))
	if strictjson.Get(message, markMember) != nil {
		for i := range list {
			list[i].marked = true
		}
	}
	return list
}

// events are those of what came in the user's turn, or in the deployment's: first
// what its author wrote there, then what came with it.
func (c containers) events(kind remit.EventKind, list []part) []remit.Event {
	if kind == remit.UserEvent {
		c = append(carried(), c...)
	}

	var own []string
	var with []remit.Event
	for i := range list {
		p := &list[i]
		if p.marked || !p.isText() {
			with = append(with, p.attachment())
			continue
		}
		text, found := c.split(p.text)
		own = append(own, text)
		for _, f := range found {
			with = append(with, attached("container", f))
		}
	}

	if text := words(own); text != "" {
		return append([]remit.Event{event(kind, text)}, with...)
	}
	return with
}

// result is the event of what a call returned.
func result(call string, content json.RawMessage) remit.Event {
	var texts []string
	for _, p := range parts(content) {
		if p.isText() {
			texts = append(texts, p.text)
		} else {
			texts = append(texts, unreadable(p.kind), everything(p.raw))
		}
	}
	return remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Call: call, Content: words(texts)}}
}
