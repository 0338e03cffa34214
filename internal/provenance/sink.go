package provenance

import (
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/provenance/normal"
)

const (
	// maxSinkTokens bounds the words of a text that may be links and are looked
	// at one by one.
	maxSinkTokens = 4096
	// maxSinkList is the longest text that is read as a list of addresses, in
	// bytes.
	maxSinkList = 4096
)

// Sink finds, in a value, an address that nothing vouches for: a URL, an e-mail
// address, a host, an account number, a telephone number, an absolute path or a
// command line. It looks at the value, not at any role: the whole value, each
// item of a list of addresses, and in longer text the links, which a reader may
// follow, also where they are written with entities, escapes or look-alike
// forms that a reader's program undoes.
func (s *Session) Sink(text string) (address string, found bool) {
	address, found = s.sink(text)
	if !found && s.work.spent() {
		return "more than can be looked at", true
	}
	return address, found
}

func (s *Session) sink(text string) (address string, found bool) {
	if address, found = s.wholeSink(strings.TrimSpace(text)); found {
		return address, true
	}
	x := linkScan{s: s}
	if address, found = x.scan(text, false); found || !mayHide(text) {
		return address, found
	}

	if strings.Contains(text, `\\`) {
		// Browsers read "https:\\host" as "https://host".
		if address, found = x.scan(strings.ReplaceAll(text, `\\`, "//"), false); found {
			return address, true
		}
	}
	if !s.work.spend(2 * decodeWork * len(text)) {
		return "", false
	}
	folded, _ := normal.Fold(nil, text)
	if address, found = x.scan(string(folded), false); found {
		return address, true
	}

	for _, v := range normal.Decode(text) {
		if v.Encoding != normal.Escapes {
			continue // nothing follows a link in base64
		}
		// A view begins in the middle of the text, and what is cut off there was
		// scanned before.
		if address, found = x.scan(v.Text, v.Start > 0); found {
			return address, true
		}
	}
	return "", false
}

// wholeSink looks at a value as one address or as a list of them.
func (s *Session) wholeSink(text string) (address string, found bool) {
	blanks := strings.ContainsAny(text, " \n\t")
	if !blanks && addressLike(text) && !s.vouches(text) {
		return text, true
	}
	if compact := withoutGaps(text); compact != "" && (accountNumber(compact) || phoneNumber(compact)) && !s.vouches(text) && !s.vouches(compact) {
		return text, true
	}
	if len(text) > maxSinkList {
		return "", false
	}
	if blanks && commandLike(text) && !s.vouches(text) {
		return text, true
	}
	return s.listSink(text)
}

// withoutGaps returns a short text without blanks and hyphens; empty when it has no
// digit, and can't be a number.
func withoutGaps(text string) string {
	if !strings.ContainsAny(text, "0123456789") {
		return ""
	}
	if len(text) > 64 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "-", "")
}

// listSink looks at a value of which all items are addresses: "Bob <bob@corp.com>,
// eve@corp.com".
func (s *Session) listSink(text string) (address string, found bool) {
	if !strings.ContainsAny(text, ",;\n<") {
		return "", false
	}

	first := ""
	for _, item := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		item = strings.TrimSpace(item)
		if open := strings.LastIndexByte(item, '<'); open >= 0 && strings.HasSuffix(item, ">") {
			item = item[open+1 : len(item)-1]
		}
		if item == "" {
			continue
		}
		if strings.ContainsAny(item, " \t") || !addressLike(item) {
			return first, false
		}
		if first == "" && !s.vouches(item) {
			first = item
		}
	}
	return first, first != ""
}

// vouches reports whether the user or the deployment named an address.
func (s *Session) vouches(address string) bool {
	if len(address) > maxAtom || !s.work.spend(linkWork*len(address)) {
		return false
	}
	q := query{s: s, v: Value{Text: address}}
	r, ok := q.resolveText(address)
	return ok && r.Label.Trust > s.ambient.Trust
}

// mayHide reports whether a text has anything that a reader's program decodes.
func mayHide(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n', c == '\r', c == '\t':
		case c < ' ', c >= utf8.RuneSelf, c == '%', c == '&', c == '\\', c == '=':
			return true
		}
	}
	return false
}

// linkScan looks for links in the forms of one text.
type linkScan struct {
	s       *Session
	looked  int
	vouched []string // links that are vouched for, as the text spells them
}

