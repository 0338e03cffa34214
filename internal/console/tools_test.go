package console

import (
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/store"
)

// file is a contract whose reasons are a stranger's words, like those of definitions.
const file = `version: 1
server: mail
tools:
  send:
    effect: egress
    review: new since the last review
    args:
      /to: {role: target, floor: USER, why: "<b>where</b> it goes", review: a guess}
    output: {trust: EXTERNAL}
`

// Contracts are shown with their reasons, what is marked for a review comes first, and a
// contract leaves the console as the file that it is.
func TestTools(t *testing.T) {
	s := newSite(t)
	f, err := contract.Load("mail.yaml", []byte(file))
	must(t, err)
	s.console.o.Desk.Files = revise.Made([]*contract.File{f})
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s.console.o.Now = func() time.Time { return now }
	changed := &remit.Decision{Session: "s", Call: "c1", Server: "mail", Tool: "send", Verdict: remit.Deny, Reasons: []remit.Reason{{Code: remit.ChangedTool, Verdict: remit.Deny, Message: "x"}}}
	must(t, s.store.Append(t.Context(), "s", 0, store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: now, Call: &remit.Call{ID: "c1"}, Verdict: remit.Deny}, Decision: changed}))

	c, _ := s.signedIn(everything("ann"))
	status, page := c.do("GET", "tools", "")
	for _, want := range []string{"2 entries", "new since the last review", "&lt;b&gt;where&lt;/b&gt; it goes", "Changed definitions", "1 stopped", `href="/secret/contract/mail.yaml"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%d, without %q: %s", status, want, page)
		}
	}
	status, text := c.do("GET", "contract/mail.yaml", "")
	again, err := contract.Load("mail.yaml", []byte(text))
	if err != nil || status != 200 || again.Tools[0].Args[0].Pattern != "/to" {
		t.Errorf("%d, %v: %s", status, err, text)
	}
	for _, path := range []string{"contract/none.yaml", "contract/mail", "contract/..%2f..%2fetc.yaml"} {
		if status, _ := c.do("GET", path, ""); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	other, _ := s.signedIn(access.Principal{Name: "ben", Scopes: []access.Scope{access.SessionsRead}})
	for _, path := range []string{"tools", "contract/mail.yaml"} {
		if status, _ := other.do("GET", path, ""); status != 403 {
			t.Errorf("%s without the scope: %d", path, status)
		}
	}
}
