package provenance

import (
	"maps"
	"time"

	"github.com/remit-project/remit/label"
)

// A Reader answers what a decision asks about a session: see [Session] for each
// method. Reading changes nothing of the session.
type Reader interface {
	Ambient() label.Label
	Prose() bool
	Spoken() bool
	Resolve(act Act, values []Value) []Resolution
	Exhausted() bool

	Requested(act Act) bool
	RequestedPlainly(act Act) bool
	RequestedAll(act Act) bool
	RequestSays(act Act, word string) bool
	RequestHasAmount(act Act) bool
	AgreedTo(value string) bool
	AnotherCount(act Act, argument, value string) bool
	AnotherDay(act Act, value string) bool
	Chosen(act Act, r Resolution) bool

	Sink(text string) (address string, found bool)
	Whole(e label.Evidence) bool
}

// At returns the session as one decision reads it: at the given time, with its own
// steps to spend. The reader is of no use once the session has changed.
func (s *Session) At(now time.Time) Reader {
	v := &struct {
		Session
		own meter
	}{Session: *s}
	v.work = &v.own
	v.work.begin(0, 0)
	v.vouch.work = v.work
	v.memo = memo{}
	if s.clock != nil {
		v.clock = func() time.Time { return now }
	}
	return &v.Session
}

// Keep takes over what a reader of the session worked out that holds for every
// decision.
func (s *Session) Keep(r Reader) {
	if v, ok := r.(*Session); ok && len(s.nameOf)+len(v.memo.names) <= maxNames {
		maps.Copy(s.nameOf, v.memo.names)
	}
}

// memo is what was worked out about the session as it is.
type memo struct {
	names    map[nameKey]name
	named    map[procedureOf]map[string]bool // the records that the user named
	picked   map[int32]picked                // the records that the user called by something in them
	extremes map[extremeOf][2]string         // the records that superlatives pick, with the field
}

// extremeOf is a superlative's word in a result.
type extremeOf struct {
	event int32
	word  string
}

// remember adds to a map that is made when it is needed.
func remember[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}
