// Package hint adds advice to errors: the error says what is wrong, and the hint
// what the user can do about it. Programs print the two on separate lines.
package hint

import "errors"

// Wrap returns an error that reads and unwraps like err, and carries advice for
// the user. The advice is a short sentence in lower case.
func Wrap(err error, advice string) error { return &hinted{err, advice} }

// Of returns the advice that err carries, the outermost if there are several,
// and whether there is any.
func Of(err error) (advice string, ok bool) {
	var h *hinted
	if !errors.As(err, &h) {
		return "", false
	}
	return h.advice, true
}

type hinted struct {
	err    error
	advice string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }
