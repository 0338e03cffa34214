package generation

import (
	"testing"
)

// TestARuleOnRecordsStays: of two rules that pass, the one that goes by records is taken, whatever
// else the author was asked about since.
func TestARuleOnRecordsStays(t *testing.T) {
	asking := candidate{Require: `session.judged("Did they?")`}
	said := func(c candidate) *trial { return &trial{candidate: c, claims: []claim{{}}} }
	for name, c := range map[string]struct {
		work       work
		best, last *trial
		takesLast  bool
	}{
		"founded, then not":                      {work{ruleGrounded: true}, &trial{}, said(candidate{}), false},
		"unfounded, then founded":                {work{ruleGrounded: true}, said(candidate{}), &trial{}, true},
		"founded with a judge, then without one": {work{ruleGrounded: true, spared: true}, &trial{candidate: asking}, said(candidate{}), false},
		"a judge, then none":                     {work{spared: true}, &trial{candidate: asking}, &trial{}, true},
		"nobody was asked about records":         {work{}, &trial{}, said(candidate{}), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.work.better(t.Context(), c.best, c.last)
			if err != nil || (got == c.last) != c.takesLast {
				t.Errorf("takes the last one: %v, %v", got == c.last, err)
			}
		})
	}
}

// TestNamesOfLoopsHideVariables: a loop's name isn't the rule's variable of that name.
func TestNamesOfLoopsHideVariables(t *testing.T) {
	for require, want := range map[string]bool{
		`parcel.id == args.id`:                                 true,
		`args.parcels.all(parcel, parcel.size() > 2)`:          false,
		`args.parcels.all(i, parcel, parcel.size() > i)`:       false,
		`args.parcels.all(p, parcel.id == p)`:                  true,
		`args.parcels.all(parcel, parcel > 0) || parcel.ok`:    true,
		`cel.bind(parcel, args.parcels[0], parcel.size() > 2)`: false,
		`cel.bind(parcel, parcel.id, parcel.size() > 2)`:       true,
	} {
		var c candidate
		c.Variables = append(c.Variables, struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		}{"parcel", `{"status": tools.get_parcel({"id": args.id}).status}`})
		c.Require = require
		r, err := newRuleReader(c)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.reads(r.require, "status"); got != want {
			t.Errorf("%s: reads %v, want %v", require, got, want)
		}
	}
}
