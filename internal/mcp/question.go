package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
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

// Question words an approval for a person: the call with all its arguments, why it
// is asked about, and where the doubtful values come from. All that others wrote
// is in quotes, with everything in it visible that isn't plain text, so that it
// can't pose as the question's own words.
func Question(d *remit.Decision, places []sighting.Place) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Remit asks: an agent wants to call %s of the server %s", quoted(d.Tool, maxAround), quoted(d.Server, maxAround))
	if d.Through != "" {
		fmt.Fprintf(&b, " through %s", quoted(d.Through, maxAround))
	}
	if does := effects[d.Effect]; does != "" {
		fmt.Fprintf(&b, " (%s)", does)
	}
	b.WriteString(".\n\n")
	arguments(&b, d)
	b.WriteString("\nWhy you are asked:\n")
	reasons(&b, d)
	if len(places) > 0 {
		b.WriteString("\nWhere it comes from:\n")
	}

	for _, p := range places {
		origin(&b, p)
	}

	b.WriteString("\nApproving lets exactly this call through, once, unless you choose more.\n")
	return b.String()
}

// arguments writes all arguments of a call, lists of plain values on one line.
func arguments(b *strings.Builder, d *remit.Decision) {
	doc, err := strictjson.Parse(d.Arguments, strictjson.DefaultLimits())
	bound, _ := binding(d)
	if len(d.Findings) == 0 {
		b.WriteString("It has no arguments.\n")
	}

	value := func(f *remit.Finding) string {
		text, most := f.Value, maxShown
		if err == nil {
			if leaf, ok := doc.Get(f.Path); ok {
				text = leaf.Text
			}
		}
		if _, ok := bound[f.Path]; ok || f.Role.AuthorityBearing() || bound == nil {
			most = maxWhole
		}
		return quoted(text, most)
	}

	lines := 0
	for i := 0; i < len(d.Findings); i++ {
		f := &d.Findings[i]
		if lines++; lines > maxArguments {
			fmt.Fprintf(b, "and %d more, which are not shown\n", len(d.Findings)-i)
			return
		}
		list, ok := strings.CutSuffix(f.Path, "/0")
		if !ok {
			fmt.Fprintf(b, "%s = %s\n", place(f.Path), value(f))
			continue
		}
		texts := []string{value(f)}
		for i+1 < len(d.Findings) && d.Findings[i+1].Path == fmt.Sprintf("%s/%d", list, len(texts)) {
			i++
			texts = append(texts, value(&d.Findings[i]))
		}
		fmt.Fprintf(b, "%s = [%s]\n", place(list), strings.Join(texts, ", "))
	}
}

// reasons writes why a call is asked about. Values of which the same is to be
// said are named together.
func reasons(b *strings.Builder, d *remit.Decision) {
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
			if p := place(elementOf(r.Path)); !slices.Contains(unknown, p) {
				unknown = append(unknown, p)
			}
		case r.Code == remit.Unprovoked:
			line("nothing shows that the user wants this, and it can't be taken back")
		case r.Path != "":
			line("%s: %s", place(r.Path), r.Message)
		default:
			line("%s", r.Message)
		}
	}

	if len(unknown) > 0 {
		line("nothing shows that the user chose %s", listed(unknown))
	}
	if lines > maxLines {
		fmt.Fprintf(b, "- and %d more\n", lines-maxLines)
	}
}

// elementOf is the list of an element, and any other argument itself.
func elementOf(path string) string {
	at := strings.LastIndexByte(path, '/')
	if _, err := strconv.Atoi(path[at+1:]); err != nil || at <= 0 {
		return path
	}
	return path[:at]
}

// trusts are who wrote a text, in words.
var trusts = map[label.Trust]string{
	label.External: "anybody may have written it", label.ToolOutput: "the service itself says so",
	label.User: "the user's words", label.Trusted: "the deployment's own text",
}

