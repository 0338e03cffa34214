package match_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFirstOfAPart: a part of a listing has the one that is first in an order where the call asked for
// that order, the records stand in it, and one that isn't meant stands behind.
func TestFirstOfAPart(t *testing.T) {
	const (
		falling = `{"has_more":true,"items":[{"id":"a","date":"2026-01-04"},{"id":"b","date":"2026-01-03"},{"id":"c","date":"2026-01-02"}]}`
		rising  = `{"has_more":true,"items":[{"id":"c","date":"2026-01-02"},{"id":"b","date":"2026-01-03"},{"id":"a","date":"2026-01-04"}]}`
		mixed   = `{"has_more":true,"items":[{"id":"b","date":"2026-01-03"},{"id":"a","date":"2026-01-04"},{"id":"c","date":"2026-01-02"}]}`
		single  = `{"has_more":true,"items":[{"id":"a","date":"2026-01-04"}]}`
		equal   = `{"has_more":true,"items":[{"id":"a","date":"2026-01-04"},{"id":"b","date":"2026-01-04"}]}`
		undated = `{"has_more":true,"items":[{"id":"a","date":"2026-01-04"},{"id":"b","date":"2026-01-03"},{"id":"c"}]}`
		another = `{"has_more":true,"items":[{"id":"a","date":"2026-01-04","start":"2026-03-02"},{"id":"b","date":"2026-01-03","start":"2026-03-01"}]}`
		within  = `{"has_more":true,"items":[{"title":"x","date":"2026-01-09","files":[{"id":"a","date":"2026-01-04"}]},{"title":"y","date":"2026-01-02","files":[{"id":"b","date":"2026-01-03"}]}]}`
		parted  = `{"has_more":true,"pinned":[{"id":"a","date":"2026-01-04"},{"id":"b","date":"2026-01-03"}],"items":[{"id":"c","date":"2026-01-02"}]}`
		limited = `[{"id":"a","date":"2026-01-04"},{"id":"b","date":"2026-01-03"},{"id":"c","date":"2026-01-02"}]`
	)
	newest := map[string]string{"/sort": "o:newest"}
	for name, c := range map[string]struct {
		by, list string
		args     map[string]string // of the listing
		want     string            // the ids that are covered
	}{
		"the newest first":                   {"newest by date", falling, newest, "a"},
		"the two newest":                     {"two newest by date", falling, newest, "ab"},
		"as many as the part has":            {"three newest by date", falling, newest, ""},
		"by the member":                      {"newest by date", falling, map[string]string{"/sort_by": "o:date"}, "a"},
		"by the member and a direction":      {"newest by date", falling, map[string]string{"/sort": "o:date_desc"}, "a"},
		"by the last name":                   {"newest", falling, map[string]string{"/sort": "o:last_name"}, ""},
		"by another date":                    {"newest by date", falling, map[string]string{"/sort_by": "o:due_date"}, ""},
		"the newest by one of two members":   {"newest by date", another, newest, ""},
		"what is in the records of the list": {"newest by date", within, newest, ""},
		"a part of two lists":                {"newest by date", parted, newest, ""},
		"the other way round":                {"newest by date", rising, map[string]string{"/sort_by": "o:date"}, ""},
		"the oldest of the newest":           {"oldest by date", falling, newest, ""},
		"in no order":                        {"newest by date", mixed, newest, ""},
		"nobody asked for an order":          {"newest by date", falling, nil, ""},
		"in the order of something else":     {"newest by date", falling, map[string]string{"/sort": "o:relevance"}, ""},
		"a criterion that nobody can check":  {"nicest", falling, map[string]string{"/sort": "o:nicest"}, ""},
		"a single one shows no order":        {"newest by date", single, newest, ""},
		"the next page may have an equal":    {"newest by date", equal, newest, ""},
		"one without the member":             {"newest by date", undated, newest, ""},
		"another page than the first":        {"newest by date", falling, map[string]string{"/sort": "o:newest", "/offset": "o:3"}, ""},
		"a limit that is reached":            {"newest by date", limited, map[string]string{"/sort": "o:newest", "/limit": "o:3"}, "a"},
		"a limit, and no order":              {"newest by date", limited, map[string]string{"/limit": "o:3"}, ""},
		"a limit of something else":          {"newest by date", limited, map[string]string{"/sort": "o:newest", "/price_per_night": "o:3"}, ""},
		"all but the newest of a part":       {"except", falling, newest, ""},
		"the only one, which is not a first": {"only", single, newest, ""},
	} {
		t.Run(name, func(t *testing.T) {
			scope := choosing(c.by)
			switch c.by {
			case "except":
				scope = deleting(`"by":"newest"`, "")
			case "only":
				scope = strings.Replace(choosing("newest"), `"choice"`, `"only"`, 1)
			}
			for _, write := range []bool{false, true} {
				got := ""
				for _, id := range []string{"a", "b", "c"} {
					h := hostile{request: "Forward the right one.", scope: scope, tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, write: write, results: mails(c.args, c.list)}
					if ok, _ := h.covered(t); ok {
						got += id
					}
				}
				// What can be taken back has a part for a whole, as its server says alone.
				if lenient := write && !strings.Contains(name, "limit"); got != c.want && !lenient {
					t.Errorf("covered: %q, want %q", got, c.want)
				}
			}
		})
	}
}

