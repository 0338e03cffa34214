package console

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/store"
)

// The overview counts each call once, by verdict, tool and cause, and says how long
// questions waited.
func TestOverview(t *testing.T) {
	s := newSite(t)
	s.told("orders")
	first, second := s.held("one"), s.held("two")
	_, err := s.store.Answer(t.Context(), first.ID, store.Answer{Approve: true, By: "ann"})
	must(t, err)
	_, err = s.store.Answer(t.Context(), second.ID, store.Answer{By: "ann"})
	must(t, err)
	_, err = s.session("one").ConfirmOnce(t.Context(), "c2")
	must(t, err)

	c, _ := s.signedIn(everything("ann"))
	_, page := c.do("GET", "overview", "")
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"8 calls", "3 held back, 1 of them let through", "answered 2 of them with yes 1", "send_message of office 0 3 0", "read_page of office 2 0 0", "a value that the user didn&#39;t choose"} {
		if !strings.Contains(text, want) {
			t.Errorf("it doesn't say %q: %s", want, text)
		}
	}
	if strings.Contains(text, "Verify it now") {
		t.Error("it offers to verify the audit log to people who may not read it")
	}
	auditor := everything("eve")
	auditor.Scopes = append(auditor.Scopes, access.AuditRead)
	c, _ = s.signedIn(auditor)
	for _, step := range []struct{ path, want string }{{"overview", "It was never verified."}, {"overview?verify=1", "Intact:"}, {"overview", `<span class="allow">intact</span>`}} {
		if _, page := c.do("GET", step.path, ""); !strings.Contains(page, step.want) {
			t.Errorf("%s doesn't say %s: %s", step.path, step.want, page)
		}
	}
	if _, page := c.do("GET", "overview?last=decade", ""); !strings.Contains(page, `aria-current="true">last week`) {
		t.Error("an unknown time is not the week")
	}
}

// Bars add up to what was counted, whenever it was.
func TestChart(t *testing.T) {
	since := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	p := &overviewPage{Span: spansOfTime[1], Now: since.Add(24 * time.Hour)}
	p.count([]store.Count{
		{Tool: "a", Verdict: remit.Allow, Step: since, N: 3}, {Tool: "b", Verdict: remit.Deny, Step: since, N: 1}, {Tool: "a", Verdict: remit.Allow, Confirms: true, Step: since, N: 7},
		{Tool: "a", Verdict: remit.Ask, Step: since.Add(24 * time.Hour), N: 2}, {Tool: "b", Verdict: remit.Deny, Shadow: true, Step: since.Add(time.Hour), N: 2}, {Tool: "a", Verdict: remit.Ask, Step: since.Add(99 * time.Hour), N: 5},
	}, since)
	got := fmt.Sprint(len(p.Bars), p.Most, p.Agreed, p.Calls, p.Bars[0].Verdicts, p.Bars[24].Verdicts)
	if want := "25 4 7 {3 7 1 2} {3 0 1 0} {0 2 0 0}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := fmt.Sprint(p.Bars[0].Parts); got != "[{deny 0 30} {allow 30 90}]" {
		t.Errorf("the bar is %s", got)
	}
}

// Times are counted by the ranges that they fall into.
func TestRangesOfTimes(t *testing.T) {
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var waits []store.Waited
	var took []time.Duration
	for i := range 20 {
		waits = append(waits, store.Waited{State: store.Denied, Created: at, Settled: at.Add(time.Duration(i) * time.Second)})
	}
	for i := range 200 {
		took = append(took, time.Duration(200-i)*100*time.Microsecond)
	}
	if got := fmt.Sprint(waitsOf(waits).Slots); got != "[{under 10 s 10 100} {10 s to 1 min 10 100} {1 to 10 min 0 0} {10 min to 1 h 0 0} {1 h and more 0 0}]" {
		t.Errorf("answers: %s", got)
	}
	if got := fmt.Sprint(tookOf(took).Slots); got != "[{under 1 ms 9 6} {1 to 5 ms 40 26.666666666666668} {5 to 20 ms 150 100} {20 to 100 ms 1 0.6666666666666666} {0.1 to 1 s 0 0} {1 s and more 0 0}]" {
		t.Errorf("decisions: %s", got)
	}
}

