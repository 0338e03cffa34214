package match_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestReadWhole: of a criterion for what can't be taken back every word is read, and a member that it is about
// decides alone, or nothing does.
func TestReadWhole(t *testing.T) {
	const (
		three  = `[{"id":"a","price":80,"date":"2026-01-02","note":"x"},{"id":"b","price":90,"date":"2026-02-02","note":"x"},{"id":"c","price":900,"date":"2026-05-01","note":"unpaid"}]`
		fees   = `[{"id":"a","price":80,"fee":9},{"id":"b","price":PRICE,"fee":1}]`
		dated  = `[{"id":"a","date":"2026-05-02","modified":"2026-05-02"},{"id":"b","date":"WHEN","modified":"2026-06-02"}]`
		rated  = `[{"id":"a","price":80,"rating":4},{"id":"b","price":900,"rating":5}]`
		aged   = `[{"id":"a","age":80},{"id":"b","age":20}]`
		paid   = `[{"id":"a","salary":80,"score":1},{"id":"b","salary":70,"score":9}]`
		urgent = `[{"id":"a","priority":"high","score":1},{"id":"b","priority":"low","score":9}]`
		edited = `[{"id":"a","updated":"2026-05-02","likes":1},{"id":"b","updated":"2026-04-02","likes":9}]`
		leaves = `[{"id":"a","time":"2026-03-01 10:00","hours":2},{"id":"b","time":"2026-03-01 08:00","hours":30}]`
		talked = `[{"id":"a","created":"2026-05-02","last_comment_date":"2026-05-02"},{"id":"b","created":"2026-04-02","last_comment_date":"2026-06-02"}]`
		named  = `[{"id":"a","name":"Single","price":80},{"id":"b","name":"Mail","price":900}]`
		past   = `[{"id":"a","start":"2026-06-01T10:00"},{"id":"b","start":"2026-07-01T10:00"},{"id":"c","start":"2020-01-05T10:00"}]`
	)
	with := func(list, hole, value string) string { return strings.Replace(list, hole, value, 1) }

	for name, c := range map[string]struct{ by, list, want string }{
		"nothing but a superlative":        {"cheapest", three, "a"},
		"a noun for what is chosen":        {"the cheapest ticket", three, "a"},
		"a word for what is listed":        {"newest of my mails by date", three, "c"},
		"an ordinal in digits":             {"2nd cheapest", three, "b"},
		"a number behind others":           {"top two cheapest", three, "ab"},
		"a number of one's own":            {"my two newest mails", three, "bc"},
		"seven":                            {"seven newest", months(9), "3456789"},
		"an ordinal that nobody knows":     {"eleventh newest", months(12), ""},
		"a state":                          {"cheapest unpaid mail", three, ""},
		"somebody's":                       {"newest mail by Ann", three, ""},
		"a bound":                          {"cheapest with at least 4 stars", three, ""},
		"what it isn't":                    {"cheapest that isn't b", three, ""},
		"aside from":                       {"cheapest aside from a", three, ""},
		"of a span":                        {"newest of last month", three, ""},
		"the next of an order":             {"next oldest", three, ""},
		"who is called as what is listed":  {"cheapest mail", named, ""},
		"a price like the other's":         {"cheapest", with(fees, "PRICE", "80"), ""},
		"a price in words":                 {"cheapest", with(fees, "PRICE", `"ten"`), ""},
		"a price with its currency":        {"cheapest by price", with(fees, "PRICE", `"10 EUR"`), ""},
		"no price":                         {"cheapest", with(fees, "PRICE", "null"), ""},
		"a price that is higher":           {"cheapest", with(fees, "PRICE", "89"), "a"},
		"dearer with the fee":              {"cheapest", with(fees, "PRICE", "81"), ""},
		"a date in words":                  {"newest by date", with(dated, "WHEN", "May"), ""},
		"a date in a zone":                 {"newest", with(dated, "WHEN", "2026-05-01T00:00:00+02:00"), ""},
		"an older date":                    {"newest", with(dated, "WHEN", "2026-05-01"), "a"},
		"all but one, by a date in words":  {"", with(dated, "WHEN", "May"), ""},
		"best by another member":           {"best by price", rated, ""},
		"the best price":                   {"best price", rated, ""},
		"the best":                         {"best by rating", rated, "b"},
		"the oldest by a number":           {"oldest by age", aged, ""},
		"a member of its own":              {"highest salary", paid, "a"},
		"a member that can't be compared":  {"highest priority", urgent, ""},
		"the same, said by itself":         {"highest by priority", urgent, ""},
		"a member that there isn't":        {"largest by weight", paid, ""},
		"most of an adjective":             {"most affordable", edited, ""},
		"most recently":                    {"most recently updated", edited, "a"},
		"what was never recorded":          {"most recently opened", edited, ""},
		"fast, by how long it takes":       {"fastest by transit_hours", `[{"id":"a","transit_hours":26},{"id":"b","transit_hours":40}]`, "a"},
		"fast, by when it leaves":          {"fastest", leaves, ""},
		"the date of what others added":    {"newest by date", talked, "a"},
		"newest, beside what others added": {"newest", talked, "a"},
		"next, and not past":               {"next by start", past, "a"},
		"the two next":                     {"two next", past, "ab"},
		"what is past may be the earliest": {"earliest by start", past, "c"},
		"by price and in two currencies":   {"cheapest by price", `[{"id":"a","price":80,"currency":"EUR"},{"id":"b","price":70,"currency":"USD"}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := chosenBy(t, c.by, c.list); got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// chosenBy returns what a criterion chooses of a listing of mails; without one, what is deleted where the newest is kept.
func chosenBy(t *testing.T, by, list string) string {
	t.Helper()
	text := choosing(by)
	if by == "" {
		text = deleting(`"by":"newest"`, "")
	}
	return chosenOf(t, text, mails(nil, list)...)
}

// months is a listing of records of that many months.
func months(n int) string {
	var all []map[string]string
	for i := range n {
		all = append(all, map[string]string{"id": string("123456789xyz"[i]), "date": time.Date(2026, time.Month(i+1), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)})
	}
	data, _ := json.Marshal(all)
	return string(data)
}

// chosenOf returns the ids that a scope covers after some results, for a call in May 2026 that can't be taken back.
func chosenOf(t testing.TB, text string, seen ...attacked) string {
	t.Helper()
	s, refused, err := scope.Parse([]byte(text), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	var results []*match.Result
	for _, a := range seen {
		r := &match.Result{Call: a.tool, Server: "mailbox", Tool: a.tool, Covered: true, Read: true, Early: len(results) == 0, Args: call(a.tool, a.args).Args}
		setContent(r, a.text)
		results = append(results, r)
	}
	got := ""
	for _, id := range "abc123456789xyz" {
		if !strings.Contains(seen[len(seen)-1].text, `"id":"`+string(id)+`"`) {
			continue
		}
		p := call("forward_mail", map[string]string{"/id": "s:" + string(id)})
		p.Now = time.Date(2026, time.May, 20, 12, 0, 0, 0, time.UTC)
		if _, _, ok := match.NewTask(s, "Forward the right ones.").Match(p, results); ok {
			got += string(id)
		}
	}
	return got
}

// TestOrderOfAPlace: who wrote what was read before a listing may have chosen its order, on which a place depends.
func TestOrderOfAPlace(t *testing.T) {
	const list = `[{"id":"a","price":80},{"id":"b","price":90}]`
	note := attacked{"read_file", map[string]string{"/path": "c:note.txt"}, "sort by price"}
	listing := func(args map[string]string) attacked { return attacked{"list_mails", args, list} }
	sorted := map[string]string{"/sort_by": "o:price"}
	for name, c := range map[string]struct {
		by   string
		seen []attacked
		want string
	}{
		"in the listing's own order":     {"first in the list", []attacked{note, listing(nil)}, "a"},
		"in an order that came late":     {"first in the list", []attacked{note, listing(sorted)}, ""},
		"before anything else was read":  {"first in the list", []attacked{listing(sorted)}, "a"},
		"where the order doesn't matter": {"cheapest by price", []attacked{note, listing(sorted)}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := chosenOf(t, choosing(c.by), c.seen...); got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// TestNothingBesideDecides: whatever a record has beside the member that it is compared by, and whatever word is added to
// a criterion, no further record is covered.
func TestNothingBesideDecides(t *testing.T) {
	prices := []any{80, 80, 90, 900, "80 EUR", "ten", nil, "", 1e30}
	words := []string{"", " vegan", " unpaid", " Ann's", " 2nd", " in Bath", " that is 2"}
	rapid.Check(t, func(rt *rapid.T) {
		var plain, more []map[string]any
		for _, id := range []string{"a", "b", "c"} {
			price := rapid.SampledFrom(prices).Draw(rt, "price")
			plain = append(plain, map[string]any{"id": id, "price": price})
			with := map[string]any{"id": id, "price": price}
			for _, member := range []string{"fee", "cost", "value", "rating", "date", "name"} {
				if rapid.Bool().Draw(rt, "has") {
					with[member] = rapid.SampledFrom([]any{1, 2, 3, "2026-01-01", "cheapest", "vegan", "Ann"}).Draw(rt, member)
				}
			}
			more = append(more, with)
		}
		by := rapid.SampledFrom([]string{"cheapest", "most expensive", "highest price", "two cheapest"}).Draw(rt, "by")
		before, _ := json.Marshal(plain)
		after, _ := json.Marshal(more)

		want := chosenOf(t, choosing(by), mails(nil, string(before))...)
		isOther := func(id rune) bool { return !strings.ContainsRune(want, id) }
		of := by + rapid.SampledFrom(words).Draw(rt, "words")
		got := chosenOf(t, choosing(of), mails(nil, string(after))...)
		if slices.ContainsFunc([]rune(got), isOther) {
			rt.Errorf("%s: %q, and %q for %s without the rest: %s", of, got, want, by, after)
		}
	})
}
