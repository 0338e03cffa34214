package provenance

import (
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/wordlist"
)

// Kind is what an argument or a tool is, by its name.
type Kind uint8

// The kinds. All but verbatim are kinds of arguments.
const (
	Amount     Kind = iota // says how much
	OneLine                // has one line
	SentAlong              // goes along with a request to a host
	Shown                  // is put before people again and again, or is fetched
	Filter                 // restricts what a call takes
	Identifier             // names single objects
	verbatim               // a tool that returns text as its author wrote it
	network                // reaches hosts
)

// kindWords are the words of a name that tell a kind: any of them, or the last one.
type kindWords struct {
	words   wordlist.Set
	last    bool
	atLeast int // how many words the name has
}

var kinds = sync.OnceValue(func() []kindWords {
	v := vocabulary()
	return []kindWords{
		Amount:     {words: v.AmountNames},
		OneLine:    {words: v.OneLineNames, last: true},
		SentAlong:  {words: v.SentAlongNames},
		Shown:      {words: v.ShownNames},
		Filter:     {words: v.FilterNames},
		Identifier: {words: v.IdentifierNames},
		verbatim:   {words: v.VerbatimNames, last: true, atLeast: 2},
		network:    {words: v.NetworkNames},
	}
})

// NameTells reports whether the name of an argument (or the pointer to it) or of a tool shows
// that it is of a kind.
func NameTells(name string, kind Kind) bool {
	k := &kinds()[kind]
	words := newName(name, "").all
	if len(words) == 0 || len(words) < k.atLeast {
		return false
	}

	if k.last {
		words = words[len(words)-1:]
	}
	return k.words.In(words)
}

// IsVerbatim reports whether the name of a tool shows that it returns a text as its author wrote it. What lists pages returns none of
// them.
func IsVerbatim(tool string) bool {
	if !NameTells(tool, verbatim) {
		return false
	}
	return !(slices.Contains(listings, Words(tool)[0]) && strings.HasSuffix(strings.ToLower(tool), "s"))
}

// listings are the verbs of tools that list several things, if their name ends in the plural.
var listings = strings.Fields("list search find query")

// IsOption reports whether a program that gets a value as an argument takes it for
// an option.
func IsOption(s string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "-")
	return len(rest) < len(s) && rest != "" && atom.IsAlphanumeric(rest[0]) && !atom.IsDigit(rest[0])
}

// IsTrivial reports whether a text is too short to carry anything out: the number
// of a page, a letter.
func IsTrivial(s string) bool {
	shortNumber := len(s) <= 4 && isIndex(s)
	return len(s) <= 2 || shortNumber || s == "true" || s == "false"
}

// IsHost reports whether a value is an address of the web, with or without a
// scheme.
func IsHost(s string) bool {
	_, ok := parseURL(s, true)
	return ok || strings.Contains(s, "://")
}

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
	about := NameTells(tool, network) || NameTells(pointer, network)
	_, host := parseURL(text, true)
	return about && (host || numericHost(text+"/"))
}
