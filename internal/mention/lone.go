package mention

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/reply"
)

// pointing words say that the one thing is meant that there is.
var pointing = strings.Fields("the my your our his her their this that der die das den dem des mein meine meinen meinem meiner " +
	"ihr ihre ihren ihrem ihrer unser unsere unseren dieser diese dieses diesen diesem le la les mon ma mes votre vos notre nos ce cet cette " +
	"el los las mi mis tu su sus este esta il lo gli mio mia suo sua questo questa meu minha seu sua het de mijn uw je jouw onze deze dit " +
	"mój moja moją ten tę мой моя мою мое моё ваш ваша вашу этот эта эту benim bu")

// tellsAlone reports whether a stretch says enough to mean the only record that is known: what people call it
// or tell things apart by, two of its fields, or one that is said as what the thing is ("your Visa", "color: teal",
// "a red bike"). That a shop is open doesn't name an open loan.
func (w window) tellsAlone(t Text, one *record, fields []field, id string) bool {
	said := 0
	for i, value := range w {
		f := fields[i]
		if f.pointsElsewhere() && !f.inherited() {
			continue
		}
		spelled := len(value) > 1 && strings.HasPrefix(strings.ToLower(id), strings.ToLower(value))
		if f.named || f.isID() || spelled || strings.ContainsFunc(value, unicode.IsDigit) {
			return true
		}
		said++
		if t.meansBy(f, value, one.nouns()) {
			return true
		}
	}
	return said > 1
}

// nouns returns the words by which a record is called: those of its key and of its look-up.
func (one *record) nouns() []string {
	var out []string
	for _, w := range append(provenance.Words(one.key), provenance.Words(one.tool)...) {
		if !slices.Contains(idWords, singular(w)) {
			out = append(out, singular(w))
		}
	}
	return out
}

// meansBy reports whether the text has a value of a field as what a thing is.
func (t Text) meansBy(f field, value string, nouns []string) bool {
	words := newCalling(value, value).words
	for i := range t.words {
		if !t.at(i, words) {
			continue
		}
		keyed := i >= len(f.key) && t.at(i-len(f.key), f.key)
		beside := slices.ContainsFunc(t.words, func(w word) bool {
			return w.clause == t.words[i].clause && slices.Contains(nouns, singular(w.text))
		})
		pointed := i > 0 && slices.Contains(pointing, t.words[i-1].text) && t.words[i-1].clause == t.words[i].clause
		if keyed || beside || (pointed && t.endsThing(i+len(words))) {
			return true
		}
	}
	return false
}

// endsThing reports whether what a thing is called ends before a place: no other noun follows.
func (t Text) endsThing(i int) bool {
	if i >= len(t.words) || t.words[i].clause != t.words[i-1].clause {
		return true
	}
	next := t.words[i].text
	return slices.Contains([]string{"one", "ones"}, next) || strings.ContainsFunc(next, unicode.IsDigit) || reply.IsSmall(next)
}
