// Package question words what a person is asked about calls that were held back: all
// arguments, why it is asked, and where the doubtful values come from. All that others
// wrote is in quotes, with everything in it visible that isn't plain text, so that it
// can't pose as the question's own words.
package question

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

const (
	// maxShown is how much of a text a question repeats where the text decides
	// nothing, in characters, and maxWhole where it does: who agrees to a call has
	// to see what it does.
	maxShown = 320
	maxWhole = 2000
	// maxAround is how much of the text around a place it repeats.
	maxAround = 80
	// maxLines is how many reasons, and maxArguments how many arguments a question
	// lists.
	maxLines     = 12
	maxArguments = 48
)

// effects are what calls do, in words.
var effects = map[contract.Effect]string{
	contract.Read: "it reads", contract.Write: "it changes something", contract.Destructive: "it may destroy something",
	contract.Execute: "it executes something", contract.Egress: "it sends something out",
}

// Of words an approval of one call for a person, or of several calls at once.
func Of(asked ...sighting.Asked) string {
	var b strings.Builder
	if len(asked) > 1 {
		fmt.Fprintf(&b, "Remit asks: an agent wants to make %d calls.\n\n%s", len(asked), List(1, asked))
		b.WriteString("\nApproving lets exactly these calls through, or those that you choose, each once.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "Remit asks: an agent wants to call %s.\n\n", subject(asked[0].Decision))
	body(&b, asked[0])
	b.WriteString("\nBy itself a yes lets exactly this call through, once.\n")
	return folded(b.String())
}

// List words several calls, each under its number from the first on, for a question about
// all of them.
func List(first int, asked []sighting.Asked) string {
	var b strings.Builder
	for i, a := range asked {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d. The call of %s.\n", first+i, subject(a.Decision))
		body(&b, a)
	}
	return folded(b.String())
}

// subject names a call by its tool, and says what it does.
func subject(d *remit.Decision) string {
	out := Quoted(d.Tool, maxShown)
	if d.Server != "" {
		out += " of the server " + Quoted(d.Server, maxShown)
	}
	if d.Through != "" {
		out += " through " + Quoted(d.Through, maxShown)
	}
	if does := effects[d.Effect]; does != "" {
		out += " (" + does + ")"
	}
	return out
}

// body writes a call's arguments, the reasons and the places.
func body(b *strings.Builder, a sighting.Asked) {
	doc, _ := strictjson.Parse(a.Decision.Arguments, strictjson.DefaultLimits()) // nil, in which nothing is found, for others
	arguments(b, a.Decision, doc)
	b.WriteString("\nWhy you are asked:\n")
	reasons(b, a.Decision, doc)
	if len(a.Places) > 0 {
		b.WriteString("\nWhere it comes from:\n")
	}
	for _, p := range a.Places {
		origin(b, p)
	}
}

// Complete reports whether a question about a call shows everything that a person decides
// by: every argument, with the whole text of those that are more than free content, and
// every reason.
func Complete(d *remit.Decision) bool {
	if len(d.Findings) > maxArguments || len(d.Reasons) > maxLines {
		return false
	}
	for _, name := range []string{d.Tool, d.Server, d.Through} {
		if utf8.RuneCountInString(name) > maxShown {
			return false
		}
	}
	doc, err := strictjson.Parse(d.Arguments, strictjson.DefaultLimits())
	if err != nil {
		return false
	}

	bound, _ := Binding(d)
	for i := range d.Findings {
		f := &d.Findings[i]
		leaf, ok := doc.Get(f.Path)
		most := most(f, bound)
		cut := most == maxWhole && utf8.RuneCountInString(leaf.Text) > most
		if !ok || cut || utf8.RuneCountInString(f.Path) > maxShown {
			return false
		}
	}
	return true
}

// most returns how much of an argument's text a question repeats, in characters.
func most(f *remit.Finding, bound contract.Approved) int {
	if Decisive(f, bound) {
		return maxWhole
	}
	return maxShown
}

// Decisive reports whether a person decides by the whole text of an argument: by every one
// but free content that the call isn't told by; bound are the call's [Binding].
func Decisive(f *remit.Finding, bound contract.Approved) bool {
	_, decides := bound[f.Path]
	return decides || f.Role.AuthorityBearing() || bound == nil
}

// arguments writes all arguments of a call, lists of plain values on one line.
func arguments(b *strings.Builder, d *remit.Decision, doc *strictjson.Document) {
	bound, _ := Binding(d)
	if len(d.Findings) == 0 {
		b.WriteString("It has no arguments.\n")
	}

	value := func(f *remit.Finding) string {
		text := f.Value
		if leaf, ok := doc.Get(f.Path); ok {
			text = leaf.Text
		}
		return Quoted(text, most(f, bound))
	}

	lines := 0
	for i := 0; i < len(d.Findings); i++ {
		f := &d.Findings[i]
		if lines++; lines > maxArguments {
			fmt.Fprintf(b, "and %d more, which are not shown\n", len(d.Findings)-i)
			return
		}
		list, element := listOf(doc, f.Path)
		if first := element && strings.HasSuffix(f.Path, "/0"); !first {
			fmt.Fprintf(b, "%s = %s\n", Place(f.Path), value(f))
			continue
		}
		texts := []string{value(f)}
		for i+1 < len(d.Findings) && d.Findings[i+1].Path == fmt.Sprintf("%s/%d", list, len(texts)) {
			i++
			texts = append(texts, value(&d.Findings[i]))
		}
		fmt.Fprintf(b, "%s = [%s]\n", Place(list), strings.Join(texts, ", "))
	}
}

// reasons writes why a call is asked about. Values of which the same is to be
// said are named together.
func reasons(b *strings.Builder, d *remit.Decision, doc *strictjson.Document) {
	var unknown []string
	lines := 0
	line := func(format string, args ...any) {
		if lines++; lines <= maxLines {
			fmt.Fprintf(b, "- "+format+"\n", args...)
		}
	}
	for _, r := range d.Reasons {
		switch {
		case r.Code == remit.BelowFloor && r.Path != "":
			at := r.Path
			if list, element := listOf(doc, at); element {
				at = list
			}
			if p := Place(at); !slices.Contains(unknown, p) {
				unknown = append(unknown, p)
			}
		case r.Code == remit.Unprovoked:
			line("nothing shows that the user wants this, and it can't be taken back")
		case r.Path != "":
			line("%s: %s", Place(r.Path), plain(display.Line(r.Message)))
		default:
			line("%s", plain(display.Line(r.Message)))
		}
	}

	if len(unknown) > 0 {
		line("nothing shows that the user chose %s", Listed(unknown))
	}
	if lines > maxLines {
		fmt.Fprintf(b, "- and %d more\n", lines-maxLines)
	}
}

// listOf returns the list of an element, and whether the place is one. The arguments say so: a
// member may be called "0", and its name may be who gets something.
func listOf(doc *strictjson.Document, path string) (list string, ok bool) {
	leaf, ok := doc.Get(path)
	if last := strings.Count(path, "/") - 1; !ok || !leaf.IsIndex(last) {
		return "", false
	}
	return path[:strings.LastIndexByte(path, '/')], true
}

// trusts are who wrote a text, in words.
var trusts = map[label.Trust]string{
	label.External: "anybody may have written it", label.ToolOutput: "the service itself says so",
	label.User: "the user's words", label.Trusted: "the deployment's own text",
}

// origin writes where a value appears.
func origin(b *strings.Builder, p sighting.Place) {
	where, who := Place(p.Origin), trusts[p.Trust]
	switch {
	case p.Tool == "":
	case p.Written:
		where, who = "the model's own call of "+Quoted(p.Tool, maxAround), "it may have this from anybody"
	default:
		where = "what " + Quoted(p.Tool, maxAround) + " returned"
	}
	fmt.Fprintf(b, "- %s stands in %s (%s)", Place(p.Path), where, who)

	switch {
	case len(p.Record) > 0:
		var members []string
		for _, m := range p.Record {
			members = append(members, Place(m.Name)+": "+Quoted(m.Value, maxAround))
		}
		fmt.Fprintf(b, ", with %s\n", strings.Join(members, ", "))
	case p.Before+p.After != "":
		fmt.Fprintf(b, ": %s, between %s and %s\n", Quoted(p.Text, maxAround), Quoted(last(p.Before), maxAround), Quoted(p.After, maxAround))
	default:
		b.WriteString("\n")
	}
}

// last returns the end of a text, as much as is shown.
func last(s string) string {
	for utf8.RuneCountInString(s) > maxAround {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// Listed writes a few names, and how many there are beside them.
func Listed(names []string) string {
	if more := len(names) - maxLines; more > 0 {
		names = append(slices.Clone(names[:maxLines]), fmt.Sprintf("%d more", more))
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
