package planner

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/pattern"
)

// A model that reads "if the customer says that it works, close the ticket" may write the call
// and leave the condition out. The words by which languages introduce a condition are few. They
// only tighten: a clause of the user's that has one, and of which the answer says nothing, goes
// back to the model once, and then the calls wait for a person.

// conditional are the words that introduce a condition, between spaces. Words that
// mean something else in another language are in [inLanguage].
var conditional = strings.Split(
	// English
	"if|unless|provided|providing|only when|only once|only after|only where|but only when|except when|except where|as long as|so long as|as soon as|in case|in the event|assuming|supposing|"+
		"on condition|on the condition|depending on|contingent on|once he|once she|once it|once they|once the|once all|once everyone|once everybody|once someone|once approved|once confirmed|"+
		"after he|after she|after they|until he|until she|until they|wait until|wait till|wait for|should he|should she|should they|should the|should anyone|should anybody|"+
		// German, Dutch
		"wenn|falls|sofern|sobald|solange|vorausgesetzt|es sei denn|nachdem|wann immer|im falle|für den fall|sollte er|sollte sie|sollte der|sollte die|sollte das|sollten sie|indien|mits|tenzij|zodra|zolang|als het|als de|als er|als hij|als ze|als dat|als die|als ik|als we|"+
		// French
		"s'il|s'ils|à condition|sauf si|à moins|pourvu que|pourvu qu|dès que|dès qu|au cas où|tant que|une fois que|une fois qu|"+
		// Spanish, Portuguese, Italian, Catalan, Romanian
		"a menos que|a no ser que|siempre que|siempre y cuando|en caso|salvo que|en cuanto|con tal de|solo cuando|sólo cuando|mientras no|contanto que|desde que|assim que|em caso|caso o|caso a|caso os|caso haja|caso ele|caso ela|caso esteja|caso seja|"+
		"a meno che|purché|qualora|non appena|sempre che|a condizione|nel caso|una volta che|dacă|daca|în cazul|cu condiția|doar când|odată ce|sempre que|"+
		// Swedish, Danish, Norwegian, Icelandic, Finnish, Estonian, Hungarian
		"ifall|såvida|så länge|så snart|hvis|dersom|medmindre|med mindre|så fremt|såfremt|så lenge|så længe|forutsatt|forudsat|nema|svo lengi|jos|mikäli|ellei|elleivät|jollei|kunhan|heti kun|juhul kui|hacsak|amennyiben|feltéve|amint|mihelyt|"+
		// Polish, Czech, Slovak, Croatian, Serbian, Slovene, Lithuanian
		"jeśli|jesli|jeżeli|jezeli|gdyby|gdy|o ile|chyba że|jak tylko|pod warunkiem|pokud|jestli|jestliže|když|jakmile|v případě|za předpokladu|ledaže|pokiaľ|v prípade|za predpokladu|ukoliko|ako je|ako nije|ako su|osim ako|čim|razen če|če|jei|jeigu|nebent|"+
		// Russian, Ukrainian, Bulgarian, Greek
		"если|ежели|при условии|в случае|как только|пока не|если бы|якщо|якби|за умови|як тільки|хіба що|ако|освен ако|щом|αν|άν|εάν|εφόσον|εκτός αν|μόλις|σε περίπτωση|"+
		// Turkish, Indonesian, Malay, Vietnamese, Swahili
		"eğer|şartıyla|takdirde|sürece|ise|jika|kalau|apabila|asalkan|kecuali kalau|seandainya|sekiranya|nếu|miễn là|trừ khi|chỉ khi|ikiwa|endapo|iwapo|isipokuwa|"+
		// Arabic, Persian, Urdu, Hebrew, Hindi, Bengali
		"إذا|اذا|لو|إن كان|ان كان|في حال|بشرط|ما لم|اگر|به شرط|בתנאי|אלא אם|כל עוד|ברגע ש|במקרה ש|במידה ו|אם|अगर|यदि|बशर्ते|जब तक|जैसे ही|যদি|जर|"+
		// Azerbaijani, Albanian, Belarusian, Kazakh, Kyrgyz, Uzbek, Georgian, Armenian, Mongolian
		"əgər|nëse|nese|калі|егер|эгер|агар|თუ|եթե|хэрэв", "|")

