package console

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/report"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// clinic is the report of the worked example.
func clinic(ctx context.Context) (*report.Report, error) {
	at := filepath.Join("..", "..", "examples", "clinic")
	text, err := os.ReadFile(filepath.Join(at, "policy.md"))
	if err != nil {
		return nil, err
	}
	doc, err := document.Read("policy.md", text)
	if err != nil {
		return nil, err
	}
	definitions, err := os.ReadFile(filepath.Join(at, "tools.json"))
	if err != nil {
		return nil, err
	}
	tools, err := schema.Parse("tools", definitions)
	if err != nil {
		return nil, err
	}
	dir, err := policydoc.ReadDirectory(filepath.Join(at, "policy"))
	if err != nil {
		return nil, err
	}
	return report.New(ctx, report.Input{Document: doc, Directory: dir, Deployment: guard.Deployment{Tools: []*schema.Catalogue{tools}, Contracts: []*contract.File{synth.Contract(tools)}}})
}

// The document is shown beside its policies in a page that has nothing of the console's: no
// origin, no cookie.
func TestPolicies(t *testing.T) {
	s := newSite(t)
	c, _ := s.signedIn(everything("ann"))
	if status, page := c.do("GET", "policies", ""); status != 200 || !strings.Contains(page, "There is no policy document here") {
		t.Errorf("without a document: %d, %s", status, page)
	}
	if status, _ := c.do("GET", "policies/document", ""); status != 404 {
		t.Errorf("without a document: %d", status)
	}

	s.console.o.Policies = clinic
	if status, page := c.do("GET", "policies", ""); status != 200 || !strings.Contains(page, "What became of") || !strings.Contains(page, "Coverage") {
		t.Errorf("%d, %s", status, page)
	}
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

	s.console.o.Policies = func(context.Context) (*report.Report, error) { return nil, errors.New("policy.yaml:3: <b>") }
	if status, page := c.do("GET", "policies", ""); status != 200 || !strings.Contains(page, "policy.yaml:3: &lt;b&gt;") {
		t.Errorf("a mistake: %d, %s", status, page)
	}
	if status, _ := c.do("GET", "policies/document", ""); status != 500 {
		t.Errorf("a mistake: %d", status)
	}
}
