package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

var update = flag.Bool("update", false, "write the golden file anew")

func written(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageGolden(t *testing.T) {
	got := written(t, made(t, desk(t)))
	name := filepath.Join("testdata", "page.golden.html")
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page is not that of %s: look at it, and write it anew with -update", name)
	}
}

// element is what the page has between two tags, as the parser sees it.
type element struct {
	tag   string
	attrs map[string]string
	text  string
}

func parsed(t testing.TB, page string) []element {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []element
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		e := element{tag: n.Data, attrs: map[string]string{}}
		for _, a := range n.Attr {
			e.attrs[a.Key] = a.Val
		}
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				e.text += d.Data
			}
		}
		out = append(out, e)
	}
	return out
}

// Every link leads to a place in the page, places are told apart, and nothing is
// loaded from anywhere.
func TestLinksStayInThePage(t *testing.T) {
	all, one := desk(t), desk(t)
	one.Tool = "waive_fee"
	if n := links(t, made(t, all)); n < 20 {
		t.Errorf("only %d links", n)
	}
	if n := links(t, made(t, one)); n < 8 {
		t.Errorf("only %d links about one tool", n)
	}
}

func links(t *testing.T, r *Report) int {
	places, links := map[string]bool{}, []string{}
	for _, e := range parsed(t, written(t, r)) {
		if id, ok := e.attrs["id"]; ok {
			if places[id] {
				t.Errorf("two places are called %s", id)
			}
			places[id] = true
		}
		if href, ok := e.attrs["href"]; ok {
			links = append(links, href)
		}
		for _, name := range []string{"src", "srcset", "action", "data", "style", "onclick", "onload"} {
			if v, ok := e.attrs[name]; ok {
				t.Errorf("<%s> has %s=%q", e.tag, name, v)
			}
		}
	}
	for _, l := range links {
		if !strings.HasPrefix(l, "#") || !places[l[1:]] {
			t.Errorf("%s leads nowhere", l)
		}
	}
	return len(links)
}

// The policy of the page allows its one style and its one script, by what they are.
func TestContentSecurityPolicy(t *testing.T) {
	hashes, policy := map[string]string{}, ""
	for _, e := range parsed(t, written(t, made(t, desk(t)))) {
		switch {
		case e.tag == "style" || e.tag == "script":
			if hashes[e.tag] != "" {
				t.Errorf("there is a second <%s>: %s", e.tag, e.text)
			}
			sum := sha256.Sum256([]byte(e.text))
			hashes[e.tag] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		case e.attrs["http-equiv"] == "Content-Security-Policy":
			policy = e.attrs["content"]
		}
	}
	want := "default-src 'none'; style-src " + hashes["style"] + "; script-src " + hashes["script"] + "; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("%s, want %s", policy, want)
	}
}

// Whatever documents and models say, the page has the same elements, and nothing
// in it is invisible.
func TestHostileTextIsOnlyText(t *testing.T) {
	shape := func(text string) (string, string) {
		policy := &Policy{PolicyRef: PolicyRef{Anchor: "t1-1", Tool: "t" + text, Name: "n" + text, State: Conflicted}, Description: "d" + text, Reason: "r" + text,
			References: []Reference{{Text: "q" + text}}, Compliance: []InWords{{Text: "c" + text, Reason: "u" + text}}, Violations: []InWords{{Text: "v" + text, Reason: "u" + text}},
			Rule: &Rule{Place: "p" + text, Variables: []Variable{{"x" + text, "y" + text}}, Require: "e" + text, Message: "m" + text, Otherwise: label.Deny,
				Tests:     []Test{{Name: "t" + text, Failed: "f" + text, Steps: []Step{{"call", "a" + text}}, Values: []guard.Value{{Name: "a" + text, Value: "b" + text}}}},
				Survivors: []Survivor{{"c" + text, "t" + text, "a" + text}}},
			Contested: []Contested{{"a" + text, "b" + text}}, Conflicts: []Conflict{{"f" + text, "m" + text, "t" + text, []Command{{"do", "c" + text}}}}}
		r := &Report{Name: "n" + text, Digest: "d" + text, Root: "r" + text, Tool: "t" + text, Mistakes: []string{"m" + text},
			Suspicions: []Suspicion{{Kind: "hidden", Text: "t" + text, Why: "w" + text}},
			Sentences:  []Sentence{{State: Unmapped, Reason: "r" + text, Suspicious: true}},
			Tools:      []Tool{{Key: "k" + text, Anchor: "t1", Policies: []*Policy{policy}}}}
		r.Sentences[0].Sentence.Text, r.Sentences[0].ID = "s"+text, "s-1"
		page := written(t, r)
		var tags []string
		for _, e := range parsed(t, page) {
			tags = append(tags, e.tag)
		}
		return strings.Join(tags, " "), page
	}
	want, _ := shape("")
	hostile := []string{"<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "</style></title></script>", "javascript:alert(1)", "{{.}}", "\u202e", "\u200b\x1b[31m", "&lt;b&gt;", "<!--", "]]>", "`${1}`", "\x00\xff"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.String()), 1, 4).Draw(rt, "text"), "")
		tags, page := shape(text)
		if tags != want {
			rt.Fatalf("%q makes elements: %s, want %s", text, tags, want)
		}
		if strings.ContainsAny(page, "\u202e\u200b\x1b\x00\u2066") {
			rt.Fatalf("something of %q is invisible", text)
		}
	})
}

// A browser runs the page's own script under its policy, and no other. The
// tests before this one have looked at the same with a parser.
func TestPageInABrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no Chromium to show the page in")
		}
		t.Skip("there is no Chromium here to show the page in (on Debian: apt-get install chromium)")
	}
	page := strings.Replace(written(t, made(t, desk(t))), "</body>", `<script>document.body.id = "theirs"</script><p onclick="1" style="color: red">x</p></body>`, 1)
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+name).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	shown := ""
	for _, e := range parsed(t, string(out)) {
		if e.attrs["id"] == "filter" {
			shown = e.attrs["class"]
		}
		if e.attrs["id"] == "theirs" {
			t.Error("a script that is not the page's own was run")
		}
	}
	if shown != "filter" {
		t.Errorf("the page's script did not run: the filters have the class %q", shown)
	}
}

func TestNamesOfTools(t *testing.T) {
	for key, want := range map[string]string{"lend": "lend", "desk/lend": "desk/lend", policydoc.EveryTool: "every tool", "desk/" + policydoc.EveryTool: "every tool of desk"} {
		if got := (Tool{Key: key}).Name(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
