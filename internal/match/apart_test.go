package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestConditionsOnOneRecord: what speaks against a call is one record of a list, and not what two of
// them have together with an object around the list.
func TestConditionsOnOneRecord(t *testing.T) {
	const overlaps = `{"from":{"before":"2026-03-06","or":["first day"]},"to":{"after":"2026-03-04","or":["last day"]}}`
	source := of("pulls", "id", `{"title":"Mine"}`)
	mine := returned{"pulls", "", `[{"id":7,"title":"Mine"}]`}
	task := func(where, leaves string) loosened {
		return loosened{unless(source, of("leaves", "id", where)), "7", []returned{mine, {"leaves", "", leaves}}, false}
	}
	free := func(where, leaves string) loosened {
		out := task(where, leaves)
		out.want = true
		return out
	}

	const either = `{"author":"Ana","state":"urgent"}`
	loosenings{
		"one before and one after, in an object":  free(overlaps, `{"team":"x","leaves":[{"id":1,"from":"2026-01-02","to":"2026-01-03","days":2},{"id":2,"from":"2026-04-01","to":"2026-04-02","days":2}]}`),
		"one before and one after, with the page": free(overlaps, `{"leaves":[{"id":1,"from":"2026-01-02","to":"2026-01-03"},{"id":2,"from":"2026-04-01","to":"2026-04-02"}],"page":1}`),
		"one that does, in an object":             task(overlaps, `{"team":"x","leaves":[{"id":1,"from":"2026-01-02","to":"2026-01-03"},{"id":2,"from":"2026-03-05","to":"2026-03-05"}]}`),
		"one that says it in its text":            task(overlaps, `{"team":"x","leaves":[{"id":1,"from":"2026-01-02","to":"2026-01-03","note":"x"},{"id":2,"from":"2026-04-02","to":"2026-04-03","note":"from: 2026-03-05\nto: 2026-03-05"}]}`),
		"one that doesn't say until when":         task(overlaps, `{"team":"x","leaves":[{"id":1,"from":"2026-01-02","to":"2026-01-03"},{"id":2,"from":"2026-03-01"}]}`),
		"one whose end is a word":                 task(overlaps, `{"team":"x","leaves":[{"id":1,"from":"2026-01-02","to":"2026-01-03"},{"id":2,"from":"2026-03-01","to":"open"}]}`),
		"days in words":                           task(overlaps, `[{"id":1,"from":"2026-01-02","to":"2026-01-03","last day":"a Friday","first day":"a Monday"}]`),
		"a member around the list":                task(either, `{"author":"Ana","items":[{"id":1,"state":"urgent"}]}`),
		"in two lists of one record":              task(either, `{"title":"x","authors":[{"author":"Ana"}],"states":[{"state":"urgent"}]}`),
		"in elements of which one lacks it":       task(either, `{"title":"x","items":[{"author":"Ana"},{"state":"urgent"}]}`),
		"by two elements":                         free(either, `{"title":"x","items":[{"author":"Ana","state":"low"},{"author":"Bo","state":"urgent"}]}`),
		"by a list in an element":                 task(either, `{"title":"x","items":[{"author":"Ana","state":"low","parts":[{"state":"urgent","author":"Ana"}]}]}`),
	}.run(t)
}

// TestSearchedByAPart: who looks for a part of the words that a record has to have leaves none of
// them out, as far as that can be put right; who looks for whole words of them never does. Others may
// have chosen what is looked for.
func TestSearchedByAPart(t *testing.T) {
	const people = `[{"id":"p1","name":"Katarzyna Lis","plays":"the flute"},{"id":"p2","name":"Kat Moore","plays":"the harp"}]`
	const (
		first = `{"name":{"contains":"Katarzyna"}}`
		full  = `{"name":{"is":["Katarzyna Lis","Lis Katarzyna"]}}`
		both  = `{"name":{"contains":"Lis"},"plays":{"contains":"flute"}}`
		two   = `{"name":{"contains":["Katarzyna","Kasia Lis"]}}`
	)
	for name, c := range map[string]struct {
		where, query, as    string
		reversible, forGood bool
	}{
		"the beginning of it":      {first, "kat", "", true, false},
		"another word":             {first, "moore", "", false, false},
		"more than the word":       {first, "katarzyna lis", "", false, false},
		"too little of a word":     {first, "ka", "", false, false},
		"the family name":          {full, "Lis", "", true, true},
		"a part of two words":      {full, "zyna li", "", false, false},
		"the words and one more":   {full, "Katarzyna Lis Kat", "", false, false},
		"a word of one of two":     {two, "Lis", "", false, false},
		"a part of the first name": {full, "Kat", "", true, false},
		"a folder called so":       {full, "Lis", "/folder", false, false},
		"the member itself":        {full, "Lis", "/name", true, true},
		"two members":              {both, "Lis flute", "", true, true},
		"two members and a word":   {both, "Lis flute Moore", "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(only(of("members", "id", c.where))), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}

			for _, irreversible := range []bool{true, false} {
				pointer := "/query"
				if c.as != "" {
					pointer = c.as
				}
				looked := []match.Argument{{Pointer: pointer, Text: c.query, Role: label.Selector, Foreign: true}}
				r := &match.Result{Call: "r0", Server: "s", Tool: "members", Args: looked, Covered: true, Read: true}
				r.SetContent(people, serialized.Read(people, "", serialized.Trust{}))
				p := &match.Proposal{Server: "s", Tool: "act", Call: "c", Digest: "p1", Irreversible: irreversible,
					Args: []match.Argument{{Pointer: "/id", Text: "p1", Role: label.Selector, Doubtful: true, Foreign: true}}}
				_, misses, got := match.NewTask(s, "Give it to Katarzyna.").Match(p, []*match.Result{r})

				want := c.reversible
				if irreversible {
					want = c.forGood
				}
				if got != want {
					t.Errorf("irreversible %v: covered %v (%v)", irreversible, got, misses)
				}
			}
		})
	}
}

// TestFailedListing: what a call returned that failed is no listing: it may be a part of one.
func TestFailedListing(t *testing.T) {
	const people = `[{"id":"p1","name":"Katarzyna Lis"}]`
	s, refused, err := scope.Parse([]byte(only(of("members", "id", `{"name":{"is":"Katarzyna Lis"}}`))), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	for _, failed := range []bool{false, true} {
		r := &match.Result{Call: "r0", Server: "s", Tool: "members", Covered: true, Read: true, Failed: failed}
		r.SetContent(people, serialized.Read(people, "", serialized.Trust{}))
		p := &match.Proposal{Server: "s", Tool: "act", Call: "c", Digest: "p1", Irreversible: true,
			Args: []match.Argument{{Pointer: "/id", Text: "p1", Role: label.Selector, Doubtful: true, Foreign: true}}}
		_, misses, got := match.NewTask(s, "Give it to Katarzyna Lis.").Match(p, []*match.Result{r})
		if got == failed {
			t.Errorf("failed %v: covered %v (%v)", failed, got, misses)
		}
	}
}
