package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
)

// Wrapping says how a server gets the gateway before it.
type Wrapping struct {
	// Program starts Remit.
	Program string
	// Args are the arguments before --; for an endpoint, all of them.
	Args []string
	// Env is what an endpoint's header fields become.
	Env []Pair
}

// edit replaces a part of the text.
type edit struct {
	start, end int
	with       string
}

// Wrap returns the file with the gateway before the servers for which how
// returns something.
func (f *File) Wrap(how func(*Server) *Wrapping) ([]byte, error) {
	var edits []edit
	for _, s := range f.Servers {
		w := how(s)
		switch {
		case w == nil || s.Gateway() != nil:
		case s.URL != "":
			edits = append(edits, f.wrapURL(s, w)...)
		default:
			edits = append(edits, f.wrapCommand(s, w)...)
		}
	}
	out := f.apply(edits)
	if _, err := Parse(f.Name, out); err != nil {
		return nil, fmt.Errorf("the file can't be edited safely: %w", err)
	}
	return out, nil
}

func (f *File) raw(n *node) string { return string(f.data[n.start:n.end]) }

func (f *File) apply(edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(f.data[at:e.start])
		out.WriteString(e.with)
		at = e.end
	}
	out.Write(f.data[at:])
	return out.Bytes()
}

// wrapCommand moves the command, as it is written, behind the gateway's
// arguments.
func (f *File) wrapCommand(s *Server, w *Wrapping) []edit {
	command, args := s.node.get("command"), s.node.get("args")
	list := quoteAll(append(slices.Clone(w.Args), "--")) + ", " + f.raw(command)
	out := []edit{{command.start, command.end, quote(w.Program)}}
	switch {
	case args == nil:
		out[0].with += `, "args": [` + list + `]`
	case len(args.elements) == 0:
		out = append(out, edit{args.start + 1, args.start + 1, list})
	default:
		at := args.elements[0].start
		out = append(out, edit{at, at, list + ", "})
	}
	return out
}

// wrapURL makes a command of an endpoint.
func (f *File) wrapURL(s *Server, w *Wrapping) []edit {
	var out []edit
	env := make([]string, 0, len(w.Env))
	for _, p := range w.Env {
		env = append(env, quote(p.Name)+": "+quote(p.Value))
	}
	envMember := `"env": {` + strings.Join(env, ", ") + `}`
	headers := s.node.get("headers")
	for i, m := range s.node.members {
		switch m.name {
		case "url":
			with := `"command": ` + quote(w.Program) + `, "args": [` + quoteAll(w.Args) + `]`
			if headers == nil && len(env) > 0 {
				with += ", " + envMember
			}
			out = append(out, edit{m.start, m.value.end, with})
		case "type":
			out = append(out, edit{m.value.start, m.value.end, `"stdio"`})
		case "headers":
			switch {
			case len(env) > 0:
				out = append(out, edit{m.start, m.value.end, envMember})
			case i+1 < len(s.node.members):
				out = append(out, edit{m.start, s.node.members[i+1].start, ""})
			case i > 0:
				out = append(out, edit{s.node.members[i-1].value.end, m.value.end, ""})
			}
		}
	}
	return out
}

// Quote writes texts as JSON, with commas between them.
func Quote(list ...string) string { return quoteAll(list) }

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""` // a string always has a form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func quoteAll(list []string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, quote(s))
	}
	return strings.Join(out, ", ")
}

// Unwrap returns the file without the gateway before those of its servers for
// which the function says so. Earlier forms
// of the file, the newest first, tell what doesn't follow from the file itself:
// what an endpoint was. The result is one of them byte by byte where nothing
// else has changed since. Servers that no earlier form knows, of a gateway with a
// configuration, are returned: they stay.
func (f *File) Unwrap(which func(*Server) bool, earlier ...[]byte) (out []byte, stay []*Server, err error) {
	var known []*File
	for _, data := range earlier {
		if k, err := Parse(f.Name, data); err == nil {
			known = append(known, k)
		}
	}
	var edits []edit
	for _, s := range f.Servers {
		g := s.Gateway()
		if g == nil || !which(s) {
			continue
		}
		var was *Server
		var in *File
		for _, k := range known {
			if o := k.find(s); o != nil && o.Gateway() == nil && was == nil {
				was, in = o, k
			}
		}
		switch {
		case len(g.Command) > 0:
			edits = append(edits, f.unwrapCommand(s, was)...)
		case was != nil:
			edits = append(edits, edit{s.node.start, s.node.end, in.raw(was.node)})
		default:
			stay = append(stay, s)
		}
	}
	out = f.apply(edits)
	if _, err := Parse(f.Name, out); err != nil {
		return nil, nil, fmt.Errorf("the file can't be edited safely: %w", err)
	}
	return out, stay, nil
}

func (f *File) find(s *Server) *Server {
	for _, o := range f.Servers {
		if o.Group == s.Group && o.Name == s.Name {
			return o
		}
	}
	return nil
}

// unwrapCommand undoes wrapCommand.
func (f *File) unwrapCommand(s, was *Server) []edit {
	command, args := s.node.get("command"), s.node.get("args")
	at := slices.IndexFunc(args.elements, func(e *node) bool { return e.text == "--" }) + 1
	original := args.elements[at]
	out := []edit{{command.start, command.end, f.raw(original)}}
	switch {
	case at+1 < len(args.elements):
		return append(out, edit{args.elements[0].start, args.elements[at+1].start, ""})
	case (was == nil || was.node.get("args") == nil) && string(f.data[command.end:args.start]) == `, "args": `:
		return append(out, edit{command.end, args.end, ""})
	}
	return append(out, edit{args.elements[0].start, original.end, ""})
}

// Error makes an error at the server's place.
func (s *Server) Error(hint, format string, args ...any) *contract.Error {
	return &contract.Error{Position: s.Position, Message: fmt.Sprintf(format, args...), Hint: hint}
}
