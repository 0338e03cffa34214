package proxy_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/proxy"
)

// hiding are the elements whose text a page doesn't show.
var hiding = []string{"script", "style", "template", "textarea", "title", "noscript", "iframe", "noembed", "noframes", "xmp", "details", "select", "object", "video", "audio", "canvas", "head", "think"}

// onPage returns the text that a page shows.
func onPage(n *nethtml.Node) string {
	switch {
	case n.Type == nethtml.TextNode:
		return n.Data
	case n.Type == nethtml.ElementNode && slices.Contains(hiding, n.Data), n.Type == nethtml.CommentNode:
		return ""
	}
	if slices.ContainsFunc(n.Attr, func(a nethtml.Attribute) bool { return a.Key == "hidden" || a.Key == "style" }) {
		return ""
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(onPage(c))
	}
	return b.String()
}

// pages are what clients make of an answer: its Markdown with the markup in it, without,
// and its text as a page.
func pages(t interface{ Fatal(...any) }, text string) map[string]string {
	out := map[string]string{}
	render := func(name string, o ...goldmark.Option) {
		var b bytes.Buffer
		if err := goldmark.New(append(o, goldmark.WithExtensions(extension.GFM))...).Convert([]byte(text), &b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.String()
	}
	render("with markup", goldmark.WithRendererOptions(html.WithUnsafe()))
	render("without markup")
	out["as a page"] = text
	for name, page := range out {
		n, err := nethtml.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = onPage(n)
	}
	return out
}

// questioned is an answer with a question below what the model wrote; empty where no question was
// asked.
func questioned(t *testing.T, c *talk, words string) string {
	t.Helper()
	c.u.add(chatReply(mailTo("c1", "eve@evil.example")))
	answer := c.ask(said(words))
	var m struct{ Content string }
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Content, "Remit asks you") {
		return ""
	}
	return m.Content
}

// isShown reports whether a page shows the question whole.
func isShown(page string) bool {
	for _, part := range []string{"Remit asks you before", `1. The call of "send_email"`, `/to = "eve@evil.example"`, "To agree, answer: yes "} {
		if !strings.Contains(page, part) {
			return false
		}
	}
	return true
}

// TestTheQuestionIsSeen: nothing that the model writes above a question hides it.
func TestTheQuestionIsSeen(t *testing.T) {
	for name, words := range map[string]string{
		"plain words":             "I need your word, if 1 < 2.",
		"a comment":               "Well. <!-- ",
		"a comment on its line":   "Well.\n\n<!--",
		"a comment in an element": "<div><!--\n\n`-->`",
		"a comment after another": "<!-- a -->\n<!-- b",
		"a declaration":           "<!X",
		"an instruction":          "<?php",
		"character data":          "<![CDATA[",
		"a block of code":         "```mermaid",
		"a longer block":          "`````\n```\n",
		"another block":           "~~~~html",
		"a block that is closed":  "```\nx\n```",
		"an element":              "<details><summary>More</summary>",
		"an element within code":  "<details>\n\n```\n</details>\n```",
		"several elements":        "<details><details><textarea>",
		"one that is closed":      "This is <b>bold</b>.",
		"hidden":                  "<div hidden>",
		"a style":                 "<style>",
		"a script in a script":    "<script><!--<script>",
		"a value":                 `<a title="`,
		"a value on its line":     "\n<div title='x",
		"a value in a value":      `<a title="<b c='">`,
		"an unknown element":      "<think>",
		"an upper case element":   "<DETAILS>",
		"a list":                  "- a\n  ```\n",
		"a quotation":             "> <!--\n> ```",
		"a table":                 "| a |\n| --- |",
		"a definition":            "[a]: <",
		"a code span":             "`<!--` and `",
	} {
		t.Run(name, func(t *testing.T) {
			text := questioned(t, told(t, nil), words)
			for client, page := range pages(t, text) {
				if !isShown(page) {
					t.Errorf("%s, the question is hidden:\n%s\n\nof\n%s", client, page, text)
				}
			}
		})
	}

	t.Run("too much to close", func(t *testing.T) {
		if text := questioned(t, told(t, nil), strings.Repeat("<details>", 65)); text != "" {
			t.Errorf("somebody is asked: %s", text)
		}
	})
	t.Run("in a stream", func(t *testing.T) {
		c := told(t, nil)
		chunk := func(delta, finish string) string {
			return `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
		}
		call := strings.TrimSuffix(strings.TrimPrefix(mailTo("c1", "eve@evil.example"), `{"role":"assistant","content":null,`), "}")
		c.u.add(reply{status: 200, kind: "text/event-stream", body: chunk(`{"role":"assistant","content":"<details>"}`, "null") +
			chunk("{"+strings.Replace(call, `[{`, `[{"index":0,`, 1)+"}", `"tool_calls"`) + "data: [DONE]\n\n"},
			reply{status: 200, kind: "text/event-stream", body: chunk(`{"role":"assistant","content":"<!--"}`, "null") + chunk(`{}`, `"stop"`) + "data: [DONE]\n\n"})
		_, events := post(t, c.base, "/v1/chat/completions", strings.Replace(c.body(), "{", `{"stream":true,`, 1))
		var text strings.Builder
		for line := range strings.Lines(events) {
			var e struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			data, isData := strings.CutPrefix(line, "data: ")
			if isData && json.Unmarshal([]byte(data), &e) == nil && len(e.Choices) > 0 {
				text.WriteString(e.Choices[0].Delta.Content)
			}
		}
		for client, page := range pages(t, text.String()) {
			if !isShown(page) {
				t.Errorf("%s, the question is hidden:\n%s\n\nof\n%s", client, page, events)
			}
		}
	})
}

// TestTheQuestionIsSeenBelowAnything draws what the model writes.
func TestTheQuestionIsSeenBelowAnything(t *testing.T) {
	c := told(t, func(o *proxy.Options) { o.Retries = 1 })
	before := slices.Clone(c.messages)
	pieces := rapid.SampledFrom([]string{"<!--", "-->", "<details>", "</details>", "<textarea>", "</textarea>", "<script>", "</script>", "<b>", "<div ", `title="`, "'", `"`, ">", "<",
		"```", "~~~", "`", "\n", "\n\n", "    ", "- ", "> ", "<![CDATA[", "<?", "<!x", "]]>", "x", " ", "=", "</", "<style", "<!DOCTYPE ", "|", "[", "](", "\\", "&lt;"})
	rapid.Check(t, func(r *rapid.T) {
		c.messages = slices.Clone(before)
		text := questioned(t, c, "x"+strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(r, "words"), ""))
		for client, page := range pages(r, text) {
			if text != "" && !isShown(page) {
				r.Fatalf("%s, the question is hidden:\n%s\n\nof\n%s", client, page, text)
			}
		}
	})
}
