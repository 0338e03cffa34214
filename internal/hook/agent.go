package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// MaxInput bounds a hook's input in bytes: the largest result that a session
// accepts, with the overhead of JSON.
const MaxInput = 32 << 20

// Agent is a program that runs hooks.
type Agent struct {
	// Name is the agent's name on the command line, Title its name for people.
	Name, Title string
	// joins are the separators between server and tool in names that the agent
	// doesn't split itself.
	joins string

	parse  func(input []byte, env func(string) string) (*Event, error)
	answer func(*Event, Answer) Output
	files  files
}

// Agents returns all known agents.
func Agents() []*Agent {
	return []*Agent{claudeCode(), codex(), cursor(), gemini(), copilot(), windsurf()}
}

// Find returns an agent by its name; an unknown name is an error.
func Find(name string) (*Agent, error) {
	var names []string
	for _, a := range Agents() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("the agent %q is not known: write one of %s", name, strings.Join(names, ", "))
}

// Parse reads an event from the agent's input; env looks up variables of its
// environment.
func (a *Agent) Parse(input []byte, env func(string) string) (*Event, error) {
	if len(input) > MaxInput {
		return nil, fmt.Errorf("the input is larger than %d MiB", MaxInput>>20)
	}
	e, err := a.parse(input, env)
	if err != nil {
		return nil, fmt.Errorf("the input is not what %s documents: %w", a.Title, err)
	}
	e.Agent = a.Name
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("the input is not what %s documents: %w", a.Title, err)
	}
	return e, nil
}

// check returns an error if an event lacks what its kind needs.
func (e *Event) check() error {
	switch {
	case e.Kind == Other:
		return nil
	case e.Kind == "":
		return errors.New("it names no event that Remit knows")
	case e.Session == "":
		return errors.New("it names no session")
	case e.Kind != PreTool && e.Kind != PostTool:
		return nil
	case e.Call == nil || e.Call.Tool == "":
		return errors.New("it names no tool")
	case !filepath.IsAbs(e.Dir):
		return errors.New("it names no directory")
	}
	return nil
}

// Answer returns the hook's output for an answer.
func (a *Agent) Answer(e *Event, to Answer) Output {
	switch e.Kind {
	case PreTool:
		return a.answer(e, to)
	case Prompt:
		return a.answer(e, Answer{Verdict: remit.Allow})
	}
	return Output{}
}

// Fail returns the hook's output when there is no answer. It denies a call. A
// prompt or a result is only left unrecorded, which makes nothing more trusted.
func (a *Agent) Fail(e *Event, err error) Output {
	if e.Kind == PreTool {
		return a.Answer(e, Answer{Verdict: remit.Deny, Reason: undecided + err.Error() + "\n"})
	}
	out := a.Answer(e, Answer{Verdict: remit.Allow})
	out.Stderr = "remit: not recorded: " + err.Error() + "\n"
	return out
}

// Refuse returns the hook's output for an event that can't be understood.
func (a *Agent) Refuse(err error) Output {
	return Output{Stderr: "Remit denies this: " + err.Error() + "\n", Exit: blocked}
}

// decode decodes an agent's JSON. It ignores unknown members, which newer agents
// may add.
func decode(input []byte, to any) error {
	if len(bytes.TrimSpace(input)) == 0 {
		return errors.New("it is empty, and an event is expected on standard input")
	}
	d := json.NewDecoder(bytes.NewReader(input))
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return errors.New("it goes on after its end")
	}

	members, _ := strictjson.Members(input) // of another value the decoder has read nothing
	seen := map[string]bool{}
	for _, m := range members {
		name := strings.ToLower(strings.ToUpper(m.Name)) // the decoder takes ſ for an s
		if seen[name] {
			return fmt.Errorf("the member %q is there twice, where letters of either case count as the same", name)
		}
		seen[name] = true
	}
	return nil
}

// notes maps documented events that only inform: whatever the answer, nothing
// runs that would not run without the hook.
func notes(names ...string) map[string]Kind {
	out := map[string]Kind{}
	for _, n := range names {
		out[n] = Other
	}
	return out
}

// object returns the arguments of a call from a raw value: the value itself if it
// is an object, otherwise an object with the value as its only member.
func object(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return json.RawMessage("{}")
	case raw[0] == '{':
		return raw
	}
	return json.RawMessage(`{"input":` + string(raw) + `}`)
}

// arguments encodes the arguments of a call.
func arguments(members map[string]any) json.RawMessage {
	out, err := json.Marshal(members)
	if err != nil {
		return json.RawMessage("null") // which is refused as arguments
	}
	return out
}

// unquote returns the JSON in a JSON string, as some agents write arguments;
// other values stay as they are.
func unquote(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// result reads a tool's result: text, the content of an MCP result, or any other
// value.
func result(raw json.RawMessage) *Result {
	raw = bytes.TrimSpace(raw)
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return &Result{}
	case json.Unmarshal(raw, &text) == nil:
		return &Result{Text: text}
	}

	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var list []content
	var whole struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	if json.Unmarshal(raw, &list) != nil && json.Unmarshal(raw, &whole) == nil {
		list = whole.Content
	}

	var b strings.Builder
	for _, c := range list {
		if c.Type != "text" {
			list = nil // what isn't text is kept as it came
			break
		}
		b.WriteString(c.Text)
	}

	if len(list) == 0 {
		return &Result{Structured: json.RawMessage(raw)}
	}
	return &Result{Text: b.String(), Structured: whole.Structured}
}

// encode encodes an agent's answer.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return ""
	}
	return b.String()
}
