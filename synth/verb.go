package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
)

// candidate is one word that may be the tool's verb.
type candidate struct {
	word    string
	verb    verb
	pos     int  // in the words of the name, or -1
	isState bool // written as a state: "running", "stopped"
	isDeed  bool // with an article behind it
}

// findVerb finds the tool's verb and the effect that name and description give it.
func (t *tool) findVerb() {
	named := t.namedVerbs()
	told := t.table.leadingVerbs(t.desc)
	named, told = slices.DeleteFunc(named, t.takesBack), slices.DeleteFunc(told, t.takesBack)
	if len(told) == 0 && t.isUnknownVerb() {
		named = slices.DeleteFunc(named, func(c candidate) bool { return c.verb.effect == contract.Read })
	}
	if firstStrong(named).word == "" && len(told) == 0 {
		told = t.hintedVerbs(named)
	}

	chosen, why := t.table.choose(named, told, t.words)
	for i, w := range t.words {
		if chosen.word == "" || i != chosen.pos {
			t.object = append(t.object, w)
		}
	}
	switch {
	case chosen.word == "" && t.readsThings():
	case chosen.word == "":
		t.effect, t.manner, t.isUntold = contract.Destructive, changing, true
		t.why = append(t.why, "no verb that is known in name or description")
		t.review = append(t.review, "what the tool does could not be told from its name or description; the strictest reading was taken")
	default:
		t.verb, t.manner, t.effect = chosen.word, chosen.verb.manner, chosen.verb.effect
		t.why = append(t.why, why)
		t.secondOpinion(slices.Concat(told, t.table.alsoDone(t.desc)))
	}
	t.base = t.effect
	t.named = t.telling(chosen)
}

// telling returns the verb of the tool's own name in the place of a chosen one, if it says what is done: "manage" leaves that to an argument.
func (t *tool) telling(chosen candidate) candidate {
	if chosen.word == "" || chosen.pos < 0 {
		return candidate{}
	}
	word, v, ok := t.table.verbOf(t.words[chosen.pos])
	if !ok || t.table.has("leaves-open", word) {
		return candidate{}
	}
	return candidate{word: word, verb: v, pos: chosen.pos}
}

// hintedVerbs are the verbs that a description hints at in a script of which only some words are known:
// another one beside them may do more. Where the name tells something they only raise the effect;
// where it tells nothing, one that only reads is marked.
func (t *tool) hintedVerbs(named []candidate) []candidate {
	hinted := t.table.hints(t.desc)
	if byName, _ := t.table.choose(named, nil, t.words); byName.word != "" {
		return slices.DeleteFunc(hinted, func(c candidate) bool { return severity(c.verb.effect) <= severity(byName.verb.effect) })
	}
	if len(hinted) > 0 && strictest(hinted).verb.effect == contract.Read {
		t.review = append(t.review, fmt.Sprintf("only the description hints that it reads: it says %q, and maybe more", hinted[0].word))
	}
	return hinted
}

// secondOpinion raises the effect where the description says that the tool does more
// than its name, never less.
func (t *tool) secondOpinion(told []candidate) {
	for _, d := range told {
		isOrder := d.isDeed && d.verb.effect == contract.Egress && t.effect == contract.Read // "Order a courier"
		if d.word == t.verb || (d.verb.weak && !isOrder) || severity(d.verb.effect) <= severity(t.effect) {
			continue
		}
		if t.effect == contract.Read && d.verb.effect == contract.Execute {
			continue // "Execute a SELECT query": what is executed is judged as an argument
		}
		if t.toggles(told, d) {
			continue
		}
		if t.effect == contract.Read && t.table.has("answers", d.word) && !t.table.verbs[t.verb].weak {
			continue // "Generate a schema": what a read makes is its answer
		}

		if t.effect == contract.Read {
			t.review = append(t.review, fmt.Sprintf("the name says %q, the description %q: the stricter was taken", t.verb, d.word))
		}
		t.effect = d.verb.effect
		if !mixed(told) {
			t.manner = d.verb.manner
		}
		t.why = append(t.why, fmt.Sprintf("the description says %q", d.word))
	}
}

// toggles reports whether a verb only takes back what another one of the description
// does, as in "set or clear a flag".
func (t *tool) toggles(told []candidate, d candidate) bool {
	back := t.effect == contract.Write && t.table.has("untoggles", d.word)
	return back && slices.ContainsFunc(told, func(c candidate) bool { return c.word != d.word && t.table.has("toggles", c.word) })
}

