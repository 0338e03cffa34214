package config

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/gateway/mcp"
)

const (
	// maxFile is the size of a configuration in bytes.
	maxFile = 1 << 20
	// maxMistakes is how many mistakes are reported: nobody reads more.
	maxMistakes = 50
	// minToken is the shortest bearer token that is accepted: 16 random bytes
	// in base 64 have 22 characters.
	minToken = 22
)

// Load reads a configuration. The name stands in errors, and paths are relative
// to its directory. Environment looks variables up; references to them are
// resolved here, so that a missing one is found before anything starts. The
// error is of type [contract.Errors].
func Load(name string, data []byte, environment func(string) (string, bool)) (*File, error) {
	l := &loader{file: name, dir: filepath.Dir(name), env: environment}
	f := l.document(data)
	if len(l.errs) > 0 {
		l.errs.Sort()
		return nil, l.errs
	}
	return f, nil
}

type loader struct {
	file, dir string
	env       func(string) (string, bool)
	errs      contract.Errors
}

func (l *loader) fail(n *yaml.Node, hint, format string, args ...any) {
	if len(l.errs) < maxMistakes {
		at := contract.Position{File: l.file, Line: n.Line, Column: n.Column}
		l.errs = append(l.errs, &contract.Error{Position: at, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

func (l *loader) document(data []byte) *File {
	top := &yaml.Node{}
	switch {
	case len(data) > maxFile:
		l.fail(top, "", "the file is larger than %d MiB", maxFile>>20)
		return nil
	case !utf8.Valid(data):
		l.fail(top, "save it as UTF-8", "the file is not valid UTF-8")
		return nil
	case len(bytes.TrimSpace(data)) == 0:
		l.fail(top, "write 'version: 1' and 'servers:'", "the file holds no configuration")
		return nil
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		at, message := top, err.Error()
		if where := (*yaml.LoadError)(nil); errors.As(err, &where) {
			at = &yaml.Node{Line: where.Mark.Line, Column: where.Mark.Column}
			message = where.Message
		}
		l.fail(at, "", "not readable as YAML: %s", strings.TrimPrefix(message, "yaml: "))
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		l.fail(top, "write 'version: 1' and 'servers:'", "the file holds no configuration")
		return nil
	}
	return l.config(doc.Content[0])
}

// keys reads the members of a mapping by name.
type keys map[string]func(*yaml.Node)

// mapping reads a mapping with known keys, and returns those it had.
func (l *loader) mapping(n *yaml.Node, what string, known keys) map[string]*yaml.Node {
	had := map[string]*yaml.Node{}
	l.entries(n, what, func(name string, k, v *yaml.Node) {
		read, ok := known[name]
		if !ok {
			names := make([]string, 0, len(known))
			for n := range known {
				names = append(names, n)
			}
			slices.Sort(names)
			l.fail(k, "it may have "+strings.Join(names, ", "), "%s has no key %q", what, name)
			return
		}
		had[name] = v
		read(v)
	})
	return had
}

// entries reads a mapping with free keys.
func (l *loader) entries(n *yaml.Node, what string, read func(name string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		l.fail(n, "write 'key: value' lines", "%s must be a mapping", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.ShortTag() == "!!merge":
			l.fail(k, "write plain text before the colon", "a key of %s must be text", what)
		case seen[k.Value]:
			l.fail(k, "remove one of them", "%q stands twice in %s", k.Value, what)
		case v.Kind == yaml.AliasNode:
			l.fail(v, "write the value out", "aliases are not supported")
		default:
			seen[k.Value] = true
			read(k.Value, k, v)
		}
	}
}

func (l *loader) text(what string, to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.Value == "" {
			l.fail(n, "write text, in quotes if need be", "%s must be text", what)
			return
		}
		*to = n.Value
	}
}

// expand reads a text in which ${NAME} stands for a variable of the environment.
func (l *loader) expand(what string, to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		raw := ""
		l.text(what, &raw)(n)
		var b strings.Builder
		for {
			before, rest, ok := strings.Cut(raw, "${")
			b.WriteString(before)
			if !ok {
				break
			}
			name, after, ok := strings.Cut(rest, "}")
			if !ok || name == "" {
				l.fail(n, "write ${NAME}", "%s has a reference without an end or a name", what)
				return
			}
			value, ok := l.env(name)
			if !ok || value == "" {
				l.fail(n, "set it before the gateway starts", "%s needs the environment variable %s, which is not set", what, name)
				return
			}
			b.WriteString(value)
			raw = after
		}
		*to = b.String()
	}
}

func (l *loader) texts(what string, to *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			l.fail(n, "write a list, as [a, b]", "%s must be a list", what)
			return
		}
		for _, e := range n.Content {
			var s string
			l.text("an entry of "+what, &s)(e)
			*to = append(*to, s)
		}
	}
}

func (l *loader) boolean(what string, to *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
			l.fail(n, "write true or false", "%s must be true or false", what)
			return
		}
		*to = n.Value == "true"
	}
}

func (l *loader) duration(what string, to *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
			l.fail(n, "write it as 30s, 5m or 1h", "%s must be a time", what)
			return
		}
		*to = d
	}
}

