package match

import (
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/provenance/numeral"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/wordlist"
)

// A page of a listing is no listing: the cheapest of it may be the cheapest of those who pay to be on the first page.

// saysMore reports whether a result says beside its records that there are more of them.
func (r *Result) saysMore() bool {
	elements, lists := map[string]bool{}, map[string]bool{}
	for _, record := range r.inOrder {
		if list, place := elementIn("", record); place != "" {
			elements[place], lists[list] = true, true
		}
	}
	listed, isEmpty := len(elements), slices.ContainsFunc(r.fields, func(f field) bool { return f.list })
	if listed == 0 && !isEmpty {
		return false
	}

	l := r.listing(listed)
	return slices.ContainsFunc(r.fields, func(f field) bool {
		switch {
		case isListed(f.record):
			return f.isNextLink() || f.isFailure()
		case f.saysMore(listed, l.wordsOf(f.record)), f.isFailure(), f.isUnreal(), f.isLeftOver(l), f.saysInWords(l), f.isInPart(l):
			return true
		case listed == 0:
			return false
		}

		in := f.record + "/" + strictjson.EscapeToken(f.member)
		if f.record+f.member == "" {
			in = "" // all there is
		}
		isElement := lists[in] // and is no record, as the others are: "and 56 more", or null
		isOfList := slices.Equal(f.key, []string{"of"}) || l.isAround(f.record)
		return isElement || f.isPartOf(l) || (isOfList && f.countsMore(l)) || f.countsOwn(l)
	})
}

// A listing is what a result lists, for many fields to be held to: what takes a look at all of the result is found out once.
type listing struct {
	r      *Result
	listed int                 // how many records
	names  map[string]bool     // the words of its lists' names, without the endings of plurals
	words  map[string][]string // of the pointers of records
	around map[string]bool     // the objects that are known to be around a list, or not to be
}

// listing returns that of a result with so many records.
func (r *Result) listing(listed int) *listing {
	l := &listing{r: r, listed: listed, names: map[string]bool{}, words: map[string][]string{}, around: map[string]bool{}}
	seen := map[string]bool{}
	for _, record := range r.inOrder {
		list := listOf(record)
		if !isListed(record) || seen[list] {
			continue
		}
		seen[list] = true
		for _, w := range words(list) {
			l.names[singular(w)] = true
		}
	}
	return l
}

// isCalled reports whether a list of a result is called by a word.
func (l *listing) isCalled(word string) bool { return telling(word) && l.names[singular(word)] }

// wordsOf returns the words of a record's pointer.
func (l *listing) wordsOf(record string) []string {
	of, known := l.words[record]
	if !known {
		of = words(record)
		l.words[record] = of
	}
	return of
}

// isRemark reports whether a text is the only thing that an object around a list says besides how it is listed.
func (r *Result) isRemark(f *field) bool {
	return !slices.ContainsFunc(r.records[f.record], func(i int) bool {
		of := &r.fields[i]
		return of.member != f.member && !of.null && slices.ContainsFunc(of.key, isOfNoWrapper)
	})
}

// isOfNoWrapper reports whether a word is none for what a server puts around a list.
func isOfNoWrapper(w string) bool {
	l := lexicon()
	return !slices.ContainsFunc([]wordlist.Set{l.Wrappers, l.Extents, l.Page, l.Pages, l.Amounts, l.Numbered}, func(all wordlist.Set) bool { return all.Has(w) })
}

// isAround reports whether an object is nothing but what a server puts around a list.
func (l *listing) isAround(pointer string) bool {
	is, known := l.around[pointer]
	if !known {
		is = l.r.isAround(pointer)
		l.around[pointer] = is
	}
	return is
}

// saysMore reports whether a field beside so many records, with the words of what is around it, says that there are more of them.
func (f *field) saysMore(listed int, around []string) bool {
	if f.null || f.text == "" || f.text == "0" {
		return false
	}
	if len(f.key) == 0 {
		return f.member != "" // "...": "56 more"
	}

	last := f.key[len(f.key)-1]
	if f.text == "false" {
		return lexicon().Finished.In(f.key)
	}
	if f.key[0] == "total" && lexicon().Counts.Has(last) {
		n, err := whole(f.text)
		return err == nil && n > listed
	}
	name := slices.Concat(around, f.part, f.key)
	further := lexicon().Furthers.In(name) && (lexicon().Nexts.Has(last) || lexicon().Counts.Has(last))
	isLeft := last == "left" && lexicon().Counts.In(f.key)
	isToken := last == "token" && len(f.key) > 1
	isNotShown := f.key[0] == "not" && f.numeric
	isSample := f.text == "true" && len(f.key) == 1 && lexicon().Samples.Has(last)
	return further || isNotShown || isSample || f.isFurtherPage() || isLeft || isToken || lexicon().Others.In(name) || relNext().MatchString(f.text) || f.isLater() || f.isCursor()
}

