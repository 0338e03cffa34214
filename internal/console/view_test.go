package console

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/remit-project/remit/internal/mcp/mcptest"
	"github.com/remit-project/remit/internal/playground"
)

// screenshots is where pictures of every view go: go test ./internal/console -run Views -screenshots DIR
var screenshots = flag.String("screenshots", "", "write pictures of every view into this folder")

// widths are the screens that the views are shown on.
var widths = map[string]int{"wide": 1280, "telephone": 380}

// schemesOf are the colour schemes that a screen is looked at in: the gate looks at the wide one in
// light and at the telephone in the dark.
func schemesOf(screen string) []string {
	switch {
	case !testing.Short():
		return []string{"light", "dark"}
	case screen == "wide":
		return []string{"light"}
	default:
		return []string{"dark"}
	}
}

// axe is the source of axe-core, which finds what keeps people from using a page; empty
// where it is not installed.
func axe(t testing.TB) string {
	t.Helper()
	found := mcptest.NPMFiles(t, "axe-core/axe.min.js")
	if len(found) == 0 {
		t.Log("note: axe-core is not installed (make npm): the pages are not checked for people who can't see them")
		return ""
	}
	source, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// findMistakes lists the mistakes that axe finds in a page.
const findMistakes = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) =>
	r.violations.map((v) => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map((n) => n.html + " " + (n.any[0]?.message ?? "")).join(" | ")).join("\n"))`

// Every view can be read on a screen and on a telephone, in light and dark, without a
// script that fails and without anything that the policy for content has to stop.
func TestViews(t *testing.T) {
	s := newSite(t)
	asked := s.held("release-notes")
	s.shadowed("shadowed")
	s.changed(s.editable())
	s.console.o.Samples = []playground.Sample{{Name: "first", Title: "The first", Tools: office, Conversation: attacked}}
	s.console.o.Policies = clinic(t, s.store, true)
	b := chromium(t)
	for name, width := range widths {
		p := b.tab(width)
		p.open(s.url("login"))
		p.shoot(*screenshots, name+"-login")
		s.signIn(p, everything("ann"))
		for _, scheme := range schemesOf(name) {
			p.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
			for view, path := range map[string]string{
				"inbox": "inbox", "question": "question/" + asked.ID, "sessions": "sessions", "shadow": "session?id=shadowed", "session": "session?id=release-notes",
				"origins": "session?id=release-notes&at=4&path=%2Fto", "text": "text?id=release-notes&seq=3", "overview": "overview?last=hour&verify=1", "tools": "tools", "tool": "tool?server=office&tool=send_message", "playground": "playground", "whatif": "whatif?id=release-notes&server=office",
				"policies": "policies", "policy": "policy?tool=refill_prescription&name=seen-within-twelve-months", "compared": "policies/changes",
			} {
				p.open(s.url(path))
				p.until(`document.querySelector("main h1")`)
				p.shoot(*screenshots, fmt.Sprintf("%s-%s-%s", name, view, scheme))
				p.usable(name + ", " + view + ", " + scheme)
			}
		}
	}
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}

// usable holds a page to its screen, and to what people need who can't see it: nothing is
// wider than the screen, axe finds no mistake, and no script of others was run.
func (p *tab) usable(name string) {
	p.t.Helper()
	if got := p.text(fmt.Sprintf("document.documentElement.scrollWidth <= %d", p.width)); got != "true" {
		p.t.Errorf("%s: the page is %s wide, and the screen %d", name, p.text("document.documentElement.scrollWidth"), p.width)
	}
	if got := p.text("document.body.id"); got != "" {
		p.t.Errorf("%s: a script that is not the page's own was run", name)
	}
	source := axe(p.t)
	if source == "" {
		return
	}
	must(p.t, p.eval(source+"; 0", nil))
	var found string
	must(p.t, p.eval(findMistakes, &found))
	if found != "" {
		p.t.Errorf("%s: %s", name, found)
	}
}
