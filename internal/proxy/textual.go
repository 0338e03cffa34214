package proxy

import (
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// Some agents offer no tools: the model is told in words what it may call, writes
// its calls as text (code, "Action:" lines, elements), and a program runs them.
// No call exists there that could be decided.

// textCalls says what to do about it.
const textCalls = `the calls of this conversation are text that a program runs, and can't be decided: ` +
	`offer its functions as "tools" (an agent that calls tools instead of one that writes code or actions), ` +
	`or start the proxy with --text-calls to let such conversations pass undecided`

// stops are how such a program has the model stop where it takes over, in small
// letters and without what stands around the word.
var stops = []string{"observation", "calling tools", "tool output", "tool result", "function result", "</code", "<end_code", "</tool_call", "</tool_code",
	"</function_calls", "</function", "</invoke", "</action", "</execute"}

// protocols are what the deployment's text has where calls are text: all the words
// of a row, labels at the beginnings of lines. Those of the first rows count in the
// user's text as well, where agents without a system prompt have them.
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

// usersProtocols are the rows that count in the user's text.
const usersProtocols = 2

// maxPrompt bounds the text that is searched for a protocol, in bytes: the longest
// prompts of agents have a tenth of it.
const maxPrompt = 1 << 20

// textual reports whether a request without tools belongs to a program that runs
// what the model writes: by where the model is to stop, or by what it is told.
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
	return speaks(r.told(remit.SystemEvent), protocols) || speaks(r.told(remit.UserEvent), protocols[:usersProtocols])
}

// told is what the model is told, before it first speaks, by the deployment or by
// the user: in small letters, every part on lines of its own.
func (r *reader) told(kind remit.EventKind) string {
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
	for i := 0; i < len(r.req.turns) && r.turn(i).said == nil && b.Len() < maxPrompt; i++ {
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

// has reports whether a prompt has a word of a protocol: a label where a line
// begins, another one anywhere.
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
