package console

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/figures"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/change"
	"github.com/remit-project/remit/internal/policydoc/report"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// maxSeq is beyond every place in a log.
const maxSeq = math.MaxInt64

// run is a part of a text that is shown in one way.
type run struct {
	Text string
	// Marked is set for a part that has a trust of its own, or is an origin.
	Marked bool
	Trust  label.Trust
	// Step is the step of the way back to which the part belongs; 0 for none.
	Step int
	// Gap counts the bytes that are left out here instead of text.
	Gap int
}

// mark is a part of a text that is an origin: bytes from Start to End.
type mark struct {
	Start, End int
	Trust      label.Trust
	Step       int
}

const (
	// around is how much of the text on either side of a mark is shown, in bytes.
	around = 240
	// maxMark bounds what is shown of a mark, in bytes.
	maxMark = 4000
)

// excerpt cuts a text into its beginning of about most bytes, and the marks with the text around
// them. What is left out is counted.
func excerpt(text string, marks []mark, most int) []run {
	windows := []mark{{End: runeStart(text, min(most, len(text)))}}
	var valid []mark
	for _, m := range marks {
		if m.Start < 0 || m.Start >= m.End || m.End > len(text) {
			continue
		}
		m.End = runeStart(text, min(m.End, m.Start+maxMark))
		valid = append(valid, m)
		windows = append(windows, mark{Start: runeStart(text, m.Start-around), End: runeStart(text, min(m.End+around, len(text)))})
	}
	order := func(a, b mark) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Step, b.Step)) }
	slices.SortFunc(valid, order)
	slices.SortFunc(windows, order)

	var out []run
	at := 0
	for _, w := range windows {
		if w.Start > at {
			out = append(out, run{Gap: w.Start - at})
			at = w.Start
		}
		for _, m := range valid {
			if m.Start < at || m.Start >= w.End {
				continue // in another window, or within another mark
			}
			if m.Start > at {
				out = append(out, run{Text: text[at:m.Start]})
			}
			out = append(out, run{Text: text[m.Start:m.End], Marked: true, Trust: m.Trust, Step: m.Step})
			at = m.End
		}
		if w.End > at {
			out = append(out, run{Text: text[at:w.End]})
			at = w.End
		}
	}
	if at < len(text) {
		out = append(out, run{Gap: len(text) - at})
	}
	return out
}

// runeStart returns the nearest place at or before n where a character begins.
func runeStart(s string, n int) int {
	for i := n; i > 0 && i > n-utf8.UTFMax; i-- {
		if i == len(s) || utf8.RuneStart(s[i]) {
			return i
		}
	}
	return max(n, 0)
}

