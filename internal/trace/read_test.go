package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

func readAll(t *testing.T, r io.Reader) ([]*Session, error) {
	t.Helper()
	var out []*Session
	for s, err := range Read(r) {
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
}

const oneSession = `{"id":"a","tools":[{"name":"t"}],"messages":[` +
	`{"role":"developer","content":"be brief"},` +
	`{"role":"user","content":[{"type":"text","text":"look"},{"type":"attachment","name":"n.txt","text":"note"},{"type":"image_url","image_url":{"url":"data:"}}]},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"t","arguments":"{\"q\":1}"}},{"id":"c2","function":{"name":"t","arguments":{"q":2}}}]},` +
	`{"role":"tool","tool_call_id":"c1","content":"found","structured":{"n":1.0}}]}`

func TestReadUnderstandsTheChatForm(t *testing.T) {
	sessions, err := readAll(t, strings.NewReader(oneSession))
	if err != nil || len(sessions) != 1 {
		t.Fatalf("Read = %d sessions, %v", len(sessions), err)
	}
	m := sessions[0].Messages
	if m[0].Role != System || m[0].Text != "be brief" {
		t.Errorf("a developer message is read as system: got %+v", m[0])
	}
	if m[1].Text != "look" || len(m[1].Attachments) != 2 || m[1].Attachments[0].Text != "note" {
		t.Errorf("parts of a user message: got %+v", m[1])
	}
	if !strings.Contains(m[1].Attachments[1].Text, "not read") {
		t.Errorf("a picture is kept as unread material: got %+v", m[1].Attachments[1])
	}
	if got := string(m[2].Calls[0].Arguments); got != `{"q":1}` {
		t.Errorf("arguments as a string: got %s", got)
	}
	if got := string(m[2].Calls[1].Arguments); got != `{"q":2}` {
		t.Errorf("arguments as an object: got %s", got)
	}
	if m[3].CallID != "c1" || string(m[3].Structured) != `{"n":1.0}` {
		t.Errorf("a result keeps number text exactly: got %+v", m[3])
	}
}

func TestReadTakesLinesDocumentsAndGzip(t *testing.T) {
	pretty := strings.ReplaceAll(oneSession, ",{", ",\n{")
	both := oneSession + "\n\n" + pretty + "\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(z, both); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{"plain": strings.NewReader(both), "gzip": &zipped} {
		sessions, err := readAll(t, r)
		if err != nil || len(sessions) != 2 {
			t.Fatalf("%s: Read = %d sessions, %v", name, len(sessions), err)
		}
		if sessions[1].Line != 3 || sessions[1].Messages[1].Line != 4 {
			t.Errorf("%s: lines are those of the file: session %d, message %d", name, sessions[1].Line, sessions[1].Messages[1].Line)
		}
	}
}

// What is not understood is refused, on its line, with what to write instead.
func TestReadRefuses(t *testing.T) {
	message := func(m string) string { return "{\"messages\":[\n" + m + "]}" }
	for name, test := range map[string]struct {
		source string
		line   int
		want   string
	}{
		"a list":                {`[1]`, 1, "starts with '{'"},
		"a cut file":            {"\n{\"id\":\"a\"", 2, "not complete"},
		"an open string":        {"{\"id\":\"a\n\"}", 1, "not closed"},
		"a time of day":         {`{"time":"noon","messages":[]}`, 1, "not a time"},
		"no messages":           {`{"id":"a"}`, 1, `no "messages"`},
		"misspelt case":         {message(`{"role":"user","Content":"x"}`), 2, `no "content"`},
		"two contents":          {message(`{"role":"user","content":"x","content":"y"}`), 2, "content"},
		"unknown role":          {message(`{"role":"owner","content":"x"}`), 2, "unknown role"},
		"old function call":     {message(`{"role":"assistant","function_call":{"name":"t"}}`), 2, "tool_calls"},
		"foreign parts":         {message(`{"role":"system","content":"x"},{"role":"user","content":[{"type":"tool_result"}]}`), 2, `role "tool"`},
		"unknown part":          {message(`{"role":"user","content":[{"type":"hologram"}]}`), 2, "hologram"},
		"a result of nothing":   {message(`{"role":"tool","tool_call_id":"c9","content":"x"}`), 2, "no call before"},
		"a user who calls":      {message(`{"role":"user","content":"","tool_calls":[{"id":"c","function":{"name":"t"}}]}`), 2, "only assistant"},
		"a call without a name": {message(`{"role":"assistant","tool_calls":[{"id":"c","function":{}}]}`), 2, "no id or no name"},
		"a repeated call id": {message(`{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"t"}},` +
			`{"id":"c","function":{"name":"t"}}]}`), 2, "used twice"},
		"not gzip": {"\x1f\x8bxx", 0, "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(t, strings.NewReader(test.source))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error = %v, want %q in it", err, test.want)
			}
			var e *Error
			if test.line != 0 && (!errors.As(err, &e) || e.Line != test.line) {
				t.Errorf("error = %v, want line %d", err, test.line)
			}
		})
	}
}

func TestReadIsBounded(t *testing.T) {
	s := splitter{in: mustPlain(t, strings.NewReader(`{"id":"`+strings.Repeat("a", 200)+`"}`)), line: 1, max: 100}
	if _, _, err := s.next(); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("error = %v, want a refusal of the size", err)
	}
	deep := `{"messages":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `}`
	if _, err := readAll(t, strings.NewReader(deep)); err == nil {
		t.Error("a session nested too deeply was accepted")
	}
}

func TestReadStopsWhenTheCallerDoes(t *testing.T) {
	n := 0
	for range Read(strings.NewReader(oneSession + oneSession)) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d sessions were yielded", n)
	}
}

func mustPlain(t *testing.T, r io.Reader) *bufio.Reader {
	t.Helper()
	in, err := plain(r)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Whatever the source, reading ends, and what is accepted hangs together.
func FuzzRead(f *testing.F) {
	f.Add([]byte(oneSession))
	f.Add([]byte("{\"messages\":[\n{\"role\":\"user\",\"content\":\"x\"}]}\n{}"))
	f.Add([]byte("\x1f\x8b"))
	f.Add([]byte(`[{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}}]`))
	f.Add([]byte(`{"input":[{"type":"function_call","call_id":"c","name":"n","arguments":"{"}]}`))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"[{}]"}}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for s, err := range Read(bytes.NewReader(data)) {
			if err != nil {
				return
			}
			known := map[string]bool{}
			for _, m := range s.Messages {
				for _, c := range m.Calls {
					known[c.ID] = true
				}
				if m.Role == Tool && !known[m.CallID] {
					t.Fatalf("a result of the unknown call %q was accepted", m.CallID)
				}
			}
			if s.ID == "" || s.Line < 1 {
				t.Fatalf("session %q on line %d", s.ID, s.Line)
			}
		}
	})
}