// TestFirstOfTwoParts: what is behind one part of a listing may be before what is meant of another.
func TestFirstOfTwoParts(t *testing.T) {
	const (
		single = `{"has_more":true,"items":[{"id":"a","date":"2026-01-09"}]}`
		ending = `{"has_more":true,"items":[{"id":"a","date":"2026-01-09"},{"id":"d","date":"2026-01-01"}]}`
		other  = `{"has_more":true,"items":[{"id":"b","date":"2026-01-04"},{"id":"c","date":"2026-01-03"}]}`
		whole  = `[{"id":"b","date":"2026-01-04"},{"id":"c","date":"2026-01-03"}]`
	)
	newest := map[string]string{"/sort": "o:newest"}
	for name, c := range map[string]struct {
		by    string
		lists []string
		want  string
	}{
		"both end behind":               {"newest by date", []string{ending, other}, "a"},
		"one and the whole of another":  {"two newest by date", []string{ending, whole}, "bc"},
		"one may have more in between":  {"two newest by date", []string{single, whole}, ""},
		"one shows no order":            {"newest by date", []string{single, whole}, ""},
		"the other may have as many":    {"three newest by date", []string{ending, other}, ""},
		"the other is a part unordered": {"newest by date", []string{ending, `{"has_more":true,"items":[{"id":"c","date":"2026-01-03"},{"id":"b","date":"2026-01-04"}]}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var results []attacked
			for _, list := range c.lists {
				results = append(results, attacked{"list_mails", newest, list})
			}
			got := ""
			for _, id := range []string{"a", "b", "c", "d"} {
				h := hostile{request: "Forward the right one.", scope: choosing(c.by), tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: results}
				if ok, _ := h.covered(t); ok {
					got += id
				}
			}
			if got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// TestPartsAgree: what is covered by a page of a listing in its order is covered by the whole listing as
// well, whatever stands on the pages behind.
func TestPartsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		by := rapid.SampledFrom([]string{"largest by size", "2 largest by size", "second largest by size"}).Draw(rt, "by")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 6), 4, 4).Draw(rt, "sizes")
		if sorts := rapid.Bool().Draw(rt, "sorts"); sorts { // as a server does that holds to what it was asked for
			slices.Sort(sizes)
			slices.Reverse(sizes)
		}
		var all []map[string]any
		for i, id := range []string{"a", "b", "c", "d"} {
			all = append(all, map[string]any{"id": id, "size": sizes[i]})
		}
		sorted := slices.IsSortedFunc(sizes, func(a, b int) int { return b - a })

		n := rapid.IntRange(1, 3).Draw(rt, "page")
		page := listOf(rt, map[string]any{"has_more": true, "items": all[:n]})
		whole := listOf(rt, map[string]any{"has_more": false, "items": all})
		of := func(id, list string) bool {
			h := hostile{request: "Do it.", scope: choosing(by), tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(map[string]string{"/sort": "o:largest"}, list)}
			ok, _ := h.covered(t)
			return ok
		}
		for _, id := range []string{"a", "b", "c"} {
			if sorted && of(id, page) && !of(id, whole) {
				rt.Errorf("%s is covered by a page of %s, and not by all", id, whole)
			}
		}
	})
}

func listOf(t *rapid.T, list map[string]any) string {
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
