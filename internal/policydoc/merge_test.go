package policydoc_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// TestMergeItem merges one field in every situation that there is.
func TestMergeItem(t *testing.T) {
	item := func(description string) *policydoc.Policy {
		return &policydoc.Policy{Name: "few", Description: description, References: []string{"Few books."}, Status: policydoc.Proposed}
	}
	conflict := func(i *policydoc.Policy, generated string) *policydoc.Policy {
		i.Conflicts = []policydoc.Conflict{{Field: "description", Generated: generated}}
		return i
	}
	as := func(i *policydoc.Policy, status policydoc.Status, reason string) *policydoc.Policy {
		i.Status, i.Reason = status, reason
		return i
	}
	status := func(i *policydoc.Policy, generated string) *policydoc.Policy {
		i.Conflicts = append(i.Conflicts, policydoc.Conflict{Field: "status", Generated: generated})
		return i
	}
	for name, c := range map[string]struct{ mine, base, fresh, want *policydoc.Policy }{
		"a new one":                             {nil, nil, item("a"), item("a")},
		"nothing changed":                       {item("a"), item("a"), item("a"), item("a")},
		"not edited":                            {item("a"), item("a"), item("b"), item("b")},
		"written in other lines":                {item("a\n  b"), item("a b"), item("a b"), item("a\n  b")},
		"only written in other lines":           {item("a\n  b"), item("a b"), item("c"), item("c")},
		"edited":                                {item("mine"), item("a"), item("a"), item("mine")},
		"both changed it":                       {item("mine"), item("a"), item("b"), conflict(item("mine"), "b")},
		"both made the same of it":              {item("b"), item("a"), item("b"), item("b")},
		"the conflict stands":                   {conflict(item("mine"), "b"), item("b"), item("b"), conflict(item("mine"), "b")},
		"the conflict was taken out":            {item("mine"), item("b"), item("b"), item("mine")},
		"the conflict was settled by an edit":   {conflict(item("b"), "b"), item("b"), item("b"), item("b")},
		"another conflict comes":                {conflict(item("mine"), "b"), item("b"), item("c: d"), conflict(item("mine"), "'c: d'")},
		"people wrote it":                       {item("mine"), nil, item("a"), conflict(&policydoc.Policy{Name: "few", Description: "mine", References: []string{"Few books."}, Status: policydoc.Proposed}, "a")},
		"approved stays":                        {as(item("a"), policydoc.Approved, ""), item("a"), item("a"), as(item("a"), policydoc.Approved, "")},
		"approved was what it said":             {as(item("a"), policydoc.Approved, ""), item("a"), item("b"), item("b")},
		"approved with an edit that stays":      {as(item("mine"), policydoc.Approved, ""), item("a"), item("b"), as(conflict(item("mine"), "b"), policydoc.Approved, "")},
		"archived stays":                        {as(item("a"), policydoc.Archived, "r"), item("a"), as(item("b"), policydoc.Archived, "s"), as(item("b"), policydoc.Archived, "r")},
		"found not enforceable":                 {item("a"), item("a"), as(item("b"), policydoc.Archived, "s"), as(item("b"), policydoc.Archived, "s")},
		"found not enforceable, but approved":   {as(item("a"), policydoc.Approved, ""), item("a"), as(item("b"), policydoc.Archived, "s"), status(as(item("b"), policydoc.Approved, ""), "status: archived\nreason: s")},
		"found enforceable, but archived":       {as(item("a"), policydoc.Archived, "r"), item("a"), item("b"), status(as(item("b"), policydoc.Archived, "r"), "proposed")},
		"that conflict stands":                  {status(as(item("a"), policydoc.Archived, "r"), "proposed"), item("a"), item("a"), status(as(item("a"), policydoc.Archived, "r"), "proposed")},
		"nothing new about what was archived":   {as(item("a"), policydoc.Archived, "r"), item("a"), item("a"), as(item("a"), policydoc.Archived, "r")},
		"the document says it again":            {as(item("a"), policydoc.Archived, policydoc.Retired), nil, item("a"), item("a")},
		"a conflict about the rule is not ours": {&policydoc.Policy{Name: "few", Description: "a", Status: policydoc.Proposed, Conflicts: []policydoc.Conflict{{Field: "guard/message", Generated: "m"}}}, &policydoc.Policy{Description: "a"}, &policydoc.Policy{Name: "few", Description: "a"}, &policydoc.Policy{Name: "few", Description: "a", Status: policydoc.Proposed, Conflicts: []policydoc.Conflict{{Field: "guard/message", Generated: "m"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			var base map[string]string
			if c.base != nil {
				base = c.base.Fields()
			}
			if got := policydoc.MergePolicy(c.mine, base, c.fresh); !reflect.DeepEqual(got, *c.want) {
				t.Errorf("got  %+v,\nwant %+v", got, *c.want)
			}
		})
	}
}

// TestMergePolicy merges rules, and their examples by name.
func TestMergePolicy(t *testing.T) {
	rule := func(require string, examples ...string) *guard.Policy {
		p := &guard.Policy{Name: "few", References: []string{"Few."}, Require: guard.Expression{Text: require}, Message: "m", Otherwise: label.Deny}
		for _, e := range examples {
			p.Examples = append(p.Examples, guard.Example{Name: e[:1], Expect: label.Allow, Args: json.RawMessage(`{"n":"` + e + `"}`)})
		}
		return p
	}
	with := func(p *guard.Policy, variables ...string) *guard.Policy {
		for i := 0; i < len(variables); i += 2 {
			p.Variables = append(p.Variables, guard.Variable{Name: variables[i], Value: guard.Expression{Text: variables[i+1]}})
		}
		return p
	}
	for name, c := range map[string]struct {
		mine, base, fresh, want *guard.Policy
		conflicts               []policydoc.Conflict
	}{
		"a new one":                          {nil, nil, rule("a"), rule("a"), nil},
		"not edited":                         {rule("a"), rule("a"), rule("b"), rule("b"), nil},
		"comments and lines are not an edit": {rule("a &&\n  b // c"), rule("a && b"), rule("c"), rule("c"), nil},
		"and stay":                           {rule("a &&\n  b // c"), rule("a && b"), rule("a && b"), rule("a &&\n  b // c"), nil},
		"edited":                             {rule("mine"), rule("a"), rule("a"), rule("mine"), nil},
		"both changed it":                    {rule("mine"), rule("a"), rule("b"), rule("mine"), []policydoc.Conflict{{Field: "guard/require", Generated: "b"}}},
		"the condition and its variables":    {rule("mine"), with(rule("a"), "x", "1"), with(rule("a"), "x", "2"), rule("mine"), []policydoc.Conflict{{Field: "guard/require", Generated: "variables:\n  x: '2'\nrequire: a"}}},
		"variables in another order":         {with(rule("a"), "x", "1", "y", "2"), with(rule("a"), "y", "2", "x", "1"), rule("b"), rule("b"), nil},
		"it is not enforced any more":        {rule("mine"), rule("a"), rule(""), rule("mine"), []policydoc.Conflict{{Field: "guard/require"}}},
		"an example of people's own":         {rule("a", "x1", "y"), rule("a", "x1"), rule("a", "x2", "z"), rule("a", "x2", "y", "z"), nil},
		"a generated example that is gone":   {rule("a", "x", "y"), rule("a", "x", "y"), rule("a", "y"), rule("a", "y"), nil},
		"an example that people took out":    {rule("a", "y"), rule("a", "x", "y"), rule("a", "x", "y"), rule("a", "y"), nil},
		"and that says something new":        {rule("a"), rule("a", "x1"), rule("a", "x2"), rule("a"), []policydoc.Conflict{{Field: "guard/examples/x", Generated: "name: x\nexpect: allow\nargs: {n: x2}"}}},
		"an edited example that is gone":     {rule("a", "xm"), rule("a", "x1"), rule("a"), rule("a", "xm"), []policydoc.Conflict{{Field: "guard/examples/x"}}},
		"an example that both made alike":    {rule("a", "x2"), rule("a", "x1"), rule("a", "x2"), rule("a", "x2"), nil},
		"two examples of a name":             {rule("a", "x1", "x2"), rule("a", "x1", "x2"), rule("a", "x1", "x3"), rule("a", "x1", "x3"), nil},
		"references follow the mapping's":    {&guard.Policy{Name: "few", Message: "m", References: []string{"Old."}}, &guard.Policy{Message: "m"}, &guard.Policy{Name: "few", Message: "m", References: []string{"New."}}, &guard.Policy{Name: "few", Message: "m", References: []string{"New."}}, nil},
		"nothing said about it comes to no":  {&guard.Policy{Name: "few", Message: "m"}, &guard.Policy{Message: "m", Otherwise: label.Deny}, &guard.Policy{Name: "few", Message: "m", Otherwise: label.Ask}, &guard.Policy{Name: "few", Message: "m", Otherwise: label.Ask}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var base map[string]string
			if c.base != nil {
				base = policydoc.RuleFields(c.base)
			}
			got, conflicts := policydoc.MergeRule(c.mine, base, c.fresh, nil)
			if !reflect.DeepEqual(got, *c.want) || !slices.Equal(conflicts, c.conflicts) {
				t.Errorf("got  %+v, %q,\nwant %+v, %q", got, conflicts, *c.want, c.conflicts)
			}
		})
	}
}

// TestRetire drops policies that no person looked at, and archives the others.
func TestRetire(t *testing.T) {
	item := policydoc.Policy{Name: "few", Description: "a", Status: policydoc.Proposed}
	base := item.Fields()
	approved, edited, archived := item, item, item
	approved.Status = policydoc.Approved
	edited.Description = "b"
	archived.Status, archived.Reason, archived.Description = policydoc.Archived, "r", "b"
	for name, c := range map[string]struct {
		item       policydoc.Policy
		ruleEdited bool
		keep       bool
		reason     string
	}{
		"as it was generated":    {item, false, false, ""},
		"approved":               {approved, false, true, policydoc.Retired},
		"edited":                 {edited, false, true, policydoc.Retired},
		"its rule edited":        {item, true, true, policydoc.Retired},
		"archived for a reason":  {archived, false, true, "r"},
		"archived, and unedited": {policydoc.Policy{Name: "few", Description: "a", Status: policydoc.Archived, Reason: "r"}, false, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, keep := policydoc.Retire(&c.item, base, c.ruleEdited)
			if keep != c.keep || keep && (got.Status != policydoc.Archived || got.Reason != c.reason || got.Description != c.item.Description) {
				t.Errorf("got %+v, %v", got, keep)
			}
		})
	}
}

