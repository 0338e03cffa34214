package provenance

import (
	"strings"
)

// Own returns a user's text with the parts blanked that quote others.
func Own(text string) string {
	own, _ := carve(text)
	return own
}

// carve blanks the parts of a user's text that quote others, byte by byte, so that
// positions stay as they are, and reports whether there were any.
func carve(text string) (own string, quoted bool) {
	if !strings.ContainsAny(text, ">:-＞") {
		return text, false
	}

	out := []byte(text)
	blank := func(start, end int) {
		quoted = true
		for i := start; i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}

	for start := 0; start < len(text); {
		end := lineEnd(text, start)
		line := strings.TrimSpace(text[start:end])
		rest := text[min(len(text), end+1):]
		switch {
		case strings.HasPrefix(line, ">") || strings.HasPrefix(line, "＞"):
			blank(start, end)
		case isForwarded(line), isMailHeader(line, rest), isAttribution(line) && !nextQuoted(rest):
			// All that follows is of another author.
			blank(start, len(text))
			return string(out), quoted
		case isAttribution(line):
			blank(start, end)
		}
		start = end + 1
	}
	return string(out), quoted
}

// lineEnd returns where the line that begins at start ends.
func lineEnd(text string, start int) int {
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(text)
}

// isForwarded reports whether a line separates a forwarded message.
func isForwarded(line string) bool {
	if len(line) > 80 {
		return false
	}
	l := strings.ToLower(strings.Trim(line, "-_= "))
	switch l {
	case "original message", "forwarded message", "ursprüngliche nachricht", "weitergeleitete nachricht", "message transféré", "message d'origine", "mensaje reenviado", "mensaje original":
		return strings.HasPrefix(line, "--") || strings.HasPrefix(line, "__") || strings.HasPrefix(line, "==")
	}
	return strings.HasPrefix(l, "begin forwarded message")
}

// isMailHeader reports whether a line begins the header of a pasted mail: "From:"
// with a subject or a time of sending in one of the next lines.
func isMailHeader(line, rest string) bool {
	if !headerField(line, "from", "von", "de") {
		return false
	}
	for range 4 {
		var next string
		next, rest, _ = strings.Cut(rest, "\n")
		if headerField(strings.TrimSpace(next), "sent", "subject", "gesendet", "betreff", "objet", "asunto") {
			return true
		}
	}
	return false
}

func headerField(line string, names ...string) bool {
	name, _, ok := strings.Cut(line, ":")
	if !ok || len(name) > 16 {
		return false
	}
	return contains(names, strings.ToLower(strings.Trim(name, "* ")))
}

// attributions are how a line begins and goes on that introduces a quoted mail.
var attributions = [...]struct{ begins, has, ends string }{
	{"on ", "", " wrote"},
	{"am ", " schrieb", ""},
	{"le ", "", " écrit"},
	{"el ", "", " escribió"},
}

// isAttribution reports whether a line introduces a quoted mail: "On Monday, Bob
// <bob@corp.com> wrote:".
func isAttribution(line string) bool {
	if !strings.HasSuffix(line, ":") || len(line) > 240 {
		return false
	}

	l := strings.ToLower(strings.TrimRight(line, ": "))
	for _, a := range attributions {
		if strings.HasPrefix(l, a.begins) && strings.Contains(l, a.has) && strings.HasSuffix(l, a.ends) {
			return strings.ContainsAny(l, "0123456789@")
		}
	}
	return false
}

func nextQuoted(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, "＞")
}