// isUnknownVerb reports whether the description begins with a verb of the name that no table
// has: what follows it there ("Shelve a review") is its object, and no verb of reading. After
// one that says nothing by itself ("Take a screenshot") the object tells what happens.
func (t *tool) isUnknownVerb() bool {
	words := strings.Fields(t.desc)
	if len(words) < 3 || !t.table.has("articles", words[1]) || t.table.has("light-verbs", words[0]) {
		return false
	}
	_, _, known := t.table.verbOf(words[0])
	return !known && slices.ContainsFunc(inflections(words[0]), func(w string) bool { return slices.Contains(t.words, w) })
}

// namedVerbs are the verbs in the tool's name.
func (t *tool) namedVerbs() []candidate {
	plural, inner := t.table.plurals(t.def.Name)
	var named []candidate
	for i, w := range t.words {
		if inner[w] {
			continue // the second half of a compound ("taskrun")
		}
		if i > 0 && (plural[w] || strings.HasSuffix(w, "ed")) {
			continue // a noun, or an adjective ("linked accounts")
		}
		if i == 0 && plural[w] && t.looksUp(w) {
			continue // "bills_list" lists bills, and charges nobody
		}
		word, v, ok := t.table.verbOf(w)
		if !ok || t.table.isPhrasal(word, t.words[i+1:]) {
			continue
		}

		if i == 0 && len(t.words) > 1 {
			switch {
			case word == "return":
				// Descriptions return values; what a tool is named for returning goes
				// back to where it came from.
				v = verb{effect: contract.Write, manner: changing}
			case word == "log" && !plural[w]:
				// "log_event" writes one down; "git log" and "pod_logs" are read.
				v = verb{effect: contract.Write, manner: adding, weak: true}
			}
		}
		named = append(named, candidate{word: word, verb: v, pos: i})
	}
	return t.table.operation(t.def.Name, t.words, named)
}

// looksUp reports whether a name that begins with a noun in the plural, which may be a verb as well,
// ends in what is done with such things: they are looked up.
func (t *tool) looksUp(noun string) bool {
	last := t.words[len(t.words)-1]
	return len(t.words) > 1 && t.table.has("nouns-too", noun) && t.table.has("look-ups", last) && !t.table.has("runnables", last)
}

// operation leaves out the verbs of a name's prefix: "VerifyV2--CreateService"
// creates.
func (x *table) operation(name string, words []string, named []candidate) []candidate {
	cut := -1
	for _, sep := range []string{"--", "__", "::", "/"} {
		if i := strings.LastIndex(name, sep); i >= 0 {
			cut = max(cut, i+len(sep))
		}
	}
	if cut < 0 {
		return named
	}
	from := len(words) - len(x.split(name[cut:]))
	if i := slices.IndexFunc(named, func(c candidate) bool { return c.pos >= from }); i > 0 {
		return named[i:]
	}
	return named
}

// choose picks the tool's verb among those in its name, with the description
// as arbiter, and says why.
func (x *table) choose(named, told []candidate, words []string) (candidate, string) {
	if c, why := x.byNoun(named, told, words); c.word != "" {
		return c, why
	}
	switch {
	case len(named) == 0 && len(told) == 0:
		return candidate{}, ""
	case len(named) == 0:
		return strictest(told).of(-1), fmt.Sprintf("the description says %q", strictest(told).word)
	}
	for _, by := range []func(named, told []candidate, words []string) (candidate, string){
		x.bySearch, byConjunction, x.byAgreement, x.byEnd, x.byMethod, byStrength,
	} {
		if c, why := by(named, told, words); c.word != "" {
			return c, why
		}
	}
	return named[0].named()
}

func (c candidate) named() (candidate, string) { return c, fmt.Sprintf("named %q", c.word) }

// of is the candidate in the place of a word of the name.
func (c candidate) of(pos int) candidate {
	c.pos = pos
	return c
}

// bySearch reads "start_search", which searches if the description doesn't say more.
func (x *table) bySearch(named, told []candidate, words []string) (candidate, string) {
	first := named[0]
	if first.pos != 0 || !x.has("starts", first.word) || len(named) < 2 {
		return candidate{}, ""
	}
	c := named[1]
	if c.word != "search" || c.pos != len(words)-1 {
		return candidate{}, ""
	}
	if len(told) > 0 && strictest(told).verb.effect != contract.Read && strictest(told).word != first.word {
		return candidate{}, ""
	}
	return c.named()
}

// byConjunction reads "create_or_update", "find_and_replace": all of them happen.
func byConjunction(named, _ []candidate, words []string) (candidate, string) {
	for i := 0; i+1 < len(named); i++ {
		if named[i+1].pos-named[i].pos != 2 {
			continue
		}
		if link := words[named[i].pos+1]; link == "or" || link == "and" {
			return strictest(named[i : i+2]).named()
		}
	}
	return candidate{}, ""
}

