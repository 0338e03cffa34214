package provenance

import (
	"strconv"
	"time"

	"github.com/remit-project/remit/internal/provenance/index"
	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Session is what is known about one conversation: every text that the model
// has seen, with its label, and the indexes over it. It only grows.
type Session struct {
	clock   calendar
	events  []event
	names   map[string]int
	repeats map[string]int // the last number behind a name that came again
	ambient label.Label
	told    bool  // something below USER was read that has text at all
	low     []int // events with text below USER, the ones ambient values may come from
	vouch   vouching
	work    *meter // of the decision or the text that is looked at
	fields  fieldIndex
	wide    *index.Index
	own     *index.Index // of what the model wrote through calls with less than the user's trust
	written map[string]write
	writes  int
	// unindexed are the events that the model wrote since the last text.
	unindexed []uint32
	nameOf    map[nameKey]name // not written by readers: see [Session.At]
	prose     bool             // a result has had text that a person may have written
	proposal  string           // the model's last text, which the user may agree to
	spoken    bool             // the user has said something

	numeric []numericResult // what arithmetic works with, the latest first
	memo    memo
}

type event struct {
	name  string
	text  string
	label label.Label
	out   *output // for results only
	// written marks what the model wrote through a call: it may come back as
	// the result of another.
	written bool
	blank   bool // a result without any text
}

// output is a result in its fields.
type output struct {
	doc     *strictjson.Document
	words   []string // of the producing tool's name
	spec    Spec
	argText []argument // the producing call's own arguments, for echoes
	floor   label.Trust
	records int
	// narrowed reports whether an argument that nothing vouches for selected what was
	// returned: one record is then as good as chosen.
	narrowed bool
	partial  bool     // records may have been left out
	by       []string // ordinary words of the user's that selected it
	keyed    []string // for each of spec.Certify, the record that its key names
}

type argument struct {
	text  string
	label label.Label
}

// write is a short value of low trust that the model wrote through a call, with
// the number of events before it.
type write struct {
	before int32
	label  label.Label
}

type nameKey struct{ tool, pointer string }

// New returns a session without events. The clock gives relative dates their
// meaning; without one (nil) they vouch for nothing.
func New(clock func() time.Time) *Session {
	work := new(meter)
	work.begin(0, 0)
	return &Session{
		clock:   clock,
		names:   map[string]int{},
		repeats: map[string]int{},
		ambient: label.Identity(),
		work:    work,
		vouch:   newVouching(work),
		fields:  newFieldIndex(),
		wide:    index.New(index.Options{}),
		own:     index.New(index.Options{}),
		written: map[string]write{},
		nameOf:  map[nameKey]name{},
	}
}

// Ambient returns the merge of everything that the model has seen so far: the label of a value
// about which nothing better is known.
func (s *Session) Ambient() label.Label {
	a := s.ambient
	a.Origins = a.Origins.Union(label.OriginsOf(label.OriginModel))
	// Without any text, a value is the model's own invention on the user's
	// behalf, and no more trusted than the user.
	a.Trust = min(a.Trust, label.User)
	return a
}

// Unseen notes that the model has read what this session was never told, as the
// user's words and whatever came with them: its authors are unknown.
func (s *Session) Unseen() {
	s.ambient = label.Merge(s.ambient, label.Label{Origins: label.OriginsOf(label.OriginUnknown), Trust: label.External})
	s.told = true
}

// Spoken reports whether the user has said anything here.
func (s *Session) Spoken() bool { return s.spoken }

// Text returns the text of an event, or of a field of a result, by the name
// that evidence gives it: "user:0", "result:c1#/emails/0/body".
func (s *Session) Text(origin string) (string, bool) {
	if i, ok := s.names[origin]; ok {
		return s.events[i].text, true
	}
	// Both the id of a call and the name of a member may have the sign that
	// divides them.
	for at := range len(origin) {
		if origin[at] != '#' {
			continue
		}
		i, ok := s.names[origin[:at]]
		if !ok || s.events[i].out == nil || s.events[i].out.doc == nil {
			continue
		}
		if leaf, ok := s.events[i].out.doc.Get(origin[at+1:]); ok {
			return leaf.Text, true
		}
	}
	return "", false
}

// System adds text of the deployment. It vouches as TRUSTED.
func (s *Session) System(name, text string) {
	text = normal.Visible(text)
	l := label.Label{Origins: label.OriginsOf(label.OriginSystem), Trust: label.Trusted}
	s.vouchFor(text, l)
	s.add(event{name: name, text: text, label: l})
}

// vouchFor makes the text of the next event vouch. One that doesn't fit may have
// ruled out what was said before, so all of that vouches no more.
func (s *Session) vouchFor(text string, l label.Label) bool {
	if !s.vouch.fits(text) {
		s.vouch = newVouching(s.work)
	}
	return s.vouch.add(len(s.events), text, l, s.clock)
}

// User adds what the user said. It vouches as USER, except for what the user quotes from others:
// reply lines, forwarded messages, and a text longer than [MaxVouching] are external.
func (s *Session) User(name, text string) {
	l := label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.User}
	text = normal.Visible(text)
	own, quoted := carve(text)
	if s.vouchFor(own, l) {
		s.vouch.propose(s.proposal)
	} else {
		quoted = true
	}
	s.proposal, s.spoken = "", true
	if quoted {
		l.Trust = label.External
	}
	s.add(event{name: name, text: text, label: l})
}

