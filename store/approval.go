package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/sighting"
)

// The bounds of approvals.
const (
	// DefaultApprovalLife is how long a question waits: a person who is there
	// answers within it, and an agent's call is rarely worth waiting longer.
	DefaultApprovalLife = 10 * time.Minute
	// MaxApprovalLife bounds what a deployment may set: an approval answers the
	// call as it is now, and a day later its reasons are forgotten.
	MaxApprovalLife = 24 * time.Hour
	// MaxOpenPerSession bounds the questions of one session that wait at once:
	// an agent gone astray must not bury a person in questions until yes is
	// the quickest answer.
	MaxOpenPerSession = 32
	// MaxPlaces bounds the places that a question shows of each call.
	MaxPlaces = sighting.Max
	// MaxAsked bounds the calls of one question: a person reads them all.
	MaxAsked = remit.MaxAgreed
)

// Approvals is the queue of questions that wait for a person.
type Approvals interface {
	// Ask adds a question and returns it with its id and times. The session
	// must exist.
	Ask(ctx context.Context, q Question) (Approval, error)
	// Approval returns a question by its id, or [ErrNotFound].
	Approval(ctx context.Context, id string) (Approval, error)
	// Pending lists the questions that are open, oldest first.
	Pending(ctx context.Context, limit int) ([]Approval, error)
	// Answer settles an open question, once. Every later answer, and one that
	// comes after the expiry, is [ErrSettled].
	Answer(ctx context.Context, id string, a Answer) (Approval, error)
	// Wait returns when a question is no longer open: answered, cancelled or
	// expired. It returns the context's error when that ends first; the caller that
	// asked should then Cancel.
	Wait(ctx context.Context, id string) (Approval, error)
	// Claim uses an approval for the calls with exactly these arguments, as
	// [Approval.Arguments] has them. It succeeds once, for one caller among all replicas, before the expiry;
	// otherwise it is [ErrSettled].
	Claim(ctx context.Context, id string, arguments Hash) (Approval, error)
	// Cancel withdraws an open question, because its caller doesn't wait for the answer
	// any more, and why says for people why not. A question that was settled meanwhile stays as it is.
	Cancel(ctx context.Context, id, why string) error
}

// State is what became of a question.
type State string

// The states of a question. Only Approved, and by Claim then Used, lets a call
// run; everything else is a denial.
const (
	Pending   State = "pending"
	Approved  State = "approved"
	Denied    State = "denied"
	Expired   State = "expired"
	Cancelled State = "cancelled"
	Used      State = "used"
)

// Extent says how far an approval reaches.
type Extent string

// The extents of an approval.
const (
	// Once is for the call that was asked about, and no other.
	Once Extent = "once"
	// ForSession is for the values that fell short, each in its own argument of
	// this tool, in this session, for as long as confirmations hold.
	ForSession Extent = "session"
	// Always is an entry of the deployment's allowlist, which the enforcement
	// point writes to a file that people read.
	Always Extent = "always"
)

// Hash is a SHA-256.
type Hash [sha256.Size]byte

// String returns it in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hash) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(h) {
		return errHash
	}
	if _, err := hex.Decode(h[:], text); err != nil {
		return errHash
	}
	return nil
}

// ArgumentsHash returns the hash that binds an approval to a call: of tool and canonical
// arguments, as the decision has them.
func ArgumentsHash(d *remit.Decision) Hash {
	h := sha256.New()
	for _, part := range []string{d.Session, d.Call, d.Server, d.Tool, string(d.Arguments)} {
		var size [8]byte
		for i := range size {
			size[i] = byte(len(part) >> (8 * i))
		}
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return Hash(h.Sum(nil))
}

// Asked is a call of a question: what was decided, and where the arguments came from.
type Asked = sighting.Asked

// Question is what a person is asked.
type Question struct {
	// Decision is what was decided: an Ask, with its arguments and reasons.
	Decision *remit.Decision
	// Places are where the arguments came from, with the text around.
	Places []Place
	// More are further calls of the same session that are asked about in one question.
	More []Asked
	// ByValue is set where a yes beyond the call is for its values, as sessions keep them: whoever asks keeps
	// no calls, and no allowlist.
	ByValue bool
	// Life is how long it waits; [DefaultApprovalLife] when zero.
	Life time.Duration
	// Settles is the request that asking carries out; nil for none.
	Settles *Settlement
}

// Place is where a value appears, as it was when the question was asked. The text
// may be an attacker's: never show it raw.
type Place = sighting.Place

// Answer is what a person said.
type Answer struct {
	// Approve is false for a denial.
	Approve bool
	// Calls are the ids of the calls that an approval is for. A question about
	// several calls needs them: a caller that doesn't know of the others has not shown
	// them. A question about one call needs none.
	Calls []string
	// Extent is how far an approval reaches; [Once] when empty.
	Extent Extent
	// By names the person, and Why may say why, both for the record.
	By, Why string
	// From says from where the answer came, for the audit log: the door, and the
	// address of the caller.
	From string
	// Settles is the request that answering carries out; nil for none.
	Settles *Settlement
}

// Approval is a question with what became of it.
type Approval struct {
	ID        string          `json:"id"`
	Session   string          `json:"session"`
	Call      string          `json:"call"`
	Arguments Hash            `json:"arguments_sha256"`
	Decision  *remit.Decision `json:"decision"`
	Places    []Place         `json:"places,omitempty"`
	// More are the other calls of a question about several.
	More []Asked `json:"more,omitempty"`
	// Agreed are the ids of the calls that were agreed to, of a question about several.
	Agreed []string `json:"agreed,omitempty"`
	// ByValue is that of the [Question].
	ByValue bool   `json:"by_value,omitempty"`
	State   State  `json:"state"`
	Extent  Extent `json:"extent,omitempty"`
	By      string `json:"by,omitempty"`
	// Why is the person's reason, or why a question was withdrawn.
	Why     string    `json:"why,omitempty"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	// Settled is when it was answered, cancelled or seen to have expired.
	Settled time.Time `json:"settled,omitzero"`
	// from is where the answer came from; the audit log alone keeps it.
	from string
}

// Calls returns all calls of the question.
func (a *Approval) Calls() []Asked {
	return append([]Asked{{Decision: a.Decision, Places: a.Places}}, a.More...)
}

// Agrees reports whether a person agreed to a call of the question.
func (a *Approval) Agrees(call string) bool {
	if a.State != Approved && a.State != Used {
		return false
	}
	if len(a.More) == 0 {
		return call == a.Call
	}
	return slices.Contains(a.Agreed, call)
}

// QuestionHash returns the hash that binds an approval to the calls of a question: the
// [ArgumentsHash] of one, a hash over those of several.
func QuestionHash(calls []Asked) Hash {
	if len(calls) == 1 {
		return ArgumentsHash(calls[0].Decision)
	}
	h := sha256.New()
	for _, c := range calls {
		one := ArgumentsHash(c.Decision)
		h.Write(one[:])
	}
	return Hash(h.Sum(nil))
}

// newID makes the id of an approval: short enough to be typed, and with 50
// random bits never met twice among the questions of a deployment. It is no
// secret: who may answer is decided by who may reach the store.
func newID() string {
	b := make([]byte, 7)
	_, _ = rand.Read(b) // never fails: it ends the program instead
	return strings.ToLower(base32.StdEncoding.EncodeToString(b))[:10]
}
