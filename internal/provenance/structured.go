package provenance

import (
	"net/url"
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/label"
)

// resolveStructured resolves a value with an inner structure part by part.
func (q *query) resolveStructured() (Resolution, bool) {
	text := q.v.Text
	if u, ok := parseURL(text, q.v.Form == FormURL); ok && isClean(text) {
		return q.resolveURL(u), true
	}
	if q.v.Form == FormAddress || strings.HasSuffix(text, ">") {
		if r, ok := q.resolveAddress(text); ok {
			return r, true
		}
	}
	if q.v.Form == FormShell {
		return q.resolveShell(text)
	}
	return Resolution{}, false
}

func (r *Resolution) add(p Part, evidence []label.Evidence) {
	r.Parts = append(r.Parts, p)
	r.Label = label.Merge(r.Label, p.Label)
	r.Evidence = append(r.Evidence, evidence...)
}

// resolveURL resolves a URL that nothing vouches for as a whole. Scheme, host and path
// decide where the call goes; query and fragment carry content to it.
func (q *query) resolveURL(u webURL) Resolution {
	r := Resolution{Label: label.Identity(), How: HowURL}
	place, evidence := q.resolvePlace(u)
	r.add(Part{Name: "place", Text: u.place(), Authority: true, Label: place}, evidence)
	r.Witness = place.Trust > q.s.ambient.Trust

	pieces := 0
	content := func(name, raw string) {
		if pieces++; raw == "" || pieces > maxPieces {
			return
		}
		text, err := url.QueryUnescape(raw)
		if err != nil {
			text = raw
		}
		l, ev := q.s.Ambient(), []label.Evidence(nil)
		if part, ok := q.resolveText(text); ok {
			l, ev = part.Label, part.Evidence
		}
		r.add(Part{Name: name, Text: text, Label: l}, ev)
	}

	for pair := range strings.SplitSeq(u.query, "&") {
		_, value, found := strings.Cut(pair, "=")
		if !found {
			value = pair
		}
		content("query", value)
	}
	content("fragment", u.fragment)
	if pieces > maxPieces {
		r.Label = label.Merge(r.Label, q.s.Ambient())
	}
	return r
}

// resolvePlace finds the label of a URL's scheme, host and path: vouched for as they
// are, or put together from an address of the user's and path components that
// are vouched for.
func (q *query) resolvePlace(u webURL) (label.Label, []label.Evidence) {
	if r, ok := q.resolvePlaces(u.place(), q.s.vouch.urls[u.place()], "URL"); ok {
		return r.Label, r.Evidence
	}

	segments := strings.Split(strings.Trim(u.path, "/"), "/")
	if len(segments) > maxPieces {
		return q.s.Ambient(), nil
	}

	for cut := len(segments) - 1; cut >= 0; cut-- {
		base := u.scheme + "://" + u.host + "/" + strings.Join(segments[:cut], "/")
		r, ok := q.resolvePlaces(base, q.s.vouch.urls[base], "URL")
		if !ok && cut > 0 {
			r, ok = q.resolvePlaces(base+"/", q.s.vouch.urls[base+"/"], "URL")
		}
		if !ok {
			continue
		}
		for _, s := range segments[cut:] {
			part, ok := q.resolveExact(s)
			if !ok {
				return q.s.Ambient(), nil
			}
			r.Label = label.Merge(r.Label, part.Label)
			r.Evidence = append(r.Evidence, part.Evidence...)
		}
		return r.Label, r.Evidence
	}
	return q.s.Ambient(), nil
}

// resolveAddress resolves "Display Name <local@domain>": the address decides, the name
// is content.
func (q *query) resolveAddress(text string) (Resolution, bool) {
	name, rest, ok := strings.Cut(text, "<")
	if !ok || !strings.HasSuffix(rest, ">") || !isClean(text) || strings.ContainsAny(text, "\n\r\t") || !displayName(strings.TrimSpace(name)) {
		return Resolution{}, false
	}

	mail := strings.TrimSuffix(rest, ">")
	if _, ok := mailKey(mail); !ok {
		return Resolution{}, false
	}

	r := Resolution{Label: label.Identity(), How: "address parts"}
	l, ev := q.s.Ambient(), []label.Evidence(nil)
	if part, ok := q.resolveText(mail); ok {
		l, ev = part.Label, part.Evidence
		r.Witness = true
		r.Offers = part.Offers
		r.refs = part.refs
	}
	r.add(Part{Name: "address", Text: mail, Authority: true, Label: l}, ev)

	if name = strings.Trim(name, " \"'"); name != "" {
		l, ev = q.s.Ambient(), nil
		if part, ok := q.resolveText(name); ok {
			l, ev = part.Label, part.Evidence
		}
		r.add(Part{Name: "name", Text: name, Label: l}, ev)
	}
	return r, true
}

// displayName reports whether a text is a display name to every reader of an
// address header: words, in one pair of quotes or none. A comma, a colon or an
// at sign makes some of them read a second recipient.
func displayName(s string) bool {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	for _, r := range s {
		if !atom.IsWordRune(r) && r != ' ' && r != '.' && r != '-' && r != '\'' && r != '’' {
			return false
		}
	}
	return true
}