// byAgreement takes what name and description agree on.
func (x *table) byAgreement(named, told []candidate, _ []string) (candidate, string) {
	for _, d := range told {
		for _, c := range named {
			tells := !c.verb.weak || len(named) == 1 || c.pos == 0
			if c.word == d.word && tells && !x.has("http-methods", c.word) {
				return c, fmt.Sprintf("named %q, and so says the description", c.word)
			}
		}
	}
	return candidate{}, ""
}

// byEnd reads names that begin with their object, where that only looks like a verb:
// "order_list", "run_complete". The description begins with what the last word says, and
// has no word of the first. Where the first is no noun as well, the last one says no less:
// "clear_history" gets rid of it.
func (x *table) byEnd(named, told []candidate, words []string) (candidate, string) {
	first, end, says := named[0], named[len(named)-1], false
	if len(named) < 2 || end.pos != len(words)-1 {
		return candidate{}, ""
	}
	if !x.has("nouns-too", first.word) && severity(end.verb.effect) < severity(first.verb.effect) {
		return candidate{}, ""
	}
	for _, d := range told {
		if d.word == first.word {
			return candidate{}, ""
		}
		says = says || d.word == end.word || (d.verb.effect == end.verb.effect && d.verb.manner == end.verb.manner)
	}
	if !says {
		return candidate{}, ""
	}
	return end, fmt.Sprintf("named %q at the end, and so says the description", end.word)
}

// byMethod reads names that begin with an HTTP method, which says less than any
// other verb.
func (x *table) byMethod(named, told []candidate, _ []string) (candidate, string) {
	first := named[0]
	if !x.has("http-methods", first.word) || first.pos != 0 {
		return candidate{}, ""
	}
	if len(told) > 0 && told[0].word == first.word {
		return first, fmt.Sprintf("named %q, and so says the description", first.word)
	}
	if c := firstStrong(named[1:]); c.word != "" {
		return c.named()
	}
	if len(told) > 0 && !told[0].verb.weak {
		return strictest(told).of(first.pos), fmt.Sprintf("the description says %q", strictest(told).word)
	}
	return first.named()
}

// byNoun reads "place_details" and "board_insights", in which there is no verb but a noun
// that could be a weak one: what such a name ends in is only ever read.
func (x *table) byNoun(named, told []candidate, words []string) (candidate, string) {
	end := last(words)
	deeds := slices.ContainsFunc(told, func(d candidate) bool { return !d.verb.weak || d.isDeed })
	if deeds || len(words) < 2 || !x.has("only-read", end) {
		return candidate{}, ""
	}
	if len(named) > 0 && (!named[0].verb.weak || x.has("http-methods", named[0].word)) {
		return candidate{}, ""
	}
	return candidate{word: end, verb: x.verbs[end], pos: len(words) - 1}.named()
}

// byStrength takes the first verb if it says much. Else a strong one in the description
// explains it, or one further on in the name; but "list_orders", which begins with a
// weak verb of reading, is a read.
func byStrength(named, told []candidate, _ []string) (candidate, string) {
	first := named[0]
	if first.pos > 0 && len(told) > 0 && !mixed(told) && leads(told[0], first) {
		return told[0].of(first.pos), fmt.Sprintf("named %q; the description says %q", first.word, told[0].word)
	}
	if !first.verb.weak {
		return first.named()
	}

	if len(told) > 0 {
		c := strictest(told)
		switch {
		case c.verb.effect == first.verb.effect && c.verb.manner == first.verb.manner:
			return first.named()
		case !c.verb.weak:
			if mixed(told) {
				c.verb.manner = changing
			}
			return c.of(first.pos), fmt.Sprintf("named %q; the description says %q", first.word, c.word)
		}
	}
	if first.pos > 0 || first.verb.effect != contract.Read {
		if c := firstStrong(named[1:]); c.word != "" {
			return c.named()
		}
	}
	return first.named()
}

// leads reports whether the verb that a description begins with is better than one that
// a name doesn't begin with, which may be a noun: "voice_clone" makes one.
func leads(told, named candidate) bool {
	return !told.verb.weak && told.verb.effect == named.verb.effect && told.verb.manner != named.verb.manner
}

func firstStrong(cs []candidate) candidate {
	if i := slices.IndexFunc(cs, func(c candidate) bool { return !c.verb.weak }); i >= 0 {
		return cs[i]
	}
	return candidate{}
}

// mixed reports whether several verbs do different things to their object, so
// that none of them alone says what happens to it.
func mixed(cs []candidate) bool {
	return slices.ContainsFunc(cs[1:], func(c candidate) bool { return c.verb.manner != cs[0].verb.manner })
}

