package match_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// ofJana forwards the only mail whose author is the login of Jana.
const ofJana = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"author":{"from":[{"tool":"read_file","field":"login","where":{"name":"Jana"}}]}}}],"kind":"id","pick":"only"}}}]}`

// TestJoins: a condition takes its value from another call, where that gives exactly one.
func TestJoins(t *testing.T) {
	const (
		unless = `{"calls":[{"tool":"forward_mail","unless":[{"tool":"list_mails","where":{"author":{"from":[{"tool":"read_file","field":"login","where":{"name":"Jana"}}]}}}],"args":{"/note":{"any":true}}}]}`
		if1    = `{"calls":[{"tool":"forward_mail","if":[{"tool":"list_mails","where":{"author":{"from":[{"tool":"read_file","field":"login","where":{"name":"Jana"}}]}}}],"args":{"/note":{"any":true}}}]}`
		open   = `[{"id":"1","author":"jk7","title":"of eve1"},{"id":"2","author":"eve1","title":"jk7"}]`
		people = `[{"login":"jk7","name":"Jana","bio":"eve1"},{"login":"eve1","name":"Eve","bio":"Jana"}]`
		two    = `[{"login":"jk7","name":"Jana"},{"login":"eve1","name":"Jana"}]`
		none   = `[{"login":"eve1","name":"Eve"}]`
		cased  = `[{"id":"1","author":"JK7"}]`
	)
	with := func(people, mails string) []attacked {
		return []attacked{{"read_file", nil, people}, {"list_mails", nil, mails}}
	}
	id := func(id string) map[string]string { return map[string]string{"/id": "s:" + id} }
	note := map[string]string{"/note": "c:x"}
	for name, c := range map[string]hostile{
		"whose author is the login of Jana":                  {"Of Jana.", ofJana, with(people, open), "forward_mail", id("1"), false, true},
		"whose author is another":                            {"Of Jana.", ofJana, with(people, open), "forward_mail", id("2"), false, false},
		"two are called Jana":                                {"Of Jana.", ofJana, with(two, open), "forward_mail", id("1"), false, false},
		"nobody is called Jana":                              {"Of Jana.", ofJana, with(none, open), "forward_mail", id("2"), false, false},
		"nobody asked who Jana is":                           {"Of Jana.", ofJana, mails(nil, open), "forward_mail", id("1"), false, false},
		"the login in another case":                          {"Of Jana.", ofJana, with(people, cased), "forward_mail", id("1"), false, false},
		"a text that others may have written":                {"Of Jana.", ofJana, with("login: eve1\nname: Jana", open), "forward_mail", id("2"), false, false},
		"unless one is of Jana, and one is":                  {"Of Jana.", unless, with(people, open), "forward_mail", note, true, false},
		"unless one is of Jana, and none is":                 {"Of Jana.", unless, with(people, `[{"id":"2","author":"eve1"}]`), "forward_mail", note, true, true},
		"unless one is of Jana, and nobody knows who she is": {"Of Jana.", unless, with(two, `[{"id":"2","author":"x"}]`), "forward_mail", note, true, false},
		"if one is of Jana, and one is":                      {"Of Jana.", if1, with(people, open), "forward_mail", note, true, true},
		"if one is of Jana, and nobody knows who she is":     {"Of Jana.", if1, with(none, open), "forward_mail", note, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, misses := c.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestAJoinIsItsOwnRecords draws two listings in which others write every text, except for who
// wrote a mail and the login of a person: no text widens what a join lets pass.
func TestAJoinIsItsOwnRecords(t *testing.T) {
	logins := []string{"jk7", "eve1", "bo2"}
	texts := append([]string{"Jana", "Eve", "", "login: eve1", "author: jk7", "name: Jana"}, logins...)
	rapid.Check(t, func(t *rapid.T) {
		var people, mails listing
		jana := map[string]bool{}
		for _, login := range logins[:rapid.IntRange(1, 3).Draw(t, "people")] {
			name := rapid.SampledFrom(texts).Draw(t, "name")
			if name == "Jana" {
				jana[login] = true
			}
			people = append(people, map[string]any{"login": login, "name": name, "bio": rapid.SampledFrom(texts).Draw(t, "bio")})
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "mails") {
			mails = append(mails, map[string]any{
				"id": strconv.Itoa(i), "author": rapid.SampledFrom(logins).Draw(t, "author"),
				"title": rapid.SampledFrom(texts).Draw(t, "title"), "body": rapid.SampledFrom(texts).Draw(t, "body"),
			})
		}
		proposed := rapid.IntRange(0, len(mails)-1).Draw(t, "proposed")
		ok := matched(t, ofJana, map[string]string{"/id": "s:" + strconv.Itoa(proposed)}, rapid.Bool().Draw(t, "irreversible"),
			[2]string{"read_file", encoded(t, people)}, [2]string{"list_mails", encoded(t, mails)})
		author, _ := mails[proposed]["author"].(string)
		if ok && (len(jana) != 1 || !jana[author]) {
			t.Fatalf("%d is covered, of %s; Jana is %v", proposed, author, jana)
		}
	})
}

// TestAlternativesAreTheirOwnMembers draws a listing: a condition on one of two members is met by
// what is in one of them, and by nothing else. Of several records that meet it, what can be taken back
// means the only one whose member is nothing else.
func TestAlternativesAreTheirOwnMembers(t *testing.T) {
	const either = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"deal":{"or":["company"],"contains":["Acme","Acma"]}}}],"kind":"id","pick":"only"}}}]}`
	texts := []string{"Acme", "the Acme deal", "Acmes", "Acma", "Other", "", "company: Acme"}
	has := func(v any) bool {
		text, _ := v.(string)
		return strings.Contains(" "+strings.ReplaceAll(text, ":", "")+" ", " Acme ") || text == "Acma"
	}
	rapid.Check(t, func(t *rapid.T) {
		var deals listing
		for i := range rapid.IntRange(1, 4).Draw(t, "deals") {
			r := map[string]any{"id": strconv.Itoa(i)}
			for _, member := range []string{"deal", "company", "note", "owner"} {
				r[member] = rapid.SampledFrom(texts).Draw(t, member)
			}
			deals = append(deals, r)
		}
		proposed := rapid.IntRange(0, len(deals)-1).Draw(t, "proposed")
		irreversible := rapid.Bool().Draw(t, "irreversible")
		ok := matched(t, either, map[string]string{"/id": "s:" + strconv.Itoa(proposed)}, irreversible, [2]string{"list_mails", encoded(t, deals)})

		only := func(meets func(v any) bool) bool {
			meeting := 0
			for _, d := range deals {
				if meets(d["deal"]) || meets(d["company"]) {
					meeting++
				}
			}
			return meeting == 1 && (meets(deals[proposed]["deal"]) || meets(deals[proposed]["company"]))
		}
		is := func(v any) bool { return v == "Acme" || v == "Acma" }
		if ok != (only(has) || (only(is) && !irreversible)) {
			t.Fatalf("covered %v: %v", ok, deals[proposed])
		}
	})
}

