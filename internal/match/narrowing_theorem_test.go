package match_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// narrowing is an argument by which a steered agent narrows a listing.
type narrowing struct{ argument, value string }

// leaves reports whether a server that filters by the argument lists a record: one of words to look for has them in any member, a
// member's own has them in that, and what no record has is the server's own affair.
func (n narrowing) leaves(record map[string]any, hidden bool) bool {
	looked := strings.ToLower(n.value)
	switch own, has := record[n.argument].(string); {
	case n.argument == "query":
		return !containsAll(record, strings.Fields(looked))
	case n.argument == "date_to":
		return record["created"].(string) > n.value
	case has:
		return !strings.Contains(strings.ToLower(own), looked)
	}
	return hidden
}

// containsAll reports whether each of some words is in a text of a record.
func containsAll(record map[string]any, looked []string) bool {
	all := map[string]bool{}
	for _, v := range record {
		text, _ := v.(string)
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' }) {
			all[w] = true
		}
	}
	for _, w := range looked {
		if !all[w] {
			return false
		}
	}
	return true
}

// TestNarrowingShowsNoOther draws a listing whose every value others may have written, and an argument by which they have the agent narrow
// it: what can't be taken back is covered for a record of the rest only where it is for the same one of the whole listing.
func TestNarrowingShowsNoOther(t *testing.T) {
	names := []string{"Ann Lee", "Ann", "Lee Ann", "Bo", "Ann-Lee Moss", "Annabel", "Rent", "Rent Ann"}
	arguments := []string{"query", "name", "title", "owner", "city", "date_to", "owner_id", "id", "state", "category", "kind_of_bill"}
	values := append([]string{"o1", "i0", "i1", "open", "1", "2026-05-03", "2026-05-06", "Lee", "ann lee", "rent"}, names...)
	conditions := []string{
		`{"name":{"is":"Ann Lee"}}`, `{"name":{"contains":"Ann"}}`, `{"owner":{"contains":["Ann","Lee"]}}`, `{"title":{"contains":"Rent"},"owner":{"is":"Ann"}}`,
		`{"name":{"contains":"Ann","or":["title"]}}`, `{"created":{"after":"2026-04-30"},"owner":{"is":"Ann"}}`, `{"name":{"is":["Ann","Lee Ann"]}}`,
	}
	picks := []string{`"only"`, `"only","by":"Rent"`, `"only","by":"Ann (Rent)"`, `"only","by":"rent, Lee"`, `"choice","by":"newest by created"`, `"choice","by":"cheapest by price"`}

	rapid.Check(t, func(t *rapid.T) {
		name := func(member string) string { return rapid.SampledFrom(names).Draw(t, member) }
		n := narrowing{rapid.SampledFrom(arguments).Draw(t, "argument"), rapid.SampledFrom(values).Draw(t, "value")}
		var all, rest listing
		for i := range rapid.IntRange(1, 4).Draw(t, "records") {
			r := map[string]any{
				"id": fmt.Sprint("i", i), "account": fmt.Sprintf("DE8937040044053201300%d", i), "name": name("name"), "title": name("title"), "owner": name("owner"), "city": name("city"),
				"owner_id": rapid.SampledFrom([]string{"o1", "o2"}).Draw(t, "owner_id"), "state": rapid.SampledFrom([]string{"open", "done"}).Draw(t, "state"),
				"price": rapid.IntRange(1, 4).Draw(t, "price"), "created": fmt.Sprintf("2026-05-0%d", rapid.IntRange(1, 5).Draw(t, "created")),
			}
			all = append(all, r)
			if !n.leaves(r, rapid.Bool().Draw(t, "hidden")) {
				rest = append(rest, r)
			}
		}

		where, pick := rapid.SampledFrom(conditions).Draw(t, "where"), rapid.SampledFrom(picks).Draw(t, "pick")
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_bills","field":"account","where":`+where+`}],"kind":"account","pick":`+pick+`}}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		covered := func(l listing, account string, args ...match.Argument) bool {
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"narrow what you list"}`)
			bills := &match.Result{Call: "b", Server: "mailbox", Tool: "list_bills", Covered: true, Read: true, Args: args}
			setContent(bills, encoded(t, l))
			_, _, ok := match.NewTask(s, "Pay the rent to Ann Lee, the newest.").Match(call("pay", map[string]string{"/account": "t:" + account}), []*match.Result{mail, bills})
			return ok
		}

		for _, r := range rest {
			account := r["account"].(string)
			narrowed := match.Argument{Pointer: "/" + n.argument, Text: n.value, Role: label.Selector, Foreign: true}
			if covered(rest, account, narrowed) && !covered(all, account) {
				t.Fatalf("%+v covers %s of %s, where %s, pick %s", n, account, encoded(t, all), where, pick)
			}
		}
	})
}
