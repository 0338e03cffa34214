package document

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/document/pdf/pdftest"
)

// readable holds for any file: it is refused, or its sentences can be found, have identities of
// their own and no invisible characters.
func readable(t *testing.T, name string, data []byte) {
	d, err := Read(name, data)
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for _, s := range d.Sentences {
		if seen[s.ID] {
			t.Errorf("%s stands twice", s.ID)
		}
		seen[s.ID] = true
		if s.Text == "" || strings.Join(strings.Fields(s.Text), " ") != s.Text || strings.ContainsAny(s.Text, "\u200B\u202E") {
			t.Errorf("not clean: %q", s.Text)
		}
		if got, ok := d.Sentence(s.ID); !ok || got.Text != s.Text {
			t.Errorf("%s is %q, found %q", s.ID, s.Text, got.Text)
		}
		if _, ok := d.Find(s.Text); !ok && words(s.Text) != "" {
			t.Errorf("not found: %q", s.Text)
		}
	}
}

func fuzzFormat(f *testing.F, name string, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readable(t, name, data) })
}

func FuzzReadMarkdown(f *testing.F) {
	fuzzFormat(f, "policy.md", policy, "a\n===\n\n[//]: # (x)\n\n<div hidden>\n\n* b\n  1. c\n\n~~d~~ `e`\n\n```\nf\n```\n", "| a |\n|--|\n| <!-- b --> |\n> - > c\n")
}

func FuzzReadText(f *testing.F) {
	fuzzFormat(f, "policy.txt", policy, "TITLE\n\n1. One\n\n1.1 Two\n\n(a) b\n\to c:\n\n    d\n", "\xFE\xFF\x00a", "e.g. a... B? “c.” (D. E.) No. 5")
}

func FuzzReadHTML(f *testing.F) {
	fuzzFormat(f, "policy.html", "<h1>a</h1><ul><li>b<ol><li>c</ol></ul><table><tr><th>d<tr><td>e<td hidden>f</table>",
		`<style>.a, b > #c { display:none; color: #fff }</style><p class=a style="font:0px x;background:rgb(1 2 3 / 50%)">x<!--y--><template>z`, "<meta charset=utf-16><plaintext><svg><title>x")
}

func FuzzReadDOCX(f *testing.F) {
	for _, seed := range []string{para("H1", "a") + para("LB", "b", formatted("<w:vanish/>", "c")), "<w:tbl><w:tr><w:tc>" + para("", "a") + "</w:tc><w:tc/></w:tr></w:tbl>",
		`<w:p><w:pPr><w:numPr><w:ilvl w:val="99999"/><w:numId w:val="1"/></w:numPr></w:pPr><w:del><w:r><w:delText>a</w:delText></w:r></w:del></w:p>`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		readable(t, "policy.docx", data)
		readable(t, "policy.docx", []byte(wordFile(t, string(data))))
	})
}

func FuzzReadPDF(f *testing.F) {
	f.Add([]byte(column(72, 700, "Some text.", "- more")))
	f.Add([]byte("q 1 0 0 1 5 5 cm /F2 9 Tf BT 72 700 Td [(a) -300 <62>] TJ T* (c) ' ET Q 1 g 0 0 9 9 re W* f BI /W 1 ID x EI /Form Do"))
	f.Add([]byte(printed("BT /F3 10 Tf (\\001\\002) Tj ET")))
	f.Fuzz(func(t *testing.T, data []byte) {
		readable(t, "policy.pdf", data)
		readable(t, "policy.pdf", []byte(printed(string(data))))
		readable(t, "policy.pdf", pdftest.File("/Font << /F1 7 0 R >>", []string{string(data)}, "BT /F1 10 Tf 72 700 Td (abc) Tj ET"))
	})
}

// FuzzFind holds a quotation from others to what is found of it.
func FuzzFind(f *testing.F) {
	f.Add("They take a week.", "take a")
	f.Add("a… b", "...")
	f.Fuzz(func(t *testing.T, text, quotation string) {
		d, err := Read("policy.txt", []byte(text))
		if err != nil {
			return
		}
		if got, ok := d.Find(quotation); ok && words(got.Text) != words(quotation) {
			t.Errorf("%q was found as %q", quotation, got.Text)
		}
	})
}

// book is a policy of about so many pages, as paragraphs of a heading each.
func book(pages int) []string {
	var out []string
	for i := range pages * 6 {
		out = append(out, strings.Repeat("The agent must check the order of the customer before it refunds anything, and no more than $100 a day. ", 4)+strings.Repeat("x", i%7+1)+".")
	}
	return out
}

func BenchmarkRead300Pages(b *testing.B) {
	paragraphs := book(300)
	var pages []string
	for i := 0; i < len(paragraphs); i += 6 {
		var page strings.Builder
		for j, p := range paragraphs[i : i+6] {
			var lines []string
			for len(p) > 0 {
				n := min(len(p), 90)
				lines = append(lines, p[:n])
				p = p[n:]
			}
			page.WriteString(column(72, 720-float64(j)*100, lines...))
		}
		pages = append(pages, page.String())
	}
	var body strings.Builder
	for _, p := range paragraphs {
		body.WriteString(para("", p))
	}
	for name, text := range map[string]string{
		"policy.md":   "# Policy\n\n" + strings.Join(paragraphs, "\n\n"),
		"policy.txt":  strings.Join(paragraphs, "\n\n"),
		"policy.html": "<p>" + strings.Join(paragraphs, "<p>"),
		"policy.docx": wordFile(b, body.String()),
		"policy.pdf":  printed(pages...),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if d := read(b, name, text); len(d.Sentences) < 300*6*4 {
					b.Fatalf("%d sentences", len(d.Sentences))
				}
			}
		})
	}
}
