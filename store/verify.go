package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"time"
)

// Report is the outcome of a verification.
type Report struct {
	// Sessions and Entries were checked; Pruned sessions were removed by
	// retention, which the log vouches for.
	Sessions int   `json:"sessions"`
	Entries  int64 `json:"entries"`
	Pruned   int   `json:"pruned,omitempty"`
	// Head is the end that the store's own chain had when the verification began.
	Head ChainHead `json:"head"`
	// Unnoted is the number of entries that no head of a session in the store's
	// own chain covers yet: their being cut off would not be noticed.
	Unnoted int64 `json:"unnoted,omitempty"`
	// Problems are what is wrong, at most [MaxProblems]; More counts the rest.
	Problems []Problem `json:"problems,omitempty"`
	More     int       `json:"more,omitempty"`
}

// MaxProblems bounds the problems that a report spells out: one broken chain
// says it all, and a thousand lines say no more.
const MaxProblems = 100

// OK reports whether nothing is wrong.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// found returns what is kept of a report that was made at a time.
func (r *Report) found(at time.Time) Verification {
	return Verification{At: at, Entries: r.Entries, Sessions: r.Sessions, Problems: len(r.Problems) + r.More, Head: r.Head}
}

// Problem is one thing that is wrong with an audit log.
type Problem struct {
	Chain string `json:"chain"`
	N     int64  `json:"n"`
	What  string `json:"what"`
}

func (p Problem) String() string {
	if p.Chain == "" {
		return fmt.Sprintf("the store's own chain, entry %d: %s", p.N, p.What)
	}
	return fmt.Sprintf("session %q, entry %d: %s", p.Chain, p.N, p.What)
}

// VerifyLines checks an exported log, and that the given heads are in it. An
// error means that it could not be read.
func VerifyLines(lines iter.Seq2[Line, error], heads ...Hash) (*Report, error) {
	v := newVerifier(heads)
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		v.line(l)
	}
	v.end()
	return v.finish(), nil
}

// maxLine bounds a line of an export: the largest entry is one of heads.
const maxLine = 32 << 20

// ReadLines reads an export: one [Line] in JSON on every line.
func ReadLines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 0, 1<<16), maxLine)
		for n := 1; in.Scan(); n++ {
			var l Line
			if err := json.Unmarshal(in.Bytes(), &l); err != nil {
				yield(l, fmt.Errorf("line %d: it is not a line of an audit log: %w", n, err))
				return
			}
			// Unmarshal doesn't share its input's bytes: Entry is a copy.
			if !yield(l, nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield(Line{}, err)
		}
	}
}

// WriteLine writes one line of an export.
func WriteLine(w io.Writer, l Line) error {
	// By hand, since the entry's bytes are what was hashed and must stay.
	_, err := fmt.Fprintf(w, "{\"hash\":%q,\"entry\":%s}\n", l.Hash, l.Entry)
	return err
}

// maxFollowed bounds what a verifier keeps at a time where the log can be read again:
// sessions, and the heads of them that the store's own chain names. It is some tens of
// megabytes.
const maxFollowed = 100_000

// verifier follows the chains line by line. Its memory is proportional to the
// sessions and to the heads that the store's own chain names, of all sessions or of those
// between two ids.
type verifier struct {
	report   Report
	wanted   []Hash
	sessions map[string]*followed
	// after and upTo bound the ids of the sessions that are followed; an empty upTo bounds
	// nothing. most bounds what is kept of them, 0 for no bound: then upTo is lowered.
	after, upTo string
	most, kept  int
	// again is set when the store's own chain was checked before, and ofOwn is how many
	// entries of the report are of it.
	again bool
	ofOwn int64
	// resumed are the problems that an interrupted verification had found.
	resumed []Problem
	// now is the chain that is being followed; own the store's.
	now *followed
	own *followed
}

// followed is what is known about one chain.
type followed struct {
	ChainHead
	begun, seen, broken bool
	pruned              *ChainHead
	events              int64
	promised            []ChainHead // heads that the store's own chain names
}

