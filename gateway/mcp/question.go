package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/rawjson"
)

const (
	// maxShown is how much of a text a question repeats.
	maxShown = 160
	// maxLines is how many reasons and arguments a question lists.
	maxLines = 12
)

// Question words an approval for a person: the tool, each argument that is in
// doubt with its value and where it came from, and what else the call says. All
// that others wrote stands in quotes, with everything in it visible that isn't
// plain text, so that it can't pose as the question's own words.
func Question(d *remit.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "An agent wants to call the tool %s of the server %s", quoted(d.Tool), quoted(d.Server))
	if d.Through != "" {
		fmt.Fprintf(&b, " through %s", quoted(d.Through))
	}
	if d.Effect != "" {
		fmt.Fprintf(&b, " (effect: %s)", d.Effect)
	}
	b.WriteString(".\n\nIn doubt:\n")
	asked := map[string]bool{}
	for i, r := range d.Reasons {
		if i == maxLines {
			fmt.Fprintf(&b, "- and %d more\n", len(d.Reasons)-i)
			break
		}
		asked[r.Path] = true
		if r.Path == "" {
			fmt.Fprintf(&b, "- the call as a whole: %s\n", r.Message)
			continue
		}
		fmt.Fprintf(&b, "- %s: %s\n", place(r.Path), r.Message)
		for _, f := range d.Findings {
			if f.Path == r.Path {
				origin(&b, f)
			}
		}
	}
	rest := 0
	for _, f := range d.Findings {
		if asked[f.Path] {
			continue
		}
		if rest++; rest == 1 {
			b.WriteString("\nThe other arguments:\n")
		}
		if rest > maxLines {
			continue
		}
		fmt.Fprintf(&b, "- %s = %s\n", place(f.Path), quoted(f.Value))
	}
	if rest > maxLines {
		fmt.Fprintf(&b, "- and %d more\n", rest-maxLines)
	}
	return b.String()
}

// origin says what a value is, and where it stands.
func origin(b *strings.Builder, f remit.Finding) {
	fmt.Fprintf(b, "  the value is %s\n", quoted(f.Value))
	for i, e := range f.Evidence {
		if i == 2 {
			break
		}
		fmt.Fprintf(b, "  it stands in %s (%s) as %s\n", place(e.Origin), e.Trust, quoted(e.Text))
	}
	if len(f.Evidence) == 0 {
		b.WriteString("  it stands nowhere in what was seen\n")
	}
}

// place writes a pointer or the name of an event; whatever isn't plain in it is
// quoted.
func place(s string) string {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || c == '`' || c == '"' {
			return quoted(s)
		}
	}
	return cut(s)
}

// quoted shows a text that others wrote: cut, in quotes, with line breaks,
// invisible characters and those that turn the direction of text as escapes.
// Letters beyond ASCII, among which many look like others, are also spelled out.
func quoted(s string) string {
	s = cut(s)
	out := strconv.Quote(s)
	if ascii := strconv.QuoteToASCII(s); ascii != out {
		out += " (spelled " + ascii + ")"
	}
	return out
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	n := 0
	for i := range s {
		if n == maxShown {
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
)

// form is the question as the params of an elicitation.
func form(d *remit.Decision) json.RawMessage {
	schema := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","title":"Decision","description":"Let this one call through, or not.","enum":[%q,%q]}},"required":[%q]}`,
		decisionField, declineWord, approveWord, decisionField)
	return fmt.Appendf(nil, `{"mode":"form","message":%s,"requestedSchema":%s}`, rawjson.Quote(Question(d)), schema)
}

// approved tells whether the answer to a form clearly agrees.
func approved(answer []byte) bool {
	if inner := rawjson.Get(answer, "result"); inner != nil {
		answer = inner
	}
	return rawjson.GetText(answer, "action") == "accept" && rawjson.GetText(answer, "content", decisionField) == approveWord
}

// elicits tells whether a client that declares these capabilities shows forms.
func elicits(capabilities []byte) bool {
	e := rawjson.Get(capabilities, "elicitation")
	if len(e) == 0 || e[0] != '{' {
		return false
	}
	return rawjson.Get(e, "form") != nil || rawjson.Get(e, "url") == nil
}
