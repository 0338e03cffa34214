package proxy

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// A question follows what the model wrote, which the client may have shown already and which may
// leave something open that hides what follows: a comment, a block of code that a page draws, an
// element that is folded up. Such elements are closed before the question. In doubt too much is
// closed: that shows a few marks more, and hides nothing.

// maxClosing bounds the elements that are closed. A text that leaves more open has no
// question below it: its calls stay denied.
const maxClosing = 64

// closing returns what ends everything that a text may leave open; empty for nothing. It is
// false where that is too much.
func closing(text string) (ends string, ok bool) {
	var lines []string
	if fence := openFence(text); fence != "" {
		lines = append(lines, fence)
	}

	tags := openTags(text)
	declares := strings.Contains(text, "<!") || strings.Contains(text, "<?")
	switch {
	case len(tags) > maxClosing:
		return "", false
	case len(tags) > 0, declares, inTag(text):
		lines = append(lines, endOfMarkup(text, tags))
	}

	if strings.ContainsAny(text, "\x1b\u0090\u0098\u009b\u009d\u009e\u009f") {
		lines = append(lines, "\x1b\\\x1b[0m") // a terminal's string, and its colours
	}
	return strings.Join(lines, "\n"), true
}

// endOfMarkup returns a line that ends comments, declarations and elements. Markdown takes it for
// a comment and passes it on as it is; a page that is within a comment, a tag or a value ends
// with it.
func endOfMarkup(text string, tags []string) string {
	line := `<!-- '"> -->`
	for _, m := range []struct{ begin, end string }{{"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if strings.Contains(text, m.begin) {
			line += m.end
		}
	}
	for _, name := range tags {
		line += "</" + name + ">"
	}
	return line
}

// fenceLine matches a line that begins or ends a block of code, or of mathematics.
var fenceLine = pattern.OnUse("^ {0,3}(`{3,}|~{3,}|\\${2,})([^\\r]*)\\r?$")

// openFence returns the line that ends the block of code in which a text ends; empty for
// none.
func openFence(text string) string {
	open := ""
	for line := range strings.SplitSeq(text, "\n") {
		m := fenceLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		mark, rest := m[1], strings.TrimSpace(m[2])
		inline := mark[0] != '~' && strings.Contains(rest, mark[:1])
		switch {
		case open == "" && !inline:
			open = mark
		case open != "" && rest == "" && strings.HasPrefix(mark, open):
			open = ""
		}
	}
	return open
}

// A page reads a tag up to its ">", and a value in it up to the quotation mark that it
// began with, whatever is in between.
type tagState uint8

const (
	inName tagState = iota
	behindEquals
	inValue
	inDouble
	inSingle
	closed
	tagStates
)

// inTag reports whether a text may end within a tag, wherever that began.
func inTag(text string) bool {
	var at [tagStates]bool // a page may have begun at any "<"
	for i := range len(text) {
		var then [tagStates]bool
		for s := range closed {
			if at[s] {
				then[s.next(text[i])] = true
			}
		}
		if text[i] == '<' && i+1 < len(text) && (isLetter(text[i+1]) || text[i+1] == '/') {
			then[inName] = true
		}
		at = then
	}
	return slices.Contains(at[:closed], true)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// next returns where a page is after a character of a tag.
func (s tagState) next(c byte) tagState {
	space := strings.IndexByte(" \t\r\n\f", c) >= 0

	switch {
	case s == inDouble && c == '"', s == inSingle && c == '\'':
		return inName
	case s == inDouble, s == inSingle:
		return s
	case c == '>':
		return closed
	case s == behindEquals && c == '"':
		return inDouble
	case s == behindEquals && c == '\'':
		return inSingle
	case s == behindEquals && !space:
		return inValue
	case s == inValue && space:
		return inName
	case s == inName && c == '=':
		return behindEquals
	}
	return s
}

var (
	tag = pattern.OnUse(`<(/?)([A-Za-z][A-Za-z0-9:-]*)`)
	// void are the elements that have no end.
	void = strings.Fields("area base br col embed hr img input link meta param source track wbr")
	// tangled matches what may make the end of an element only look like one: a comment,
	// code, an escape, a tag within another one's value, an element whose content is read otherwise.
	tangled = pattern.OnUse("(?i)<[!?]|`|~~~|\\\\|(?m:^(?: {4}|\t))|<[a-z/][^>]*<|" +
		"<(?:script|style|textarea|title|xmp|iframe|noembed|noframes|noscript|plaintext|template|select|svg|math)")
)

// openTags returns the names of the elements that a text may leave open, the last one
// first.
func openTags(text string) []string {
	var open []string
	believed := !tangled().MatchString(text)

	for _, m := range tag().FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(m[2])
		last := -1
		for i, o := range open {
			if o == name {
				last = i
			}
		}
		switch {
		case slices.Contains(void, name), m[1] != "" && (!believed || last < 0):
		case m[1] != "":
			open = slices.Delete(open, last, last+1)
		case len(open) <= maxClosing:
			open = append(open, name)
		}
	}
	slices.Reverse(open)
	return open
}
