package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/jsonc"
	"github.com/remit-project/remit/internal/shell"
	"github.com/remit-project/remit/internal/strictjson"
)

// Place returns the path of the agent's hooks file: the project's in its
// directory, or the user's in the home directory.
func (a *Agent) Place(project bool, dir, home string) string {
	if project {
		return filepath.Join(dir, filepath.FromSlash(a.files.project))
	}
	return filepath.Join(home, filepath.FromSlash(a.files.user))
}

// Settings returns the directory of the agent's settings, relative to the home directory.
// A user who has it has the agent.
func (a *Agent) Settings() string {
	dir := filepath.Dir(filepath.FromSlash(a.files.user))
	if filepath.Base(dir) == "hooks" {
		dir = filepath.Dir(dir)
	}
	return dir
}

// Command returns the hook's command line for the shell that agents use.
func (a *Agent) Command(program string, settings Settings) string {
	line := quoteShell(program) + " hook " + a.Name
	for _, f := range []struct{ flag, value string }{
		{"--contracts", settings.Contracts}, {"--policies", settings.Policies}, {"--lookups", settings.Lookups}, {"--judge", settings.Judge}, {"--planner", settings.Planner}, {"--planner-url", settings.PlannerURL}, {"--scopes", string(settings.Scopes)},
	} {
		if f.value != "" {
			line += " " + f.flag + " " + quoteShell(f.value)
		}
	}
	return line
}

