package provenance

import "strings"

// Option reports whether a program that gets a value as an argument takes it for
// an option.
func Option(s string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "-")
	return len(rest) < len(s) && rest != "" && (isAlnum(rest[0]) && !isDigit(rest[0]))
}

// Trivial reports whether a text is too short to carry anything out: the number
// of a page, a letter.
func Trivial(s string) bool {
	return len(s) <= 2 || len(s) <= 4 && isIndex(s) || s == "true" || s == "false"
}

// Host reports whether a value is an address of the web, with or without a
// scheme.
func Host(s string) bool {
	_, ok := parseURL(s, true)
	return ok || strings.Contains(s, "://")
}

// oneLine are the words of arguments that hold one line.
var oneLine = wordSet("subject title summary name header to cc bcc from email mail address topic channel branch tag label key id filename path url uri type format " +
	"role phone number date time status reason code currency locale timezone mime")

// OneLine reports whether an argument is one line by its name.
func OneLine(pointer string) bool {
	last := newName(pointer, "").last
	return len(last) > 0 && oneLine[last[len(last)-1]]
}

// sentAlong are the words of arguments that a request to a host takes with it.
var sentAlong = wordSet("param params parameter body data payload header cookie json form field post variable")

// SentAlong reports whether an argument goes along with a request to a host, by
// its name. What a tool is to find on the page does not.
func SentAlong(pointer string) bool { return hasAny(newName(pointer, "").all, sentAlong) }

// verbatim are what tools return as it was written, by the last word of their
// names.
var verbatim = wordSet("body text content page website webpage url html markdown raw")

// Verbatim reports whether a tool returns a text that somebody wrote, by its name.
func Verbatim(tool string) bool {
	words := Words(tool)
	return len(words) > 1 && verbatim[words[len(words)-1]]
}

// shown are the words of arguments whose text is put before other people's eyes,
// or is fetched, with everything that comes later.
var shown = wordSet("signature topic html bio profile banner footer avatar icon picture logo website homepage webhook callback redirect")

// Shown reports whether a text is shown to people again and again by its
// argument's name.
func Shown(pointer string) bool {
	return hasAny(newName(pointer, "").all, shown)
}

// network are the words of tools and arguments that reach hosts.
var network = wordSet("dns ping resolve whois lookup traceroute reputation domain host hostname site page screenshot url uri web http https fetch crawl scrape browse " +
	"navigate website server endpoint ip address port connect request")

// Reaches reports whether a value makes a call that only reads contact a host: an
// address without its scheme that has a path, or a bare host where the tool or
// the argument is about hosts.
func Reaches(tool, pointer, text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > maxAtom {
		return false
	}
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|,; \t\n\"'()<>", r) }) {
		if len(links(piece)) > 0 {
			return true
		}
		// "concat:host/path": a scheme of a program's own.
		if _, rest, ok := strings.Cut(piece, ":"); ok && len(links(rest)) > 0 {
			return true
		}
	}
	if strings.ContainsAny(text, " \t\n") {
		return false
	}
	about := hasAny(Words(tool), network) || hasAny(newName(pointer, "").all, network)
	_, host := parseURL(text, true)
	return about && (host || numericHost(text+"/"))
}

// filters are the words of arguments that restrict what a call takes.
var filters = wordSet("filter query where pattern condition criteria selector match search before after since until older newer status state label tag glob regex only prefix")

// Filter reports whether an argument restricts what a call takes, by its name.
func Filter(name string) bool { return hasAny(Words(name), filters) }

// Identifies reports whether an argument names single objects.
func Identifies(name string) bool { return identifier(Words(name)) }
