package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/store"
)

// configuration is a configuration of the gateway as it is being made.
type configuration struct {
	contracts string
	// store keeps sessions and questions; empty for none.
	store     string
	servers   []configuredServer
	variables []Variable
	secrets   *secrets
}

type configuredServer struct{ name, text string }

// Variable is an environment variable that the configuration refers to.
type Variable struct {
	// Name is its name, and What says what it must be set to.
	Name, What string
	// value is known here, so that the configuration can be checked. It is never
	// shown.
	value string
}

// add adds a server. It leaves out what a configuration can't express, and returns a
// note. A mistake in the client's file is an error.
func (m *configuration) add(s *clients.Server, name string) (notes []string, mistake *contract.Error) {
	command, env := s.Command, s.Env
	if g := s.Gateway(); g != nil {
		if command = g.Command; len(command) == 0 {
			return []string{"left out: it goes through a configuration of Remit already"}, nil
		}
	}
	if s.Legacy {
		return []string{"left out: " + legacy}, nil
	}

	var b strings.Builder
	switch {
	case s.URL != "":
		address := s.URL
		if private(address) || m.secrets.in("", address) || strings.Contains(address, "${") {
			address = m.refer(name, "URL", address, fmt.Sprintf("the url of %s in the client's file", name))
		}
		fmt.Fprintf(&b, "    url: %s\n", yamlText(address))
		m.pairs(&b, "header", name, s.Header, true)
	case slices.ContainsFunc(command, func(a string) bool { return strings.Contains(a, "${") }) || strings.Contains(s.Dir, "${"):
		return []string{"left out: the client puts values in its command, and a configuration can't; with --apply Remit stands before it all the same"}, nil
	case s.EnvFile != "":
		return []string{"left out: the client reads its environment from a file; with --apply Remit stands before it all the same"}, nil
	default:
		list := make([]string, 0, len(command))
		for i, a := range command {
			before := ""
			if i > 0 {
				before = command[i-1]
			}
			afterSecretFlag := strings.HasPrefix(before, "-") && secretName().MatchString(before)
			if i > 0 && (afterSecretFlag || m.secrets.sure(a)) {
				notes = append(notes, "its command holds what looks like a secret, and so does the configuration now: give it to the server by its environment")
			}
			list = append(list, yamlText(a))
		}
		fmt.Fprintf(&b, "    command: [%s]\n", strings.Join(list, ", "))
		m.pairs(&b, "env", name, env, false)
		if s.Dir != "" {
			fmt.Fprintf(&b, "    dir: %s\n", yamlText(s.Dir))
		}
	}

	return notes, m.check(s, configuredServer{name, b.String()})
}

// addURL adds an endpoint. Its address and header fields are in variables that the
// client sets for the gateway.
func (m *configuration) addURL(s *clients.Server, name string) ([]clients.Pair, *contract.Error) {
	var b strings.Builder
	var env []clients.Pair
	carry := func(variableName, value string) string {
		m.variables = append(m.variables, Variable{Name: variableName, value: value})
		env = append(env, clients.Pair{Name: variableName, Value: value})
		return "${" + variableName + "}"
	}
	address := s.URL
	if private(address) || m.secrets.in("", address) || strings.Contains(address, "${") {
		address = carry("REMIT_URL", address)
	}

	fmt.Fprintf(&b, "    url: %s\n", yamlText(address))
	if len(s.Header) > 0 {
		b.WriteString("    header:\n")
	}
	for _, h := range s.Header {
		fmt.Fprintf(&b, "      %s: %s\n", yamlText(h.Name), yamlText(carry("REMIT_HEADER_"+variableName(h.Name), h.Value)))
	}
	return env, m.check(s, configuredServer{name, b.String()})
}

// legacy says why a server of the older transport is left out.
const legacy = "it speaks HTTP with SSE, which the gateway doesn't; write its streamable HTTP address, if it has one"

// pairs writes the environment or the header fields.
func (m *configuration) pairs(b *strings.Builder, key, server string, list []clients.Pair, header bool) {
	lines := ""
	for _, p := range list {
		value := p.Value
		what := fmt.Sprintf("%s in %s of %s in the client's file", p.Name, key, server)
		switch translated, ok := environmentOnly(value); {
		case value == "":
			continue // as good as not there
		case ok:
			value = translated
		case strings.Contains(value, "${"), m.secrets.in(p.Name, value):
			prefix := ""
			if header {
				prefix = server
			}
			value = m.refer(prefix, p.Name, value, what)
		}
		lines += fmt.Sprintf("      %s: %s\n", yamlText(p.Name), yamlText(value))
	}

	if lines != "" {
		fmt.Fprintf(b, "    %s:\n%s", key, lines)
	}
}

// refer makes a variable for a value, and returns the reference. Two values
// never share a variable.
func (m *configuration) refer(server, name, value, what string) string {
	base := variableName(name)
	if server != "" {
		base = variableName(server + "_" + name)
	}
	v := base
	for n := 2; ; n++ {
		i := slices.IndexFunc(m.variables, func(o Variable) bool { return o.Name == v })
		if i < 0 {
			m.variables = append(m.variables, Variable{v, what, value})
			break
		}
		if m.variables[i].value == value {
			break
		}
		v = fmt.Sprintf("%s_%d", base, n)
	}
	return "${" + v + "}"
}

func variableName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(s) {
		if (r < '0' || r > '9' || b.Len() == 0) && (r < 'A' || r > 'Z') {
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}

var (
	reference = pattern.OnUse(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}`)
	// inputs and folders of VS Code and Cursor look like variables.
	places = []string{"workspaceFolder", "userHome", "pathSeparator", "workspaceFolderBasename", "cwd", "file"}
)

// environmentOnly translates a value that refers to variables of the environment
// and to nothing else.
func environmentOnly(value string) (string, bool) {
	if !strings.Contains(value, "${") || strings.Contains(reference().ReplaceAllString(value, ""), "${") {
		return "", false
	}
	for _, found := range reference().FindAllStringSubmatch(value, -1) {
		if slices.Contains(places, found[1]) {
			return "", false
		}
	}
	return reference().ReplaceAllString(value, "$${$1}"), true
}

// lookup returns the environment in which the configuration will be read, as far as it is known.
func (m *configuration) lookup(name string) (string, bool) {
	for _, v := range m.variables {
		switch {
		case v.Name != name:
		case strings.Contains(v.value, "${") && strings.HasSuffix(name, "URL"):
			return "https://server.example/mcp", true
		default:
			return v.value, true
		}
	}
	if v, ok := os.LookupEnv(name); ok && v != "" {
		return v, true
	}
	return "unknown", true // set when the gateway starts, or refused then
}

// check reads a server back as the gateway will.
func (m *configuration) check(s *clients.Server, made configuredServer) *contract.Error {
	one := &configuration{contracts: m.contracts, servers: []configuredServer{made}}
	_, err := config.Load("remit.yaml", one.marshal(), m.lookup)
	if err == nil {
		m.servers = append(m.servers, made)
		return nil
	}
	message, advice := err.Error(), ""
	if mistakes, ok := err.(contract.Errors); ok && len(mistakes) > 0 {
		message, advice = mistakes[0].Message, mistakes[0].Hint
	}
	return s.Error(strings.TrimPrefix(advice+", or leave it out with --skip "+s.Name, ", or "), "the server %q can't be served: %s", s.Name, message)
}

func (m *configuration) marshal() []byte {
	var b bytes.Buffer
	contracts := m.contracts
	if contracts == "" {
		contracts = "contracts"
	}
	fmt.Fprintf(&b, "# The servers of an MCP client, as remit init found them. For all that can stand\n# here see docs/reference/gateway.md.\nversion: 1\ncontracts: %s\n", yamlText(contracts))
	if m.store != "" {
		fmt.Fprintf(&b, "store: %s\n# Questions go by way of a client that shows forms, or else wait for remit approvals.\napprovals: {elicitation: true, queue: true}\n", yamlText(m.store))
	}
	b.WriteString("servers:\n")
	for _, s := range m.servers {
		fmt.Fprintf(&b, "  %s:\n%s", yamlText(s.name), s.text)
	}
	return b.Bytes()
}

// save writes the configuration after it was read back. One that is there is
// never overwritten; one that serves the same servers is as good.
func (m *configuration) save(name string) (kept bool, err error) {
	data := m.marshal()
	if _, err := config.Load(name, data, m.lookup); err != nil {
		return false, err
	}
	old, f, err := existingConfig(name, m.lookup)
	switch {
	case err != nil:
		return false, err
	case old != nil && (bytes.Equal(old, data) || m.within(f)):
		return true, nil
	case old != nil:
		return false, hint.Wrap(fmt.Errorf("%s: the file is there, and doesn't serve all of these servers", name), "move it away, or write to another file with --out")
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return false, err
	}
	// Addresses and commands can hold secrets that don't look like any.
	return false, CreateFile(name, data, 0o600)
}

// within reports whether a configuration has all the servers, with any settings.
func (m *configuration) within(f *config.File) bool {
	made, err := config.Load("remit.yaml", m.marshal(), m.lookup)
	if err != nil {
		return false
	}
	for _, s := range made.Servers {
		if !slices.ContainsFunc(f.Servers, func(o config.Server) bool {
			return o.Name == s.Name && o.URL == s.URL && slices.Equal(o.Command, s.Command)
		}) {
			return false
		}
	}
	return true
}

// private reports whether an address has parts in which secrets are given.
func private(address string) bool {
	u, err := url.Parse(address)
	return err != nil || u.RawQuery != "" || u.Fragment != ""
}

// secrets finds values that look like secrets. A value that only looks like one
// costs a variable; a missed one would be copied into a file.
type secrets struct{ shapes *store.Redactor }

func newSecrets() *secrets {
	r, err := store.NewRedactor(store.DefaultRules()...)
	if err != nil {
		return &secrets{}
	}
	return &secrets{r}
}

var secretName = pattern.OnUse(`(?i)token|secret|passw|passphrase|passwd|pwd|key|cred|auth|cookie|dsn|private|session|bearer|signature|_pat$|^pat$|connection|database_ur`)

// sure reports whether a text has the shape of a secret.
func (s *secrets) sure(value string) bool {
	return s.shapes == nil || s.shapes.Text(value) != value
}

// in reports whether the value of a name looks like a secret.
func (s *secrets) in(name, value string) bool {
	if s.sure(value) || secretName().MatchString(name) {
		return true
	}
	const long = 20
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(" /\\:.,;=@?&", r) }) {
		if len(word) >= long && strings.ContainsAny(word, "0123456789") && strings.ContainsAny(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz") {
			return true
		}
	}
	return false
}

var plainText = pattern.OnUse(`^-{0,2}[A-Za-z/.][A-Za-z0-9_./@=+-]*$`)

// yamlText writes a text so that YAML reads it as such.
func yamlText(s string) string {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf":
	default:
		if plainText().MatchString(s) {
			return s
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return `""` // a string always has a form
	}
	return strings.ReplaceAll(string(data), "\x7f", `\u007f`)
}

// existingConfig reads a configuration that is there already; nil when there is none.
func existingConfig(name string, lookup func(string) (string, bool)) ([]byte, *config.File, error) {
	data, err := inputs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := config.Load(name, data, lookup)
	return data, f, err
}