func quoteShell(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,@%", r)
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Hook is one of Remit's hooks in an agent's file.
type Hook struct {
	Position contract.Position
	Event    string
	Command  string
	// Matcher selects the tools that the hook runs for; empty for all.
	Matcher string

	node     strictjson.Value
	settings strictjson.Value
}

// file is a parsed hooks file.
type file struct {
	a    *Agent
	name string
	data []byte
	top  strictjson.Value
}

// begin is a file without hooks.
var begin = []byte("{\n}\n")

func (a *Agent) read(name string, data []byte) (*file, error) {
	top, err := jsonc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f := &file{a: a, name: name, data: data, top: top}
	hooks := top.Get("hooks")
	switch {
	case top.Kind() != strictjson.Object:
		return nil, f.fail(top, `write {"hooks": {…}}`, "the file holds no object")
	case hooks.Exists() && hooks.Kind() != strictjson.Object:
		return nil, f.fail(hooks, `write {"EVENT": […]}`, "hooks must be an object")
	}
	for event, list := range hooks.Members() {
		if slices.Contains(a.files.all(), event) && list.Kind() != strictjson.Array {
			return nil, f.fail(list, "write a list of hooks", "%s must be a list", event)
		}
	}
	return f, nil
}

func (f *file) fail(n strictjson.Value, hint, format string, args ...any) error {
	return &contract.Error{Position: jsonc.Position(f.name, f.data, n.Start()), Message: fmt.Sprintf(format, args...), Hint: hint}
}

func (f *files) all() []string { return slices.Concat(f.pre, f.others) }

func (f *files) commandName() string {
	if f.command != "" {
		return f.command
	}
	return "command"
}

// hooks returns Remit's hooks in the file.
func (f *file) hooks() []Hook {
	var out []Hook
	for event, list := range f.top.Get("hooks").Members() {
		for _, e := range list.Elements() {
			inner := []strictjson.Value{e}
			if f.a.files.form == groups {
				inner = e.Get("hooks").Elements()
			}

			for _, n := range inner {
				c := n.Get(f.a.files.commandName())
				if c.Kind() != strictjson.String || !f.a.own(c.Text()) {
					continue
				}
				out = append(out, Hook{
					Position: jsonc.Position(f.name, f.data, n.Start()), Event: event, Command: c.Text(),
					Matcher: e.Get("matcher").Text(), node: e, settings: n,
				})
			}
		}
	}
	return out
}

// own reports whether a command line is Remit's hook for the agent.
func (a *Agent) own(command string) bool {
	line, err := shell.Read(command)
	if err != nil || len(line.Commands) != 1 || len(line.Opaque) > 0 {
		return false
	}
	words := line.Commands[0].Words
	return len(words) >= 3 && filepath.Base(words[0].Text) == "remit" && words[1].Text == "hook" && words[2].Text == a.Name
}

// Hooks returns Remit's hooks in the agent's file.
func (a *Agent) Hooks(name string, data []byte) ([]Hook, error) {
	f, err := a.read(name, data)
	if err != nil {
		return nil, err
	}
	return f.hooks(), nil
}

// Install returns the file with Remit's hooks, which run the command line. It
// keeps everything else in the file. A nil data means that there is no file yet.
func (a *Agent) Install(name string, data []byte, command string) ([]byte, error) {
	if !a.own(command) {
		return nil, errors.New("the name of the program must be remit")
	}
	if data == nil {
		data = begin
	}
	f, err := a.read(name, data)
	if err != nil {
		return nil, err
	}

	if f.complete(command) {
		return data, nil
	}
	if len(f.hooks()) > 0 {
		without, err := f.remove()
		if err != nil {
			return nil, err
		}
		if f, err = a.read(name, without); err != nil {
			return nil, err
		}
	}

	out := strictjson.Apply(f.data, f.add(command))
	if again, err := a.read(name, out); err != nil || len(again.hooks()) != len(a.files.all()) {
		return nil, errors.Join(fmt.Errorf("%s: the file can't be edited safely", name), err)
	}
	return out, nil
}

// complete reports whether the hooks are installed as they would be written.
func (f *file) complete(command string) bool {
	hooks := f.hooks()
	if len(hooks) != len(f.a.files.all()) || slices.ContainsFunc(hooks, func(h Hook) bool { return h.Command != command }) {
		return false
	}
	return len(f.flaws()) == 0
}

// add returns the edits that give every event its hook.
func (f *file) add(command string) []strictjson.Edit {
	var edits []strictjson.Edit
	var members []string
	hooks := f.top.Get("hooks")
	for _, event := range f.a.files.all() {
		entry := f.a.entry(event, command)
		if list := hooks.Get(event); list.Exists() {
			edits = append(edits, insert(list, entry))
		} else {
			members = append(members, "\n    "+strictjson.Quotes(event)+": ["+entry+"]")
		}
	}

	text := strings.Join(members, ",")
	switch {
	case hooks.Exists() && text != "":
		edits = append(edits, insert(hooks, text))
	case !hooks.Exists():
		text = "\n  \"hooks\": {" + text + "\n  }"
		if f.a.files.version && !f.top.Get("version").Exists() {
			text = "\n  \"version\": 1," + text
		}
		edits = append(edits, insert(f.top, text))
	}

	return edits
}

// insert returns an edit that appends to a list or an object.
func insert(to strictjson.Value, text string) strictjson.Edit {
	at := to.Start() + 1
	if inside := slices.Collect(to.All()); len(inside) > 0 {
		at = inside[len(inside)-1].End()
		comma := ","
		if to.Kind() == strictjson.Array {
			comma = ", "
		}
		text = comma + text
	}
	return strictjson.Replacement(at, at, text)
}

// entry returns the text of an event's hook.
func (a *Agent) entry(event, command string) string {
	var b strings.Builder
	if a.files.form == groups {
		b.WriteString("{")
		if !strings.Contains(event, "Session") && event != "UserPromptSubmit" && event != "BeforeAgent" {
			b.WriteString(`"matcher": ` + strictjson.Quotes(a.files.matcher) + ", ")
		}
		b.WriteString(`"hooks": [{"type": "command", `)
	} else {
		b.WriteString("{")
	}

	b.WriteString(strictjson.Quotes(a.files.commandName()) + ": " + strictjson.Quotes(command))
	for _, s := range a.files.settings {
		value, err := json.Marshal(s.value)
		if err != nil {
			continue // the settings are ours, and have a form
		}
		b.WriteString(", " + strictjson.Quotes(s.name) + ": " + string(value))
	}

	b.WriteString("}")
	if a.files.form == groups {
		b.WriteString("]}")
	}
	return b.String()
}
