package trace

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Bounds of the sessions that are put together from several documents.
const (
	// maxHeld is how much of them is held at once, in bytes of JSON.
	maxHeld = 4 * MaxSession
	// maxOpen is how many of them a file may have.
	maxOpen = 10_000
)

// exchange is what one document of another form says of a session: the conversation
// that a model was shown, and what it answered.
type exchange struct {
	// key groups the documents of one session; "" for a conversation that is told
	// again from its beginning in each document.
	key string
	// more reports that the messages go on where the last document of the key ended,
	// and are not the conversation from its beginning.
	more     bool
	line     int
	time     string
	tools    json.RawMessage
	messages []turn
}

// form reads one document of a form. A document that holds nothing of a conversation
// gives no exchange.
type form func(top object, line int) ([]exchange, error)

// formOf returns how to read a document that is not in Remit's own form; nil for
// one that is.
func formOf(top object) form {
	kind, _ := str(top, "type")

	switch {
	case has(top, "messages"):
		if anthropic(top) {
			return readRequest
		}
	case has(top, "resourceSpans"):
		return readSpans
	case has(top, "run_type"):
		return readRun
	case has(top, "observations"), has(top, "traceId") && kind != "":
		return readObservations
	case has(top, "request"):
		return readLogged
	case has(top, "sessionId") && kind != "", slices.Contains(transcriptNotes, kind):
		return readTranscriptLine
	case has(top, "input"):
		return readRequest
	}
	return nil
}

// has reports whether a member is there and not null.
func has(o object, name string) bool {
	_, ok := present(o, name)
	return ok
}

// anthropic reports whether a request with messages is one of Anthropic's Messages
// API: users and assistants alone speak, and there are instructions beside the messages,
// tools with an input_schema, or calls and results as blocks of the content.
func anthropic(top object) bool {
	var tools []object
	raw, _ := present(top, "tools")
	schemas := json.Unmarshal(raw, &tools) == nil && slices.ContainsFunc(tools, func(t object) bool { return has(t, "input_schema") })
	found := schemas || has(top, "system") || has(top, "anthropic_version")

	raw, _ = present(top, "messages")
	if raw[0] != '[' {
		return false
	}
	for _, one := range list(raw) {
		var m object
		if json.Unmarshal(one, &m) != nil {
			return false
		}
		if role, _ := str(m, "role"); (role != "user" && role != "assistant") || has(m, "tool_calls") {
			return false
		}

		for _, one := range list(m["content"]) {
			var part object
			if json.Unmarshal(one, &part) == nil {
				kind, _ := str(part, "type")
				found = found || kind == "tool_use" || kind == "tool_result"
			}
		}
	}
	return found
}

// list returns the elements of a JSON list; nil for everything else.
func list(raw json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// gatherer puts sessions together from documents of other forms.
type gatherer struct {
	open []*exchange
	held int
	// last are the sessions that documents add to, by key, and ended those that documents
	// tell from the beginning, by key and all that they have said.
	last  map[string]*exchange
	ended map[digest]*exchange
}

type digest [sha256.Size]byte

// take adds what a document of a size says.
func (g *gatherer) take(all []exchange, size int) error {
	g.held += size
	for i := range all {
		e := &all[i]
		if g.held > maxHeld {
			return &Error{e.line, fmt.Sprintf("the sessions up to here are larger than %d MiB together", maxHeld>>20), "split the file between sessions"}
		}
		if g.join(e) {
			continue
		}
		if g.open = append(g.open, e); len(g.open) > maxOpen {
			return &Error{e.line, fmt.Sprintf("the file has more than %d sessions", maxOpen), "split it"}
		}
	}
	return nil
}

// join adds an exchange to the session that it goes on with, and reports whether there is
// one: the last of its key, or the one whose messages it tells again, and more.
func (g *gatherer) join(e *exchange) bool {
	if g.last == nil {
		g.last, g.ended = map[string]*exchange{}, map[digest]*exchange{}
	}

	if e.more {
		was := g.last[e.key]
		if was == nil {
			g.last[e.key] = e
			return false
		}
		was.messages = append(was.messages, e.messages...)
		return true
	}

	var was *exchange
	var at digest
	so := sha256.Sum256([]byte(e.key))
	for i := range e.messages {
		so = e.messages[i].digest(so)
		if known := g.ended[so]; known != nil {
			was, at = known, so
		}
	}
	if was == nil {
		g.ended[so] = e
		return false
	}

	delete(g.ended, at)
	g.ended[so] = was
	was.messages = e.messages
	if e.tools != nil {
		was.tools = e.tools
	}
	return true
}

// sessions returns the sessions in the order in which they began.
func (g *gatherer) sessions(yield func(*Session, error) bool) {
	times := map[string]int{}
	for _, e := range g.open {
		times[e.key]++
		s, err := e.session(times[e.key])
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(s, nil) {
			return
		}
	}
}

// session writes the exchange in Remit's own form and reads it. The nth session of a key has its
// number after it.
func (e *exchange) session(nth int) (*Session, error) {
	doc := struct {
		ID       string          `json:"id,omitempty"`
		Time     string          `json:"time,omitempty"`
		Tools    json.RawMessage `json:"tools,omitempty"`
		Messages []chatMessage   `json:"messages"`
	}{ID: e.key, Time: e.time, Tools: e.tools, Messages: chat(e.messages)}
	if nth > 1 && e.key != "" {
		doc.ID += "-" + strconv.Itoa(nth)
	}

	text, err := json.Marshal(doc)
	if err != nil {
		return nil, &Error{Line: e.line, Message: err.Error()}
	}
	top, err := decode(text, e.line)
	if err != nil {
		return nil, err
	}
	s, err := parseSession(text, top, e.line)
	if wrong := (*Error)(nil); errors.As(err, &wrong) {
		wrong.Line = e.line
	}
	return s, err
}
