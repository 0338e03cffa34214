package userturn

import "strings"

// fromEditor has the elements in which an editor or the agent itself puts text:
// parts of the workspace, and reminders. The other elements hold what came from
// elsewhere.
var fromEditor = map[string]bool{"system-reminder": true, "ide_selection": true, "ide_opened_file": true, "task-notification": true, "local-command-stdout": true, "local-command-stderr": true, "bash-stdout": true, "bash-stderr": true}

// Split divides the prompt of a coding agent into what the user wrote, what the
// editor put beside it, and what was attached from elsewhere. An element without
// an end reaches to the end of the prompt.
func Split(prompt string) (own, editor, attached string) {
	own, rest, found := strings.Cut(prompt, references)
	var near, others strings.Builder
	if found {
		near.WriteString(rest)
	}

	for {
		start, end, name := firstElement(own)
		if start < 0 {
			return own, near.String(), others.String()
		}
		to := &others
		if fromEditor[name] {
			to = &near
		}
		to.WriteString("\n" + own[start:end])
		own = own[:start] + "\n" + own[end:]
	}
}

// firstElement returns the range and the name of the first of [Elements] in a
// text. An element reaches to its last end, because an attacker who wrote its
// content may have written an end as well. The start is -1 if there is none.
func firstElement(text string) (start, end int, name string) {
	start = -1
	elements := Elements()
	for i := 0; i < len(text) && start < 0; i++ {
		if text[i] != '<' {
			continue
		}
		for _, e := range elements {
			rest, ok := strings.CutPrefix(text[i+1:], e)
			nameEnds := rest != "" && strings.IndexByte("> \t\n", rest[0]) >= 0
			if ok && nameEnds {
				start, name = i, e
			}
		}
	}
	if start < 0 {
		return -1, -1, ""
	}

	end = len(text)
	closing := "</" + name + ">"
	if i := strings.LastIndex(text, closing); i > start {
		end = i + len(closing)
	}
	return start, end, name
}
