package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
)

// told is a session in which a value goes a long way: from the user by an order's record
// into a note, out of it again, and into a message.
func (s *site) told(id string) {
	s.t.Helper()
	session := s.session(id)
	must(s.t, session.User(s.t.Context(), "Note what customer C-1044 ordered, then send the note on."))
	s.call(session, "orders", "list_orders", map[string]any{"customer": "C-1044"})
	s.result(session, "orders", `{"orders":[{"id":"O-77","contact":"zoe.lindqvist@shop.example"}]}`)
	s.call(session, "note", "write_note", map[string]any{"title": "C-1044", "text": "Send it to zoe.lindqvist@shop.example, she waits."})
	s.result(session, "note", "written")
	s.call(session, "again", "read_note", map[string]any{"title": "C-1044"})
	s.result(session, "again", "Send it to zoe.lindqvist@shop.example, she waits.")
	s.call(session, "send", "send_message", map[string]any{"to": "zoe.lindqvist@shop.example", "text": "The note."})
}

// way reads the way back from an argument.
func (s *site) way(id string, seq int64, path string) *way {
	s.t.Helper()
	var w *way
	must(s.t, s.console.outlines.of(s.t.Context(), id, func(o *outline) (err error) {
		w, err = back(s.t.Context(), o, s.console.reading(id), seq, path)
		return err
	}))
	return w
}

// A click on an argument lights up its origins in the texts above, and those of the calls
// that brought these texts; another key takes the lights away.
func TestOriginsLightUp(t *testing.T) {
	s := newSite(t)
	s.told("orders")
	b := chromium(t)
	p := b.tab(1280)
	s.signIn(p, everything("ann"))
	p.open(s.url("session?id=orders"))
	p.tabTo(`e.matches("#e7 .why-link") && e.innerText.includes("zoe")`)
	p.key("Enter", 0)
	p.until(`document.querySelector("#way .steps > li") && document.activeElement.matches("#e7 .why-link[aria-current=true]")`)
	lit := func() string {
		return p.text(`[...document.querySelectorAll(".event mark")].map((m) => m.closest(".event").id + " " + m.innerText).join("\n")`)
	}
	for _, want := range []string{"e2 ", "e6 zoe.lindqvist@shop.example", "e0 C-1044"} {
		if !strings.Contains(lit(), want) {
			t.Errorf("%q doesn't light up: %s", want, lit())
		}
	}
	if got := p.text(`document.querySelectorAll("#way .steps > li").length >= 2`); got != "true" {
		t.Errorf("the way has one step: %s", p.text(`document.querySelector("#way").innerText`))
	}
	p.key("Escape", 0)
	p.until(`!document.querySelector("#way") && !document.querySelector(".event mark")`)
	must(t, p.eval("history.back()", nil))
	p.until(`document.querySelector("#way")`)
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}

// The way back goes through what the model wrote, and names the calls that brought each
// text.
func TestWayBack(t *testing.T) {
	s := newSite(t)
	s.told("orders")
	w := s.way("orders", 7, "/to")
	var steps []string
	for _, step := range w.Steps {
		steps = append(steps, fmt.Sprintf("%d<%d %s%s", step.N, step.Because, step.Call, step.Path))
	}
	if len(w.Steps) == 0 || steps[0] != "1<0 send/to" || !slices.ContainsFunc(steps, func(s string) bool { return strings.HasSuffix(s, "orders/customer") }) {
		t.Errorf("the steps are %q", steps)
	}
	if w := s.way("orders", 7, "/none"); len(w.Steps) != 0 {
		t.Errorf("an argument that isn't there has %d steps", len(w.Steps))
	}
	if w := s.way("orders", 0, "/to"); len(w.Steps) != 0 {
		t.Errorf("an event that is not a call has %d steps", len(w.Steps))
	}
}

// Evidence is found in the text that people see, whatever the engine has read of it.
func TestMarksAreFound(t *testing.T) {
	text := `{"a":{"to":"zoe@shop.example"},"b":"x\u00e9"}`
	for name, test := range map[string]struct {
		text   string
		origin originMark
		want   string
	}{
		"by its bytes":               {text, originMark{Evidence: remit.Evidence{Start: 12, End: 28, Text: "zoe@shop.example"}}, "zoe@shop.example"},
		"a field":                    {text, originMark{Evidence: remit.Evidence{Text: "zoe@shop.example"}, Field: "/a/to"}, `"zoe@shop.example"`},
		"a field of another form":    {"to: zoe@shop.example", originMark{Evidence: remit.Evidence{Text: "zoe@shop.example"}, Field: "/to"}, "zoe@shop.example"},
		"where bytes were left out":  {"a\u200bb zoe@shop.example", originMark{Evidence: remit.Evidence{Start: 3, End: 19, Text: "zoe@shop.example"}}, "zoe@shop.example"},
		"not at all":                 {"nothing", originMark{Evidence: remit.Evidence{Start: 3, End: 900, Text: "zoe@shop.example"}}, ""},
		"not before the beginning":   {"nothing", originMark{Evidence: remit.Evidence{Start: -3, End: 2, Text: "x"}}, ""},
		"not what a field is not of": {"nothing", originMark{Field: "/to"}, ""},
	} {
		got := ""
		for _, r := range excerpt(test.text, marksIn(test.text, []originMark{test.origin}), 9999) {
			if r.Marked {
				got += r.Text
			}
		}
		if got != test.want {
			t.Errorf("%s: %q is marked, want %q", name, got, test.want)
		}
	}
}