// TestStaysRemoved keeps what people took out away, until its sentences change.
func TestStaysRemoved(t *testing.T) {
	l := policydoc.LockedPolicy{Sentences: []string{"s-1", "s-2"}}
	if !l.StaysRemoved([]string{"s-2", "s-1"}) || l.StaysRemoved([]string{"s-1"}) || l.StaysRemoved([]string{"s-1", "s-3"}) {
		t.Error("it depends on something else than the sentences")
	}
}

// TestMergeUnmapped keeps the reasons that people wrote.
func TestMergeUnmapped(t *testing.T) {
	sentences := func(pairs ...string) *policydoc.Unmapped {
		u := &policydoc.Unmapped{Document: "rules.md"}
		for i := 0; i < len(pairs); i += 2 {
			u.Sentences = append(u.Sentences, policydoc.UnmappedSentence{Text: pairs[i], Reason: pairs[i+1]})
		}
		return u
	}
	base := map[string][]string{"Hello.": {"hi", "a greeting"}, "Be kind.": {"nothing tells"}}
	fresh := sentences("Be kind.", "not of calls", "Hello.", "polite", "New.", "new", "Hello.", "polite")
	if got := policydoc.MergeUnmapped(nil, nil, fresh); !reflect.DeepEqual(got, *fresh) {
		t.Errorf("without a file it is %+v", got)
	}
	mine := sentences("Hello.", "a greeting", "Hello.", "mine", "Be\nkind.", "gone", "Be kind.", "nothing\n  tells")
	got := policydoc.MergeUnmapped(mine, base, fresh)
	if want := sentences("Be kind.", "not of calls", "Hello.", "polite", "New.", "new", "Hello.", "mine"); !reflect.DeepEqual(got, *want) {
		t.Errorf("got %+v", got)
	}
}

