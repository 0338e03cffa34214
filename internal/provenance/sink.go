package provenance

import (
	"strings"
	"unicode/utf8"

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
			continue // nobody follows a link in base64
		}
		// A view begins in the middle of the text; what is cut off there was
		// looked at before.
		if address, found = x.scan(v.Text, v.Start > 0); found {
			return address, true
		}
	}
	return "", false
}

// wholeSink looks at a value as one address or as a list of them.
func (s *Session) wholeSink(text string) (address string, found bool) {
	if !strings.ContainsAny(text, " \n\t") && addressLike(text) && !s.vouches(text) {
		return text, true
	}
	compact := text
	if strings.ContainsAny(text, " -") && len(text) <= 64 {
		compact = strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "-", "")
	}
	if (accountNumber(compact) || phoneNumber(compact)) && !s.vouches(text) && !s.vouches(compact) {
		return text, true
	}
	if len(text) > maxSinkList {
		return "", false
	}
	if strings.ContainsAny(text, " \n\t") && commandLike(text) && !s.vouches(text) {
		return text, true
	}
	// "Bob <bob@corp.com>, eve@corp.com": all items are addresses.
	if !strings.ContainsAny(text, ",;\n<") {
		return "", false
	}
	all := true
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
			all = false
			break
		}
		if first == "" && !s.vouches(item) {
			first = item
		}
	}
	return first, all && first != ""
}

// vouches tells whether the user or the deployment named the address.
func (s *Session) vouches(address string) bool {
	if len(address) > maxAtom || !s.work.spend(linkWork*len(address)) {
		return false
	}
	q := query{s: s, v: Value{Text: address}}
	r, ok := q.text(address)
	return ok && r.Label.Trust > s.ambient.Trust
}

