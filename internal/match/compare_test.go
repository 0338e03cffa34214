package match_test

import (
	"strconv"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestFormOfAnHour: a moment that says where a call goes, as a slot does, may be written in another form, and is no other moment.
func TestFormOfAnHour(t *testing.T) {
	for _, c := range []struct {
		called string
		want   bool
	}{
		{"2026-12-03 15:00", true},
		{"2026-12-03T15:00", true},
		{"2026-12-03T15:00:00", true},
		{"2026-12-03T15:00:01", false},
		{"2026-12-03T15:00Z", false},
		{"2026-12-03T15:00:00+02:00", false},
		{"2026-12-03", false},
		{"2026-12-03T03:00", false},
	} {
		h := hostile{
			request: "Post it at 2026-12-03 15:00.", scope: `{"calls":[{"tool":"pay","args":{"/account":{"is":"2026-12-03 15:00"}}}]}`,
			tool: "pay", args: map[string]string{"/account": "t:" + c.called},
		}
		if ok, misses := h.covered(t); ok != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", c.called, ok, c.want, misses)
		}
	}
}

// TestSlashOfASite: the link of a site is the same with the slash of its empty path, and nothing else is.
func TestSlashOfASite(t *testing.T) {
	for _, c := range []struct {
		said, called string
		want         bool
	}{
		{"https://corp.example", "https://corp.example/", true},
		{"https://corp.example/", "https://corp.example", true},
		{"http://corp.example:8080", "http://corp.example:8080/", true},
		{"https://corp.example", "https://corp.example//", false},
		{"https://corp.example", "https://corp.example.", false},
		{"https://corp.example", "http://corp.example/", false},
		{"https://corp.example/may", "https://corp.example/may/", false},
		{"https://corp.example?q=1", "https://corp.example?q=1/", false},
		{"https://corp.example#a", "https://corp.example#a/", false},
		{"https://ann@corp.example", "https://ann@corp.example/", false},
		{"https://", "https:///", false},
		{"file://notes", "file://notes/", false},
		{"/notes", "/notes/", false},
	} {
		h := hostile{
			request: "Post it at " + c.said, scope: `{"calls":[{"tool":"pay","args":{"/account":{"is":"` + c.said + `"}}}]}`,
			tool: "pay", args: map[string]string{"/account": "t:" + c.called},
		}
		if ok, misses := h.covered(t); ok != c.want {
			t.Errorf("%s for %s: covered %v, want %v (%v)", c.called, c.said, ok, c.want, misses)
		}
	}
}

// TestSiteOnce: an entry for each site has the one with the slash for the same.
func TestSiteOnce(t *testing.T) {
	const (
		sites  = `[{"url":"https://a.example"},{"url":"https://a.example/"},{"url":"https://b.example"},{"url":"https://a.example/x"}]`
		paying = `{"calls":[{"tool":"pay","times":"each","args":{"/account":{"from":[{"tool":"list_mails","field":"url"}],"kind":"url","pick":"all"}}}]}`
	)
	s, refused, err := scope.Parse([]byte(paying), tools(t))
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
	setContent(r, sites)
	task := match.NewTask(s, "Pay each site.")

	for i, c := range []struct {
		site string
		want bool
	}{
		{"https://a.example", true},
		{"https://a.example/", false},
		{"https://b.example/", true},
		{"https://b.example", false},
		{"https://a.example/x", true},
	} {
		p := call("pay", map[string]string{"/account": "t:" + c.site})
		p.Irreversible, p.Call = true, strconv.Itoa(i)
		cover, misses, ok := task.Match(p, []*match.Result{r})
		if ok != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", c.site, ok, c.want, misses)
		}
		if ok {
			task.Spend(cover)
		}
	}
}
