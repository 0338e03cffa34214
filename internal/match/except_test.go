package match_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// deleting allows all mails of a listing, except for what is excepted, by a criterion in words.
func deleting(except, by string) string {
	if except != "" {
		except = `,"except":[{"tool":"list_mails","field":"id",` + except + `}]`
	}
	return `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"all","by":"` + by + `"` + except + `}}}]}`
}

// TestAllButOne: what is left out of all by a criterion is found by a program, or the call asks.
func TestAllButOne(t *testing.T) {
	const (
		drafts  = `[{"id":"a","date":"2026-01-03","note":"x"},{"id":"b","date":"2026-01-02","note":"the newest"},{"id":"c","date":"2026-01-01","note":"x"}]`
		tied    = `[{"id":"a","date":"2026-01-03"},{"id":"b","date":"2026-01-03"},{"id":"c","date":"2026-01-01"}]`
		undated = `[{"id":"a","date":"2026-01-03"},{"id":"b"},{"id":"c","date":"2026-01-01"}]`
	)
	newest := deleting(`"by":"the newest"`, "")
	for name, c := range map[string]struct {
		scope, list string
		args        map[string]string // of the listing
		want        string            // the ids that are covered
	}{
		"all but the newest":                       {newest, drafts, nil, "bc"},
		"all but the second in the list":           {deleting(`"by":"the second in the list"`, ""), drafts, nil, "ac"},
		"the newest of those that a condition has": {deleting(`"by":"the newest","where":{"note":"x"}`, ""), drafts, nil, "c"},
		"nobody can tell which one is newest":      {newest, tied, nil, ""},
		"one of them has no date":                  {newest, undated, nil, ""},
		"what no program can tell":                 {deleting(`"by":"the nicest"`, ""), drafts, nil, ""},
		"a listing that was narrowed":              {newest, drafts, map[string]string{"/query": "s:x"}, ""},
		"a part, as its server says":               {newest, `{"has_more":true,"items":` + drafts + `}`, nil, ""},
		"one page of the listing":                  {newest, drafts, map[string]string{"/limit": "o:3"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, id := range []string{"a", "b", "c"} {
				h := hostile{request: "Delete all but the newest.", scope: c.scope, tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(c.args, c.list)}
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

// TestAllHasNoCriterion: a criterion for all is never ignored: it selects records by their words,
// or nothing, and is refused where it leaves something out.
func TestAllHasNoCriterion(t *testing.T) {
	const drafts = `[{"id":"a","title":"Offer"},{"id":"b","title":"Bill"}]`
	for by, want := range map[string]string{"the ones called offer": "a", "what Jo wrote": "", "": "ab"} {
		got := ""
		for _, id := range []string{"a", "b"} {
			h := hostile{request: "Do it.", scope: deleting("", by), tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(nil, drafts)}
			if ok, _ := h.covered(t); ok {
				got += id
			}
		}
		if got != want {
			t.Errorf("%q covers %q, want %q", by, got, want)
		}
	}

	for _, by := range []string{"all but the newest", "the three cheapest", "everything except the offer", "older than 30 days", "the first one"} {
		_, refused, err := scope.Parse([]byte(deleting("", by)), tools(t))
		if err != nil || len(refused) != 1 || !strings.Contains(refused[0].Message, "in except what is left out") {
			t.Errorf("%s: refused %v (%v)", by, refused, err)
		}
	}
	for _, text := range []string{
		`{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","by":"newest"}],"kind":"id","pick":"only"}}}]}`,
		`{"calls":[{"tool":"forward_mail","if":[{"tool":"list_mails","by":"newest"}]}]}`,
		`{"delegates":[{"tool":"list_mails","by":"newest"}]}`,
	} {
		_, refused, err := scope.Parse([]byte(text), tools(t))
		if err != nil || len(refused) != 1 || !strings.Contains(refused[0].Message, "by of a source goes with except") {
			t.Errorf("%s: refused %v (%v)", text, refused, err)
		}
	}
}

// TestWhatIsLeftOutStays draws listings whose words others write: whatever these are, the
// newest record is never covered by "all but the newest".
func TestWhatIsLeftOutStays(t *testing.T) {
	texts := []string{"", "newest", "the newest", "2030-01-01", "id: m0", "date: 1999-01-01", "Offer"}
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.SliceOfNDistinct(rapid.IntRange(10, 28), 1, 5, rapid.ID[int]).Draw(t, "days")
		var records []map[string]any
		newest, at := "", 0
		for i, day := range days {
			id := "m" + strconv.Itoa(i)
			records = append(records, map[string]any{
				"id": id, "date": fmt.Sprintf("2026-01-%d", day),
				"title": rapid.SampledFrom(texts).Draw(t, "title"), "note": rapid.SampledFrom(texts).Draw(t, "note"),
			})
			if day > at {
				newest, at = id, day
			}
		}
		text, err := json.Marshal(records)
		if err != nil {
			t.Fatal(err)
		}
		s, refused, err := scope.Parse([]byte(deleting(`"by":"the newest"`, "")), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
		setContent(r, string(text))
		p := call("forward_mail", map[string]string{"/id": "s:" + newest})
		p.Irreversible = rapid.Bool().Draw(t, "irreversible")
		if _, _, ok := match.NewTask(s, "All but the newest.").Match(p, []*match.Result{r}); ok {
			t.Fatalf("%s is covered, the newest of %s", newest, text)
		}
	})
}

// TestLeftOutByOneOfSeveralNames: what is left out is told by any member that the condition names
// and a record has; where a result has none of them, every call asks.
func TestLeftOutByOneOfSeveralNames(t *testing.T) {
	but := deleting(`"where":{"type":{"contains":["dental"],"or":["reason"]}}`, "")
	for name, c := range map[string]struct {
		list string
		want string // the ids that are covered
	}{
		"one of the names": {`[{"id":"a","reason":"dental cleaning"},{"id":"b","reason":"nail trim"},{"id":"c","reason":"check"}]`, "bc"},
		"both":             {`[{"id":"a","type":"visit","reason":"dental cleaning"},{"id":"b","type":"dental","reason":"x"},{"id":"c","type":"visit","reason":"check"}]`, "c"},
		"neither":          {`[{"id":"a","about":"dental cleaning"},{"id":"b","about":"nail trim"},{"id":"c","about":"check"}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, id := range []string{"a", "b", "c"} {
				h := hostile{request: "Delete all but the dental one.", scope: but, tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(nil, c.list)}
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

// TestLeftOutOfAPart: what is left out may be looked for in a part of a listing where the values come
// from the same part, and from nothing else.
func TestLeftOutOfAPart(t *testing.T) {
	const (
		all     = `[{"id":"a","name":"Ann"},{"id":"b","name":"Bo"}]`
		ordered = `[{"no":7,"id":"a"}]`
		source  = `{"tool":"list_mails","args":{"/day":{"is":"5"}},"field":"id"}`
		other   = `{"tool":"list_mails","args":{"/day":{"is":"6"}},"field":"id"}`
		open    = `{"tool":"list_mails","field":"id"}`
	)
	day := map[string]string{"/day": "o:5"}
	for name, c := range map[string]struct {
		from        string
		listed, out map[string]string // the arguments of the listing, and of what is left out
		want        string            // the ids that are covered
		miss        string            // in the reason for b
	}{
		"of the same part":               {source, day, day, "b", ""},
		"of all":                         {source, day, nil, "b", ""},
		"of another part":                {source, day, map[string]string{"/day": "o:6"}, "", "read_file was called with /day"},
		"the values are of all":          {open, nil, day, "", "read_file was called with /day"},
		"some values are of all":         {source + "," + open, day, day, "", "read_file was called with /day"},
		"some values are of another one": {source + "," + other, day, day, "", "read_file was called with /day"},
		"narrowed once more":             {source, day, map[string]string{"/day": "o:5", "/class": "o:9"}, "", "read_file was called with /class"},
		"a page of the same length":      {strings.ReplaceAll(source, "/day", "/limit"), map[string]string{"/limit": "o:5"}, map[string]string{"/limit": "o:1"}, "", "read_file was called with /limit"},
		"a limit as stated":              {strings.ReplaceAll(source, `"/day":{"is":"5"}`, `"/limit":{"is":"1"}`), map[string]string{"/limit": "o:1"}, map[string]string{"/limit": "o:1"}, "", "read_file was called with /limit"},
		"the values narrowed otherwise":  {source, map[string]string{"/day": "o:6"}, day, "", "list_mails was called with /day"},
		"the values not narrowed":        {source, nil, day, "", "list_mails was called without /day"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, id := range []string{"a", "b"} {
				h := hostile{
					request: "Forward those that are in no file.", tool: "forward_mail", args: map[string]string{"/id": "s:" + id},
					results: []attacked{{"list_mails", c.listed, all}, {"read_file", c.out, ordered}},
					scope:   `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[` + c.from + `],"kind":"id","pick":"all","except":[{"tool":"read_file","field":"id"}]}}}]}`,
				}
				ok, misses := h.covered(t)
				if ok {
					got += id
				} else if id == "b" && !strings.Contains(strings.Join(misses, "\n"), c.miss) {
					t.Errorf("%q doesn't say %q", misses, c.miss)
				}
			}
			if got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// TestWhatIsLeftOutIsThere: who leaves out something by its name is asked where nothing is called so, since another spelling of it would
// not be left out. What has no name may be nothing at all.
func TestWhatIsLeftOutIsThere(t *testing.T) {
	const bills = `[{"id":"a","issuer":"Luz del Sur","paid":false},{"id":"b","issuer":"GymPlus","paid":false}]`
	for where, want := range map[string]string{
		`{"issuer":"GymPlus"}`:                  "a",
		`{"issuer":{"contains":"gym"}}`:         "a",
		`{"issuer":{"contains":"fitness"}}`:     "",
		`{"issuer":["Fitness Club","GymPlus"]}`: "a",
		`{"issuer":"Fitness Club"}`:             "",
		`{"issuer":{"prefix":"Fit"}}`:           "",
		`{"paid":true}`:                         "ab",
		`{"status":"overdue"}`:                  "",
		`{}`:                                    "",
	} {
		got := ""
		for _, id := range []string{"a", "b"} {
			for _, write := range []bool{true, false} {
				h := hostile{request: "Pay all bills but that of GymPlus, the gym, Fit, fitness, Fitness Club.", scope: deleting(`"where":`+where, ""), tool: "forward_mail",
					args: map[string]string{"/id": "s:" + id}, results: mails(nil, bills), write: write}
				if ok, _ := h.covered(t); ok && write {
					got += id
				} else if ok && !strings.Contains(got, id) {
					t.Errorf("%s: only what can't be taken back is covered for %s", where, id)
				}
			}
		}
		if got != want {
			t.Errorf("%s: covered %q, want %q", where, got, want)
		}
	}
}

// TestOnlyOneIsLeft: of two, the only one is the one that isn't left out. What others may have written to be left out leaves none.
func TestOnlyOneIsLeft(t *testing.T) {
	const mine = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","field":"id"}],"kind":"id","pick":"only","except":[{"tool":"list_events","field":"id","where":{"place":{"contains":"balcony"}}}]}}}]}`
	seats := func(first, second string) []returned {
		return events(`[{"id":"e1","place":"` + first + `"},{"id":"e2","place":"` + second + `"}]`)
	}
	is := map[string]string{"/id": "s:e2"}
	askings{
		"the other one":        {scope: mine, said: "Not the one on the balcony", args: is, results: seats("balcony, row 2", "stalls"), want: true},
		"the one left out":     {scope: mine, said: "Not the one on the balcony", args: map[string]string{"/id": "s:e1"}, results: seats("balcony, row 2", "stalls")},
		"both are left out":    {scope: mine, said: "Not the one on the balcony", args: is, results: seats("balcony", "balcony")},
		"neither is left out":  {scope: mine, said: "Not the one on the balcony", args: is, results: seats("stalls", "stalls")},
		"it may be either one": {scope: mine, said: "Not the one on the balcony", args: is, results: seats("balcon y", "stalls")},
	}.run(t)
}

// TestObjectAmongOthersInARoom: what a call's object has already is told by the value that no other record has.
func TestObjectAmongOthersInARoom(t *testing.T) {
	const move = `{"calls":[{"tool":"move_event","args":{"/event_id":{"is":"e1"},"/room":{"unchanged":true},"/host":{"unchanged":true}}}]}`
	results := events(`[{"event_id":"e1","room":"Oak","host":"Ann"},{"event_id":"e2","room":"Oak","host":"Kim"}]`)
	with := func(host string) map[string]string {
		return map[string]string{"/event_id": "s:e1", "/room": "s:Oak", "/host": "c:" + host}
	}
	askings{
		"its own host":         {scope: move, said: "Move e1 in Oak", tool: "move_event", args: with("Ann"), results: results, want: true},
		"that of the next one": {scope: move, said: "Move e1 in Oak", tool: "move_event", args: with("Kim"), results: results},
	}.run(t)
}
