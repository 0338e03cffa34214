package document

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

const (
	// margin is which part of a page at its top and bottom has running headers.
	margin = 0.1
	// A running line is on at least minRunning pages, and on at least one in runningPart of all:
	// some are on odd pages only, or change with the chapter.
	minRunning  = 3
	runningPart = 5
)

var (
	digits     = pattern.OnUse(`\d+`)
	pageNumber = pattern.OnUse(`(?i)^[-–— ]*(page|seite|p\.)? *# *((of|von|/) *#)?[-–— ]*$`)
)

// withoutRunning leaves out the headers and footers that repeat on pages, and
// their numbers.
func withoutRunning(lines []pdfLine, pages int) []pdfLine {
	key := func(l pdfLine) string {
		top, bottom := l.y > (1-margin)*l.height, l.y < margin*l.height
		inMargin := top || bottom
		if !inMargin || l.turned != 0 {
			return ""
		}

		key := digits().ReplaceAllString(l.text, "#")
		if top {
			key = "top " + key
		}
		return key
	}

	on := map[string]map[int]bool{}
	for _, l := range lines {
		k := key(l)
		if on[k] == nil {
			on[k] = map[int]bool{}
		}
		on[k][l.page] = true
	}

	return slices.DeleteFunc(lines, func(l pdfLine) bool {
		k := key(l)
		if k == "" || pages < 2 {
			return false
		}
		often := len(on[k]) >= minRunning && len(on[k])*runningPart >= pages
		return often || pageNumber().MatchString(strings.TrimPrefix(k, "top "))
	})
}
