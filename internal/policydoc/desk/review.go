package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/store"
)

// Word is what a person says of a policy.
type Word string

// The words: those of remit policy approve, remit policy archive, and of remit policy resolve
// with --mine and --theirs.
const (
	Approve Word = "approve"
	Archive Word = "archive"
	Mine    Word = "mine"
	Theirs  Word = "theirs"
)

// MaxReason bounds the reason of a review, in bytes.
const MaxReason = 2000

// Review is what a person decides about a policy.
type Review struct {
	// Tool is the key of the tool, and Policy the name of the policy.
	Tool   string `json:"tool"`
	Policy string `json:"policy"`
	Word   Word   `json:"review"`
	// Field is the field in conflict that Mine and Theirs are about.
	Field string `json:"field,omitempty"`
	// Reason says why a policy is archived, for readers of the mapping.
	Reason string `json:"reason,omitempty"`
	// Failing approves a policy although tests of its rule fail.
	Failing bool `json:"failing,omitempty"`
	// Base is the digest of the policy that the person was shown; empty for the present one.
	Base string `json:"base,omitempty"`
}

// Proposal is what a review writes.
type Proposal struct {
	// Base is the digest of the policy as it is.
	Base string `json:"base"`
	// Files are the names of the files that change, within the directory; none where all is
	// as the review says already.
	Files []string `json:"files"`
	// Patch is the difference, from the directory on.
	Patch string `json:"patch"`

	dir *policydoc.Directory
}

// check finds mistakes in a review by itself.
func (r *Review) check() error {
	about := r.Word == Mine || r.Word == Theirs
	switch {
	case !about && r.Word != Approve && r.Word != Archive:
		return fmt.Errorf("%w: %q is none of approve, archive, mine and theirs", ErrReview, r.Word)
	case about != (r.Field != ""):
		return fmt.Errorf("%w: a field goes with mine and theirs, which decide a conflict about it", ErrReview)
	case r.Reason != "" && r.Word != Archive:
		return fmt.Errorf("%w: a reason goes with archive", ErrReview)
	case r.Failing && r.Word != Approve:
		return fmt.Errorf("%w: failing goes with approve", ErrReview)
	case len(r.Reason) > MaxReason:
		return fmt.Errorf("%w: the reason is longer than %d bytes", ErrReview, MaxReason)
	}
	return nil
}

// in makes the review in a directory.
func (r *Review) in(dir *policydoc.Directory) error {
	switch r.Word {
	case Approve:
		return dir.Approve(r.Tool, r.Policy)
	case Archive:
		return dir.Archive(r.Tool, r.Policy, r.Reason)
	}
	return dir.Resolve(r.Tool, r.Policy, r.Field, r.Word == Theirs)
}

// Failing runs the tests of the rules of a tool's policies, and returns those that fail. Mistakes in
// the guard file are an error.
func Failing(ctx context.Context, dir *policydoc.Directory, tool string, policies []string, deployment guard.Deployment) ([]guardtest.Result, error) {
	g := dir.Guards[tool]
	if g == nil {
		return nil, nil
	}
	file, err := g.File()
	if err != nil {
		return nil, err
	}
	set, err := guard.Compile([]*guard.File{file}, deployment)
	if err != nil {
		return nil, err
	}

	var failing []guardtest.Result
	for _, g := range set.Guards() {
		for _, result := range guardtest.Run(ctx, g) {
			if !result.Passed() && slices.Contains(policies, result.Rule) {
				failing = append(failing, result)
			}
		}
	}
	return failing, ctx.Err()
}

// pass refuses to approve a policy while tests of its rule fail.
func (d *Desk) pass(ctx context.Context, dir *policydoc.Directory, r Review) error {
	if r.Word != Approve || r.Failing {
		return nil
	}
	deployment, err := d.Deployment()
	if err != nil {
		return broken(err)
	}

	failing, err := Failing(ctx, dir, r.Tool, []string{r.Policy}, deployment)
	var mistakes guard.Errors
	if errors.As(err, &mistakes) {
		return fmt.Errorf("%w: the tests of its rule can't be run: %w", ErrReview, err)
	}
	if err != nil {
		return broken(err)
	}
	if len(failing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s of its rule; correct the rule or the test, or approve it although tests fail", ErrReview,
		display.Count(len(failing), "test fails", "tests fail"))
}