// linkEnd has the bytes that end a link in every kind of text. Brackets, commas
// and semicolons do not: they may be part of one, and of the user name that
// makes "https://corp.com(@evil.io" a link to evil.io.
var linkEnd = func() (t [256]bool) {
	for c := range 0x21 {
		t[c] = true
	}
	for _, c := range []byte("\"<>`{}|^\\\x7f") {
		t[c] = true
	}
	return t
}()

// scan looks through a text word by word. Of a text that was cut out of another
// the first word may be half a link.
func (x *linkScan) scan(text string, cut bool) (string, bool) {
	if !x.s.work.spend(linkWork * len(text)) {
		return "", false
	}

	for start := 0; start < len(text); {
		end := start
		for end < len(text) && !linkEnd[text[end]] {
			end++
		}
		word, half := text[start:end], cut && start == 0
		start = end + 1
		if half || !mayLink(word) {
			continue
		}

		if x.looked++; x.looked > maxSinkTokens {
			return "more links than can be looked at", true
		}
		for _, link := range links(word) {
			if x.looked++; x.looked > maxSinkTokens || !x.known(link) {
				return link, true
			}
		}
	}
	return "", false
}

// mayLink reports whether a word is worth a look for links.
func mayLink(word string) bool {
	if len(word) < 5 {
		return false
	}
	if strings.ContainsAny(word, ":/") {
		return true
	}
	// Few words are looked at letter by letter.
	likely := word[0]|0x20 == 'w' || word[len(word)-1] >= 'a'
	return likely && strings.Contains(asciiLower(word), "www.")
}

// known reports whether a link is vouched for, also where the text around it was
// folded or cut.
func (x *linkScan) known(link string) bool {
	for _, v := range x.vouched {
		if !x.s.work.spend(candidateWork) {
			return true
		}
		cut := len(link) > 16 && len(link) <= len(v)
		if strings.EqualFold(v, link) || (cut && strings.EqualFold(v[:len(link)], link)) {
			return true
		}
	}
	if !x.s.vouches(link) && !x.s.vouches(strings.TrimPrefix(link, "mailto:")) {
		return false
	}
	if len(x.vouched) < maxPieces {
		x.vouched = append(x.vouched, link)
	}
	return true
}

// links returns the links that begin in a word of a text: everything from the
// scheme on, and words that programs make links of.
func links(word string) []string {
	lower := asciiLower(word)
	if link, ok := schemeLink(word, lower); ok {
		return []string{link}
	}
	if link, ok := bareLink(word, lower); ok {
		return []string{link}
	}

	// "evil.com/path": in brackets too.
	var out []string
	for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("()[],;", r) }) {
		piece = trimLink(strings.TrimLeft(piece, "'*_"))
		u, ok := parseURL(piece, true)
		leads := ok && (u.path != "/" || u.query != "" || strings.Contains(u.host, ":"))
		if leads || numericHost(piece) {
			out = append(out, piece)
		}
	}
	return out
}

// schemeLink returns the first link with a scheme in a word.
func schemeLink(word, lower string) (string, bool) {
	// Looked for once: "data:" may be there ten thousand times.
	slash, comma := strings.LastIndexByte(word, '/'), strings.LastIndexByte(word, ',')

	for i := range len(word) {
		rest := lower[i+1:]
		if word[i] != ':' || rest == "" {
			continue
		}
		start := i
		for start > 0 && (atom.IsAlphanumeric(word[start-1]) || strings.IndexByte("+.-", word[start-1]) >= 0) {
			start--
		}
		scheme := strings.TrimLeft(lower[start:i], "+.-")

		follows := scheme != "" && strings.HasPrefix(rest, "//")
		data := scheme == "data" && slash > i && comma > i
		file := scheme == "file" && rest[0] == '/'
		if follows || data || file || linkScheme[scheme] {
			return trimLink(word[i-len(scheme):]), true
		}
	}
	return "", false
}

// bareLink returns the link without a scheme that programs find in a word: from
// "www." or two slashes on.
func bareLink(word, lower string) (string, bool) {
	trimmed := trimLink(word)
	for i := range trimmed {
		inside := i > 0 && atom.IsAlphanumeric(word[i-1])
		inName := i > 0 && (inside || word[i-1] == '.' || word[i-1] == '-')

		www := !inName && strings.HasPrefix(lower[i:], "www.")
		slashes := !inside && strings.HasPrefix(trimmed[i:], "//") && hostLike(trimmed[i+2:])
		if www || slashes {
			return trimmed[i:], true
		}
	}
	return "", false
}

