package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/scope"
)

// A text that has the words of a condition may say the contrary, or name somebody else: what isn't approved has the word, and so has Lea
// Vogt-Maier's name. What can't be taken back relies on neither.

// deviates reports whether a text that has the words of a condition, or begins with them, may say otherwise by the words beside them.
func (m *matcher) deviates(want *held, r *Result, f *field) bool {
	looked := slices.Clone(want.Contains)
	looked = append(looked, want.edges()...)
	if len(looked) == 0 || f.words == nil || !m.work(len(f.text)*(1+len(looked))) {
		return false
	}
	if saysOtherNumber(want.Contains, f.text) {
		return true
	}
	name := head(want.name())
	if !standsAny(looked, f.text, m.holdsNames(want, r, f)) {
		return true
	}
	if lexicon().Titles.Ends(name) || lexicon().Titles.Ends(f.key) {
		return false
	}

	found, plainly := false, false
	for _, of := range looked {
		before, behind, isThere := besideOf(f.text, of)
		if isThere {
			found, plainly = true, plainly || !m.saysOtherwise(want, f, of, before, behind)
		}
	}
	return found && !plainly
}

// besideOf returns what stands before and behind words in a text, and whether they are there: as whole words, or else within one.
func besideOf(text, of string) (before, behind string, isThere bool) {
	in, words := " "+spaced(text)+" ", " "+spaced(of)+" "
	bare := strings.TrimSpace(words)
	if !strings.Contains(in, words) {
		words = bare
	}
	before, behind, isThere = strings.Cut(in, words)
	return before, behind, isThere && bare != ""
}

// saysOtherwise reports whether a text may say otherwise than words in it do, by what stands before and behind them.
func (m *matcher) saysOtherwise(want *held, f *field, of, before, behind string) bool {
	name, bare := head(want.name()), spaced(of)
	ofPerson := slices.ContainsFunc(name, func(w string) bool { return lexicon().People.Has(thing(w)) })
	isState := lexicon().States.Ends(name) || lexicon().States.Ends(f.key)
	beside := slices.Concat(strings.Fields(before), strings.Fields(behind))
	isIn := func(list wordlist.Set) bool {
		return slices.ContainsFunc(beside, func(w string) bool { return list.Has(w) && !strings.Contains(" "+bare+" ", " "+w+" ") })
	}

	if isName := ofPerson || (want.isParty() && isProper(of)); isName {
		return isIn(lexicon().Relating) || isJoined(fold(f.text), fold(of)) || m.isOfAnother(f.text, of)
	}
	if isIn(lexicon().Denying) || isDeniedWithin(before, behind) || saysNone().MatchString(f.text) {
		return true
	}
	before, behind, isWhole := m.unglued(before, bare, behind)
	return isState && (!isWhole || m.mayDeny(strings.Fields(before), false) || m.mayDeny(strings.Fields(behind), true) || isMarked(f.text))
}

// saysNone matches a text that ends in a share of nothing: "0 %".
var saysNone = pattern.OnUse(`(?:^|[^\d.,])0(?:[.,]0+)?\s*[%％]`)

// holdsNames reports whether a condition is on what somebody is called: on a member for that, or on a name in a list of people or beside an
// address of mail or a telephone number.
func (m *matcher) holdsNames(want *held, r *Result, f *field) bool {
	name := head(want.name())
	isPerson := func(w string) bool { return lexicon().People.Has(thing(w)) }
	if slices.ContainsFunc(name, isPerson) {
		return true
	}
	isPlain := !slices.ContainsFunc(name, func(w string) bool { return !lexicon().PlainNames.Has(w) })
	isAddress := func(i int) bool {
		of := &r.fields[i]
		return isOf(of.text, scope.Email) || (isOf(of.text, scope.Phone) && lexicon().PhoneHolders.Ends(of.key))
	}
	isOfSomebody := func() bool {
		return slices.ContainsFunc(words(r.Tool), isPerson) || !m.work(perStep*len(r.records[f.record])) || slices.ContainsFunc(r.records[f.record], isAddress)
	}
	return want.isParty() && (!isPlain || isOfSomebody())
}