func (l *loader) number(what string, least, most int, to *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < least || v > most {
			l.fail(n, fmt.Sprintf("write a number from %d to %d", least, most), "%s is out of bounds", what)
			return
		}
		*to = v
	}
}

func (l *loader) mode(what string, to *mcp.Mode) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch m := mcp.Mode(n.Value); {
		case n.Kind == yaml.ScalarNode && (m == mcp.Enforce || m == mcp.Shadow):
			*to = m
		default:
			l.fail(n, "write enforce or shadow", "%s is no mode", what)
		}
	}
}

// word reads a word that a type of another package knows.
func (l *loader) word(what string, to interface{ UnmarshalText([]byte) error }) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			l.fail(n, "write one word", "%s must be a word", what)
			return
		}
		if err := to.UnmarshalText([]byte(n.Value)); err != nil {
			l.fail(n, "", "%s: %v", what, err)
		}
	}
}

// path reads a path, relative to the file's directory.
func (l *loader) path(what string, to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		l.text(what, to)(n)
		if *to != "" && !filepath.IsAbs(*to) {
			*to = filepath.Join(l.dir, *to)
		}
	}
}

// store reads the name of a store: a path, or the address of a database.
func (l *loader) store(to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		l.expand("store", to)(n)
		if *to != "" && !strings.Contains(*to, ":") && !filepath.IsAbs(*to) {
			*to = filepath.Join(l.dir, *to)
		}
	}
}

func (l *loader) config(n *yaml.Node) *File {
	f := &File{}
	version, names := "", "clash"
	had := l.mapping(n, "the configuration", keys{
		"version":    l.text("version", &version),
		"listen":     func(n *yaml.Node) { f.Listen = l.listen(n) },
		"sessions":   func(n *yaml.Node) { l.sessions(n, f) },
		"contracts":  l.path("contracts", &f.Contracts),
		"store":      l.store(&f.Store),
		"mode":       l.mode("mode", &f.Mode),
		"names":      l.text("names", &names),
		"approvals":  func(n *yaml.Node) { l.approvals(n, f) },
		"limits":     func(n *yaml.Node) { l.limits(n, f) },
		"precision":  l.word("precision", &f.Precision),
		"sinks":      l.word("sinks", &f.Sinks),
		"unprovoked": l.word("unprovoked", &f.Unprovoked),
		"servers":    func(n *yaml.Node) { l.servers(n, f) },
	})
	switch {
	case had["version"] == nil:
		l.fail(n, "write 'version: 1' first", "the version is missing")
	case version != strconv.Itoa(Version):
		l.fail(had["version"], "write 'version: 1'", "version %q is not known", version)
	}
	if names != "clash" && names != "always" {
		l.fail(had["names"], "write clash or always", "names: %q is not known", names)
	}
	f.Namespace = names == "always"
	if had["servers"] == nil {
		l.fail(n, "write 'servers:' with at least one", "there are no servers")
	}
	if f.Queue && f.Store == "" {
		l.fail(had["approvals"], "write 'store: remit.db' as well", "approvals.queue needs a store to keep the questions in")
	}
	if f.Listen == nil && had["sessions"] != nil {
		l.fail(had["sessions"], "leave it out, or write listen", "sessions is about clients over HTTP, and there is no listen")
	}
	return f
}

func (l *loader) listen(n *yaml.Node) *Listen {
	out := &Listen{}
	had := l.mapping(n, "listen", keys{
		"address": l.text("address", &out.Address),
		"token":   l.expand("token", &out.Token),
		"hosts":   l.texts("hosts", &out.Hosts),
		"origins": l.texts("origins", &out.Origins),
	})
	if had["address"] == nil {
		l.fail(n, "write 'address: 127.0.0.1:7676'", "listen needs an address")
		return out
	}
	if out.Address == "" {
		return out
	}
	host, port, err := net.SplitHostPort(out.Address)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		l.fail(had["address"], "write host:port, as 127.0.0.1:7676", "the address %q can't be listened on", out.Address)
		return out
	}
	if t := had["token"]; t != nil && out.Token != "" && len(out.Token) < minToken {
		l.fail(t, "make a random one, as with 'openssl rand -base64 24'", "the token has less than %d characters", minToken)
	}
	if !loopback(host) && had["token"] == nil {
		l.fail(had["address"], "write 'token: ${REMIT_TOKEN}' beside it, or listen on 127.0.0.1", "the address %q can be reached from outside, and nothing says who may call", out.Address)
	}
	for _, o := range out.Origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" {
			l.fail(had["origins"], "write it as https://console.example", "%q is no origin", o)
		}
	}
	return out
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

func (l *loader) sessions(n *yaml.Node, f *File) {
	l.mapping(n, "sessions", keys{
		"meta_key": l.text("meta_key", &f.MetaKey),
		"idle":     l.duration("idle", &f.Idle),
	})
}

