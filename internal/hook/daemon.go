package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/remit-project/remit/scope"
)

const (
	// AnswerTime bounds how long a hook takes to answer, including the daemon's
	// start. A slower call is denied, well before the agent gives up on the hook
	// and lets the call pass.
	AnswerTime = 5 * time.Second
	// DefaultIdle is how long an idle daemon stays: longer than a person reads
	// before going on.
	DefaultIdle = 15 * time.Minute
	// requestTime bounds one request in the daemon. It is a little shorter than
	// the hook's wait, so that the daemon's answer comes first.
	requestTime = AnswerTime - 500*time.Millisecond
	// lockWait is how long a daemon waits for one that is ending, and lockPoll
	// how often it checks.
	lockWait = 3 * time.Second
	lockPoll = 5 * time.Millisecond
	// maxConnections bounds concurrent events; further ones wait.
	maxConnections = 64
	// maxAnswer bounds an answer in bytes: a few lines for each argument.
	maxAnswer = 4 << 20
	// maxSocket is the longest socket path in bytes that every system accepts.
	maxSocket = 103
)

// request is a hook's request to the daemon.
type request struct {
	// Identity is the hook's identity. A daemon with another one ends, so that
	// both always have the same version.
	Identity string `json:"identity"`
	// Stop asks the daemon to end.
	Stop bool `json:"stop,omitempty"`
	Settings
	Event *Event `json:"event,omitempty"`
}

// response is the daemon's answer.
type response struct {
	// Stale means that nothing was done, because the daemon has another version
	// and ends.
	Stale  bool   `json:"stale,omitempty"`
	Error  string `json:"error,omitempty"`
	Answer Answer `json:"answer"`
}

// Settings are those of a hook, as the agent's file has them.
type Settings struct {
	// Contracts is the directory of the user's own contracts; empty for none.
	Contracts string `json:"contracts,omitempty"`
	// Policies is the directory of the company's policies for calls; empty for none.
	// Lookups is the file of the servers with which they look things up, and Judge the
	// model that they ask; empty for none.
	Policies string `json:"policies,omitempty"`
	Lookups  string `json:"lookups,omitempty"`
	Judge    string `json:"judge,omitempty"`
	// Planner names the model that writes scopes, and PlannerURL where its API begins;
	// empty for none.
	Planner    string `json:"planner,omitempty"`
	PlannerURL string `json:"planner_url,omitempty"`
	// Scopes says what scopes are for; when empty, [scope.ModeGrant] with a planner and
	// [scope.ModeOff] without.
	Scopes scope.Mode `json:"scopes,omitempty"`
}

// Handler answers events; see [Service.Handle].
type Handler func(ctx context.Context, settings Settings, e *Event) (Answer, error)

// Daemon serves the hooks of one user; there is one daemon for each directory.
type Daemon struct {
	// Dir is the private directory of the socket; it is created if missing.
	Dir string
	// Identity is the program's identity; see [Identity].
	Identity string
	// Idle is how long an idle daemon stays; [DefaultIdle] when zero.
	Idle time.Duration
	Log  *slog.Logger
}

// ErrRunning is returned by [Daemon.Serve] when another daemon serves the
// directory.
var ErrRunning = errors.New("a daemon is running already")

func socket(dir string) (string, error) {
	path := filepath.Join(dir, "hook.sock")
	if len(path) > maxSocket {
		return "", fmt.Errorf("%s is too long for a socket: set XDG_STATE_HOME to a shorter directory", path)
	}
	return path, nil
}

// Serve answers events until it is idle for a while, ctx ends, or a hook of
// another version asks. It calls ready when hooks can connect.
func (d *Daemon) Serve(ctx context.Context, open func() (Handler, func() error, error), ready func()) error {
	path, err := socket(d.Dir)
	if err != nil {
		return err
	}
	if err := makePrivate(d.Dir); err != nil {
		return err
	}
	unlock, err := d.lock(ctx, path)
	if err != nil {
		return err
	}

	defer unlock()
	// A socket from an earlier daemon is stale: the lock is ours.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	handle, end, err := open()
	if err != nil {
		return err
	}

	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return errors.Join(err, end())
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, l.Close(), end())
	}
	ready()
	d.Log.Info("serving", "socket", path)
	(&serving{d: d, l: l, handle: handle, slots: make(chan struct{}, maxConnections)}).run(ctx)
	return end()
}

