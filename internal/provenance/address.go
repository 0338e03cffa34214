package provenance

import (
	"net/url"
	"strings"

	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/label"
)

// addAddresses indexes the e-mail addresses and URLs of a vouching text by
// their canonical form.
func (v *vouching) addAddresses(source int32, text string) {
	for start, end := range atoms(text) {
		v.addAtom(source, text, start, end)
	}
}

func (v *vouching) addAtom(source int32, text string, start, end int) {
	// The punctuation of the sentence, and quotes, are not part of an atom.
	for start < end && text[start] == '\'' {
		start++
	}
	for end > start && strings.IndexByte(".,!?:;'", text[end-1]) >= 0 {
		end--
	}
	atom := text[start:end]
	if len(atom) < 3 || len(atom) > maxAtom {
		return
	}
	p := position{source, int32(start), int32(end)}
	if typedAtom(atom) && len(atom) >= minShape && len(v.shapes) < maxShapes {
		if key := normal.Skeleton(atom); v.shapes[key] == (position{}) {
			v.shapes[key] = p
		}
	}
	if key, ok := mailKey(strings.TrimPrefix(atom, "mailto:")); ok {
		v.mails[key] = append(v.mails[key], p)
		return
	}
	if key, ok := urlKey(atom); ok {
		v.urls[key] = append(v.urls[key], p)
	}
}

const (
	// minShape is the shortest atom that others are held against: shorter ones
	// look like one another by chance.
	minShape = 5
	// maxShapes is how many atoms are kept by their looks.
	maxShapes = 4096
)

// lookalike marks a value that looks like an atom of the user's, and is not it.
// It never raises anything: the value is somebody's imitation, or a slip.
func (s *Session) lookalike(value string, r *Resolution) {
	if len(s.vouch.shapes) == 0 || len(value) < minShape || len(value) > maxShapeValue || strings.ContainsAny(value, " \n") {
		return
	}
	p, ok := s.vouch.shapes[normal.Skeleton(value)]
	if !ok {
		return
	}
	if own := s.vouch.sources[p.source].text[p.start:p.end]; own != value && !strings.EqualFold(own, value) {
		r.LooksLike = own
		r.Label.Obligations |= label.Homoglyph
	}
}

// maxShapeValue is the longest value that is held against the user's atoms.
const maxShapeValue = 320

// maxAtom is the longest address that is compared by its own rules, in bytes:
// longer than any URL that a person types or pastes.
const maxAtom = 4096

// mailKey returns the comparison form of an e-mail address: equal addresses
// differ in ASCII case only (RFC 5321 leaves the local part to its host, but no
// real host distinguishes case there). Anything that is not plainly one
// address, comments and quoted local parts included, has none.
func mailKey(s string) (string, bool) {
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || at == len(s)-1 || len(s) > 320 || !plain(s) {
		return "", false
	}
	local, domain := s[:at], s[at+1:]
	if strings.ContainsAny(local, "@%!:\\/\"'()<>,; \t") || !strings.Contains(domain, ".") && domain != "localhost" {
		return "", false
	}
	for i := 0; i < len(domain); i++ {
		c := domain[i]
		if c >= 0x80 || c != '.' && c != '-' && !isAlnum(c) {
			return "", false
		}
	}
	if strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, "..") {
		return "", false
	}
	return asciiLower(local) + "@" + asciiLower(domain), true
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func asciiLower(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// webURL is a URL in the parts that matter to security.
type webURL struct {
	scheme, host string // lower case; the default port is left out
	path         string // as written; "" and "/" are equal
	query        string // without "?"
	fragment     string
	hasFragment  bool
}

// parseURL reads an absolute http, https, ws or wss URL, or a schemeless one
// ("acme.com/pricing"), which is read as https. It refuses everything that two
// readers could take for different places: user information, backslashes, dot
// segments (encoded ones too), control characters, hosts that are not plain
// ASCII names.
func parseURL(s string, schemeless bool) (webURL, bool) {
	if len(s) > maxAtom || strings.ContainsAny(s, "\\ \t\r\n\"<>`{}|^") || !plain(s) {
		return webURL{}, false
	}
	address := s
	if !strings.Contains(s, "://") {
		if !schemeless {
			return webURL{}, false
		}
		name, _, _ := strings.Cut(beforePath(s), ":")
		if !plausibleDomain(name) {
			return webURL{}, false
		}
		address = "https://" + s
	}
	u, err := url.Parse(address)
	if err != nil {
		return webURL{}, false
	}
	scheme := strings.ToLower(u.Scheme)
	switch scheme {
	case "http", "https", "ws", "wss", "ftp":
	default:
		return webURL{}, false
	}
	if u.User != nil || u.Opaque != "" || u.Host == "" {
		return webURL{}, false
	}
	host := strings.ToLower(u.Host)
	for i := 0; i < len(host); i++ {
		if c := host[i]; !isAlnum(c) && c != '.' && c != '-' && c != ':' && c != '[' && c != ']' {
			return webURL{}, false
		}
	}
	if scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else if scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	}
	path := u.EscapedPath()
	for segment := range strings.SplitSeq(path, "/") {
		if s := strings.ToLower(segment); s == "." || s == ".." || strings.Contains(s, "%2e") || strings.Contains(s, "%2f") || strings.Contains(s, "%5c") {
			return webURL{}, false
		}
	}
	if path == "" {
		path = "/"
	}
	return webURL{scheme, host, path, u.RawQuery, u.EscapedFragment(), strings.Contains(s, "#")}, true
}

// beforePath cuts an address without its scheme where path, query or fragment
// begin.
func beforePath(s string) string {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i]
	}
	return s
}

// plausibleDomain tells whether a name without a scheme reads as a host: at
// least two labels, the last of letters, none of a common file's extension.
func plausibleDomain(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || len(name)-i < 3 {
		return false
	}
	tld := name[i+1:]
	for j := 0; j < len(tld); j++ {
		if c := tld[j] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	for j := 0; j < len(name); j++ {
		if c := name[j]; !isAlnum(c) && c != '.' && c != '-' {
			return false
		}
	}
	switch strings.ToLower(tld) {
	case "txt", "md", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "csv", "json", "yaml", "yml", "html", "htm",
		"xml", "log", "go", "py", "js", "ts", "java", "rs", "sh", "png", "jpg", "jpeg", "gif", "zip", "gz", "tar", "conf", "ini", "cfg", "sql", "db":
		return false
	}
	return true
}

// key is the comparison form: two URLs with the same key are the same place.
// A scheme of https may be added to what the user wrote without one, which
// parseURL does; http never is.
func (u webURL) key() string {
	k := u.scheme + "://" + u.host + u.path
	if u.query != "" {
		k += "?" + u.query
	}
	if u.hasFragment {
		k += "#" + u.fragment
	}
	return k
}

// place is the URL without query and fragment.
func (u webURL) place() string { return u.scheme + "://" + u.host + u.path }

func urlKey(s string) (string, bool) {
	u, ok := parseURL(s, true)
	if !ok {
		return "", false
	}
	return u.key(), true
}
