package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPage(t *testing.T) {
	d := read(t, "policy.html", `<!doctype html>
<html><head><title>Not text</title><style>p { color: #333 }</style></head>
<body>
<h1>Refunds
<small>and fees</small></h1>
<p>Refunds are <b>paid</b>.
They take a week:
<ul><li>Cash is paid.<p>At once.</p></li>
<li>Cards<ol><li>credit</li></ol></li></ul>
<table><thead><tr><th>Fare</th><th>Fee</th></tr></thead>
<tr><td>Flex <p>Plus</p></td><td>none</td></tr></table>
<table><tr><td><h2>Layout</h2>Text of a frame.</td></tr></table>
<dl><dt>Fare</dt><dd>What is paid.</dd></dl>
First line<br>second line.
<script>var x = "not text"</script>
</body></html>`)
	diff(t, d, `
heading 4 | Refunds and fees
paragraph 6 | Refunds are paid. < Refunds and fees
paragraph 7 | They take a week: < Refunds and fees
item 8 | Cash is paid. < Refunds and fees < They take a week:
item 8 | At once. < Refunds and fees < They take a week:
item 9 | Cards < Refunds and fees < They take a week:
item 9 | credit < Refunds and fees < They take a week: < Cards
row 10 | Fare | Fee < Refunds and fees
row 11 | Flex Plus | none < Refunds and fees < Fare | Fee
heading 12 | Layout < Refunds and fees
paragraph 12 | Text of a frame. < Refunds and fees < Layout
item 13 | Fare < Refunds and fees < Layout
item 13 | What is paid. < Refunds and fees < Layout < Fare
paragraph 14 | First line second line. < Refunds and fees < Layout
`)
	if len(d.Suspicions) > 0 {
		t.Errorf("suspicions: %v", d.Suspicions)
	}
}

func TestPageHides(t *testing.T) {
	for name, test := range map[string]struct{ hidden, why string }{
		"comment":              {"<!-- SECRET -->", "it is a comment"},
		"attribute":            {"<span hidden>SECRET</span>", "its element has the attribute hidden"},
		"from screen readers":  {`<span aria-hidden="true">SECRET</span>`, "its element is hidden from screen readers (aria-hidden)"},
		"not displayed":        {`<span style="DISPLAY : none !important">SECRET</span>`, "its style doesn't display it"},
		"deep inside":          {`<span style="display:none"><b><i>SECRET</i></b></span>`, "its style doesn't display it"},
		"invisible":            {`<span style="visibility:hidden">SECRET</span>`, "its style makes it invisible"},
		"transparent":          {`<span style="opacity:0">SECRET</span>`, "it is transparent"},
		"transparent ink":      {`<span style="color: rgba(0, 0, 0, 0)">SECRET</span>`, "it has the colour of its background"},
		"size 0":               {`<span style="font-size:0">SECRET</span>`, "its letters are too small to read"},
		"tiny":                 {`<span style="font: bold 1px/2 serif">SECRET</span>`, "its letters are too small to read"},
		"white":                {`<span style="color:#fff">SECRET</span>`, "it has the colour of its background"},
		"nearly white":         {`<font color="#fafafa">SECRET</font>`, "it has the colour of its background"},
		"black on black":       {`<span style="background:black">SECRET</span>`, "it has the colour of its background"},
		"off the page":         {`<span style="position:absolute; left:-9999px">SECRET</span>`, "its style moves it off the page"},
		"no room":              {`<span style="height:0; overflow:hidden">SECRET</span>`, "its style leaves no room for it"},
		"clipped":              {`<span style="clip: rect(0, 0, 0, 0)">SECRET</span>`, "its style leaves nothing of it"},
		"style sheet, class":   {`<style>.x { display: none }</style><span class="a x">SECRET</span>`, "its style doesn't display it"},
		"style sheet, last of": {`<style>/* a */ @media print { div > #x, b { display: none } }</style><span id="x">SECRET</span>`, "its style doesn't display it"},
		"template":             {`<template>SECRET</template>`, "it is in a template, which isn't shown"},
		"without scripts":      {`<noscript>SECRET</noscript>`, "it is for browsers without scripts alone"},
		"struck out":           {`<s>SECRET</s>`, "it is struck out"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range []string{"policy.html", "policy.md"} {
				d := read(t, format, "Seen "+test.hidden+" text.")
				if got := texts(d.Sentences); !cmp.Equal(got, []string{"Seen text."}) {
					t.Errorf("%s: sentences: %q", format, got)
				}
				want := []Suspicion{{Kind: Hidden, Text: "SECRET", Place: Place{Line: 1}, Why: test.why}}
				if diff := cmp.Diff(want, d.Suspicions); diff != "" {
					t.Errorf("%s: suspicions (-want +got):\n%s", format, diff)
				}
			}
		})
	}
	for name, shown := range map[string]string{
		"white on black":     `<div style="background:#000"><span style="color:white">shown</span></div>`,
		"visible again":      `<div style="visibility:hidden"><span style="visibility:visible">shown</span></div>`,
		"large again":        `<div style="font-size:0"><span style="font-size:12px">shown</span></div>`,
		"other class":        `<style>.x { display: none } .y:hover { display: none }</style><span class="y">shown</span>`,
		"a forged line":      `<span data-line="7">shown</span>`,
		"hidden in scripts":  `<script>if (1 < 2) document.write("<p>SECRET")</script>shown`,
		"collapsible":        `<details><summary>shown</summary></details>`,
		"small but readable": `<small style="font-size:7pt; opacity:.5; color:#777">shown</small>`,
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, "policy.html", shown)
			if got := texts(d.Sentences); !cmp.Equal(got, []string{"shown"}) || len(d.Suspicions) > 0 {
				t.Errorf("sentences: %q, suspicions: %v", got, d.Suspicions)
			}
		})
	}
}
