package document

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wordFile makes a Word document of its body and further parts, by name and text.
func wordFile(t testing.TB, body string, parts ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	const wrap = `xmlns:w="` + wordNamespace + `" xmlns:mc="` + compatible + `"`
	all := append([]string{
		"word/document.xml", "<w:document " + wrap + "><w:body>" + body + "</w:body></w:document>",
		"word/styles.xml", "<w:styles " + wrap + `>
<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="LB"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="LB2"><w:name w:val="List Bullet 2"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style>
<w:style w:type="character" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>
</w:styles>`}, parts...)
	for i := 0; i < len(all); i += 2 {
		part, err := w.Create(all[i])
		if err != nil {
			t.Fatal(err)
		}
		text := all[i+1]
		if i >= 4 {
			text = strings.Replace(text, ">", " "+wrap+">", 1)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// para is a paragraph in a style; what is in angle brackets is markup.
func para(style string, runs ...string) string {
	out := "<w:p>"
	if style != "" {
		out += `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	for _, run := range runs {
		if !strings.HasPrefix(run, "<") {
			run = "<w:r><w:t>" + run + "</w:t></w:r>"
		}
		out += run
	}
	return out + "</w:p>"
}

func formatted(format, text string) string {
	return "<w:r><w:rPr>" + format + "</w:rPr><w:t>" + text + "</w:t></w:r>"
}

func TestWordDocument(t *testing.T) {
	cell := func(text string) string { return "<w:tc>" + para("", text) + "</w:tc>" }
	d := read(t, "policy.docx", wordFile(t,
		para("H1", "Refunds")+
			para("", "Refunds are ", "paid. They take a ", "<w:r><w:tab/></w:r>", "week:")+
			para("LB", "Cash is paid.")+
			para("LB2", "At once.")+
			`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Cards later.</w:t></w:r></w:p>`+
			para("H2", "Fees")+
			`<w:tbl><w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr><w:tr>`+cell("Fare")+cell("Fee")+"</w:tr><w:tr>"+cell("Flex")+cell("none")+"</w:tr></w:tbl>"+
			"<w:tbl><w:tr>"+cell("A frame. It has two.")+"</w:tr></w:tbl>"+
			para("", "An ", "<w:ins>"+"<w:r><w:t>inserted</w:t></w:r></w:ins>", "<w:hyperlink><w:r><w:t> link</w:t></w:r></w:hyperlink>", "."),
		"word/footnotes.xml", `<w:footnotes><w:footnote w:type="separator"><w:p><w:r><w:t>-</w:t></w:r></w:p></w:footnote><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
	))
	diff(t, d, `
heading 1 | Refunds
paragraph 2 | Refunds are paid. < Refunds
paragraph 2 | They take a week: < Refunds
item 3 | Cash is paid. < Refunds < They take a week:
item 4 | At once. < Refunds < They take a week: < Cash is paid.
item 5 | Cards later. < Refunds < They take a week:
heading 6 | Fees < Refunds
row 7 | Fare | Fee < Refunds < Fees
row 9 | Flex | none < Refunds < Fees < Fare | Fee
paragraph 11 | A frame. < Refunds < Fees
paragraph 11 | It has two. < Refunds < Fees
paragraph 12 | An inserted link. < Refunds < Fees
paragraph 13 | A note.
`)
}

func TestWordHides(t *testing.T) {
	for name, test := range map[string]struct{ hidden, why string }{
		"format":            {formatted("<w:vanish/>", "SECRET"), "its format is hidden"},
		"style":             {formatted(`<w:rStyle w:val="Ghost"/>`, "SECRET"), "its format is hidden"},
		"white":             {formatted(`<w:color w:val="FFFFFF"/>`, "SECRET"), "it has the colour of its background"},
		"nearly white":      {formatted(`<w:color w:val="F8F8F8"/>`, "SECRET"), "it has the colour of its background"},
		"black on black":    {formatted(`<w:color w:val="000000"/><w:highlight w:val="black"/>`, "SECRET"), "it has the colour of its background"},
		"tiny":              {formatted(`<w:sz w:val="2"/>`, "SECRET"), "its letters are too small to read"},
		"struck out":        {formatted("<w:strike/>", "SECRET"), "it is struck out"},
		"deleted":           {"<w:del><w:r><w:delText>SECRET</w:delText></w:r></w:del>", "its deletion was tracked"},
		"moved elsewhere":   {"<w:moveFrom><w:r><w:t>SECRET</w:t></w:r></w:moveFrom>", "its deletion was tracked"},
		"format of a frame": {"<mc:AlternateContent><mc:Choice>" + formatted("<w:vanish/>", "SECRET") + "</mc:Choice></mc:AlternateContent>", "its format is hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, "policy.docx", wordFile(t, para("", "Seen ", test.hidden, " text.")))
			if got := texts(d.Sentences); !cmp.Equal(got, []string{"Seen text."}) {
				t.Errorf("sentences: %q", got)
			}
			want := []Suspicion{{Kind: Hidden, Text: "SECRET", Place: Place{Paragraph: 1}, Why: test.why}}
			if diff := cmp.Diff(want, d.Suspicions); diff != "" {
				t.Errorf("suspicions (-want +got):\n%s", diff)
			}
		})
	}
	for name, shown := range map[string]string{
		"white on black":       formatted(`<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>`, "shown"),
		"hidden turned off":    formatted(`<w:rStyle w:val="Ghost"/><w:vanish w:val="0"/>`, "shown"),
		"text box":             `<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>shown</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>`,
		"older programs' form": `<mc:AlternateContent><mc:Choice><w:r><w:t>shown</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>again</w:t></w:r></mc:Fallback></mc:AlternateContent>`,
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, "policy.docx", wordFile(t, para("", shown)))
			if got := texts(d.Sentences); !cmp.Equal(got, []string{"shown"}) || len(d.Suspicions) > 0 {
				t.Errorf("sentences: %q, suspicions: %v", got, d.Suspicions)
			}
		})
	}
	d := read(t, "policy.docx", wordFile(t, para("", "Seen."), "word/comments.xml", "<w:comments><w:comment>"+para("", "SECRET")+"</w:comment></w:comments>"))
	if len(d.Sentences) != 1 || len(d.Suspicions) != 1 || d.Suspicions[0].Why != "it is a comment" {
		t.Errorf("sentences: %q, suspicions: %v", texts(d.Sentences), d.Suspicions)
	}
}

func TestWordRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no archive":         {"PK", "it isn't a Word document"},
		"foreign parts":      {wordFile(t, "<w:altChunk/>"), "open it in Word and save it again"},
		"the same twice":     {wordFile(t, "", "word/document.xml", "<a></a>"), "two parts word/document.xml"},
		"deep nesting":       {wordFile(t, strings.Repeat("<w:sdt>", 300)+strings.Repeat("</w:sdt>", 300)), "nested deeper"},
		"unpacks for ever":   {wordFile(t, strings.Repeat(" ", 40<<20)), "unpacks to more"},
		"not well-formed":    {wordFile(t, "<w:p>"), "syntax error"},
		"entities of others": {wordFile(t, "<w:p>&x;</w:p>"), "entity"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("policy.docx", []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
