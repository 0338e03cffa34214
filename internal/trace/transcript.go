package trace

import "encoding/json"

// transcriptNotes are the lines of a transcript of Claude Code that are about the
// session and that the model never sees.
var transcriptNotes = []string{"summary", "file-history-snapshot", "queue-operation", "custom-title", "progress", "last-prompt"}

// readTranscriptLine reads a line of a transcript of Claude Code, one JSON object a line:
// https://code.claude.com/docs. Each adds to the session that it names. Text that the
// user did not type is material: the words that the program put into the user's place, and
// the prompt that one agent gives to another.
func readTranscriptLine(top object, line int) ([]exchange, error) {
	kind, _ := str(top, "type")
	for _, note := range transcriptNotes {
		if kind == note {
			return nil, nil
		}
	}

	e := exchange{line: line, more: true}
	e.key, _ = str(top, "sessionId")
	if agent, ok := str(top, "agentId"); ok && agent != "" {
		e.key += "/" + agent
	}
	e.time, _ = str(top, "timestamp")

	message, ok := member(top, "message")
	if !ok {
		text, _ := json.Marshal(top)
		e.messages = []turn{material(kind, string(text))}
		return []exchange{e}, nil
	}
	turns, err := turnOf(message, line)
	if err != nil {
		return nil, err
	}

	typed := !isTrue(top, "isMeta") && !isTrue(top, "isSidechain") && !isTrue(top, "isCompactSummary")
	for _, t := range turns {
		if t.role == User && t.text != "" && !typed {
			t = material(kind, t.text)
		}
		e.messages = append(e.messages, t)
	}
	return []exchange{e}, nil
}

// material returns text that is in the user's place and isn't the user's.
func material(name, text string) turn {
	return turn{role: User, attachments: []Attachment{{Name: name, Text: text}}}
}

func isTrue(o object, name string) bool { return string(o[name]) == "true" }