func encoded(t *rapid.T, l listing) string {
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// matched reports whether a scope covers a forwarded mail after calls with their results.
func matched(t *rapid.T, text string, args map[string]string, irreversible bool, results ...[2]string) bool {
	s, refused, err := scope.Parse([]byte(text), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	var all []*match.Result
	for i, have := range results {
		r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "mailbox", Tool: have[0], Covered: true, Read: true}
		setContent(r, have[1])
		all = append(all, r)
	}
	p := call("forward_mail", args)
	p.Irreversible = irreversible
	_, _, ok := match.NewTask(s, "The mail of Jana about Acme.").Match(p, all)
	return ok
}

// TestConditions checks what each condition accepts.
func TestConditions(t *testing.T) {
	for name, c := range map[string]struct {
		where, record string
		want          bool
	}{
		"any time of a day":                 {`{"date":"2026-01-10"}`, `{"date":"2026-01-10T19:30:00"}`, true},
		"another day":                       {`{"date":"2026-01-10"}`, `{"date":"2026-01-11T00:00:00"}`, false},
		"after a day is not on it":          {`{"date":{"after":"2026-01-10"}}`, `{"date":"2026-01-10 19:30"}`, false},
		"after a day":                       {`{"date":{"after":"2026-01-10"}}`, `{"date":"2026-01-11 00:00"}`, true},
		"before a day":                      {`{"date":{"before":"2026-01-10"}}`, `{"date":"2026-01-09 23:59"}`, true},
		"before a day is not on it":         {`{"date":{"before":"2026-01-10"}}`, `{"date":"2026-01-10 00:00"}`, false},
		"a time after a time":               {`{"time":{"after":"19:00"}}`, `{"time":"19:30"}`, true},
		"a time at a time":                  {`{"time":{"after":"19:00"}}`, `{"time":"19:00"}`, false},
		"a time of one digit":               {`{"time":{"before":"10:00"}}`, `{"time":"9:30"}`, true},
		"a time of the afternoon":           {`{"time":{"after":"19:00"}}`, `{"time":"7:30 pm"}`, true},
		"the time of a moment":              {`{"time":{"after":"19:00"}}`, `{"time":"2026-01-10T19:30:00"}`, true},
		"an earlier time of a moment":       {`{"time":{"after":"19:00"}}`, `{"time":"2026-01-10T18:30:00"}`, false},
		"a day has no time":                 {`{"time":{"after":"00:01"}}`, `{"time":"2026-01-10"}`, false},
		"a time of a day that nobody knows": {`{"time":{"after":"2026-01-10 19:00"}}`, `{"time":"19:30"}`, false},
		"a word is no time":                 {`{"time":{"after":"19:00"}}`, `{"time":"noon"}`, false},
		"a word":                            {`{"name":{"contains":"bougie"}}`, `{"name":"Une bougie"}`, true},
		"a form of the word":                {`{"name":{"contains":"bougie"}}`, `{"name":"Bougies"}`, false},
		"a form that is listed":             {`{"name":{"contains":["bougie","bougies"]}}`, `{"name":"Bougies"}`, true},
		"a word of a file's name":           {`{"name":{"contains":"rascunho"}}`, `{"name":"rascunho_v1.txt"}`, true},
		"a word of a script without spaces": {`{"name":{"contains":"高橋"}}`, `{"name":"高橋様のご予約"}`, true},
		"a word with an ending":             {`{"name":{"contains":"회의"}}`, `{"name":"팀 회의에서"}`, true},
		"the end of a word":                 {`{"name":{"contains":"의에"}}`, `{"name":"회의에"}`, false},
		"a part of a number":                {`{"name":{"contains":"1월"}}`, `{"name":"11월 보고"}`, false},
		"the number":                        {`{"name":{"contains":"1월"}}`, `{"name":"1월 보고"}`, true},
		"an accent makes another word":      {`{"name":{"contains":"cafe"}}`, `{"name":"cafe\u0301"}`, false},
		"one element of a list":             {`{"labels":"bug"}`, `{"labels":["ui","bug"]}`, true},
		"no element of a list":              {`{"labels":"bug"}`, `{"labels":["ui","bugs"]}`, false},
		"an empty text":                     {`{"phone":""}`, `{"phone":""}`, true},
		"null":                              {`{"phone":""}`, `{"phone":null}`, true},
		"a member that is missing":          {`{"phone":""}`, `{"mail":"a@x.io"}`, true},
		"a member that is there":            {`{"phone":""}`, `{"phone":"1"}`, false},
		"an object in its place":            {`{"phone":""}`, `{"phone":{"home":"1"}}`, false},
		"a member beside it":                {`{"deal":{"or":["company"],"is":"Acme"}}`, `{"deal":"x","company":"Acme"}`, true},
		"neither":                           {`{"deal":{"or":["company"],"is":"Acme"}}`, `{"deal":"x","company":"y"}`, false},
		"a number in place of a time":       {`{"time":{"after":"19:00"}}`, `{"time":1930}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			list := `[{"id":"m1",` + c.record[1:] + `,{"id":"m2","phone":"5","mail":"b@x.io"}]`
			h := hostile{
				request: "Do it.", tool: "forward_mail", args: map[string]string{"/id": "s:m1"}, write: true, results: mails(nil, list),
				scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":` + c.where + `}],"kind":"id","pick":"only"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestTimesThatSpeakAgainst: what can't be compared with a condition may speak against a call.
func TestTimesThatSpeakAgainst(t *testing.T) {
	meet := func(args, start, end string) string {
		return `{"calls":[{"tool":"forward_mail","unless":[{"tool":"list_mails","args":{` + args + `},"where":{"start":{"before":"` + end + `"},"end":{"after":"` + start + `"}}}],"args":{"/note":{"any":true}}}]}`
	}
	const (
		day   = `"/day":{"is":"2026-02-03"}`
		since = `"/start":{"is":"2026-02-03"}`
		noon  = "2026-02-03 12:00"
		one   = "2026-02-03 13:00"
	)
	for name, c := range map[string]struct {
		scope, list, argument string
		want                  bool
	}{
		"times of the day, and the slot is free":         {meet(day, noon, one), `[{"start":"13:00","end":"14:00"}]`, "/day", true},
		"times of the day, and the slot is taken":        {meet(day, noon, one), `[{"start":"12:30","end":"14:00"}]`, "/day", false},
		"times of other days too":                        {meet(since, noon, one), `[{"start":"13:00","end":"14:00"}]`, "/start", false},
		"times in words":                                 {meet(day, noon, one), `[{"start":"one","end":"two"}]`, "/day", false},
		"times, by a time alone":                         {meet(day, "12:00", "13:00"), `[{"start":"2026-02-03 12:30","end":"2026-02-03 14:00"}]`, "/day", false},
		"an entry that ends on the day that it is after": {meet(day, "2026-02-03", "2026-02-04"), `[{"start":"2026-02-03 08:00","end":"2026-02-03 09:00"}]`, "/day", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Do it if I am free.", scope: c.scope, tool: "forward_mail", args: map[string]string{"/note": "c:x"},
				results: mails(map[string]string{c.argument: "s:2026-02-03"}, c.list),
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestEitherWordsOrRecord: a value is the user's own, or that of a record.
func TestEitherWordsOrRecord(t *testing.T) {
	const either = `{"calls":[{"tool":"pay","args":{"/account":{"is":["Ann Lee"],"from":[{"tool":"list_mails","field":"account","where":{"name":"Ann Lee"}}],"kind":"account","pick":"only"}}}]}`
	list := mails(nil, `[{"name":"Ann Lee","account":"DE11111111","note":"DE22222222"},{"name":"Eve","account":"DE22222222"}]`)
	for account, want := range map[string]bool{"t:Ann Lee": true, "t:DE11111111": true, "t:DE22222222": false, "t:Eve": false, "t:ann lee": false} {
		h := hostile{request: "Pay Ann Lee.", scope: either, tool: "pay", args: map[string]string{"/account": account}, results: list}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s covered: %v (%v)", account, got, misses)
		}
	}
}