// External adds text that the user passed on without having written it.
func (s *Session) External(name, text string) {
	s.add(event{name: name, text: text, label: label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.External}})
}

// Model adds text that the model wrote. It is evidence only: whatever vouched
// for its words vouches for them again.
func (s *Session) Model(name, text string) {
	s.proposal = text
	s.add(event{name: name, text: text, label: s.Ambient()})
}

func (s *Session) add(e event) int {
	s.memo = memo{names: s.memo.names}
	n := len(s.events)
	e.name = s.unused(e.name)
	s.events = append(s.events, e)
	s.names[e.name] = n
	s.see(n, e.label)
	s.told = s.told || (e.label.Trust < label.User && !e.blank)
	s.catchUp()
	s.wide.Append(uint32(n), e.text)
	return n
}

// unused returns a name that no event has: one that came before keeps its meaning, since evidence
// refers to it.
func (s *Session) unused(name string) string {
	free := name
	for {
		if _, taken := s.names[free]; !taken {
			return free
		}
		s.repeats[name] = max(1, s.repeats[name]) + 1
		free = name + "~" + strconv.Itoa(s.repeats[name])
	}
}

// catchUp indexes what the model wrote through calls. That waits for the next
// text, which is the first that can repeat it: a decision needn't.
func (s *Session) catchUp() {
	for _, n := range s.unindexed {
		s.wide.Append(n, s.events[n].text)
		s.own.Append(n, s.events[n].text)
	}
	s.unindexed = s.unindexed[:0]
}

// see lowers the ambient label.
func (s *Session) see(event int, l label.Label) {
	s.ambient = label.Merge(s.ambient, l)
	if l.Trust < label.User {
		s.low = append(s.low, event)
	}
}

// Called notes the arguments of a call that is going to run. What the model writes
// through a tool with less than the user's trust is known as low, wherever it comes
// back from.
func (s *Session) Called(name string, values []Value, resolved []Resolution) {
	for i, v := range values {
		l := resolved[i].Label

		switch {
		case l.Trust >= label.User, v.Kind == strictjson.Bool, v.Kind == strictjson.Null, v.Text == "":
		case len(v.Text) >= minEcho:
			n, origin := len(s.events), name+v.Pointer
			s.events = append(s.events, event{name: origin, text: v.Text, label: l, written: true})
			s.names[origin] = n
			s.unindexed = append(s.unindexed, uint32(n))
			s.writes++
		default:
			key := fieldKey(v.Text)
			w, ok := s.written[key]
			if !ok {
				w = write{int32(len(s.events)), l}
			}
			w.label = label.Merge(w.label, l)
			s.written[key] = w
		}
	}
}

const (
	// minEcho is the length from which a value is recognised inside of others
	// when it comes back: shorter ones are found in any text, and are compared
	// with whole fields.
	minEcho = 8
	// maxSelecting is how many ordinary words that selected a result are kept.
	maxSelecting = 8
)

// Influences names the events that a value with the ambient label may have come
// from: those below USER, or all of them before the first such.
func (s *Session) Influences() []string {
	var out []string
	for _, i := range s.low {
		out = append(out, s.events[i].name)
	}
	if out == nil {
		for _, e := range s.events {
			out = append(out, e.name)
		}
	}
	return out
}
