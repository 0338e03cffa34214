package proxy

import (
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// Some agents offer no tools: the prompt lists what the model may call, the model
// writes its calls as text (code, "Action:" lines, elements), and a program runs
// them. The proxy has no call to decide there.

// textCalls is the advice for such requests.
const textCalls = `the calls of this conversation are text that a program runs, and can't be decided: ` +
	`offer its functions as "tools" (an agent that calls tools instead of one that writes code or actions), ` +
	`or start the proxy with --text-calls to let such conversations pass undecided`

// stops are the stop sequences of such programs, in lower case and trimmed.
var stops = []string{"observation", "calling tools", "tool output", "tool result", "function result", "</code", "<end_code", "</tool_call", "</tool_code",
	"</function_calls", "</function", "</invoke", "</action", "</execute"}

// protocols are words of prompts for textual calls: all the words of a row must
// appear, labels at the beginnings of lines. The first rows also apply to the
// user's text, for agents without a system prompt.
var protocols = [][]string{
	{"action:", "action input:"},
	{"action:", "observation:"},
	{"<code>", "observation:"},
	{"```py", "observation:"},
	{"<execute", "observation:"},
	{"<tool_call>"},
	{"<tool_code>"},
	{"```tool_code"},
	{"<function_calls>"},
	{"<function="},
	{"xml-style tags", "tool"},
	{"<tool_name>", "<parameter"},
}

// usersProtocols are the rows that apply to the user's text.
const usersProtocols = 2

// maxPrompt bounds, in bytes, the text searched for a protocol: ten times the
// longest prompts of agents.
const maxPrompt = 1 << 20

// textual reports whether a request without tools belongs to a program that runs
// the model's text, judged by its stop sequences and its prompt.
func (r *reader) textual() bool {
	if len(r.req.tools) > 0 {
		return false
	}
	for _, at := range [][]string{{"stop"}, {"stop_sequences"}, {"generationConfig", "stopSequences"}} {
		for _, s := range strictjson.Strings(strictjson.Get(r.req.body, at...), func(string) bool { return false }) {
			s = strings.ToLower(strings.Trim(s, " \t\r\n:>*"))
			if slices.ContainsFunc(stops, func(word string) bool { return strings.HasPrefix(s, word) }) {
				return true
			}
		}
	}
	return speaks(r.promptText(remit.SystemEvent), protocols) || speaks(r.promptText(remit.UserEvent), protocols[:usersProtocols])
}

// promptText returns the text of the deployment or of the user before the model
// first speaks, in lower case, with every part on lines of its own.
func (r *reader) promptText(kind remit.EventKind) string {
	var b strings.Builder
	add := func(events []remit.Event) {
		for _, e := range events {
			if e.Kind == kind {
				b.WriteByte('\n')
				b.WriteString(e.Text[:min(len(e.Text), maxPrompt)])
			}
		}
	}
	add(r.req.system)
	for i := 0; i < len(r.req.turns) && r.turn(i).utterance == nil && b.Len() < maxPrompt; i++ {
		add(r.turn(i).events)
	}
	return lower(b.String())
}

// speaks reports whether a prompt has all the words of one of the protocols.
func speaks(prompt string, protocols [][]string) bool {
	return slices.ContainsFunc(protocols, func(row []string) bool {
		return !slices.ContainsFunc(row, func(word string) bool { return !has(prompt, word) })
	})
}

// has reports whether a prompt has a word of a protocol: a label at the beginning
// of a line, any other word anywhere.
func has(prompt, word string) bool {
	if !strings.HasSuffix(word, ":") {
		return strings.Contains(prompt, word)
	}
	for at := 0; ; {
		i := strings.Index(prompt[at:], word)
		if i < 0 {
			return false
		}
		line := prompt[:at+i]
		if strings.HasSuffix(strings.TrimRight(line, " \t*#`'\"-"), "\n") {
			return true
		}
		at += i + len(word)
	}
}
