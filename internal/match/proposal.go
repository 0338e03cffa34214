package match

import (
	"sync"
	"time"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// Argument is one scalar among the arguments of a call.
type Argument struct {
	Pointer string
	Text    string
	// Empty marks null, the empty text and empty arrays and objects, and Null the first.
	Empty, Null bool
	// String marks a text, which is no number however it is written.
	String bool
	// Role is what the argument is to security, by the tool's contract.
	Role label.Role
	// Doubtful reports whether the monitor would ask about the argument.
	Doubtful bool
	// Said reports whether the value is the user's own, by the monitor's resolver.
	Said bool
	// Foreign reports whether an attacker may have chosen the value.
	Foreign bool
	// Usual reports whether the definitions of the tool's server give the value as that of an
	// argument of this name where a call says nothing else: primary, for the main calendar.
	Usual bool
	// Listed reports whether the tool's definition lists the values that the argument may have, and
	// Required whether every call has to have it.
	Listed, Required bool
	// Undeclared marks a member that the tool's definition lets an object have beside those that it lists: what it does, nothing says.
	Undeclared bool
}

// authority reports whether the value decides where authority goes, so that it is
// compared byte by byte.
func (a *Argument) authority() bool { return a.Role.AuthorityBearing() }

// Proposal is a call that a task may cover.
type Proposal struct {
	Server, Tool string
	// Call is the id under which the call is counted, and Digest identifies its tool and canonical arguments.
	Call, Digest string
	Args         []Argument
	// Read marks a call that changes nothing.
	Read bool
	// Irreversible marks an effect that can't be taken back.
	Irreversible bool
	// Role returns the role that the tool's contract gives an argument, which the call
	// may leave out.
	Role func(pointer string) label.Role
	// Default returns what an argument is when the call leaves it out, by the tool's
	// definition; false where that doesn't say.
	Default func(pointer string) (string, bool)
	// Now is when the call is proposed; zero where that is unknown.
	Now time.Time
	// Readings are those to which a person agreed. Such results offer what is the only one in
	// records that the user's words name, to a call that can be taken back, and nothing else;
	// those that the person was shown in whole, anything to such a call.
	Readings []scope.Reading
	// Assumed are readings to try: results count as any with fields, to find what a person is to
	// be asked. A cover found with them must never let a call through.
	Assumed []scope.Reading
}

// callKey identifies a call among those that ran: one that can't be taken back by its id, and another
// one by what it does.
type callKey struct{ digest, call string }

func (p *Proposal) key() callKey {
	if p.Irreversible {
		return callKey{p.Digest, p.Call}
	}
	return callKey{digest: p.Digest}
}

// zone is that of the user's place; nil where the time is unknown.
func (p *Proposal) zone() *time.Location {
	if p.Now.IsZero() {
		return nil
	}
	return p.Now.Location()
}

// otherwise returns what an argument is when the call leaves it out; empty where that is nothing, or
// unknown.
func (p *Proposal) otherwise(pointer string) string {
	if p.Default == nil {
		return ""
	}
	text, _ := p.Default(pointer)
	return text
}

// emptied returns what an argument that the call leaves empty would be without it: no state is all
// states, where only what is done is meant. It is empty where both are the same.
func (p *Proposal) emptied(a *Argument) string {
	if !a.Empty {
		return ""
	}
	return p.otherwise(a.Pointer)
}

// Grant is an argument that a scope lets pass, and why.
type Grant struct {
	Pointer string
	// Way is how the value meets its constraint: [WayIs] and so on.
	Way string
	// Call is the call in whose result the value appears; empty where the scope doesn't say
	// where all of it comes from.
	Call string
	// By is the criterion of a choice, in the scope's words.
	By string
	// Beside is the text around the values that the scope names, where a template leaves it open: it
	// goes on being checked.
	Beside string
	// each has the values of a template that are for each of a source's.
	each string
}

// String says in words why the argument passes.
func (g Grant) String() string {
	why := ways()[g.Way]
	switch {
	case g.Way == WayUnchanged:
		why += ", by the result of " + g.Call
	case g.Call != "":
		why = "it is in the result of " + g.Call
	}
	if g.By != "" {
		why += " (" + g.By + ")"
	}
	return why
}

// Names reports whether the scope names the value, or the place where it comes from:
// free content is neither.
func (g Grant) Names() bool { return g.Way == WayIs || g.Call != "" }

// The ways in which a value meets a constraint.
const (
	WayIs        = "is"
	WayFrom      = "from"
	WayComputed  = "computed"
	WayTemplate  = "template"
	WayAny       = "any"
	WayAbsent    = "absent"
	WaySaid      = "said"
	WayUnchanged = "unchanged"
)

// ways are the ways in words.
var ways = sync.OnceValue(func() map[string]string {
	return map[string]string{
		WayIs:        "the request states it",
		WayFrom:      "it is in the result of a call",
		WayComputed:  "it follows from the request and its sources",
		WayTemplate:  "it has the form that the request gives",
		WayAny:       "it is free content",
		WayAbsent:    "it says the same as leaving it out",
		WaySaid:      "the user said it",
		WayUnchanged: "it is so already",
	}
})
