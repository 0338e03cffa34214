package console

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/policydoc/report"
	"github.com/remit-project/remit/store"
)

// clinic is a desk over a copy of the worked example, with a version before in which one
// policy was laxer and another one wasn't there.
func clinic(t testing.TB, audit store.Audit, write bool) *desk.Desk {
	t.Helper()
	at, from := t.TempDir(), filepath.Join("..", "..", "examples", "clinic")
	must(t, os.CopyFS(filepath.Join(at, "policy"), os.DirFS(filepath.Join(from, "policy"))))
	must(t, os.CopyFS(filepath.Join(at, "before"), os.DirFS(filepath.Join(from, "policy"))))
	must(t, os.Remove(filepath.Join(at, "before", "mapping", "cancel_appointment.yaml")))
	must(t, os.Remove(filepath.Join(at, "before", "guards", "cancel_appointment.yaml")))
	rewrite(t, filepath.Join(at, "before", "guards", "refill_prescription.yaml"), "'!prescription.controlled'", "'true'")
	return &desk.Desk{Root: filepath.Join(at, "policy"), Before: filepath.Join(at, "before"), Document: filepath.Join(from, "policy.md"), Write: write, Audit: audit,
		Deployment: func() (guard.Deployment, error) {
			return inputs.Deployment([]string{filepath.Join(from, "tools.json")}, "")
		}}
}

