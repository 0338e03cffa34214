// Package principal says who calls a server of Remit over HTTP and what it may
// do there: bearer tokens, kept as hashes in a file that people edit.
package principal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
)

// Scope is one thing that a principal may do.
type Scope string

// The scopes. Each is needed by the operations of the decision API that name
// it.
const (
	SessionsRead       Scope = "sessions:read"       // sessions, their decisions and explanations
	SessionsWrite      Scope = "sessions:write"      // begin and end sessions
	SessionsAny        Scope = "sessions:any"        // the other scopes reach the sessions of all
	EventsWrite        Scope = "events:write"        // say what the model sees, in the user's name too
	DecisionsWrite     Scope = "decisions:write"     // propose calls, ask about them
	ConfirmationsWrite Scope = "confirmations:write" // say that a person agreed to a call
	ApprovalsRead      Scope = "approvals:read"      // questions
	ApprovalsAnswer    Scope = "approvals:answer"    // answer them
	ContractsRead      Scope = "contracts:read"      // contracts of the deployment
	AuditRead          Scope = "audit:read"          // the audit log over all sessions
)

// Scopes are all of them.
func Scopes() []Scope {
	return []Scope{SessionsRead, SessionsWrite, SessionsAny, EventsWrite, DecisionsWrite, ConfirmationsWrite,
		ApprovalsRead, ApprovalsAnswer, ContractsRead, AuditRead}
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Scope) UnmarshalText(text []byte) error {
	if !slices.Contains(Scopes(), Scope(text)) {
		return errors.New("unknown scope")
	}
	*s = Scope(text)
	return nil
}

// Principal is who calls, for a program or a person.
type Principal struct {
	Name   string
	Scopes []Scope
}

// May tells whether the principal has a scope.
func (p *Principal) May(s Scope) bool { return slices.Contains(p.Scopes, s) }

// ErrUnknown is returned for a token that is nobody's, or was once.
var ErrUnknown = errors.New("the token is not known, or has expired")

// prefix begins every token, so that scanners for secrets find lost ones.
const prefix = "remit_"

// Hash is what a file keeps of a token: SHA-256, which needs no salt and no
// work factor because a token is 256 random bits.
type Hash [sha256.Size]byte

// String returns it in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hash) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err != nil || len(b) != len(h) {
		return errors.New("a hash is 64 hexadecimal digits")
	}
	copy(h[:], b)
	return nil
}

// NewToken makes a token, and what is kept of it.
func NewToken() (string, Hash) {
	token := prefix + strings.ToLower(rand.Text()+rand.Text())
	return token, sha256.Sum256([]byte(token))
}

// Grant is one token as a file has it.
type Grant struct {
	Principal
	Hash Hash
	// Expires is when the token ends; never when zero.
	Expires time.Time
}
