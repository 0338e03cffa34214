package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/inputs"
)

type policySentencesCommand struct {
	File string `arg:"" name:"file" help:"A policy document: Markdown, PDF, DOCX, HTML or plain text, by the ending of its name."`
	JSON bool   `help:"Print the sentences and suspicions as JSON."`
}

// Help is shown below the flags.
func (policySentencesCommand) Help() string {
	return `Lists the sentences of a policy document as Remit reads it, under what they stand under, with their identities and places; then what is hidden in the document, and what speaks to who processes it.

Example:
  remit policy sentences policy.pdf`
}

// policyDocument is the JSON form of a document.
type policyDocument struct {
	Name       string            `json:"name"`
	Digest     string            `json:"digest"`
	Format     document.Format   `json:"format"`
	Sentences  []policySentence  `json:"sentences"`
	Suspicions []policySuspicion `json:"suspicions"`
}

type policySentence struct {
	ID    string        `json:"id"`
	Kind  document.Kind `json:"kind"`
	Text  string        `json:"text"`
	Path  []string      `json:"path,omitempty"`
	Place string        `json:"place,omitempty"`
	Block int           `json:"block"`
}

type policySuspicion struct {
	Kind     document.SuspicionKind `json:"kind"`
	Text     string                 `json:"text"`
	Place    string                 `json:"place,omitempty"`
	Sentence string                 `json:"sentence,omitempty"`
	Why      string                 `json:"why"`
}

// Run lists the sentences.
func (c *policySentencesCommand) Run(s *command.Streams) error {
	data, err := inputs.ReadAs(c.File, "a policy document in it")
	if err != nil {
		return err
	}
	d, err := document.Read(c.File, data)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(s.Out, documentOf(d))
	}
	printSentences(s, d)
	printSuspicions(s, d)
	return nil
}

func documentOf(d *document.Document) policyDocument {
	out := policyDocument{Name: d.Name, Digest: d.Digest, Format: d.Format, Sentences: []policySentence{}, Suspicions: []policySuspicion{}}
	for _, t := range d.Sentences {
		out.Sentences = append(out.Sentences, policySentence{t.ID, t.Kind, t.Text, t.Path, t.Place.String(), t.Block})
	}
	for _, t := range d.Suspicions {
		out.Suspicions = append(out.Suspicions, policySuspicion{t.Kind, t.Text, t.Place.String(), t.Sentence, t.Why})
	}
	return out
}

// printSentences writes each sentence under its headings and lead-ins, which are written once for
// adjacent sentences.
func printSentences(s *command.Streams, d *document.Document) {
	p := newPrinter(s)
	var above []string
	for _, t := range d.Sentences {
		under := t.Path
		if t.Kind == document.Heading {
			under = append(slices.Clone(t.Path), t.Text)
		}
		if !slices.Equal(above, under) {
			above = under
			p.para(0, "", p.Bold(display.Line(strings.Join(above, " › "))))
		}
		p.line(2, p.Dim(fmt.Sprintf("%s  %s, %s", t.ID, t.Kind, t.Place)))
		if t.Kind != document.Heading {
			p.para(4, "", display.Line(t.Text))
		}
	}
	p.line(0, fmt.Sprintf("%s in %s", display.Count(len(d.Sentences), "sentence", "sentences"), display.Name(d.Name)))
}

// printSuspicions writes what a person should look at.
func printSuspicions(s *command.Streams, d *document.Document) {
	p := newPrinter(s)
	for _, t := range d.Suspicions {
		where := t.Place.String()
		if t.Sentence != "" {
			where = strings.TrimPrefix(where+", "+t.Sentence, ", ")
		}
		p.line(0, fmt.Sprintf("%s %s: %s", p.Warn(string(t.Kind)+":"), where, t.Why))
		p.para(4, "", display.Line(t.Text))
	}
}