// standsAny reports whether one of several words that a text has may be meant by itself there. In scripts that write words without blanks, or
// put endings and particles onto them, a name is all that is written in a row: 김하 isn't 김하늘, 李明 isn't 李明华, and سام isn't بسام.
func standsAny(any []string, text string, isName bool) bool {
	isIn := func(of string) bool { return strings.Contains(spaced(text), spaced(of)) }
	return !slices.ContainsFunc(any, isIn) || slices.ContainsFunc(any, func(of string) bool { return stands(text, of, isName) })
}

// stands reports whether a text has words that may be meant by themselves.
func stands(text, of string, isName bool) bool {
	in, bare := spaced(text), spaced(of)
	if bare == "" {
		return true // signs alone
	}
	last, _ := utf8.DecodeLastRuneInString(bare)
	isHangul := func(r rune) bool { return unicode.Is(unicode.Hangul, r) }
	const short = 3 // syllables: one more makes another name of it
	isShort := !strings.Contains(bare, " ") && utf8.RuneCountInString(bare) <= short

	for from, left := 0, maxCompared/len(bare); left > 0; left-- {
		i := strings.Index(in[from:], bare)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(bare)
		before := in[strings.LastIndexByte(in[:start], ' ')+1 : start]
		behind, _, _ := strings.Cut(in[end:], " ")
		mayBeName := utf8.RuneCountInString(behind) == 1 && !lexicon().NoNames.Has(behind) && (isName || isShort)
		isEnding := lexicon().Endings.Has(behind) && !mayBeName
		goesOn := isName || (isHangul(last) && strings.ContainsFunc(behind, isHangul))
		endsHere := !goesOn || behind == "" || isEnding || lexicon().Honorifics.Has(behind)
		beginsHere := !isName || before == "" || lexicon().Honorifics.Has(before)
		if endsHere && beginsHere {
			return true
		}
		from = start + 1
	}
	return false
}

// isDeniedWithin reports whether what stands around words denies them, in a script that writes that onto them.
func isDeniedWithin(before, behind string) bool {
	before = strings.TrimRight(before, " ")
	return slices.ContainsFunc(lexicon().DenyingSigns.Words(), func(sign string) bool {
		return strings.HasSuffix(before, sign) || slices.ContainsFunc(strings.Fields(behind), func(w string) bool { return strings.HasPrefix(w, sign) })
	})
}

// isMarked reports whether a state has a sign that may deny it: struck out, crossed, "= 0", or a light whose colour no text has. A check mark, a
// green light or a thumb up says that it is so, and a price says nothing of it.
func isMarked(text string) bool {
	const harmless = "✓✔✅☑🟢★⭐👍👌🎉✨"
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSymbol(r) && !unicode.Is(unicode.Sc, r) && !strings.ContainsRune(harmless, r)
	})
}

// unglued returns what stands before and behind a state but for what is written onto it in a script that has no blanks, and reports
// whether the state is whole, or with that as the user said it: 付款已取消 is none of 付款.
func (m *matcher) unglued(before, of, behind string) (rest, further string, isWhole bool) {
	if first, _ := utf8.DecodeRuneInString(of); !character.IsUnspaced(first) {
		return before, behind, true
	}
	at := strings.LastIndexByte(before, ' ') + 1
	end, further, _ := strings.Cut(behind, " ")
	return before[:at], further, before[at:]+end == "" || strings.Contains(m.folded, before[at:]+of+end)
}

// mayDeny reports whether what a state says before or behind the words that it is to have may deny them, in whatever language: all but
// numbers, words of the user's, and behind them when, where or by whom it came about.
func (m *matcher) mayDeny(beside []string, isBehind bool) bool {
	for _, w := range beside {
		if !strings.ContainsFunc(w, func(r rune) bool { return !unicode.Is(unicode.Variation_Selector, r) }) {
			continue // how a sign before it looks
		}
		isNumber := !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsDigit(r) })
		switch {
		case isBehind && lexicon().Around.Has(w):
			return false
		case !isNumber && !appears(m.folded, w), w == "0":
			return true
		}
	}
	return false
}

