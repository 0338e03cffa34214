package match_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// choosing allows forwarding one mail of a listing that a criterion singles out.
func choosing(by string) string {
	return `{"calls":[{"tool":"forward_mail","times":9,"args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"choice","by":"` + by + `"}}}]}`
}

// coveredOf returns which of the mails a to d a scope covers, for a call that can't be taken back.
func coveredOf(t *testing.T, scope, list string) string {
	t.Helper()
	got := ""
	for _, id := range []string{"a", "b", "c", "d"} {
		h := hostile{request: "Forward the right ones.", scope: scope, tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(nil, list)}
		if ok, _ := h.covered(t); ok {
			got += id
		}
	}
	return got
}

// TestSeveralOfAnOrder: a criterion may mean several of an order, or one of its places.
func TestSeveralOfAnOrder(t *testing.T) {
	const (
		four = `[{"id":"a","date":"2026-01-02","size":5},{"id":"b","date":"2026-01-04","size":7},{"id":"c","date":"2026-01-01","size":9},{"id":"d","date":"2026-01-03","size":2}]`
		tied = `[{"id":"a","date":"2026-01-02"},{"id":"b","date":"2026-01-04"},{"id":"c","date":"2026-01-02"},{"id":"d","date":"2026-01-01"}]`
		one  = `[{"id":"a","date":"2026-01-02"}]`
	)
	except := func(by string) string { return deleting(`"by":"`+by+`"`, "") }
	for name, c := range map[string]struct{ scope, list, want string }{
		"the newest":                             {choosing("newest by date"), four, "b"},
		"two":                                    {choosing("two newest by date"), four, "bd"},
		"in digits, with an article":             {choosing("the 3 oldest by date"), four, "acd"},
		"a number behind the word":               {choosing("last two by date"), four, "bd"},
		"a number at the end":                    {choosing("the latest 2"), four, "bd"},
		"most recent":                            {choosing("the two most recent"), four, "bd"},
		"a place":                                {choosing("second newest by date"), four, "d"},
		"a place, as a word of a thing":          {choosing("the third largest by size"), four, "a"},
		"more than there are":                    {choosing("five newest by date"), four, ""},
		"a place that there isn't":               {choosing("fifth newest by date"), four, ""},
		"a member of two letters":                {choosing("longest by km"), `[{"id":"a","km":9},{"id":"b","km":40}]`, "b"},
		"one that a record lacks":                {choosing("longest by km"), `[{"id":"a"},{"id":"b","km":40}]`, ""},
		"a member of several words":              {choosing("most free chairs"), `[{"id":"a","chairs":90,"free_chairs":2},{"id":"b","chairs":4,"free_chairs":3}]`, "b"},
		"the second by one of several words":     {choosing("second most free chairs"), `[{"id":"a","chairs":90,"free_chairs":2},{"id":"b","chairs":4,"free_chairs":3}]`, "a"},
		"words of which one is a member":         {choosing("most free chairs"), `[{"id":"a","chairs":90},{"id":"b","chairs":4}]`, ""},
		"the first of one":                       {choosing("newest by date"), one, "a"},
		"the second of one":                      {choosing("second newest by date"), one, ""},
		"the last two of one":                    {choosing("last two by date"), one, ""},
		"the second in a list of one":            {choosing("second in the list"), one, ""},
		"the second and the third are equal":     {choosing("two newest by date"), tied, ""},
		"equal ones that are both meant":         {choosing("three newest by date"), tied, "abc"},
		"a place that is equal to the next":      {choosing("second newest by date"), tied, ""},
		"a number of what is chosen":             {choosing("newest 2 size mail"), four, "d"},
		"more than a criterion may mean":         {choosing("20 newest by date"), four, ""},
		"a number of something else":             {choosing("newest 9 page mail"), four, ""},
		"all but two":                            {except("two newest by date"), four, "ac"},
		"all but two, of which one is uncertain": {except("two newest by date"), tied, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := coveredOf(t, c.scope, c.list); got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// TestRankIsExact: whatever records there are, a criterion with a number covers no value for which
// as many records stand before it, none where it can't be told from one that does, and with the
// number one what it covers without it.
func TestRankIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(rt, "number")
		var records []map[string]any
		for _, id := range []string{"a", "b", "c", "d"}[:rapid.IntRange(1, 4).Draw(rt, "records")] {
			records = append(records, map[string]any{"id": id, "size": rapid.IntRange(1, 5).Draw(rt, "size")})
		}
		data, err := json.Marshal(records)
		if err != nil {
			rt.Fatal(err)
		}

		got := coveredOf(t, choosing(fmt.Sprintf("%d largest by size", n)), string(data))
		for _, r := range records {
			before := 0
			for _, other := range records {
				if other["size"].(int) > r["size"].(int) {
					before++
				}
			}
			if strings.Contains(got, r["id"].(string)) && before >= n {
				rt.Errorf("%s is covered, and %d are before it: %s", r["id"], before, data)
			}
		}
		if len(got) != 0 && len(got) != n && len(records) > 1 {
			rt.Errorf("%q are covered, want %d or none: %s", got, n, data)
		}
		if one := coveredOf(t, choosing("largest by size"), string(data)); n == 1 && got != one {
			rt.Errorf("%q for %s, and %q without it", got, strconv.Itoa(n), one)
		}
		if again := coveredOf(t, choosing(fmt.Sprintf("%d largest by size", n)), string(mustReverse(rt, records))); again != got {
			rt.Errorf("%q in another order, %q before: %s", again, got, data)
		}
	})
}