// inLanguage are words that introduce a condition where a sentence has one of the language's other
// words, too, and none of another one's.
var inLanguage = []struct{ marks, among, unlike []string }{
	{strings.Fields("si"), strings.Fields("el los las que una para le les des une est que du au ella està són"), nil},
	{strings.Fields("se"), strings.Fields("il lo la gli di della del nel nella che è o a os as um uma do da não está tiver houver estiver per"), strings.Fields("el los las y en que den att")},
	{strings.Fields("als"), strings.Fields("het een niet van dan naar"), nil},
	{strings.Fields("om"), strings.Fields("inte är har den det och jag han hon"), strings.Fields("het een att")},
	{strings.Fields("ha"), strings.Fields("a az egy nem és van akkor"), strings.Fields("que di il la el de og")},
	{strings.Fields("ef"), strings.Fields("er að og ekki"), nil},
	{strings.Fields("kui"), strings.Fields("on ei ja siis"), nil},
	{strings.Fields("ja"), strings.Fields("nav ir tad"), nil},
	{strings.Fields("ak"), strings.Fields("je nie na sa to"), nil},
	{strings.Fields("ako"), strings.Fields("je nije ima nema su"), nil},
	{strings.Fields("bila asal"), strings.Fields("yang di ke dan sudah belum"), nil},
	{strings.Fields("kama"), strings.Fields("ya na wa kwa"), nil},
	{strings.Fields("kung kapag pag"), strings.Fields("ang ng sa na"), nil},
}

// attached introduces a condition within a word, or in scripts without spaces.
var attached = pattern.OnUse(`(?:た|だ)ら|なら[、,ば]|(?:[^い]|な)れば|けれ?ば|[えけげせてねべめれ]ば|場合|限り(?:[、,]|は)|次第|` + // Japanese
	`如果|假如|假设|假設|若(?:[^干])|要是|除非|只要[^，,]{1,30}(?:[，,]|就)|只有[^，,]{1,30}(?:[，,]|才)|一旦|的话|的話|倘若|等.{1,20}(?:再|才)|` + // Chinese
	`\p{Hangul}면(?:[\s,.、]|$)|만약|만일|경우|한해|때만|` + // Korean
	`ถ้า|หาก|เว้นแต่|ตราบใด|` + // Thai
	`\pL{2,}(?:[rykmşnt])s[ae](?:m|n|k|lar|ler|nız|niz|nuz|nüz)?(?:[\s,.]|$)|\pL{2,}(?:ırsa|irse|ursa|ürse)`) // Turkish

// unconditional are whole phrases that look like conditions and are none: courtesies, and what is
// only to be told. "If you can" is one where the clause ends with it: "if you can't find it" isn't.
var unconditional = pattern.OnUse(`(?i)(?:^|[^\pL\pM\pN'])(?:` +
	`(?:if (?:you )?(?:please|possible|could(?: not)?|don't mind|would|like|want)|what if|as if|even if|(?:let|tell) (?:me|us) (?:know )?if|` +
	`(?:ask|asks|asking|asked|wonder|wondering) (?:[\pL\pM\pN'-]+ ){0,2}if|` +
	`s'il (?:te|vous) pla[iî]t|si (?:possible|us plau)|se possibile|se possível|om möjligt|wenn (?:möglich|du magst)|wenn's geht|hvis muligt|kimse|borsa|elbise|hisse|hepimse|neyse|لو سمحت)(?:$|[^\pL\pM\pN'])|` +
	`(?:if you can|si (?:es posible|puedes|tu peux)|wenn du kannst|jeśli możesz|если (?:можно|можешь))\s*(?:$|[^\pL\pM\pN'\s]))`)

// joined are words with which a phrase is none of [unconditional]: its clause is no longer what is
// asked, or no courtesy.
var joined = pattern.OnUse(`(?i)\b(?:and|but|or|then|only|not)\b`)

