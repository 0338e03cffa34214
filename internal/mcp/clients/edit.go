package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/jsonc"
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

// Wrap returns the file with the gateway before the servers for which how
// returns something.
func (f *File) Wrap(how func(*Server) *Wrapping) ([]byte, error) {
	var edits []jsonc.Edit
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
	out := jsonc.Apply(f.data, edits)
	if _, err := Parse(f.Name, out); err != nil {
		return nil, fmt.Errorf("the file can't be edited safely: %w", err)
	}
	return out, nil
}

func (f *File) raw(n *jsonc.Node) string { return string(f.data[n.Start:n.End]) }

// wrapCommand moves the command, as it is written, behind the gateway's
// arguments.
func (f *File) wrapCommand(s *Server, w *Wrapping) []jsonc.Edit {
	command, args := s.node.Get("command"), s.node.Get("args")
	list := jsonc.Quote(append(slices.Clone(w.Args), "--")...) + ", " + f.raw(command)
	out := []jsonc.Edit{jsonc.Replace(command.Start, command.End, jsonc.Quote(w.Program))}
	switch {
	case args == nil:
		out[0].With += `, "args": [` + list + `]`
	case len(args.Elements) == 0:
		out = append(out, jsonc.Replace(args.Start+1, args.Start+1, list))
	default:
		at := args.Elements[0].Start
		out = append(out, jsonc.Replace(at, at, list+", "))
	}
	return out
}

// wrapURL makes a command of an endpoint.
func (f *File) wrapURL(s *Server, w *Wrapping) []jsonc.Edit {
	var out []jsonc.Edit
	env := make([]string, 0, len(w.Env))
	for _, p := range w.Env {
		env = append(env, jsonc.Quote(p.Name)+": "+jsonc.Quote(p.Value))
	}
	envMember := `"env": {` + strings.Join(env, ", ") + `}`
	headers := s.node.Get("headers")
	for i, m := range s.node.Members {
		switch m.Name {
		case "url":
			with := `"command": ` + jsonc.Quote(w.Program) + `, "args": [` + jsonc.Quote(w.Args...) + `]`
			if headers == nil && len(env) > 0 {
				with += ", " + envMember
			}
			out = append(out, jsonc.Replace(m.Start, m.Value.End, with))
		case "type":
			out = append(out, jsonc.Replace(m.Value.Start, m.Value.End, `"stdio"`))
		case "headers":
			switch {
			case len(env) > 0:
				out = append(out, jsonc.Replace(m.Start, m.Value.End, envMember))
			case i+1 < len(s.node.Members):
				out = append(out, jsonc.Replace(m.Start, s.node.Members[i+1].Start, ""))
			case i > 0:
				out = append(out, jsonc.Replace(s.node.Members[i-1].Value.End, m.Value.End, ""))
			}
		}
	}
	return out
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
	var edits []jsonc.Edit
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
			edits = append(edits, jsonc.Replace(s.node.Start, s.node.End, in.raw(was.node)))
		default:
			stay = append(stay, s)
		}
	}
	out = jsonc.Apply(f.data, edits)
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
func (f *File) unwrapCommand(s, was *Server) []jsonc.Edit {
	command, args := s.node.Get("command"), s.node.Get("args")
	at := slices.IndexFunc(args.Elements, func(e *jsonc.Node) bool { return e.Text == "--" }) + 1
	original := args.Elements[at]
	out := []jsonc.Edit{jsonc.Replace(command.Start, command.End, f.raw(original))}
	switch {
	case at+1 < len(args.Elements):
		return append(out, jsonc.Replace(args.Elements[0].Start, args.Elements[at+1].Start, ""))
	case (was == nil || was.node.Get("args") == nil) && string(f.data[command.End:args.Start]) == `, "args": `:
		return append(out, jsonc.Replace(command.End, args.End, ""))
	}
	return append(out, jsonc.Replace(args.Elements[0].Start, original.End, ""))
}

// Error makes an error at the server's place.
func (s *Server) Error(hint, format string, args ...any) *contract.Error {
	return &contract.Error{Position: s.Position, Message: fmt.Sprintf(format, args...), Hint: hint}
}
