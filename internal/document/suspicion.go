package document

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/pattern"
)

const (
	// maxSuspicions is how many suspicions a document may have: more are no
	// report, and would take more memory than the document.
	maxSuspicions = 10_000
	// maxQuoted is how much of a text a suspicion quotes, in bytes.
	maxQuoted = 2 << 10
)

// SuspicionKind is what is suspicious about a place.
type SuspicionKind string

// The kinds of suspicions.
const (
	// Hidden is text that a reader of the original doesn't see. It is not a sentence,
	// or was taken out of one.
	Hidden SuspicionKind = "hidden"
	// Lookalike is a word whose letters are of several alphabets, so that it may
	// not be the word that it looks like. It stays in its sentence.
	Lookalike SuspicionKind = "lookalike"
	// Instruction is a sentence that speaks to who processes the document rather
	// than to those whom it governs. It is a sentence all the same.
	Instruction SuspicionKind = "instruction"
)

// A Suspicion is something in a document that a person should look at. It may be
// harmless.
type Suspicion struct {
	Kind SuspicionKind
	// Text is what is suspicious: the hidden text, the word, the sentence; its
	// beginning where it is long.
	Text  string
	Place Place
	// Sentence is the ID of the sentence that it is about or stood in, "" if none.
	Sentence string
	Why      string
}

// suspicions returns the suspicions that a sentence raises by its words.
func suspicions(s Sentence) []Suspicion {
	var out []Suspicion
	for _, word := range lookalikes(s.Text) {
		out = append(out, Suspicion{Lookalike, word, s.Place, s.ID, "its letters look alike, and are not of one alphabet with those around them"})
	}
	if why := instructs(s.Text); why != "" {
		out = append(out, Suspicion{Instruction, cut(s.Text), s.Place, s.ID, why})
	}
	return out
}

// cut returns the beginning of a text, as much of it as a suspicion quotes.
func cut(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	end := maxQuoted
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// mimics are the alphabets that have letters which look like Latin ones, and twins
// the letters of the first two that look the same in most fonts.
var mimics = []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu}

const twins = "асеорхуіјѕһԁԛԝАВСЕНІЈКМОРЅТХУΖοΑΒΕΗΙΚΜΝΟΡΤΥΧ"

// lookalikes returns the words of a text that mix Latin letters with those of
// other alphabets, or that are of another one alone, among Latin words, and could
// all the same be read as Latin.
func lookalikes(text string) []string {
	ascii, latin := true, false
	for _, r := range text {
		ascii = ascii && r < utf8.RuneSelf
		latin = latin || unicode.Is(unicode.Latin, r)
	}

	if ascii || !latin {
		return nil
	}

	var out []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }) {
		own, other, letters := false, false, 0
		for _, r := range word {
			letters++
			own = own || unicode.Is(unicode.Latin, r)
			other = other || unicode.In(r, mimics...)
		}

		onlyTwins := letters > 1 && strings.Trim(word, twins) == ""
		if other && (own || onlyTwins) {
			out = append(out, word)
		}
	}
	return out
}

// An address is a way in which sentences speak to who processes them. The list is
// modest: it finds what is said in the usual words, and what it finds is for a
// person to judge.
type address struct {
	why string
	// hints are parts of words without one of which a text can't match: they are
	// looked for first, as most sentences have none.
	hints []string
	how   func() *regexp.Regexp
}

