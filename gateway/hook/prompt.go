package hook

import (
	"strings"

	"github.com/remit-project/remit/gateway/carrier"
)

// own divides a prompt into what the user wrote and what came with it. What has
// no end goes on to the end.
func own(prompt string) (text, attached string) {
	text, rest, found := strings.Cut(prompt, carrier.References)
	var others strings.Builder
	if found {
		others.WriteString(rest)
	}
	for {
		start, end := carried(text)
		if start < 0 {
			return text, others.String()
		}
		others.WriteString("\n" + text[start:end])
		text = text[:start] + "\n" + text[end:]
	}
}

// carried finds the first element of a carrier; -1 when there is none.
func carried(text string) (start, end int) {
	start = -1
	carriers, name := carrier.Elements(), ""
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
		return -1, -1
	}
	end = len(text)
	if i := strings.LastIndex(text, "</"+name+">"); i > start {
		end = i + len("</"+name+">")
	}
	return start, end
}
