package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/llm/llmtest"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

const full = `version: 1
listen:
  address: 0.0.0.0:7676
  token: ${TOKEN}
  hosts: [gate.example]
  origins: [https://console.example]
  tls: {cert: gate.pem, key: /etc/gate.key, client_ca: ca.pem}
sessions: {meta_key: example.com/conversation, idle: 10m}
contracts: contracts
store: state/remit.db
audit: {retention_days: 90, head: 1h, redact: {customer: 'C-[0-9]{8}'}}
mode: shadow
names: always
approvals: {elicitation: true, queue: true, timeout: 2m}
limits: {message_mib: 4, depth: 32, requests: 16, conversations: 8, calls_a_minute: 90}
precision: L2
sinks: deny
unprovoked: off
servers:
  files:
    command: [npx, -y, server-filesystem, /srv]
    env: {KEY: "k-${SECRET}-k"}
    dir: work
    mode: enforce
    tools: {read_file: shadow}
    timeout: 30s
    contract: /etc/files.yaml
  web:
    url: https://mcp.example/mcp
    header: {Authorization: "Bearer ${SECRET}"}
`

func TestLoad(t *testing.T) {
	got, err := config.Load(filepath.Join("etc", "remit.yaml"), []byte(full), environment("TOKEN", "0123456789012345678901", "SECRET", "s", "PATH", "/bin", "OTHER", "x"))
	if err != nil {
		t.Fatal(err)
	}
	want := &config.File{
		Listen: &config.Listen{Address: "0.0.0.0:7676", Token: "0123456789012345678901", Hosts: []string{"gate.example"}, Origins: []string{"https://console.example"},
			TLS: &access.TLSFiles{Cert: filepath.Join("etc", "gate.pem"), Key: "/etc/gate.key", ClientCA: filepath.Join("etc", "ca.pem")}},
		MetaKey: "example.com/conversation", Idle: 10 * time.Minute, Contracts: filepath.Join("etc", "contracts"), Store: filepath.Join("etc", "state", "remit.db"), Queue: true,
		Audit: config.Audit{Retention: 90 * 24 * time.Hour, Head: time.Hour, Redact: []store.Rule{{Name: "customer", Pattern: "C-[0-9]{8}"}}},
		Mode:  mcp.Shadow, Namespace: true, Elicit: true,
		Limits:    mcp.Limits{Message: 4 << 20, Depth: 32, Requests: 16, Conversations: 8, Calls: 90, Approval: 2 * time.Minute},
		Precision: label.L2, Sinks: contract.Deny, Unprovoked: contract.Off,
		Servers: []config.Server{
			{Name: "files", Command: []string{"npx", "-y", "server-filesystem", "/srv"}, Env: []string{"KEY=k-s-k", "PATH=/bin"}, Dir: filepath.Join("etc", "work"),
				Contract: "/etc/files.yaml", Mode: mcp.Enforce, Tools: map[string]mcp.Mode{"read_file": mcp.Shadow}, Timeout: 30 * time.Second},
			{Name: "web", URL: "https://mcp.example/mcp", Header: map[string]string{"Authorization": "Bearer s"}},
		},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(store.Rule{}), cmpopts.IgnoreTypes(strictyaml.Position{})); d != "" {
		t.Error(d)
	}
}

// Paths below ~ are below the person's home, and what a company's network asks of
// every program reaches the servers.
func TestSurroundings(t *testing.T) {
	f, err := config.Load("remit.yaml", []byte("version: 1\ncontracts: ~/c\nstore: ~/s.db\npolicies: ~/p\nservers: {a: {command: [x], dir: ~/d, env: {NO_PROXY: own}}}"),
		environment("HOME", "/home/ann", "HTTPS_PROXY", "http://proxy.corp.example:3128", "NO_PROXY", "corp.example", "NODE_EXTRA_CA_CERTS", "/etc/ca.pem", "SECRET", "x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/home/ann/c", "/home/ann/s.db", "/home/ann/p", "/home/ann/d"}
	if d := cmp.Diff(want, []string{f.Contracts, f.Store, f.Policies, f.Servers[0].Dir}); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"NO_PROXY=own", "HOME=/home/ann", "HTTPS_PROXY=http://proxy.corp.example:3128", "NODE_EXTRA_CA_CERTS=/etc/ca.pem"}, f.Servers[0].Env); d != "" {
		t.Error(d)
	}
}

