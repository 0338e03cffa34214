package mention

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/strictjson"
)

// maxTexts bounds the texts of [Records.TextsOf].
const maxTexts = 256

// TextsOf returns the texts of objects in the results that have all of some members, such as the names of
// the persons that a customer has saved.
func (r *Records) TextsOf(members []string) []string {
	var out []string
	r.objects(func(v strictjson.Value) bool {
		found := map[string]string{}
		for name, m := range v.Members() {
			if slices.Contains(members, name) && m.Kind() == strictjson.String {
				found[name] = m.Text()
			}
		}
		if len(found) == len(members) {
			for _, name := range members {
				out = append(out, found[name])
			}
		}
		return len(out) < maxTexts
	})
	return out
}

// Texts returns what the records say of the value that identifies them, and what they are part of is called.
func (r *Records) Texts(value string) []string {
	var out []string
	for _, one := range r.of(value) {
		fields := map[string]string{}
		fieldsOf(one.object, "", fields, 0)
		for _, text := range fields {
			if len(out) < maxTexts {
				out = append(out, text)
			}
		}
		for _, name := range one.names {
			out = append(out, name.Text())
		}
	}
	return out
}

// CalledBeside returns what the other records are called in the lists of the records that a value identifies.
func (r *Records) CalledBeside(value string) []string {
	var out []string
	for _, one := range r.of(value) {
		for _, s := range one.siblings {
			for name, m := range s.Members() {
				if isName(name) && m.Kind() == strictjson.String && len(out) < maxTexts {
					out = append(out, m.Text())
				}
			}
		}
	}
	return out
}

// Kin returns the texts of the records that a value identifies, and of the other records in their lists.
func (r *Records) Kin(value string) []string {
	var out []string
	for _, one := range r.of(value) {
		for _, s := range one.siblings {
			fields := map[string]string{}
			fieldsOf(s, "", fields, 0)
			for _, text := range fields {
				if len(out) < maxTexts {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

// MembersWith returns the names of the members in the results that have a text.
func (r *Records) MembersWith(text string) []string {
	return r.having.Of(text, func() (out []string) {
		r.objects(func(v strictjson.Value) bool {
			for name, m := range v.Members() {
				if m.Kind() == strictjson.String && m.Text() == text {
					out = append(out, name)
				}
			}
			return len(out) < maxTexts
		})
		return out
	})
}

// objects calls a function with each object in the results, those in an object before it, until it returns
// false.
func (r *Records) objects(visit func(strictjson.Value) bool) {
	if r == nil {
		return
	}
	goesOn := true
	var search func(v strictjson.Value, depth int)
	search = func(v strictjson.Value, depth int) {
		if depth > maxDepth || !goesOn {
			return
		}

		for _, e := range v.Elements() {
			search(e, depth+1)
		}
		for _, m := range v.Members() {
			search(m, depth+1)
		}
		goesOn = goesOn && (v.Kind() != strictjson.Object || visit(v))
	}
	for _, one := range r.results {
		search(one.read().root, 0)
	}
}

// Words returns the words of the text, in lower case.
func (t Text) Words() []string {
	var out []string
	for _, w := range t.words {
		out = append(out, w.text)
	}
	return out
}

// SaysName reports whether the text has a name, letter by letter and whole.
func (t Text) SaysName(name string) bool { return place(t.raw, name, areWords) >= 0 }

// Without returns a text, in lower case, without the values that it has whole, also with spaces for their
// underscores. The longest go first.
func Without(text string, values []string) string {
	rest := strings.ToLower(text)
	for _, value := range slices.SortedFunc(slices.Values(values), func(a, b string) int { return len(b) - len(a) }) {
		for _, spelled := range [...]string{strings.ToLower(value), strings.ToLower(strings.ReplaceAll(value, "_", " "))} {
			var kept strings.Builder
			for i := place(rest, spelled, areWords); i >= 0; i = place(rest, spelled, areWords) {
				kept.WriteString(rest[:i] + "…")
				rest = rest[i+len(spelled):]
			}
			kept.WriteString(rest)
			rest = kept.String()
		}
	}
	return rest
}

// place returns the first place of a name in a text that what is before and after it bounds; -1 for
// nowhere, and for no name.
func place(text, name string, bounds func(before, after string) bool) int {
	for at := 0; name != ""; at += len(name) {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return -1
		}
		at += i
		if bounds(text[:at], text[at+len(name):]) {
			return at
		}
	}
	return -1
}

// areWords reports whether no word goes on across the bounds of a name.
func areWords(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return !inWord(last) && !inWord(first)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Capitals returns the words with a capital inside sentences, as names have.
func (t Text) Capitals() []string {
	var out []string
	begins := true
	for word := range strings.FieldsSeq(t.raw) {
		name := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		capital := false
		for i, r := range name {
			capital = (i == 0 && unicode.IsUpper(r)) || (capital && unicode.IsLower(r))
		}
		if capital && !begins && len(out) < maxTexts {
			out = append(out, name)
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?")
	}
	return out
}

// Shaped returns what the text has in the form of a day.
func (t Text) Shaped(day string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(t.raw, func(r rune) bool { return !unicode.IsDigit(r) && r != '-' }) {
		if word = strings.Trim(word, "-"); isShaped(word, day) && len(out) < maxTexts {
			out = append(out, word)
		}
	}
	return out
}

// isShaped reports whether two texts differ in nothing but which digits they have.
func isShaped(a, b string) bool {
	for a != "" && b != "" {
		c, size := utf8.DecodeRuneInString(a)
		d, other := utf8.DecodeRuneInString(b)
		if c != d && !(unicode.IsDigit(c) && unicode.IsDigit(d)) {
			return false
		}
		a, b = a[size:], b[other:]
	}
	return a == b
}
