package clients

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/jsonc"
	"github.com/remit-project/remit/internal/strictjson"
)

// Client is a program that uses MCP servers.
type Client string

// The clients whose files are known.
const (
	ClaudeDesktop Client = "claude-desktop"
	ClaudeCode    Client = "claude-code"
	Cursor        Client = "cursor"
	VSCode        Client = "vscode"
)

// Clients returns all known clients.
func Clients() []Client { return []Client{ClaudeDesktop, ClaudeCode, Cursor, VSCode} }

// Places returns where a client's file may be, those of the project in the given directory first.
// Where that directory is the user's home, both can be one file.
func Places(c Client, dir string) ([]string, error) {
	all, err := places(c, dir)
	return slices.Compact(all), err
}

func places(c Client, dir string) ([]string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}

	switch c {
	case ClaudeDesktop:
		return []string{filepath.Join(settings, "Claude", "claude_desktop_config.json")}, nil
	case ClaudeCode:
		return []string{filepath.Join(dir, ".mcp.json"), filepath.Join(home, ".claude.json")}, nil
	case Cursor:
		return []string{filepath.Join(dir, ".cursor", "mcp.json"), filepath.Join(home, ".cursor", "mcp.json")}, nil
	case VSCode:
		return []string{filepath.Join(dir, ".vscode", "mcp.json"), filepath.Join(settings, "Code", "User", "mcp.json")}, nil
	}

	return nil, fmt.Errorf("the client %q is not known", c)
}

