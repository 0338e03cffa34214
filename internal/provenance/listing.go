package provenance

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// IsWhole reports whether a listing has every record that the user's words ask for, so that
// one record of a name is the only one. It is not where an argument of less trust than
// TOOL_OUTPUT selects what is returned, where it begins elsewhere than at the first record,
// where it has as many records as its limit, or where the server says that there are more.
func IsWhole(doc *strictjson.Document, args []Argument) bool {
	l := listingOf(doc)
	return !l.saysMore() && !slices.ContainsFunc(args, func(a Argument) bool { return a.leavesOut(l.longest) })
}

// chooser returns the least trust of the arguments that may have left records out of a
// result: their author chose the records. It is TRUSTED if there are none.
func chooser(doc *strictjson.Document, args []Argument) label.Trust {
	listed := math.MaxInt // any limit may have been reached
	if doc != nil {
		if l := listingOf(doc); !l.saysMore() {
			listed = l.longest
		}
	}

	least := label.Trusted
	for _, a := range args {
		if a.leavesOut(listed) {
			least = min(least, a.Label.Trust)
		}
	}
	return least
}

// chosenBy lowers the trust of a result to that of the source that chose its records: the service
// wrote an identifier, and the source chose which one came. A link keeps its trust: it says where
// something can be read, whatever was asked for, and otherwise a search of the web would find
// nothing that may be opened.
func (o *output) chosenBy(t label.Trust) {
	o.floor = min(o.floor, t)
	field := o.spec.Field
	if field == nil || t >= label.ToolOutput {
		return
	}
	links := linksOf(o.doc)
	o.spec.Field = func(pointer string) (label.Trust, bool) {
		own, listed := field(pointer)
		if links[pointer] {
			return own, listed
		}
		return min(own, t), listed
	}
}

// linksOf returns the fields of a document that are an address of the web and nothing else.
func linksOf(doc *strictjson.Document) map[string]bool {
	if doc == nil {
		return nil
	}
	out := map[string]bool{}
	for _, leaf := range doc.Leaves() {
		if leaf.Kind == strictjson.String && isLink(leaf.Text) {
			out[leaf.Pointer] = true
		}
	}
	return out
}

// isLink reports whether a text is an absolute address of the web.
func isLink(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && !strings.ContainsAny(text, " \t\n")
}

// leavesOut reports whether an argument may have left records out of a listing of so many.
func (a *Argument) leavesOut(listed int) bool {
	if isVoid(a.Text) {
		return false
	}

	words := newName(a.Pointer, "").all
	n, err := strconv.ParseFloat(a.Text, 64)
	others := func(w string) bool { return !vocabulary().LimitNames.Has(w) }
	limits := len(words) > 0 && !slices.ContainsFunc(words, others)
	switch page := slices.Contains(words, "page"); {
	case limits && err == nil && (len(words) > 1 || !page):
		return n <= float64(listed)
	case vocabulary().OffsetNames.In(words) && err == nil:
		return n > 1 || (n != 0 && !page)
	case vocabulary().OffsetNames.In(words):
		// A date of the user's asks for the records since then; a cursor is a server's.
		return a.Label.Trust < label.User
	}
	return a.Label.Trust < label.ToolOutput
}

// isVoid reports whether a value is as good as none.
func isVoid(text string) bool {
	switch text {
	case "", "null", "[]", "{}":
		return true
	}
	return false
}

// listing is what a document says of how many records it lists. Kinds tell lists from objects: whoever
// names a member "99" makes no list of a hundred.
type listing struct {
	// longest is the length of the longest list, at least 1, and total the largest that is told beside
	// the records.
	longest int
	total   float64
	// more is set where a member beside the records says that there are more of them.
	more bool
}

// listingOf walks a document.
func listingOf(doc *strictjson.Document) listing {
	l := listing{longest: 1}
	l.walk(doc.Root(), nil, false)
	return l
}

// walk reads a value with the words of the nearest member name. Inside records nothing is told of
// the listing.
func (l *listing) walk(v strictjson.Value, words []string, inRecord bool) {
	switch v.Kind() {
	case strictjson.Object:
		for name, member := range v.Members() {
			if !inRecord {
				words = Words(name)
			}
			l.walk(member, words, inRecord)
		}
	case strictjson.Array:
		l.longest = max(l.longest, v.Len())
		for element := range v.All() {
			isScalar := element.Kind() != strictjson.Object && element.Kind() != strictjson.Array
			l.walk(element, words, inRecord || !isScalar)
		}
	case strictjson.Null:
	default:
		if !inRecord {
			l.tell(v, words)
		}
	}
}

// tell takes what a member beside the records says of how many there are: "hasMore", a cursor to
// the next page, a total.
func (l *listing) tell(v strictjson.Value, words []string) {
	text := v.Text()
	if v.Kind() != strictjson.String {
		text = string(v.Raw())
	}
	switch {
	case isVoid(text):
	case slices.Contains(words, "total"):
		if n, err := strconv.ParseFloat(text, 64); err == nil && n > l.total {
			l.total = n // a total that is no number is none
		}
	case text != "false" && vocabulary().MoreNames.In(words):
		l.more = true
	}
}

// saysMore reports whether the server says that there are more records than were listed.
func (l *listing) saysMore() bool { return l.more || l.total > float64(l.longest) }
