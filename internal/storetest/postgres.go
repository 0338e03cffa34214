package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/remit-project/remit/internal/mcp/mcptest"
)

// startBound is how long a server may take to start and to stop: a second or
// two on an idle machine, and the tests of other packages run beside it.
const startBound = time.Minute

// Postgres is a PostgreSQL server of a test's own: in a folder that is removed
// afterwards, reached over a socket in it, not over the network.
type Postgres struct {
	dir, bin string
	settings []string
	last     atomic.Int64

	process *os.Process
	ended   chan struct{}
	log     *os.File
}

// StartPostgres starts a server, which ends with the test. Settings, as
// "fsync=on", come after its own: a test server doesn't wait for the disk
// unless it is told to. Without PostgreSQL on the machine the test is skipped,
// except in the gate (CI is set), where it fails.
func StartPostgres(tb testing.TB, settings ...string) *Postgres {
	tb.Helper()
	bin, ok := binaries(tb)
	if !ok {
		const missing = "there is no PostgreSQL: make setup installs it with npm, or have initdb in PATH"
		if os.Getenv("CI") != "" {
			tb.Fatal(missing)
		}
		tb.Skip(missing)
	}
	tb.Log("PostgreSQL's programs are in", bin)
	p := newPostgres(tb, bin, settings)
	p.run(tb, filepath.Join(bin, "initdb"), "-D", p.data(), "-A", "trust", "-U", "remit", "-E", "UTF8", "--locale=C", "--no-sync")
	p.Start(tb)
	tb.Cleanup(func() { p.Kill(tb) })
	return p
}

// newPostgres returns a server without data, in a folder that its account may use.
func newPostgres(tb testing.TB, bin string, settings []string) *Postgres {
	tb.Helper()
	dir, err := os.MkdirTemp("", "remit-pg-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	if err := handOver(dir); err != nil {
		tb.Fatal(err)
	}
	return &Postgres{dir: dir, bin: bin, settings: settings}
}

// run runs a program to its end, as the account that the server runs as.
func (p *Postgres) run(tb testing.TB, program string, args ...string) {
	tb.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = p.dir
	var err error
	if cmd.SysProcAttr, err = unprivileged(); err != nil {
		tb.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", program, err, out)
	}
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// Start starts the server again after [Postgres.Kill].
func (p *Postgres) Start(tb testing.TB) {
	tb.Helper()
	log, err := os.CreateTemp(p.dir, "log")
	if err != nil {
		tb.Fatal(err)
	}

	args := []string{"-D", p.data(), "-k", p.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200", "-c", "shared_buffers=64MB"}
	for _, s := range p.settings {
		args = append(args, "-c", s)
	}

	cmd := exec.Command(filepath.Join(p.bin, "postgres"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, log, log
	if cmd.SysProcAttr, err = unprivileged(); err != nil {
		tb.Fatal(err)
	}

	started := make(chan error)
	p.log, p.ended = log, make(chan struct{})
	go func() {
		// The server dies with the thread that started it, see unprivileged.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it is stopped by signals, which it reports as errors
		}
	}()

	if err := <-started; err != nil {
		tb.Fatal(err)
	}
	p.process = cmd.Process
	if err := p.ready(); err != nil {
		text, _ := os.ReadFile(log.Name())
		tb.Fatalf("PostgreSQL does not start: %v\n%s", err, bytes.TrimSpace(text))
	}
}

func (p *Postgres) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), startBound)
	defer cancel()
	var err error
	for {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, p.url("postgres")); err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-p.ended:
			return errors.Join(errors.New("it ended"), err)
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Kill ends the server at once, as a crash does.
func (p *Postgres) Kill(tb testing.TB) {
	tb.Helper()
	p.end(tb, immediate)
}

func (p *Postgres) end(tb testing.TB, how os.Signal) {
	tb.Helper()
	select {
	case <-p.ended:
		return
	default:
	}
	if err := p.process.Signal(how); err != nil {
		tb.Error(err)
	}
	select {
	case <-p.ended:
	case <-time.After(startBound):
		tb.Error("PostgreSQL does not stop")
	}
	if err := p.log.Close(); err != nil {
		tb.Error(err)
	}
}

func (p *Postgres) url(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("remit"), Path: "/" + database, RawQuery: url.Values{"host": {p.dir}}.Encode()}).String()
}

// Database makes an empty database and returns its address.
func (p *Postgres) Database(tb testing.TB) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startBound)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.url("postgres"))
	if err != nil {
		tb.Fatal(err)
	}
	name := fmt.Sprintf("test%d", p.last.Add(1))
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		tb.Fatal(err)
	}
	if err := conn.Close(ctx); err != nil {
		tb.Fatal(err)
	}
	return p.url(name)
}

// binaries finds PostgreSQL's programs: those that make setup has put into the
// project's directory, or the system's, which Debian keeps out of PATH, one folder a
// version.
func binaries(tb testing.TB) (string, bool) {
	tb.Helper()
	found := mcptest.NPMFiles(tb, "@embedded-postgres/*/native/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4]) // a text that is not a number is the oldest
		return n
	}
	slices.SortFunc(debian, func(a, b string) int { return cmp.Compare(version(b), version(a)) })

	for _, path := range append(found, debian...) {
		if runs(path) {
			return filepath.Dir(path), true
		}
	}
	return "", false
}

// runs reports whether the account that the server runs as can run a program: the
// project's directory may be one that only its owner reads.
func runs(path string) bool {
	cmd := exec.Command(path, "--version")
	cmd.Dir = "/"
	var err error
	if cmd.SysProcAttr, err = unprivileged(); err != nil {
		return false
	}
	return cmd.Run() == nil
}
