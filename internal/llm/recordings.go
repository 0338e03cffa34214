package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/strictjson"
)

// maxRecording bounds a file of a recording: all attempts at one prompt, each of
// which can be as long as an answer.
const maxRecording = 4 * maxBody

// Recordings is a directory with the exchanges of runs, one file each.
type Recordings struct {
	dir    string
	replay bool

	mu sync.Mutex
	// busy holds a channel for each file in use, closed when it is free: of two
	// prompts that are the same, the second is answered by what the first recorded.
	busy map[string]chan struct{}
}

// Record reuses the exchanges in a directory that ended well, and records all
// others, so that an interrupted run continues where it ended.
func Record(dir string) *Recordings {
	return &Recordings{dir: dir, busy: map[string]chan struct{}{}}
}

// Replay answers from a directory and never sends a request.
func Replay(dir string) *Recordings {
	r := Record(dir)
	r.replay = true
	return r
}

// Replaying reports whether answers come from the directory alone, so that no key is
// needed.
func (r *Recordings) Replaying() bool { return r.replay }

// outcome is how an exchange ended.
type outcome string

const (
	answered  outcome = "answered"
	repaired  outcome = "repaired"
	refused   outcome = "refused"
	truncated outcome = "truncated"
	invalid   outcome = "invalid"
)

// recording is a file: a request, and all answers to it.
type recording struct {
	// Key identifies the request.
	Key      string          `json:"key"`
	Stage    string          `json:"stage"`
	Subject  string          `json:"subject"`
	Provider Provider        `json:"provider"`
	Model    string          `json:"model"`
	Request  json.RawMessage `json:"request"`
	// Attempts are the answers in their order. Each request that was sent follows from
	// the first and the answers before it.
	Attempts []attempt `json:"attempts"`
	Outcome  outcome   `json:"outcome"`
}

// attempt is one answer of an endpoint.
type attempt struct {
	// Form is how JSON was asked for in the end.
	Form   form `json:"form"`
	Status int  `json:"status"`
	// Body is the answer without white space.
	Body json.RawMessage `json:"body"`
}

func (a attempt) received() received {
	return received{a.Status, a.Body}
}

// tape is the recording of one prompt while it is asked.
type tape struct {
	of   *Recordings
	name string
	rec  recording
	// next is the attempt to play; those from there on are new.
	next, old int
}

// open finds the recording of a request, or begins one. The caller closes it.
func (r *Recordings) open(ctx context.Context, p Prompt, e Endpoint, request []byte) (*tape, error) {
	sum := sha256.Sum256(append([]byte(string(e.Provider)+"\x00"), request...))
	key := hex.EncodeToString(sum[:])
	t := &tape{of: r, rec: recording{Key: key, Stage: p.Stage, Subject: p.Subject, Provider: e.Provider, Model: e.Model, Request: request}}
	const short = 12 // enough for people, and the file has all of it
	t.name = path.Join(fileName(p.Stage), fileName(p.Subject)+"-"+key[:short]+".json")
	if err := r.lock(ctx, t.name); err != nil {
		return nil, err
	}
	if err := t.load(); err != nil {
		r.unlock(t.name)
		return nil, err
	}
	return t, nil
}

