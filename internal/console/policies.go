package console

import (
	"bytes"
	"context"
	"net/http"

	"github.com/remit-project/remit/internal/policydoc/report"
)

// policiesPage is what became of the company's policy document.
type policiesPage struct {
	// Report is nil where the console was not told of a document.
	Report *report.Report
	// Mistake says why there is no report although there is a document.
	Mistake string
}

func (c *Console) policies(ctx context.Context, _ *visit) (outcome, error) {
	page := policiesPage{}
	if c.o.Policies != nil {
		var err error
		if page.Report, err = c.o.Policies(ctx); err != nil {
			page.Report, page.Mistake = nil, err.Error() // of files: where and what
		}
	}
	return outcome{page: "policies", frame: frame{Title: "Policies", View: "policies", Body: page}}, nil
}

// sandbox keeps the report, which brings its own style and script and its own policy for
// both, away from the console: it has no origin, and no cookie is sent with what it asks for.
const sandbox = "sandbox allow-scripts; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var errNoReport = &failure{http.StatusInternalServerError, "The document or its policies could not be read. The page about policies says why."}

// document serves the document beside its policies, as remit policy review writes it.
func (c *Console) document(w http.ResponseWriter, v *visit) {
	if c.o.Policies == nil {
		c.fail(w, v.Request, v, errNotFound)
		return
	}
	r, err := c.o.Policies(v.Context())
	var b bytes.Buffer
	if err == nil {
		err = r.HTML(&b)
	}
	if err != nil {
		c.fail(w, v.Request, v, errNoReport)
		return
	}
	w.Header().Set("Content-Security-Policy", sandbox)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(w) // the reader has gone, then
}
