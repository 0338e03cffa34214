package compiler_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/compiler"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// airlineAbout has the words by which the reader finds a sentence to be about a
// tool of the airline.
var airlineAbout = map[string][]string{
	"book_reservation":              {"at most five passengers", "travel certificate", "checked bag for each", "first name"},
	"cancel_reservation":            {"reason for cancellation", "hours of booking", "business flights can always", "not flown"},
	"send_certificate":              {"as a gesture", "proactively", "Do not compensate"},
	"update_reservation_baggages":   {"remove checked bags", "checked bag for each", "extra baggage"},
	"update_reservation_flights":    {"Basic economy flights cannot", "origin, destination, and trip type", "change cabin"},
	"update_reservation_passengers": {"number of passengers. ", "can modify passengers"},
}

// TestOneSentenceOfTheAirlineIsAllThatIsAskedAbout changes one sentence of a real
// document, and counts.
func TestOneSentenceOfTheAirlineIsAllThatIsAskedAbout(t *testing.T) {
	root := os.Getenv("REMIT_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	data := filepath.Join(root, "airline")
	text, err := os.ReadFile(filepath.Join(data, "wiki.md"))
	if err != nil {
		t.Skipf("no data at %s: set REMIT_DATA to the directory that holds the data sets", data)
	}
	tools, err := os.ReadFile(filepath.Join(data, "tools.openai.json"))
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := schema.Parse("airline.json", tools)
	if err != nil {
		t.Fatal(err)
	}
	s := newShop(t)
	s.model.about = airlineAbout
	compile := func(text string) {
		t.Helper()
		s.model.forget()
		doc, err := document.Read("wiki.md", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		d := s.read()
		in := compiler.Input{Document: doc, Deployment: guard.Deployment{Tools: []*schema.Catalogue{catalogue}}}
		in.Deployment.Contracts = append(in.Deployment.Contracts, synth.Contract(catalogue))
		if failures := s.compiler().Map(t.Context(), in, d); failures != nil {
			t.Fatal(failures)
		}
		if err := d.Write(); err != nil {
			t.Fatal(err)
		}
	}
	compile(string(text))
	if questions := len(s.model.subjects); questions < 6*len(airlineAbout) {
		t.Fatalf("the whole document took %d questions only", questions)
	}
	before := s.read().Lock
	for _, c := range []struct {
		name, old, new string
		tools          []string
	}{
		{"of one tool", "within 24 hours of booking", "within 36 hours of booking", []string{"cancel_reservation"}},
		{"of two tools", "0 free checked bag for each basic economy passenger, 1 free", "1 free checked bag for each basic economy passenger, 1 free", []string{"book_reservation", "update_reservation_baggages"}},
		{"of none", "The refund will go to original payment methods in 5 to 7", "The refund will go to original payment methods in 3 to 7", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(string(text), c.old) {
				t.Fatalf("the document doesn't say %q", c.old)
			}
			compile(strings.Replace(string(text), c.old, c.new, 1))
			// Each tool is asked about in six stages: one question each, since a
			// single policy is redone.
			want := []string{}
			for _, tool := range c.tools {
				for _, stage := range []string{"find", "refine", "review", "ground", "examples", "reflect"} {
					want = append(want, stage+": "+tool)
				}
			}
			if len(c.tools) > 1 { // which could share what the sentence asks
				want = append(want, "share: several tools")
			}
			got := slices.DeleteFunc(slices.Clone(s.model.subjects), func(s string) bool { return strings.HasPrefix(s, "route: ") })
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || s.model.asked["route"] != 1 {
				t.Errorf("asked %d times to route, and %q; want %q", s.model.asked["route"], got, want)
			}
			changed := 0
			for key, items := range s.read().Lock.Policies {
				for name, item := range items {
					if had, ok := before.Policies[key][name]; !ok || !maps.Equal(had.Fields, item.Fields) {
						changed++
						if !slices.Contains(c.tools, key) {
							t.Errorf("%s of %s is another one", name, key)
						}
					}
				}
			}
			if changed != len(c.tools) {
				t.Errorf("%d policies changed, of %d tools", changed, len(c.tools))
			}
			compile(string(text)) // back, for the next
		})
	}
	if _, ok := before.Policies[policydoc.EveryTool]; ok {
		t.Error("the reader found policies for every tool, and none of the words is about that")
	}
}