// origin writes where a value appears.
func origin(b *strings.Builder, p sighting.Place) {
	where := place(p.Origin)
	if p.Tool != "" {
		where = "what " + quoted(p.Tool, maxAround) + " returned"
	}
	fmt.Fprintf(b, "- %s stands in %s (%s)", place(p.Path), where, trusts[p.Trust])
	switch {
	case len(p.Record) > 0:
		var members []string
		for _, m := range p.Record {
			members = append(members, place(m.Name)+": "+quoted(m.Value, maxAround))
		}
		fmt.Fprintf(b, ", with %s\n", strings.Join(members, ", "))
	case p.Before+p.After != "":
		fmt.Fprintf(b, ": %s, between %s and %s\n", quoted(p.Text, maxAround), quoted(last(p.Before), maxAround), quoted(p.After, maxAround))
	default:
		b.WriteString("\n")
	}
}

// last is the end of a text, as much as is shown.
func last(s string) string {
	for utf8.RuneCountInString(s) > maxAround {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// place writes a pointer or the name of an event; whatever isn't plain in it is
// quoted.
func place(s string) string {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || c == '`' || c == '"' {
			return quoted(s, maxShown)
		}
	}
	return cut(s, maxShown)
}

// quoted shows a text that others wrote: cut, in quotes, with line breaks,
// invisible characters and those that turn the direction of text as escapes.
// Letters beyond ASCII, among which many look like others, are also spelled out.
func quoted(s string, most int) string {
	all := utf8.RuneCountInString(s)
	s = cut(s, most)
	out := strconv.Quote(s)
	if all > most {
		out += fmt.Sprintf(" (and %d more characters, which are not shown)", all-most)
	}
	if ascii := strconv.QuoteToASCII(s); ascii != strconv.Quote(s) {
		out += " (spelled " + ascii + ")"
	}
	return out
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

// The words of the form that a client shows.
const (
	decisionField = "decision"
	approveWord   = "approve"
	declineWord   = "decline"
	reachField    = "for"
)

// formOf returns the question as the params of an elicitation.
func formOf(d *remit.Decision, places []sighting.Place) json.RawMessage {
	fields := fmt.Sprintf(`%q:{"type":"string","title":"Decision","description":"Let this call through, or not.","enum":[%q,%q]}`, decisionField, declineWord, approveWord)
	if reaches := Reaches(d); len(reaches) > 1 {
		var values, about []string
		for _, r := range reaches {
			values = append(values, string(strictjson.Quote(string(r.Extent))))
			about = append(about, string(r.Extent)+": "+r.Words)
		}
		fields += fmt.Sprintf(`,%q:{"type":"string","title":"How far a yes reaches","description":%s,"enum":[%s],"default":%q}`,
			reachField, strictjson.Quote(strings.Join(about, "; ")), strings.Join(values, ","), store.Once)
	}
	schema := fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%q]}`, fields, decisionField)
	return fmt.Appendf(nil, `{"mode":"form","message":%s,"requestedSchema":%s}`, strictjson.Quote(Question(d, places)), schema)
}

// approved reports whether the answer to a form clearly agrees, and to how much:
// to the one call, unless it says more.
func approved(answer []byte) (yes bool, reach store.Extent) {
	if inner := strictjson.Get(answer, "result"); inner != nil {
		answer = inner
	}
	yes = strictjson.GetText(answer, "action") == "accept" && strictjson.GetText(answer, "content", decisionField) == approveWord
	if reach = store.Extent(strictjson.GetText(answer, "content", reachField)); reach != store.ForSession && reach != store.Always {
		reach = store.Once
	}
	return yes, reach
}

// elicits reports whether a client that declares these capabilities shows forms.
func elicits(capabilities []byte) bool {
	e := strictjson.Get(capabilities, "elicitation")
	if len(e) == 0 || e[0] != '{' {
		return false
	}
	return strictjson.Get(e, "form") != nil || strictjson.Get(e, "url") == nil
}
