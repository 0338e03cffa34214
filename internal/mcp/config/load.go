package config

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/judge"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/store"
)

const (
	// maxFile is the size of a configuration in bytes.
	maxFile = 1 << 20
	// MaxMessage bounds the limit on messages, in MiB: each may be held several times.
	MaxMessage = 256
	// EnvStore is the variable that names the store where a configuration has none.
	EnvStore = "REMIT_STORE"
	// maxDays bounds what is kept to a century.
	maxDays = 36_500
	// minToken is the shortest bearer token that is accepted: 16 random bytes
	// in base 64 have 22 characters.
	minToken = 22
)

// The words of the format that other packages have types for.
var (
	modes      = []string{"off", "ask", "deny"}
	precisions = []string{"L0", "L1", "L2", "L3"}
)

// Load reads a configuration. The name appears in errors, and paths are relative
// to its directory. Environment looks variables up; references to them are
// resolved here, so that a missing one is found before anything starts. The
// error is of type [strictyaml.Errors].
func Load(name string, data []byte, environment func(string) (string, bool)) (*File, error) {
	var f *File
	err := strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: maxFile, TooLarge: "a configuration names servers and files, and holds nothing else",
		Empty: "write 'version: 1' and 'servers:'",
	}, func(r *strictyaml.Reader, root *node) {
		l := &loader{Reader: r, dir: filepath.Dir(name), env: environment}
		f = l.config(root)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

type (
	node = strictyaml.Node
	keys = strictyaml.Keys
)

type loader struct {
	*strictyaml.Reader
	dir string
	env func(string) (string, bool)
}

// text reads a text that must not be empty.
func (l *loader) text(what string, to *string) func(*node) {
	return func(n *node) {
		if strictyaml.Scalar(n) && n.Value == "" {
			l.Fail(n, "write something, or leave the line out", "%s is empty", what)
			return
		}
		l.Text(what, to)(n)
	}
}

// expand reads a text in which ${NAME} names a variable of the environment, and
// ${file:PATH} the content of a file: a secret of a container, or a credential of a service.
func (l *loader) expand(what string, to *string) func(*node) {
	return func(n *node) {
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
				l.Fail(n, "write ${NAME}", "%s has a reference without an end or a name", what)
				return
			}
			value, ok := l.referred(n, what, name)
			if !ok {
				return
			}
			b.WriteString(value)
			raw = after
		}

		*to = b.String()
	}
}

// fileReference begins a reference to a file.
const fileReference = "file:"

// maxSecret bounds a file that a text refers to, in bytes: a key or a certificate.
const maxSecret = 64 << 10

// referred returns the value of a reference.
func (l *loader) referred(n *node, what, name string) (string, bool) {
	path, isFile := strings.CutPrefix(name, fileReference)
	if !isFile {
		value, ok := l.env(name)
		if !ok || value == "" {
			l.Fail(n, "set it before the gateway starts", "%s needs the environment variable %s, which is not set", what, name)
			return "", false
		}
		return value, true
	}

	l.place(n, what, &path)
	data, err := readSecret(path)
	if err != nil {
		l.Fail(n, "make the file before the gateway starts", "%s is in a file that can't be read: %v", what, err)
		return "", false
	}
	value := strings.TrimRight(string(data), "\r\n")
	switch {
	case len(data) > maxSecret:
		l.Fail(n, "name the file of a key or a token", "%s is in a file of more than %d KiB: %s", what, maxSecret>>10, path)
	case value == "" || !utf8.ValidString(value):
		l.Fail(n, "write the secret into the file", "%s is in a file that is empty or no text: %s", what, path)
	default:
		return value, true
	}
	return "", false
}

// readSecret reads a file up to its bound, and one byte more where it is longer. What isn't
// a file could keep a reader waiting for ever.
func readSecret(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxSecret+1))
}

func (l *loader) mode(what string, to *mcp.Mode) func(*node) {
	return func(n *node) {
		switch m := mcp.Mode(n.Value); {
		case strictyaml.Scalar(n) && (m == mcp.Enforce || m == mcp.Shadow):
			*to = m
		default:
			l.Fail(n, "write enforce or shadow", "%s can't be %q", what, strictyaml.Clip(n.Value))
		}
	}
}

