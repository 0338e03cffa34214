// Package pdftest writes small PDFs for tests.
package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// File makes a PDF whose pages have the given content. Its fonts are F1, Helvetica,
// F2, the same in bold, and F3, which has its letters where no encoding has them
// and names their glyphs, as TeX does; its words have no spaces between them. More
// is put into the resources of each page, and objects are added as they are, the
// first as number 7.
func File(more string, objects []string, pages ...string) []byte {
	all := []string{
		"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [7 0 R] /D << /OFF [7 0 R] >> >> >>",
		"",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMR10 /FirstChar 1 /LastChar 26 /Widths [" + strings.Repeat("500 ", 26) +
			"] /Encoding << /Type /Encoding /Differences [1 /" + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), " /") + " ] >> >>",
		"<< /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> " + more + " >>",
	}
	all = append(all, objects...)

	var kids strings.Builder
	for _, content := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", len(all)+1)
		all = append(all,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", len(all)+2),
			Stream("", content))
	}

	all[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 612 792] /Resources 6 0 R >>", kids.String(), len(pages))
	return Objects(all...)
}

// Stream returns an object with content.
func Stream(entries, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(content), content)
}

// Objects makes a PDF of objects, the first of which is number 1 and the catalogue.
func Objects(objects ...string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return out.Bytes()
}

// Line is content that draws a line of text in a font.
func Line(font string, size, x, y float64, text string) string {
	text = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text)
	return fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, text)
}
