package trace

import (
	"encoding/json"
	"fmt"
	"strings"
)

func parseMessage(raw json.RawMessage, line int) (Message, error) {
	m := Message{Line: line}
	var o object
	if err := json.Unmarshal(raw, &o); err != nil {
		return m, &Error{line, "a message is not an object", `write {"role": "user", "content": "…"}`}
	}

	role, _ := str(o, "role")
	switch role {
	case "system", "developer":
		m.Role = System
	case "user", "assistant", "tool":
		m.Role = Role(role)
	case "function":
		return m, &Error{line, `the role "function" is of the old form`, `write {"role": "tool", "tool_call_id": "…", "content": "…"}`}
	default:
		return m, &Error{line, fmt.Sprintf("unknown role %q", role), "write system, developer, user, assistant or tool"}
	}

	if _, ok := present(o, "function_call"); ok {
		return m, &Error{line, `"function_call" is of the old form`, `write "tool_calls": [{"id": "…", "function": {"name": "…", "arguments": "…"}}]`}
	}
	if err := m.content(o); err != nil {
		return m, err
	}
	if err := m.calls(o); err != nil {
		return m, err
	}
	if raw, ok := present(o, "scope"); ok && m.Role == User {
		m.Scope = raw
	}

	if m.Role != Tool {
		return m, nil
	}
	if m.CallID, _ = str(o, "tool_call_id"); m.CallID == "" {
		return m, &Error{line, `a tool message has no "tool_call_id"`, "write the id of the call that it answers"}
	}
	if structured, ok := present(o, "structured"); ok {
		m.Structured = structured
	}
	if failed, ok := present(o, "failed"); ok && json.Unmarshal(failed, &m.Failed) != nil {
		return m, &Error{line, `"failed" is neither true nor false`, "leave it out where nobody says whether the call failed"}
	}
	if stored, ok := present(o, "stored"); ok && json.Unmarshal(stored, &m.Stored) != nil {
		return m, &Error{line, `"stored" is not a label`, `leave it out, or write {"trust": "EXTERNAL", "origins": ["server.tool"], "records": "EXTERNAL"}`}
	}
	return m, nil
}

// content reads the content member: a string, null, or a list of parts.
func (m *Message) content(o object) error {
	raw, ok := present(o, "content")
	if !ok {
		if m.Role == Assistant {
			return nil
		}
		return &Error{m.Line, fmt.Sprintf("a %s message has no \"content\"", m.Role), `write "content": "…"`}
	}
	if json.Unmarshal(raw, &m.Text) == nil {
		return nil
	}

	var parts []object
	if err := json.Unmarshal(raw, &parts); err != nil {
		return &Error{m.Line, `"content" is neither a string nor a list of parts`, `write "content": "…" or "content": [{"type": "text", "text": "…"}]`}
	}

	var texts []string
	for i, part := range parts {
		kind, _ := str(part, "type")
		switch kind {
		case "text", "input_text", "output_text":
			text, ok := str(part, "text")
			if !ok {
				return &Error{m.Line, fmt.Sprintf("part %d of the content has no \"text\"", i), `write {"type": "text", "text": "…"}`}
			}
			texts = append(texts, text)
		case "refusal":
			text, _ := str(part, "refusal")
			texts = append(texts, text)
		case "attachment":
			name, _ := str(part, "name")
			text, ok := str(part, "text")
			if !ok || m.Role != User {
				return &Error{m.Line, fmt.Sprintf("part %d is not a usable attachment", i), `write {"type": "attachment", "name": "…", "text": "…"} in a user message`}
			}
			m.Attachments = append(m.Attachments, Attachment{Name: name, Text: text})
		case "image_url", "input_audio", "file", "image":
			m.unread(kind, &texts)
		case "tool_use", "tool_result":
			return &Error{m.Line, fmt.Sprintf("part %d is of type %q, which is not in the OpenAI chat form", i, kind), `write calls as "tool_calls" and results as messages of role "tool"`}
		default:
			return &Error{m.Line, fmt.Sprintf("part %d of the content is of the unknown type %q", i, kind), "write text, attachment, image_url, input_audio or file"}
		}
	}

	m.Text = strings.Join(texts, "\n")
	return nil
}

// unread adds a note in place of a part that the model could see and the monitor can't read. It
// must not vanish: from there on the model may know what came from an unknown source.
func (m *Message) unread(kind string, texts *[]string) {
	note := "[a part of type " + kind + ", which was not read]"
	if m.Role == User {
		m.Attachments = append(m.Attachments, Attachment{Name: kind, Text: note})
		return
	}
	*texts = append(*texts, note)
}

// calls reads the tool calls of an assistant message.
func (m *Message) calls(o object) error {
	raw, ok := present(o, "tool_calls")
	if !ok {
		return nil
	}

	const form = `write {"id": "…", "type": "function", "function": {"name": "…", "arguments": "{…}"}}`
	var list []object
	if err := json.Unmarshal(raw, &list); err != nil {
		return &Error{m.Line, `"tool_calls" is not a list of calls`, form}
	}
	if len(list) > 0 && m.Role != Assistant {
		return &Error{m.Line, fmt.Sprintf("a %s message has tool calls", m.Role), "only assistant messages propose calls"}
	}

	for i, c := range list {
		var f object
		if raw, ok := present(c, "function"); !ok || json.Unmarshal(raw, &f) != nil {
			return &Error{m.Line, fmt.Sprintf("call %d has no \"function\"", i), form}
		}

		call := Call{}
		call.ID, _ = str(c, "id")
		call.Server, _ = str(c, "server")
		call.Tool, _ = str(f, "name")
		if call.ID == "" || call.Tool == "" {
			return &Error{m.Line, fmt.Sprintf("call %d has no id or no name", i), form}
		}
		call.Arguments = json.RawMessage("{}")
		if raw, ok := present(f, "arguments"); ok {
			call.Arguments = raw
			// The chat form has the arguments as a string that holds JSON; many
			// recorders write the object itself.
			if text, ok := str(f, "arguments"); ok {
				call.Arguments = json.RawMessage(text)
			}
		}

		m.Calls = append(m.Calls, call)
	}
	return nil
}

// str returns a member that is a string.
func str(o object, name string) (string, bool) {
	raw, ok := present(o, name)
	if !ok || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
