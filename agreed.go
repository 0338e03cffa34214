package remit

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/strictjson"
)

// MaxAgreed bounds the calls that one answer of the user's agrees to.
const MaxAgreed = 16

// ErrNotAsked is returned by [Agree] for a decision that a person can't agree to.
var ErrNotAsked = errors.New("a person can only agree to a call that was held back")

// Agreed is a call to which the user agreed after it was held back, before the model
// proposes it again under another id.
type Agreed struct {
	Server  string `json:"server,omitempty"`
	Tool    string `json:"tool"`
	Variant string `json:"variant,omitempty"`
	// Arguments are the canonical ones that the user was shown.
	Arguments json.RawMessage `json:"arguments"`
	// Reasons are those that the user was shown.
	Reasons []Reason `json:"reasons"`
}

// Agree returns the event of a user's answer by which the user agrees to calls that were
// held back: to each once, with exactly these arguments, and for the reasons that the
// user has seen. [Session.Replay] applies it. The text is the answer. It begins no turn
// and vouches for nothing, so that the scope of the turn holds on.
func Agree(text string, shown ...*Decision) (Event, error) {
	if len(shown) == 0 || len(shown) > MaxAgreed {
		return Event{}, fmt.Errorf("an answer agrees to 1 to %d calls, not to %d", MaxAgreed, len(shown))
	}

	e := Event{Kind: AgreementEvent, Text: text}
	for _, d := range shown {
		if d.Verdict != Ask {
			return Event{}, fmt.Errorf("%s: %w: the verdict is %s", d.Tool, ErrNotAsked, d.Verdict)
		}
		a := Agreed{Server: d.Server, Tool: d.Tool, Variant: d.Variant, Arguments: d.Arguments}
		for _, r := range d.Reasons {
			a.Reasons = append(a.Reasons, Reason{Code: r.Code, Path: r.Path, Verdict: r.Verdict, Policy: r.Policy, Reads: r.Reads})
		}
		e.Agreed = append(e.Agreed, a)
	}
	return e, nil
}

// digest returns the callDigest of the call.
func (a *Agreed) digest() string {
	arguments := a.Arguments
	if doc, err := strictjson.Parse(arguments, strictjson.DefaultLimits()); err == nil {
		arguments = doc.Canonical() // a log's encoder may have changed the spelling
	}
	return callDigest(a.Server, a.Tool, a.Variant, arguments)
}

// agree applies the event of a user's answer.
func (s *Session) agree(e Event) error {
	if len(e.Agreed) == 0 || len(e.Agreed) > MaxAgreed {
		return fmt.Errorf("an agreement event with %d calls, not 1 to %d", len(e.Agreed), MaxAgreed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()

	s.begin(e.Time)
	s.addEntry(guard.UserEntry, e.Text)
	for i := range e.Agreed {
		s.ahead.add(e.Agreed[i].digest(), agreement{e.Agreed[i].Reasons, s.counts.user, s.at.Add(discharge.ConfirmationLife)})
	}
	return nil
}

// ahead are agreements to calls that are yet to be proposed, by callDigest. The same call may
// have been agreed to several times.
type ahead map[string][]agreement

func (a ahead) add(call string, had agreement) {
	if len(a) < maxAgreed && len(a[call]) < MaxAgreed {
		a[call] = append(a[call], had)
	}
}

// find returns the place of an agreement to a call with all of these reasons; -1 where
// there is none.
func (a ahead) find(call string, reasons []Reason, now time.Time) int {
	for i, have := range a[call] {
		if have.covers(reasons, now) {
			return i
		}
	}
	return -1
}

// spend takes an agreement out: its call runs.
func (a ahead) spend(call string, i int) {
	left := append(a[call][:i:i], a[call][i+1:]...)
	if len(left) == 0 {
		delete(a, call)
		return
	}
	a[call] = left
}

// agreedAhead reports whether the user agreed to this very call before it was proposed,
// and was asked about all reasons, and in which turn.
func (x *deciding) agreedAhead() (turn int, ok bool) {
	if x.variant == nil {
		return 0, false
	}
	digest := x.digest()
	i := x.in.ahead.find(digest, x.d.Reasons, x.in.now)
	if i < 0 {
		return 0, false
	}
	x.out.spends, x.out.spent = digest, i
	return x.in.ahead[digest][i].turn, true
}