// Propose makes the files that a review leads to. It writes nothing.
func (d *Desk) Propose(ctx context.Context, r Review) (*Proposal, error) {
	return d.propose(r, func(dir *policydoc.Directory) error { return d.pass(ctx, dir, r) })
}

// propose is [Desk.Propose] for a policy whose tests are held to a function.
func (d *Desk) propose(r Review, pass func(*policydoc.Directory) error) (*Proposal, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	dir, err := compiled(d.Root)
	if err != nil {
		return nil, broken(err)
	}
	p := &Proposal{Files: []string{}, dir: dir}
	if p.Base, err = dir.Digest(r.Tool, r.Policy); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if r.Base != "" && r.Base != p.Base {
		return nil, ErrMoved
	}
	if err := pass(dir); err != nil {
		return nil, err
	}
	if err := r.in(dir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReview, err)
	}

	edits, err := dir.Edits()
	if err != nil {
		return nil, moved(err)
	}
	var patch strings.Builder
	for _, e := range edits {
		p.Files = append(p.Files, e.Name)
		patch.Write(diff.Diff(side("a/", e.Name, e.Was), e.Was, side("b/", e.Name, e.Is), e.Is))
	}
	p.Patch = patch.String()
	return p, nil
}

// Digest names a policy by what its files say of it now.
func (d *Desk) Digest(tool, policy string) (string, error) {
	dir, err := compiled(d.Root)
	if err != nil {
		return "", broken(err)
	}
	return dir.Digest(tool, policy)
}

// side names a side of a difference, so that what applies patches makes and removes files.
func side(prefix, name string, text []byte) string {
	if text == nil {
		return "/dev/null"
	}
	return prefix + name
}

// moved returns [ErrMoved] for a file that another writer has written meanwhile, and reports
// other errors.
func moved(err error) error {
	if errors.Is(err, policydoc.ErrEdited) {
		return ErrMoved
	}
	return broken(err)
}

// Review writes a review into the files, as the commands do. The audit log says first who it
// was, from where, and what is written; and once more, with what failed, if it was not.
func (d *Desk) Review(ctx context.Context, r Review, by access.Principal, from string) (*Proposal, error) {
	if !d.Write {
		return nil, ErrReadOnly
	}
	p, err := d.Propose(ctx, r)
	if err != nil || len(p.Files) == 0 {
		return p, err
	}

	// Tests may take long, and other reviews go on meanwhile: they are of the policy as it was then.
	d.mu.Lock()
	defer d.mu.Unlock()
	tested := r
	tested.Base = p.Base
	if p, err = d.propose(tested, func(*policydoc.Directory) error { return nil }); err != nil || len(p.Files) == 0 {
		return p, err
	}

	sum := sha256.Sum256([]byte(p.Patch))
	n := store.Note{About: "reviewed", Members: map[string]string{"tool": r.Tool, "policy": r.Policy, "review": string(r.Word), "by": by.Name, "from": from,
		"directory": d.Root, "files": strings.Join(p.Files, " "), "policy digest": p.Base, "patch sha256": hex.EncodeToString(sum[:])}}
	if r.Failing {
		n.Members["tests"] = "not run: approved although they may fail"
	}
	for name, text := range map[string]string{"field": r.Field, "reason": r.Reason} {
		if text != "" {
			n.Members[name] = text
		}
	}
	if err := d.Audit.Note(ctx, n); err != nil {
		return nil, err
	}
	if err := p.dir.Write(); err != nil {
		n.Members["failed"] = err.Error()
		return nil, errors.Join(moved(err), d.Audit.Note(context.WithoutCancel(ctx), n))
	}
	return p, nil
}
