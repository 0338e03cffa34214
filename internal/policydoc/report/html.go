package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
)

//go:embed page.html page.css page.js
var pageFiles embed.FS

// page is what the template shows: the report, and what is only about the page.
type page struct {
	*Report
	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash template.HTMLAttr
}

// HTML writes the report as one page that loads nothing. It can be read, searched
// and printed without its script, which only filters.
func (r *Report) HTML(w io.Writer) error {
	style, err := pageFiles.ReadFile("page.css")
	if err != nil {
		return err
	}
	script, err := pageFiles.ReadFile("page.js")
	if err != nil {
		return err
	}

	t, err := template.New("page.html").Funcs(template.FuncMap{
		"line": display.Line, "lines": display.Block,
		"plus": func(a, b int) int { return a + b },
		"mark": State.Mark, "label": State.Label, "class": Block.Class, "toolName": Tool.Name, "failing": (*Rule).Failing,
		"covered": Counts.Covered, "checked": Counts.Checked, "rows": (*Report).Rows, "blocks": (*Report).Blocks,
		"groups": (*Report).QuestionGroups, "uncovered": (*Report).Uncovered,
		"tools":  r.anchors,
		"within": func(t Tool, i *Policy) policyWithin { return policyWithin{i, &t} },
	}).ParseFS(pageFiles, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, page{r, template.CSS(style), template.JS(script), hashSource(style), hashSource(script)})
}

// hashSource names a style or script in the page's content security policy.
func hashSource(text []byte) template.HTMLAttr {
	sum := sha256.Sum256(text)
	return template.HTMLAttr("sha256-" + base64.StdEncoding.EncodeToString(sum[:]))
}

// policyWithin is a policy with its tool.
type policyWithin struct {
	*Policy
	Within *Tool
}

// Name returns the tool's key, or that the policies are for every tool.
func (t Tool) Name() string {
	if server, ok := strings.CutSuffix(t.Key, "/"+policydoc.EveryTool); ok {
		return "every tool of " + display.Line(server)
	}
	if t.Key == policydoc.EveryTool {
		return "every tool"
	}
	return display.Line(t.Key)
}

// Row is what became of how many sentences and policies.
type Row struct {
	State               State
	Sentences, Policies int
}

// Rows count the sentences and policies by what became of them.
func (r *Report) Rows() []Row {
	var out []Row
	for _, s := range States() {
		out = append(out, Row{s, r.Counts.ByState[s], r.Counts.PoliciesByState[s]})
	}
	return out
}

// Uncovered returns the sentences that no policy refers to.
func (r *Report) Uncovered() []Sentence {
	var out []Sentence
	for _, s := range r.Sentences {
		if s.State == Unmapped {
			out = append(out, s)
		}
	}
	return out
}

// Block are sentences of one paragraph, policy, row or heading.
type Block struct {
	Kind      document.Kind
	Sentences []Sentence
}

// Class says how the block is shown.
func (b Block) Class() string {
	switch b.Kind {
	case document.Heading:
		return "heading"
	case document.Paragraph:
		return ""
	}
	return "item-block"
}

// Blocks returns the sentences of the document by paragraphs.
func (r *Report) Blocks() []Block {
	var out []Block
	for i, s := range r.Sentences {
		if i == 0 || s.Block != r.Sentences[i-1].Block {
			out = append(out, Block{Kind: s.Kind})
		}
		last := &out[len(out)-1]
		last.Sentences = append(last.Sentences, s)
	}
	return out
}

// anchors returns the places of the tools whose policies refer to a sentence.
func (r *Report) anchors(refs []PolicyRef) string {
	var out []string
	for _, t := range r.Tools {
		for _, i := range refs {
			if i.Tool == t.Key {
				out = append(out, t.Anchor)
				break
			}
		}
	}
	return strings.Join(out, " ")
}
