package planner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/scope"
)

// The parts that tests look at.
var (
	Teach  = teach
	Schema = answerSchema
)

// Taught returns the requests that models are taught with, and their answers.
func Taught() (requests []*scope.Request, answers [][]byte, err error) {
	all, err := readExamples()
	for i := range all {
		requests = append(requests, &all[i].Request)
		answers = append(answers, all[i].Answer)
	}
	return requests, answers, err
}

// Read reads an answer to a request.
func Read(r *scope.Request, answer []byte) (data []byte, mistakes []string, err error) {
	s, err := show(r)
	if err != nil {
		return nil, nil, err
	}
	read, err := s.read(answer)
	if err != nil {
		return nil, nil, err
	}
	return read.scope, read.mistakes, nil
}

// Show returns what a model is shown of a request, and what was left out.
func Show(r *scope.Request) (prompt string, notes []string, err error) {
	s, err := show(r)
	if err != nil {
		return "", nil, err
	}
	return s.list + s.talk, s.notes, nil
}

// Waiting returns the entries of an answer that don't hold a condition of the user's, as they are
// written.
func Waiting(r *scope.Request, answer []byte) ([]string, error) {
	s, err := show(r)
	if err != nil {
		return nil, err
	}
	read, err := s.read(answer)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range read.answer.Calls {
		if e := &read.answer.Calls[i]; read.unheld[e] != nil {
			out = append(out, fmt.Sprintf("%s %+v", e.Call, statedIn(read.answer.chain(e))))
		}
	}
	return out, nil
}

// Entry is an entry of the table of marks.
type Entry struct {
	// Example is a text for which it matters.
	Example   string
	row, item int
}

// Marks returns the entries of the table.
func Marks(t testing.TB) []Entry {
	rows, err := markRows(conditionsText)
	if err != nil {
		t.Fatal(err)
	}
	var out []Entry
	for i, r := range rows {
		among := strings.Join(r.in.among[:min(len(r.in.among), 1)], " ")
		for j, item := range r.items {
			example := "Qq " + among + " " + item + " xx yy."
			switch r.kind {
			case "person":
				example = "If Bo " + item + " close the open one."
			case "asking":
				example = "Qq " + strings.TrimPrefix(item, "=") + " if xx yy."
			case "telling":
				example = "Qq " + strings.TrimPrefix(item, "=") + " when xx yy."
			case "so":
				example = "Qq xx? " + item + " yy."
			case "join":
				example = "Qq if xx yy " + item + " if zz."
			case "within", "perhapswithin", "not", "notwithin":
				_, example, _ = strings.Cut(item, " => ")
			}
			out = append(out, Entry{example, i, j})
		}
	}
	return out
}

// String returns the entry as it is written.
func (e Entry) String() string {
	rows, _ := markRows(conditionsText)
	return rows[e.row].kind + " " + rows[e.row].items[e.item]
}

// In says what the table finds in the example, without an entry if one is given.
func (e Entry) In(without *Entry) string {
	m := builtin()
	if without != nil {
		rows, _ := markRows(conditionsText)
		items := rows[without.row].items
		rows[without.row].items = slices.Delete(slices.Clone(items), without.item, without.item+1)
		var err error
		if m, err = newMarks(rows); err != nil {
			return err.Error()
		}
	}
	var s spoken
	s.hear(m, e.Example)
	var out []string
	for _, c := range s.clauses {
		out = append(out, fmt.Sprintf("%s %v %v", c.text, c.perhaps, slices.ContainsFunc(c.words, m.isPersonal)))
	}
	return strings.Join(out, "; ")
}

// ConditionsOf returns the conditions of a message.
func ConditionsOf(text string) []string {
	var s spoken
	s.hear(builtin(), text)
	var out []string
	for _, c := range s.clauses {
		out = append(out, c.text)
	}
	return out
}

// NumbersOf returns the numbers that a text says.
func NumbersOf(text string) []float64 { return numbersIn(plainWords(text)) }

// NamingSchema is that of what names mean.
var NamingSchema = namingSchema
