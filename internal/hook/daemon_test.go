package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/hook"
)

// running is a daemon in this process.
type running struct {
	dir   string
	ended chan error
}

// socketDir is short enough for a socket's path.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hook")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "d")
}

// serve starts a daemon, and returns when it serves.
func serve(t *testing.T, d *hook.Daemon, handle hook.Handler) *running {
	t.Helper()
	r := &running{d.Dir, make(chan error, 1)}
	d.Log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan struct{})
	go func() {
		r.ended <- d.Serve(ctx, func() (hook.Handler, func() error, error) { return handle, func() error { return nil }, nil }, func() { close(ready) })
	}()
	t.Cleanup(cancel)
	select {
	case <-ready:
	case err := <-r.ended:
		// One that ends after a nanosecond may have served and ended by now.
		select {
		case <-ready:
			r.ended <- err
		default:
			t.Fatalf("ended at once: %v", err)
		}
	}
	return r
}

func allow(context.Context, hook.Settings, *hook.Event) (hook.Answer, error) {
	return hook.Answer{Verdict: remit.Allow}, nil
}

func preTool() *hook.Event {
	return &hook.Event{Agent: "claude-code", Session: "s", Kind: hook.PreTool, Dir: "/", Call: &hook.Call{Tool: "Bash", Arguments: json.RawMessage(`{}`)}}
}

// noStart is a client's way to start a daemon where there must not be one.
func noStart(context.Context) error { return errors.New("there is no program") }

func TestDaemonAnswers(t *testing.T) {
	var got atomic.Pointer[string]
	d := &hook.Daemon{Dir: socketDir(t), Identity: "v1"}
	serve(t, d, func(_ context.Context, settings hook.Settings, e *hook.Event) (hook.Answer, error) {
		got.Store(&settings.Contracts)
		return hook.Answer{Verdict: remit.Deny, Reason: e.Call.Tool}, nil
	})
	c := &hook.Client{Dir: d.Dir, Identity: "v1", Settings: hook.Settings{Contracts: "/c"}, Start: noStart}
	a, err := c.Ask(t.Context(), preTool())
	if err != nil || a.Verdict != remit.Deny || a.Reason != "Bash" || *got.Load() != "/c" {
		t.Errorf("%+v, %v", a, err)
	}
	if info, err := os.Stat(d.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
}

// A hook of another version ends the daemon, and starts its own.
func TestAnotherVersion(t *testing.T) {
	old := &hook.Daemon{Dir: socketDir(t), Identity: "v1"}
	r := serve(t, old, func(context.Context, hook.Settings, *hook.Event) (hook.Answer, error) {
		t.Error("the old version decided")
		return hook.Answer{Verdict: remit.Allow}, nil
	})
	c := &hook.Client{Dir: old.Dir, Identity: "v2", Start: func(context.Context) error {
		serve(t, &hook.Daemon{Dir: old.Dir, Identity: "v2"}, allow)
		return nil
	}}
	if a, err := c.Ask(t.Context(), preTool()); err != nil || a.Verdict != remit.Allow {
		t.Errorf("%+v, %v", a, err)
	}
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
}

// One daemon serves a directory; it ends by itself, and another may follow.
func TestOneDaemon(t *testing.T) {
	d := &hook.Daemon{Dir: socketDir(t), Identity: "v1"}
	r := serve(t, d, allow)
	second := &hook.Daemon{Dir: d.Dir, Identity: "v1", Log: slog.New(slog.DiscardHandler)}
	if err := second.Serve(t.Context(), nil, nil); !errors.Is(err, hook.ErrRunning) {
		t.Errorf("a second one: %v", err)
	}
	c := &hook.Client{Dir: d.Dir, Identity: "v1", Start: noStart}
	if was, err := c.Stop(t.Context()); err != nil || !was {
		t.Errorf("stop: %v, %v", was, err)
	}
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if was, err := c.Stop(t.Context()); err != nil || was {
		t.Errorf("stop again: %v, %v", was, err)
	}
	idle := serve(t, &hook.Daemon{Dir: d.Dir, Identity: "v1", Idle: time.Nanosecond}, allow)
	if err := <-idle.ended; err != nil {
		t.Error(err)
	}
}

// A daemon that was killed leaves a socket behind, which is not a hindrance.
func TestKilled(t *testing.T) {
	dir := socketDir(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "hook.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	c := &hook.Client{Dir: dir, Identity: "v1", Start: func(context.Context) error {
		serve(t, &hook.Daemon{Dir: dir, Identity: "v1"}, allow)
		return nil
	}}
	if a, err := c.Ask(t.Context(), preTool()); err != nil || a.Verdict != remit.Allow {
		t.Errorf("%+v, %v", a, err)
	}
}

