package document

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxRun is how many bytes of Markdown may follow each other without an empty
	// line. Within such a run marks nest in each other, and each level costs the
	// parser time and stack.
	maxRun = 128 << 10
	// maxMarks is how many marks of quotes and lists a line may begin with, for the
	// same reason.
	maxMarks = 100
	// maxMarkdown is how large a document in Markdown may be: some runs take the
	// parser a second.
	maxMarkdown = 16 << 20
	// maxLinkWork is how many bytes the parser may look at for the ends of links:
	// for each it may look through the whole run.
	maxLinkWork = 500_000_000
)

// readMarkdown reads Markdown as the page that it is a way of writing: what HTML
// hides, HTML in Markdown hides too.
func readMarkdown(b *builder, data []byte) error {
	source, err := decode(data)
	if err != nil {
		return err
	}

	src := []byte(source)
	if err := nests(src); err != nil {
		return err
	}

	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))))
	root := md.Parser().Parse(text.NewReader(src))
	n := lineNumbering{builder: b, attribute: []byte(lineAttribute(b.doc)), source: src}
	n.number(root)

	var page bytes.Buffer
	if err := md.Renderer().Render(&page, src, root); err != nil {
		return err
	}

	if page.Len() > maxNumbered {
		return errTags
	}
	return readPage(b, page.Bytes(), string(n.attribute))
}

// nests refuses what nests deeper than people write.
func nests(src []byte) error {
	if len(src) > maxMarkdown {
		return fmt.Errorf("documents in Markdown of more than %d MiB aren't read: split it", maxMarkdown>>20)
	}

	run, links, work, number := 0, 0, 0, 0
	for line := range bytes.SplitSeq(src, []byte("\n")) {
		number++
		body := bytes.TrimLeft(line, " \t>-+*0123456789.)")
		marks := len(bytes.Fields(bytes.ReplaceAll(line[:len(line)-len(body)], []byte(">"), []byte("> "))))
		if marks > maxMarks {
			return fmt.Errorf("line %d: it begins with more than %d marks of quotes and lists", number, maxMarks)
		}

		run, links = run+len(line)+1, links+bytes.Count(line, []byte("]("))
		if len(bytes.TrimSpace(line)) == 0 {
			work += run * links
			run, links = 0, 0
		}

		if work+run*links > maxLinkWork {
			return fmt.Errorf("line %d: more links without an empty line than a text has: divide it", number)
		}
		if run > maxRun {
			return fmt.Errorf("line %d: more than %d KiB without an empty line: divide it", number, maxRun>>10)
		}
	}

	return nil
}

// lineNumbering writes into the elements of a page the lines of the source, and
// reports what isn't rendered.
type lineNumbering struct {
	*builder
	attribute []byte
	source    []byte
}

func (n *lineNumbering) number(root ast.Node) {
	var breaks []int
	for i, c := range n.source {
		if c == '\n' {
			breaks = append(breaks, i)
		}
	}

	line := func(offset int) int {
		at, _ := slices.BinarySearch(breaks, offset)
		return at + 1
	}

	used := map[string]bool{}
	var definitions []*ast.LinkReferenceDefinition
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}

		switch node := node.(type) {
		case *ast.LinkReferenceDefinition:
			definitions = append(definitions, node)
		case *ast.Link:
			n.uses(used, node.Reference)
		case *ast.Image:
			n.uses(used, node.Reference)
		}

		if node.Type() == ast.TypeBlock {
			if at := offset(node); at >= 0 {
				node.SetAttribute(n.attribute, []byte(strconv.Itoa(line(at))))
			}
		}
		return ast.WalkContinue, nil
	})

	for _, d := range definitions {
		if !used[util.ToLinkReference(d.Label)] {
			what := fmt.Sprintf("%s %s %s", d.Label, d.Destination, d.Title)
			n.suspect("it defines a link that nothing refers to, which shows nowhere", piece{what, Place{Line: line(max(offset(d), 0))}})
		}
	}
}

func (n *lineNumbering) uses(used map[string]bool, r *ast.ReferenceLink) {
	if r != nil {
		used[util.ToLinkReference(r.Value)] = true
	}
}

// offset returns where the text of a block begins in the source, -1 if that isn't
// known.
func offset(n ast.Node) int {
	for ; n != nil && n.Type() == ast.TypeBlock; n = n.FirstChild() {
		if lines := n.Lines(); lines != nil && lines.Len() > 0 {
			return lines.At(0).Start
		}
		if at := n.Pos(); at >= 0 {
			return at
		}
	}
	return -1
}

// codeRenderer renders code with the attributes of its block, which goldmark leaves
// out.
type codeRenderer struct{}

// RegisterFuncs makes it the renderer of code.
func (c codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeBlock, c.render)
	r.Register(ast.KindFencedCodeBlock, c.render)
}

func (codeRenderer) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<pre")
		html.RenderAttributes(w, n, nil)
		_, _ = w.WriteString(">\n")
		_, _ = w.Write(util.EscapeHTML(n.Lines().Value(source)))
		_, _ = w.WriteString("</pre>\n")
	}
	return ast.WalkContinue, nil
}