func newVerifier(heads []Hash) *verifier {
	v := &verifier{wanted: slices.Clone(heads), sessions: map[string]*followed{}, own: &followed{begun: true}}
	v.wanted = slices.DeleteFunc(v.wanted, func(h Hash) bool { return h == Hash{} }) // the head of an empty log
	return v
}

// from goes on after the sessions that were checked before.
func (v *verifier) from(p Progress) {
	v.after, v.report = p.After, p.Report
	v.resumed = slices.Clip(p.Report.Problems)
	v.report.Problems = v.resumed
	if p.Own.Hash != (Hash{}) {
		v.wanted = append(v.wanted, p.Own.Hash)
	}
}

// progress returns what [verifier.from] goes on from. The entries of the store's own chain are
// counted again. A chain that is broken has no head to hold it to.
func (v *verifier) progress(began time.Time) Progress {
	p := Progress{Began: began, After: v.after, Report: v.report}
	p.Report.Problems = slices.Clip(v.report.Problems) // what is found later isn't in it
	p.Report.Entries -= v.ofOwn
	p.Report.Head = v.head()
	if !v.own.broken {
		p.Own = ChainHead{Entries: v.own.Entries, Hash: v.own.Hash}
	}
	return p
}

func (v *verifier) problem(chain string, n int64, format string, args ...any) {
	p := Problem{chain, n, fmt.Sprintf(format, args...)}
	switch {
	case slices.Contains(v.resumed, p): // one of the store's own chain, which is checked again
	case len(v.report.Problems) >= MaxProblems:
		v.report.More++
	default:
		v.report.Problems = append(v.report.Problems, p)
	}
}

// errSkip says that an entry can't be read any further.
var errSkip = errors.New("unreadable entry")

// line checks one entry and returns it.
func (v *verifier) line(l Line) (*Entry, error) {
	v.report.Entries++
	var e Entry
	if err := json.Unmarshal(l.Entry, &e); err != nil {
		v.problem("", v.report.Entries, "unreadable: %v", err)
		return nil, errSkip
	}

	c := v.chain(e.Chain)
	if e.Chain == "" && v.now != v.own && v.now != nil {
		v.problem("", e.N, "it stands among the sessions: the store's own chain comes first")
	}
	if c != v.now && c.seen {
		v.problem(e.Chain, e.N, "the chain is in two pieces")
	}
	v.now, c.seen = c, true

	prev := c.Hash
	switch {
	case e.N != c.Entries:
		if !c.broken {
			v.problem(e.Chain, e.N, "entry %d was expected here: entries are missing, added or out of order", c.Entries)
		}
		c.broken = true
	case link(prev, l.Entry) != l.Hash:
		if !c.broken {
			v.problem(e.Chain, e.N, "the hash is wrong: this entry or one before it was changed")
		}
		c.broken = true
	}

	c.ChainHead = ChainHead{e.Chain, e.N + 1, l.Hash}
	v.wanted = slices.DeleteFunc(v.wanted, func(h Hash) bool { return e.Chain == "" && h == l.Hash && !c.broken })
	v.promises(c, &e)
	if e.Seq != nil {
		if *e.Seq != c.events {
			v.problem(e.Chain, e.N, "it is about event %d, and event %d comes next", *e.Seq, c.events)
		}
		c.events = *e.Seq + 1
	}
	if e.Chain == "" {
		v.ofOwn++
		v.ownEntry(&e)
	}
	return &e, nil
}

// said takes what an entry of the store's own chain says, which was checked before.
func (v *verifier) said(l Line) {
	var e Entry
	if json.Unmarshal(l.Entry, &e) == nil { // else it was found before
		v.ownEntry(&e)
	}
}

// promises checks what the store's own chain says of an entry.
func (v *verifier) promises(c *followed, e *Entry) {
	for _, p := range c.promised {
		if p.Entries == c.Entries && p.Hash != c.Hash {
			v.problem(e.Chain, e.N, "the store's own chain has noted another hash for it: the chain was rewritten")
		}
	}
}

