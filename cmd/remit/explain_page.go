package main

import (
	_ "embed"
	"io"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/label"
)

//go:embed page.html
var pageSource string

// page writes an explanation as one HTML file without scripts and without
// anything to load. All text of the session goes through the template's
// escaping.
func page(w io.Writer, e *explanation.Explanation) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"visible": display.Line,
		"class":   func(t label.Trust) string { return t.String() },
	}).Parse(pageSource)
	if err != nil {
		return err
	}
	return t.Execute(w, e)
}