// texts draws few different texts, so that sides are often alike, written in
// several ways.
var texts = rapid.SampledFrom([]string{"", "a", "a b", "a\nb", "a: b", "- c", "'d' # e", "true", "a  b "})

// drawItem draws a policy.
func drawItem(t *rapid.T, label string) *policydoc.Policy {
	list := rapid.SliceOfN(texts, 0, 3)
	return &policydoc.Policy{
		Name: "few", Description: texts.Draw(t, label+" description"), References: list.Draw(t, label+" references"),
		Compliance: list.Draw(t, label+" compliance"), Violations: list.Draw(t, label+" violations"),
		Status: rapid.SampledFrom([]policydoc.Status{policydoc.Proposed, policydoc.Archived}).Draw(t, label+" status"),
		Reason: texts.Draw(t, label+" reason"),
	}
}

// TestMergeItemProperties: no edit is lost, without edits it is as generated, and the same
// generation has the same result a second time, also through the file.
func TestMergeItemProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, mine, fresh := drawItem(t, "base"), drawItem(t, "mine"), drawItem(t, "fresh")
		if rapid.Bool().Draw(t, "approved") {
			mine.Status = policydoc.Approved
		}
		was, is, had := base.Fields(), fresh.Fields(), mine.Fields()
		merged := policydoc.MergePolicy(mine, was, fresh)
		now := merged.Fields()
		for field, hash := range had {
			conflict := slices.ContainsFunc(merged.Conflicts, func(c policydoc.Conflict) bool { return c.Field == field })
			edited, new := hash != was[field], is[field] != was[field]
			if edited && now[field] != hash {
				t.Fatalf("the edit of %s is lost", field)
			}
			if !edited && now[field] != is[field] {
				t.Fatalf("%s is not what was generated, and nobody edited it", field)
			}
			if conflict != (edited && new && hash != is[field]) {
				t.Fatalf("conflict about %s: %v", field, conflict)
			}
		}
		another := now["description"] != had["description"] || now["references"] != had["references"]
		lapsed := mine.Status == policydoc.Approved && another && fresh.Status != policydoc.Archived
		if lapsed && merged.Status != policydoc.Proposed {
			t.Fatalf("what nobody read is %s", merged.Status)
		}
		if !lapsed && mine.Status != policydoc.Proposed && mine.Reason != policydoc.Retired && (merged.Status != mine.Status || merged.Reason != mine.Reason) {
			t.Fatalf("the status became %s for %q", merged.Status, merged.Reason)
		}
		d := policydoc.NewMappingEditor("a.yaml", "", "lend")
		d.Put(&merged)
		m, err := d.Mapping()
		if err != nil {
			t.Fatal(err)
		}
		again := policydoc.MergePolicy(&m.Policies[0], is, fresh)
		if !maps.Equal(again.Fields(), now) || !slices.Equal(again.Conflicts, m.Policies[0].Conflicts) || again.Status != merged.Status {
			t.Fatalf("a second time it is %+v, not %+v", again, merged)
		}
	})
}

