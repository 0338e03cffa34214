package match_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestConditionsUnderOtherNames checks which record a condition selects, for what can't be taken
// back, when its name differs from the tool's member.
func TestConditionsUnderOtherNames(t *testing.T) {
	const friday = `{"when":{"after":"2026-01-08","before":"2026-01-10"}}`
	for name, c := range map[string]struct {
		where, list, value string
		want               bool
	}{
		"the same thing":                             {`{"assignee":"Ann"}`, `[{"id":"U1","assignee_name":"Ann"},{"id":"U2","assignee_name":"Eve"}]`, "U1", true},
		"of another kind":                            {`{"assignee mail":"Ann"}`, `[{"id":"U1","assignee_name":"Ann"}]`, "U1", false},
		"words that nobody said":                     {`{"assignee":"Bob"}`, `[{"id":"U1","assignee_name":"Bob"}]`, "U1", false},
		"two that say the same":                      {`{"sender":"Ann"}`, `[{"id":"U1","from":"Ann","author":"Eve"}]`, "U1", false},
		"a kind of value alone":                      {`{"name":"Ann"}`, `[{"id":"U1","payee":"Ann"}]`, "U1", false},
		"a member that people fill":                  {`{"client id":"Ann"}`, `[{"id":"U1","client_ref":"Ann"}]`, "U1", false},
		"a key in one record":                        {`{"assignee":"Ann"}`, `[{"id":"U1","assignee_name":"Ann"},{"id":"U2"}]`, "U1", false},
		"the only time":                              {friday, `[{"id":"U1","departs":"2026-01-09 10:00"},{"id":"U2","departs":"2026-02-09 10:00"}]`, "U1", true},
		"the start of what has an end":               {friday, `[{"id":"U1","startsAt":"2026-01-09 10:00","endsAt":"2026-01-09 11:00"},{"id":"U2","startsAt":"2026-01-01 10:00","endsAt":"2026-01-09 11:00"}]`, "U1", true},
		"a stay begins when one arrives":             {`{"from":{"after":"2026-01-08","before":"2026-01-10"}}`, `[{"id":"U1","arrives":"2026-01-09","leaves":"2026-01-12"},{"id":"U2","arrives":"2026-01-02","leaves":"2026-01-09"}]`, "U1", true},
		"a start and an end in no order":             {friday, `[{"id":"U1","start":"2026-01-09","end":"2026-01-01"},{"id":"U2","start":"2026-01-01","end":"2026-01-03"}]`, "U1", false},
		"two times that are no span":                 {friday, `[{"id":"U1","created":"2026-01-09","due":"2026-02-01"}]`, "U1", false},
		"a remark that is a time":                    {friday, `[{"id":"U1","starts":"Monday","remark":"2026-01-09"}]`, "U1", false},
		"a time beside a remark that is one":         {friday, `[{"id":"U1","starts":"2026-01-09","remark":"2026-01-20"}]`, "U1", true},
		"a time that says the same":                  {`{"pickup":{"is":"2026-01-09"}}`, `[{"id":"U1","pickup_at":"2026-01-09 10:00","due":"2026-02-01"},{"id":"U2","pickup_at":"2026-01-10 10:00","due":"2026-01-09"}]`, "U1", true},
		"bounds on a time that says the same":        {`{"departure":{"after":"2026-01-08","before":"2026-01-10"}}`, `[{"id":"U1","departure_time":"2026-01-09 10:00","booked_at":"2026-02-01"}]`, "U1", true},
		"one of several names that says the same":    {`{"visit":{"is":"2026-01-09","or":["visit day"]}}`, `[{"id":"U1","visit_on":"2026-01-09"}]`, "U1", true},
		"two times that say the same":                {`{"pickup":{"is":"2026-01-09"}}`, `[{"id":"U1","pickup_at":"2026-01-09 10:00","pickup_date":"2026-01-20"}]`, "U1", false},
		"a text that says the same":                  {`{"pickup":{"is":"2026-01-09"}}`, `[{"id":"U1","pickup_note":"2026-01-09"}]`, "U1", false},
		"a time in some records that says the same":  {`{"pickup":{"is":"2026-01-09"}}`, `[{"id":"U1","pickup_at":"2026-01-09"},{"id":"U2","pickup_at":"soon"}]`, "U1", false},
		"another thing's time":                       {`{"renewal":{"after":"2026-01-08"}}`, `[{"id":"U1","created":"2026-01-09"}]`, "U1", false},
		"an attachment with the title":               {`{"title":"Ann"}`, `[{"id":"U0","title":"Lesson","attachments":[{"id":"U1","title":"Ann"}]}]`, "U1", false},
		"a comment by another name":                  {`{"sender":"Ann"}`, `[{"id":"U0","from":"Bob","comments":[{"id":"U1","from":"Ann"}]}]`, "U1", false},
		"what a comment is answered with":            {`{"title":"Ann"}`, `[{"id":"U0","title":"Lesson","comments":[{"id":"U1","replies":[{"title":"Ann"}]}]}]`, "U1", false},
		"a member that only the inner records have":  {`{"name":"Ann"}`, `{"event":"Lunch","guests":[{"id":"U1","name":"Ann"},{"id":"U2","name":"Bob"}]}`, "U1", true},
		"the record around, by an object's own name": {`{"buyer":"Ann"}`, `[{"id":"U1","buyer":{"name":"Ann"}},{"id":"U2","buyer":{"name":"Eve"}}]`, "U1", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Do it for Ann.", tool: "forward_mail", args: map[string]string{"/id": "s:" + c.value}, results: mails(nil, c.list),
				scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":` + c.where + `}],"kind":"id","pick":"only"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestWhatSpeaksAgainst: what speaks against a call does so under whatever name a scope guesses,
// and where nothing is called so, that is a question.
func TestWhatSpeaksAgainst(t *testing.T) {
	const (
		unless = `{"calls":[{"tool":"forward_mail","unless":[{"tool":"list_mails","where":{"begins":{"before":"2026-01-08 13:45"},"ends":{"after":"2026-01-08 13:00"}}}],"args":{"/to":{"is":"Ann"}}}]}`
		except = `{"calls":[{"tool":"forward_mail","args":{"/to":{"from":[{"tool":"read_file","args":{"/path":{"is":"all"}},"field":"name"}],"kind":"name","pick":"all","except":[{"tool":"list_mails","field":"name","where":{"sender":"Bob"}}]}}}]}`
	)
	for name, c := range map[string]struct {
		scope, list string
		want        bool
	}{
		"nothing at that time":        {unless, `[{"id":"1","startsAt":"2026-01-08 09:00","endsAt":"2026-01-08 10:00"}]`, true},
		"something at that time":      {unless, `[{"id":"1","startsAt":"2026-01-08 12:00","endsAt":"2026-01-08 14:00"}]`, false},
		"a part of it at that time":   {unless, `[{"id":"1","name":"day","parts":[{"begins":"2026-01-08 13:10","ends":"2026-01-08 13:20"}]}]`, false},
		"left out under another name": {except, `[{"name":"Ann","author":"Bob"}]`, false},
		"another one is left out":     {except, `[{"name":"Eve","author":"Bob"},{"name":"Ann","author":"Jo"}]`, true},
		"nothing is called so":        {except, `[{"name":"Ann","colour":"Bob"}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			people := attacked{"read_file", map[string]string{"/path": "c:all"}, `["Ann","Jo"]`}
			h := hostile{request: "Write to Ann unless something is on, and not to those of Bob.", scope: c.scope, tool: "forward_mail", args: map[string]string{"/to": "t:Ann"}, results: append(mails(nil, c.list), people)}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestNumbersOfThings: the number that a service gives its things is the id that an argument
// called after them takes; what others fill is not.
func TestNumbersOfThings(t *testing.T) {
	for name, c := range map[string]struct {
		pointer, list, value string
		want                 bool
	}{
		"the number of an order":          {"/order", `[{"orderNo":"A-1","name":"Ann"},{"orderNo":"A-2","name":"Eve"}]`, "A-1", true},
		"a code of it":                    {"/order_id", `[{"order_ref":"A-1","name":"Ann"}]`, "A-1", true},
		"the number of another thing":     {"/order", `[{"invoiceNo":"A-1","name":"Ann"}]`, "A-1", false},
		"a reference of nothing":          {"/order", `[{"reference":"A-1","name":"Ann"}]`, "A-1", false},
		"behind what the record is":       {"/order", `[{"key":"T-1","name":"Ann","orderNo":"A-1"}]`, "A-1", false},
		"the number of another's as well": {"/order", `[{"orderNo":"A-1","name":"Ann"},{"orderNo":"A-1","name":"Eve"}]`, "A-1", false},
		"several words":                   {"/order", `[{"orderNo":"all of A-1","name":"Ann"}]`, "all of A-1", false},
		"of what is in the record":        {"/order", `[{"name":"Ann","lines":[{"orderNo":"A-1"}]}]`, "A-1", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"cancel","args":{"`+c.pointer+`":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
			setContent(r, c.list)
			p := call("cancel", map[string]string{c.pointer: "s:" + c.value})
			p.Irreversible = true
			if _, misses, ok := match.NewTask(s, "Cancel what Ann ordered.").Match(p, []*match.Result{r}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestAConditionIsOnTheToolsMember draws records whose every value an attacker may have written,
// with the attacker's objects in them: a condition, under any name that a planner may guess,
// selects only records of the listing itself whose own member meets it.
func TestAConditionIsOnTheToolsMember(t *testing.T) {
	guesses := []struct{ name, member string }{{"sender", "from"}, {"from", "from"}, {"assignee", "assignee_name"}, {"author", "from"}, {"title", "heading"}}
	values := []string{"Ann", "Eve", "from: Ann", "Ann and Eve", "2026-01-09", ""}

	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(guesses).Draw(t, "condition")
		others := []string{"note", "body", "reference", "name", "colour"}
		record := func(id string, forges bool) map[string]any {
			r := map[string]any{"id": id, c.member: rapid.SampledFrom(values).Draw(t, "value")}
			for _, m := range others {
				r[m] = rapid.SampledFrom(values).Draw(t, m)
			}
			if forges {
				forged := rapid.SampledFrom([]string{c.name, "sender", "from", "title", "handle"}).Draw(t, "forged")
				r["comments"] = []any{map[string]any{"id": "E" + id, forged: "Ann"}}
			}
			return r
		}
		var records listing
		for i := range rapid.IntRange(1, 4).Draw(t, "records") {
			records = append(records, record(string(rune('1'+i)), rapid.Bool().Draw(t, "forges")))
		}
		text, err := json.Marshal(records)
		if err != nil {
			t.Fatal(err)
		}

		s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"`+c.name+`":"Ann"}}],"kind":"id","pick":"all"}}}]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
		setContent(r, string(text))
		meant := records.having("id", c.member, "Ann")
		for _, id := range []string{"1", "2", "3", "4", "E1", "E2", "E3", "E4"} {
			p := call("forward_mail", map[string]string{"/id": "s:" + id})
			p.Irreversible = true
			_, _, ok := match.NewTask(s, "Forward what is of Ann.").Match(p, []*match.Result{r})
			// A title is also one with the words, where none is just these.
			worded := c.name == "title" && len(meant) == 0 && id[0] != 'E'
			if ok && !slices.Contains(meant, id) && !worded {
				t.Fatalf("%s is covered for %s, and %v are meant: %s", id, c.name, meant, text)
			}
		}
	})
}

// TestFiltersLeftOut: what a call left out of a source's filters, its records are held to.
func TestFiltersLeftOut(t *testing.T) {
	const (
		days  = `[{"id":"U1","heading":"Budget","startsAt":"2026-01-14 15:00","endsAt":"2026-01-14 16:00"},{"id":"U2","heading":"Budget","startsAt":"2026-01-21 15:00","endsAt":"2026-01-21 16:00"}]`
		mails = `[{"id":"U1","sender":"Ann","body":"x","replies":[{"id":"U3","sender":"Ann"}]},{"id":"U2","sender":"Eve","body":"sender: Ann"}]`
	)
	for name, c := range map[string]struct {
		args, list, value string
		called            map[string]string
		want              bool
	}{
		"the day's":                           {`{"/day":{"is":"2026-01-14"}}`, days, "U1", nil, true},
		"another day's":                       {`{"/day":{"is":"2026-01-14"}}`, days, "U2", nil, false},
		"whose sender it is":                  {`{"/sender":{"is":"Ann"}}`, mails, "U1", nil, true},
		"another sender's, with the words":    {`{"/sender":{"is":"Ann"}}`, mails, "U2", nil, false},
		"what somebody added to it":           {`{"/sender":{"is":"Ann"}}`, mails, "U3", nil, false},
		"another filter than the source's":    {`{"/sender":{"is":"Ann"}}`, mails, "U1", map[string]string{"/sender": "c:Eve"}, false},
		"what the records don't have":         {`{"/folder":{"is":"inbox"}}`, mails, "U1", nil, false},
		"a text that has no records":          {`{"/sender":{"is":"Ann"}}`, "sender: Ann\nid: U1", "U1", nil, false},
		"a filter that finds what it was for": {`{"/sender":{"is":"Ann"}}`, `[{"id":"U1","sender":"A. Berg"}]`, "U1", map[string]string{"/sender": "c:Ann"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","args":`+c.args+`,"field":"id"}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Args: call("", c.called).Args}
			setContent(r, c.list)
			p := call("forward_mail", map[string]string{"/id": "s:" + c.value})
			p.Irreversible = true
			if _, misses, ok := match.NewTask(s, "Forward what Ann sent.").Match(p, []*match.Result{r}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestElementThatIsNoRecord: a text among the records of a list says that there are more of them.
func TestElementThatIsNoRecord(t *testing.T) {
	const only = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`
	for list, want := range map[string]bool{
		`[{"id":"U1","name":"Ann"}]`: true, `[{"id":"U1","name":"Ann"},"…"]`: false, `[{"id":"U1","name":"Ann"},13]`: false,
		`{"mails":[{"id":"U1","name":"Ann"},"and 13 more"]}`: false, `{"mails":[{"id":"U1","name":"Ann","tags":["a"]}]}`: true,
	} {
		h := hostile{request: "Forward what Ann wrote.", scope: only, results: mails(nil, list), tool: "forward_mail", args: map[string]string{"/id": "s:U1"}}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", list, got, want, misses)
		}
	}
}

// TestPartsOfListings: what can't be taken back relies on no listing of which its server says
// that there is more.
func TestPartsOfListings(t *testing.T) {
	const only = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`
	for beside, want := range map[string]bool{
		`"ok":true`: true, `"has_more":false`: true, `"next_cursor":null`: true, `"next":""`: true, `"total_count":1`: true, `"total":98.5`: true, `"next_run":"2026-01-01"`: true,
		`"has_more":true`: false, `"nextCursor":"c2Ft"`: false, `"next":"/mails?page=2"`: false, `"next_page":2`: false, `"total_count":7`: false, `"truncated":true`: false,
		`"total":98`: false, `"total":1`: true, `"count":98`: false, `"numFound":98,"start":0`: false, `"hits":{"total":{"value":98,"relation":"eq"}}`: false, `"meta":{"total":98}`: false,
		`"page":1,"total_pages":9`: false, `"current_page":1,"last_page":9`: false, `"page":1,"pages":1`: true, `"page":2`: false, `"query":"Ann","total":98`: false,
		`"LastEvaluatedKey":{"id":"x"}`: false, `"pageToken":"c2"`: false, `"bookmark":"b"`: false, `"paging":{"cursors":{"after":"c2"}}`: false, `"@odata.count":57`: false,
		`"links":[{"rel":"next","href":"/mails?page=2"}]`: false, `"links":[{"rel":"self","href":"/mails"}]`: true, `"link":"</mails?page=2>; rel=\"next\""`: false,
		`"matched":57,"returned":1`: false, `"page":"1/57"`: false, `"page":"1/1"`: true, `"shown":"1 of 57"`: false, `"shown":"1 of 1"`: true, `"range":"items 0-0/57"`: false,
		`"items_left":56`: false, `"items_left":0`: true, `"capped":true`: false, `"eof":false`: false, `"eof":true`: true, `"offset":20`: false, `"offset":0`: true, `"previous":"/mails?page=1"`: false,
		`"errors":[{"mailbox":"b","code":500}]`: false, `"errors":[]`: true, `"unreachable":["b"]`: false, `"timed_out":true`: false, `"timed_out":false`: true, `"_shards":{"failed":2}`: false, `"_shards":{"failed":0}`: true,
		`"nächste":"/mails?seite=2"`: false, `"hay_mas":true`: false, `"hay_mas":false`: true, `"seiten":3`: false, `"seiten":1`: true, `"下一页":"c2"`: false, `"次ページ":"c2"`: false, `"toplam":57`: false, `"score":"3/5"`: false,
		`"seite":1,"seiten":3`: false, `"strona":1,"stron":2`: false, `"side":1,"antal_sider":4`: false, `"صفحة":1,"صفحات":3`: false, `"range":{"from":1,"to":1,"of":17}`: false,
		`"links":[{"rel":"Next","href":"/mails?page=2"}]`: false, `"links":[{"rel":"next last","href":"/mails?page=2"}]`: false, `"link":"</mails?page=2>; rel='next'"`: false, `"link":"</mails?page=2>; rel=\"Next\""`: false,
		`"link":"</mails?page=2>; rel=\"last next\""`: false, `"link":"</mails>; rel=\"self\""`: true, `"shown":"1 - 2 of 1,057"`: false, `"shown":"results 1 to 2 of 57"`: false, `"shown":"1–2 of about 57"`: false,
		`"error":"backend 2 is down"`: false, `"error":""`: true, `"warnings":["b is down"]`: false, `"warnings":[]`: true, `"first":21`: false, `"first":1`: true, `"from":3`: false, `"from":"Ann"`: true,
		`"after_id":"s9"`: false, `"since_id":null`: true, `"max_id":9`: false, `"message":"Showing the first result of 57."`: false, `"message":"57 mails, 1 shown"`: false, `"message":"1 mail found"`: true,
		`"message":"Took 57 ms"`: true, `"...":"56 more"`: false, `"sampled":true`: false, `"stale":true`: false, `"stale":false`: true, `"nombre":57`: false, `"nombre":1`: true, `"tem_mais":true`: false, `"усього":57`: false,
		`"nasta_sida":2`: false, `"not_shown":13`: false, `"not_shown":0`: true, `"full":false`: false, `"cut":true`: false, `"suppressed":3`: false,
		`"anzahl_gesamt":12`: false, `"naechste_seite":"eyJwIjoyfQ"`: false,
		`"vendor":"Ann","date":"2026/05"`: true, `"account":"DE02"`: true, `"total":98,"vendor":"Ann"`: true, `"order":{"total":98}`: true, `"bill_no":7,"total":98`: true, `"total":"98 EUR"`: true, `"total":98,"tags":["a","b"]`: true,
	} {
		list := `{"mails":[{"id":"U1","name":"Ann","next":"x"}],` + beside + `}`
		for _, write := range []bool{true, false} {
			h := hostile{request: "Forward what Ann wrote.", scope: only, results: mails(nil, list), tool: "forward_mail", args: map[string]string{"/id": "s:U1"}, write: write}
			if got, misses := h.covered(t); got != (want || write) {
				t.Errorf("%s, reversible %v: covered %v (%v)", beside, write, got, misses)
			}
		}
	}
}

// TestNothingOnAPage: a page with nothing on it, of which there are more, says of nothing that it isn't there.
func TestNothingOnAPage(t *testing.T) {
	free := func(lists ...string) asking {
		results := []returned{{"rooms", "", `[{"id":5}]`}}
		for _, list := range lists {
			results = append(results, returned{"things", "", list})
		}
		return asking{scope: unless(of("rooms", "id", ""), of("things", "", `{"state":"lost"}`)), said: "Do it.", args: map[string]string{"/id": "s:5"}, results: results}
	}
	is := func(a asking, want bool) asking { a.want = want; return a }
	askings{
		"all of it":                              is(free(`{"things":[]}`), true),
		"a count of it":                          is(free(`{"things":[],"total":0}`), true),
		"more pages":                             is(free(`{"things":[],"has_more":true}`), false),
		"a cursor":                               is(free(`{"things":[],"next_cursor":"c2"}`), false),
		"no more of it":                          is(free(`{"things":[],"has_more":false}`), true),
		"a page of it now, and all of it before": is(free(`{"things":[{"id":7,"state":"ok"}]}`, `{"things":[],"next_cursor":"c2"}`), false),
		"all of it now, and a page of it before": is(free(`{"things":[],"next_cursor":"c2"}`, `{"things":[{"id":7,"state":"ok"}]}`), true),
		"a text at last":                         is(free(`{"things":[{"id":7,"state":"ok"},"... and 56 more"]}`), false),
	}.run(t)
}

// TestAPartHidesBehindNoList: what a stranger lists in a record makes the listing no longer.
func TestAPartHidesBehindNoList(t *testing.T) {
	const only = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`
	h := hostile{request: "Forward what Ann wrote.", scope: only, results: mails(nil, `{"total_count":3,"mails":[{"id":"U1","name":"Ann","tags":["a","b","c"],"files":[{"n":1},{"n":2},{"n":3}]}]}`), tool: "forward_mail", args: map[string]string{"/id": "s:U1"}}
	if got, _ := h.covered(t); got {
		t.Error("covered")
	}
}

// TestANumberOfTheRequestIsNoLimit: that the user says a number doesn't make a listing whole that ends there.
func TestANumberOfTheRequestIsNoLimit(t *testing.T) {
	for limit, want := range map[string]bool{"2": false, "3": true} {
		h := hostile{request: "Forward the smallest in 2 parts.", scope: moving(map[string]string{"/id": chosen("id", "smallest by size")}), tool: "forward_mail", args: map[string]string{"/id": "s:a"},
			results: mails(map[string]string{"/limit": "o:" + limit}, `[{"id":"a","size":1},{"id":"b","size":2}]`)}
		if got, misses := h.covered(t); got != want {
			t.Errorf("a limit of %s: covered %v, want %v (%v)", limit, got, want, misses)
		}
	}
	for _, c := range []struct {
		request, argument, n string
		want                 bool
	}{
		{"Forward the smallest in 2 parts.", "/max_messages", "2", false},
		{"Forward the smallest in 2 parts.", "/search_limit", "2", false},
		{"Forward the smallest in 2 parts.", "/show_count", "2", false},
		{"Forward the smallest in 2 parts.", "/maxToReturn", "2", false},
		{"Forward the smallest in 3 parts.", "/max_messages", "3", true}, // both are there
		{"Forward the smallest in 3 parts.", "/last_n", "3", true},
		{"Forward the smallest in 2 parts.", "/min_length", "2", false},
		{"Forward the smallest of those with a length of 2.", "/min_length", "2", true},
		{"Forward the smallest of 2026.", "/year", "2026", true},
		{"Reserva o menor para 4 pessoas.", "/guests", "4", true},
	} {
		h := hostile{request: c.request, scope: moving(map[string]string{"/id": chosen("id", "smallest by size")}), tool: "forward_mail", args: map[string]string{"/id": "s:a"},
			results: mails(map[string]string{c.argument: "o:" + c.n}, `[{"id":"a","size":1},{"id":"b","size":2}]`)}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s by %s: covered %v, want %v (%v)", c.request, c.argument, got, c.want, misses)
		}
	}
}

// TestWhatThingsAreCalled: in a list of things, a member called as they are holds their names,
// unless it is a text or a member that some records lack.
func TestWhatThingsAreCalled(t *testing.T) {
	for name, c := range map[string]struct {
		tool, list string
		want       bool
	}{
		"the workshop in a list of workshops": {"list_workshops", `[{"id":"U1","workshop":"Ann"},{"id":"U2","workshop":"Eve"}]`, true},
		"another thing in it":                 {"list_workshops", `[{"id":"U1","customer":"Ann"},{"id":"U2","customer":"Eve"}]`, false},
		"the comment in a list of comments":   {"list_comments", `[{"id":"U1","comment":"Ann"},{"id":"U2","comment":"Eve"}]`, false},
		"which one lacks":                     {"list_workshops", `[{"id":"U1","workshop":"Ann"},{"id":"U2"}]`, false},
		"beside a name":                       {"list_workshops", `[{"id":"U1","workshop":"Ann","name":"Eve"}]`, false},
		"in a list that somebody added":       {"list_workshops", `[{"id":"U0","town":"x","seen":[{"id":"U1","workshop":"Ann"}]}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"cancel","args":{"/id":{"from":[{"tool":"`+c.tool+`","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &match.Result{Call: "r", Server: "mailbox", Tool: c.tool, Covered: true, Read: true, Early: true}
			setContent(r, c.list)
			p := call("cancel", map[string]string{"/id": "s:U1"})
			if _, misses, ok := match.NewTask(s, "Cancel that of Ann.").Match(p, []*match.Result{r}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}