func (v *verifier) chain(id string) *followed {
	if id == "" {
		return v.own
	}
	c := v.sessions[id]
	if c == nil {
		c = &followed{ChainHead: ChainHead{Chain: id}}
		v.sessions[id] = c
	}
	return c
}

// follows reports whether a session is one of those that are followed.
func (v *verifier) follows(id string) bool {
	return id > v.after && (v.upTo == "" || id <= v.upTo)
}

// keep counts what is kept of sessions. Where it is too much, those with the largest ids
// are left for another time.
func (v *verifier) keep() {
	if v.kept++; v.most == 0 || v.kept < 2*v.most {
		return
	}
	ids := slices.Sorted(maps.Keys(v.sessions))
	v.kept = 0
	for _, id := range ids {
		c := v.sessions[id]
		// One at least, however much is said of it.
		if v.kept += 1 + len(c.promised); v.kept > v.most && id != ids[0] {
			delete(v.sessions, id)
			continue
		}
		v.upTo = id
	}
	v.kept = min(v.kept, v.most)
}

// next goes on to the sessions that were left, and reports whether there are any.
func (v *verifier) next() bool {
	v.end()
	if v.upTo == "" {
		return false
	}
	v.after, v.upTo, v.kept, v.again = v.upTo, "", 0, true
	v.sessions, v.now = map[string]*followed{}, v.own
	return true
}

// ownEntry notes what an entry of the store's own chain says about sessions.
func (v *verifier) ownEntry(e *Entry) {
	heads := slices.DeleteFunc(slices.Clone(e.Heads), func(h ChainHead) bool { return !v.follows(h.Chain) })

	switch e.Kind {
	case BegunEntry:
		if !v.follows(e.Session) {
			return
		}
		c := v.chain(e.Session)
		v.keep()
		if c.begun {
			v.problem("", e.N, "session %q is begun a second time", e.Session)
		}
		c.begun = true
	case HeadsEntry:
		for _, h := range heads {
			if !v.follows(h.Chain) { // no longer
				continue
			}
			c := v.chain(h.Chain)
			c.promised = append(c.promised, h)
			v.keep()
		}
	case PrunedEntry:
		for _, h := range heads {
			c := v.chain(h.Chain)
			c.pruned = &h
			for _, p := range c.promised {
				longer, other := p.Entries > h.Entries, p.Entries == h.Entries && p.Hash != h.Hash
				if longer || other {
					v.problem("", e.N, "session %q was pruned with another head than the one that was noted before", h.Chain)
				}
			}
		}
	}
}

// head is the end that the store's own chain had when the verification began.
func (v *verifier) head() ChainHead {
	if v.report.Head != (ChainHead{}) {
		return v.report.Head // as an interrupted verification noted it
	}
	return ChainHead{Entries: v.own.Entries, Hash: v.own.Hash}
}

// finish makes the report.
func (v *verifier) finish() *Report {
	r := &v.report
	r.Head = v.head()
	for _, h := range v.wanted {
		v.problem("", v.own.Entries, "the head %s is not in the log: something before it was changed or cut", h)
	}
	return r
}

// end checks what can only be known at the end of the sessions that are followed.
func (v *verifier) end() {
	for _, id := range slices.Sorted(maps.Keys(v.sessions)) {
		v.endOf(id, v.sessions[id])
	}
}

func (v *verifier) endOf(id string, c *followed) {
	switch {
	case c.pruned != nil && c.seen:
		v.problem(id, 0, "it was pruned, and is here again")
	case c.pruned != nil:
		v.report.Pruned++
		return
	case !c.seen:
		v.problem(id, 0, "the session is missing")
		return
	case !c.begun:
		v.problem(id, 0, "the store's own chain doesn't know that the session was begun")
	}

	v.report.Sessions++
	noted := int64(0)
	for _, p := range c.promised {
		noted = max(noted, p.Entries)
	}

	if noted > c.Entries {
		v.problem(id, c.Entries, "the chain is cut: %d entries were noted", noted)
	}
	v.report.Unnoted += max(c.Entries-noted, 0)
}