// drawRule draws a rule; its examples have different names.
func drawRule(t *rapid.T, prefix string) *guard.Policy {
	conditions := rapid.SampledFrom([]string{"", "args.n < 5", "args.n<5", "args.n < 5 // c", `args.t == "a  b"`, `args.t == "a b"`, "args.n <", "x > 1"})
	p := &guard.Policy{
		Name: "few", Message: texts.Draw(t, prefix+" message"), Require: guard.Expression{Text: conditions.Draw(t, prefix+" require")},
		Otherwise: rapid.SampledFrom([]label.Verdict{"", label.Deny, label.Ask}).Draw(t, prefix+" otherwise"),
	}
	for _, v := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y"}), 0, 2, rapid.ID).Draw(t, prefix+" variables") {
		p.Variables = append(p.Variables, guard.Variable{Name: v, Value: guard.Expression{Text: rapid.SampledFrom([]string{"1", "args.n"}).Draw(t, prefix+" value")}})
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b: c", "1", "a#2"}), 0, 4, rapid.ID).Draw(t, prefix+" examples") {
		e := guard.Example{
			Name: name, Expect: rapid.SampledFrom([]label.Verdict{label.Allow, label.Deny}).Draw(t, prefix+" expect"),
			Args: json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"n": 1}`, `{"n":1.50,"t":"1"}`, `{"t":"a  b\n"}`, `{"t":null}`}).Draw(t, prefix+" args")),
		}
		if rapid.Bool().Draw(t, prefix+" when") {
			e.Now = time.Date(2026, 3, 1, 12, 0, 0, 5, time.FixedZone("", 3600))
			e.History = []guard.Entry{{Kind: guard.UserEntry, Text: texts.Draw(t, prefix+" said")}}
			e.Given = []guard.Fixture{{Tool: "find", Result: json.RawMessage(`{"left": 1e2}`)}}
		}
		p.Examples = append(p.Examples, e)
	}
	return p
}

// TestMergePolicyProperties: what holds of policies holds of their rules, and the
// order of generated examples does not matter.
func TestMergePolicyProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, mine, fresh := drawRule(t, "base"), drawRule(t, "mine"), drawRule(t, "fresh")
		was, is, had := policydoc.RuleFields(base), policydoc.RuleFields(fresh), policydoc.RuleFields(mine)
		merged, conflicts := policydoc.MergeRule(mine, was, fresh, nil)
		now := policydoc.RuleFields(&merged)
		for field := range union(was, is, had) {
			conflict := slices.ContainsFunc(conflicts, func(c policydoc.Conflict) bool { return c.Field == "guard/"+field })
			edited, new := had[field] != was[field], is[field] != was[field]
			if edited && now[field] != had[field] {
				t.Fatalf("the edit of %s is lost", field)
			}
			if !edited && now[field] != is[field] {
				t.Fatalf("%s is not what was generated, and nobody edited it", field)
			}
			if conflict != (edited && new && had[field] != is[field]) {
				t.Fatalf("conflict about %s: %v", field, conflict)
			}
		}
		if policydoc.Edited(mine, was) == maps.Equal(had, was) {
			t.Fatal("what was edited is not known")
		}

		d := guard.NewEditor("a.yaml", "", "lend")
		if err := d.Put(&merged); err != nil {
			t.Fatal(err)
		}
		f, err := d.File()
		if err != nil {
			t.Fatal(err)
		}
		if got := policydoc.RuleFields(&f.Policies[0]); !maps.Equal(got, now) {
			t.Fatalf("read back it is %v, not %v", got, now)
		}
		again, still := policydoc.MergeRule(&f.Policies[0], is, fresh, conflicts)
		if !maps.Equal(policydoc.RuleFields(&again), now) || !slices.Equal(still, conflicts) {
			t.Fatalf("a second time it is %+v, %q", again, still)
		}

		turned := *fresh
		turned.Examples = rapid.Permutation(fresh.Examples).Draw(t, "order")
		other, others := policydoc.MergeRule(mine, was, &turned, nil)
		if !maps.Equal(policydoc.RuleFields(&other), now) || len(others) != len(conflicts) {
			t.Fatalf("in another order it is %+v, %q", other, others)
		}
	})
}

func union(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}