// isOfAnother reports whether a text that has a name names somebody by it who is another: who is said to be so in words that no name has
// ("landlord of Ann Lee"), or one of several.
func (m *matcher) isOfAnother(text, name string) bool {
	isAddress := func(w string) bool { return isOf(strings.Trim(w, "<>()"), scope.Email) }
	text = strings.Join(slices.DeleteFunc(strings.Fields(text), isAddress), " ")
	if strings.ContainsAny(strings.ReplaceAll(text, name, ""), "&+;,/|@→") {
		return true
	}
	isUpper := func(w string) bool { first, _ := utf8.DecodeRuneInString(w); return unicode.IsUpper(first) }
	all := strings.FieldsFunc(text, isSign)
	if !slices.ContainsFunc(all, isUpper) {
		return false // in a script without capitals, or in none
	}
	of := strings.Fields(spaced(name))
	return slices.ContainsFunc(all, func(w string) bool {
		isOwn := slices.Contains(of, fold(w)) || lexicon().NameParticles.Has(fold(w)) || appears(m.folded, fold(w))
		return (!isUpper(w) || isRoman().MatchString(w)) && !isOwn
	})
}

// isRoman matches a roman number of a name: Ann Lee II.
var isRoman = pattern.OnUse(`^(?:I{2,3}|I?V|VI{1,3})$`)

// saysOtherNumber reports whether a text has one of the words that it may have with more of a number beside them, and none as it is.
func saysOtherNumber(any []string, text string) bool {
	isOther := func(of string) bool { return goesOnAsNumber(text, of) }
	stands := func(of string) bool { return !isOther(of) && strings.Contains(spaced(text), spaced(of)) }
	return slices.ContainsFunc(any, isOther) && !slices.ContainsFunc(any, stands)
}

// goesOnAsNumber reports whether a text has words only with more of a number beside them: "room 1.5" isn't room 1, and 十三 isn't 三.
func goesOnAsNumber(text, words string) bool {
	isNumeral := func(r rune) bool {
		return unicode.IsDigit(r) || strings.ContainsRune("〇一二三四五六七八九十百千万", r)
	}
	goesOn := func(edge rune, beside []rune) bool { // beside counts from the words on
		if !isNumeral(edge) || len(beside) == 0 {
			return false
		}
		isSign := beside[0] == '.' && len(beside) > 1 && isNumeral(beside[1])
		return isNumeral(beside[0]) || isSign
	}

	of := spaced(words)
	first, _ := utf8.DecodeRuneInString(of)
	last, _ := utf8.DecodeLastRuneInString(of)
	if !isNumeral(first) && !isNumeral(last) {
		return false
	}

	if isBelow := strings.TrimLeft(strings.TrimSpace(fold(text)), "-−"); isNumeral(first) && strings.HasPrefix(isBelow, of) && isBelow != strings.TrimSpace(fold(text)) {
		return true
	}

	signed := gaps().ReplaceAllStringFunc(fold(text), func(s string) string {
		if joint().MatchString(s) {
			return "."
		}
		return " "
	})
	plain := strings.ReplaceAll(signed, ".", " ")
	const reach = 8 // bytes
	found := false
	for from, left := 0, maxCompared/len(of); left > 0; left-- {
		i := strings.Index(plain[from:], of)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(of)
		before := []rune(strings.ToValidUTF8(signed[max(0, start-reach):start], ""))
		slices.Reverse(before)
		if !goesOn(first, before) && !goesOn(last, []rune(strings.ToValidUTF8(signed[end:min(len(signed), end+reach)], ""))) {
			return false
		}
		found, from = true, start+1
	}
	return found
}

// gaps match what is between two words, and joint one of a sign that a number may go on behind: 1.5, 1:5 and 1 -5, and not "1, 5" or "1 (5)".
var (
	gaps  = pattern.OnUse(`[^\p{L}\p{N}\p{M}]+`)
	joint = pattern.OnUse(`^\s*[.,:/'’·\-–]$`)
)

// isJoined reports whether a name goes on with a hyphen in a text, or stands in brackets of it.
func isJoined(text, name string) bool {
	at := strings.Index(text, name)
	if at < 0 {
		return false
	}
	before, after := text[:at], text[at+len(name):]
	isOpen := strings.Count(before, "(") > strings.Count(before, ")")
	last, _ := utf8.DecodeLastRuneInString(before)
	return isOpen || last == '-' || strings.HasPrefix(after, "-")
}
