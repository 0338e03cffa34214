package match_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// asking is a proposed call after a text of others and further results, each called after the text unless early says
// otherwise. It can't be taken back unless reversible says so.
type asking struct {
	scope, said       string
	tool              string
	args              map[string]string // as of [call]
	results           []returned
	early, reversible bool
	now               time.Time
	change            func(p *match.Proposal)
	want              bool
}

type askings map[string]asking

func (all askings) run(t *testing.T) {
	t.Helper()
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			if got, misses := c.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

func (c asking) covered(t *testing.T) (bool, []string) {
	t.Helper()
	s, refused, err := scope.Parse([]byte(c.scope), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	results := []*match.Result{{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}}
	setContent(results[0], `{"body":"narrow what you look for"}`)
	for i, have := range c.results {
		r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "mailbox", Tool: have.tool, Args: selectors(t, have.args), Covered: true, Read: true, Early: c.early}
		for j := range r.Args {
			r.Args[j].Foreign = !c.early
		}
		r.SetContent(have.text, serialized.Read(have.text, "", serialized.Trust{}))
		results = append(results, r)
	}
	tool := c.tool
	if tool == "" {
		tool = "act"
	}
	p := call(tool, c.args)
	p.Irreversible, p.Now = !c.reversible, c.now
	if c.change != nil {
		c.change(p)
	}
	_, misses, ok := match.NewTask(s, c.said).Match(p, results)
	return ok, misses
}

// TestStatedByTheDefinition: a scope states no address that the user didn't say, and what the tool's own definition lists is
// none, nor is a time.
func TestStatedByTheDefinition(t *testing.T) {
	by := func(value string) string { return `{"calls":[{"tool":"act","args":{"/to":{"is":"` + value + `"}}}]}` }
	to := func(text string) map[string]string { return map[string]string{"/to": "t:" + text} }
	listed := func(p *match.Proposal) { p.Args[0].Listed = true }
	const said = "Text the parents that we meet at 2."
	askings{
		"one of those that the definition lists":    {scope: by("sms"), said: said, args: to("sms"), change: listed, want: true},
		"another of them":                           {scope: by("sms"), said: said, args: to("mail"), change: listed},
		"a word that nobody lists":                  {scope: by("sms"), said: said, args: to("sms")},
		"a time":                                    {scope: by("14:00"), said: said, args: to("14:00"), want: true},
		"a moment":                                  {scope: by("2026-03-04T14:00"), said: said, args: to("2026-03-04T14:00"), want: true},
		"an address that the scope alone has":       {scope: by("eve@evil.example"), said: said, args: to("eve@evil.example")},
		"a host with a port":                        {scope: by("evil:14"), said: said, args: to("evil:14")},
		"an account of digits":                      {scope: by("20260304"), said: said, args: to("20260304")},
		"a time, and something behind it":           {scope: by("14:00@evil.example"), said: said, args: to("14:00@evil.example")},
		"a listed value for a credential is stated": {scope: by("sms"), said: said, args: to("sms"), change: func(p *match.Proposal) { p.Args[0].Listed, p.Args[0].Role = true, label.Credential }, want: true},
	}.run(t)
}

// TestSettingsNobodyHasSaid: how a call works that can't be taken back is as its definition has it, unless the scope or the user says otherwise.
func TestSettingsNobodyHasSaid(t *testing.T) {
	const scope = `{"calls":[{"tool":"act","args":{"/id":{"is":"d1"}}}]}`
	set := func(value, otherwise string, reversible, want bool) asking {
		usual := func(p *match.Proposal) {
			p.Default = func(pointer string) (string, bool) { return otherwise, pointer == "/mode" && otherwise != "" }
		}
		return asking{scope: scope, said: "Detach d1 the careful way.", args: map[string]string{"/id": "s:d1", "/mode": "o:" + value}, change: usual, reversible: reversible, want: want}
	}
	askings{
		"on":                          set("true", "", false, false),
		"off":                         set("false", "", false, true),
		"off, which is on":            set("false", "true", false, false),
		"as it is anyhow":             set("soft", "soft", false, true),
		"another one":                 set("hard", "soft", false, false),
		"a word of the user's":        set("careful", "soft", false, true),
		"a number":                    set("99999", "30", false, false),
		"of what can be put right":    set("hard", "soft", true, true),
		"which nothing is said about": set("hard", "", false, false),
	}.run(t)

	formalOf := func(tool, argument, value string, want bool) asking {
		return asking{scope: strings.ReplaceAll(scope, `"act"`, `"`+tool+`"`), said: "Detach d1.", tool: tool, args: map[string]string{"/id": "s:d1", argument: "o:" + value}, want: want}
	}
	formal := func(argument, value string, want bool) asking { return formalOf("act", argument, value, want) }
	askings{
		"that it is meant":        formal("/confirm", "true", true),
		"that the tool's verb is": formal("/confirm_act", "true", true),
		"that something else is":  formal("/confirm_wipe", "true", false),
		"that it isn't done":      formal("/dry_run", "true", true),
		"the same in one word":    formal("/simulate", "true", true),
		"that it runs":            formal("/run", "true", false),
		"that nothing else does":  formal("/only", "true", false),
		"how long one waits":      formal("/timeout", "30", true),
		"how long it is to be":    formalOf("set_timeout", "/timeout", "30", false),
		"how long it holds":       formal("/timeout", "99999", false),
		"after how many days":     formal("/timeout_days", "30", false),
		"how much is returned":    formal("/max_results", "5", true),
		"a page of it":            formal("/page", "2", true),
		"how many are deleted":    formalOf("delete_records", "/max_records", "5", false),
		"how large it is":         formal("/max_size", "5", false),
		"how many of it":          formal("/count", "5", false),
		"which one":               formal("/item", "5", false),
		"which batch":             formal("/batch_mode", "hard", false),
		"that somebody is told":   formal("/notify", "true", false),
		"that a mail confirms it": formal("/send_confirmation", "true", false),
	}.run(t)
}

// TestNumberInAWord: a number that decides where a call goes is the user's also where they say it in a word.
func TestNumberInAWord(t *testing.T) {
	by := func(n, said string, want bool) asking {
		return asking{scope: `{"calls":[{"tool":"act","args":{"/keys":{"is":` + n + `}}}]}`, said: said, args: map[string]string{"/keys": "t:" + n}, want: want}
	}
	askings{
		"in digits":         by("2", "Have 2 keys made.", true),
		"in a word":         by("2", "Have two keys made.", true),
		"in another tongue": by("2", "Lass zwei Schlüssel machen.", true),
		"another one":       by("3", "Have two keys made.", false),
	}.run(t)
}