// Where the file names no store, the variable that all programs of Remit read does.
func TestStoreOfTheEnvironment(t *testing.T) {
	for name, test := range map[string]struct{ line, variable, want string }{
		"in both":            {"store: s.db", "/srv/remit.db", "s.db"},
		"in the environment": {"approvals: {queue: true}", "/srv/remit.db", "/srv/remit.db"},
		"in neither":         {"names: clash", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := config.Load("remit.yaml", []byte("version: 1\n"+test.line+"\nservers: {a: {command: [x]}}"), environment("REMIT_STORE", test.variable))
			if err != nil {
				t.Fatal(err)
			}
			if f.Store != test.want {
				t.Errorf("the store is %q", f.Store)
			}
		})
	}
}

// Every mistake is reported, with its place and with what to write instead.
func TestMistakes(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nothing":          {"", "remit.yaml: the file is empty; write 'version: 1' and 'servers:'"},
		"no YAML":          {"version: [", "remit.yaml:2:1: not readable as YAML"},
		"no version":       {"servers: {a: {command: [x]}}", "remit.yaml:1:1: the version is missing; write 'version: 1' first"},
		"another version":  {"version: 2\nservers: {a: {command: [x]}}", `remit.yaml:1:10: version "2" is not known`},
		"no servers":       {"version: 1", "remit.yaml:1:1: there are no servers"},
		"empty servers":    {"version: 1\nservers: {}", "remit.yaml:2:10: there are no servers"},
		"unknown key":      {"version: 1\nserver: {}\nservers: {a: {command: [x]}}", `remit.yaml:2:1: the configuration has no key "server"; did you mean servers?`},
		"a key twice":      {"version: 1\nmode: shadow\nmode: enforce\nservers: {a: {command: [x]}}", "remit.yaml:"},
		"a server's name":  {"version: 1\nservers:\n  a b: {command: [x]}", `remit.yaml:3:3: "a b" can't be the name of a server`},
		"a separator":      {"version: 1\nservers:\n  a__b: {command: [x]}", `"a__b" can't be the name of a server`},
		"neither":          {"version: 1\nservers:\n  a: {mode: shadow}", "remit.yaml:3:3: the server a has neither a command nor a url"},
		"both":             {"version: 1\nservers:\n  a: {command: [x], url: 'https://x.example'}", "remit.yaml:3:26: the server a has both a command and a url"},
		"no mode":          {"version: 1\nservers:\n  a: {command: [x], mode: off}", "remit.yaml:3:27: mode can't be \"off\"; write enforce or shadow"},
		"no variable":      {"version: 1\nservers:\n  a: {command: [x], env: {K: \"${NONE}\"}}", "remit.yaml:3:30: env K needs the environment variable NONE, which is not set"},
		"no end":           {"version: 1\nservers:\n  a: {command: [x], env: {K: \"${NONE\"}}", "a reference without an end"},
		"no web address":   {"version: 1\nservers:\n  a: {url: 'ftp://x'}", "remit.yaml:3:12: the url is not a web address"},
		"not encrypted":    {"version: 1\nservers:\n  a: {url: 'http://x.example/mcp'}", "not encrypted"},
		"credentials":      {"version: 1\nservers:\n  a: {url: 'https://u:p@x.example/mcp'}", "the url holds credentials; write credentials as header"},
		"MCP's own fields": {"version: 1\nservers:\n  a: {url: 'https://x.example', header: {Mcp-Session-Id: x}}", `the field "Mcp-Session-Id" can't be set`},
		"open to all":      {"version: 1\nlisten: {address: '0.0.0.0:80'}\nservers: {a: {command: [x]}}", "remit.yaml:2:19: the address \"0.0.0.0:80\" can be reached from outside"},
		"open by default":  {"version: 1\nlisten: {address: ':80'}\nservers: {a: {command: [x]}}", "can be reached from outside"},
		"a weak token":     {"version: 1\nlisten: {address: '0.0.0.0:80', token: x}\nservers: {a: {command: [x]}}", "the token has less than 22 characters"},
		"two tokens":       {"version: 1\nlisten: {address: 'localhost:1', token: 0123456789012345678901, oauth: {issuer: 'https://i.example', resource: 'https://r.example'}}\nservers: {a: {command: [x]}}", "keep one of them"},
		"no issuer":        {"version: 1\nlisten: {address: 'localhost:1', oauth: {resource: 'https://r.example'}}\nservers: {a: {command: [x]}}", "remit.yaml:2:41: oauth needs the issuer"},
		"a plain issuer":   {"version: 1\nlisten: {address: 'localhost:1', oauth: {issuer: 'http://i.example', resource: 'https://r.example'}}\nservers: {a: {command: [x]}}", "not encrypted"},
		"no scope":         {"version: 1\nlisten: {address: 'localhost:1', oauth: {issuer: 'https://i.example', resource: 'https://r.example', scopes: ['a b']}}\nservers: {a: {command: [x]}}", `"a b" is not a scope`},
		"no key":           {"version: 1\nlisten: {address: 'localhost:1', tls: {cert: x}}\nservers: {a: {command: [x]}}", "tls needs a certificate and its key"},
		"TLS for anybody":  {"version: 1\nlisten: {address: '0.0.0.0:1', tls: {cert: x, key: y}}\nservers: {a: {command: [x]}}", "can be reached from outside"},
		"no port":          {"version: 1\nlisten: {address: localhost}\nservers: {a: {command: [x]}}", "write host:port"},
		"no origin":        {"version: 1\nlisten: {address: 'localhost:1', origins: ['*']}\nservers: {a: {command: [x]}}", `"*" is not an origin`},
		"sessions, stdio":  {"version: 1\nsessions: {idle: 1m}\nservers: {a: {command: [x]}}", "remit.yaml:2:11: sessions is about clients over HTTP"},
		"a queue nowhere":  {"version: 1\napprovals: {queue: true}\nservers: {a: {command: [x]}}", "remit.yaml:2:12: approvals.queue needs a store"},
		"audit, no store":  {"version: 1\naudit: {head: 1h}\nservers: {a: {command: [x]}}", "remit.yaml:2:8: audit is about the log in a store, and there is none; write 'store: remit.db' as well"},
		"no retention":     {"version: 1\nstore: x\naudit: {retention_days: 0}\nservers: {a: {command: [x]}}", "remit.yaml:3:25: retention_days is out of bounds"},
		"no pattern":       {"version: 1\nstore: x\naudit: {redact: {a: '('}}\nservers: {a: {command: [x]}}", `remit.yaml:3:21: redaction rule "a": error parsing regexp`},
		"a pattern of all": {"version: 1\nstore: x\naudit: {redact: {a: '.*'}}\nservers: {a: {command: [x]}}", "matches the empty text"},
		"no time":          {"version: 1\nservers:\n  a: {command: [x], timeout: 5}", "remit.yaml:3:30: timeout must be a time; write it as 30s, 5m or 1h"},
		"out of bounds":    {"version: 1\nlimits: {message_mib: 0}\nservers: {a: {command: [x]}}", "write a number from 1 to 256"},
		"no precision":     {"version: 1\nprecision: L9\nservers: {a: {command: [x]}}", `remit.yaml:2:12: unknown precision "L9"; did you mean L0?`},
		"an alias":         {"version: 1\nservers:\n  a: &x {command: [y]}\n  b: *x", "remit.yaml:4:6: aliases are not supported"},
		"a judge of what":  {"version: 1\npolicies: p\njudge: {}\nservers: {a: {command: [x]}}", "remit.yaml:3:8: the judge has no model; write 'model: anthropic:NAME'"},
		"no judge":         {"version: 1\npolicies: p\njudge: {model: 'openai:'}\nservers: {a: {command: [x]}}", "remit.yaml:3:16: no model is named: write openai:NAME or anthropic:NAME"},
		"a judge, no key":  {"version: 1\npolicies: p\njudge: {model: 'openai:m'}\nservers: {a: {command: [x]}}", "remit.yaml:3:8: the judge: there is no key for openai m: set OPENAI_API_KEY"},
		"a judge, no web":  {"version: 1\npolicies: p\njudge: {model: 'openai:m', url: here}\nservers: {a: {command: [x]}}", "remit.yaml:3:8: the judge: model m: the base URL is not one"},
		"a judge alone":    {"version: 1\njudge: {model: 'openai:m', url: 'http://localhost:1/v1'}\nservers: {a: {command: [x]}}", "remit.yaml:2:8: the judge is asked by rules, and there are none"},
		"no list":          {"version: 1\nservers:\n  a: {command: x y}", "command must be a list of the program and its arguments; write [x, y]"},
		"no path":          {"version: 1\ncontracts: 5\nservers: {a: {command: [x]}}", "remit.yaml:2:12: contracts must be a path, not 5"},
		"no home":          {"version: 1\ncontracts: ~/c\nservers: {a: {command: [x]}}", "remit.yaml:2:12: contracts is below the home directory, and nobody says where that is"},
		"another's home":   {"version: 1\ncontracts: ~ann/c\nservers: {a: {command: [x]}}", "remit.yaml:2:12: contracts is in the home of somebody else"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := config.Load("remit.yaml", []byte(test.text), environment())
			if err == nil || f != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want %q", f, err, test.want)
			}
		})
	}
}

