package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// Audit is the log of what was decided and answered, in chains of hashes: one
// of every session and one of the store's own, which names the sessions and,
// whenever [Audit.Head] is called, their heads.
type Audit interface {
	// Note adds an entry about the deployment to the store's own chain: that a
	// contract changed, that the allowlist grew.
	Note(ctx context.Context, n Note) error
	// Head writes the heads of all sessions that went on since the last time
	// into the store's own chain, and returns the head of that. Kept elsewhere,
	// it proves later that nothing before it was changed, cut or removed.
	Head(ctx context.Context) (ChainHead, error)
	// Export yields the whole log as it is at one moment: the store's own chain
	// first, then the sessions by id.
	Export(ctx context.Context) iter.Seq2[Line, error]
	// ExportFrom yields the same from a place on: the entry there is the first, if
	// there is one.
	ExportFrom(ctx context.Context, from LogPlace) iter.Seq2[Line, error]
	// Verify checks the whole log, the events that it speaks of, and that the
	// given heads are in it. An error means that it could not be read; what is
	// wrong with it is in the report.
	Verify(ctx context.Context, heads ...Hash) (*Report, error)
	// VerifyFrom does the same for the sessions after those that an interrupted verification had
	// checked, and calls note after every part of them; nil notes nothing. The store's own chain
	// is checked whole, and has to have the head that it had then. An error of note ends the
	// verification.
	VerifyFrom(ctx context.Context, from Progress, note func(Progress) error, heads ...Hash) (*Report, error)
}

// Progress is how far a verification came. Sessions that are at or before its place, and went on
// or were begun since, are left to the next one.
type Progress struct {
	// Began is when the verification began.
	Began time.Time `json:"began"`
	// After is the id of the last session that was checked.
	After string `json:"after"`
	// Own is the head of the store's own chain, to which the rest of the verification holds it. A
	// chain that is broken has none.
	Own ChainHead `json:"own"`
	// Report is of the sessions up to there.
	Report Report `json:"report"`
}

// Note is an entry about the deployment. Its members are redacted like
// everything else in the log.
type Note struct {
	// About says what it is, in one word: "contracts", "allowlist", "start".
	About   string            `json:"about"`
	Members map[string]string `json:"members,omitempty"`
}

// Kind says what an audit entry is about. The entries of events have the kind
// of the event.
type Kind string

// The kinds of entries that are not about events.
const (
	BegunEntry     Kind = "begun"     // own chain: a session was begun
	HeadsEntry     Kind = "heads"     // own chain: the heads of sessions
	PrunedEntry    Kind = "pruned"    // own chain: sessions that retention removed
	NoteEntry      Kind = "note"      // own chain: about the deployment
	CreatedEntry   Kind = "created"   // the session was begun by a principal
	EndedEntry     Kind = "ended"     // the session was ended
	AskedEntry     Kind = "asked"     // a person was asked
	AnsweredEntry  Kind = "answered"  // a person answered
	ExpiredEntry   Kind = "expired"   // no answer came in time
	CancelledEntry Kind = "cancelled" // the caller gave up
	UsedEntry      Kind = "used"      // an approval let a call run
)

// Entry is one entry of the audit log.
type Entry struct {
	// Chain is the session's id; empty in the store's own chain. N is the
	// entry's place in the chain, from 0.
	Chain string    `json:"chain"`
	N     int64     `json:"n"`
	Time  time.Time `json:"time"`
	Kind  Kind      `json:"kind"`

	// Seq and Digest bind the entry to an event: SHA-256 over a secret salt and the event as it
	// is stored, so that the log reveals nothing of its text.
	Seq    *int64 `json:"seq,omitempty"`
	Digest *Hash  `json:"digest,omitempty"`
	// Name is that of an attachment, Bytes the length of a text or a result.
	Name  string `json:"name,omitempty"`
	Bytes int    `json:"bytes,omitempty"`
	// Call is the id of the call that it is about.
	Call     string   `json:"call,omitempty"`
	Decision *Decided `json:"decision,omitempty"`
	Approval *Settled `json:"approval,omitempty"`
	// Principal is who created the session.
	Principal string      `json:"principal,omitempty"`
	Session   string      `json:"session,omitempty"`
	Heads     []ChainHead `json:"heads,omitempty"`
	Note      *Note       `json:"note,omitempty"`
}

// Decided is a decision as the audit log has it: redacted, without the
// evidence's text.
type Decided struct {
	Server    string        `json:"server,omitempty"`
	Tool      string        `json:"tool"`
	Variant   string        `json:"variant,omitempty"`
	Verdict   remit.Verdict `json:"verdict"`
	Effect    string        `json:"effect,omitempty"`
	Confirmed bool          `json:"confirmed,omitempty"`
	// Shadow is set where the call ran, whatever the verdict.
	Shadow    bool            `json:"shadow,omitempty"`
	Arguments []DecidedValue  `json:"arguments,omitempty"`
	Reasons   []DecidedReason `json:"reasons,omitempty"`
	// Readings are those to which a person agreed with the call.
	Readings []scope.Reading `json:"readings,omitempty"`
	// More counts the arguments and reasons beyond [MaxDecided].
	More int `json:"more,omitempty"`
}

