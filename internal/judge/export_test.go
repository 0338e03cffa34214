package judge

import "github.com/remit-project/remit/guard"

// Prompt is what a model reads of a question about a session.
func Prompt(q guard.Question, s *guard.History) (string, error) {
	return read(s, q.Speaker).prompt(q)
}