// TestJudge: the address and the key of a judge are those of its provider's variables,
// unless the file has one of them: a key of the provider's doesn't go elsewhere.
func TestJudge(t *testing.T) {
	const head, tail = "version: 1\npolicies: p\njudge: ", "\nservers: {a: {command: [x]}}"
	s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
		return llmtest.Reply{JSON: map[string]any{"entry": 1, "evidence": "yes", "answer": "yes"}}
	})
	for name, c := range map[string]struct {
		judge string
		env   []string
		right bool
	}{
		"from the environment": {"{model: 'anthropic:m'}", []string{"ANTHROPIC_BASE_URL", s.URL(), "ANTHROPIC_API_KEY", llmtest.Key}, true},
		"in the file":          {"{model: 'openai:m', url: '${URL}/v1', key: '${KEY}'}", []string{"URL", s.URL(), "KEY", llmtest.Key, "OPENAI_API_KEY", "other"}, true},
		"elsewhere":            {"{model: 'openai:m', url: '${URL}/v1'}", []string{"URL", s.URL(), "OPENAI_API_KEY", llmtest.Key}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := config.Load("remit.yaml", []byte(head+c.judge+tail), environment(c.env...))
			if err != nil {
				t.Fatal(err)
			}
			if name := f.Judge.String(); !strings.HasSuffix(name, " at "+s.URL()) && !strings.HasSuffix(name, " at "+s.URL()+"/v1") {
				t.Errorf("it is %s", name)
			}
			yes, _, err := f.Judge.Judge(t.Context(), guard.Question{Text: "Is it so?"}, &guard.History{Entries: []guard.Entry{{Kind: guard.UserEntry, Text: "yes"}}})
			if yes != c.right || (err == nil) != c.right {
				t.Errorf("got %v, %v", yes, err)
			}
		})
	}
}

