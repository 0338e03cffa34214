package compiler_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/policydoc"
)

// TestAnswersThatAreOddLoseNothing has a stage answer otherwise than models should.
func TestAnswersThatAreOddLoseNothing(t *testing.T) {
	found := func(names ...string) func(any) any {
		return func(any) any {
			var policies []any
			for _, name := range names {
				policies = append(policies, object{"name": name, "description": "With return_item the machine is weighed.", "sentences": []int{6, 6, 5}})
			}
			return object{"policies": policies, "unused": []any{}}
		}
	}
	very := strings.Repeat("very-", 15)
	for name, c := range map[string]struct {
		stage  string
		answer func(any) any
		want   []string
	}{
		"names of other alphabets":     {"find", found("Rückgabe wägen", "Élan № 5"), []string{"elan-no-5", "ruckgabe-wagen"}},
		"a name out of a path":         {"find", found("../../etc/Passwd\x00\x1b[31m"), []string{"etc-passwd-31m"}},
		"a name twice":                 {"find", found("weigh", "Weigh!"), []string{"weigh", "weigh-2"}},
		"long names that are the same": {"find", found(very+"large", very+"large indeed", very+"large"), []string{very + "lar-2", very + "lar-3", very + "large"}},
		"one stays, said three times": {"refine", func(a any) any {
			keep := a.(object)["keep"].([]string)
			return object{"keep": slices.Concat(keep, keep, keep), "policies": []any{}}
		}, []string{"with-return-item-the-machine"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.only = []string{"return_item"}
			s.model.alter = map[string]func(any) any{c.stage: c.answer}
			if failures := s.compile(hire); failures != nil {
				t.Fatal(failures)
			}
			got := slices.Sorted(maps.Keys(s.policies("return_item")))
			if !slices.Equal(got, c.want) {
				t.Errorf("the policies are %q", got)
			}
		})
	}
}

// TestAToolWithTooManyPoliciesKeepsWhatItHad has one of two tools get more policies
// than a file may have: the other one is not kept from being written.
func TestAToolWithTooManyPoliciesKeepsWhatItHad(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.model.alter = map[string]func(any) any{"find": func(a any) any {
		policies := a.(object)["policies"].([]any)
		if !strings.Contains(policies[0].(object)["description"].(string), "return_item") {
			return a
		}
		for range policydoc.MaxPolicies {
			policies = append(policies, policies[0])
		}
		return object{"policies": policies, "unused": []any{}}
	}}
	s.rename = "-2"
	text := strings.Replace(hire, "shows a card", "shows a passport", 1)
	failures := s.compile(text)
	if len(failures) != 1 || failures[0].Tool != "return_item" || !strings.Contains(failures[0].Error(), "more than 1000 policies") {
		t.Fatalf("the failures are %.2000v", failures)
	}
	if len(s.policies("return_item")) != 1 || s.policies("hire_item")["before-hire-item-the-customer"] != "Before hire_item the customer shows a passport." {
		t.Errorf("there are %v and %v", s.policies("return_item"), s.policies("hire_item"))
	}
}
