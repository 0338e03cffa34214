package playground

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit"
)

// MaxSaid bounds what a written conversation says and calls.
const MaxSaid = 200

// utterance is a part of a conversation that a person has written down: a text, or a call.
type utterance struct {
	line int
	kind remit.EventKind
	// name is the tool of a call, and what an attachment is called.
	name string
	text string
}

// speakers are the words that begin an utterance.
var speakers = map[string]remit.EventKind{
	"system": remit.SystemEvent, "user": remit.UserEvent, "assistant": remit.AssistantEvent, "attachment": remit.AttachmentEvent, "call": remit.CallEvent, "result": remit.ResultEvent,
}

// readScript reads a conversation as people write one down:
//
//	user: Read https://news.example and tell ann@corp.example.
//	call read_page {"url": "https://news.example"}
//	result: Some text,
//	which may go on for lines.
//
// A line that doesn't begin with the word of a speaker goes on with the text before.
func readScript(text string) ([]utterance, error) {
	var out []utterance
	for i, l := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		u, ok := beginning(l)
		switch {
		case ok && len(out) == MaxSaid:
			return nil, fmt.Errorf("line %d: a conversation has at most %d parts", i+1, MaxSaid)
		case ok:
			u.line = i + 1
			out = append(out, u)
		case len(out) > 0:
			out[len(out)-1].text += "\n" + l
		case strings.TrimSpace(l) != "":
			return nil, fmt.Errorf("line %d: write who speaks first, as user: or call TOOL {…}", i+1)
		}
	}

	for i := range out {
		u := &out[i]
		u.text = strings.TrimRight(u.text, "\n")
		if u.kind == remit.CallEvent && u.name == "" {
			return nil, fmt.Errorf("line %d: name the tool: call TOOL {…}", u.line)
		}
		if u.kind == remit.CallEvent && u.text == "" {
			u.text = "{}"
		}
	}
	return out, nil
}

// beginning reads a line that begins an utterance.
func beginning(l string) (utterance, bool) {
	word, rest, _ := strings.Cut(l, " ")
	kind, ok := speakers[strings.TrimSuffix(word, ":")]
	switch {
	case !ok:
		return utterance{}, false
	case kind == remit.CallEvent && !strings.HasSuffix(word, ":"):
		name, arguments, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if at := strings.IndexByte(name, '{'); at >= 0 {
			name, arguments = name[:at], name[at:]+" "+arguments
		}
		return utterance{kind: kind, name: name, text: strings.TrimSpace(arguments)}, true
	case kind == remit.AttachmentEvent && !strings.HasSuffix(word, ":"):
		name, text, ok := strings.Cut(rest, ":")
		return utterance{kind: kind, name: strings.TrimSpace(name), text: strings.TrimPrefix(text, " ")}, ok
	}
	return utterance{kind: kind, text: rest}, strings.HasSuffix(word, ":") && kind != remit.CallEvent
}

// Line is a part of a sample's conversation.
type Line struct {
	Kind remit.EventKind
	// Name is the tool of a call, and what an attachment is called.
	Name string
	// Text is what was said or returned, and the arguments of a call as JSON.
	Text string
}

// Script writes a conversation as the playground reads it.
func Script(lines []Line) string {
	words := map[remit.EventKind]string{}
	for word, kind := range speakers {
		words[kind] = word
	}
	var b strings.Builder
	for _, l := range lines {
		switch l.Kind {
		case remit.CallEvent:
			fmt.Fprintf(&b, "call %s %s\n", l.Name, compact(l.Text))
		case remit.AttachmentEvent:
			fmt.Fprintf(&b, "attachment %s: %s\n", l.Name, l.Text)
		default:
			fmt.Fprintf(&b, "%s: %s\n", words[l.Kind], l.Text)
		}
	}
	return b.String()
}

// compact writes JSON on one line, and anything else as it is.
func compact(text string) string {
	var v json.RawMessage
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(data)
}