// addresses are matched with folded text in lower case, without quotes and stars.
var addresses = []address{
	{"it asks to ignore other instructions", hints("ignore disregard forget override bypass"), pattern.OnUse(
		`\b(ignore|disregard|forget|override|bypass)\b.{0,40}\b(instructions?|prompts?|guidelines|directions|everything|` +
			`(all|any|previous|prior|above|earlier|preceding|other|following) (rules?|polic(y|ies)|text|sentences?|sections?))\b`)},
	{"it speaks to a program that processes the document", hints("compiler parser extractor generator model llm ai a.i bot language automat machine"), pattern.OnUse(
		`\b((the|this|any|every|all|dear|you are an?|as an?) )(policy )?` + processor + `,? ` + duty + `\b` +
			`|\b(a\.?i\.?|llm|language) ?(models?|systems?|compilers?|tools?|reviewers?|assistants?)?,? ` + duty + `\b` +
			`|\bas an? (large )?(language model|llm|a\.?i\.?( model)?)\b` +
			`|\b(attention|notes?|messages?|instructions?),?( to| for)?( the| all| any)? ` + processor + `\b`)},
	{"it speaks of the making of rules or checks", hints("rule guard check item validator case mapping"), pattern.OnUse(
		`\b(when|while|before|after|for|in|from|during) (generating|creating|writing|producing|compiling|extracting|making|deriving|mapping|building) (\w+ ){0,2}` + product + `\b` +
			`|\b(do not|don't|never|must not|should not|shall not|need not|without) (be )?` +
			`(creat(e|ed|ing)|generat(e|ed|ing)|writ(e|ten|ing)|produc(e|ed|ing)|add(ed|ing)?|extract(ed|ing)?|deriv(e|ed|ing)|compil(e|ed|ing)|turn(ed|ing)?|emit(ted|ting)?|mak(e|ing)|made) (\w+ ){0,3}` + product + `\b`)},
	{"it speaks of a model's prompt or output", hints("prompt message instruction < [ respond reply answer output emit return print response completion"), pattern.OnUse(
		`\b(system|developer|hidden|initial) (prompt|message|instruction)s?\b` +
			`|<\|?/?(system|assistant|im_start|im_end|inst)\b|\[/?inst\]` +
			`|\b(respond|reply|answer) (only )?(with|in) (json|yaml|the following|an empty|exactly)\b` +
			`|\b(output|emit) (only|just|exactly|nothing|an empty|the following|json|yaml|no)\b` +
			`|\b(return|print) (only )?(nothing|an empty (list|answer|result|object)|json|yaml)\b` +
			`|\byour (output|response|completion) (must|should|shall|has to|is)\b`)},
	{"it says what is to be enforced", hints("enforce check valida information"), pattern.OnUse(
		`\b(needs?|requires?|wants?) no (\w+ )?(checks?|checking|enforcement|validation)\b` +
			`|\b(need not|needn't|should not|must not|is not to|are not to|don't have to|doesn't have to) be (\w+ly )?(enforced|validated|compiled)\b` +
			`|\b(is|are) (merely |only |purely )?informational\b`)},
	{"it asks for a verdict on the document or its rules", hints("mark flag label treat classif consider regard record archive"), pattern.OnUse(
		`\b(mark|flag|label|treat|classify|consider|regard|record|archive)\b.{0,60}\b(as|to be) (already )?` +
			`(approved|reviewed|safe|compliant|enforced|verified|unenforceable|not enforceable|a (comment|note)|optional|irrelevant|non-binding)\b`)},
}

func hints(words string) []string { return strings.Fields(words) }

// The words of addresses: who processes documents, what it is told to, and what it
// makes of them.
const (
	processor = `(compiler|parser|extractor|rule generator|guard generator|(large )?language model|llm|a\.?i\.?( model| assistant| system| reviewer| compiler)?|model|reviewing (model|tool)|(automat(ed|ic)|machine) (reader|reviewer|checker|tool|processor)|chat ?bot)s?`
	duty      = `(must|should|shall|may|will|is to|can|has to|needs? to|reading|processing|reviewing|that|who|which|you)`
	product   = `(rules?|guards?|checks?|policy items?|validators?|test cases?|mappings?)`
)

// instructs says how a text speaks to who processes it, "" when it doesn't.
func instructs(text string) string {
	text = strings.ToLower(strings.NewReplacer(`"`, "", "*", "").Replace(fold(text)))
	for _, a := range addresses {
		hinted := slices.ContainsFunc(a.hints, func(hint string) bool { return strings.Contains(text, hint) })
		if hinted && a.how().MatchString(text) {
			return a.why
		}
	}
	return ""
}
