package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/strictjson"
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
	var edits []strictjson.Edit
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
	out := strictjson.Apply(f.data, edits)
	if _, err := Parse(f.Name, out); err != nil {
		return nil, fmt.Errorf("the file can't be edited safely: %w", err)
	}
	return out, nil
}

// wrapCommand moves the command, as it is written, behind the gateway's
// arguments.
func (f *File) wrapCommand(s *Server, w *Wrapping) []strictjson.Edit {
	command, args := s.node.Get("command"), s.node.Get("args")
	list := strictjson.Quotes(append(slices.Clone(w.Args), "--")...) + ", " + string(command.Raw())
	out := []strictjson.Edit{strictjson.Replacement(command.Start(), command.End(), strictjson.Quotes(w.Program))}
	switch {
	case !args.Exists():
		out[0].With += `, "args": [` + list + `]`
	case args.Len() == 0:
		out = append(out, strictjson.Replacement(args.Start()+1, args.Start()+1, list))
	default:
		at := args.Elements()[0].Start()
		out = append(out, strictjson.Replacement(at, at, list+", "))
	}
	return out
}

// wrapURL makes a command of an endpoint.
func (f *File) wrapURL(s *Server, w *Wrapping) []strictjson.Edit {
	var out []strictjson.Edit
	env := make([]string, 0, len(w.Env))
	for _, p := range w.Env {
		env = append(env, strictjson.Quotes(p.Name)+": "+strictjson.Quotes(p.Value))
	}
	envMember := `"env": {` + strings.Join(env, ", ") + `}`
	headers := s.node.Get("headers")

	members := slices.Collect(s.node.All())
	for i, m := range members {
		switch m.Name() {
		case "url":
			with := `"command": ` + strictjson.Quotes(w.Program) + `, "args": [` + strictjson.Quotes(w.Args...) + `]`
			if !headers.Exists() && len(env) > 0 {
				with += ", " + envMember
			}
			out = append(out, strictjson.Replacement(m.Key().Start, m.End(), with))
		case "type":
			out = append(out, strictjson.Replacement(m.Start(), m.End(), `"stdio"`))
		case "headers":
			switch {
			case len(env) > 0:
				out = append(out, strictjson.Replacement(m.Key().Start, m.End(), envMember))
			case i+1 < len(members):
				out = append(out, strictjson.Replacement(m.Key().Start, members[i+1].Key().Start, ""))
			case i > 0:
				out = append(out, strictjson.Replacement(members[i-1].End(), m.End(), ""))
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

	var edits []strictjson.Edit
	for _, s := range f.Servers {
		g := s.Gateway()
		if g == nil || !which(s) {
			continue
		}
		var was *Server
		for _, k := range known {
			if o := k.find(s); o != nil && o.Gateway() == nil && was == nil {
				was = o
			}
		}
		switch {
		case len(g.Command) > 0:
			edits = append(edits, f.unwrapCommand(s, was)...)
		case was != nil:
			edits = append(edits, strictjson.Replacement(s.node.Start(), s.node.End(), string(was.node.Raw())))
		default:
			stay = append(stay, s)
		}
	}
	out = strictjson.Apply(f.data, edits)

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
func (f *File) unwrapCommand(s, was *Server) []strictjson.Edit {
	command, args := s.node.Get("command"), s.node.Get("args")
	list := args.Elements()
	at := slices.IndexFunc(list, func(e strictjson.Value) bool { return e.Text() == "--" }) + 1
	original := list[at]
	out := []strictjson.Edit{strictjson.Replacement(command.Start(), command.End(), string(original.Raw()))}
	switch {
	case at+1 < len(list):
		return append(out, strictjson.Replacement(list[0].Start(), list[at+1].Start(), ""))
	case (was == nil || !was.node.Get("args").Exists()) && string(f.data[command.End():args.Start()]) == `, "args": `:
		return append(out, strictjson.Replacement(command.End(), args.End(), ""))
	}
	return append(out, strictjson.Replacement(list[0].Start(), original.End(), ""))
}

// Error makes an error at the server's place.
func (s *Server) Error(hint, format string, args ...any) *contract.Error {
	return &contract.Error{Position: s.Position, Message: fmt.Sprintf(format, args...), Hint: hint}
}