// lock makes this the only daemon of the directory. It waits for one that is
// ending, and fails if one serves.
func (d *Daemon) lock(ctx context.Context, path string) (func(), error) {
	f, err := os.OpenFile(filepath.Join(d.Dir, "hook.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}

	until := time.Now().Add(lockWait)
	for {
		if err := lockFile(f); err == nil {
			return func() { f.Close() }, nil
		} else if !errors.Is(err, errLocked) {
			return nil, errors.Join(err, f.Close())
		}
		c, err := net.Dial("unix", path)
		if err == nil {
			c.Close()
		}
		if err == nil || time.Now().After(until) || ctx.Err() != nil {
			return nil, errors.Join(ErrRunning, f.Close())
		}
		time.Sleep(lockPoll)
	}
}

type serving struct {
	d      *Daemon
	l      *net.UnixListener
	handle Handler
	slots  chan struct{}

	work  sync.WaitGroup
	once  sync.Once
	timer *time.Timer
}

// stop accepts no more connections.
func (s *serving) stop() { s.once.Do(func() { s.l.Close() }) }

func (s *serving) run(ctx context.Context) {
	idle := s.d.Idle
	if idle <= 0 {
		idle = DefaultIdle
	}
	s.timer = time.AfterFunc(idle, s.stop)
	defer s.timer.Stop()
	defer context.AfterFunc(ctx, s.stop)()

	for {
		s.slots <- struct{}{}
		c, err := s.l.AcceptUnix()
		if err != nil {
			break // only a listener that was closed stops accepting for good
		}
		s.timer.Reset(idle)
		s.work.Go(func() {
			defer func() { <-s.slots }()
			defer c.Close()
			s.connection(c)
			s.timer.Reset(idle)
		})
	}

	s.stop()
	s.work.Wait()
	s.d.Log.Info("ended")
}

// connection answers one request. The daemon waits for it before it ends.
func (s *serving) connection(c *net.UnixConn) {
	ctx, cancel := context.WithTimeout(context.Background(), requestTime)
	defer cancel()
	if err := c.SetDeadline(time.Now().Add(AnswerTime)); err != nil {
		return
	}
	if err := checkPeer(c); err != nil {
		s.d.Log.Error("refused", "error", err)
		return
	}

	var in request
	// JSON encoding makes an input at most six times longer.
	if err := json.NewDecoder(io.LimitReader(c, 6*MaxInput)).Decode(&in); err != nil {
		s.reply(c, response{Error: "the request can't be read: " + err.Error()})
		return
	}

	switch {
	case in.Stop:
		s.stop()
		s.reply(c, response{})
	case in.Identity != s.d.Identity:
		// Close the listener before the answer, so that the hook's next attempt
		// starts a new daemon.
		s.stop()
		s.reply(c, response{Stale: true})
	case in.Event == nil:
		s.reply(c, response{Error: "the request has no event"})
	default:
		a, err := s.handle(ctx, in.Settings, in.Event)
		if err != nil {
			s.d.Log.Error("not decided", "session", in.Event.Session, "error", err)
			s.reply(c, response{Error: err.Error()})
			return
		}
		s.reply(c, response{Answer: a})
	}
}

func (s *serving) reply(c *net.UnixConn, r response) {
	if err := json.NewEncoder(c).Encode(r); err != nil {
		s.d.Log.Error("the hook has gone", "error", err) // and denies by itself
	}
}

// makePrivate creates a directory that only this user can enter, or checks that
// an existing one is private.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others can get into %s: make it private with chmod 700", dir)
	}
	return checkOwner(dir, info)
}

// Identity identifies a build of the program by its file.
func Identity() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d %d", exe, info.Size(), info.ModTime().UnixNano()), nil
}