// Two mistakes are two messages, in the order of the file.
func TestAllMistakes(t *testing.T) {
	_, err := config.Load("remit.yaml", []byte("version: 1\nservers:\n  a: {mode: x}\n  b: {url: nowhere}\n"), environment())
	var errs strictyaml.Errors
	if !errors.As(err, &errs) || len(errs) != 3 || !slices.IsSortedFunc(errs, func(a, b *strictyaml.Error) int { return a.Position.Line - b.Position.Line }) {
		t.Errorf("got %v", err)
	}
}

// A secret can be in a file, as containers and services have them.
func TestSecretsInFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"key": "s3cr3t\n", "empty": "\n", "binary": "\xff", "long": strings.Repeat("x", 1<<17)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct{ reference, want string }{
		"beside the configuration": {"k-${file:key}", ""},
		"by its whole path":        {"k-${file:" + filepath.ToSlash(filepath.Join(dir, "key")) + "}", ""},
		"below the home":           {"k-${file:~/key}", ""},
		"one that isn't there":     {"${file:none}", "can't be read"},
		"a directory":              {"${file:.}", "is not a file"},
		"an empty one":             {"${file:empty}", "empty or no text"},
		"no text":                  {"${file:binary}", "empty or no text"},
		"a long one":               {"${file:long}", "more than 64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "version: 1\nservers:\n  a: {command: [x], env: {K: \"" + test.reference + "\"}}"
			f, err := config.Load(filepath.Join(dir, "remit.yaml"), []byte(text), environment("HOME", dir))
			switch {
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %s", err, test.want)
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "" && !slices.Contains(f.Servers[0].Env, "K=k-s3cr3t"):
				t.Errorf("the environment is %q", f.Servers[0].Env)
			}
		})
	}
}

// Secrets are in no message.
func TestSecretsStaySecret(t *testing.T) {
	_, err := config.Load("remit.yaml", []byte("version: 1\nlisten: {address: '0.0.0.0:1', token: '${T}'}\nservers:\n  a: {url: '${U}', header: {X: \"${T}\\n\"}}"),
		environment("T", "s3cr3t", "U", "http://host.example/s3cr3t"))
	if err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("got %v", err)
	}
}

// FuzzLoad: no text makes the reader panic, and what it accepts is usable.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("version: 1\nservers: {a: {command: [x], env: {K: \"${A}${B}\"}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Load("remit.yaml", data, os.LookupEnv)
		if (c == nil) == (err == nil) {
			t.Fatalf("got %v, %v", c, err)
		}
		if err != nil {
			return
		}
		for _, s := range c.Servers {
			if s.Name == "" || (len(s.Command) == 0) == (s.URL == "") {
				t.Fatalf("accepted %+v", s)
			}
		}
	})
}