// unconditionalWithin are such phrases in scripts that don't part words: courtesies, and Korean
// nouns. A noun whose last syllable but one ends in a vowel may also be "if it is", and has to be
// a whole word.
var unconditionalWithin = pattern.OnUse(`(?:いただけ|もらえ|くれ|頂け|くださ)(?:れば|たら)(?:と(?:思|存)|嬉|うれし|助か|幸|さいわ|ありが|有難|有り難|いい|良い|よい)|` +
	`(?:^|[\s、。，])(?:でき(?:れば|たら)|(?:よけ|よろしけ)れば)|` +
	`[화측반전정단장국방직평]면|(?:^|[^\pL])[라후서지표도이대수노]면(?:$|[^\pL])`)

// quoted is what a user dictates: its conditions are for those who read it. A quotation begins
// where a word may: what stands behind a number are inches, and behind a word the end of another.
var quoted = pattern.OnUse(`(^|[\s\p{Ps}:=,，、：。]|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])` +
	`(?:"[^"\s](?:[^"\n]{0,398}[^"\s])?"|[“„][^“”\n]{1,400}[“”]|«[^»\n]{1,400}»)|「[^」\n]{1,400}」|『[^』\n]{1,400}』`)

// clauseEnd parts clauses.
var clauseEnd = pattern.OnUse(`[.!?…;:]+(?:\s|$)|,\s|[。！？\n，、；]+|\s[–—-]\s`)

// word is one word of a clause.
var word = pattern.OnUse(`[\pL\pM\pN']+`)

// conditions returns the clauses of a user's own text that have a condition, from the word that
// introduces it on.
func conditions(text string) []string {
	text = quoted().ReplaceAllString(own(text), "$1 ")
	text = unconditional().ReplaceAllStringFunc(strings.ReplaceAll(text, "’", "'"), withoutPhrase)
	text = unconditionalWithin().ReplaceAllString(text, " ")
	marks := marksIn(text)

	var out []string
	for _, part := range clauseParts(text) {
		if clause := conditionIn(part, marks); clause != "" {
			out = append(out, display.Clip(clause, longestClause))
		}
	}
	return out
}

// withoutPhrase blanks the words of a phrase of [unconditional], and leaves what parts clauses.
func withoutPhrase(phrase string) string {
	words := word().FindAllStringIndex(phrase, -1)
	if len(words) == 0 || joined().MatchString(phrase) {
		return phrase
	}
	return phrase[:words[0][0]] + " " + phrase[words[len(words)-1][1]:]
}

// longestClause bounds a condition, in characters.
const longestClause = 200

// clauseParts parts a text into clauses, each with the sign that ends it: some are part of a mark.
func clauseParts(text string) []string {
	var out []string
	begin := 0
	for _, at := range clauseEnd().FindAllStringIndex(text, -1) {
		out = append(out, text[begin:at[1]])
		begin = at[1]
	}
	return append(out, text[begin:])
}

// conditionIn returns the part of a clause that is a condition; empty for none.
func conditionIn(clause string, marks []string) string {
	clause = norm.NFKC.String(clause)
	if attached().MatchString(strings.ToLower(clause)) {
		return strings.TrimSpace(clause)
	}
	at, words := word().FindAllStringIndex(clause, -1), wordsOf(clause)
	for i := range words[:min(len(words), len(at))] {
		rest := strings.Join(words[i:min(i+longestMark, len(words))], " ") + " "
		begins := func(mark string) bool { return strings.HasPrefix(rest, mark+" ") }
		if slices.ContainsFunc(conditional, begins) || slices.ContainsFunc(marks, begins) {
			return strings.TrimSpace(clause[at[i][0]:])
		}
	}
	return ""
}

// longestMark bounds the words of a mark.
const longestMark = 5

// marksIn returns the words of [inLanguage] that introduce a condition in a text.
func marksIn(text string) []string {
	words := wordsOf(text)
	said := func(w string) bool { return slices.Contains(words, w) }
	var out []string
	for _, l := range inLanguage {
		if slices.ContainsFunc(l.among, said) && !slices.ContainsFunc(l.unlike, said) {
			out = append(out, l.marks...)
		}
	}
	return out
}

func wordsOf(text string) []string { return word().FindAllString(strings.ToLower(text), -1) }

