package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/userturn"
)

// turn is one message, call or result of a conversation, whatever form it was in.
type turn struct {
	role Role
	text string
	// attachments are what came with the text and isn't the speaker's own words.
	attachments []Attachment
	calls       []Call
	// callID is the call that a result answers.
	callID string
}

// digest returns a digest of what was said before a turn and of the turn.
func (t *turn) digest(before digest) digest {
	h := sha256.New()
	h.Write(before[:])
	part := func(text string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		io.WriteString(h, text)
	}

	part(string(t.role))
	part(t.text)
	part(t.callID)
	for _, a := range t.attachments {
		part(a.Name)
		part(a.Text)
	}
	part("calls")
	for _, c := range t.calls {
		part(c.ID)
		part(c.Tool)
		part(string(c.Arguments))
	}
	return digest(h.Sum(nil))
}

// The chat form, in which sessions are read.
type (
	chatMessage struct {
		Role    Role       `json:"role"`
		Content []chatPart `json:"content"`
		Calls   []chatCall `json:"tool_calls,omitempty"`
		CallID  string     `json:"tool_call_id,omitempty"`
	}
	chatPart struct {
		Type string `json:"type"`
		Name string `json:"name,omitempty"`
		Text string `json:"text"`
	}
	chatCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Server   string       `json:"server,omitempty"`
		Function chatFunction `json:"function"`
	}
	chatFunction struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
)