// mustReverse returns records in the other order.
func mustReverse(t *rapid.T, records []map[string]any) []byte {
	slices.Reverse(records)
	data, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOneValueOfSeveral: records with one value are compared each, so that no record with the right
// account lets another one be the newest.
func TestOneValueOfSeveral(t *testing.T) {
	const (
		mine  = "DE89370400440532013000"
		evil  = "GB33BUKB20201555555555"
		added = `[{"account":"` + mine + `","date":"2026-01-04"},{"account":"` + evil + `","date":"2026-01-02"},{"account":"` + mine + `","date":"2026-01-01"}]`
		equal = `[{"account":"` + mine + `","date":"2026-01-04"},{"account":"` + mine + `","date":"2026-01-04"},{"account":"` + evil + `","date":"2026-01-02"}]`
		used  = `[{"account":"` + mine + `","used_times":3,"date":"2026-01-04"},{"account":"` + evil + `","used_times":9,"date":"2026-01-02"}]`
		at    = `[{"account":"` + evil + `","at":"2026-01-04"},{"account":"` + mine + `","at":"2026-01-02"}]`
		two   = `[{"account":"` + evil + `","at":"2026-01-04","day":"2026-01-01"},{"account":"` + mine + `","at":"2026-01-02","day":"2026-01-02"}]`
		tied  = `[{"account":"` + mine + `","date":"2026-01-04"},{"account":"` + mine + `","date":"2026-01-04"},{"account":"` + evil + `","date":"2026-01-04"}]`
		moved = `[{"account":"` + mine + `","date":"2026-01-01"},{"account":"` + evil + `","date":"2026-01-02"}]`
	)
	paying := func(by string) string {
		return `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"account"}],"kind":"account","pick":"choice","by":"` + by + `"}}}]}`
	}
	for name, c := range map[string]struct {
		by         string
		lists      []string
		mine, evil bool
	}{
		"an older record of the newest's account":   {"newest by date", []string{added}, true, false},
		"two equal records of one account":          {"newest by date", []string{equal}, true, false},
		"of two accounts":                           {"newest by date", []string{tied}, false, false},
		"the second newest":                         {"second newest by date", []string{added}, false, true},
		"the third in the list":                     {"third in the list", []string{added}, true, false},
		"one of two members, of which there is one": {"newest by version or date", []string{added}, true, false},
		"two members, of which there is none":       {"newest by version or edition", []string{tied}, false, false},
		"two members that both have to decide":      {"newest by version and date", []string{added}, false, false},
		"how many times is no time":                 {"newest by date", []string{used}, true, false},
		"no time that is how many times":            {"newest", []string{strings.ReplaceAll(used, `"date"`, `"edition"`)}, false, false},
		"a start, of what has one time":             {"earliest by start", []string{at}, true, false},
		"a start, of what has two":                  {"earliest by start", []string{two}, false, false},
		"a start, beside another time":              {"earliest by start", []string{strings.ReplaceAll(two, "day", "signed")}, false, false},
		"an end, of what has one time":              {"earliest by end", []string{at}, false, false},
		"when it was made, of what has one time":    {"newest by created", []string{at}, false, false},
		"a member that is not what is cheap":        {"cheapest by price or rating", []string{strings.NewReplacer(`"at":"2026-01-04"`, `"rating":5`, `"at":"2026-01-02"`, `"rating":1`).Replace(at)}, false, false},
		"how many times":                            {"most by used times", []string{used}, false, true},
		"a later listing says otherwise":            {"newest by date", []string{added, moved}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			var results []attacked
			for _, list := range c.lists {
				results = append(results, attacked{"list_mails", nil, list})
			}
			for account, want := range map[string]bool{mine: c.mine, evil: c.evil} {
				h := hostile{request: "Pay.", scope: paying(c.by), tool: "pay", args: map[string]string{"/account": "t:" + account}, results: results}
				if got, misses := h.covered(t); got != want {
					t.Errorf("%s: %v, want %v: %v", account, got, want, misses)
				}
			}
		})
	}
}

// TestShortMemberOfAnOrder: a word of two letters behind "by" is a member where the records have it, also for a call that can be taken back.
func TestShortMemberOfAnOrder(t *testing.T) {
	for id, want := range map[string]bool{"a": false, "b": true} {
		h := hostile{request: "Forward the longest.", scope: choosing("longest by km"), tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(nil, `[{"id":"a","km":9},{"id":"b","km":40}]`), write: true}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", id, got, want, misses)
		}
	}
}