// path reads a path, relative to the file's directory or, with ~, to the person's own. A
// number, true and the like are no path unless they stand in quotes: more likely, something
// else was meant.
func (l *loader) path(what string, to *string) func(*node) {
	return func(n *node) {
		if strictyaml.Scalar(n) && n.ShortTag() != "!!str" {
			l.Fail(n, "write a path, in quotes if it is called so", "%s must be a path, not %s", what, n.Value)
			return
		}
		l.text(what, to)(n)
		l.place(n, what, to)
	}
}

// place makes a path absolute as far as the file's directory is.
func (l *loader) place(n *node, what string, to *string) {
	rest, ok := strings.CutPrefix(*to, "~")
	switch {
	case *to == "":
	case ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator):
		home, known := l.env("HOME")
		if !known || home == "" {
			home, known = l.env("USERPROFILE")
		}
		if !known || home == "" {
			l.Fail(n, "write the whole path", "%s is below the home directory, and nobody says where that is", what)
			return
		}
		*to = filepath.Join(home, rest)
	case ok:
		l.Fail(n, "write the whole path, or ~/… for your own home", "%s is in the home of somebody else", what)
	case !filepath.IsAbs(*to):
		*to = filepath.Join(l.dir, *to)
	}
}

// store reads the name of a store: a path, or the address of a database.
func (l *loader) store(to *string) func(*node) {
	return func(n *node) {
		l.expand("store", to)(n)
		if !strings.Contains(*to, ":") {
			l.place(n, "store", to)
		}
	}
}

func (l *loader) config(n *node) *File {
	f := &File{}
	version, names := "", "clash"

	had := l.Mapping(n, "the configuration", keys{
		"version":    l.text("version", &version),
		"listen":     func(n *node) { f.Listen = l.listen(n) },
		"sessions":   func(n *node) { l.sessions(n, f) },
		"contracts":  l.path("contracts", &f.Contracts),
		"policies":   l.path("policies", &f.Policies),
		"judge":      func(n *node) { l.judge(n, f) },
		"store":      l.store(&f.Store),
		"audit":      func(n *node) { l.audit(n, f) },
		"mode":       l.mode("mode", &f.Mode),
		"names":      l.text("names", &names),
		"approvals":  func(n *node) { l.approvals(n, f) },
		"limits":     func(n *node) { l.limits(n, f) },
		"precision":  l.Word("precision", precisions, &f.Precision),
		"sinks":      l.Word("mode", modes, &f.Sinks),
		"unprovoked": l.Word("mode", modes, &f.Unprovoked),
		"mentions":   l.Word("mode", []string{"off", "ask"}, &f.Mentions),
		"servers":    func(n *node) { l.servers(n, f) },
	})
	if had["store"] == nil {
		f.Store, _ = l.env(EnvStore)
	}
	switch {
	case had["version"] == nil:
		l.Fail(n, "write 'version: 1' first", "the version is missing")
	case version != strconv.Itoa(Version):
		l.Fail(had["version"], "write 'version: 1'", "version %q is not known", version)
	}

	if names != "clash" && names != "always" {
		l.Fail(had["names"], "write clash or always", "names: %q is not known", names)
	}
	f.Namespace = names == "always"
	if had["policies"] != nil {
		f.PoliciesAt = l.At(had["policies"])
	}
	if had["servers"] == nil {
		l.Fail(n, "write 'servers:' with at least one", "there are no servers")
	}
	if f.Queue && f.Store == "" {
		l.Fail(had["approvals"], "write 'store: remit.db' as well", "approvals.queue needs a store to keep the questions in")
	}
	if had["audit"] != nil && f.Store == "" {
		l.Fail(had["audit"], "write 'store: remit.db' as well", "audit is about the log in a store, and there is none")
	}
	if had["judge"] != nil && f.Policies == "" {
		l.Fail(had["judge"], "leave it out, or write policies", "the judge is asked by rules, and there are none")
	}
	if f.Listen == nil && had["sessions"] != nil {
		l.Fail(had["sessions"], "leave it out, or write listen", "sessions is about clients over HTTP, and there is no listen")
	}
	return f
}

