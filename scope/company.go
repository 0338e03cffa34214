package scope

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A company's legal form is in every register, and few people say it: "pay Hartley Print" is
// about "Hartley Print Ltd". Two records whose names differ in the form alone both meet the
// condition, and which one is meant is a question.

// legalForms are legal forms after ISO 20275, without dots and spaces, as they follow a
// company's name; formsBefore are those that may precede it.
var (
	legalForms = strings.Fields("ab ag aps as asa bv bvba co company corp corporation cv doo dooel ehf eirl eood eurl ev gbr gmbh gmbhcokg " +
		"hf incorporated inc kb kft kg kgaa ks limited llc llp lp ltd ltda mbh nv nyrt oe ohg oü oy oyj plc pllc pte pteltd pty ptyltd pvtltd " +
		"sa sab sabdecv sadecv sapa saps sarl sas sasu sca scop sdnbhd se sia sl sll slu snc spa spzoo spzook srl srls sro uab vof zrt zs " +
		"ооо оао зао пао ао ип тов оод еоод ад 株式会社 有限会社 合同会社 有限公司 有限责任公司 股份有限公司 주식회사 유한회사")
	formsBefore = strings.Fields("ооо оао зао пао ао ип тов pt cv 株式会社 有限会社 合同会社 주식회사 유한회사")
)

// The longest legal form: "GmbH & Co. KG" and "S. A. B. de C. V." are the like.
const (
	maxFormWords = 6
	maxFormBytes = 48
)

// isCompany reports whether a text is the name of a company with its legal form.
func isCompany(text, name string) bool {
	text, name = fold(text), fold(name)
	if name == "" || len(text) > len(name)+maxFormBytes {
		return false
	}
	after, ok := strings.CutPrefix(text, name)
	first, _ := utf8.DecodeRuneInString(after)
	if ok && isApart(first) && isForm(after, legalForms) {
		return true
	}
	before, ok := strings.CutSuffix(text, name)
	last, _ := utf8.DecodeLastRuneInString(before)
	return ok && isApart(last) && isForm(before, formsBefore)
}

// isApart reports whether a character next to a name belongs to another word.
func isApart(r rune) bool {
	return !isSpelled(r) || unicode.In(r, unspaced...) || unicode.Is(unicode.Hangul, r)
}

func isSpelled(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// isForm reports whether a text is one of the legal forms, with its dots and spaces.
func isForm(text string, forms []string) bool {
	other := func(r rune) bool { return !isSpelled(r) && !strings.ContainsRune(" .,&", r) }
	if strings.ContainsFunc(text, other) || len(strings.Fields(text)) > maxFormWords {
		return false
	}
	letters := func(r rune) rune {
		if isSpelled(r) {
			return r
		}
		return -1
	}
	return slices.Contains(forms, strings.Map(letters, text))
}
