package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/upkeep"
	"github.com/remit-project/remit/store"
)

// storeFlag names the store, for commands that look into one.
type storeFlag struct {
	Store string `placeholder:"NAME" env:"REMIT_STORE" help:"The store: a file, postgres://… or nats://… ($XDG_STATE_HOME/remit/remit.db, ~/.local/state/remit/remit.db)."`
}

// open opens the store, which must be there.
func (f storeFlag) open(ctx context.Context) (store.Store, error) {
	name, err := f.name()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, name, store.Options{Existing: true})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotFound) {
		return nil, hint.Wrap(err, "the gateway, the proxy, serve and the hooks make the store; say where it is with --store NAME, or in REMIT_STORE")
	}
	return s, reachable(name, err)
}

// name returns the name of the store.
func (f storeFlag) name() (string, error) {
	if f.Store != "" {
		return f.Store, nil
	}
	name, err := store.DefaultPath()
	if err != nil {
		return "", hint.Wrap(err, "say where the store is with --store NAME")
	}
	return name, nil
}

// where names the store to a person: who looks into another one than the agent's finds nothing there.
func (f storeFlag) where() string {
	name, err := f.name()
	if err != nil {
		return "the store"
	}
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		return u.Redacted()
	}
	return name
}

// sameStore returns a command on the same store, as it is to be pasted.
func (f storeFlag) sameStore(words ...string) string {
	if f.Store != "" && f.Store != os.Getenv("REMIT_STORE") {
		words = append(words, "--store", f.Store)
	}
	return display.Command(words...)
}

// noStoreYet explains a missing default store.
const noStoreYet = "there is no store yet. The gateway makes one with --queue, or store in remit.yaml; name another with --store, or in REMIT_STORE"

// withAny is [storeFlag.with] for commands that can answer without a store: if the default one
// doesn't exist yet, it prints that there is nothing, and why.
func (f storeFlag) withAny(ctx context.Context, s *command.Streams, nothing string, do func(store.Store) error) error {
	st, err := f.open(ctx)
	if f.Store == "" && errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(s.Err, nothing+": "+noStoreYet)
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(do(st), st.Close())
}

// with runs a function on the store and closes it.
func (f storeFlag) with(ctx context.Context, do func(store.Store) error) error {
	s, err := f.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

type auditCommand struct {
	Verify auditVerify `cmd:"" help:"Check that nothing in the audit log was changed, cut or removed."`
	Head   auditHead   `cmd:"" help:"Print the digest of the whole log, to keep elsewhere."`
	Export auditExport `cmd:"" help:"Write the audit log as JSON lines."`
	Prune  auditPrune  `cmd:"" help:"Remove sessions that have long ended."`
}

type auditVerify struct {
	storeFlag
	Head   []string `placeholder:"DIGEST" sep:"none" help:"A digest that audit head printed: the log must still contain it. Repeatable."`
	Resume string   `placeholder:"PROGRESS" type:"path" help:"Note in this file how far the check of the store came, and go on behind it if the file is there."`
	JSON   bool     `name:"json" help:"Print the report as JSON."`
	File   string   `arg:"" optional:"" name:"file" help:"An exported log, - for standard input; without it the store's own is checked."`
}

// Help is shown below the flags.
func (auditVerify) Help() string {
	return `The log proves by itself that what is in it was not changed. That its end was not cut off is proved by a digest that was kept elsewhere.
In the store, the events that the log speaks of are checked too. The exit code is 4 when something is wrong.
With --resume, the check of a large store goes on where it was interrupted. The file says what was found so far, and is
removed at the end: keep it where those who may write to the store can't change it.

Example:
  remit audit head > /mnt/elsewhere/head
  remit audit verify --head $(cat /mnt/elsewhere/head)
  remit audit verify --resume /mnt/elsewhere/verify.json`
}

// Run checks the log.
func (c *auditVerify) Run(ctx context.Context, s *command.Streams) error {
	var heads []store.Hash
	for _, h := range c.Head {
		var hash store.Hash
		if err := hash.UnmarshalText([]byte(strings.TrimPrefix(h, upkeep.DigestPrefix))); err != nil {
			return command.UsageError(fmt.Errorf("--head: %q is not a digest: %w", h, err))
		}
		heads = append(heads, hash)
	}

	report, err := c.report(ctx, s.In, heads)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := writeJSON(s.Out, report); err != nil {
			return err
		}
	} else {
		newPrinter(s).audit(report, c.sameStore("remit", "audit", "head"))
	}

	if !report.OK() {
		return command.Status(exitFindings)
	}
	return nil
}

