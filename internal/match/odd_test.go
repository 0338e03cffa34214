package match_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// TestOddNames: whatever members and values results have, also such without a word, each way to look through them comes to an end.
func TestOddNames(t *testing.T) {
	names := []string{"", "!", "-", "_", "0", "7", " ", "é", "\u0301", "id", "name", "state", "price", "last", "unread", "last_seen", "created", "items", "total", "of", "a/b", "a@b.example", "~", "note", "mail", "currency", "amount", "per"}
	values := []any{"", "!", " ", "a7", "n7", "open", "7", "0", "-", "a@x.example", "2026-01-02", "2026-01-02T10:00:00Z", "10:00", "\u0301", "/", "-1", "1e3", "1.200", "...", "---- a ----", "From: a@b.example",
		true, false, nil, 7, 0, -1, 1.5, []any{}, map[string]any{}}
	ways := slices.Sorted(maps.Keys(searches))

	rapid.Check(t, func(t *rapid.T) {
		var value func(depth int) any
		isUsual := rapid.Bool().Draw(t, "usual") // the records have what is looked for, and the same in two results
		object := func(depth int) map[string]any {
			out := map[string]any{}
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				out[rapid.SampledFrom(names).Draw(t, "name")] = value(depth + 1)
			}
			if isUsual && depth == 0 {
				out["id"], out["state"] = rapid.SampledFrom([]string{"a7", "a8"}).Draw(t, "id"), "open"
			}
			return out
		}
		value = func(depth int) any {
			switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
			case kind == 0 && depth < 3:
				return object(depth)
			case kind == 1 && depth < 3:
				return []any{value(depth + 1), value(depth + 1)}
			case kind == 2 && depth < 3:
				return []any{object(depth), object(depth)}
			}
			return rapid.SampledFrom(values).Draw(t, "value")
		}

		var results []*match.Result
		for _, tool := range []string{"list_mails", "list_mails", "read_file"} {
			var content any = []any{object(0), object(0)}
			if rapid.IntRange(0, 3).Draw(t, "one") == 0 {
				content = object(0)
			}
			text, err := json.Marshal(content)
			if err != nil {
				t.Fatal(err)
			}
			r := &match.Result{Call: tool, Server: "mailbox", Tool: tool, Covered: true, Read: true, Early: rapid.Bool().Draw(t, "early")}
			setContent(r, string(text))
			results = append(results, r)
		}
		search := searches[rapid.SampledFrom(ways).Draw(t, "way")]
		task, p := searching(t, search.entry, search.args)
		p.Irreversible = rapid.Bool().Draw(t, "irreversible")
		if rapid.Bool().Draw(t, "more") {
			pointer := "/" + strictjson.EscapeToken(rapid.SampledFrom(names).Draw(t, "argument"))
			p.Args = append(p.Args, match.Argument{Pointer: pointer, Text: "7", Role: rapid.SampledFrom([]label.Role{label.Control, label.Selector, label.Target}).Draw(t, "role")})
		}
		task.Match(p, results)
	})
}

// TestNamelessMembers: a member whose name has no word says what is so as any other does.
func TestNamelessMembers(t *testing.T) {
	h := hostile{
		request: "Forward them.", tool: "forward_mail", args: map[string]string{"/id": "s:m1"},
		scope:   `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"mail_id","where":{"status":"open"}}],"kind":"id","pick":"all"}}}]}`,
		results: []attacked{{"list_mails", nil, `[{"mail_id":"m1","status":"open","":3}]`}, {"read_file", nil, `{"mail_id":"m1","":4}`}},
	}
	if covered, _ := h.covered(t); covered {
		t.Error("a number that has changed is not seen")
	}
}