// Whatever goes wrong with the daemon, there is no answer, and so no call.
func TestNoAnswer(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	for name, test := range map[string]struct {
		handle hook.Handler
		raw    func(net.Conn) // instead of a daemon
		want   string
	}{
		"it fails": {handle: func(context.Context, hook.Settings, *hook.Event) (hook.Answer, error) {
			return hook.Answer{}, errors.New("the store is gone")
		}, want: "the store is gone"},
		"it doesn't say": {handle: func(context.Context, hook.Settings, *hook.Event) (hook.Answer, error) { return hook.Answer{}, nil }, want: "can't be started"},
		"it says something else": {handle: func(context.Context, hook.Settings, *hook.Event) (hook.Answer, error) {
			return hook.Answer{Verdict: "sure"}, nil
		}, want: "can't be started"},
		"it takes too long": {handle: func(ctx context.Context, _ hook.Settings, _ *hook.Event) (hook.Answer, error) {
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return hook.Answer{Verdict: remit.Allow}, nil
		}, want: "no answer within"},
		"it crashes":        {raw: func(c net.Conn) { c.Close() }, want: "can't be started"},
		"it writes no JSON": {raw: func(c net.Conn) { io.WriteString(c, "allow\n") }, want: "can't be started"},
		"it writes half":    {raw: func(c net.Conn) { io.WriteString(c, `{"answer":{"verdict":"allow"`) }, want: "can't be started"},
		"it never ends":     {raw: func(c net.Conn) { io.WriteString(c, `{"answer":{"reason":"`+strings.Repeat("a", 8<<20)) }, want: "can't be started"},
		"there is none":     {want: "can't be started"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := socketDir(t)
			switch {
			case test.handle != nil:
				serve(t, &hook.Daemon{Dir: dir, Identity: "v1"}, test.handle)
			case test.raw != nil:
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				l, err := net.Listen("unix", filepath.Join(dir, "hook.sock"))
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				go func() {
					for {
						c, err := l.Accept()
						if err != nil {
							return
						}
						go func() {
							defer c.Close()
							var in json.RawMessage
							_ = json.NewDecoder(c).Decode(&in) // what is asked doesn't matter
							test.raw(c)
						}()
					}
				}()
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			if name != "it takes too long" {
				cancel()
				ctx, cancel = hook.Deadline(t.Context())
			}
			defer cancel()
			c := &hook.Client{Dir: dir, Identity: "v1", Start: noStart}
			a, err := c.Ask(ctx, preTool())
			if err == nil || !strings.Contains(err.Error(), test.want) || a.Verdict != "" {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// A directory that others can get into is not used.
func TestPrivate(t *testing.T) {
	dir := socketDir(t)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d := &hook.Daemon{Dir: dir, Log: slog.New(slog.DiscardHandler)}
	if err := d.Serve(t.Context(), nil, nil); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("open to others: %v", err)
	}
	link := dir + "-link"
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	d.Dir = link
	if err := d.Serve(t.Context(), nil, nil); err == nil {
		t.Error("a link was used")
	}
	d.Dir = filepath.Join(t.TempDir(), strings.Repeat("a", 120))
	if err := d.Serve(t.Context(), nil, nil); err == nil || !strings.Contains(err.Error(), "XDG_STATE_HOME") {
		t.Errorf("too long: %v", err)
	}
}

// Hooks come at the same time, and while the daemon ends: each gets an answer or
// an error, and the daemon finishes what it began.
func TestManyHooks(t *testing.T) {
	d := &hook.Daemon{Dir: socketDir(t), Identity: "v1"}
	var handled atomic.Int64
	r := serve(t, d, func(context.Context, hook.Settings, *hook.Event) (hook.Answer, error) {
		handled.Add(1)
		return hook.Answer{Verdict: remit.Allow}, nil
	})
	c := &hook.Client{Dir: d.Dir, Identity: "v1", Start: noStart}
	var work sync.WaitGroup
	var answered atomic.Int64
	for i := range 64 {
		work.Go(func() {
			if i == 40 {
				if _, err := c.Stop(t.Context()); err != nil {
					t.Error(err)
				}
				return
			}
			if a, err := c.Ask(t.Context(), preTool()); err == nil && a.Verdict == remit.Allow {
				answered.Add(1)
			}
		})
	}
	work.Wait()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if answered.Load() != handled.Load() {
		t.Errorf("%d answers of %d", answered.Load(), handled.Load())
	}
}
