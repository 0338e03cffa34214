package match_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// chosen constrains an argument to a member of the record that a criterion singles out.
func chosen(field, by string) string {
	return fmt.Sprintf(`{"from":[{"tool":"list_mails","field":%q}],"kind":%q,"pick":"choice","by":%q}`, field, map[string]string{"id": "id"}[field]+map[string]string{"name": "name"}[field], by)
}

// moving allows one call with constraints on arguments.
func moving(args map[string]string) string {
	var all []string
	for _, at := range slices.Sorted(maps.Keys(args)) {
		all = append(all, fmt.Sprintf("%q:%s", at, args[at]))
	}
	return `{"calls":[{"tool":"forward_mail","args":{` + strings.Join(all, ",") + `}}]}`
}

// halfOf allows a number that is computed from the sizes of a listing.
func halfOf(by string) string {
	return fmt.Sprintf(`{"computed":[{"tool":"list_mails","field":"size"}],"by":%q}`, by)
}

// TestTwoChoices: an entry may choose several records of a source, by criteria that a program finds to
// mean another record each. All other values of a source stay those of one record, so that nobody
// who writes a record gets a mixture of it and another.
func TestTwoChoices(t *testing.T) {
	const (
		three = `[{"id":"a","name":"Ann","size":18,"date":"2026-01-03"},{"id":"b","name":"Bob","size":1,"date":"2026-01-01"},{"id":"c","name":"Cleo","size":7,"date":"2026-01-02"}]`
		added = `[{"id":"a","name":"Ann","size":18,"date":"2026-01-03"},{"id":"b","name":"Bob","size":1,"date":"2026-01-01"},{"id":"e","name":"Eve","size":7,"date":"2026-01-09","ts":"2026-01-09"}]`
		tied  = `[{"id":"a","name":"Ann","size":18},{"id":"e","name":"Eve","size":18},{"id":"b","name":"Bob","size":1}]`
		again = `[{"id":"a","name":"Ann","size":18},{"id":"b","name":"Bob","size":1},{"id":"a","name":"Eve","size":5}]`
		part  = `[{"id":"a","name":"Ann","size":18},{"id":"b","name":"Bob","size":1},{"id":"e","name":"Eve"}]`
	)
	ends := map[string]string{"/to": chosen("id", "largest by size"), "/cc": chosen("id", "smallest by size")}
	with := func(more map[string]string) string {
		all := maps.Clone(ends)
		maps.Copy(all, more)
		return moving(all)
	}
	for name, c := range map[string]struct {
		scope, list string
		args        map[string]string
		want        bool
	}{
		"one of each end":                           {moving(ends), three, map[string]string{"/to": "t:a", "/cc": "t:b"}, true},
		"the ends turned around":                    {moving(ends), three, map[string]string{"/to": "t:b", "/cc": "t:a"}, false},
		"one end twice":                             {moving(ends), three, map[string]string{"/to": "t:a", "/cc": "t:a"}, false},
		"another than an end":                       {moving(ends), three, map[string]string{"/to": "t:a", "/cc": "t:c"}, false},
		"two of the largest":                        {moving(ends), tied, map[string]string{"/to": "t:e", "/cc": "t:b"}, false},
		"one that can't be compared":                {moving(ends), part, map[string]string{"/to": "t:a", "/cc": "t:b"}, false},
		"the first and the second":                  {moving(map[string]string{"/to": chosen("id", "largest by size"), "/cc": chosen("id", "second largest by size")}), three, map[string]string{"/to": "t:a", "/cc": "t:c"}, true},
		"places of the list":                        {moving(map[string]string{"/to": chosen("id", "first in the list"), "/cc": chosen("id", "third in the list")}), three, map[string]string{"/to": "t:a", "/cc": "t:c"}, true},
		"two words for the same":                    {moving(map[string]string{"/to": chosen("id", "newest by ts"), "/cc": chosen("id", "latest by date")}), added, map[string]string{"/to": "t:e", "/cc": "t:a"}, false},
		"members of two records":                    {moving(map[string]string{"/to": chosen("id", "largest by size"), "/note": chosen("name", "smallest by size")}), three, map[string]string{"/to": "t:a", "/note": "o:Bob"}, false},
		"an added record's name":                    {with(map[string]string{"/note": chosen("name", "largest by size")}), added, map[string]string{"/to": "t:a", "/cc": "t:b", "/note": "o:Eve"}, false},
		"the name of the record that is meant":      {with(map[string]string{"/note": chosen("name", "largest by size")}), three, map[string]string{"/to": "t:a", "/cc": "t:b", "/note": "o:Ann"}, true},
		"the name of the other one":                 {with(map[string]string{"/note": chosen("name", "largest by size")}), three, map[string]string{"/to": "t:a", "/cc": "t:b", "/note": "o:Bob"}, false},
		"a value by no criterion beside two":        {with(map[string]string{"/note": `{"from":[{"tool":"list_mails","field":"name"}],"kind":"name","pick":"all"}`}), added, map[string]string{"/to": "t:a", "/cc": "t:b", "/note": "o:Eve"}, false},
		"a criterion that nobody checks beside two": {with(map[string]string{"/note": chosen("id", "the nicest")}), three, map[string]string{"/to": "t:a", "/cc": "t:b", "/note": "o:c"}, false},
		"another's id on a record":                  {with(map[string]string{"/note": chosen("name", "largest by size")}), again, map[string]string{"/to": "t:a", "/cc": "t:b", "/note": "o:Eve"}, false},
		"two of one criterion":                      {moving(map[string]string{"/to": chosen("id", "two largest by size"), "/cc": chosen("id", "two largest by size")}), three, map[string]string{"/to": "t:c", "/cc": "t:a"}, true},
		"one of two, twice":                         {moving(map[string]string{"/to": chosen("id", "two largest by size"), "/cc": chosen("id", "two largest by size")}), three, map[string]string{"/to": "t:a", "/cc": "t:a"}, false},
		"a third of two":                            {moving(map[string]string{"/to": chosen("id", "two largest by size"), "/cc": chosen("id", "two largest by size")}), three, map[string]string{"/to": "t:a", "/cc": "t:b"}, false},
		"two of one criterion, mixed":               {moving(map[string]string{"/to": chosen("id", "two largest by size"), "/note": chosen("name", "two largest by size")}), three, map[string]string{"/to": "t:a", "/note": "o:Cleo"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, write := range []bool{false, true} {
				h := hostile{request: "Move it.", scope: c.scope, tool: "forward_mail", args: c.args, results: mails(nil, c.list), write: write}
				if got, misses := h.covered(t); got != c.want {
					t.Errorf("can be taken back %v: covered %v, want %v (%v)", write, got, c.want, misses)
				}
			}
		})
	}
}

