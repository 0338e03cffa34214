package pdf_test

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/document/pdf"
	"github.com/remit-project/remit/internal/document/pdf/pdftest"
)

// shown returns the text of a page's glyphs that can be seen, as they are drawn.
func shown(t *testing.T, data []byte) string {
	t.Helper()
	f, err := pdf.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, g := range p.Glyphs {
		if g.Hidden == "" {
			out.WriteString(g.Text)
		}
	}
	return out.String()
}

func deflated(data string) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write([]byte(data))
	_ = w.Close()
	return out.String()
}

func TestStreamsAreUnpacked(t *testing.T) {
	content := pdftest.Line("F1", 10, 72, 700, "Packed text")
	armoured := make([]byte, ascii85.MaxEncodedLen(len(content)))
	armoured = armoured[:ascii85.Encode(armoured, []byte(content))]
	for name, stream := range map[string]string{
		"deflate":          pdftest.Stream("/Filter /FlateDecode", deflated(content)),
		"hexadecimal":      pdftest.Stream("/Filter /ASCIIHexDecode", hex.EncodeToString([]byte(content))+">"),
		"base 85":          pdftest.Stream("/Filter [/ASCII85Decode]", string(armoured)+"~>"),
		"one over another": pdftest.Stream("/Filter [/ASCIIHexDecode /FlateDecode] /DecodeParms [null null]", hex.EncodeToString([]byte(deflated(content)))+">"),
	} {
		t.Run(name, func(t *testing.T) {
			data := pdftest.File("/XObject << /X 7 0 R >>", []string{strings.Replace(stream, "<<", "<< /Subtype /Form ", 1)}, "/X Do")
			if got := shown(t, data); got != "Packed text" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// Since PDF 1.5 objects and cross-references may be packed themselves.
func TestPackedObjects(t *testing.T) {
	for name, columns := range map[string]bool{"plain": false, "differences between rows": true} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			out.WriteString("%PDF-1.7\n")
			objects := []string{"<< /Pages 2 0 R >>", "<< /Kids [3 0 R] /MediaBox [0 0 612 792] >>",
				"<< /Contents 6 0 R /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"}
			var index, packed strings.Builder
			for i, o := range objects {
				fmt.Fprintf(&index, "%d %d ", i+1, packed.Len())
				packed.WriteString(o + " ")
			}
			rows := [][]byte{{0, 0, 0, 0}, {2, 0, 5, 0}, {2, 0, 5, 1}, {2, 0, 5, 2}, {0, 0, 0, 0}}
			add := func(number int, object string) {
				rows = append(rows, []byte{1, byte(out.Len() >> 8), byte(out.Len()), 0})
				fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", number, object)
			}
			add(5, pdftest.Stream(fmt.Sprintf("/Type /ObjStm /N 3 /First %d /Filter /FlateDecode", index.Len()), deflated(index.String()+packed.String())))
			add(6, pdftest.Stream("", pdftest.Line("F1", 10, 72, 700, "Packed objects")))
			start := out.Len()
			var table strings.Builder
			before := make([]byte, 4)
			for _, row := range rows {
				if columns {
					table.WriteByte(2)
					for i := range row {
						table.WriteByte(row[i] - before[i])
					}
					before = row
				} else {
					table.Write(row)
				}
			}
			entries := "/Type /XRef /Size 7 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode"
			if columns {
				entries += " /DecodeParms << /Predictor 12 /Columns 4 >>"
			}
			fmt.Fprintf(&out, "7 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF", pdftest.Stream(entries, deflated(table.String())), start)
			if got := shown(t, out.Bytes()); got != "Packed objects" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A file that was changed has the change at its end; what it replaces isn't read.
func TestTheNewestVersionCounts(t *testing.T) {
	data := pdftest.Objects("<< /Pages 2 0 R >>", "<< /Kids [3 0 R] /MediaBox [0 0 612 792] >>",
		"<< /Contents 4 0 R /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>", pdftest.Stream("", pdftest.Line("F1", 10, 72, 700, "Old")))
	before := bytes.LastIndex(data, []byte("xref\n0"))
	at := len(data)
	data = fmt.Appendf(data, "4 0 obj\n%s\nendobj\n", pdftest.Stream("", pdftest.Line("F1", 10, 72, 700, "New")))
	start := len(data)
	data = fmt.Appendf(data, "xref\n4 1\n%010d 00000 n \ntrailer\n<< /Size 5 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF", at, before, start)
	if got := shown(t, data); got != "New" {
		t.Errorf("got %q", got)
	}
}

func TestFontsSayWhatTheirCodesMean(t *testing.T) {
	const cmap = "1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0041> <0002> <00660069> endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<20AC> <D83DDE00>] endbfrange"
	composite := `<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 8 0 R /DescendantFonts [<< /DW 1000 /W [1 [600 700] 16 18 500] >>] >>`
	for name, test := range map[string]struct{ font, show, want string }{
		"Windows":             {"<< /Subtype /TrueType /Encoding /WinAnsiEncoding >>", `(\223a\224 \200 \225)`, "“a” € •"},
		"Macintosh":           {"<< /Subtype /TrueType /Encoding /MacRomanEncoding >>", `(\322a\323)`, "“a”"},
		"Adobe":               {"<< /Subtype /Type1 >>", `(\252a\272 'b` + "`" + ` \256)`, "“a” ’b‘ ﬁ"},
		"names of glyphs":     {"<< /Subtype /Type1 /Encoding << /Differences [1 /eacute /f_i /uni20AC /a.alt 65 /odieresis /nosuchglyph] >> >>", `(\001\002\003\004AB)`, "éfi€aö\uFFFD"},
		"composite":           {composite, "<0001000200100012002000210099>", "Afiac€😀\uFFFD"},
		"Unicode over others": {"<< /Subtype /Type1 /ToUnicode 9 0 R >>", "(AB)", "xB"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []string{test.font, pdftest.Stream("", cmap), pdftest.Stream("", "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <0078> endbfchar")}
			data := pdftest.File("/Font << /F 7 0 R >>", objects, "BT /F 10 Tf 72 700 Td "+test.show+" Tj ET")
			if got := shown(t, data); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestGlyphsHavePlaces(t *testing.T) {
	content := "2 0 0 2 10 20 cm BT /F1 10 Tf 5 Tc 100 Tz 1 0 0 1 30 40 Tm (ab) Tj 0 -12 TD [(c) -1000 (d)] TJ T* (e) ' 0 1 -1 0 50 60 Tm (f) Tj ET"
	f, err := pdf.Open(pdftest.File("", nil, content))
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	// Helvetica's a and b are 5.56 wide at 10 points, c is 5.
	for i, want := range []pdf.Glyph{
		{Text: "a", X: 70, Y: 100, Width: 21.12, Size: 20},
		{Text: "b", X: 91.12, Y: 100, Width: 21.12, Size: 20},
		{Text: "c", X: 70, Y: 76, Width: 20, Size: 20},
		{Text: "d", X: 110, Y: 76, Width: 21.12, Size: 20},
		{Text: "e", X: 70, Y: 28, Width: 21.12, Size: 20},
		{Text: "f", X: 140, Y: -110, Width: 15.56, Size: 20, Turned: 90},
	} {
		got := p.Glyphs[i]
		near := func(a, b float64) bool { return math.Abs(a-b) < 0.01 }
		if got.Text != want.Text || !near(got.X, want.X) || !near(got.Y, want.Y) || !near(got.Width, want.Width) || got.Size != want.Size || got.Turned != want.Turned {
			t.Errorf("got %q at %.2f,%.2f, %.2f wide, size %g, turned %d; want %+v", got.Text, got.X, got.Y, got.Width, got.Size, got.Turned, want)
		}
	}
}

func TestPagesInheritAndAreTurned(t *testing.T) {
	data := pdftest.Objects("<< /Pages 2 0 R >>", "<< /Kids [3 0 R] /MediaBox [10 10 210 110] /Rotate 90 /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
		"<< /Kids [4 0 R] >>", "<< /Contents [5 0 R 5 0 R] /Annots [<< /Contents (A note) >> << /Contents <FEFF00480069> >>] >>",
		pdftest.Stream("", "BT /F1 10 Tf 0 1 -1 0 50 60 Tm (x) Tj ET"))
	f, err := pdf.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	if f.Pages() != 1 || p.Width != 100 || p.Height != 200 || len(p.Glyphs) != 2 || p.Glyphs[0].Turned != 0 || p.Glyphs[0].Hidden != "" {
		t.Errorf("got %d pages, %+v", f.Pages(), p)
	}
	if got := strings.Join(p.Notes, "|"); got != "A note|Hi" {
		t.Errorf("notes: %q", got)
	}
}
