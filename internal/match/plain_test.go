package match_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestLookedUpAsHeld: what is looked up in a result gives the same cover, or the same reasons against one, as holding each of its records to
// all that the scope says.
func TestLookedUpAsHeld(t *testing.T) {
	texts := []string{"Ann", " ann ", "ANN", "Anna", "Ann GmbH", "GmbH Ann", "Ann, Inc.", "Änn", "K", "\u212a", "open", "Open", "https://x.example", "https://x.example/", "7", "7.0", "07",
		"2026-01-02", "2026-01-02T00:00:00Z", "a/b", "ann@corp.example", "true", ""}
	asked := []string{"Ann", "Ann", "Ann", "ann", "K", "open", "https://x.example", "7", "2026-01-02", "a/b", "Ann GmbH", "ann@corp.example", "true"}
	names := []string{"from", "supplier", "name", "Name", "state"}
	covered, missed := 0, 0

	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom(texts), rapid.SampledFrom(texts[:7]))
		record := func(label string, depth int) map[string]any {
			out := map[string]any{}
			for _, n := range names {
				switch rapid.IntRange(0, 9).Draw(t, label+n) {
				case 0:
				case 1:
					out[n] = []any{text.Draw(t, "one"), text.Draw(t, "other")}
				case 2:
					out[n] = map[string]any{"name": text.Draw(t, "within"), "id": "x"}
				default:
					out[n] = text.Draw(t, "text")
				}
			}
			out["thread"] = "t" + label
			return out
		}
		var records []any
		for i := range rapid.IntRange(1, 4).Draw(t, "records") {
			records = append(records, record(fmt.Sprint(i), 0))
		}
		var listing any = records
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			listing = map[string]any{"items": records, "total": len(records)}
		case 1:
			listing = map[string]any{"first": records[0], "last": records[len(records)-1]}
		case 2:
			listing = records[0]
		}
		content, err := json.Marshal(listing)
		if err != nil {
			t.Fatal(err)
		}

		where := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(t, "conditions") { // of none, all are meant
			var value any = rapid.SampledFrom(asked).Draw(t, "asked")
			if rapid.IntRange(0, 3).Draw(t, "several") == 0 {
				value = []any{value, rapid.SampledFrom(asked).Draw(t, "or")}
			}
			if rapid.IntRange(0, 3).Draw(t, "words") == 0 {
				value = map[string]any{"contains": value}
			}
			where[rapid.SampledFrom(names).Draw(t, "member")] = value
		}
		source := map[string]any{"tool": "list_mails", "field": rapid.SampledFrom([]string{"thread", "thread", "id", "name"}).Draw(t, "field")}
		if len(where) > 0 {
			source["where"] = where
		}
		constraint := map[string]any{"from": []any{source}, "kind": "id", "pick": rapid.SampledFrom([]string{"only", "all"}).Draw(t, "pick")}
		stated := rapid.SampledFrom(asked).Draw(t, "stated")
		written, err := json.Marshal(map[string]any{"calls": []any{map[string]any{"tool": "forward_mail", "times": 3,
			"args": map[string]any{"/thread": constraint, "/to": map[string]any{"is": stated}}}}})
		if err != nil {
			t.Fatal(err)
		}
		s, refused, err := scope.Parse(written, nil)
		if err != nil || len(refused) > 0 {
			t.Skip("no such scope")
		}
		request := "Do it with " + stated + " and Ann."
		p := call("forward_mail", map[string]string{"/thread": "s:" + rapid.SampledFrom([]string{"t0", "t0", "t1", "Ann"}).Draw(t, "proposed"),
			"/to": rapid.SampledFrom([]string{"t:", "c:"}).Draw(t, "role") + rapid.OneOf(rapid.Just(stated), rapid.Just(stated), text).Draw(t, "to")})
		p.Irreversible = rapid.Bool().Draw(t, "irreversible")
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true}
		setContent(r, string(content))

		cover, misses, ok := match.NewTask(s, request).Match(p, []*match.Result{r})
		held, heldMisses, heldOK := match.NewTask(s, request).Unindexed().Match(p, []*match.Result{r.Unindexed()})
		if ok != heldOK || !reflect.DeepEqual(cover, held) || !reflect.DeepEqual(misses, heldMisses) {
			t.Fatalf("%s\nin %s:\n%v %v %v\nheld: %v %v %v", written, content, cover, ok, misses, held, heldOK, heldMisses)
		}
		if ok {
			covered++
		} else {
			missed++
		}
	})
	t.Logf("%d covered, %d not", covered, missed)
}
