package match_test

import "testing"

// TestPagesOfAll: of all that meet a condition, a page of the listing has some and no others, whoever asked for it.
func TestPagesOfAll(t *testing.T) {
	const (
		first = `{"things":[{"id":1,"state":"open","name":"Acme"},{"id":2,"state":"shut","name":"x"}],"next_cursor":"c2"}`
		last  = `{"things":[{"id":3,"state":"open","name":"y"}],"next_cursor":null}`
		open  = `{"state":"open"}`
	)
	all := every(of("things", "id", open))
	page := func(args, text string) returned { return returned{"things", args, text} }
	is := func(scope, id string, want bool, results ...returned) asking {
		return asking{scope: scope, said: "Do it.", args: map[string]string{"/id": "s:" + id}, results: results, want: want}
	}
	but := func(where string) string { return sparing(of("things", "id", open), of("things", "id", where)) }
	askings{
		"the first page":               is(all, "1", true, page("", first)),
		"another one on it":            is(all, "2", false, page("", first)),
		"the second page":              is(all, "3", true, page("", first), page(`{"cursor":"c2"}`, last)),
		"a page by its number":         is(all, "3", true, page("", first), page(`{"page":2,"per_page":1}`, last)),
		"all but some":                 is(but(`{"name":"y"}`), "1", true, page("", first)),
		"one of them":                  is(but(`{"name":"Acme"}`), "1", false, page("", first)),
		"a cursor of somebody else's":  is(all, "3", false, page("", first), page(`{"cursor":"other"}`, last)),
		"one of a listing of others":   is(all, "3", false, page(`{"folder":"x"}`, first), page(`{"cursor":"c2"}`, last)),
		"in the value of a record":     is(all, "3", false, page("", `{"things":[{"id":1,"state":"open","next_cursor":"c3"}]}`), page(`{"cursor":"c3"}`, last)),
		"the only one":                 is(only(of("things", "id", open)), "1", false, page("", first)),
		"without a condition":          is(every(of("things", "id", "")), "1", false, page("", first)),
		"of a name with several forms": is(every(of("things", "id", `{"name":"Acme"}`)), "1", false, page("", first)),
		"or of a name":                 is(every(of("things", "id", `{"state":{"is":"open","or":["name"]}}`)), "1", false, page("", first)),
		"what another page may have":   is(unless(of("rooms", "id", ""), of("things", "", `{"state":"lost"}`)), "5", false, returned{"rooms", "", `[{"id":5}]`}, page("", first)),
	}.run(t)
}