// isFurtherPage reports whether a field is the number of a page that isn't the first one, whatever the other word for it says.
func (f *field) isFurtherPage() bool {
	const pair = 2 // nasta_sida
	n, err := whole(f.text)
	isHowMany := func(w string) bool {
		return lexicon().Limits.Has(w) || lexicon().Counts.Has(w) || lexicon().Lengths.Has(w)
	}
	return err == nil && n > 1 && len(f.key) == pair && lexicon().Page.In(f.key) && !slices.ContainsFunc(f.key, isHowMany)
}

// isLater reports whether a field says that a page isn't the first one, by how many records come before it, or by the first one's number.
func (f *field) isLater() bool {
	n, err := whole(f.text)
	isFirst := slices.Equal(f.key, []string{"start", "index"}) || (len(f.key) == 1 && lexicon().Firsts.Has(f.key[0]))
	isSkip := len(f.key) == 1 && lexicon().Skips.Has(f.key[0])
	return err == nil && ((isSkip && n > 0) || (isFirst && n > 1))
}

// isCursor reports whether a field is the id behind or before which another page begins.
func (f *field) isCursor() bool {
	return len(f.key) == 2 && f.key[1] == "id" && lexicon().Sides.Has(f.key[0])
}

// isNextLink reports whether an element of a list of links is the one to the next page. A link may be several (RFC 8288).
func (f *field) isNextLink() bool {
	isOther := func(rel string) bool { return lexicon().Furthers.Has(strings.ToLower(rel)) }
	return slices.Equal(f.key, []string{"rel"}) && slices.ContainsFunc(strings.Fields(f.text), isOther) && slices.Contains(words(f.record), "links")
}

// relNext matches a header that links to the next page.
var relNext = pattern.OnUse(`(?i)\brel ?= ?(?:"[^"]*\bnext\b|'[^']*\bnext\b|next\b)`)

// isFailure reports whether a field is in a list of what couldn't be listed, beside the records.
func (f *field) isFailure() bool {
	list := f.key
	if isListed(f.record) {
		outermost, _, _ := strings.Cut(strings.TrimPrefix(f.record, "/"), "/")
		list = words(outermost)
	}
	isSome := !f.null && f.text != "" && f.text != "0" && f.text != "false"
	return isSome && len(list) == 1 && lexicon().Unlisted.Has(list[0])
}

// isLeftOver reports whether a field counts what couldn't be looked through: "failed_shards": 2.
func (f *field) isLeftOver(l *listing) bool {
	n, err := whole(f.text)
	isOf := func(w string) bool { return lexicon().Unlisted.Has(w) }
	return err == nil && n > 0 && f.numeric && len(f.key) > 1 && (isOf(f.key[0]) || isOf(f.key[len(f.key)-1])) && l.holds(f.record)
}

// isUnreal reports whether a field says that the records are none that there are: "simulated": true, "mode": "demo".
func (f *field) isUnreal() bool {
	l := lexicon()
	isUnreal := func(w string) bool { return l.Unreal.Has(w) || l.Trials.Has(w) }
	isOn := switches()[fold(f.text)] == "on" && slices.ContainsFunc(f.key, isUnreal)
	return isOn || (l.Settled.In(f.key) && len(f.words) == 1 && isUnreal(f.words[0]))
}

// saysInWords reports whether a remark beside a list says in words alone that there is more of what it lists: "There are more tags than shown".
func (f *field) saysInWords(l *listing) bool {
	isRemark := lexicon().Remarks.In(f.key) || lexicon().Notes.In(f.key) || l.r.isRemark(f)
	if !isRemark || len(f.text) > longestPortion {
		return false
	}
	all := words(f.text)
	isMore := lexicon().Others.In(all) || slices.Contains(all, "more") || slices.Contains(all, "further")
	isListed := func(w string) bool { return l.isCalled(w) || lexicon().Counts.Has(w) }
	return isMore && slices.ContainsFunc(all, isListed) && !lexicon().Denying.In(all)
}

// isInPart reports whether a word beside a list says that it is there in part, whatever it is called where the server says nothing else:
// "coverage": "partial".
func (f *field) isInPart(l *listing) bool {
	return len(f.words) == 1 && lexicon().InPart.Has(f.words[0]) && (lexicon().Extents.In(f.key) || l.r.isRemark(f))
}

// holds reports whether an object has a list of the result as a member, or is around one.
func (l *listing) holds(record string) bool {
	isIn := func(element string) bool { return isListed(element) && strings.HasPrefix(element, record+"/") }
	isEmpty := func(f field) bool { return f.list && f.record == record }
	return slices.ContainsFunc(l.r.inOrder, isIn) || slices.ContainsFunc(l.r.fields, isEmpty)
}

