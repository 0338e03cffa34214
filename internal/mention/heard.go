package mention

import (
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/memo"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Heard keeps what the texts of a session say by themselves, whatever was looked up. It is safe for
// concurrent use.
type Heard struct {
	values memo.Map[saying, bool]
	// rest are the texts as [Text.inPlace] has them, and plain without numbers that mean another than they say.
	rest, plain memo.Map[string, Text]
	resolvers   memo.Map[string, *resolver]
}

// NewHeard returns a session in which nothing was heard yet.
func NewHeard() *Heard {
	h := &Heard{}
	h.resolvers.Bound = maxResolvers
	return h
}

// says reports whether a text has a value itself, however people write it.
func (h *Heard) says(t Text, value string) bool {
	return h.values.Of(saying{t.raw, value}, func() bool {
		if isNumber(value) {
			return h.saysNumber(t, value)
		}
		return t.saysWhole(value) || (isMoment(value) && h.resolver(t).vouches(strictjson.String, value))
	})
}

// saysNumber reports whether a text has a number, as digits or as a word: 1250.5 as "$1,250.50".
func (h *Heard) saysNumber(t Text, value string) bool {
	if strings.HasPrefix(value, "-") {
		return t.says(NewText(value).words) && strings.Contains(strings.ReplaceAll(t.raw, "−", "-"), value)
	}
	plain := h.plainOf(t)
	bySign := !strings.Contains(value, ".") && plain.says(NewText(value).words)
	return bySign || t.countsTo(value) || h.resolver(plain).vouches(strictjson.Number, value)
}

// inPlace is [Text.inPlace].
func (h *Heard) inPlace(t Text) Text {
	return h.rest.Of(t.raw, t.inPlace)
}

// Read reads the days, times and numbers in a text ahead of a search.
func (h *Heard) Read(t Text) {
	if len(t.raw) <= maxResolved {
		h.resolver(t)
		h.resolver(h.plainOf(t))
	}
}

// plainOf returns a text without the numbers that mean another than they say.
func (h *Heard) plainOf(t Text) Text {
	return h.plain.Of(t.raw, func() Text { return NewText(qualified().ReplaceAllString(t.raw, " … ")) })
}

// resolver finds days, times and numbers in a text of the user's.
type resolver struct {
	mu      sync.Mutex
	session *provenance.Session
}

// Bounds on the resolvers that are kept, and on their texts in bytes: each is many times its text.
const (
	maxResolvers = 64
	maxResolved  = 2 << 10
)

func (h *Heard) resolver(t Text) *resolver {
	if len(t.raw) > maxResolved {
		return newResolver(t.raw)
	}
	return h.resolvers.Of(t.raw, func() *resolver { return newResolver(t.raw) })
}

func newResolver(text string) *resolver {
	s := provenance.New(nil)
	s.External("others", "-") // what the text doesn't have is not its author's
	s.User("said", text)
	return &resolver{session: s}
}

// vouches reports whether the text has a value, however people write it: 1988-02-11 as "February 11, 1988".
func (r *resolver) vouches(kind strictjson.Kind, value string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	resolved := r.session.Resolve(provenance.Act{}, []provenance.Value{{Pointer: "/value", Kind: kind, Text: value, Brief: true}})
	return len(resolved) == 1 && resolved[0].Label.Trust >= label.User
}