// rewrite replaces a text in a file that has it.
func rewrite(t testing.TB, name, old, fresh string) {
	t.Helper()
	text := read(t, name)
	if !strings.Contains(text, old) {
		t.Fatalf("%s has no %q", name, old)
	}
	must(t, os.WriteFile(name, []byte(strings.Replace(text, old, fresh, 1)), 0o644))
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

// seen is the policy that the tests decide about.
const seen = "policy?tool=refill_prescription&name=seen-within-twelve-months"

// mappingOf is the text of the mapping that has it.
func mappingOf(t testing.TB, d *desk.Desk) string {
	t.Helper()
	return read(t, filepath.Join(d.Root, "mapping", "refill_prescription.yaml"))
}

// Without a document the pages say what to start the console with, and with one that can't be
// read they say why, as text.
func TestPoliciesThatAreNotThere(t *testing.T) {
	s := newSite(t)
	c, _ := s.signedIn(everything("ann"))
	if status, page := c.do("GET", "policies", ""); status != 200 || !strings.Contains(page, "There is no policy document here") {
		t.Errorf("without a document: %d, %s", status, page)
	}
	for _, path := range []string{"policies/document", "policies/changes", seen} {
		if status, _ := c.do("GET", path, ""); status != 404 {
			t.Errorf("%s without a document: %d", path, status)
		}
	}

	s.console.o.Policies = clinic(t, s.store, false)
	s.console.o.Policies.Before = ""
	if status, _ := c.do("GET", "policies/changes", ""); status != 404 {
		t.Errorf("without a version before: %d", status)
	}
	must(t, os.WriteFile(filepath.Join(s.console.o.Policies.Root, "mapping", "refill_prescription.yaml"), []byte("tool: <b>\npolicies: 3\n"), 0o644))
	if status, page := c.do("GET", "policies", ""); status != 200 || !strings.Contains(page, "refill_prescription.yaml:2") || strings.Contains(page, "<b>") {
		t.Errorf("a mistake: %d, %s", status, page)
	}
	if status, _ := c.do("GET", "policies/document", ""); status != 500 {
		t.Errorf("a mistake: %d", status)
	}
}

// The whole document is shown beside its policies in a page that has nothing of the console's:
// no origin, no cookie.
func TestDocumentHasNoOrigin(t *testing.T) {
	s := newSite(t)
	s.console.o.Policies = clinic(t, s.store, false)
	b := chromium(t)
	p := b.tab(1280)
	s.signIn(p, everything("ann"))
	p.open(s.url("policies/document"))
	p.until(`document.querySelector("#filter.filter")`)
	if got := p.text("origin"); got != "null" {
		t.Errorf("the report has the origin %s", got)
	}
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}

// A policy is found from the document, read with its rule and tests, and approved, with the
// keyboard alone on a telephone: the page shows what is written before it is, and writes what
// remit policy approve does. Texts of the document and of models are only text.
func TestPolicyIsApproved(t *testing.T) {
	s := newSite(t)
	d := clinic(t, s.store, true)
	s.console.o.Policies = d
	rewrite(t, filepath.Join(d.Root, "mapping", "refill_prescription.yaml"), "description: 'Holds", `description: "<script>document.body.id='theirs'</script>\u202ebidi\u200b"`+"\n    reason: 'Holds")
	b := chromium(t)
	p := b.tab(380)
	s.signIn(p, everything("ann"))
	p.open(s.url("policies"))
	p.usable("policies")
	p.tabTo(`e.matches(".made .policy") && e.innerText.includes("seen-within-twelve-months")`)
	p.key("Enter", 0)
	p.until(`document.querySelector("#review")`)
	for _, want := range []string{"<script>document.body.id", `\u{202e}bidi\u{200b}`, "tests pass", "Refills are for patients who were seen"} {
		if !strings.Contains(p.text("document.body.innerText"), want) {
			t.Errorf("the page doesn't say %s: %s", want, p.text("document.body.innerText"))
		}
	}
	p.tabTo(`e.matches("#tests > summary")`)
	p.key("Enter", 0)
	p.until(`document.querySelector("#tests").open && document.querySelector("#tests .passed")`)

	p.tabTo(`e.name === "review"`)
	p.key(" ", 0)
	p.until(`[...document.querySelectorAll(".diff .added")].some((l) => l.innerText.includes("status: approved"))`)
	p.shoot(*screenshots, "telephone-review")
	p.usable("a review")
	if got := mappingOf(t, d); strings.Contains(got, "status:") {
		t.Errorf("it was written before anybody said so: %s", got)
	}
	p.tabTo(`e.innerText === "Write it"`)
	p.key("Enter", 0)
	p.until(`document.querySelector(".note.approved")?.innerText.includes("It is written")`)
	if got := mappingOf(t, d); strings.Count(got, "status: approved") != 1 {
		t.Errorf("the mapping is %s", got)
	}
	if got := s.notes(`"reviewed"`, `"by":"ann"`, `"review":"approve"`, `"policy":"seen-within-twelve-months"`, `"from":"console 127.0.0.1:`); got != 1 {
		t.Errorf("the audit log has %d notes of it", got)
	}
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}

// notes counts the entries of the audit log that have some texts.
func (s *site) notes(texts ...string) int {
	s.t.Helper()
	n := 0
	for line, err := range s.store.Export(s.t.Context()) {
		must(s.t, err)
		has := true
		for _, text := range texts {
			has = has && strings.Contains(string(line.Entry), text)
		}
		if has {
			n++
		}
	}
	return n
}

// reviewForm is a form about the policy.
func reviewForm(csrf, base, review, reason string) string {
	return url.Values{"csrf": {csrf}, "tool": {"refill_prescription"}, "name": {"seen-within-twelve-months"}, "base": {base}, "review": {review}, "reason": {reason}}.Encode()
}

// Only who may edit contracts reviews policies, only from a page of the login's own, and only
// what that page showed. Everybody who sees policies may take the patch. Of two who review the
// same policy, one wins and the other is told.
func TestReviewNeedsTheRole(t *testing.T) {
	s := newSite(t)
	d := clinic(t, s.store, true)
	s.console.o.Policies = d
	editor, csrf := s.signedIn(everything("ann"))
	second, hers := s.signedIn(everything("cleo"))
	reader, theirs := s.signedIn(access.Principal{Name: "ben", Scopes: []access.Scope{access.ContractsRead}})
	base, err := d.Digest("refill_prescription", "seen-within-twelve-months")
	must(t, err)
	was := mappingOf(t, d)
	for _, test := range []struct {
		name, path, form string
		c                *client
		want             int
	}{
		{"without the scope", "policy/write", reviewForm(theirs, base, "approve", ""), reader, 403},
		{"without the mark", "policy/write", reviewForm("", base, "approve", ""), editor, 403},
		{"of no page", "policy/write", reviewForm(csrf, "", "approve", ""), editor, 400},
		{"of an old page", "policy/write", reviewForm(csrf, strings.Repeat("0", 32), "approve", ""), editor, 409},
		{"no such word", "policy/write", reviewForm(csrf, base, "bless", ""), editor, 400},
		{"no such conflict", "policy/write", reviewForm(csrf, base, "mine guard/require", ""), editor, 400},
		{"a long reason", "policy/write", reviewForm(csrf, base, "archive", strings.Repeat("x", desk.MaxReason+1)), editor, 400},
		{"a check", "policy", reviewForm(theirs, base, "archive", "why"), reader, 200},
		{"a patch", "policy/patch", reviewForm(theirs, base, "archive", "why"), reader, 200},
		{"a patch without the mark", "policy/patch", reviewForm("", base, "archive", "why"), reader, 403},
		{"nobody", "policy/write", reviewForm(csrf, base, "approve", ""), s.client(), 403},
	} {
		if got, page := test.c.do("POST", test.path, test.form); got != test.want {
			t.Errorf("%s: %d, %s", test.name, got, page)
		}
	}
	if got := mappingOf(t, d); got != was {
		t.Errorf("something was written: %s", got)
	}

	if got, page := editor.do("POST", "policy/write", reviewForm(csrf, base, "archive", "nothing <b>tells</b>")); got != 303 {
		t.Errorf("with everything: %d, %s", got, page)
	}
	if got, page := second.do("POST", "policy/write", reviewForm(hers, base, "approve", "")); got != 409 || !strings.Contains(page, "Somebody else was quicker") {
		t.Errorf("too late: %d, %s", got, page)
	}
	guards := read(t, filepath.Join(d.Root, "guards", "refill_prescription.yaml"))
	if got := mappingOf(t, d); !strings.Contains(got, "status: archived") || strings.Contains(guards, "seen-within-twelve-months") {
		t.Errorf("the mapping is %s, the guard file %s", got, guards)
	}
	if _, page := editor.do("GET", seen, ""); !strings.Contains(page, "nothing &lt;b&gt;tells") || !strings.Contains(page, "Bring it back") {
		t.Errorf("afterwards the page says %s", page)
	}
	d.Write = false
	if got, _ := editor.do("POST", "policy/write", reviewForm(csrf, base, "approve", "")); got != 403 {
		t.Errorf("where nothing may be written: %d", got)
	}
}

// What the present version of the document changes is said in words.
func TestCompared(t *testing.T) {
	s := newSite(t)
	s.console.o.Policies = clinic(t, s.store, false)
	c, _ := s.signedIn(everything("ann"))
	status, page := c.do("GET", "policies/changes", "")
	for _, want := range []string{"no-controlled-substances", ">stricter<", "added"} {
		if !strings.Contains(page, want) {
			t.Errorf("%d, without %q: %s", status, want, page)
		}
	}
}

// The document can be narrowed to the sentences of one state, and is shown in pages.
func TestDocumentByState(t *testing.T) {
	s := newSite(t)
	s.console.o.Policies = clinic(t, s.store, false)
	c, _ := s.signedIn(everything("ann"))
	_, all := c.do("GET", "policies", "")
	_, bare := c.do("GET", "policies?state=unmapped", "")
	const covered, uncovered = `class="sentence st-enforced`, `class="sentence st-unmapped`
	if !strings.Contains(all, covered) || !strings.Contains(all, uncovered) || strings.Contains(bare, covered) || !strings.Contains(bare, uncovered) {
		t.Errorf("all: %s\nwithout a policy: %s", all, bare)
	}
	if status, page := c.do("GET", "policies?from=99999&state=none", ""); status != 200 || !strings.Contains(page, covered) {
		t.Errorf("beyond the end: %d, %s", status, page)
	}

	// No document here is longer than a page.
	var later strings.Builder
	must(t, s.console.pages["policies"].Execute(&later, frame{Base: "/", Body: policiesPage{Report: &report.Report{}, From: pageBlocks + 1, Next: -1}}))
	if !strings.Contains(later.String(), `href="/policies?state=&amp;from=1#document"`) {
		t.Errorf("a later page: %s", later.String())
	}
}