// portionToken matches the numbers, words and strokes of a text that says which part of how much is shown: "1-20 of 1,057", "1/57".
var portionToken = pattern.OnUse(`\d{1,3}(?:[.,'\x{2019}\x{a0}\x{202f}]\d{3})+\b|\d{1,9}|\pL+|/`)

// longestPortion is that of such a text, in bytes.
const longestPortion = 96

// isPartOf reports whether a field says that so many records of a result, or this page, are a part of more: "1-20 of 57", "57 servers, 2 shown".
func (f *field) isPartOf(l *listing) bool {
	text := numeral.InASCII(fold(f.text))
	if len(text) > longestPortion || f.numeric || isMoment(text) {
		return false
	}
	isPage := lexicon().Page.In(f.key) || lexicon().Pages.In(f.key)
	isRemark := lexicon().Remarks.In(f.key) || lexicon().Notes.In(f.key)

	shown, isOf, isPart, isMany := -1, false, false, false
	tokens := portionToken().FindAllString(text, -1)
	for i, token := range tokens {
		n, err := strconv.Atoi(strings.Map(onlyDigits, token))
		if err != nil {
			isOf = isOf || ((shown >= 0 || isRemark) && lexicon().OutOf.Has(token))
			continue
		}
		isMore := n > l.listed || (isPage && n > 1)
		isNoun := func(w string) bool { return l.isCalled(w) || (isRemark && lexicon().Counts.Has(w)) }
		isPart = isPart || (n == l.listed && l.r.isRemark(f)) // in whatever words: "Kun de 2 nyeste vises, 16 flere findes", "全8件中1件"
		isMany = isMany || n > l.listed
		if (isPart && isMany) || (isMore && (isPart || (isOf && n >= shown) || slices.ContainsFunc(tokens[i+1:min(i+2, len(tokens))], isNoun))) {
			return true
		}
		shown, isOf = n, false
	}
	return false
}

// onlyDigits leaves a number's digits.
func onlyDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return r
	}
	return -1
}

// countsMore reports whether a field of an object around so many records counts more of them, or more pages than one.
func (f *field) countsMore(l *listing) bool {
	n, ok := number(f.text)
	if !ok || len(f.key) == 0 {
		return false
	}
	of, err := whole(n)
	if isWhole := quantity(n).IsInt(); err != nil || !isWhole {
		return false
	}

	name, last, bare := slices.Concat(l.wordsOf(f.record), f.part, f.key), f.key[len(f.key)-1], len(f.key) == 1
	switch {
	case lexicon().Pages.Has(last), lexicon().Page.In(f.key) && lexicon().Numbered.In(f.key):
		return of > 1
	case lexicon().Page.Has(last) && (bare || lexicon().Current.In(f.key)):
		return of > 1
	case isLimit(f.key) && (bare || lexicon().Wrappers.Has(f.key[0])) && !lexicon().Amounts.In(f.key):
		return of == l.listed || (of > l.listed && lexicon().Extents.Has(last))
	case lexicon().Extents.Has(last) && (bare || lexicon().Numbered.In(f.key) || f.key[0] == "nb"):
		return of > l.listed
	case lexicon().Amounts.In(f.key) && (bare || lexicon().Numbered.In(f.key)), lexicon().Amounts.In(name) && last == "value":
		return of > l.listed
	}
	return false
}

// countsOwn reports whether a field counts more of what a result lists than are in it, by the list's own name: totalOrders, order_count.
func (f *field) countsOwn(l *listing) bool {
	n, err := whole(f.text)
	if len(f.key) == 0 || !f.numeric || err != nil || n <= l.listed {
		return false
	}
	if len(f.key) == 1 {
		return l.isCalled(f.key[0]) // "stats": {"servers": 57}
	}
	isCount := func(w string) bool { return lexicon().Numbered.Has(w) || lexicon().Counts.Has(w) || w == "nb" }
	isOfAll := func(w string) bool { return l.isCalled(w) || w == "total" || sameWord(w, "result") }
	return slices.ContainsFunc(f.key, isCount) && slices.ContainsFunc(f.key, isOfAll)
}

// isAround reports whether an object is nothing but what a server puts around a list.
func (r *Result) isAround(pointer string) bool {
	name := words(strictjson.UnescapeToken(pointer[strings.LastIndexByte(pointer, '/')+1:]))
	if slices.ContainsFunc(name, func(w string) bool { return isOfNoWrapper(w) && !lexicon().Containers.Has(w) }) {
		return false
	}
	return !slices.ContainsFunc(r.records[pointer], func(i int) bool {
		f := &r.fields[i]
		return !f.null && slices.ContainsFunc(slices.Concat(f.part, f.key), isOfNoWrapper)
	})
}