// The scale of a chart ends with a round number that has a half.
func TestScales(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 2, 2: 2, 3: 4, 5: 6, 9: 10, 10: 10, 11: 20, 45: 60, 100: 100, 101: 200, 999: 1000, 123456: 200000} {
		if got := roundUp(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}

// shadowed is a session in which an agent has obeyed a page, and shadow mode let it.
func (s *site) shadowed(id string) {
	s.t.Helper()
	live := s.session(id)
	must(s.t, live.User(s.t.Context(), "Read https://news.example/release-4 and send dana@harbourworks.example what is new."))
	s.call(live, "c1", "read_page", map[string]any{"url": "https://news.example/release-4"})
	s.result(live, "c1", forged)
	s.call(live.Shadowed(), "c2", "send_message", map[string]any{"to": "archive@relay-backup.example", "text": "Release 4 is out."})
}

// Calls that ran in shadow mode are counted apart from those that were stopped, by tool and
// cause, are marked where their session is shown, and lead to it by a filter.
func TestShadowMode(t *testing.T) {
	s := newSite(t)
	s.shadowed("shadowed")
	c, _ := s.signedIn(everything("ann"))
	_, page := c.do("GET", "overview?last=hour", "")
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")), " ")
	for _, want := range []string{"2 calls", "0 held back", "1 would have been stopped, and ran in shadow mode", "send_message of office a value that the user didn&#39;t choose 1 let run", "send_message of office 0 0 0 1", "P50"} {
		if !strings.Contains(text, want) {
			t.Errorf("it doesn't say %q: %s", want, text)
		}
	}
	if strings.Contains(page, `class="f-ask"`) || strings.Count(page, `class="f-shadow"`) != 3 {
		t.Errorf("the bars of what was let run are not its own: %s", page)
	}

	stopped := s.held("stopped")
	const mark = "would have been stopped, ran in shadow mode"
	if _, page := c.do("GET", "session?id=shadowed", ""); strings.Count(page, mark) != 2 {
		t.Errorf("the call and the link to it are not marked: %s", page)
	}
	if _, page := c.do("GET", "session?id="+stopped.Session, ""); strings.Contains(page, mark) {
		t.Error("a call that was stopped is marked")
	}
	for query, want := range map[string]string{"": "shadowed stopped", "verdict=shadow": "shadowed", "verdict=shadow&tool=read_page": "", "verdict=ask": "shadowed stopped"} {
		_, page := c.do("GET", "sessions?"+query, "")
		var got []string
		for _, id := range []string{"shadowed", "stopped"} {
			if strings.Contains(page, `session?id=`+id+`"`) {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: found %s, want %s", query, got, want)
		}
	}
}

// Times are said in the unit that they have a few digits in.
func TestTimesInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 180 * time.Microsecond: "180 µs", 1234567: "1.23 ms", 150 * time.Millisecond: "150 ms", 42 * time.Second: "42 s", 90 * time.Second: "1.5 min", 26 * time.Hour: "26 h"} {
		if got := lasted(d); got != strings.ReplaceAll(want, " ", "\u00a0") {
			t.Errorf("%s: %q", d, got)
		}
	}
}

// busyWeek is a store with calls of a week: allowed, held back, answered and in shadow mode.
func busyWeek(t *testing.T, s *site) {
	t.Helper()
	for _, tool := range []string{"send_message", "delete_everything_that_is_in_the_archive", "bob\u202egro<script>alert(1)</script>"} {
		id := "week-" + fmt.Sprint(len(tool))
		for i := range 30 {
			verdict, codes := remit.Allow, []remit.Reason(nil)
			if i%3 == 1 {
				verdict, codes = remit.Ask, []remit.Reason{{Code: remit.BelowFloor, Verdict: remit.Ask, Message: "x"}}
			}
			if i%5 == 2 {
				verdict, codes = remit.Deny, []remit.Reason{{Code: remit.PolicyViolation, Verdict: remit.Deny, Message: "x"}}
			}
			call := fmt.Sprintf("c%d", i)
			at := time.Now().Add(-time.Duration(i*5) * time.Hour)
			must(t, s.store.Append(t.Context(), id, int64(i), store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: call, Server: "office", Tool: tool}, Verdict: verdict},
				Decision: &remit.Decision{Session: id, Call: call, Server: "office", Tool: tool, Verdict: verdict, Reasons: codes}, Took: time.Duration(i*i*100) * time.Microsecond, Shadow: i%7 == 4}))
		}
	}
	for i := range 6 {
		a := s.held(fmt.Sprintf("asked-%d", i))
		_, err := s.store.Answer(t.Context(), a.ID, store.Answer{Approve: i%2 == 0, By: "ann"})
		must(t, err)
	}
}

// The overview can be read on a telephone, with the keyboard and with a screen reader: what
// the chart shows is also in a table.
func TestOverviewInABrowser(t *testing.T) {
	s := newSite(t)
	busyWeek(t, s)
	b := chromium(t)
	auditor := everything("eve")
	auditor.Scopes = append(auditor.Scopes, access.AuditRead)
	for name, width := range widths {
		p := b.tab(width)
		s.signIn(p, auditor)
		p.tabTo(`e.textContent === "Overview"`)
		p.key("Enter", 0)
		p.until(`document.querySelector(".chart")`)
		p.tabTo(`e.tagName === "SUMMARY"`)
		p.key("Enter", 0)
		p.until(`document.querySelector("#numbers").open`)
		sums := p.text(`["f-allow", "f-deny"].map((c) => [...document.querySelectorAll(".chart ." + c)].filter((r) => r.height.baseVal.value > 0).length).join(" ")`)
		cells := p.text(`[2, 4].map((n) => [...document.querySelectorAll("#numbers tbody td:nth-child(" + n + ")")].filter((d) => d.textContent !== "0").length).join(" ")`)
		if sums != cells || strings.HasPrefix(sums, "0") {
			t.Errorf("%s: the chart shows %s steps with calls, and the table %s", name, sums, cells)
		}
		if got := p.text(`document.getElementById("chart-says").textContent`); !strings.Contains(got, "let run in shadow mode") {
			t.Errorf("%s: the chart says %q", name, got)
		}
		p.tabTo(`e.textContent === "Verify it now"`)
		p.key("Enter", 0)
		p.until(`document.querySelector("[role=status] .allow")`)
		for _, scheme := range schemesOf(name) {
			p.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
			p.shoot(*screenshots, name+"-week-"+scheme)
			p.usable(name + ", " + scheme)
		}
	}
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}