// strictest returns the verb with the worst effect, of two such the one that says more.
func strictest(cs []candidate) candidate {
	best := cs[0]
	for _, c := range cs[1:] {
		worse := severity(c.verb.effect) - severity(best.verb.effect)
		clearer := best.verb.weak && !c.verb.weak
		if worse > 0 || (worse == 0 && clearer) {
			best = c
		}
	}
	return best
}

// plurals are the words of a name that are in the plural, and those that are the
// second half of a compound.
func (x *table) plurals(name string) (plural, inner map[string]bool) {
	plural, inner = map[string]bool{}, map[string]bool{}
	for _, piece := range cut(name) {
		w := x.canonicalWords(piece)
		if len(w) == 1 && singular(piece) != piece {
			plural[w[0]] = true
		}
		for _, second := range w[1:] {
			inner[second] = true
		}
	}
	return plural, inner
}

// isPhrasal reports whether a verb of reading is another one with the word behind it: who tops up a card pays.
func (x *table) isPhrasal(verb string, behind []string) bool {
	reads := x.verbs[verb].effect == contract.Read && !x.has("reads-with-particles", verb)
	return reads && len(behind) > 0 && x.has("particles", behind[0]) && !x.has("adjectives-with-particles", adjective(behind))
}

// adjective returns the words that a text begins with, as that which may be an adjective of what is behind it: "off_market", "out_of_stock".
func adjective(text []string) string {
	n := 2
	if len(text) > n && text[1] == "of" {
		n++
	}
	return strings.Join(text[:min(n, len(text))], "_")
}

// takesBack reports whether a verb of remembering has something else to its object: who recalls a loan wants it back.
func (t *tool) takesBack(c candidate) bool {
	if !t.table.has("remembering", c.word) {
		return false
	}
	sentence, _, _ := strings.Cut(t.desc, ". ")
	isKept := func(w string) bool { return t.table.has("remembered", w) }
	return !slices.ContainsFunc(slices.Concat(t.words, t.table.split(sentence)), isKept)
}

// hasPhrasal reports whether the tool's name has a verb of reading that is another one, which tools of the verb say nothing about.
func (t *tool) hasPhrasal() bool {
	for i, w := range t.words {
		if verb, _, ok := t.table.verbOf(w); ok && t.table.isPhrasal(verb, t.words[i+1:]) {
			return true
		}
	}
	return false
}

// verbsIn are the verbs that a verb argument may hold: its enumeration's, or
// else those quoted in its description.
func (x *table) verbsIn(p *place) []candidate {
	values := enumeration(p.node)
	if len(values) == 0 {
		for _, q := range quoted(p.node.Description) {
			if len(q) < 40 {
				values = append(values, q)
			}
		}
	}
	var out []candidate
	for _, v := range values {
		if c, ok := x.verbOfValue(v); ok {
			out = append(out, c)
		}
	}
	return out
}

// verbOfValue finds the verb in the first two words of a value of a verb argument.
func (x *table) verbOfValue(value string) (candidate, bool) {
	for i, w := range x.split(value) {
		if i > 1 {
			break
		}
		if word, v, ok := x.verbOf(w); ok {
			return candidate{word: word, verb: v, pos: i, isState: isState(value)}, true
		}
	}
	return candidate{}, false
}

// isState reports whether a value is a state that something is in rather than what is done to
// it: "running", "stopped".
func isState(value string) bool {
	words := cut(value)
	return len(words) == 1 && (strings.HasSuffix(words[0], "ing") || strings.HasSuffix(words[0], "ed"))
}

// verbOf finds a verb in any inflection: "sends", "sending", "sent" are send.
func (x *table) verbOf(w string) (string, verb, bool) {
	for _, c := range inflections(w) {
		if k, ok := x.means[c]; ok {
			c = k
		}
		if v, ok := x.verbs[c]; ok {
			return c, v, true
		}
	}
	return "", verb{}, false
}

func inflections(w string) []string {
	out := []string{w}
	add := func(s string) {
		if len(s) > 1 {
			out = append(out, s)
		}
	}
	switch {
	case strings.HasSuffix(w, "ies"):
		add(w[:len(w)-3] + "y")
	case strings.HasSuffix(w, "es"):
		add(w[:len(w)-1])
		add(w[:len(w)-2])
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		add(w[:len(w)-1])
	}

	for _, end := range []string{"ing", "ed"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) > 2 {
			add(stem)
			add(stem + "e")
			if n := len(stem); stem[n-1] == stem[n-2] {
				add(stem[:n-1])
			}
		}
	}
	return out
}
