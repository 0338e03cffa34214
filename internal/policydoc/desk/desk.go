// Package desk is where people decide about the policies of a compiled document: what became
// of it, what a review of a policy writes into its files, and what a new version changes.
package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/change"
	"github.com/remit-project/remit/internal/policydoc/report"
	"github.com/remit-project/remit/store"
)

var (
	// ErrNone is returned for a policy that there isn't, and for an earlier version where
	// none was named.
	ErrNone = errors.New("there is no such policy")
	// ErrMoved is returned where the policy is no longer what the person was shown.
	ErrMoved = errors.New("the policy has been changed meanwhile: look at it again")
	// ErrReadOnly is returned where the files may not be written from here.
	ErrReadOnly = errors.New("policies may not be written from here: take the patch")
	// ErrReview is returned for a review that the policy doesn't have a place for, with why.
	ErrReview = errors.New("the policy can't be reviewed like that")
	// ErrBroken is returned for files that can't be read or written, with which and why.
	ErrBroken = errors.New("the files can't be read or written")
)

// Desk is where people decide about policies. It is safe for concurrent use.
type Desk struct {
	// Root is the directory that the document was compiled into, and Document its file.
	Root, Document string
	// Before is the directory as an earlier version was compiled into it; empty for none.
	Before string
	// Write is set where reviews may be written into the files.
	Write bool
	// Deployment reads the tools that the rules are about, with their contracts.
	Deployment func() (guard.Deployment, error)
	// Flags name the deployment, for commands that a report names.
	Flags []string
	// Audit takes a note of each review before it is written.
	Audit store.Audit

	mu sync.Mutex // one review is written at a time
}

// Report returns what became of the document, as the files are now. With the key of a tool it has
// the policies of that tool alone. With mutate the mutants of the rules are run.
func (d *Desk) Report(ctx context.Context, tool string, mutate bool) (*report.Report, error) {
	r, err := d.report(ctx, tool, mutate)
	return r, broken(err)
}

// broken marks an error as [ErrBroken], unless the work took too long.
func broken(err error) error {
	if err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}

func (d *Desk) report(ctx context.Context, tool string, mutate bool) (*report.Report, error) {
	data, err := inputs.ReadAs(d.Document, "a policy document")
	if err != nil {
		return nil, err
	}
	in := report.Input{Tool: tool, Mutate: mutate, Flags: d.Flags}
	if in.Document, err = document.Read(d.Document, data); err != nil {
		return nil, err
	}
	if in.Deployment, err = d.Deployment(); err != nil {
		return nil, err
	}
	if in.Directory, err = compiled(d.Root); err != nil {
		return nil, err
	}
	return report.New(ctx, in)
}

// compiled reads a directory that has policies.
func compiled(root string) (*policydoc.Directory, error) {
	dir, err := policydoc.ReadDirectory(root)
	if err == nil && len(dir.Keys()) == 0 {
		err = hint.Wrap(errors.New(root+" has no policies: it is not a directory that a document was compiled into"), "make one with remit policy compile DOCUMENT --tools FILE --out "+root)
	}
	return dir, err
}

// Changes returns what the present version changes, as remit policy diff does; [ErrNone] where no
// earlier version was named.
func (d *Desk) Changes(ctx context.Context) (*change.Report, error) {
	if d.Before == "" {
		return nil, ErrNone
	}
	r, err := d.changes(ctx)
	return r, broken(err)
}

func (d *Desk) changes(ctx context.Context) (*change.Report, error) {
	scope, err := d.Deployment()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(d.Before); err != nil {
		return nil, inputs.Missing(err)
	}

	var sides [2]change.Side
	for i, root := range [...]string{d.Before, d.Root} {
		// An empty directory before is that there was none.
		if sides[i].Directory, err = policydoc.ReadDirectory(root); err != nil {
			return nil, err
		}
		files, err := sides[i].Directory.GuardFiles()
		if err != nil {
			return nil, err
		}
		// Rules of files with mistakes are not compared; the report names the mistakes.
		var mistakes guard.Errors
		if sides[i].Guards, err = guard.Compile(files, scope); err != nil && !errors.As(err, &mistakes) {
			return nil, err
		}
	}
	return change.Compare(ctx, sides[0], sides[1])
}