func (r *Recordings) lock(ctx context.Context, name string) error {
	for {
		r.mu.Lock()
		free, taken := r.busy[name]
		if !taken {
			r.busy[name] = make(chan struct{})
		}
		r.mu.Unlock()
		if !taken {
			return nil
		}
		select {
		case <-free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (r *Recordings) unlock(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.busy[name])
	delete(r.busy, name)
}

// fileName returns a name that every file system accepts. Two texts may have the same one; the
// key distinguishes them.
func fileName(s string) string {
	const longest = 80
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(plain, r) {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "_"
	}
	return s[:min(len(s), longest)]
}

// load reads an earlier recording. A missing file is not an error yet.
func (t *tape) load() error {
	data, err := t.of.read(t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		var old recording
		if old, err = decode(data); err == nil {
			err = t.take(old)
		}
	}
	if err != nil {
		return t.broken(err)
	}
	return nil
}

func (t *tape) broken(err error) error {
	return fmt.Errorf("the recording %s can't be used: %w: remove it to have the model asked again", path.Join(t.of.dir, t.name), err)
}

// take reuses an earlier recording, if it is of this request.
func (t *tape) take(old recording) error {
	if old.Key != t.rec.Key || old.Provider != t.rec.Provider || !bytes.Equal(old.Request, t.rec.Request) {
		return errors.New("its request is another than its name says")
	}
	if t.of.replay || old.Outcome == answered || old.Outcome == repaired {
		t.rec.Attempts, t.old = old.Attempts, len(old.Attempts)
	}
	return nil
}

// decode reads a file, which others may have written.
func decode(data []byte) (recording, error) {
	var r recording
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, err
	}
	if d.More() {
		return r, errors.New("something follows the exchange")
	}

	switch r.Outcome {
	case answered, repaired, refused, truncated, invalid:
	default:
		return r, fmt.Errorf("the outcome %q is unknown", clip(string(r.Outcome), longestMessage))
	}
	if len(r.Attempts) == 0 {
		return r, errors.New("it has no attempts")
	}
	for _, raw := range append([]*json.RawMessage{&r.Request}, bodies(r.Attempts)...) {
		var b bytes.Buffer
		if err := json.Compact(&b, *raw); err != nil {
			return r, errors.New("its request or an attempt is missing")
		}
		*raw = b.Bytes()
	}
	return r, nil
}

func bodies(all []attempt) []*json.RawMessage {
	var out []*json.RawMessage
	for i := range all {
		out = append(out, &all[i].Body)
	}
	return out
}

// play returns the next recorded attempt, if there is one.
func (t *tape) play() (received, bool, error) {
	if t.next < t.old {
		t.next++
		return t.rec.Attempts[t.next-1].received(), true, nil
	}
	if !t.of.replay {
		return received{}, false, nil
	}
	file := path.Join(t.of.dir, t.name)
	if t.old == 0 {
		return received{}, false, fmt.Errorf("there is no recording of this prompt, it would be %s: the prompt or the model is another than when it was recorded, record it again", file)
	}
	return received{}, false, fmt.Errorf("the recording %s ends before an answer that is valid now: record it again", file)
}

// add notes a new attempt.
func (t *tape) add(f form, got received) {
	t.rec.Attempts = append(t.rec.Attempts, attempt{f, got.status, got.body})
}

// close writes new attempts and the outcome, if the exchange ended.
func (t *tape) close(how outcome) error {
	defer t.of.unlock(t.name)
	if how == "" || len(t.rec.Attempts) == t.old {
		return nil
	}

	t.rec.Outcome = how
	data, err := strictjson.Encode(t.rec)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')

	if b.Len() > maxRecording {
		return fmt.Errorf("the exchange is too long to record: %d bytes, and %d are the most", b.Len(), maxRecording)
	}
	if err := t.of.write(t.name, b.Bytes()); err != nil {
		return fmt.Errorf("the exchange can't be recorded: %w", err)
	}
	return nil
}

// read reads a file within the directory, and follows no link out of it.
func (r *Recordings) read(name string) ([]byte, error) {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	tooLong := fmt.Errorf("it is longer than %d bytes", maxRecording)
	switch info, err := root.Stat(name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	case info.Size() > maxRecording:
		return nil, tooLong
	}

	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecording+1))
	if err == nil && len(data) > maxRecording {
		err = tooLong
	}
	return data, err
}

// write replaces a file as a whole, so that an interrupted run doesn't leave half of
// one.
func (r *Recordings) write(name string, data []byte) error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	draft := name + ".draft"
	if err := root.WriteFile(draft, data, 0o644); err != nil {
		return err
	}
	return root.Rename(draft, name)
}
