package match_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
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
		{"2026-12-03T15:00Z", true}, // as written, where the user's zone isn't known
		{"2026-12-03T15:00:00Z", true},
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

// TestSpellingOfAName: what says where a call goes, or which object one is about that can't be taken back, is as it is written. Wide letters,
// blanks around it and the zeros of a version make another one; case doesn't where the call can be taken back.
func TestSpellingOfAName(t *testing.T) {
	for _, c := range []struct {
		stated, called string
		write, want    bool
	}{
		{"t:aB3x", "t:aB3x", false, true},
		{"t:aB3x", "t:ab3x", true, false},
		{"t:/srv/a.txt", "t:/srv/a.txt ", true, false},
		{"t:/srv/a.txt", "t:/srv/a.txt\u2028", true, false},
		{"t:make test", "t:make test\n", true, false},
		{"s:aB3x", "s:aB3x", false, true},
		{"s:aB3x", "s:ab3x", false, false},
		{"s:aB3x", "s:ab3x", true, true},
		{"s:aB3x", "s:ａＢ３ｘ", true, false},
		{"s:aB3x", "s:aB³x", true, false},
		{"s:1.10", "s:1.1", false, false},
		{"s:1.10", "s:1.1", true, false},
		{"s:302", "s:302.0", false, false},
		{"s:302", "s:302\n", false, false},
		{"s:2026-05-01T10:00:00Z", "s:2026-05-01T12:00:00+02:00", false, true},
		{"c:98.70", "c:98.7", false, true},
		{"c:Hello", "c:hello", false, true},
	} {
		_, stated, _ := strings.Cut(c.stated, ":")
		h := hostile{
			request: "Do it for " + stated, scope: `{"calls":[{"tool":"pay","args":{"/account":{"is":` + strconv.Quote(stated) + `}}}]}`,
			tool: "pay", args: map[string]string{"/account": c.called}, write: c.write,
		}
		if ok, misses := h.covered(t); ok != c.want {
			t.Errorf("%q for %q (taken back: %v): covered %v, want %v (%v)", c.called, c.stated, c.write, ok, c.want, misses)
		}
	}
}

// TestIDAsAFraction: a number that says which object is meant is no fraction: programs round large ones to others.
func TestIDAsAFraction(t *testing.T) {
	for value, want := range map[string]bool{"9007199254740993": true, "9007199254740993.0": false, "9.007199254740993e15": false} {
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/bill":{"is":9007199254740993}}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		p := &match.Proposal{Server: "s", Tool: "pay", Irreversible: true, Args: []match.Argument{{Pointer: "/bill", Text: value, Role: label.Selector}}}
		if _, misses, ok := match.NewTask(s, "Pay 9007199254740993.").Match(p, nil); ok != want {
			t.Errorf("%s: covered %v, want %v (%v)", value, ok, want, misses)
		}
	}
}

// TestNumberInAText: a text that reads as a number is that number in its own spelling alone, as a value and as a condition; a number is the same
// with zeros at its end.
func TestNumberInAText(t *testing.T) {
	const entry = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"rack":%s}}],"kind":"id","pick":"only"}}}]}`
	for name, c := range map[string]struct {
		where, listed, called string
		want                  bool
	}{
		"a section":                     {`"2.10"`, `[{"id":"1.10","rack":"2.10"}]`, "1.10", true},
		"another section":               {`"2.10"`, `[{"id":"1.10","rack":"2.1"}]`, "1.10", false},
		"a number":                      {`"2.10"`, `[{"id":"1.10","rack":2.1}]`, "1.10", true},
		"another version":               {`"2.10"`, `[{"id":"1.10","rack":"2.10"}]`, "1.1", false},
		"either of two versions":        {`"2.10"`, `[{"id":"1.10","rack":"2.10"},{"id":"1.1","rack":"2.10"}]`, "1.1", false},
		"an id with a zero behind it":   {`"2.10"`, `[{"id":302,"rack":"2.10"}]`, "302.0", false},
		"an id that the records number": {`"2.10"`, `[{"id":302,"rack":"2.10"}]`, "302", true},
	} {
		h := hostile{
			request: "Forward that of rack 2.10.", scope: fmt.Sprintf(entry, c.where), results: mails(nil, c.listed),
			tool: "forward_mail", args: map[string]string{"/id": "s:" + c.called},
		}
		if ok, misses := h.covered(t); ok != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, ok, c.want, misses)
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
