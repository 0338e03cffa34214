package synth

import "strings"

// What a description says that a tool does: the verbs that it begins with, and what it says besides.

// leadingVerbs are the verbs that a description begins with: "Create, patch,
// or delete a rule" has three.
func (x *table) leadingVerbs(desc string) []candidate {
	desc = strings.ReplaceAll(desc, "drag and drop", "drag") // nothing is dropped for good
	// "Notion | Create a page", "Goal Seek: change the constant".
	starts := []string{desc}
	if head, rest, ok := strings.Cut(desc, "|"); ok && len(head) < 30 {
		starts = append([]string{rest}, starts...)
	}
	if head, rest, ok := strings.Cut(desc, ": "); ok && len(head) < 40 {
		starts = append(starts, rest)
	}
	for _, lead := range x.phrases["introductions"] {
		if _, rest, ok := strings.Cut(desc, lead+" "); ok {
			starts = append(starts, rest)
			break
		}
	}

	for _, s := range starts {
		if found := x.verbRun(s); len(found) > 0 {
			return found
		}
	}
	return nil
}

// hints are the verbs in the first sentence of a description whose language puts no spaces between
// words, and the one whose stem the first word of others begins with.
func (x *table) hints(desc string) []candidate {
	if i := strings.IndexAny(desc, "。；\n"); i >= 0 {
		desc = desc[:i]
	}
	var out []candidate
	add := func(word string) {
		w := x.means[word]
		out = append(out, candidate{word: w, verb: x.verbs[w], pos: -1})
	}
	for _, word := range x.unspaced {
		if strings.Contains(desc, word) {
			add(word)
		}
	}

	begins := strings.TrimSpace(desc)
	for _, stem := range x.stems {
		if strings.HasPrefix(begins, stem) {
			add(stem)
		}
	}
	return out
}

// verbRun reads the verbs that a text begins with, joined by commas or conjunctions.
func (x *table) verbRun(s string) []candidate {
	var out []candidate
	fields := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,/\n.*(`", r) })
	opening := s[:min(len(s), 60)]
	for i, f := range fields {
		if i > 6 {
			break
		}
		if x.has("adverbs", f) {
			continue
		}
		words := x.split(f)
		if len(words) != 1 {
			break
		}
		w, v, ok := x.verbOf(words[0])
		if !ok {
			w, v, ok = x.verbOf(f)
		}
		if !ok || x.isNoun(w, fields[i:]) || x.isPhrasal(w, fields[i+1:]) || (len(out) == 0 && x.isState(w, fields[i:])) {
			break
		}
		isDeed := i+1 < len(fields) && x.has("articles", fields[i+1])
		out = append(out, candidate{word: w, verb: v, pos: -1, isDeed: isDeed})

		joined := strings.Contains(opening, f+",") || strings.Contains(opening, f+"/")
		if i+1 < len(fields) && fields[i+1] != "or" && fields[i+1] != "and" && !joined {
			break
		}
	}
	return out
}

// alsoDone are the verbs of a description's first sentence that follow an "and" and have an object of their own: "Find a substitute and
// assign them", but not "the read and write limits".
func (x *table) alsoDone(desc string) []candidate {
	sentence, _, _ := strings.Cut(desc, ". ")
	fields := strings.Fields(sentence)
	var out []candidate
	for i := 1; i+1 < len(fields); i++ {
		links := fields[i-1] == "and" || fields[i-1] == "then"
		hasObject := x.has("articles", fields[i+1]) || x.has("pronouns", strings.Trim(fields[i+1], ".,;:()"))
		if v, isVerb := x.verbs[fields[i]]; links && hasObject && isVerb && !v.weak {
			out = append(out, candidate{word: fields[i], verb: v, pos: -1})
		}
	}
	return out
}

// isNoun reports whether the first word of a text names things, though it could be a verb:
// "Bookings of the signed-in member", "Plots of the garden".
func (x *table) isNoun(verb string, text []string) bool {
	word := text[0]
	if strings.HasSuffix(word, "ings") {
		return true
	}
	namesThings := x.has("nouns-too", verb) || x.has("drawings", verb)
	return namesThings && strings.HasSuffix(word, "s") && len(text) > 1 && text[1] == "of"
}

// isState reports whether the first word of a text says in which state things are, though it could be a verb: "Saved payees". Who tells
// what was done with something says with what: "Deleted the file".
func (x *table) isState(verb string, text []string) bool {
	participle := strings.HasSuffix(text[0], "ed") && text[0] != verb
	return participle && len(text) > 1 && !x.has("articles", text[1]) && !x.has("pronouns", text[1]) && singular(text[1]) != text[1]
}

// acted are the words that the description's first verb acts on: those before the
// first preposition, or joined to them by "of".
func (x *table) acted(desc string) []string {
	first, _, _ := strings.Cut(desc, ".")
	var out []string
	verb := false
	for i, f := range strings.Fields(first) {
		f = strings.Trim(f, ",;:()'`\"")
		if !verb {
			_, _, verb = x.verbOf(f)
			if i > 4 {
				break
			}
			continue
		}

		if x.has("bounds", f) {
			return out
		}
		out = append(out, x.split(f)...)
		if len(out) > 8 {
			break
		}
	}
	return out
}
