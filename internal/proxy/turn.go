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
	// body is the body for the upstream.
	body []byte
	// stream is true when the client wants a stream of events.
	stream bool
	// frame holds the bytes around the turns: system text and tool definitions.
	// Another frame makes another conversation.
	frame []json.RawMessage
	// system are the events of system text outside of the turns.
	system []remit.Event
	turns  []json.RawMessage
	// read are the places of the turns in the body that came.
	read  strictjson.Begun
	tools []json.RawMessage
	// only are the names of the tools that the model may choose; nil if it may
	// choose all.
	only map[string]bool
	// forced is true when the model must call one of them.
	forced bool
	// kept names a history that the provider keeps and the request doesn't
	// repeat; empty if there is none.
	kept string
	// unread names further input of the model that the request doesn't show.
	unread []string
}

// turn is one element of a conversation.
type turn struct {
	// events are the session events of the turn, unless it is the model's.
	events []remit.Event
	// utterance is what the model said; nil for the turns of others.
	utterance *utterance
}

// utterance is what a model said in one turn, or in several without a break.
type utterance struct {
	// text went to the user; other is the rest: reasoning, refusals.
	text, other []string
	// external is what the provider's tools returned; the model has read it.
	external []string
	calls    []call
}

// call is a proposed call in an answer.
type call struct {
	// id is the provider's id, which results refer to.
	id, tool  string
	arguments json.RawMessage
	raw       json.RawMessage
	// alias is another id that results may use; empty if there is none.
	alias string
	// signed is true when the call has a signature of the provider's, which takes the calls behind
	// it in an answer only together with it.
	signed bool
	// mute is true when the API has no result for calls of this kind, so the
	// model can't be told of a denial.
	mute bool
}

// add appends another utterance.
func (s *utterance) add(more *utterance) {
	s.text = append(s.text, more.text...)
	s.other = append(s.other, more.other...)
	s.external = append(s.external, more.external...)
	s.calls = append(s.calls, more.calls...)
}

// words joins texts for a session.
func words(texts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" }), "\n")
}

// opaque reports whether a member holds nothing for a model to read: encoded
// bytes, or the protocol's own words.
func opaque(member string) bool {
	switch member {
	case "id", "type", "role", "status", "signature", "encrypted_content", "data", "call_id", "tool_call_id", "tool_use_id",
		"media_type", "mime_type", "detail", "file_id", "annotations", "citations", "logprobs", "cache_control", "index",
		"object", "phase", "format", "encrypted_index", "encrypted_stdout", "expires_at", "mimeType", "thoughtSignature", "thought_signature":
		return true
	}
	return false
}

// everything returns all text in a value that a model could read.
func everything(value json.RawMessage) string { return words(strictjson.Strings(value, opaque)) }

// unreadable returns a placeholder for a part that the model could see and the
// monitor can't read. It must not vanish: it may be the unvouched source of what
// the model says later.
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
	// marked is true when the application marked the part, or its whole message,
	// as material from others.
	marked bool
}

// parts reads a content member: a text or a list of parts.
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

// isText reports whether a part is text by its author.
func (p *part) isText() bool {
	switch p.kind {
	case "text", "input_text", "output_text":
		return true
	}
	return false
}

// attachment returns the event for a part that isn't its author's own text.
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

// contentOf returns the parts of a message. A mark on the message marks all of
// them.
func contentOf(message json.RawMessage) []part {
	list := parts(strictjson.Get(message, "content"))
	if strictjson.Get(message, markMember) != nil {
		for i := range list {
			list[i].marked = true
		}
	}
	return list
}

// events returns the events of the user's or the deployment's turn: first the
// author's own text, then its attachments.
func (c containers) events(kind remit.EventKind, list []part) []remit.Event {
	known := documentContainers
	if kind == remit.UserEvent {
		known = defaultContainers
	}
	c = append(known(), c...)

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

// result returns the event for a call's result. Failed is the agent's mark, or nil if it set none.
func result(call string, content json.RawMessage, failed *bool) remit.Event {
	var texts []string
	for _, p := range parts(content) {
		if p.isText() {
			texts = append(texts, p.text)
		} else {
			texts = append(texts, unreadable(p.kind), everything(p.raw))
		}
	}
	return remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Call: call, Content: words(texts), Failed: failed}}
}
