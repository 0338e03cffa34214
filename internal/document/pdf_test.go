package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/document/pdf/pdftest"
)

// printed makes a PDF of pages.
func printed(pages ...string) string { return string(pdftest.File("", nil, pages...)) }

// column draws lines of text of 10 points below each other.
func column(x, y float64, lines ...string) string {
	var out strings.Builder
	for i, l := range lines {
		out.WriteString(pdftest.Line("F1", 10, x, y-12*float64(i), l))
	}
	return out.String()
}

func TestPDFLooksLikeADocument(t *testing.T) {
	d := read(t, "policy.pdf", printed(
		pdftest.Line("F1", 18, 72, 700, "Shop")+
			pdftest.Line("F1", 14, 72, 670, "Refunds")+
			column(72, 650, "Refunds are paid by card. They take about a week to be seen on the bank reser-", "vations, and are non-", "refundable. A fee of $2.50 is non-refundable. That holds for any reservations.")+
			column(72, 600, "For each order these rules hold for all of our customers in any shop, so that:")+
			column(82, 580, "\x95 Returned goods are refunded, when they are sent", "  back in a week.", "\x95 Used ones are not:")+
			column(100, 540, "1. Books,", "2. Toys.")+
			column(72, 500, "This paragraph begins a page and goes on and on until the page has come to its end in the"),
		column(72, 700, "middle of a sentence. It ends here.")+
			pdftest.Line("F2", 10, 72, 660, "Exceptions")+
			column(72, 640, "There are none.")+
			column(72, 600, "Fare", "Flex", "Basic")+column(200, 600, "Fee", "none", "10 dollars")+
			column(72, 540, "The end."),
	))
	want := `
heading | Shop | 1 1
heading | Refunds < Shop | 1 2
paragraph | Refunds are paid by card. < Shop < Refunds | 1 3
paragraph | They take about a week to be seen on the bank reservations, and are non-refundable. < Shop < Refunds | 1 3
paragraph | A fee of $2.50 is non-refundable. < Shop < Refunds | 1 5
paragraph | That holds for any reservations. < Shop < Refunds | 1 5
paragraph | For each order these rules hold for all of our customers in any shop, so that: < Shop < Refunds | 1 6
item | Returned goods are refunded, when they are sent back in a week. < Shop < Refunds < LEAD | 1 7
item | Used ones are not: < Shop < Refunds < LEAD | 1 9
item | Books, < Shop < Refunds < LEAD < Used ones are not: | 1 10
item | Toys. < Shop < Refunds < LEAD < Used ones are not: | 1 11
paragraph | This paragraph begins a page and goes on and on until the page has come to its end in the middle of a sentence. < Shop < Refunds | 1 12
paragraph | It ends here. < Shop < Refunds | 2 1
heading | Exceptions < Shop < Refunds | 2 2
paragraph | There are none. < Shop < Refunds < Exceptions | 2 3
row | Fare | Fee < Shop < Refunds < Exceptions | 2 4
row | Flex | none < Shop < Refunds < Exceptions | 2 5
row | Basic | 10 dollars < Shop < Refunds < Exceptions | 2 6
paragraph | The end. < Shop < Refunds < Exceptions | 2 7`
	var got strings.Builder
	for _, s := range d.Sentences {
		path := strings.ReplaceAll(strings.Join(append([]string{s.Text}, s.Path...), " < "), "< For each order these rules hold for all of our customers in any shop, so that:", "< LEAD")
		fmt.Fprintf(&got, "\n%s | %s | %d %d", s.Kind, path, s.Place.Page, s.Place.Line)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}

// TeX draws no spaces: it moves from word to word, and a little between letters.
func TestPDFWithoutSpaces(t *testing.T) {
	word := func(word string) string {
		var out strings.Builder
		for i, r := range word {
			if i == 1 {
				out.WriteString(") 28 (") // kerning
			}
			fmt.Fprintf(&out, "\\%03o", r-'a'+1)
		}
		return out.String()
	}
	d := read(t, "policy.pdf", printed(fmt.Sprintf("BT /F3 10 Tf 72 700 Td [(%s) -333 (%s) -333 (%s)] TJ 0 -12 Td [(%s) -278 (%s)] TJ ET",
		word("the"), word("parser"), word("is"), word("case"), word("sensitive"))))
	if diff := cmp.Diff([]string{"the parser is case sensitive"}, texts(d.Sentences)); diff != "" {
		t.Error(diff)
	}
}

func TestPDFColumnsAreReadOneAfterTheOther(t *testing.T) {
	var left, right []string
	for i := range 8 {
		left = append(left, fmt.Sprintf("left column with its line of number %d, which", i))
		right = append(right, fmt.Sprintf("right column with its line of number %d, as", i))
	}
	d := read(t, "policy.pdf", printed(column(72, 720, "A line across the page that is as wide as both of the columns that stand below it, more or less.")+
		column(72, 690, left...)+column(320, 690, right...)))
	got := strings.Join(texts(d.Sentences), " ")
	want := "A line across the page that is as wide as both of the columns that stand below it, more or less. " + strings.Join(left, " ") + " " + strings.Join(right, " ")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPDFRunningHeadersAreLeftOut(t *testing.T) {
	var pages []string
	for i := range 6 {
		pages = append(pages, column(72, 770, fmt.Sprintf("Refund policy, version 3, section %d", i/2))+column(72, 600, fmt.Sprintf("Rule %c holds.", 'A'+i))+column(300, 30, fmt.Sprintf("Page %d of 6", i+1)))
	}
	d := read(t, "policy.pdf", printed(pages...))
	if diff := cmp.Diff([]string{"Rule A holds.", "Rule B holds.", "Rule C holds.", "Rule D holds.", "Rule E holds.", "Rule F holds."}, texts(d.Sentences)); diff != "" {
		t.Error(diff)
	}
	if len(d.Suspicions) > 0 {
		t.Errorf("suspicions: %v", d.Suspicions)
	}
}

func TestPDFHides(t *testing.T) {
	secret := pdftest.Line("F1", 10, 72, 600, "SECRET words")
	form := []string{"<< /Type /OCG /Name (layer) >>", pdftest.Stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10] /Resources 6 0 R", secret),
		pdftest.Stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "x")}
	const more = "/ExtGState << /GS << /ca 0 >> >> /Properties << /Layer 7 0 R >> /XObject << /Form 8 0 R /Image 9 0 R >>"
	for name, test := range map[string]struct{ content, why string }{
		"render mode":        {"3 Tr " + secret + " 0 Tr", "it is drawn invisibly"},
		"clipping alone":     {"7 Tr " + secret + " 0 Tr", "it is drawn invisibly"},
		"white":              {"1 g " + secret, "it has the colour of its background"},
		"nearly white":       {"0.97 0.99 0.96 rg " + secret, "it has the colour of its background"},
		"no ink":             {"0 0 0 0 k " + secret, "it has the colour of its background"},
		"stroked in white":   {"1 Tr 1 G " + secret + " 0 Tr", "it has the colour of its background"},
		"black on black":     {"0 g 60 590 200 30 re f " + secret, "it has the colour of its background"},
		"tiny":               {pdftest.Line("F1", 1, 72, 600, "SECRET words"), "its letters are too small to read"},
		"made tiny":          {"q 0.1 0 0 0.1 0 0 cm " + pdftest.Line("F1", 10, 720, 6000, "SECRET words") + " Q", "its letters are too small to read"},
		"off the page":       {pdftest.Line("F1", 10, 72, 900, "SECRET words"), "it is off the page"},
		"clipped away":       {"q 0 0 10 10 re W n " + secret + " Q", "it is clipped away"},
		"transparent":        {"q /GS gs " + secret + " Q", "it is transparent"},
		"painted over":       {secret + " 1 g 60 590 200 30 re f 0 g", "something is painted over it"},
		"below a picture":    {secret + " q 400 0 0 100 60 590 cm /Image Do Q", "something is painted over it"},
		"layer":              {"/OC /Layer BDC " + secret + " EMC", "it is on a layer that isn't shown"},
		"clipped by a form":  {"/Form Do", "it is clipped away"},
		"behind inline data": {"q 400 0 0 100 60 500 cm BI /W 1 /H 1 ID x EI Q 3 Tr " + secret + " 0 Tr", "it is drawn invisibly"},
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, "policy.pdf", string(pdftest.File(more, form, test.content+" 0 g "+column(72, 400, "Seen text."))))
			if diff := cmp.Diff([]string{"Seen text."}, texts(d.Sentences)); diff != "" {
				t.Error(diff)
			}
			want := []Suspicion{{Kind: Hidden, Text: "SECRET words", Place: Place{Page: 1}, Why: test.why}}
			if diff := cmp.Diff(want, d.Suspicions); diff != "" {
				t.Errorf("suspicions (-want +got):\n%s", diff)
			}
		})
	}
	for name, content := range map[string]string{
		"white on black":   "0 g 60 590 200 30 re f 1 g " + secret,
		"on a picture":     "q 400 0 0 100 60 590 cm /Image Do Q 1 g " + secret,
		"turned around":    "BT /F1 10 Tf 0 1 -1 0 300 300 Tm (SECRET words) Tj ET",
		"shown on a layer": "/OC /Other BDC " + secret + " EMC",
		"clip around it":   "q 0 0 612 792 re W n " + secret + " Q",
		"cell beside it":   secret + " 0.5 g 300 590 200 30 re f",
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, "policy.pdf", string(pdftest.File(more, form, content)))
			if got := texts(d.Sentences); !cmp.Equal(got, []string{"SECRET words"}) || len(d.Suspicions) > 0 {
				t.Errorf("sentences: %q, suspicions: %v", got, d.Suspicions)
			}
		})
	}
}

func TestPDFRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no PDF":            {"hello", "it isn't a PDF"},
		"nothing visible":   {printed("3 Tr " + column(72, 600, "scanned words")), "have its text recognised"},
		"no end":            {"%PDF-1.7\n", "the PDF is damaged"},
		"unclosed text":     {printed("BT (abc"), "page 1: the PDF is damaged"},
		"encrypted":         {strings.Replace(printed("x"), "/Root", "/Encrypt 3 0 R /Root", 1), "save it without a password"},
		"unknown packing":   {string(pdftest.Objects("<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", "<< /Parent 2 0 R /Contents 4 0 R >>", pdftest.Stream("/Filter /JBIG2Decode", "x"))), "packed in a way that isn't read"},
		"pages in a circle": {string(pdftest.Objects("<< /Pages 2 0 R >>", "<< /Kids [2 0 R] >>")), "the PDF is damaged"},
		"unknown letters": {string(pdftest.File("/Font << /F9 7 0 R >>", []string{"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /DW 500 >>] >>"},
			"BT /F9 10 Tf 72 700 Td (abcdefgh) Tj ET")), "don't say what their letters are"},
		"forms for ever": {string(pdftest.File("/XObject << /F 7 0 R >>", []string{pdftest.Stream("/Subtype /Form", "/F Do /F Do")}, "/F Do")), "more work"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("policy.pdf", []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
