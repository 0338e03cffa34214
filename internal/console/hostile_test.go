package console

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// hostile are texts that pages may be broken by.
var hostile = []string{"<script>document.body.id='theirs'</script>", "\"'><img src=x onerror=alert(1)>", "</main></title></script><h1>", "javascript:alert(1)", "{{.}}",
	"\u202e", "\u200b\x1b[31m", "&lt;b&gt;", "<!--", "]]>", "`${1}`", "\x00\xff", "\u2066 \u3164", strings.Repeat("e\u0301\u0301\u0301", 3)}

// spoiled is a session and a question in which every text that others choose is a given
// one.
func (s *site) spoiled(t testing.TB, n int, text string) store.Approval {
	t.Helper()
	id := fmt.Sprint(n) + strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	id = id[:runeStart(id, min(len(id), store.MaxID))]
	d := &remit.Decision{Session: id, Call: "c1", Server: "v" + text, Tool: "t" + text, Through: "w" + text, Variant: "x" + text, Verdict: remit.Ask, Effect: "egress",
		Arguments: []byte(`{"a":1}`), Reasons: []remit.Reason{{Code: remit.BelowFloor, Path: "/" + text, Verdict: remit.Ask, Message: "m" + text, Policy: "p" + text, References: []string{"r" + text}}}}
	for _, path := range []string{"/" + text, "/other" + text} {
		d.Findings = append(d.Findings, remit.Finding{Path: path, Value: "v" + text, Role: label.Target, How: "h" + text, Satisfied: path != "/"+text,
			Evidence:     []remit.Evidence{{Origin: "user:0", Text: "u" + text, ValueEnd: 1, End: 1 + len(text)}},
			Certificates: []remit.Discharge{{Procedure: "c" + text, Basis: "b" + text}}})
	}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	must(t, s.store.Append(t.Context(), id, 0,
		store.Record{Event: remit.Event{Kind: remit.UserEvent, Time: at, Text: "u" + text}},
		store.Record{Event: remit.Event{Kind: remit.AttachmentEvent, Time: at, Name: "n" + text, Text: "t" + text}},
		store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: "c1", Tool: "t"}, Verdict: remit.Ask}, Decision: d},
		store.Record{Event: remit.Event{Kind: remit.ResultEvent, Time: at, Result: &remit.Result{Call: "c1", Content: "r" + text, Structured: []byte("{\"a\":" + fmt.Sprintf("%q", "x") + "}" + text)}}},
		store.Record{Event: remit.Event{Kind: remit.ScopeEvent, Time: at, Scope: []byte("{" + text)}},
	))
	a, err := s.store.Ask(t.Context(), store.Question{Decision: d, Places: []sighting.Place{{Path: "/" + text, Origin: "o" + text, Tool: "t" + text, Before: "b" + text, Text: "x" + text, After: "a" + text,
		Record: []sighting.Member{{Name: "n" + text, Value: "v" + text}}}}})
	must(t, err)
	return a
}

// shapeOf is the elements of a page, with the names of their attributes, as a parser sees
// them.
func shapeOf(t testing.TB, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	must(t, err)
	var b strings.Builder
	for n := range root.Descendants() {
		inEscape := n.Type == html.ElementNode && n.Data == "span" && len(n.Attr) > 0 && n.Attr[0].Val == "esc"
		if n.Type != html.ElementNode || inEscape {
			continue
		}
		b.WriteString(n.Data)
		for _, a := range n.Attr {
			b.WriteString(" " + a.Key)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Whatever agents, tools and pages write, a page of the console has the same elements, and
// nothing on it is invisible.
func TestHostileTextIsOnlyText(t *testing.T) {
	s := newSite(t)
	c, _ := s.signedIn(everything("ann"))
	n := 0
	views := func(t testing.TB, text string) map[string]string {
		n++
		a := s.spoiled(t, n, text)
		id := string(must2(query("id", a.Session)))
		out := map[string]string{}
		for view, path := range map[string]string{"question": "question/" + a.ID, "session": "session?" + id, "text": "text?seq=3&" + id,
			"origins": "session?at=2&" + id + "&" + string(must2(query("path", "/"+string([]rune(text))))), "inbox": "inbox"} {
			status, page := c.do("GET", path, "")
			if status != 200 {
				t.Fatalf("%s of %q: %d", view, text, status)
			}
			out[view] = page
		}
		must(t, s.store.Cancel(t.Context(), a.ID, ""))
		return out
	}
	want := map[string]string{}
	for view, page := range views(t, "é") {
		want[view] = shapeOf(t, page)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := "é" + strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.String()), 1, 3).Draw(rt, "text"), "")
		for view, page := range views(t, text) {
			if got := shapeOf(t, page); got != want[view] {
				rt.Fatalf("%s: %q makes elements:\n%s\nwant\n%s", view, text, got, want[view])
			}
			if i := strings.IndexAny(page, "\u202e\u200b\x1b\x00\u2066\u3164"); i >= 0 {
				rt.Fatalf("%s: something of %q is invisible: %q", view, text, page[max(0, i-80):i+20])
			}
		}
	})
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// huge is a session of 5,000 calls, of which every hundredth returned a line of a hundred
// kilobytes, and one a line of a megabyte.
func (s *site) huge(t testing.TB, id string) {
	t.Helper()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	list := []store.Record{{Event: remit.Event{Kind: remit.UserEvent, Time: at, Text: "go on"}}}
	for i := range 5000 {
		size := 300
		switch {
		case i == 2500:
			size = 1 << 20
		case i%100 == 0:
			size = 100_000
		}
		call := fmt.Sprintf("c%d", i)
		origin := remit.Evidence{Origin: fmt.Sprintf("result:c%d", max(0, i-1)), Text: "xx", End: 2, ValueEnd: 2}
		list = append(list,
			store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: call, Tool: "read_page", Arguments: []byte(`{"url":"xx"}`)}, Verdict: remit.Allow},
				Decision: &remit.Decision{Session: id, Call: call, Tool: "read_page", Verdict: remit.Allow, Arguments: []byte(`{"url":"xx"}`), Findings: []remit.Finding{{Path: "/url", Value: "xx", Satisfied: true, Evidence: []remit.Evidence{origin}}}}},
			store.Record{Event: remit.Event{Kind: remit.ResultEvent, Time: at, Result: &remit.Result{Call: call, Content: strings.Repeat("x", size)}}})
	}
	for from := 0; from < len(list); from += store.MaxRecords {
		must(t, s.store.Append(t.Context(), id, int64(from), list[from:min(from+store.MaxRecords, len(list))]...))
	}
}

