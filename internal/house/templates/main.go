// Templates calls Go's own template packages as Remit calls its copy of them. The database of
// vulnerabilities doesn't know the copy; make vuln looks there for what it was copied from.
package main

import (
	"fmt"
	"html/template"
	"io"
	"os"
	text "text/template"
)

func main() {
	if err := run(os.Stdout, `{{range .}}<a href="/{{.}}" title={{.}}>{{.}}</a><script>let a = {{.}}</script>{{end}}`, os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run runs a text as a template of either kind.
func run(w io.Writer, page string, data any) error {
	h, err := template.New("page").Funcs(template.FuncMap{"mark": fmt.Sprint}).Parse(page)
	if err != nil {
		return err
	}
	if err := h.Execute(w, data); err != nil {
		return err
	}
	t, err := text.New("prompt").Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, data)
}
