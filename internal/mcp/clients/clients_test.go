package clients_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/mcp/clients"
)

func every(*clients.Server) bool { return true }

func wrap(s *clients.Server) *clients.Wrapping {
	if s.URL != "" {
		w := &clients.Wrapping{Program: "/usr/bin/remit", Args: []string{"gateway", "--config", "/etc/" + s.Name + ".yaml"}}
		for _, h := range s.Header {
			w.Env = append(w.Env, clients.Pair{Name: "H_" + h.Name, Value: h.Value})
		}
		return w
	}
	return &clients.Wrapping{Program: "/usr/bin/remit", Args: []string{"gateway", "--name", s.Name, "--contracts", "/c"}}
}

// What goes in comes out again, byte by byte, whatever the file looks like; a
// second time changes nothing.
func TestRoundTrip(t *testing.T) {
	for name, text := range map[string]string{
		"one line":       `{"mcpServers":{"a":{"command":"x","args":["y"]}}}`,
		"no arguments":   `{"mcpServers":{"a":{"command":"x"}}}`,
		"empty":          `{"mcpServers":{"a":{"args":[ ],"command":"x"}}}`,
		"args first":     `{"mcpServers":{"a":{"args":["y", "z"],"command":"x","env":{"K":"v"}}}}`,
		"tabs and CRLF":  "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"y\"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n",
		"comments":       "\ufeff// one\n{\"servers\": {/* two */ \"a\" /**/ : {\"command\" : /* three */ \"x\", \"args\": [ // four\n \"y\", /* five */ \"z\", ], }, }, \"inputs\": []}",
		"escapes":        `{"mcpServers":{"a":{"command":"C:\\x\u002f\"y\"","args":["--","\ud83d\ude00"]}}}`,
		"an endpoint":    `{"servers":{"a":{"type":"http","url":"https://a.example","headers":{"K":"v"},"more":[1.50,{"x":null}]}}}`,
		"headers last":   `{"servers":{"a":{"url":"https://a.example","headers":{}}}}`,
		"headers first":  `{"servers":{"a":{"headers":{},"url":"https://a.example"}}}`,
		"no headers":     `{"servers":{"a":{"url":"https://a.example"}}}`,
		"projects":       `{"n":12345678901234567890,"projects":{"/p":{"mcpServers":{"a":{"command":"x"}},"q":1}},"mcpServers":{"a":{"command":"y"}}}`,
		"older VS Code":  `{"editor.fontSize":12,"mcp":{"servers":{"a":{"command":"x"}}}}`,
		"several a line": `{"mcpServers":{"a":{"command":"x"},"b":{"command":"x","args":["b"]},"c":{"url":"https://c.example"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			f, err := clients.Parse("mcp.json", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			wrapped, err := f.Wrap(wrap)
			if err != nil {
				t.Fatal(err)
			}
			again, err := clients.Parse("mcp.json", wrapped)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range again.Servers {
				g := s.Gateway()
				if g == nil {
					t.Fatalf("%s is not behind the gateway: %s", s.Name, wrapped)
				}
				if f.Servers[i].URL == "" {
					if d := cmp.Diff(f.Servers[i].Command, g.Command); d != "" {
						t.Error(d)
					}
				}
			}
			if twice, err := again.Wrap(wrap); err != nil || !bytes.Equal(twice, wrapped) {
				t.Errorf("a second time made %s, %v", twice, err)
			}
			back, stay, err := again.Unwrap(every, []byte(text))
			if err != nil || string(back) != text || len(stay) > 0 {
				t.Errorf("got back %s, %v", back, err)
			}
		})
	}
}

// Without an earlier form of the file, a command is restored all the same; what an endpoint was
// is unknown, so it stays.
func TestWithoutBackup(t *testing.T) {
	const text = `{"mcpServers":{"a":{"command":"x", "args": ["y"]},"b":{"url":"https://b.example"}}}`
	f, err := clients.Parse("mcp.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	wrapped, err := f.Wrap(wrap)
	if err != nil {
		t.Fatal(err)
	}
	again, err := clients.Parse("mcp.json", wrapped)
	if err != nil {
		t.Fatal(err)
	}
	back, stay, err := again.Unwrap(every)
	if err != nil || len(stay) != 1 || stay[0].Name != "b" {
		t.Fatalf("%v stay, %v", stay, err)
	}
	if !strings.Contains(string(back), `"a":{"command":"x", "args": ["y"]}`) {
		t.Errorf("got back %s", back)
	}
}

// What a person changed behind the gateway stays.
func TestEditedMeanwhile(t *testing.T) {
	const text = `{"mcpServers":{"a":{"command":"remit","args":["gateway","--name","a","--shadow","--","x","y"],"new":1}}}`
	f, err := clients.Parse("mcp.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := f.Unwrap(every, []byte(`{"mcpServers":{"a":{"command":"x"}}}`))
	if want := `{"mcpServers":{"a":{"command":"x","args":["y"],"new":1}}}`; err != nil || string(back) != want {
		t.Errorf("got %s, %v, want %s", back, err, want)
	}
}

// What isn't understood is refused with its place, and with what to write.
func TestMistakes(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nothing":            {"", "mcp.json:1:1: there is no value"},
		"no object":          {"[]", "mcp.json:1:1: the file holds no object"},
		"more":               {"{}\n{}", "mcp.json:2:1: something follows the value"},
		"a name twice":       {"{\"mcpServers\":{\"a\":{\"command\":\"x\"},\n\"a\":{\"command\":\"y\"}}}", `mcp.json:2:1: in "/mcpServers/a": the member name "a" appears twice`},
		"no comma":           {`{"a":1 "b":2}`, `mcp.json:1:8: invalid character '"' after object value (expecting ',' or '}')`},
		"single quotes":      {`{'a':1}`, "write a member name in double quotes"},
		"a comment's end":    {`{/* }`, "mcp.json:1:2: a comment has no end"},
		"a text's end":       {`{"a": "b`, `mcp.json:1:9: in "/a": the text ends too early`},
		"a word":             {`{"a": yes}`, `mcp.json:1:7: in "/a": invalid character 'y' at start of value`},
		"not UTF-8":          {"{\"\xff\":1}", "not UTF-8"},
		"servers as a list":  {`{"mcpServers":[]}`, "mcp.json:1:15: mcpServers must be an object"},
		"a server as text":   {`{"mcpServers":{"a":"x"}}`, `the server "a" must be an object`},
		"neither":            {`{"mcpServers":{"a":{}}}`, `mcp.json:1:20: the server "a" has neither a command nor a url`},
		"both":               {`{"mcpServers":{"a":{"command":"x","url":"https://x.example"}}}`, "both a command and a url"},
		"an unknown type":    {`{"mcpServers":{"a":{"type":"ws","url":"https://x.example"}}}`, `has the type "ws", which is not known`},
		"a wrong type":       {`{"mcpServers":{"a":{"type":"http","command":"x"}}}`, "a type that doesn't fit"},
		"arguments as text":  {`{"mcpServers":{"a":{"command":"x","args":"y"}}}`, "must be a list of texts"},
		"a number as one":    {`{"mcpServers":{"a":{"command":"x","args":[1]}}}`, "mcp.json:1:43: args of"},
		"a command as list":  {`{"mcpServers":{"a":{"command":["x"]}}}`, "command must be text"},
		"an object in env":   {`{"mcpServers":{"a":{"command":"x","env":{"K":{}}}}}`, "K of env must be text"},
		"nested beyond sane": {strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300), "nested more than 200 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clients.Parse("mcp.json", []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestGateway(t *testing.T) {
	for text, want := range map[string]bool{
		`"command":"remit","args":["gateway","--","x"]`:                                   true,
		`"command":"C:\\Program Files\\remit.exe","args":["gateway","--config","r.yaml"]`: true,
		`"command":"remit","args":["version"]`:                                            false,
		`"command":"remit-not","args":["gateway"]`:                                        false,
		`"command":"x","args":["remit","gateway"]`:                                        false,
	} {
		f, err := clients.Parse("mcp.json", []byte(`{"mcpServers":{"a":{`+text+`}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Servers[0].Gateway() != nil; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	f, err := clients.Parse("mcp.json", []byte(`{"mcpServers":{"a":{"command":"remit","args":["gateway","--shadow","--name=n","--store","s.db","--","x","--name","y"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	g := f.Servers[0].Gateway()
	if g.Flag("--shadow") != "true" || g.Flag("--name") != "n" || g.Flag("--store") != "s.db" || g.Flag("--queue") != "" || !cmp.Equal(g.Command, []string{"x", "--name", "y"}) {
		t.Errorf("%+v", g)
	}
}

// Who is at home has one file of a client, and not the same one as a project's besides.
func TestPlacesAtHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	list, err := clients.Places(clients.Cursor, home)
	if want := []string{filepath.Join(home, ".cursor", "mcp.json")}; err != nil || !cmp.Equal(list, want) {
		t.Errorf("got %v, %v, want %v", list, err, want)
	}
}

func TestPlaces(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	t.Setenv("XDG_CONFIG_HOME", "/home/ann/.config")
	for _, c := range clients.Clients() {
		list, err := clients.Places(c, "/project")
		if err != nil || len(list) == 0 || !filepath.IsAbs(list[0]) && os.PathSeparator == '/' {
			t.Errorf("%s: %q, %v", c, list, err)
		}
	}
	if _, err := clients.Places("emacs", "/project"); err == nil {
		t.Error("an unknown client has places")
	}
}

// Whatever the file is: what is put in can be taken out.
func FuzzRoundTrip(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x","args":["y",/**/]}}}`)
	f.Add(`{"servers":{"a":{"url":"https://x.example","headers":{"K":"v"}},"b":{"command":"x"}}}// end`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := clients.Parse("mcp.json", []byte(text))
		if err != nil {
			return
		}
		for _, s := range c.Servers {
			if s.Gateway() != nil {
				return
			}
		}
		wrapped, err := c.Wrap(wrap)
		if err != nil {
			return
		}
		again, err := clients.Parse("mcp.json", wrapped)
		if err != nil {
			t.Fatalf("%v: %s", err, wrapped)
		}
		if back, stay, err := again.Unwrap(every, []byte(text)); err != nil || len(stay) > 0 || string(back) != text {
			t.Fatalf("%q became %q, %v, by way of %q", text, back, err, wrapped)
		}
	})
}