// A session of ten megabytes and 5,000 calls is shown in pages that stay small.
func TestHugeSession(t *testing.T) {
	s := newSite(t)
	s.huge(t, "huge")
	c, _ := s.signedIn(everything("ann"))
	for _, path := range []string{"session?id=huge", "session?id=huge&from=last", "session?id=huge&from=5000", "session?id=huge&from=9900&at=9999&path=/url", "text?id=huge&seq=5002&part=3", "sessions"} {
		status, page := c.do("GET", path, "")
		if status != 200 || len(page) > 1<<20 {
			t.Errorf("%s: %d, %d bytes", path, status, len(page))
		}
	}
	b := chromium(t)
	p := b.tab(380)
	s.signIn(p, everything("ann"))
	p.open(s.url("session?id=huge&from=4990"))
	p.until(`document.querySelector("#e5002 .gap")`)
	if got := p.text("document.documentElement.scrollWidth <= 380"); got != "true" {
		t.Errorf("a line of a megabyte makes the page %s wide", p.text("document.documentElement.scrollWidth"))
	}
	p.open(s.url("text?id=huge&seq=5002"))
	p.until(`document.querySelector(".text").innerText.length > 60000`)
}

// BenchmarkFirstPaint measures what the server takes for a page of a store with many
// sessions and a large one.
func BenchmarkFirstPaint(b *testing.B) {
	s := newSite(b)
	s.huge(b, "huge")
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	const sessions = 100_000
	db := filledStore(b, s, sessions, at)
	c, _ := s.signedIn(everything("ann"))
	b.Logf("%d sessions", db)
	began := time.Now()
	must(b, s.store.Index(b.Context()))
	b.Logf("the index of texts takes %s", time.Since(began).Round(time.Millisecond))
	for _, path := range []string{"inbox", "sessions", "sessions?tool=read_page", "sessions?verdict=deny", "sessions?verdict=shadow", "sessions?tool=none", "sessions?tool=send_message&verdict=deny", "sessions?server=none", "sessions?text=needle", "sessions?text=many-0500", "sessions?text=hello", "sessions?text=xx", "sessions?text=needle&tool=send_message&verdict=ask", "session?id=huge", "session?id=huge&from=9900&at=9999&path=/url"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				if status, _ := c.do("GET", path, ""); status != 200 {
					b.Fatalf("%s: %d", path, status)
				}
			}
		})
	}
}

// filledStore adds sessions with a call each, several at a time: the store commits what
// waits together.
func filledStore(b *testing.B, s *site, n int, at time.Time) int {
	b.Helper()
	next := make(chan int)
	done := make(chan error)
	for range 64 {
		go func() {
			var first error
			for i := range next {
				id := fmt.Sprintf("many-%06d", i)
				verdict := []remit.Verdict{remit.Allow, remit.Allow, remit.Ask}[i%3]
				err := s.store.Append(b.Context(), id, 0, store.Record{Event: remit.Event{Kind: remit.UserEvent, Time: at, Text: "hello"}},
					store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: "c"}, Verdict: verdict}, Decision: &remit.Decision{Session: id, Call: "c", Tool: "send_message", Verdict: verdict}})
				if first == nil {
					first = err
				}
			}
			done <- first
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	for range 64 {
		must(b, <-done)
	}
	return n
}