// hostLike reports whether the text after two slashes begins with a host: wherever a page has it,
// a browser goes there.
func hostLike(s string) bool {
	s = beforePath(s)
	s = s[strings.LastIndexByte(s, '@')+1:]
	if strings.HasPrefix(s, "[") {
		return true
	}

	s, _, _ = strings.Cut(s, ":")
	dot := strings.IndexByte(s, '.')
	if dot <= 0 || dot == len(s)-1 {
		return false
	}
	for _, r := range s {
		if !atom.IsWordRune(r) && r != '.' && r != '-' {
			return false
		}
	}
	return true
}

// linkScheme are the schemes that need no slashes to be followed.
var linkScheme = map[string]bool{"http": true, "https": true, "ftp": true, "ws": true, "wss": true, "javascript": true, "mailto": true,
	"smb": true, "ssh": true, "sftp": true, "git": true, "whatsapp": true, "sms": true, "tel": true, "intent": true, "ms-word": true, "vbscript": true}

func trimLink(s string) string { return strings.TrimRight(s, "'.,!?:;*_)]") }

// numericHost reports whether a word is an IPv4 address with a path or a port.
func numericHost(s string) bool {
	address, rest, hasPath := strings.Cut(s, "/")
	host, port, hasPort := strings.Cut(address, ":")
	if hasPort && !isIndex(port) {
		return false
	}
	if !hasPort && (!hasPath || rest == "") {
		return false
	}

	parts := strings.Split(host, ".")
	for _, p := range parts {
		if !isIndex(p) || len(p) > 3 {
			return false
		}
	}
	return len(parts) == 4
}

// addressLike reports whether a value as a whole names a place.
func addressLike(s string) bool {
	if len(s) > maxAtom {
		return strings.Contains(s, "://")
	}
	if accountNumber(s) || phoneNumber(s) || absolutePath(s) || len(links(s)) > 0 {
		return true
	}
	if at := strings.IndexByte(s, '@'); at > 0 && at < len(s)-1 {
		return true
	}
	_, ok := parseURL(s, true)
	return ok // a bare host
}

// absolutePath reports whether a value begins as an absolute path does: "/srv", "~/a",
// "C:\a", "\\host\a".
func absolutePath(s string) bool {
	unix := len(s) > 1 && s[0] == '/' && s[1] != '/'
	drive := len(s) > 3 && s[1] == ':' && s[2] == '\\'
	return unix || drive || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, `\\`)
}

// Contacts reports whether to use a value is to contact the host that it names, or
// to leave the folder that it begins with.
func Contacts(s string) bool {
	s = strings.TrimSpace(s)
	scheme, _, ok := strings.Cut(s, "://")
	hasScheme := ok && scheme != "" && !strings.ContainsAny(scheme, " \t\n/")
	return hasScheme || strings.Contains("/"+strings.ReplaceAll(s, `\`, "/")+"/", "/../")
}

// Right reports whether a value as a whole names a right.
func Right(s string) bool {
	return len(s) <= 32 && vocabulary().Rights.Has(asOneWord.Replace(strings.ToLower(s)))
}

var asOneWord = strings.NewReplacer("-", "_", " ", "_")

// phoneNumber reports whether a value is a telephone number with its country.
func phoneNumber(s string) bool {
	return strings.HasPrefix(s, "+") && len(s) >= 8 && len(s) <= 24 && isIndex(strings.NewReplacer("-", "", "(", "", ")", "", ".", "").Replace(s[1:]))
}

// accountNumber reports whether a value has the shape of an IBAN (ISO 13616).
// The check digits are left alone: a wrong one is still meant as an account.
func accountNumber(s string) bool {
	if len(s) < 14 || len(s) > 34 {
		return false
	}
	for i := range len(s) {
		capital := 'A' <= s[i] && s[i] <= 'Z'
		country, check := i < 2, i == 2 || i == 3
		if (country && !capital) || (check && !atom.IsDigit(s[i])) || (!capital && !atom.IsDigit(s[i])) {
			return false
		}
	}
	return true
}

// commandLike reports whether a value reads as a command line: operators of the
// shell between words.
func commandLike(s string) bool {
	for _, op := range [...]string{" | ", " && ", " || ", "; rm ", "$(", "`", " > /", " >> ", "| sh", "|sh", "| bash", "|bash"} {
		if strings.Contains(s, op) {
			return strings.ContainsAny(s, "/-$") && len(s) < 4096
		}
	}
	return false
}