func (c *auditVerify) report(ctx context.Context, stdin io.Reader, heads []store.Hash) (report *store.Report, err error) {
	if c.File != "" && c.Resume != "" {
		return nil, command.UsageError(errors.New("--resume is for the store: an exported log is read from its beginning"))
	}
	switch c.File {
	case "":
		err = c.with(ctx, func(st store.Store) error {
			report, err = c.ofStore(ctx, st, heads)
			return err
		})
		return report, err
	case "-":
		report, err = store.VerifyLines(cancellable(ctx, store.ReadLines(stdin)), heads...)
		return notEmpty(report), err
	}

	f, err := inputs.Open(c.File, "a log that remit audit export wrote")
	if err != nil {
		return nil, err
	}
	defer closeFile(f, &err)
	report, err = store.VerifyLines(cancellable(ctx, store.ReadLines(f)), heads...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	return notEmpty(report), nil
}

// ofStore checks the store, and goes on from the file that --resume names.
func (c *auditVerify) ofStore(ctx context.Context, st store.Store, heads []store.Hash) (*store.Report, error) {
	if c.Resume == "" {
		return st.Verify(ctx, heads...)
	}
	file := progressFile{name: c.Resume}
	from, err := file.read()
	if err != nil {
		return nil, err
	}
	report, err := st.VerifyFrom(ctx, from, file.note, heads...)
	if err != nil {
		return nil, err
	}
	if err := file.remove(); err != nil {
		return nil, err
	}
	return report, nil
}

// notEmpty finds fault with an exported log without an entry: one that was
// emptied looks the same.
func notEmpty(r *store.Report) *store.Report {
	if r != nil && r.Entries == 0 && r.OK() {
		r.Problems = append(r.Problems, store.Problem{What: "the log is empty: nothing is in it that could prove anything"})
	}
	return r
}

// cancellable ends a sequence with the context's error.
func cancellable(ctx context.Context, lines iter.Seq2[store.Line, error]) iter.Seq2[store.Line, error] {
	return func(yield func(store.Line, error) bool) {
		for l, err := range lines {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// audit writes a report; head is the command that makes a digest of the store.
func (p *printer) audit(r *store.Report, head string) {
	for _, problem := range r.Problems {
		text := problem.String()
		if problem.Chain == "" && problem.N == 0 {
			text = problem.What // it is about no entry
		}
		p.line(0, p.Bad("✗")+" "+display.Line(text))
	}

	if r.More > 0 {
		p.line(0, p.Bad("✗")+" "+display.Count(r.More, "more problem", "more problems"))
	}
	sum := fmt.Sprintf("%s in %s", display.Count(int(r.Entries), "entry", "entries"), display.Count(r.Sessions, "session", "sessions"))
	if r.Pruned > 0 {
		sum += fmt.Sprintf(", %s removed by retention", display.Count(r.Pruned, "session", "sessions"))
	}
	if !r.OK() {
		p.line(0, p.Bad("not intact")+": "+sum)
		return
	}

	p.line(0, p.Good("intact")+": "+sum)
	if r.Unnoted > 0 {
		p.line(0, fmt.Sprintf("%s not covered by a digest yet; to make one and keep it elsewhere:", display.Count(int(r.Unnoted), "entry is", "entries are")))
		p.line(2, head)
	}
}

type auditHead struct {
	storeFlag
}

// Help is shown below the flags.
func (auditHead) Help() string {
	return `Adds the end of every session to the store's own chain, and prints the hash of the result, which covers everything
before it. Keep it where those who may write to the store can't change it.

Example:
  remit audit head >> heads.txt`
}

// Run prints the digest.
func (c *auditHead) Run(ctx context.Context, s *command.Streams) error {
	return c.with(ctx, func(st store.Store) error {
		head, err := st.Head(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.Out, upkeep.DigestPrefix+head.Hash.String())
		return err
	})
}

type auditExport struct {
	storeFlag
	Out    string `placeholder:"FILE" help:"Where to write; standard output without it."`
	Resume bool   `help:"Go on where an export to the same file ended early."`
}

// Help is shown below the flags.
func (auditExport) Help() string {
	return `One JSON object a line, as docs/reference/store.md describes it: first the store's own chain, then the sessions. Secrets were taken out before the entries were hashed.
remit audit verify FILE checks an export without the store.

Example:
  remit audit export --out log.jsonl
  remit audit export --out log.jsonl --resume`
}

// Run writes the log.
func (c *auditExport) Run(ctx context.Context, s *command.Streams) error {
	if c.Resume && c.Out == "" {
		return command.UsageError(errors.New("--resume: say with --out FILE which export goes on"))
	}
	return c.withAny(ctx, s, "there is nothing to export", func(st store.Store) (err error) {
		if c.Out == "" {
			return writeLines(s.Out, st.Export(ctx))
		}

		var f *os.File
		if f, err = os.OpenFile(c.Out, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			return err
		}
		defer closeFile(f, &err)
		if err := atomicfile.Claim(f); err != nil {
			return hint.Wrap(fmt.Errorf("%s: %w", c.Out, err), "let the other export end, or write to another file")
		}
		done := &store.Exported{}
		if c.Resume {
			if done, err = store.ReadExported(f); err != nil {
				return hint.Wrap(fmt.Errorf("%s: %w", c.Out, err), "write it anew, without --resume")
			}
		}
		// A line that wasn't written whole goes.
		if err := f.Truncate(done.Bytes); err != nil {
			return err
		}
		if _, err := f.Seek(done.Bytes, io.SeekStart); err != nil {
			return err
		}
		if err := writeLines(f, done.Rest(ctx, st)); err != nil {
			return err
		}
		return f.Sync()
	})
}

// writeLines writes lines of the log.
func writeLines(to io.Writer, lines iter.Seq2[store.Line, error]) error {
	w := bufio.NewWriter(to)
	for l, err := range lines {
		if err == nil {
			err = store.WriteLine(w, l)
		}
		if err != nil {
			return errors.Join(err, w.Flush())
		}
	}
	return w.Flush()
}

type auditPrune struct {
	storeFlag
	Before string `required:"" placeholder:"AGE|TIME" help:"Remove sessions in which nothing happened since: an age as 90d or 12h, or a time as 2026-03-31T09:00:00Z."`
}

// Help is shown below the flags.
func (auditPrune) Help() string {
	return `Sessions are removed whole, with their events, approvals and audit entries. Their ids are never used again, the labels of resources stay, and what is left of the log verifies.

Example:
  remit audit prune --before 90d`
}

// Run removes sessions.
func (c *auditPrune) Run(ctx context.Context, s *command.Streams) error {
	before, err := when(c.Before, time.Now())
	if err != nil {
		return command.UsageError(fmt.Errorf("--before: %w", err))
	}
	return c.with(ctx, func(st store.Store) error {
		n, err := st.Prune(ctx, before)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.Out, "removed %s\n", display.Count(n, "session", "sessions"))
		return err
	})
}

// when reads a time, or an age before now.
func when(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is neither an age nor a time: write 90d, 12h or 2026-03-31T09:00:00Z", text)
}