// functions returns what the pages call. They can't call methods: a program that finds methods by
// names keeps all methods of all types.
func functions() template.FuncMap {
	return template.FuncMap{
		"spans":   func(s string) iter.Seq[display.Span] { return display.Spans(s) },
		"counted": func(s string) iter.Seq[display.Span] { return display.Counted(s) },
		"line":    line,
		"trust":   trustClass,
		"author":  func(t label.Trust) string { return authors[t] },
		"bytes":   bytesOf,
		"ago":     ago,
		"until":   func(now, at time.Time) string { return ago(at, now) },
		"utc":     func(layout string, t time.Time) string { return t.UTC().Format(layout) },
		"unset":   time.Time.IsZero,
		"clock":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"query":   func(pairs ...any) (template.URL, error) { return query(pairs...) },
		"clip":    func(n int, s string) string { return display.Clip(s, n) },
		"add":     func(a, b int) int { return a + b },
		"lasted":  lasted,
		"stopped": func(v figures.Verdicts) figures.Verdicts { v.Allow = 0; return v },
		"trusts": func() []label.Trust {
			return []label.Trust{label.External, label.ToolOutput, label.User, label.Trusted}
		},
		"roles":      label.Roles,
		"modeWords":  func(m scope.Mode) string { return modes[m] },
		"contractIn": func(base string, f *contract.File) contractPart { return contractPart{base, f} },
		"turnedIn":   func(base string, look bool, list []revise.Turned) turnedPart { return turnedPart{base, look, list} },
		"pageOf":     pageOf,
		"asQuery":    func(encoded string) template.URL { return template.URL(encoded) }, // of url.Values
		"keyOf":      policydoc.Key,
		"askedFor":   func(k report.QuestionKind) string { return askedFor[k] },
		"spells":     func() []string { return []string{"hour", "day", "week", "month"} },
		"verdicts": func() []remit.Verdict {
			return []remit.Verdict{remit.Allow, remit.Ask, remit.Deny}
		},
		"mark": report.State.Mark, "label": report.State.Label, "class": report.Block.Class, "toolName": report.Tool.Name,
		"failing": (*report.Rule).Failing, "covered": report.Counts.Covered, "checked": report.Counts.Checked,
		"rows": (*report.Report).Rows, "bare": report.Covered.Bare,
		"headline": (*change.Policy).Headline, "statements": (*change.Policy).Statements,
		"loosens": (*change.Policy).Loosens, "tightens": (*change.Policy).Tightens,
		"comesTo": (*revise.Outcome).Words, "reasonsOf": (*revise.Turned).Why,
		"all": figures.Verdicts.All, "cause": causeCount.Words, "shares": causeCount.Parts,
		"does": editPage.Does, "fileName": editPage.FileName, "sessionOf": playPage.Page, "earlier": policiesPage.Prev,
		"eventIn": func(base string, p sessionPage, e event) eventPart { return eventPart{base, &p, e} },
	}
}

// eventPart is an event with the page that it is on.
type eventPart struct {
	Base  string
	Page  *sessionPage
	Event event
}

// contractPart is a contract, with what the links to its tools need; Base is empty for none.
type contractPart struct {
	Base string
	File *contract.File
}

// turnedPart is calls that turn, with what their links need.
type turnedPart struct {
	Base string
	Look bool
	List []revise.Turned
}

// pageOf returns the first event of a page that shows an event: the present page where it does.
func pageOf(from int64, shown []event, seq int64) int64 {
	if seq >= from && seq < from+int64(len(shown)) {
		return from
	}
	return max(0, seq-pageEvents/4)
}

// line returns a text of others on one line, for attributes and titles.
func line(s string) string {
	var b strings.Builder
	for span := range display.Spans(s) {
		b.WriteString(display.Line(span.Text))
	}
	return b.String()
}

// trustClass returns the name of a trust in style sheets.
func trustClass(t label.Trust) string {
	return strings.ToLower(strings.ReplaceAll(t.String(), "_", "-"))
}

// query writes pairs of names and values as a query. The result holds no character that
// could end it: whatever the values are, they are escaped.
func query(pairs ...any) (template.URL, error) {
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("%d names and values", len(pairs))
	}
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		parts = append(parts, url.QueryEscape(fmt.Sprint(pairs[i]))+"="+url.QueryEscape(fmt.Sprint(pairs[i+1])))
	}
	return template.URL(strings.Join(parts, "&")), nil
}

// bytesOf writes a number of bytes for people.
func bytesOf(n int) string {
	switch {
	case n < 1000:
		return display.Count(n, "byte", "bytes")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}

// ago writes the time between two moments, in its largest unit.
func ago(now, at time.Time) string {
	d := now.Sub(at)
	switch {
	case d < 0:
		return "now"
	case d < time.Minute:
		return display.Count(int(d.Seconds()), "second", "seconds")
	case d < time.Hour:
		return display.Count(int(d.Minutes()), "minute", "minutes")
	case d < 48*time.Hour:
		return display.Count(int(d.Hours()), "hour", "hours")
	}
	return display.Count(int(d.Hours()/24), "day", "days")
}
