package console

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// editable puts the office's contract into a file that the console may write.
func (s *site) editable() (file string) {
	s.t.Helper()
	tools, err := schema.Parse("office", []byte(office))
	must(s.t, err)
	text, err := synth.Contract(tools).Marshal()
	must(s.t, err)
	file = filepath.Join(s.t.TempDir(), "office.yaml")
	must(s.t, os.WriteFile(file, text, 0o644))
	s.console.o.Desk.Files, err = revise.Open(file, true)
	must(s.t, err)
	return file
}

// floorOf is the floor of the recipient in a contract file.
func floorOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	f, err := contract.Load(file, text)
	must(t, err)
	tool, _ := f.Tool("send_message")
	for _, a := range tool.Args {
		if a.Pattern == "/to" {
			return a.Floor.String()
		}
	}
	t.Fatal("the contract has no recipient")
	return ""
}

// A floor is changed with the keyboard alone, on a telephone: the calls of the past are
// decided again at once, and nothing is written before the button for it.
func TestEditInTheBrowser(t *testing.T) {
	s := newSite(t)
	file := s.editable()
	s.held("s")
	b := chromium(t)
	p := b.tab(380)
	s.signIn(p, everything("ann"))
	p.open(s.url("tool?server=office&tool=send_message"))
	p.tabTo(`e.name === "role" && e.closest("fieldset").innerText.includes("/to")`)
	for range 3 { // after target, command and credential comes content
		p.key("ArrowDown", 0)
	}
	p.tabTo(`e.name === "floor" && e.closest("fieldset").innerText.includes("/to")`)
	for range 3 {
		p.key("ArrowUp", 0)
	}
	p.until(`document.querySelector(".diff .added")?.innerText.includes("/to") && document.querySelector("#result").innerText.includes("EXTERNAL")`)
	p.until(`document.querySelector("#result").innerText.includes("The calls of the past")`)
	if got := p.text(`document.querySelector("#result").innerText`); !strings.Contains(got, "1 call in 1 session") || !strings.Contains(got, "laxer") {
		t.Errorf("the check says %s", got)
	}
	p.shoot(*screenshots, "telephone-edit")
	p.usable("an edit")
	if got := floorOf(t, file); got != "USER" {
		t.Errorf("the floor is %s before anything was written", got)
	}
	p.tabTo(`e.innerText.startsWith("Write it to")`)
	p.key("Enter", 0)
	p.until(`document.body.innerText.includes("The contract file was written")`)
	if got := floorOf(t, file); got != "EXTERNAL" {
		t.Errorf("the floor is %s", got)
	}
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}

// Only who may edit contracts writes them, only from a page of the login's own, and only
// what that page showed. Everybody who sees contracts may take the patch.
func TestEditNeedsTheRole(t *testing.T) {
	s := newSite(t)
	file := s.editable()
	editor, csrf := s.signedIn(everything("ann"))
	reader, theirs := s.signedIn(access.Principal{Name: "ben", Scopes: []access.Scope{access.SessionsRead, access.ContractsRead}})
	p, err := s.console.o.Desk.Files.Propose(revise.Edit{Server: "office", Tool: "send_message"})
	must(t, err)
	form := func(csrf, base, floor string) string {
		return url.Values{"server": {"office"}, "tool": {"send_message"}, "csrf": {csrf}, "base": {base}, "variant": {""}, "pattern": {"/to"}, "role": {"target"}, "floor": {floor}}.Encode()
	}
	for _, test := range []struct {
		name, path, form string
		c                *client
		want             int
	}{
		{"without the scope", "tool/write", form(theirs, p.Base, "EXTERNAL"), reader, 403},
		{"without the mark", "tool/write", form("", p.Base, "EXTERNAL"), editor, 403},
		{"of no page", "tool/write", form(csrf, "", "EXTERNAL"), editor, 400},
		{"of an old page", "tool/write", form(csrf, strings.Repeat("0", 64), "EXTERNAL"), editor, 409},
		{"no floor", "tool/write", form(csrf, p.Base, "NONE"), editor, 400},
		{"a check", "tool", form(theirs, p.Base, "EXTERNAL"), reader, 200},
		{"a patch", "tool/patch", form(theirs, p.Base, "EXTERNAL"), reader, 200},
		{"a patch without the mark", "tool/patch", form("", p.Base, "EXTERNAL"), reader, 403},
		{"nobody", "tool/write", form(csrf, p.Base, "EXTERNAL"), s.client(), 403},
	} {
		if got, page := test.c.do("POST", test.path, test.form); got != test.want {
			t.Errorf("%s: %d, %s", test.name, got, page)
		}
	}
	if got := floorOf(t, file); got != "USER" {
		t.Errorf("the floor is %s", got)
	}
	if got, _ := editor.do("POST", "tool/write", form(csrf, p.Base, "EXTERNAL")); got != 303 || floorOf(t, file) != "EXTERNAL" {
		t.Errorf("with everything: %d, %s", got, floorOf(t, file))
	}
}
