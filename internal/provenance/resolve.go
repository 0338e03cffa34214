package provenance

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Form is the inner structure of a string, by which it is resolved part by
// part. The empty form lets the value itself say.
type Form string

// The forms, as contracts spell them.
const (
	FormURL     Form = "url"
	FormAddress Form = "address"
	FormPath    Form = "path"
	FormShell   Form = "shell"
	FormSQL     Form = "sql"
)

// Value is one leaf of a proposed call.
type Value struct {
	Pointer string
	Kind    strictjson.Kind
	Text    string
	Form    Form
	// Listed reports whether the tool's definition lists the values that there may be.
	Listed bool
	// Brief leaves single words out of what explains the value, and shows only
	// where it, or pieces of it, were copied from: enough where no answer
	// depends on it.
	Brief bool
}

// The ways to find a label on which decisions depend.
const (
	// HowEmpty is that of a value which says nothing.
	HowEmpty = "empty"
	// HowConstant is that of a value which the service itself has for the ordinary case, such as
	// "primary" for a calendar.
	HowConstant = "constant of the service"
	// HowURL is that of a link, found part by part.
	HowURL = "URL parts"
	// HowHeard is that of a value for which only the model, or a tool's definition, answers.
	HowHeard = "heard"
)

// Resolution is what is known about one value.
type Resolution struct {
	Label label.Label
	// How names the way in which the label was found.
	How string
	// Evidence are the places that the label rests on, or that explain it.
	Evidence []label.Evidence
	// Witness reports whether something vouches for the value; otherwise the
	// label is the ambient one.
	Witness bool
	// Parts are the parts of a structured value; empty for a plain one. The
	// label is the merge of all of them.
	Parts []Part
	// Offers are those that the fields of results offer for the value.
	Offers []Offer
	// LooksLike is what the user wrote, when the value looks like it and is
	// something else.
	LooksLike string
	// Bounded reports whether the value is a plain number or date that was taken,
	// or computed, from the user's words and from fields of results that are
	// not external: a bounded format from a bounded source.
	Bounded bool
	// Unsaid reports whether the value gives a right, and the user said its word in
	// another sense.
	Unsaid bool

	numeric, right bool
	refs           []fieldRef // the fields of results that it was taken from
}

// take merges a part into a composed value.
func (r *Resolution) take(part Resolution) {
	r.Label = label.Merge(r.Label, part.Label)
	r.Evidence = append(r.Evidence, part.Evidence...)
	r.refs = append(r.refs, part.refs...)
}

// Part is one part of a structured value.
type Part struct {
	// Name is "host", "path", "query", "address", "name", "word" and so on.
	Name string
	Text string
	// Authority reports whether the part decides where the call goes or what it
	// does; other parts carry content.
	Authority bool
	Label     label.Label
}

// Authority returns the label of the parts that decide where a call goes or
// what it does: the whole label for a value without parts.
func (r *Resolution) Authority() label.Label {
	if len(r.Parts) == 0 {
		return r.Label
	}
	l, any := label.Identity(), false
	for _, p := range r.Parts {
		if p.Authority {
			l, any = label.Merge(l, p.Label), true
		}
	}
	if !any {
		return r.Label
	}
	return l
}

// Offer is what a field of a result offers to vouch for a value: a procedure
// turns it into a certificate where the contract lists the procedure.
type Offer struct {
	Procedure, Basis string
	// Key is what the user said, by which the value was looked up; empty where it
	// was named in another way.
	Key   string
	Roles label.RoleSet
	Max   label.Trust
}

// Bounds of a resolution.
const (
	// maxPieces is how many pieces a list, a path or a command line may have
	// to be resolved piece by piece.
	maxPieces = 64
	// fuelPerCall is how many comparisons the evidence of one call may cost.
	fuelPerCall = 4_000_000
)

// Resolve finds the labels of all leaves of a proposed call.
func (s *Session) Resolve(act Act, values []Value) []Resolution {
	bytes := 0
	for i := range values {
		bytes += len(values[i].Text) + len(values[i].Pointer)
	}
	s.work.begin(bytes, len(values))
	s.memo = memo{names: s.memo.names}

	out, fuel := make([]Resolution, len(values)), fuelPerCall
	for i := range values {
		q := query{s: s, act: act, v: values[i], n: s.name(values[i].Pointer, act.Tool), siblings: values}
		out[i] = q.resolution()
		r := &out[i]
		if !r.Witness {
			s.lookalike(values[i].Text, r)
		}
		partly := len(r.Parts) > 0 && r.Label.Trust <= s.ambient.Trust
		if partly || !r.Witness {
			found := s.explain(&values[i], &fuel)
			if len(r.Evidence) > 0 {
				found = append(r.Evidence, found...)
			}
			r.Evidence = found
		}
	}
	return out
}

// resolution resolves the value, and takes back what its call gives no reason for.
func (q *query) resolution() Resolution {
	s := q.s
	var r Resolution
	if !s.work.spent() {
		r = q.resolve()
	}

	if s.ambient.Trust >= label.User {
		// No text of others was read yet, so that the user's words alone led to
		// whatever was picked.
		r.Label.Obligations &^= unsteered
		for i := range r.Parts {
			r.Parts[i].Label.Obligations &^= unsteered
		}
	} else if q.act.Effect != Reads {
		r.Offers = slices.DeleteFunc(r.Offers, func(o Offer) bool { return o.Key != "" && !q.isKeyRequested(o.Key) })
	}
	if r.Bounded && r.Label.Trust < label.User && q.isOutbid() {
		r.Bounded = false
	}

	if s.work.spent() {
		return exhausted(s.Ambient())
	}
	return r
}

