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
	if _, page := c.do("GET", "overview?verify=1", ""); !strings.Contains(page, "Intact:") {
		t.Errorf("it doesn't verify the audit log: %s", page)
	}
	if _, page := c.do("GET", "overview?last=decade", ""); !strings.Contains(page, `aria-current="true">last week`) {
		t.Error("an unknown time is not the week")
	}
}

// Bars add up to what was counted, whenever it was.
func TestChart(t *testing.T) {
	since := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	p := &overviewPage{Span: spansOfTime[1]}
	p.count([]store.Count{
		{Tool: "a", Verdict: remit.Allow, Step: since, N: 3}, {Tool: "b", Verdict: remit.Deny, Step: since, N: 1}, {Tool: "a", Verdict: remit.Allow, Confirms: true, Step: since, N: 7},
		{Tool: "a", Verdict: remit.Ask, Step: since.Add(24 * time.Hour), N: 2}, {Tool: "a", Verdict: remit.Ask, Step: since.Add(99 * time.Hour), N: 5},
	}, since, since.Add(24*time.Hour))
	got := fmt.Sprint(len(p.Bars), p.Most, p.Agreed, p.Calls, p.Bars[0].verdicts, p.Bars[24].verdicts)
	if want := "25 4 7 {3 7 1} {3 0 1} {0 2 0}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if b := p.Bars[0]; b.AllowHigh != 90 || b.DenyHigh != 30 || b.DenyY != 0 || b.AllowY != 30 {
		t.Errorf("the bar is %+v", b)
	}
}

func TestWaits(t *testing.T) {
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var list []store.Waited
	for i := range 20 {
		list = append(list, store.Waited{State: store.Denied, Created: at, Settled: at.Add(time.Duration(i) * time.Second)})
	}
	list = append(list, store.Waited{State: store.Expired, Created: at, Settled: at.Add(time.Hour)}, store.Waited{State: store.Cancelled, Created: at, Settled: at.Add(time.Hour)})
	if got, want := waitsOf(list), (waitCount{20, 0, 1, 10 * time.Second, 19 * time.Second}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