// unwritten returns the conditions of the user's message of which an answer with an effect says
// nothing: neither a condition of an entry, nor one on a record with a word or number of the clause.
func (s *shown) unwritten(a *answer) []string {
	binding := s.binding(a)
	if len(binding) == 0 {
		return nil
	}
	written := map[string]bool{}
	for _, e := range binding {
		if !s.hasEffect(*e) {
			continue // what it depends on stops no effect
		}
		for _, text := range e.OnlyIf {
			written[text] = true
		}
		for _, source := range slices.Concat(e.If, e.Unless) {
			written[fmt.Sprintf("%+v", source)] = true
		}
	}

	var out []string
	values := conditionValues(binding)
	for _, clause := range s.conditions {
		if !slices.ContainsFunc(values, func(v string) bool { return tells(clause, v) }) {
			out = append(out, clause)
		}
	}
	if len(out) <= len(written) {
		return nil
	}
	return out
}

func (s *shown) hasEffect(e entry) bool {
	t := s.tools[e.Tool]
	return t != nil && t.Effect != "read"
}

// grouped is a number whose thousands stand apart.
var grouped = pattern.OnUse(`\b\d{1,3}(?:[.,' ]\d{3})+\b`)

// ungrouped writes the numbers of a clause as an answer has them.
func ungrouped(clause string) string {
	return grouped().ReplaceAllStringFunc(clause, func(n string) string { return strings.NewReplacer(".", "", ",", "", "'", "", " ", "").Replace(n) })
}

// tells reports whether a clause has the words of a value of a condition.
func tells(clause, value string) bool {
	want, have := wordsOf(norm.NFKC.String(value)), wordsOf(ungrouped(clause))
	return len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool {
		within := func(h string) bool { return h == w || (spaceless(w) && strings.Contains(h, w)) }
		return !slices.ContainsFunc(have, within)
	})
}

// spaceless reports whether a word is of a script without spaces.
func spaceless(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
}

// naming are members that say which thing a record is, and nothing about how it is.
var naming = strings.Fields("id name title subject sender author from to owner email mail customer file filename")

// binding returns the entries whose conditions an effect depends on: those with an effect, and
// those from whose results their arguments come.
func (s *shown) binding(a *answer) []*entry {
	var out []*entry
	for i := range a.Calls {
		if s.hasEffect(a.Calls[i]) {
			out = append(out, &a.Calls[i])
		}
	}
	for i := 0; i < len(out); i++ {
		for _, from := range sourcesIn(out[i].Args) {
			for j := range a.Calls {
				if e := &a.Calls[j]; e.Call == from.Call && !slices.Contains(out, e) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// conditionValues returns the values of all conditions on records of entries, but for those that
// name one.
func conditionValues(entries []*entry) []string {
	var out []string
	for _, e := range entries {
		for _, s := range sourcesIn(e.Args) {
			out = append(out, s.conditionValues()...)
		}
	}
	return out
}

// sourcesIn returns the sources of arguments and of the holes in them.
func sourcesIn(all []argument) []source {
	var out []source
	for i := range all {
		out = append(slices.Concat(out, all[i].From, all[i].Except, all[i].Computed), sourcesIn(all[i].Holes)...)
	}
	return out
}

func (s *source) conditionValues() []string {
	var out []string
	for _, m := range s.Where {
		for i := range m.From {
			out = append(out, m.From[i].conditionValues()...)
		}
		if slices.ContainsFunc(m.Field, isNaming) {
			continue
		}

		for _, v := range m.Is {
			out = append(out, textOf(v))
		}
		out = append(append(out, m.Contains...), m.Prefix, m.Before, m.After, m.Below.String(), m.Above.String())
	}
	return out
}

func isNaming(field string) bool {
	return slices.ContainsFunc(wordsOf(field), func(w string) bool { return slices.Contains(naming, w) })
}

// tellUnwritten says what to do about conditions that an answer has left out.
func tellUnwritten(clauses []string) string {
	var out []string
	for _, c := range clauses {
		out = append(out, clip(c))
	}
	return fmt.Sprintf("/calls: the user's message has a condition of which they say nothing: %s. Write it in \"if\" or \"unless\" of the calls that depend on it, "+
		"or where no program can tell it, in \"only_if\" in the user's words", strings.Join(out, ", "))
}