// unsteered are the doubts that matter only where text of others was read.
const unsteered = label.LowInfo | label.AmbiguousBinding | label.Unrequested

// exhausted returns the resolution of a value that was not looked at to the end.
func exhausted(ambient label.Label) Resolution {
	l := label.Merge(ambient, label.Label{Origins: label.OriginsOf(label.OriginUnknown), Trust: label.External})
	l.Obligations |= unsteered
	return Resolution{Label: l, How: "not looked at: the call takes too many steps"}
}

// query is the resolution of one value.
type query struct {
	s        *Session
	act      Act
	v        Value
	n        name
	siblings []Value
}

func (q *query) resolve() Resolution {
	v := q.v
	switch v.Kind {
	case strictjson.Null, strictjson.Object, strictjson.Array:
		// An absent or empty value has nothing to choose.
		return Resolution{Label: label.Label{Origins: label.OriginsOf(label.OriginConfig), Trust: label.Trusted}, How: HowEmpty, Witness: true}
	case strictjson.Bool:
		return q.resolveFlag()
	case strictjson.Number:
		if r, ok := q.resolveNumber(); ok {
			return r
		}
		return q.ambient()
	}
	if v.Text == "" {
		return q.ambient()
	}

	if r, ok := q.resolveText(v.Text); ok {
		return q.orComponent(r)
	}
	if q.v.Form == FormSQL && q.act.Effect == Reads && q.act.Tool != "" && onlyReads(v.Text) {
		return q.settled("a query that only reads", "one SELECT, in a call that only reads")
	}
	if r, ok := q.resolveStructured(); ok {
		return r
	}
	if q.v.Form == FormShell || q.v.Form == FormSQL {
		return q.ambient() // code is not put together from pieces
	}

	if r, ok := q.resolveDerived(); ok {
		return q.orComponent(r)
	}
	for _, try := range [...]func(string) (Resolution, bool){q.resolvePathBelow, q.resolveNewPath, q.resolveConstant, q.resolveSetting, q.resolveUntold} {
		if r, ok := try(v.Text); ok {
			return r
		}
	}
	return q.ambient()
}

// resolveText resolves a string as a whole: by exact or typed equality, or as a field.
func (q *query) resolveText(text string) (Resolution, bool) {
	if !q.s.work.spend(len(text)) {
		return Resolution{}, false
	}
	if isClean(text) {
		if r, ok := q.resolveExact(text); ok {
			return r, true
		}
		if r, ok := q.resolveTyped(text); ok {
			return r, true
		}
	}

	v := q.v
	v.Text = text
	if r, ok := q.s.field(v, q.n); ok && r.Label.Trust > q.s.ambient.Trust {
		r.Bounded = r.Bounded || r.numeric
		return r, true
	} else if ok && len(r.Offers) > 0 {
		return r, true
	}
	return Resolution{}, false
}

// ambient returns the resolution of a value that nothing vouches for.
func (q *query) ambient() Resolution {
	return Resolution{Label: q.s.Ambient(), How: "ambient"}
}

// isClean reports whether a value may be vouched for at all: text in one normal
// form, without characters that a person doesn't see.
func isClean(s string) bool {
	for i := range len(s) {
		c := s[i]
		visible := ' ' <= c && c < 0x7f
		if !visible && c != '\n' && c != '\t' && c != '\r' {
			ok, _ := normal.CleanText(s)
			return utf8.ValidString(s) && ok
		}
	}
	return true
}

// isPlain reports whether a text is clean, on one line, and in one piece.
func isPlain(s string) bool { return !strings.ContainsAny(s, "\n\t\r ") && isClean(s) }

// resolveExact resolves a value that appears word for word in vouching text. Of several
// occurrences the best counts: to repeat a value doesn't change it.
func (q *query) resolveExact(text string) (Resolution, bool) {
	found := q.s.vouch.find(text, false)
	return q.best(text, found, "exact", false)
}

func (q *query) best(text string, found []occurrence, how string, folded bool) (Resolution, bool) {
	var best Resolution
	ok := false
	for _, o := range found {
		if q.s.work.spent() {
			return Resolution{}, false
		}
		r, vouches := q.judge(text, o, folded)
		if !vouches {
			continue
		}
		r.How = how
		if !ok || isSurer(r.Label, best.Label) {
			best, ok = r, true
		}
	}
	return best, ok
}

// isSurer reports whether an occurrence says more than another: by its trust, and with the same
// trust by fewer doubts. What was asked for comes before what others merely mention.
func isSurer(a, b label.Label) bool {
	asked, mentioned := a.Obligations&label.Unrequested == 0, b.Obligations&label.Unrequested != 0
	switch {
	case asked && mentioned:
		return true
	case !asked && !mentioned:
		return false
	case a.Trust != b.Trust:
		return a.Trust > b.Trust
	}
	return a.Obligations < b.Obligations
}

// resolveNumber resolves a JSON number.
func (q *query) resolveNumber() (Resolution, bool) {
	if r, ok := q.resolveTypedNumber(q.v.Text); ok {
		return r, true
	}
	if r, ok := q.s.field(q.v, q.n); ok && (r.Label.Trust > q.s.ambient.Trust || len(r.Offers) > 0) {
		r.Bounded = r.Label.Trust >= label.ToolOutput
		return r, true
	}
	return q.resolveArithmetic(q.v.Text)
}
