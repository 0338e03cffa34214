package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/remit-project/remit"
)

// Lines over the bound are skipped whole, and the next line is found.
func TestReadLineSkipsWhatIsTooLong(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("short\n"+strings.Repeat("x", 100)+"\nnext\nlast"), 16)
	var got []string
	for {
		line, err := readLine(in, 20)
		switch {
		case errors.Is(err, errLongLine):
			got = append(got, "(long)")
			continue
		case err != nil && !errors.Is(err, io.EOF):
			t.Fatal(err)
		}
		if len(line) > 0 {
			got = append(got, strings.TrimSpace(string(line)))
		}
		if err != nil {
			break
		}
	}
	if strings.Join(got, " ") != "short (long) next last" {
		t.Errorf("lines = %q", got)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	p := newDialogue(&engine{}, false)
	for i := range maxSessions {
		p.sessions[strings.Repeat("x", i+1)] = &conversation{}
	}
	if got, ok := p.line(context.Background(), 1, []byte(`{"type":"user","session":"one more","text":"x"}`)).(*problem); !ok || !strings.Contains(got.Hint, "end") {
		t.Errorf("answer = %+v", got)
	}
}

// However the lines look: every line is answered or taken in, what is no call
// is never answered with a decision, and a monitor without tools never allows.
func FuzzProtocol(f *testing.F) {
	for _, seed := range []string{
		`{"type":"user","text":"x"}` + "\n" + `{"type":"call","id":"1","tool":"t","arguments":{"a":1}}`,
		`{"type":"call","tool":"t","arguments":"{\"a\":1,\"a\":2}"}` + "\n" + `{"type":"confirm","call":"c1"}`,
		`{"type":"contracts","yaml":"version: 1"}` + "\n" + `{"type":"end"}`,
		`{"type":"result","call":"c1","structured":[1,{"x":null}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newDialogue(&engine{}, true)
		for i, line := range bytes.Split(data, []byte("\n")) {
			switch a := p.line(context.Background(), i+1, line).(type) {
			case *answered:
				if a.Verdict == remit.Allow && len(p.shared.contracts) == 0 && !bytes.Contains(data, []byte("yaml")) && !bytes.Contains(data, []byte("tools")) {
					t.Fatalf("a tool that nobody described was allowed: %s", line)
				}
			case *problem, *acknowledged:
			default:
				t.Fatalf("line %q has no answer", line)
			}
		}
	})
}
