package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// scripted is a server that a transcript plays.
type scripted struct {
	to   upstream.Receiver
	sent chan string
}

func (s *scripted) Send(m upstream.Message) error {
	select {
	case s.sent <- string(m.Raw):
		return nil
	default:
		return upstream.ErrBusy
	}
}
func (s *scripted) Abandon(int64) {}
func (s *scripted) Close(context.Context) error {
	s.to.Closed(nil)
	return nil
}

var callID = regexp.MustCompile(`\bm[A-Z2-7]{16}\b`)

// TestTranscripts plays testdata/transcripts: what client and server say, byte
// by byte. In a transcript "c>" is what the client sends and "s>" the server,
// "c<" is what the client gets and "s<" the server; each file begins with what it
// is about. With UPDATE set, what is got is written into the file.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range a.Files {
				a.Files[i].Data = []byte(play(t, string(a.Files[i].Data)))
			}
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play plays a transcript, and returns it as it went.
func play(t *testing.T, script string) string {
	server := &scripted{sent: make(chan string, 100)}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{{Name: "desk", Connect: func(to upstream.Receiver) (upstream.Link, error) {
		server.to = to
		return server, nil
	}}}})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := g.ServeStdio(context.Background(), inR, outW, "s1")
		outW.Close()
		done <- err
	}()
	client := make(chan string, 100)
	go func() {
		for lines := bufio.NewScanner(outR); lines.Scan(); {
			client <- lines.Text()
		}
	}()
	defer func() {
		inW.Close()
		if err := <-done; err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		for _, c := range []chan string{client, server.sent} {
			for len(c) > 0 {
				t.Errorf("not in the transcript: %s", <-c)
			}
		}
	}()
	var played strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		text := strings.TrimSpace(strings.TrimLeft(line, "cs<>"))
		got := text
		switch {
		case strings.HasPrefix(line, "c>"):
			if _, err := io.WriteString(inW, text+"\n"); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(line, "s>"):
			server.to.Receive([]byte(text), 0)
		case strings.HasPrefix(line, "c<"):
			got = next(t, client, line)
		case strings.HasPrefix(line, "s<"):
			got = next(t, server.sent, line)
		default:
			fmt.Fprintln(&played, line)
			continue
		}
		if got != text && os.Getenv("UPDATE") == "" {
			t.Errorf("%s\ngot  %s\nwant %s", line[:2], got, text)
		}
		fmt.Fprintln(&played, line[:2], got)
	}
	return played.String()
}

func next(t *testing.T, from chan string, line string) string {
	select {
	case s := <-from:
		return callID.ReplaceAllString(s, "CALL")
	case <-time.After(10 * time.Second):
		t.Fatalf("waited in vain for: %s", line)
		return ""
	}
}