// judge reads the model of the judge. Its address and key are those of its
// provider's variables, unless the file has one of them.
func (l *loader) judge(n *node, f *File) {
	name, url, key := "", "", ""
	had := l.Mapping(n, "judge", keys{
		"model": l.text("model", &name),
		"url":   l.expand("url", &url),
		"key":   l.expand("key", &key),
	})
	if !strictyaml.IsMapping(n) {
		return
	}
	if had["model"] == nil {
		l.Fail(n, "write 'model: anthropic:NAME' or 'model: openai:NAME'", "the judge has no model")
		return
	}

	e, err := llm.Named(name)
	if err != nil {
		l.Fail(had["model"], "", "%v", err)
		return
	}

	if e.BaseURL, e.Key = url, key; had["url"] == nil && had["key"] == nil {
		e = e.FromEnvironment(l.env)
	}
	if f.Judge, err = judge.New(e); err != nil {
		l.Fail(n, "", "%v", err)
	}
}

func (l *loader) sessions(n *node, f *File) {
	l.Mapping(n, "sessions", keys{
		"meta_key": l.text("meta_key", &f.MetaKey),
		"idle":     l.Duration("idle", &f.Idle),
	})
}

func (l *loader) audit(n *node, f *File) {
	days := 0

	l.Mapping(n, "audit", keys{
		"retention_days": l.Number("retention_days", 1, maxDays, &days),
		"head":           l.Duration("head", &f.Audit.Head),
		"redact": func(n *node) {
			l.Entries(n, "redact", func(name string, _, v *node) {
				rule := store.Rule{Name: name}
				l.text("a pattern of redact", &rule.Pattern)(v)
				if rule.Pattern == "" {
					return
				}
				if _, err := store.NewRedactor(rule); err != nil {
					l.Fail(v, "write a regular expression as Go has them, which matches the secret", "%v", err)
				}
				f.Audit.Redact = append(f.Audit.Redact, rule)
			})
		},
	})
	f.Audit.Retention = time.Duration(days) * 24 * time.Hour
}

func (l *loader) approvals(n *node, f *File) {
	l.Mapping(n, "approvals", keys{
		"elicitation": l.Boolean("elicitation", &f.Elicit),
		"queue":       l.Boolean("queue", &f.Queue),
		"timeout":     l.Duration("timeout", &f.Limits.Approval),
		"notify":      l.Texts("notify", &f.Notify),
	})
}

func (l *loader) limits(n *node, f *File) {
	mib := 0
	l.Mapping(n, "limits", keys{
		"message_mib":    l.Number("message_mib", 1, MaxMessage, &mib),
		"depth":          l.Number("depth", 8, 1000, &f.Limits.Depth),
		"requests":       l.Number("requests", 1, 100_000, &f.Limits.Requests),
		"conversations":  l.Number("conversations", 1, 100_000, &f.Limits.Conversations),
		"calls_a_minute": l.Number("calls_a_minute", 1, 1_000_000, &f.Limits.Calls),
	})
	f.Limits.Message = mib << 20
}

func (l *loader) servers(n *node, f *File) {
	l.Entries(n, "servers", func(name string, k, v *node) {
		if !serverName(name) {
			l.Fail(k, "use letters, digits, - and _, at most 64", "%q can't be the name of a server", name)
			return
		}
		s := l.server(name, k, v)
		f.Servers = append(f.Servers, s)
	})
	if strictyaml.IsMapping(n) && len(n.Content) == 0 {
		l.Fail(n, "write at least one", "there are no servers")
	}
}

// serverName reports whether a name can be part of tools' names and file names.
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
	// Where packages are fetched through a company's proxy.
	"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "no_proxy", "all_proxy",
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
	"SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP", "PATHEXT", "PROGRAMFILES"}

