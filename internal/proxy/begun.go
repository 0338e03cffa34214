package proxy

import (
	"bytes"
	"crypto/sha256"
	digest "hash"
	"slices"
	"sync"

	"github.com/remit-project/remit/internal/strictjson"
)

// Bounds on what is kept of the beginnings of requests.
const (
	// minBegun is how long a body must be: a shorter one is read as quickly.
	minBegun = 64 << 10
	// maxBegun bounds the bodies, and maxBegunTurns their turns, of which each takes some
	// ninety bytes.
	maxBegun, maxBegunTurns = 256, 1 << 18
	// tailLength is how many bytes of its end tell quickly that a body began otherwise.
	tailLength = 64
)

// begun is how a request's body began, up to the end of its last turn: clients send the whole
// conversation again. Of a body with the same bytes only the rest is read. It is immutable,
// and nil where nothing is known.
type begun struct {
	tenant hash
	// sum is the hash of the bytes, and tail are the last of them.
	sum  hash
	tail string
	// read is what was read of the body: it has no marks, and no escapes by number.
	read strictjson.Begun
	// before, spoken and system are those of the turns, as in [reader].
	before, spoken []hash
	system         []bool
}

// end returns where the rest of a body begins.
func (b *begun) end() int {
	if b == nil {
		return 0
	}
	return b.read.End()
}

// members lists the members of a body, and the elements of its large one.
func (b *begun) members(body []byte, large string) ([]strictjson.Member, []strictjson.Span, error) {
	if b != nil {
		if members, elements, ok := b.read.MembersWith(body, large); ok {
			return members, elements, nil
		}
	}
	return strictjson.MembersWith(body, large)
}

// repair is [strictjson.Repair] for a body that began so.
func (b *begun) repair(body []byte) []byte {
	if b == nil {
		return strictjson.Repair(body)
	}
	rest := strictjson.Repair(body[b.end():])
	if bytes.Equal(rest, body[b.end():]) {
		return body
	}
	return slices.Concat(body[:b.end()], rest)
}

// beginnings are how requests began, the latest first.
type beginnings struct {
	least int // how long a body must be

	mu   sync.Mutex
	list []*begun
}

// find returns how a body began before, of the same tenant, and the hash of that as far as it
// goes.
func (s *beginnings) find(tenant hash, body []byte) (*begun, digest.Hash) {
	if len(body) < s.least {
		return nil, sha256.New()
	}
	s.mu.Lock()
	var candidates []*begun
	for _, b := range s.list {
		if b.tenant == tenant && b.end() <= len(body) && bytes.HasSuffix(body[:b.end()], []byte(b.tail)) {
			candidates = append(candidates, b)
		}
	}
	s.mu.Unlock()

	// The longest that fits; there is hardly ever more than one.
	slices.SortStableFunc(candidates, func(a, b *begun) int { return b.end() - a.end() })
	for _, b := range candidates[:min(len(candidates), 2)] {
		sum := sha256.New()
		sum.Write(body[:b.end()])
		if hash(sum.Sum(nil)) == b.sum {
			return b, sum
		}
	}
	return nil, sha256.New()
}

// keep remembers how a body began, in the place of what it began with before.
func (s *beginnings) keep(tenant hash, body []byte, sum digest.Hash, r *reader) {
	read, earlier := r.req.read, r.begun
	if len(read.Elements) == 0 || len(read.Elements) != len(r.req.turns) || len(read.Elements) > maxBegunTurns || len(body) < s.least {
		return
	}
	fresh := body[earlier.end():read.End()]
	if !unmarked(fresh) {
		return
	}
	sum.Write(fresh)
	b := &begun{tenant: tenant, sum: hash(sum.Sum(nil)), tail: string(body[max(0, read.End()-tailLength):read.End()]),
		read: read, before: r.before, spoken: r.spoken, system: r.system}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(had *begun) bool { return had == earlier || (had.tenant == tenant && had.sum == b.sum) })
	s.list = slices.Insert(s.list, 0, b)
	turns := 0
	for i, b := range s.list {
		if turns += len(b.system); i > 0 && (i >= maxBegun || turns > maxBegunTurns) {
			s.list = slices.Delete(s.list, i, len(s.list))
			break
		}
	}
}
