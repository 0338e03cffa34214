package hook

import (
	"strings"

	"github.com/remit-project/remit/internal/carrier"
)

// editors are the elements in which an editor or the agent puts parts of the
// workspace, and what it has to say itself; the others hold what came from
// elsewhere.
var editors = map[string]bool{"system-reminder": true, "ide_selection": true, "ide_opened_file": true, "task-notification": true, "local-command-stdout": true}

// own divides a prompt into what the user wrote, what the editor put beside it,
// and what came with it. What has no end goes on to the end.
func own(prompt string) (text, beside, attached string) {
	text, rest, found := strings.Cut(prompt, carrier.References)
	var near, others strings.Builder
	if found {
		near.WriteString(rest)
	}
	for {
		start, end, name := carried(text)
		if start < 0 {
			return text, near.String(), others.String()
		}
		to := &others
		if editors[name] {
			to = &near
		}
		to.WriteString("\n" + text[start:end])
		text = text[:start] + "\n" + text[end:]
	}
}

// carried finds the first element of a carrier, with its name; -1 when there is none.
func carried(text string) (start, end int, name string) {
	start = -1
	carriers := carrier.Elements()
	for at := 0; at < len(text) && start < 0; at++ {
		if text[at] != '<' {
			continue
		}
		for _, c := range carriers {
			if rest, ok := strings.CutPrefix(text[at+1:], c); ok && rest != "" && strings.IndexByte("> \t\n", rest[0]) >= 0 {
				start, name = at, c
			}
		}
	}
	if start < 0 {
		return -1, -1, ""
	}
	end = len(text)
	if i := strings.LastIndex(text, "</"+name+">"); i > start {
		end = i + len("</"+name+">")
	}
	return start, end, name
}
