package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect starts or reaches the entry. The process ends with the context life. said is what
// the gateway itself reported; what servers write to their standard error may be anything,
// and is not in it.
func (x *examination) connect(ctx, life context.Context) (session *sdk.ClientSession, said *stderrTail, err error) {
	said = &stderrTail{}
	client := sdk.NewClient(&sdk.Implementation{Name: "remit-doctor", Version: x.o.Version}, &sdk.ClientOptions{Logger: slog.New(slog.DiscardHandler)})
	if x.server.URL != "" {
		header := http.Header{}
		for _, h := range x.server.Header {
			header.Set(h.Name, h.Value)
		}
		session, err = client.Connect(ctx, &sdk.StreamableClientTransport{
			Endpoint: x.server.URL, MaxRetries: -1, DisableStandaloneSSE: true,
			HTTPClient: &http.Client{Transport: fields{header}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		}, nil)
		return session, said, err
	}

	command := x.server.Command
	if i := slices.Index(command, "--session"); i > 0 && x.server.Gateway() != nil && i+1 < len(command) {
		// The session of an agent is not the doctor's.
		command = slices.Clone(command)
		command[i+1] = "doctor-" + strings.ToLower(rand.Text())
	}
	cmd := exec.CommandContext(life, command[0], command[1:]...)
	cmd.Env, cmd.Dir = x.env, x.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second

	if x.server.Gateway() != nil {
		cmd.Stderr = said
	}
	session, err = client.Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: 5 * time.Second}, nil)
	return session, said, err
}

// fields sets header fields.
type fields struct{ header http.Header }

func (f fields) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range f.header {
		r.Header[k] = v
	}
	return http.DefaultTransport.RoundTrip(r)
}

// stderrTail keeps the end of what a program writes.
type stderrTail struct {
	mu   sync.Mutex
	text []byte
}

func (t *stderrTail) Write(p []byte) (int, error) {
	const most = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > most {
		t.text = bytes.Clone(t.text[len(t.text)-most:])
	}
	return len(p), nil
}

// mistakes returns the lines in which Remit itself says what is wrong.
func (t *stderrTail) mistakes() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for line := range strings.SplitSeq(string(t.text), "\n") {
		if rest, ok := strings.CutPrefix(line, "error: "); ok {
			out = append(out, rest)
		}
	}
	return strings.Join(out, "; ")
}

// warnings returns the latest lines of the log that warn about a server.
func (t *stderrTail) warnings(server string) []string {
	const most = 3
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for line := range strings.SplitSeq(string(t.text), "\n") {
		fields := strings.Fields(line) // time, level, message, and what it is about
		warns := len(fields) > 1 && (fields[1] == "level=WARN" || fields[1] == "level=ERROR")
		if warns && slices.Contains(fields, "server="+server) {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-most):]
}