// chat writes turns in the chat form. Text that agents and editors put into a user's turn becomes
// an attachment. Calls get names of their own where the source uses one twice. A result whose call
// is not in the recording becomes an attachment: the model read it, and its source is unknown.
func chat(turns []turn) []chatMessage {
	var out []chatMessage
	names, used, answered := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, t := range turns {
		if t.role == User {
			t = t.own()
		}
		m := chatMessage{Role: t.role, Content: []chatPart{}}
		if t.text != "" || t.role == Tool {
			m.Content = append(m.Content, chatPart{Type: "text", Text: t.text})
		}

		if t.role == Tool {
			name, known := names[t.callID]
			if known && !answered[name] {
				m.CallID, answered[name] = name, true
			} else {
				m.Role = User
				m.Content = []chatPart{{Type: "attachment", Name: "a result whose call is not in the recording", Text: t.text}}
			}
		}

		for _, a := range t.attachments {
			m.Content = append(m.Content, chatPart{Type: "attachment", Name: a.Name, Text: a.Text})
		}
		for _, c := range t.calls {
			name := unused(used, c.ID)
			names[c.ID] = name
			m.Calls = append(m.Calls, chatCall{ID: name, Type: "function", Server: c.Server, Function: chatFunction{c.Tool, c.Arguments}})
		}
		if len(m.Content) > 0 || len(m.Calls) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// own returns a user's turn with what the user did not write as attachments.
func (t turn) own() turn {
	for _, opening := range userturn.Openings() {
		if strings.HasPrefix(strings.TrimSpace(t.text), opening) {
			return material("beside the user's words", t.text)
		}
	}
	text, editor, attached := userturn.Split(t.text)
	if text == t.text {
		return t
	}

	t.text, t.attachments = strings.TrimSpace(text), slices.Clone(t.attachments)
	for _, part := range [...]string{editor, attached} {
		if part = strings.TrimSpace(part); part != "" {
			t.attachments = append(t.attachments, Attachment{Name: "beside the user's words", Text: part})
		}
	}
	return t
}

// unused returns a name, with a number after it if it is used, and uses it.
func unused(used map[string]bool, name string) string {
	out := name
	for n := 2; used[out] || out == ""; n++ {
		out = fmt.Sprintf("%s#%d", name, n)
	}
	used[out] = true
	return out
}

// roles are the names that forms have for who speaks.
var roles = map[string]Role{
	"system": System, "developer": System, "SystemMessage": System,
	"user": User, "human": User, "HumanMessage": User,
	"assistant": Assistant, "ai": Assistant, "model": Assistant, "AIMessage": Assistant, "AIMessageChunk": Assistant,
	"tool": Tool, "function": Tool, "ToolMessage": Tool, "FunctionMessage": Tool,
}

// readTurns reads a list of messages. One text instead of a list is the speaker's; without a
// speaker it is material, as is an object: its author is unknown. A text that looks like a list
// was cut, or was meant to be one.
func readTurns(raw json.RawMessage, speaker Role, line int) ([]turn, error) {
	const advice = "export the conversation again, as a list of messages"
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if said, ok := text(raw); ok {
		if trimmed := strings.TrimSpace(said); strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
			return nil, &Error{line, "the messages are a text that is not a complete list", advice}
		}
		return []turn{spokenBy(speaker, said)}, nil
	}
	if raw[0] != '[' {
		if speaker != "" {
			return nil, &Error{line, "the messages are not a list", advice}
		}
		return []turn{material("input", string(raw))}, nil
	}

	var out []turn
	for i, m := range list(raw) {
		var o object
		if json.Unmarshal(m, &o) != nil {
			return nil, &Error{line, fmt.Sprintf("message %d is not an object", i), advice}
		}
		turns, err := readTurn(o)
		if err != nil {
			return nil, &Error{line, fmt.Sprintf("message %d: %v", i, err), "report it with the form that the recording is in, or write Remit's own: docs/reference/traces.md"}
		}
		out = append(out, turns...)
	}
	return out, nil
}

// spokenBy returns a text as its speaker's words, or as material where the speaker is unknown.
func spokenBy(speaker Role, said string) turn {
	if speaker == "" {
		return material("input", said)
	}
	return turn{role: speaker, text: said}
}

// answered returns what a model answered: whatever it says of itself, none of it is the
// user's word or the deployment's.
func answered(turns []turn) []turn {
	for i := range turns {
		t := &turns[i]
		if t.role != User && t.role != System {
			continue
		}
		for _, a := range t.attachments {
			t.text += "\n" + a.Text
		}
		t.role, t.attachments = Assistant, nil
	}
	return turns
}

// readTurn reads a message of any form, or an item of the Responses API.
func readTurn(o object) ([]turn, error) {
	// LangChain's serializer wraps a message: its class is the last part of the id.
	if kwargs, ok := member(o, "kwargs"); ok {
		var path []string
		if json.Unmarshal(o["id"], &path) == nil && len(path) > 0 {
			kwargs["role"], _ = json.Marshal(path[len(path)-1])
		}
		o = kwargs
	}
	if data, ok := member(o, "data"); ok && has(o, "type") {
		data["role"] = o["type"]
		o = data
	}

	kind, _ := str(o, "type")
	name, _ := str(o, "role")
	if name == "" {
		if item, ok := items[kind]; ok {
			return item(o)
		}
		name = kind
	}
	role, ok := roles[name]
	switch {
	case !ok && (kind == "" || kind == "item_reference"):
		return nil, fmt.Errorf("nobody speaks as %q", name)
	case !ok:
		// A search or a program that ran at the provider: the model read what it gave.
		b := blocks{turn: turn{role: User}}
		b.unread(kind, o)
		return b.turns(), nil
	}

	b := blocks{turn: turn{role: role}}
	if err := b.read(o); err != nil {
		return nil, err
	}
	return b.turns(), nil
}

// member returns a member that is an object.
func member(o object, name string) (object, bool) {
	raw, ok := present(o, name)
	if !ok || raw[0] != '{' {
		return nil, false
	}
	var out object
	return out, json.Unmarshal(raw, &out) == nil
}

// items read what the Responses API lists beside messages.
var items = map[string]func(object) ([]turn, error){
	"reasoning":               func(object) ([]turn, error) { return nil, nil },
	"function_call":           readItemCall,
	"custom_tool_call":        readItemCall,
	"function_call_output":    readItemResult,
	"custom_tool_call_output": readItemResult,
	"mcp_call":                readMCPCall,
}

func readItemCall(o object) ([]turn, error) {
	call := Call{}
	call.ID, _ = str(o, "call_id")
	call.Tool, _ = str(o, "name")
	call.Arguments = argumentsOf(o, "arguments", "input")
	return []turn{{role: Assistant, calls: []Call{call}}}, nil
}

func readItemResult(o object) ([]turn, error) {
	id, _ := str(o, "call_id")
	b := blocks{turn: turn{role: Tool, callID: id}}
	if err := b.content(o["output"]); err != nil {
		return nil, err
	}
	return b.turns(), nil
}

func readMCPCall(o object) ([]turn, error) {
	call := Call{Arguments: argumentsOf(o, "arguments")}
	call.ID, _ = str(o, "id")
	call.Tool, _ = str(o, "name")
	call.Server, _ = str(o, "server_label")
	output, _ := str(o, "output")
	return []turn{{role: Assistant, calls: []Call{call}}, {role: Tool, callID: call.ID, text: output}}, nil
}

// argumentsOf returns the arguments of a call under the first of the names that it has.
func argumentsOf(o object, names ...string) json.RawMessage {
	for _, name := range names {
		raw, ok := present(o, name)
		if !ok {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return raw
		}
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
		return raw
	}
	return json.RawMessage("{}")
}

// blocks reads the content of one message: its text, and the calls and results that
// some forms have in it.
type blocks struct {
	turn
	texts   []string
	results []turn
	// inParts is set within the parts of OpenTelemetry's messages, in which a tool's message
	// holds its results. In every other content of a result nothing is a result or a call:
	// the tool wrote it.
	inParts bool
}

// turns returns what was read: results before what is said with them.
func (b *blocks) turns() []turn {
	b.text = strings.Join(b.texts, "\n")
	if b.text == "" && len(b.attachments) == 0 && len(b.calls) == 0 && len(b.results) > 0 {
		return b.results
	}
	return append(b.results, b.turn)
}

// read reads a message.
func (b *blocks) read(o object) error {
	for _, name := range [...]string{"content", "parts"} {
		if raw, ok := present(o, name); ok {
			b.inParts = name == "parts"
			if err := b.content(raw); err != nil {
				return err
			}
		}
	}

	if b.role == Tool {
		b.callID, _ = str(o, "tool_call_id")
		if b.callID == "" {
			b.callID, _ = str(o, "name")
		}
		// A message that only carries results, as OpenTelemetry's do, is none itself.
		if len(b.texts) == 0 && len(b.results) > 0 {
			b.role = User
		}
	}

	for _, raw := range list(o["tool_calls"]) {
		var c object
		if json.Unmarshal(raw, &c) != nil {
			return fmt.Errorf("a call is not an object")
		}
		id, _ := str(c, "id")
		if f, ok := member(c, "function"); ok {
			c = f
		}
		tool, _ := str(c, "name")
		b.calls = append(b.calls, Call{ID: id, Tool: tool, Arguments: argumentsOf(c, "arguments", "args")})
	}
	return nil
}

// content reads a text, an object, or a list of parts.
func (b *blocks) content(raw json.RawMessage) error {
	var text string
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &text) == nil {
		b.texts = append(b.texts, text)
		return nil
	}
	if raw[0] != '[' {
		b.texts = append(b.texts, string(raw))
		return nil
	}

	for i, part := range list(raw) {
		if json.Unmarshal(part, &text) == nil {
			b.texts = append(b.texts, text)
			continue
		}
		var o object
		if json.Unmarshal(part, &o) != nil {
			return fmt.Errorf("part %d is neither text nor an object", i)
		}
		if err := b.part(o); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	return nil
}

// part reads one part of a content.
func (b *blocks) part(o object) error {
	kind, _ := str(o, "type")
	if b.role == Tool && !b.inParts && !slices.Contains(textKinds, kind) {
		b.unread(kind, o)
		return nil
	}

	switch kind {
	case "text", "input_text", "output_text", "summary_text":
		text, ok := str(o, "text")
		if !ok {
			text, _ = str(o, "content")
		}
		b.texts = append(b.texts, text)
	case "refusal":
		text, _ := str(o, "refusal")
		b.texts = append(b.texts, text)
	case "thinking", "redacted_thinking", "reasoning":
		// The model's thoughts vouch for nothing, and no tool reads them.
	case "tool_use", "tool_call", "server_tool_use", "mcp_tool_use":
		call := Call{Arguments: argumentsOf(o, "input", "arguments", "args")}
		call.ID, _ = str(o, "id")
		call.Tool, _ = str(o, "name")
		call.Server, _ = str(o, "server_name")
		b.calls = append(b.calls, call)
	case "tool_result", "tool_call_response", "mcp_tool_result", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result":
		return b.result(o)
	default:
		b.unread(kind, o)
	}
	return nil
}

// textKinds are the types of parts that are text.
var textKinds = []string{"text", "input_text", "output_text"}

// result reads a part that is the result of a call.
func (b *blocks) result(o object) error {
	id, _ := str(o, "tool_use_id")
	if id == "" {
		id, _ = str(o, "id")
	}

	r := blocks{turn: turn{role: Tool, callID: id}}
	for _, name := range [...]string{"content", "response", "result"} {
		if err := r.content(o[name]); err != nil {
			return err
		}
	}
	b.results = append(b.results, r.turns()...)
	return nil
}

// unread adds a note in place of a part that the model could see: a picture, a file, or a kind
// that this reader doesn't know. Text in it is kept, and counts as material.
func (b *blocks) unread(kind string, o object) {
	if kind == "" {
		kind = "part"
	}
	text := "[a part of type " + kind + ", which was not read]"
	if source, ok := member(o, "source"); ok {
		if data, ok := str(source, "data"); ok && slices.Contains([]string{"text", "text/plain"}, mediaOf(source)) {
			text = data
		}
	}
	if shown, ok := str(o, "text"); ok {
		text = shown
	}

	if b.role == User {
		b.attachments = append(b.attachments, Attachment{Name: kind, Text: text})
		return
	}
	b.texts = append(b.texts, text)
}

// mediaOf returns the type of a document's text.
func mediaOf(source object) string {
	if media, ok := str(source, "media_type"); ok {
		return media
	}
	kind, _ := str(source, "type")
	return kind
}