// mayHide tells whether a text has anything that a reader's program decodes.
func mayHide(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf || c == '%' || c == '&' || c == '\\' || c == '=' || c < ' ' && c != '\n' && c != '\r' && c != '\t' {
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
		end, telling := start, false
		for end < len(text) && !linkEnd[text[end]] {
			telling = telling || text[end] == ':' || text[end] == '/'
			end++
		}
		word := text[start:end]
		if start == 0 && cut {
			start = end + 1
			continue
		}
		start = end + 1
		if len(word) < 5 || !telling && !(word[0]|0x20 == 'w' || word[len(word)-1] >= 'a') {
			continue
		}
		if !telling && !strings.Contains(asciiLower(word), "www.") {
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

// known tells whether a link is vouched for, also where the text around it was
// folded or cut.
func (x *linkScan) known(link string) bool {
	for _, v := range x.vouched {
		if !x.s.work.spend(candidateWork) {
			return true
		}
		if strings.EqualFold(v, link) || len(link) > 16 && len(link) <= len(v) && strings.EqualFold(v[:len(link)], link) {
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
	var out []string
	lower := asciiLower(word)
	// Looked for once: "data:" may stand there ten thousand times.
	slash, comma := strings.LastIndexByte(word, '/'), strings.LastIndexByte(word, ',')
	for i := 0; i < len(word); i++ {
		if word[i] != ':' {
			continue
		}
		start := i
		for start > 0 && (isAlnum(word[start-1]) || strings.IndexByte("+.-", word[start-1]) >= 0) {
			start--
		}
		rest := lower[i+1:]
		switch scheme := strings.TrimLeft(lower[start:i], "+.-"); {
		case rest == "":
		case strings.HasPrefix(rest, "//") && scheme != "":
			return append(out, trimLink(word[i-len(scheme):]))
		case linkScheme[scheme], scheme == "data" && slash > i && comma > i, scheme == "file" && rest[0] == '/':
			return append(out, trimLink(word[i-len(scheme):]))
		}
	}
	trimmed := trimLink(word)
	for i := range trimmed {
		switch {
		case strings.HasPrefix(lower[i:], "www.") && (i == 0 || !isAlnum(word[i-1]) && word[i-1] != '.' && word[i-1] != '-'),
			strings.HasPrefix(lower[i:], "//") && (i == 0 || !isAlnum(word[i-1])) && i+2 <= len(trimmed) && hostLike(trimmed[i+2:]):
			return append(out, trimmed[i:])
		}
	}
	// "evil.com/path": in brackets too.
	for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("()[],;", r) }) {
		piece = trimLink(strings.TrimLeft(piece, "'*_"))
		if u, ok := parseURL(piece, true); ok && (u.path != "/" || u.query != "" || strings.Contains(u.host, ":")) || numericHost(piece) {
			out = append(out, piece)
		}
	}
	return out
}

// hostLike tells whether what follows two slashes begins with a host: wherever a
// page has it, a browser goes there.
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
		if !wordRune(r) && r != '.' && r != '-' {
			return false
		}
	}
	return true
}

// linkScheme are the schemes that need no slashes to be followed.
var linkScheme = map[string]bool{"http": true, "https": true, "ftp": true, "ws": true, "wss": true, "javascript": true, "mailto": true,
	"smb": true, "ssh": true, "sftp": true, "git": true, "whatsapp": true, "sms": true, "tel": true, "intent": true, "ms-word": true, "vbscript": true}

func trimLink(s string) string { return strings.TrimRight(s, "'.,!?:;*_)]") }

// numericHost tells whether a word is an IPv4 address with a path or a port.
func numericHost(s string) bool {
	host, rest, ok := strings.Cut(s, "/")
	host, port, hasPort := strings.Cut(host, ":")
	if !ok && !hasPort || ok && rest == "" && !hasPort || hasPort && !isIndex(port) {
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

// addressLike tells whether a value as a whole names a place.
func addressLike(s string) bool {
	if len(s) > maxAtom {
		return strings.Contains(s, "://")
	}
	if accountNumber(s) || phoneNumber(s) || len(links(s)) > 0 {
		return true
	}
	if at := strings.IndexByte(s, '@'); at > 0 && at < len(s)-1 {
		return true
	}
	if strings.HasPrefix(s, "/") && len(s) > 1 && !strings.HasPrefix(s, "//") || strings.HasPrefix(s, "~/") || len(s) > 3 && s[1] == ':' && s[2] == '\\' || strings.HasPrefix(s, `\\`) {
		return true
	}
	_, ok := parseURL(s, true)
	return ok // a bare host
}

// Contacts tells whether to use a value is to contact the host that it names, or
// to leave the folder that it begins with.
func Contacts(s string) bool {
	s = strings.TrimSpace(s)
	scheme, _, ok := strings.Cut(s, "://")
	return ok && scheme != "" && !strings.ContainsAny(scheme, " \t\n/") || strings.Contains("/"+strings.ReplaceAll(s, `\`, "/")+"/", "/../")
}

// Right tells whether a value as a whole names a right.
func Right(s string) bool {
	return len(s) <= 32 && rights.has(asOneWord.Replace(strings.ToLower(s)))
}

var asOneWord = strings.NewReplacer("-", "_", " ", "_")

// phoneNumber tells whether a value is a telephone number with its country.
func phoneNumber(s string) bool {
	return strings.HasPrefix(s, "+") && len(s) >= 8 && len(s) <= 24 && isIndex(strings.NewReplacer("-", "", "(", "", ")", "", ".", "").Replace(s[1:]))
}

// accountNumber tells whether a value has the shape of an IBAN (ISO 13616).
// The check digits are left alone: a wrong one is still meant as an account.
func accountNumber(s string) bool {
	if len(s) < 14 || len(s) > 34 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch {
		case i < 2 && (s[i] < 'A' || s[i] > 'Z'), (i == 2 || i == 3) && !isDigit(s[i]):
			return false
		case !isDigit(s[i]) && (s[i] < 'A' || s[i] > 'Z'):
			return false
		}
	}
	return true
}

// commandLike tells whether a value reads as a command line: operators of the
// shell between words.
func commandLike(s string) bool {
	for _, op := range [...]string{" | ", " && ", " || ", "; rm ", "$(", "`", " > /", " >> ", "| sh", "|sh", "| bash", "|bash"} {
		if strings.Contains(s, op) {
			return strings.ContainsAny(s, "/-$") && len(s) < 4096
		}
	}
	return false
}