func (l *loader) server(name string, k, n *node) Server {
	s := Server{Name: name, Position: l.At(k)}
	packName := ""
	had := l.Mapping(n, "the server "+name, keys{
		"command":  l.command(&s.Command),
		"env":      func(n *node) { l.pairs(n, "env", func(k, v string) { s.Env = append(s.Env, k+"="+v) }) },
		"dir":      l.path("dir", &s.Dir),
		"url":      l.expand("url", &s.URL),
		"header":   func(n *node) { l.header(n, &s) },
		"contract": l.path("contract", &s.Contract),
		"pack":     l.Text("pack", &packName),
		"mode":     l.mode("mode", &s.Mode),
		"tools":    func(n *node) { l.tools(n, &s) },
		"timeout":  l.Duration("timeout", &s.Timeout),
	})
	switch {
	case had["command"] != nil && had["url"] != nil:
		l.Fail(had["url"], "keep one of them", "the server %s has both a command and a url", name)
	case had["command"] == nil && had["url"] == nil:
		l.Fail(k, "write command: [program, argument] or url: https://…", "the server %s has neither a command nor a url", name)
	case had["url"] != nil:
		for _, only := range []string{"env", "dir"} {
			if had[only] != nil {
				l.Fail(had[only], "leave it out", "%s is for servers with a command", only)
			}
		}
		l.url(had["url"], s.URL)
	default:
		if had["header"] != nil {
			l.Fail(had["header"], "leave it out", "header is for servers with a url")
		}
		if len(s.Command) == 0 {
			l.Fail(had["command"], "write the program first", "the command of the server %s is empty", name)
		}
		for _, v := range inherited {
			if value, ok := l.env(v); ok && !slices.ContainsFunc(s.Env, func(e string) bool { return strings.HasPrefix(e, v+"=") }) {
				s.Env = append(s.Env, v+"="+value)
			}
		}
	}

	var err error
	if s.Packs, err = pack.Select(packName, s.Command); err != nil {
		advice, _ := hint.Of(err)
		l.Fail(cmp.Or(had["pack"], n), advice, "%v", err)
	}
	return s
}

// command reads the program with its arguments. A person who writes it on one line meant
// its words.
func (l *loader) command(to *[]string) func(*node) {
	return func(n *node) {
		if strictyaml.Scalar(n) {
			words := strings.Fields(n.Value)
			l.Fail(n, "write ["+strictyaml.Clip(strings.Join(words, ", "))+"]", "command must be a list of the program and its arguments")
			*to = words // the one mistake is enough
			return
		}
		l.Texts("command", to)(n)
	}
}

// url checks the address of a server. It may hold a secret, so that messages
// don't repeat it.
func (l *loader) url(n *node, s string) {
	u, err := url.Parse(s)
	web := err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
	switch {
	case s == "":
	case !web:
		l.Fail(n, "write it as https://mcp.example/mcp", "the url is not a web address")
	case u.User != nil:
		l.Fail(n, "write credentials as header: {Authorization: \"Bearer ${NAME}\"}", "the url holds credentials")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		l.Fail(n, "use https", "the url is not encrypted, and leads off this machine")
	}
}

func (l *loader) pairs(n *node, what string, add func(k, v string)) {
	l.Entries(n, what, func(name string, k, v *node) {
		var value string
		l.expand(what+" "+name, &value)(v)
		if name == "" || strings.ContainsAny(name, "=\x00\r\n") || strings.ContainsAny(value, "\x00") {
			l.Fail(k, "", "%q can't stand in %s", name, what)
			return
		}
		add(name, value)
	})
}

func (l *loader) header(n *node, s *Server) {
	s.Header = map[string]string{}
	l.pairs(n, "header", func(k, v string) {
		if strings.ContainsAny(k+v, "\r\n") || strings.ContainsAny(k, " \t:") || strings.HasPrefix(strings.ToLower(k), "mcp-") {
			l.Fail(n, "name fields such as Authorization", "the field %q can't be set", k)
			return
		}
		s.Header[k] = v
	})
}

func (l *loader) tools(n *node, s *Server) {
	s.Tools = map[string]mcp.Mode{}
	l.Entries(n, "tools", func(name string, _, v *node) {
		var m mcp.Mode
		l.mode("the mode of "+name, &m)(v)
		s.Tools[name] = m
	})
}
