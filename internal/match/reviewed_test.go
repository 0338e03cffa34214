package match_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestWhatStrangersAdd: a record, a line or a key of a stranger's beside what is meant makes no call that can't be taken back
// one that is meant.
func TestWhatStrangersAdd(t *testing.T) {
	const (
		source  = `{"calls":[{"tool":"act","args":{"%s":{"from":[%s],%s}}}]}`
		against = `{"calls":[{"tool":"act","unless":[%s],"args":{"/id":{"is":"h1"}}}]}`
		bills   = `{"tool":"list_bills","field":"amount"}`
		guides  = `{"tool":"list_guides","field":"name"}`
		mails   = `{"tool":"list_mails","field":"account","where":{"name":{"contains":"Ann"}}}`
		leaders = `{"tool":"list_guides","field":"name","where":{"level":"beginner"}}`
	)
	fee := fmt.Sprintf(source, "/amount", `{"tool":"list_stays","field":"fee"}`, `"pick":"only","kind":"number"`)
	lowest := fmt.Sprintf(source, "/amount", bills, `"pick":"choice","kind":"number","by":"lowest by amount"`)
	cheapest := fmt.Sprintf(source, "/guide", guides, `"pick":"choice","kind":"name","by":"cheapest by price","except":[`+leaders+`]`)
	account := fmt.Sprintf(source, "/account", mails, `"pick":"only","kind":"account"`)
	rated := fmt.Sprintf(against, `{"tool":"get_hotel","where":{"rating of the hotel":{"below":3}}}`)
	visited := fmt.Sprintf(against, `{"tool":"list_visits","where":{"doctor":{"contains":"Hartwig"}}}`)
	removal := `{"calls":[{"tool":"remove_member","args":{"/user":{"is":"u7"},"/new_owner":{"from":[{"tool":"list_users","field":"id","where":{"name":{"contains":"Bob"}}}],"kind":"id","pick":"only"}}}]}`

	one := func(tool, text string) []returned { return []returned{{tool, "", text}} }
	id := map[string]string{"/id": "u:h1"}
	comments := one("list_bills", `{"bills":[{"id":"b1","amount":100}],"comments":[{"id":"c1","amount":5000}]}`)
	three := one("list_guides", `[{"id":"1","name":"Ann","price":10,"level":"expert"},{"id":"2","name":"Mallory","price":20,"level":"expert"},{"id":"3","name":"Ann","price":99,"level":"beginner"}]`)
	doctors := returned{"list_doctors", "", `[{"id":"d1","name":"Prof. H.","surname":"Hartwig"},{"id":"d2","name":"Hartwig","surname":"Eve"}]`}
	askings{
		"a key without words":               {scope: fee, results: one("list_stays", `[{"id":"1","stay_fee":5,"":"x"}]`), args: map[string]string{"/amount": "o:5"}, want: true},
		"an amount of a comment":            {scope: lowest, results: comments, args: map[string]string{"/amount": "o:5000"}},
		"a namesake that is left out":       {scope: cheapest, results: three, args: map[string]string{"/guide": "s:Mallory"}},
		"a mail that is called like a name": {scope: account, said: "Pay what Ann billed", results: one("list_mails", `[{"id":"1","from":"Ann Berg","subject":"Invoice","account":"DE89370400440532013000"},{"id":"2","from":"Eve","subject":"Hi Ann","account":"GB33BUKB20201555555555"}]`), args: map[string]string{"/account": "t:GB33BUKB20201555555555"}},
		"a line beside a bad rating":        {scope: rated, said: "h1", results: one("get_hotel", `{"id":"h1","text":"Rating: 2.1\nNice\nRating of the hotel: 5"}`), args: id},
		"a namesake's visits":               {scope: visited, said: "h1 Hartwig", results: []returned{doctors, {"list_visits", `{"/doctor_id":"d2"}`, `[]`}}, args: id},
		"a name in full, for another role":  {scope: removal, tool: "remove_member", said: "Remove u7, and give all to Bob", results: one("list_users", `[{"id":"u1","name":"Bob Miller"},{"id":"u2","name":"Bob"}]`), args: map[string]string{"/user": "u:u7", "/new_owner": "t:u2"}},
	}.run(t)
}

// TestDelegatesWithConditions: the sources that a user delegates to may have conditions.
func TestDelegatesWithConditions(t *testing.T) {
	s, refused, err := scope.Parse([]byte(`{"calls":[],"delegates":[{"tool":"list_mails","where":{"sender":"Ann"}}]}`), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true, Args: []match.Argument{{Pointer: "/limit", Text: "10", Role: label.Control}}}
	setContent(r, `[{"id":"1","sender":"Ann","body":"do x"}]`)
	if got := match.NewTask(s, "do what Ann wrote").Delegates([]*match.Result{r}); len(got) != 1 {
		t.Errorf("%d sources", len(got))
	}
}

// TestHostileNamesEnd: names, lists and texts that others made to be looked at slowly. With a square of their length the test doesn't end.
func TestHostileNamesEnd(t *testing.T) {
	const many = 20_000
	unless := func(where string) string {
		return `{"calls":[{"tool":"act","unless":[{"tool":"list_mails","where":{` + where + `}}],"args":{"/id":{"is":"h1"}}}]}`
	}
	choosing := func(by string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"choice","by":"` + by + `"}}}]}`
	}
	var times, records, outcomes strings.Builder
	for i := range many / 2 {
		fmt.Fprintf(&outcomes, `,"status%s":"x"`, strings.NewReplacer("0", "!", "1", "?", "2", ".", "3", ",", "4", ";", "5", ":", "6", "$", "7", "%").Replace(strconv.FormatInt(int64(i), 8)))
	}
	for i := range many / 4 {
		fmt.Fprintf(&times, `,"m%dq":"2026-01-02"`, i)
		fmt.Fprintf(&records, `,{"id":"i%d"}`, i)
	}
	for name, c := range map[string]struct{ scope, result string }{
		"a spread name":          {unless(`"author":"Bob"`), `[{"id":"1","author":"` + strings.Repeat("a ", 40*many) + `"}]`},
		"one word again":         {unless(`"body":{"contains":"אבג"}`), `[{"id":"1","body":"` + strings.Repeat("אבג", 10*many) + `"}]`},
		"numbers in a list":      {unless(`"price":{"below":5}`), `[{"id":"1","price":[{"v":[7` + strings.Repeat(",7", many) + `]}]}]`},
		"outcomes around a list": {choosing("newest"), `{"rows":[{"id":"1"}]` + outcomes.String() + `,"owner":"Bob"}`},
		"members that are times": {choosing("newest"), `[{"id":"x"` + times.String() + `}` + records.String() + `]`},
	} {
		t.Run(name, func(t *testing.T) {
			c := asking{scope: c.scope, said: "h1 אבג", results: []returned{{"list_mails", "", c.result}}, args: map[string]string{"/id": "o:none"}, reversible: true}
			if covered, _ := c.covered(t); covered {
				t.Error("another call is covered")
			}
		})
	}
}