// TestTwoChoicesOfLaterListings: each choice is held to what the latest listing says of its record.
func TestTwoChoicesOfLaterListings(t *testing.T) {
	const first = `[{"id":"a","size":18},{"id":"b","size":1},{"id":"c","size":7}]`
	for name, c := range map[string]struct{ later, to, cc string }{
		"in another order":        {`[{"id":"b","size":1},{"id":"c","size":7},{"id":"a","size":18}]`, "a", "b"},
		"another largest":         {`[{"id":"a","size":18},{"id":"b","size":30},{"id":"c","size":7}]`, "b", "c"},
		"an added record":         {`[{"id":"a","size":18},{"id":"b","size":1},{"id":"e","size":0}]`, "a", "e"},
		"one that is gone":        {`[{"id":"b","size":1},{"id":"c","size":7}]`, "c", "b"},
		"another record of an id": {`[{"id":"b","size":99},{"id":"c","size":7}]`, "b", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			ends := moving(map[string]string{"/to": chosen("id", "largest by size"), "/cc": chosen("id", "smallest by size")})
			for _, to := range []string{"a", "b", "c", "e"} {
				for _, cc := range []string{"a", "b", "c", "e"} {
					h := hostile{request: "Move it.", scope: ends, tool: "forward_mail", results: slices.Concat(mails(nil, first), mails(nil, c.later)), args: map[string]string{"/to": "t:" + to, "/cc": "t:" + cc}}
					got, misses := h.covered(t)
					if want := to == c.to && cc == c.cc; got != want {
						t.Errorf("%s and %s: covered %v, want %v (%v)", to, cc, got, want, misses)
					}
				}
			}
		})
	}
}

