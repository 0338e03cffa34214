package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
)

// Scope is a permission of a principal.
type Scope string

// The scopes. The description of the decision API lists which operation needs
// which.
const (
	SessionsRead       Scope = "sessions:read"       // read sessions, their decisions and explanations
	SessionsWrite      Scope = "sessions:write"      // begin and end sessions
	SessionsAny        Scope = "sessions:any"        // use the other scopes on the sessions of all principals
	EventsWrite        Scope = "events:write"        // report what the model sees, also in the user's name
	DecisionsWrite     Scope = "decisions:write"     // propose calls, and ask people about them
	ConfirmationsWrite Scope = "confirmations:write" // say that a person agreed to a call
	ApprovalsRead      Scope = "approvals:read"      // read questions to people
	ApprovalsAnswer    Scope = "approvals:answer"    // answer questions
	ContractsRead      Scope = "contracts:read"      // read the deployment's contracts
	ContractsWrite     Scope = "contracts:write"     // change the deployment's contracts
	AuditRead          Scope = "audit:read"          // read the audit log of all sessions
)

// Scopes returns all scopes.
func Scopes() []Scope {
	return []Scope{SessionsRead, SessionsWrite, SessionsAny, EventsWrite, DecisionsWrite, ConfirmationsWrite,
		ApprovalsRead, ApprovalsAnswer, ContractsRead, ContractsWrite, AuditRead}
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Scope) UnmarshalText(text []byte) error {
	if !slices.Contains(Scopes(), Scope(text)) {
		return errors.New("unknown scope")
	}
	*s = Scope(text)
	return nil
}

// Principal is a program or a person that calls a server.
type Principal struct {
	Name   string
	Scopes []Scope
}

// May reports whether the principal has a scope.
func (p *Principal) May(s Scope) bool { return slices.Contains(p.Scopes, s) }

// ErrUnknownToken is returned for a token that is not in the file, or has expired.
var ErrUnknownToken = errors.New("the token is not known, or has expired")

// prefix begins every token, so that scanners for secrets find leaked ones.
const prefix = "remit_"

// Hash is the SHA-256 of a token, as a file keeps it. It needs no salt and no work
// factor, because a token has 256 random bits.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
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

// NewToken returns a random token and its hash.
func NewToken() (string, Hash) {
	token := prefix + strings.ToLower(rand.Text()+rand.Text())
	return token, sha256.Sum256([]byte(token))
}

// Grant is an entry of a token file: whose token it is, and what it allows.
type Grant struct {
	Principal
	Hash Hash
	// Expires is the time from which the token isn't accepted. If it is zero, the
	// token doesn't expire.
	Expires time.Time
}
