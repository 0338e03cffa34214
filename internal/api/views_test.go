package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFind finds sessions by what is in them: those of the caller, or all with the scope.
func TestFind(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s1")
	b.tainted(t, "s2")
	b.post(t, 200, "agent", "/v1/sessions/s2/decisions", mailTo("c1", "eve@evil.example"))
	for query, want := range map[string]string{
		"": "s2 s1", "?verdict=ask": "s2", "?verdict=deny": "", "?text=eve%40evil.example&verdict=ask": "s2", "?principal=agent&tool=read": "s2 s1", "?principal=nobody": "",
		"?since=2200-01-01T00:00:00Z": "", "?limit=1": "s2", "?shadow=true": "", "?shadow=false": "s2 s1",
	} {
		got := into[struct{ Sessions []struct{ ID string } }](t, b.get(t, 200, "person", "/v1/search"+query))
		var ids []string
		for _, s := range got.Sessions {
			ids = append(ids, s.ID)
		}
		if d := cmp.Diff(want, strings.Join(ids, " ")); d != "" {
			t.Errorf("%s: %s", query, d)
		}
	}
	next := into[struct{ Next string }](t, b.get(t, 200, "person", "/v1/search?limit=1")).Next
	if got := string(b.get(t, 200, "person", "/v1/search?limit=1&cursor="+next).body); !strings.Contains(got, `"s1"`) || strings.Contains(got, `"s2"`) {
		t.Errorf("the second page: %s", got)
	}
	if got := string(b.get(t, 200, "other", "/v1/search").body); strings.Contains(got, `"s1"`) {
		t.Errorf("another sees %s", got)
	}
	for _, bad := range []string{"verdict=perhaps", "shadow=1", "since=yesterday", "cursor=eA", "text=" + strings.Repeat("%C3%A9", 200)} {
		if got := b.get(t, 400, "person", "/v1/search?"+bad).kind(); got != "invalid-request" {
			t.Errorf("%s: %s", bad, got)
		}
	}
}

// TestLog reads a session's log, with the decisions, page by page.
func TestLog(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	var kinds []string
	next := ""
	for range 20 {
		page := into[struct {
			Events []struct {
				Kind     string
				Decision *struct{ Verdict string }
			}
			Next string
		}](t, b.get(t, 200, "agent", "/v1/sessions/s/events?limit=2"+next))
		for _, e := range page.Events {
			if e.Decision != nil {
				e.Kind += " " + e.Decision.Verdict
			}
			kinds = append(kinds, e.Kind)
		}
		if page.Next == "" {
			break
		}
		next = "&cursor=" + page.Next
	}
	if got, want := strings.Join(kinds, ", "), "user, call allow, result, call ask"; got != want {
		t.Errorf("the log is %s, want %s", got, want)
	}
	b.get(t, 404, "other", "/v1/sessions/s/events")
	b.get(t, 403, "nobody", "/v1/sessions/s/events")
}

// TestCounts counts decisions, those of the caller.
func TestCounts(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	type counts struct {
		Counts []struct {
			Tool, Verdict string
			Count         int
		}
		Took    *struct{ Count, P50, P99 int64 }
		Stopped []struct {
			Server, Tool, Code string
			Ask, Deny, Shadow  int
		}
		Answers struct{ Answered, Approved, Expired, P50, P95 int64 }
	}
	asked := into[struct{ ID string }](t, b.post(t, 201, "agent", "/v1/sessions/s/approvals", `{"call":"c1"}`)).ID
	b.post(t, 200, "person", "/v1/approvals/"+asked+"/answer", `{"answer":"approve"}`)
	got := into[counts](t, b.get(t, 200, "person", "/v1/counts?since=2020-01-01T00:00:00Z&step=31622400"))
	if text := fmt.Sprint(got.Counts); text != "[{read allow 1} {send ask 1}]" {
		t.Errorf("counted %s", text)
	}
	if got.Took == nil || got.Took.Count != 2 || got.Took.P50 < 1 || got.Took.P99 < got.Took.P50 {
		t.Errorf("they took %+v", got.Took)
	}
	if text := fmt.Sprint(got.Stopped); text != "[{mail send below-floor 1 0 0} {mail send unprovoked 1 0 0}]" {
		t.Errorf("stopped were %s", text)
	}
	if got.Answers.Answered != 1 || got.Answers.Approved != 1 || got.Answers.P95 < got.Answers.P50 {
		t.Errorf("answered were %+v", got.Answers)
	}
	if got := into[counts](t, b.get(t, 200, "other", "/v1/counts?since=2020-01-01T00:00:00Z")); len(got.Counts) != 0 || got.Took != nil {
		t.Errorf("another counts %v", got)
	}
	for _, bad := range []string{"", "?since=now", "?since=2020-01-01T00:00:00Z&step=0"} {
		b.get(t, 400, "person", "/v1/counts"+bad)
	}
}

// TestLargePages: what is said of a call may be many times its size, and a page ends before its
// limit then. What follows is on the next ones.
func TestLargePages(t *testing.T) {
	b := newBench(t)
	b.post(t, 201, "agent", "/v1/sessions", `{"id":"s","tools":[{"server":"post","tools":[{"name":"send_all","description":"Send mails.","inputSchema":{"type":"object","properties":{"to":{"type":"array","items":{"type":"string"}}}}}]}]}`)
	b.post(t, 204, "agent", "/v1/sessions/s/events", `{"type":"user","text":"go"}`)
	const calls = 6
	for i := range calls {
		b.post(t, 200, "agent", "/v1/sessions/s/decisions", fmt.Sprintf(`{"id":"c%d","tool":"send_all","arguments":{"to":["a"%s]}}`, i, strings.Repeat(`,"a"`, 999)))
	}

	for path, want := range map[string]int{"/v1/sessions/s/events": 1 + calls, "/v1/sessions/s/decisions": calls} {
		got, pages, next := 0, 0, ""
		for ; pages == 0 || next != ""; pages++ {
			answer := b.get(t, 200, "agent", path+"?limit=200"+next)
			page := into[struct {
				Events, Decisions []json.RawMessage
				Next              string
			}](t, answer)
			if one := len(answer.body) / max(1, len(page.Events)+len(page.Decisions)); len(answer.body) > pageBytes+2*one {
				t.Errorf("%s: a page of %d bytes", path, len(answer.body))
			}
			got += len(page.Events) + len(page.Decisions)
			if next = page.Next; next != "" {
				next = "&cursor=" + next
			}
		}
		if got != want || pages < 2 {
			t.Errorf("%s: %d on %d pages, want %d on several", path, got, pages, want)
		}
	}
}
