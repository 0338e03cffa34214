package ledger

import (
	"context"
	"errors"
	"slices"

	"github.com/remit-project/remit/store"
)

// answers are errors of a store that works: it says no for what the log or the caller is.
var answers = []error{store.ErrConflict, store.ErrEnded, store.ErrPruned, store.ErrInvalid, store.ErrNotFound, store.ErrSettled, store.ErrTooMany, context.Canceled}

// noteWrite remembers whether the store could be written to, and returns the error as it is.
func (l *Ledger) noteWrite(err error) error {
	isAnswer := slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) })
	switch {
	case err == nil:
		l.trouble.Store(nil)
	case !isAnswer:
		l.trouble.Store(&err)
	}
	return err
}

// Trouble returns why the store could last not be written to; nil since it could.
func (l *Ledger) Trouble() error {
	if err := l.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// Recovered says that the store was written to by somebody else, so that there is no trouble any
// more.
func (l *Ledger) Recovered() { l.trouble.Store(nil) }
