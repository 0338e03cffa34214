package guard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
)

// leastKin is how many letters two words have in common that may be of the same thing, such as pay and
// payment.
const leastKin = 3

// unspoken reports whether clearly nobody mentioned an argument that is in a record, such as a payment
// method, or another one of its kind: neither said a word that begins as one of those
// by which the record, those beside it or the argument are called, nor one that points back ("the same as
// before"). Other languages have other words, so that it is sure in the records' own alone.
func (d *dialogue) unspoken(records *mention.Records, value string) bool {
	if !d.heard || !slices.Contains(d.used(), value) {
		return false
	}
	kin := records.Kin(value)
	if len(kin) == 0 {
		return false
	}
	for _, member := range d.membersOf(value) {
		kin = append(kin, strings.Join(provenance.Words(member), " "))
	}

	if !d.spoken().PointNowhere() {
		return false
	}
	said := d.beginnings()
	for w := range beginningsOf(strings.Join(kin, " ")) {
		if said[w] {
			return false
		}
	}
	return true
}

// beginningsOf returns the beginnings by which the words of a text may be of the same thing.
func beginningsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range mention.NewText(text).Words() {
		if utf8.RuneCountInString(w) >= leastKin {
			out[string([]rune(w)[:leastKin])] = true
		}
	}
	return out
}

// saidAnother reports whether the user named another one in place of a value that the call doesn't have and
// a record does, such as whose it is: what an earlier call has under the name that the record has it.
func (d *dialogue) saidAnother(records *mention.Records, value string) bool {
	if slices.Contains(d.used(), value) {
		return false
	}
	members := records.MembersWith(value)
	return slices.ContainsFunc(d.given(), func(g given) bool {
		return g.text != value && slices.Contains(members, g.member) && slices.ContainsFunc(d.exchanges, func(e exchange) bool {
			return d.memo.none.Names(e.replyText(), g.text) == mention.Named
		})
	})
}

// givenBefore returns the texts that the arguments of a session's calls are, up to [maxSpoken].
func (m *remembered) givenBefore(entries []Entry) []given {
	var out []given
	for i := range entries {
		e := &entries[i]
		if e.Kind != CallEntry {
			continue
		}
		for member, v := range m.arguments(e.Call).Root().Members() {
			if v.Kind() == strictjson.String && v.Text() != "" && len(out) < maxSpoken {
				out = append(out, given{member, v.Text()})
			}
		}
	}
	return out
}

// membersOf returns the names of the call's arguments that have a text.
func (d *dialogue) membersOf(text string) []string {
	var out []string
	for _, g := range d.arguments() {
		if g.text == text {
			out = append(out, g.member)
		}
	}
	return out
}