// An excerpt has the beginning of a text and all marks with the text around them, and says how
// much is left out.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("é", 2000) + "HERE" + strings.Repeat("ü", 2000)
	at := strings.Index(long, "HERE")
	for name, test := range map[string]struct {
		text  string
		marks []mark
		want  string
	}{
		"short":              {"abc", nil, "3"},
		"empty":              {"", nil, ""},
		"marked":             {"abc", []mark{{1, 2, label.External, 1}}, "1 [b] 1"},
		"marks that overlap": {"abcdef", []mark{{1, 4, label.External, 1}, {2, 5, label.User, 2}}, "1 [bcd] 2"},
		"long":               {long, nil, "100 …7904"},
		"a mark far away":    {long, []mark{{at, at + 4, label.External, 1}}, "100 …3660 240 [HERE] 240 …3760"},
		"impossible marks":   {"abc", []mark{{-1, 2, 0, 1}, {2, 1, 0, 1}, {1, 9, 0, 1}}, "3"},
	} {
		var out []string
		for _, r := range excerpt(test.text, test.marks, 100) {
			switch {
			case r.Gap > 0:
				out = append(out, fmt.Sprintf("…%d", r.Gap))
			case r.Marked:
				out = append(out, "["+r.Text+"]")
			default:
				out = append(out, fmt.Sprint(len(r.Text)))
			}
		}
		if got := strings.Join(out, " "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// Sessions are found by what is in them, the last first, page by page.
func TestSessionsAreFound(t *testing.T) {
	s := newSite(t)
	s.told("orders")
	s.held("release-notes")
	c, _ := s.signedIn(everything("ann"))
	for query, want := range map[string]string{
		"": "release-notes orders", "?tool=write_note": "orders", "?verdict=ask&server=office&tool=send_message": "release-notes orders", "?text=C-1044": "orders",
		"?text=relay-backup&since=hour": "release-notes", "?verdict=deny&tool=read_page": "", "?owner=nobody": "", "?text=%25": "",
	} {
		_, page := c.do("GET", "sessions"+query, "")
		var got []string
		for _, id := range []string{"release-notes", "orders"} {
			if strings.Contains(page, `href="/secret/session?id=`+id+`"`) {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	for i := range pageSessions {
		must(t, s.session(fmt.Sprintf("more-%02d", i)).User(t.Context(), "hello"))
	}
	_, first := c.do("GET", "sessions", "")
	_, link, _ := strings.Cut(first, `<p class="pager"><a href="/secret/sessions?`)
	link, _, found := strings.Cut(link, `"`)
	_, second := c.do("GET", "sessions?"+link, "")
	if !found || strings.Contains(first, "id=orders") || !strings.Contains(second, "id=orders") || strings.Contains(second, "id=more-39") {
		t.Errorf("the second page of sessions is not the rest: %s", second)
	}
}

// A page holds for whatever an address says.
func TestOddAddresses(t *testing.T) {
	s := newSite(t)
	s.told("orders")
	c, _ := s.signedIn(everything("ann"))
	for path, want := range map[string]int{
		"session?id=orders&from=99999999999": 200, "session?id=orders&from=-1": 200, "session?id=orders&from=last": 200, "session?id=orders&at=999&path=/to": 404,
		"session?id=orders&at=7": 200, "session?id=none": 404, "session": 404, "session?id=%00": 404, "text?id=orders&seq=1&part=99999999999999999999": 200,
		"text?id=orders&seq=2&part=9223372036854775807": 200, "text?id=orders&seq=400": 404, "sessions?after=x": 200, "sessions?after=e30": 200,
		"sessions?text=%ff": 404, "question/none": 404, "question/%00": 404, "none": 404, "assets/../console.go": 307, "assets/none": 404,
	} {
		if got, page := c.do("GET", path, ""); got != want {
			t.Errorf("%s: %d, want %d: %.300s", path, got, want, page)
		}
	}
	if got, _ := s.client().do("GET", "sessions", ""); got != http.StatusSeeOther {
		t.Errorf("nobody: %d", got)
	}
}