// File is a client's file.
type File struct {
	Name    string
	Servers []*Server
	data    []byte
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// Server is a server as a client's file names it.
type Server struct {
	Position contract.Position
	// Group is the object that the server is in, as "mcpServers".
	Group, Name string
	// Command starts a server over stdio, with Env in its environment. The
	// client may expand ${…} in all of it.
	Command []string
	Env     []Pair
	Dir     string
	// EnvFile is a file from which the client reads the environment as well.
	EnvFile string
	// URL is an endpoint over HTTP, with Header in every request.
	URL    string
	Header []Pair
	// Legacy is set where the endpoint speaks HTTP with SSE, the transport that MCP has given up.
	Legacy bool
	// Disabled is set where the client doesn't start it.
	Disabled bool

	node strictjson.Value
}

// Parse reads a client's file. All mistakes are reported, as [contract.Errors].
func Parse(name string, data []byte) (*File, error) {
	f := &File{Name: name, data: data}
	top, err := jsonc.Parse(name, data)
	if err != nil {
		if e := (*contract.Error)(nil); errors.As(err, &e) {
			return nil, contract.Errors{e}
		}
		return nil, err
	}
	r := &reader{f: f}
	if top.Kind() != strictjson.Object {
		r.fail(top, `write {"mcpServers": {…}}`, "the file holds no object")
		return nil, r.errs
	}
	r.groups(top)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return f, nil
}

const (
	// maxMistakes bounds the mistakes that are reported: a person won't read more.
	maxMistakes = 50
	// maxServers is more than any client starts, by a factor of ten.
	maxServers = 1000
)

type reader struct {
	f    *File
	errs contract.Errors
}

func (r *reader) fail(n strictjson.Value, hint, format string, args ...any) {
	if len(r.errs) < maxMistakes {
		r.errs = append(r.errs, &contract.Error{Position: jsonc.Position(r.f.Name, r.f.data, n.Start()), Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// groups reads the servers from all the places where clients look for them:
// mcpServers; servers, in the files of VS Code; mcp.servers, in its older ones;
// and projects.*.mcpServers, in that of Claude Code.
func (r *reader) groups(top strictjson.Value) {
	r.group("mcpServers", top.Get("mcpServers"))
	r.group("servers", top.Get("servers"))
	if mcp := top.Get("mcp"); mcp.Kind() == strictjson.Object {
		r.group("mcp.servers", mcp.Get("servers"))
	}
	if projects := top.Get("projects"); projects.Kind() == strictjson.Object {
		for _, p := range projects.Members() {
			if p.Kind() == strictjson.Object {
				r.group("projects "+p.Name(), p.Get("mcpServers"))
			}
		}
	}
}

func (r *reader) group(name string, n strictjson.Value) {
	switch {
	case !n.Exists():
		return
	case n.Kind() != strictjson.Object:
		r.fail(n, `write {"name": {"command": …}}`, "%s must be an object", name)
		return
	}

	for _, m := range n.Members() {
		if len(r.f.Servers) >= maxServers {
			r.fail(n, "", "there are more than %d servers in the file", maxServers)
			return
		}
		if m.Kind() != strictjson.Object {
			r.fail(m, `write {"command": …} or {"url": …}`, "the server %q must be an object", m.Name())
			continue
		}
		if s := r.server(name, m.Name(), m); s != nil {
			r.f.Servers = append(r.f.Servers, s)
		}
	}
}

func (r *reader) server(group, name string, n strictjson.Value) *Server {
	s := &Server{Position: jsonc.Position(r.f.Name, r.f.data, n.Start()), Group: group, Name: name, node: n}
	before := len(r.errs)
	program := r.text(n, "command")
	s.URL, s.Dir, s.EnvFile = r.text(n, "url"), r.text(n, "cwd"), r.text(n, "envFile")
	s.Env, s.Header = r.pairs(n, "env"), r.pairs(n, "headers")
	if program != "" {
		s.Command = []string{program}
	}
	if args := n.Get("args"); args.Exists() {
		if args.Kind() != strictjson.Array {
			r.fail(args, `write ["one", "two"]`, "args of the server %q must be a list of texts", name)
		}
		for _, e := range args.Elements() {
			if e.Kind() != strictjson.String {
				r.fail(e, "write it in double quotes", "args of the server %q must be a list of texts", name)
			}
			s.Command = append(s.Command, e.Text())
		}
	}

	kind := strings.ToLower(r.text(n, "type"))
	switch {
	case len(r.errs) > before:
		return nil
	case program != "" && s.URL != "":
		r.fail(n, "keep one of them", "the server %q has both a command and a url", name)
	case program == "" && s.URL == "":
		r.fail(n, `write "command" or "url"`, "the server %q has neither a command nor a url", name)
	case !slices.Contains([]string{"", "stdio", "http", "streamable-http", "streamablehttp", "sse"}, kind):
		r.fail(n.Get("type"), "it may be stdio, http or sse", "the server %q has the type %q, which is not known", name, kind)
	case program != "" && kind != "" && kind != "stdio", s.URL != "" && kind == "stdio":
		r.fail(n.Get("type"), "correct the type, or leave it out", "the server %q has a type that doesn't fit what it is", name)
	}

	if len(r.errs) > before {
		return nil
	}
	// Without a type, clients try the older transport if the address ends like one.
	looksLegacy := strings.HasSuffix(strings.TrimRight(path(s.URL), "/"), "/sse")
	s.Legacy = kind == "sse" || (kind == "" && looksLegacy)
	s.Disabled = r.is(n, "disabled", "true") || r.is(n, "enabled", "false")
	return s
}

// path is that of an address; empty where it has none.
func path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

func (r *reader) is(n strictjson.Value, name, value string) bool {
	return string(n.Get(name).Raw()) == value
}

func (r *reader) text(n strictjson.Value, name string) string {
	v := n.Get(name)
	if !v.Exists() {
		return ""
	}
	if v.Kind() != strictjson.String {
		r.fail(v, "write it in double quotes", "%s must be text", name)
		return ""
	}
	return v.Text()
}

// pairs reads an object of texts. Clients take numbers for texts, and leave
// what is null out.
func (r *reader) pairs(n strictjson.Value, name string) []Pair {
	v := n.Get(name)
	if !v.Exists() {
		return nil
	}
	if v.Kind() != strictjson.Object {
		r.fail(v, `write {"NAME": "value"}`, "%s must be an object", name)
		return nil
	}

	var out []Pair
	for name, m := range v.Members() {
		switch m.Kind() {
		case strictjson.String:
			out = append(out, Pair{name, m.Text()})
		case strictjson.Null:
		case strictjson.Object, strictjson.Array:
			r.fail(m, "write it in double quotes", "%s of %s must be text", name, v.Name())
		default:
			out = append(out, Pair{name, string(m.Raw())})
		}
	}

	return out
}

// Gateway is what an entry that starts the gateway says.
type Gateway struct {
	// Flags are the arguments of remit gateway before --.
	Flags []string
	// Command is the server's own; nil when the gateway has a configuration.
	Command []string
}

// Flag returns the value of a flag, "true" for one without a value, and "" when
// it isn't there.
func (g *Gateway) Flag(name string) string {
	value := ""
	for i, f := range g.Flags {
		if v, ok := strings.CutPrefix(f, name+"="); ok {
			value = v
		}
		if f != name {
			continue
		}
		if value = "true"; i+1 < len(g.Flags) && !strings.HasPrefix(g.Flags[i+1], "--") {
			value = g.Flags[i+1]
		}
	}
	return value
}

// Gateway returns the gateway that the server is behind in the file; nil when there is none.
func (s *Server) Gateway() *Gateway {
	if len(s.Command) < 2 || s.Command[1] != "gateway" || !isRemit(s.Command[0]) {
		return nil
	}
	flags := s.Command[2:]
	if i := slices.Index(flags, "--"); i >= 0 {
		return &Gateway{Flags: flags[:i], Command: slices.Clone(flags[i+1:])}
	}
	return &Gateway{Flags: flags}
}

// isRemit reports whether a command is this program, by its name, in the form of any system.
func isRemit(command string) bool {
	if i := strings.LastIndexAny(command, `/\`); i >= 0 {
		command = command[i+1:]
	}
	if runtime.GOOS == "windows" {
		command = strings.ToLower(command)
	}
	return strings.TrimSuffix(command, ".exe") == "remit"
}
