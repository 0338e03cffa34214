package provenance

import (
	"net/url"
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/label"
)

// addAddresses indexes the e-mail addresses and URLs of a vouching text by
// their canonical form.
func (v *vouching) addAddresses(source int32, text string) {
	for start, end := range atom.All(text) {
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

// lookalike marks a value that looks like an atom of the user's and is another. It
// never raises anything: the value is an imitation, or a slip.
func (s *Session) lookalike(value string, r *Resolution) {
	if len(s.vouch.shapes) == 0 || len(value) < minShape || len(value) > maxShapeValue || strings.ContainsAny(value, " \n") {
		return
	}
	var space [2 * maxShapeValue]byte
	p, ok := s.vouch.shapes[string(normal.AppendSkeleton(space[:0], value))]
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
	if at <= 0 || at == len(s)-1 || len(s) > maxMail || !isPlain(s) {
		return "", false
	}

	local, domain := s[:at], s[at+1:]
	qualified := strings.Contains(domain, ".") || domain == "localhost"
	if !qualified || strings.ContainsAny(local, "@%!:\\/\"'()<>,; \t") || !mailDomain(domain) {
		return "", false
	}
	return asciiLower(local) + "@" + asciiLower(domain), true
}

// maxMail is the longest e-mail address (RFC 5321), in bytes.
const maxMail = 320

// mailDomain reports whether a text is a domain of ASCII labels.
func mailDomain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '.' && c != '-' && !atom.IsAlphanumeric(c) {
			return false
		}
	}
	return !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
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
	if len(s) > maxAtom || strings.ContainsAny(s, "\\ \t\r\n\"<>`{}|^") || !isPlain(s) {
		return webURL{}, false
	}
	address, ok := withScheme(s, schemeless)
	if !ok {
		return webURL{}, false
	}

	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || u.Host == "" {
		return webURL{}, false
	}
	scheme := strings.ToLower(u.Scheme)
	defaultPort, known := webSchemes[scheme]
	host := strings.ToLower(u.Host)
	path := u.EscapedPath()
	if !known || !plainHost(host) || hasDotSegment(path) {
		return webURL{}, false
	}

	if defaultPort != "" {
		host = strings.TrimSuffix(host, defaultPort)
	}
	if path == "" {
		path = "/"
	}
	return webURL{scheme, host, path, u.RawQuery, u.EscapedFragment(), strings.Contains(s, "#")}, true
}

// webSchemes are the schemes that are read, with the ports that may be left out.
var webSchemes = map[string]string{"http": ":80", "https": ":443", "ws": "", "wss": "", "ftp": ""}

// withScheme adds the scheme to an address that may go without.
func withScheme(s string, schemeless bool) (string, bool) {
	if strings.Contains(s, "://") {
		return s, true
	}
	name, _, _ := strings.Cut(beforePath(s), ":")
	if !schemeless || !plausibleDomain(name) {
		return "", false
	}
	return "https://" + s, true
}

// plainHost reports whether a host is a plain ASCII name or an IP address, with its
// port or without.
func plainHost(host string) bool {
	for i := range len(host) {
		if c := host[i]; !atom.IsAlphanumeric(c) && strings.IndexByte(".-:[]", c) < 0 {
			return false
		}
	}
	return true
}

// hasDotSegment reports whether a path has a segment that leads elsewhere, or that
// some readers decode to one.
func hasDotSegment(path string) bool {
	for segment := range strings.SplitSeq(strings.ToLower(path), "/") {
		encoded := strings.Contains(segment, "%2e") || strings.Contains(segment, "%2f") || strings.Contains(segment, "%5c")
		if encoded || segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// beforePath cuts an address without its scheme where path, query or fragment
// begin.
func beforePath(s string) string {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i]
	}
	return s
}

// plausibleDomain reports whether a name without a scheme reads as a host: at
// least two labels, the last of letters and not the extension of a common file.
func plausibleDomain(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || len(name)-i < 3 || !plainName(name) {
		return false
	}

	top := strings.ToLower(name[i+1:])
	return strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") == "" && !vocabulary().FileExtensions.Has(top)
}

func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !atom.IsAlphanumeric(c) && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// key returns the comparison form: two URLs with the same key are the same place. A scheme of
// https may be added to what the user wrote without one, which parseURL does; http never is.
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

// place returns the URL without query and fragment.
func (u webURL) place() string { return u.scheme + "://" + u.host + u.path }

func urlKey(s string) (string, bool) {
	u, ok := parseURL(s, true)
	if !ok {
		return "", false
	}
	return u.key(), true
}