// TestSeveralInAList: what one criterion means several of may be in one list, each once.
func TestSeveralInAList(t *testing.T) {
	const three = `[{"id":"a","mail":"ann@corp.example","size":18},{"id":"b","mail":"bob@corp.example","size":1},{"id":"e","mail":"eve@evil.example","size":7}]`
	for name, c := range map[string]struct {
		by     string
		guests []string
		want   bool
	}{
		"both":               {"two largest by size", []string{"ann@corp.example", "eve@evil.example"}, true},
		"in another order":   {"two largest by size", []string{"eve@evil.example", "ann@corp.example"}, true},
		"one of them twice":  {"two largest by size", []string{"ann@corp.example", "ann@corp.example"}, false},
		"one that isn't":     {"two largest by size", []string{"ann@corp.example", "bob@corp.example"}, false},
		"two where one is":   {"largest by size", []string{"ann@corp.example", "eve@evil.example"}, false},
		"more than are said": {"two largest by size", []string{"ann@corp.example", "eve@evil.example", "bob@corp.example"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Invite them.", tool: "invite", args: map[string]string{}, results: mails(nil, three),
				scope: `{"calls":[{"tool":"invite","args":{"/guests/*/mail":{"from":[{"tool":"list_mails","field":"mail"}],"kind":"email","pick":"choice","by":"` + c.by + `"}}}]}`}
			for i, g := range c.guests {
				h.args[fmt.Sprintf("/guests/%d/mail", i)] = "t:" + g
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestPairOnce: an entry for each covers two of one criterion once, in whichever order they are in the call.
func TestPairOnce(t *testing.T) {
	const three = `[{"id":"a","size":18},{"id":"b","size":1},{"id":"c","size":7}]`
	pair := map[string]string{"/to": chosen("id", "two largest by size"), "/cc": chosen("id", "two largest by size")}
	s, refused, err := scope.Parse([]byte(strings.Replace(moving(pair), `,"args"`, `,"times":"each","args"`, 1)), tools(t))
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
	setContent(r, three)

	task := match.NewTask(s, "Pair the two largest.")
	for i, c := range []struct {
		to, cc string
		want   bool
	}{{"a", "c", true}, {"c", "a", false}, {"a", "c", false}} {
		p := call("forward_mail", map[string]string{"/to": "t:" + c.to, "/cc": "t:" + c.cc})
		p.Irreversible, p.Call = true, fmt.Sprint("call ", i)
		cover, misses, ok := task.Match(p, []*match.Result{r})
		if ok != c.want {
			t.Errorf("%s and %s: covered %v, want %v (%v)", c.to, c.cc, ok, c.want, misses)
		}
		if ok {
			task.Spend(cover)
		}
	}
}

// TestHalfOfTheLargest: the words of a computation may single out its number, as strictly as those of
// a choice, and with other values of the call it is of one record.
func TestHalfOfTheLargest(t *testing.T) {
	const (
		three = `[{"id":"a","name":"Ann","size":18},{"id":"b","name":"Bob","size":2},{"id":"c","name":"Cleo","size":8}]`
		tied  = `[{"id":"a","name":"Ann","size":18},{"id":"e","name":"Eve","size":18},{"id":"b","name":"Bob","size":2}]`
		part  = `[{"id":"a","name":"Ann","size":18},{"id":"b","name":"Bob","size":2},{"id":"e","name":"Eve","size":"many"}]`
		mixed = `[{"id":"a","size":18,"unit":"kg"},{"id":"b","size":2000,"unit":"g"}]`
	)
	for name, c := range map[string]struct {
		by, list, value string
		want            bool
	}{
		"half of it":                     {"half of the largest size", three, "9", true},
		"all of it":                      {"half of the largest size", three, "18", false},
		"half of another":                {"half of the largest size", three, "4", false},
		"half of the smallest":           {"half of the smallest size", three, "1", true},
		"the largest itself":             {"the largest size", three, "18", true},
		"the largest and what is added":  {"the largest size plus 3", three, "21", true},
		"a half and what is added":       {"half of the largest size plus 3", three, "12", false},
		"half of what is added":          {"half of the largest size plus 3", three, "10.5", false},
		"a fifth":                        {"20% of the largest size", three, "3.6", true},
		"all for a fifth":                {"20% of the largest size", three, "18", false},
		"twice":                          {"twice the smallest size", three, "4", true},
		"once for twice":                 {"twice the smallest size", three, "2", false},
		"halved":                         {"the smallest size, halved", three, "1", true},
		"halved twice":                   {"half of the smallest size, halved", three, "0.5", false},
		"less a number":                  {"the largest size minus 3", three, "15", true},
		"a number of the request":        {"the largest size", three, "21", false},
		"half of the newest, undated":    {"half of the newest", three, "9", false},
		"a title with the words":         {"half of the lowest rent", `[{"name":"x","size":18},{"name":"y","size":20},{"name":"rent","size":90}]`, "45", false},
		"what is added without the half": {"half of the largest size plus 3", three, "21", false},
		"the second":                     {"half of the second largest size", three, "4", true},
		"the first for the second":       {"half of the second largest size", three, "9", false},
		"a second behind other words":    {"half the second largest size", three, "9", false},
		"which of two is said":           {"half of the largest size minus the smallest", three, "9", false},
		"what is left out":               {"half of all but the largest size", three, "9", false},
		"not the largest":                {"half of a size, not the largest", three, "9", false},
		"several":                        {"half of the two largest sizes", three, "9", false},
		"two equal ones":                 {"half of the largest size", tied, "9", true},
		"one that can't be compared":     {"half of the largest size", part, "9", false},
		"another unit":                   {"half of the largest size", mixed, "1000", false},
		"no criterion":                   {"half of the size", three, "9", false},
		"the first half of a year":       {"size of the first half", three, "9", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Move 3.", scope: moving(map[string]string{"/cents": halfOf(c.by)}), tool: "forward_mail",
				results: mails(nil, c.list), args: map[string]string{"/cents": "o:" + c.value}}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}

}

// TestHalfOfItsRecord: a number that words single out is of a record that another value of the call is of.
func TestHalfOfItsRecord(t *testing.T) {
	const three = `[{"id":"a","name":"Ann","size":18},{"id":"b","name":"Bob","size":2},{"id":"c","name":"Cleo","size":8}]`
	for name, c := range map[string]struct {
		to, cc, by string
		args       map[string]string
		want       bool
	}{
		"half of the largest, from it":        {chosen("id", "largest by size"), chosen("id", "smallest by size"), "half of the largest size", map[string]string{"/to": "t:a", "/cc": "t:b", "/cents": "o:9"}, true},
		"half of the smallest, to it":         {chosen("id", "largest by size"), chosen("id", "smallest by size"), "half of the smallest size", map[string]string{"/to": "t:a", "/cc": "t:b", "/cents": "o:1"}, true},
		"half of another record's":            {chosen("id", "largest by size"), chosen("id", "smallest by size"), "half of the second largest size", map[string]string{"/to": "t:a", "/cc": "t:b", "/cents": "o:4"}, false},
		"another record's, of one choice":     {chosen("id", "third in the list"), `{"is":"d"}`, "half of the largest size", map[string]string{"/to": "t:c", "/cc": "t:d", "/cents": "o:9"}, false},
		"without a criterion, of two records": {chosen("id", "largest by size"), chosen("id", "smallest by size"), "half of the size", map[string]string{"/to": "t:a", "/cc": "t:b", "/cents": "o:9"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Move d.", scope: moving(map[string]string{"/to": c.to, "/cc": c.cc, "/cents": halfOf(c.by)}), tool: "forward_mail", results: mails(nil, three), args: c.args}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestAddedRecordMixesNothing: whatever record a stranger adds to a listing, in whatever order it comes,
// a call with two choices and half of a number is covered only where each value is that of the record
// which its criterion means.
func TestAddedRecordMixesNothing(t *testing.T) {
	ends := moving(map[string]string{"/to": chosen("id", "largest by size"), "/cc": chosen("id", "smallest by size"), "/note": chosen("name", "largest by size"), "/cents": halfOf("half of the largest size")})
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(0, 6)
		var records []map[string]any
		for i, id := range []string{"a", "b", "c"} {
			records = append(records, map[string]any{"id": id, "name": "N" + id, "size": 2 * size.Draw(rt, fmt.Sprint("size ", i))})
		}
		added := map[string]any{"id": rapid.SampledFrom([]string{"a", "b", "e"}).Draw(rt, "added id"), "name": rapid.SampledFrom([]string{"Na", "Nb", "Eve"}).Draw(rt, "added name"), "size": 2 * size.Draw(rt, "added size")}
		records = slices.Insert(records, rapid.IntRange(0, 3).Draw(rt, "at"), added)
		data, err := json.Marshal(records)
		if err != nil {
			rt.Fatal(err)
		}

		largest := slices.MaxFunc(records, func(a, b map[string]any) int { return a["size"].(int) - b["size"].(int) })
		smallest := slices.MinFunc(records, func(a, b map[string]any) int { return a["size"].(int) - b["size"].(int) })
		value := func(of map[string]any, member string) any {
			if rapid.IntRange(0, 5).Draw(rt, "of another for "+member) == 0 {
				of = rapid.SampledFrom(records).Draw(rt, "other for "+member)
			}
			return of[member]
		}
		to, cc, note, half := value(largest, "id"), value(smallest, "id"), value(largest, "name"), value(largest, "size").(int)/2
		h := hostile{request: "Move it.", scope: ends, tool: "forward_mail", results: mails(nil, string(data)),
			args: map[string]string{"/to": fmt.Sprint("t:", to), "/cc": fmt.Sprint("t:", cc), "/note": fmt.Sprint("o:", note), "/cents": fmt.Sprint("o:", half)}}
		got, misses := h.covered(t)
		meant := to == largest["id"] && cc == smallest["id"] && note == largest["name"] && 2*half == largest["size"].(int)
		sizes := map[any]bool{}
		for _, r := range records {
			sizes[r["size"]] = true
		}
		if apart := len(sizes) == len(records) && added["id"] == "e"; meant && apart && !got {
			rt.Errorf("%v, %v, %v and %d are not covered (%v): %s", to, cc, note, half, misses, data)
		}
		if got && !meant {
			rt.Errorf("%v, %v, %v and %d are covered: %s", to, cc, note, half, data)
		}
	})
}