// MaxDecided bounds the arguments and the reasons that one audit entry spells
// out: more than a person reads, far more than an honest call has. The event,
// whose digest the entry holds, has them all.
const MaxDecided = 256

// DecidedValue is one argument of a decision.
type DecidedValue struct {
	Path      string      `json:"path"`
	Value     string      `json:"value"`
	Role      label.Role  `json:"role,omitempty"`
	Floor     label.Trust `json:"floor"`
	Trust     label.Trust `json:"trust"`
	Origins   []string    `json:"origins,omitempty"`
	How       string      `json:"how"`
	Satisfied bool        `json:"satisfied"`
}

// DecidedReason is one reason of a decision.
type DecidedReason struct {
	Code    remit.Code    `json:"code"`
	Path    string        `json:"path,omitempty"`
	Verdict remit.Verdict `json:"verdict"`
	Message string        `json:"message"`
}

// Settled is what became of a question.
type Settled struct {
	ID     string `json:"id"`
	Tool   string `json:"tool"`
	State  State  `json:"state"`
	Extent Extent `json:"extent,omitempty"`
	By     string `json:"by,omitempty"`
	Why    string `json:"why,omitempty"`
	// From is from where a person answered.
	From string `json:"from,omitempty"`
	// More are the other calls of a question about several, and Agreed those to which
	// a person agreed.
	More   []string `json:"more,omitempty"`
	Agreed []string `json:"agreed,omitempty"`
}

// ChainHead is the end of a chain.
type ChainHead struct {
	// Chain is the session's id; empty for the store's own chain.
	Chain string `json:"chain"`
	// Entries is the chain's length, and Hash that of its last entry.
	Entries int64 `json:"entries"`
	Hash    Hash  `json:"hash"`
}

// Line is one line of an export: an entry in the bytes that were hashed.
type Line struct {
	Hash  Hash            `json:"hash"`
	Entry json.RawMessage `json:"entry"`
}

// chainDomain begins what is hashed for an entry, so that no hash of anything
// else can be one of an entry. It changes with the format.
const chainDomain = "remit audit 1\n"

// link returns the hash of an entry: over its predecessor's, 32 zero bytes for the first one, and
// its own bytes.
func link(prev Hash, entry []byte) Hash {
	h := sha256.New()
	h.Write([]byte(chainDomain))
	h.Write(prev[:])
	h.Write(entry)
	return Hash(h.Sum(nil))
}

// body is an entry without its place, made before the transaction that finds
// the place: the writer is what everybody waits for.
type body []byte

func newBody(e *Entry) (body, error) {
	e.Chain, e.N, e.Time = "", 0, time.Time{}
	b, err := canonical(e)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(b, []byte(`{"chain":"","n":0,"time":"0001-01-01T00:00:00Z",`))
	if !ok {
		return nil, errors.New("audit entry: the members are out of order")
	}
	return body(rest), nil
}

// place makes the entry's bytes.
func (b body) place(chain string, n int64, at time.Time) ([]byte, error) {
	head, err := canonical(struct {
		Chain string    `json:"chain"`
		N     int64     `json:"n"`
		Time  time.Time `json:"time"`
	}{chain, n, at.UTC()})
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), b...), nil
}

// canonical encodes a value as JSON in the form of RFC 8785, except for the order of members,
// which is that of the struct.
func canonical(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("audit entry: %w", err)
	}
	doc, err := strictjson.Parse(data, strictjson.OutputLimits())
	if err != nil {
		return nil, fmt.Errorf("audit entry: %w", err)
	}
	return bytes.Clone(doc.Canonical()), nil
}

// entryOf makes the audit entry of a record, redacted.
func (r *Redactor) entryOf(rec *Record, digest Hash) *Entry {
	e := &Entry{Kind: Kind(rec.Event.Kind), Seq: &rec.Seq, Digest: &digest,
		Name: r.Text(rec.Event.Name), Bytes: len(rec.Event.Text)}
	if c := rec.Event.Call; c != nil {
		e.Call = r.Text(c.ID)
	}
	if res := rec.Event.Result; res != nil {
		e.Call, e.Bytes = r.Text(res.Call), len(res.Content)+len(res.Structured)
	}
	if rec.Decision != nil {
		e.Call, e.Decision = r.Text(rec.Decision.Call), r.Decision(rec.Decision)
		e.Decision.Readings, e.Decision.Shadow = r.readings(rec.Event.Readings), rec.Shadow
	}
	return e
}
