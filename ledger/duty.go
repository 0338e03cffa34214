package ledger

import (
	"context"
	"fmt"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
)

// Principal says for whom the agent works; see [remit.Session.Principal].
func (s *Session) Principal(ctx context.Context, p guard.Principal) error {
	return s.add(ctx, remit.Event{Kind: remit.PrincipalEvent, Principal: &p})
}

// Duties returns what the session's calls have brought about and nothing has
// fulfilled yet; see [remit.Session.Duties].
func (s *Session) Duties(ctx context.Context) ([]guard.OpenDuty, error) {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("duties of session %q: %w", s.id, err)
	}
	defer release()
	v.behind = true // another replica may have gone on
	if _, err := s.fresh(ctx, v); err != nil {
		return nil, fmt.Errorf("duties of session %q: %w", s.id, err)
	}
	return v.session.Duties(), nil
}
