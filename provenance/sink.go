package provenance

import (
	"strings"
)

// maxSinkTokens bounds the words of a text that are looked at for addresses.
const maxSinkTokens = 4096

// Sink finds, in a value, an address that nothing vouches for: a URL, an e-mail
// address, a host, an account number, a telephone number, an absolute path or a
// command line. It looks at the value, not at any role: the whole value, and in
// longer text the links, which a reader may follow.
func (s *Session) Sink(text string) (address string, found bool) {
	trimmed := strings.TrimSpace(text)
	if !strings.ContainsAny(trimmed, " \n\t") {
		if addressLike(trimmed) && !s.vouches(trimmed) {
			return trimmed, true
		}
	} else if compact := strings.NewReplacer(" ", "", "-", "").Replace(trimmed); len(trimmed) <= 64 && accountNumber(compact) && !s.vouches(trimmed) && !s.vouches(compact) {
		return trimmed, true
	} else if commandLike(trimmed) && !s.vouches(trimmed) {
		return trimmed, true
	}
	n := 0
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && !hardByte(text, end) {
			end++
		}
		if end-start >= 5 {
			if n++; n > maxSinkTokens {
				return "", true // too long to look through: fail closed
			}
			token := strings.Trim(text[start:end], "'.,!?:;*_")
			if link(token) && !s.vouches(token) {
				return token, true
			}
		}
		start = end + 1
	}
	return "", false
}

// vouches tells whether the user or the deployment named the address.
func (s *Session) vouches(address string) bool {
	q := query{s: s, v: Value{Text: address}}
	r, ok := q.text(address)
	return ok && r.Label.Trust > s.ambient.Trust
}

// link tells whether a word of a text is one that a reader follows or that
// carries data out when it is rendered.
func link(s string) bool {
	lower := strings.ToLower(s)
	if strings.Contains(lower, "://") || strings.HasPrefix(lower, "www.") {
		return true
	}
	u, ok := parseURL(s, true)
	return ok && (u.path != "/" || u.query != "")
}

// addressLike tells whether a value as a whole names a place.
func addressLike(s string) bool {
	if link(s) || accountNumber(s) {
		return true
	}
	if at := strings.IndexByte(s, '@'); at > 0 && at < len(s)-1 {
		return true
	}
	if strings.HasPrefix(s, "/") && len(s) > 1 && !strings.HasPrefix(s, "//") || strings.HasPrefix(s, "~/") || len(s) > 3 && s[1] == ':' && s[2] == '\\' || strings.HasPrefix(s, `\\`) {
		return true
	}
	if _, ok := parseURL(s, true); ok {
		return true // a bare host
	}
	if strings.HasPrefix(s, "+") && len(s) >= 8 {
		return isIndex(strings.NewReplacer("-", "", " ", "").Replace(s[1:]))
	}
	return false
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

// SaidVerb tells whether the user said what the tool's name says it does.
func (s *Session) SaidVerb(tool string) bool {
	for _, w := range Words(tool) {
		if len(w) < 4 || generic[w] {
			continue
		}
		for _, form := range verbForms(w) {
			for _, p := range s.vouch.words[form] {
				if !s.vouch.negated(occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}) {
					return true
				}
			}
		}
		return false // the verb comes first
	}
	return false
}

var synonyms = map[string][]string{
	"delete": {"delete", "remove", "erase", "drop"},
	"remove": {"remove", "delete"},
	"cancel": {"cancel"},
}

func verbForms(w string) []string {
	if s, ok := synonyms[w]; ok {
		return s
	}
	return []string{w}
}
