package console

import (
	"net/url"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/access"
)

// A session is decided again under a contract that is edited in the browser, from the
// deployment's own on, with the keyboard alone.
func TestWhatIf(t *testing.T) {
	s := newSite(t)
	s.editable()
	s.held("release-notes")
	b := chromium(t)
	p := b.tab(380)
	s.signIn(p, everything("ann"))
	p.open(s.url("session?id=release-notes"))
	p.tabTo(`e.innerText === "What if?"`)
	p.key("Enter", 0)
	p.until(`document.querySelector("h1")?.innerText.startsWith("What if")`)
	p.tabTo(`e.innerText === "office"`)
	p.key("Enter", 0)
	p.until(`document.querySelector("#contract")?.value.includes("server: office")`)
	p.tabTo(`e.id === "contract"`)
	must(t, p.eval(`(() => { const c = document.querySelector("#contract"); c.value = c.value.replace(/(\/url: +\{).*\}/, "$1role: target, floor: TRUSTED}"); c.dispatchEvent(new Event("input", { bubbles: true })); })()`+`, 0`, nil))
	p.until(`document.querySelector("#result").innerText.includes("Decided again")`)
	if got := p.text(`document.querySelector("#result").innerText`); !strings.Contains(got, "2 calls in 1 session") || !strings.Contains(got, "1 call that passed") {
		t.Errorf("it says %s", got)
	}
	p.tabTo(`e.matches("#moreif > summary")`)
	p.key("Enter", 0)
	p.tabTo(`e.id === "guard"`)
	p.do("Input.insertText", map[string]any{"text": "tool: send_message\npolicies:\n  - {name: no-mail, message: No <b>mail</b>., require: 'false'}\n"}, nil)
	p.until(`document.querySelector("#result").innerText.includes("No <b>mail</b>.")`)
	p.shoot(*screenshots, "telephone-whatif")
	p.usable("what if")
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}

// A contract that can't be read is a mistake that the page shows as text, and another
// person's session is as if it weren't there.
func TestWhatIfRefuses(t *testing.T) {
	s := newSite(t)
	s.held("s")
	ann, csrf := s.signedIn(everything("ann"))
	form := func(csrf, text string) string {
		return url.Values{"csrf": {csrf}, "id": {"s"}, "contract": {text}}.Encode()
	}
	if status, page := ann.do("POST", "whatif", form(csrf, "version: <script>1</script>")); status != 200 || !strings.Contains(page, `role="alert"`) || strings.Contains(page, "<script>1") {
		t.Errorf("%d, %s", status, page)
	}
	if status, _ := ann.do("POST", "whatif", form("", "version: 1")); status != 403 {
		t.Errorf("without the mark: %d", status)
	}
	ben, theirs := s.signedIn(access.Principal{Name: "ben", Scopes: []access.Scope{access.SessionsRead, access.ContractsRead}})
	if status, _ := ben.do("POST", "whatif", form(theirs, "version: 1")); status != 404 {
		t.Errorf("of another: %d", status)
	}
}