func (l *loader) approvals(n *yaml.Node, f *File) {
	l.mapping(n, "approvals", keys{
		"elicitation": l.boolean("elicitation", &f.Elicit),
		"queue":       l.boolean("queue", &f.Queue),
		"timeout":     l.duration("timeout", &f.Limits.Approval),
	})
}

func (l *loader) limits(n *yaml.Node, f *File) {
	mib := 0
	l.mapping(n, "limits", keys{
		"message_mib":   l.number("message_mib", 1, 256, &mib),
		"depth":         l.number("depth", 8, 1000, &f.Limits.Depth),
		"requests":      l.number("requests", 1, 100_000, &f.Limits.Requests),
		"conversations": l.number("conversations", 1, 100_000, &f.Limits.Conversations),
	})
	f.Limits.Message = mib << 20
}

func (l *loader) servers(n *yaml.Node, f *File) {
	l.entries(n, "servers", func(name string, k, v *yaml.Node) {
		if !serverName(name) {
			l.fail(k, "use letters, digits, - and _, at most 64", "%q can't be the name of a server", name)
			return
		}
		s := l.server(name, k, v)
		f.Servers = append(f.Servers, s)
	})
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		l.fail(n, "write at least one", "there are no servers")
	}
}

// serverName tells whether a name can stand in tools' names and file names.
func serverName(s string) bool {
	for _, c := range []byte(s) {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != "" && len(s) <= 64 && !strings.Contains(s, "__")
}

// inherited are the variables that a program gets from the gateway's own
// environment. All others, credentials among them, it gets only by name.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ",
	"SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP", "PATHEXT", "PROGRAMFILES"}

func (l *loader) server(name string, k, n *yaml.Node) Server {
	s := Server{Name: name}
	had := l.mapping(n, "the server "+name, keys{
		"command":  l.texts("command", &s.Command),
		"env":      func(n *yaml.Node) { l.pairs(n, "env", func(k, v string) { s.Env = append(s.Env, k+"="+v) }) },
		"dir":      l.path("dir", &s.Dir),
		"url":      l.expand("url", &s.URL),
		"header":   func(n *yaml.Node) { l.header(n, &s) },
		"contract": l.path("contract", &s.Contract),
		"mode":     l.mode("mode", &s.Mode),
		"tools":    func(n *yaml.Node) { l.tools(n, &s) },
		"timeout":  l.duration("timeout", &s.Timeout),
	})
	switch {
	case had["command"] != nil && had["url"] != nil:
		l.fail(had["url"], "keep one of them", "the server %s has both a command and a url", name)
	case had["command"] == nil && had["url"] == nil:
		l.fail(k, "write command: [program, argument] or url: https://…", "the server %s has neither a command nor a url", name)
	case had["url"] != nil:
		for _, only := range []string{"env", "dir"} {
			if had[only] != nil {
				l.fail(had[only], "leave it out", "%s is for servers with a command", only)
			}
		}
		l.url(had["url"], s.URL)
	default:
		if had["header"] != nil {
			l.fail(had["header"], "leave it out", "header is for servers with a url")
		}
		if len(s.Command) == 0 {
			l.fail(had["command"], "write the program first", "the command of the server %s is empty", name)
		}
		for _, v := range inherited {
			if value, ok := l.env(v); ok && !slices.ContainsFunc(s.Env, func(e string) bool { return strings.HasPrefix(e, v+"=") }) {
				s.Env = append(s.Env, v+"="+value)
			}
		}
	}
	return s
}

// url checks the address of a server. It may hold a secret, so that messages
// don't repeat it.
func (l *loader) url(n *yaml.Node, s string) {
	u, err := url.Parse(s)
	switch {
	case s == "":
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		l.fail(n, "write it as https://mcp.example/mcp", "the url is no web address")
	case u.User != nil:
		l.fail(n, "write credentials as header: {Authorization: \"Bearer ${NAME}\"}", "the url holds credentials")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		l.fail(n, "use https", "the url is not encrypted, and leads off this machine")
	}
}

func (l *loader) pairs(n *yaml.Node, what string, add func(k, v string)) {
	l.entries(n, what, func(name string, k, v *yaml.Node) {
		var value string
		l.expand(what+" "+name, &value)(v)
		if name == "" || strings.ContainsAny(name, "=\x00\r\n") || strings.ContainsAny(value, "\x00") {
			l.fail(k, "", "%q can't stand in %s", name, what)
			return
		}
		add(name, value)
	})
}

func (l *loader) header(n *yaml.Node, s *Server) {
	s.Header = map[string]string{}
	l.pairs(n, "header", func(k, v string) {
		if strings.ContainsAny(k+v, "\r\n") || strings.ContainsAny(k, " \t:") || strings.HasPrefix(strings.ToLower(k), "mcp-") {
			l.fail(n, "name fields such as Authorization", "the field %q can't be set", k)
			return
		}
		s.Header[k] = v
	})
}

func (l *loader) tools(n *yaml.Node, s *Server) {
	s.Tools = map[string]mcp.Mode{}
	l.entries(n, "tools", func(name string, _, v *yaml.Node) {
		var m mcp.Mode
		l.mode("the mode of "+name, &m)(v)
		s.Tools[name] = m
	})
}
