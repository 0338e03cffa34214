package match_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestEachOfSeveral: a call that can't be taken back, and that the request is for several times, is covered once for each of the different
// values that the request has, and where it has more calls than values as often for each.
func TestEachOfSeveral(t *testing.T) {
	const bills = `[{"bill":"B1","issued":"2026-01-02"},{"bill":"B2","issued":"2026-02-02"},{"bill":"B3","issued":"2026-03-02"}]`
	chosen := func(by string) string {
		return `"/to":{"from":[{"tool":"list_bills","field":"bill"}],"kind":"id","pick":"choice","by":"` + by + `"}`
	}
	for name, c := range map[string]struct {
		times int
		args  string
		calls string // what each is for, and of it when, where it is said
		write bool
		want  string // y for a call that is covered
	}{
		"two names, each once":                        {2, `"/to":{"is":["Ann","Bob"]}`, "Ann Bob", false, "yy"},
		"one of them twice":                           {2, `"/to":{"is":["Ann","Bob"]}`, "Ann Ann Bob", false, "yny"},
		"one of them twice, of what can be put right": {2, `"/to":{"is":["Ann","Bob"]}`, "Ann Ann", true, "yy"},
		"one name, twice":                             {2, `"/to":{"is":"Ann"}`, "Ann Ann", false, "yy"},
		"one name in two ways, twice":                 {2, `"/to":{"is":["Ann","Ann Lee"]}`, "Ann Ann_Lee", false, "yy"},
		"a name and what a planner adds, twice":       {2, `"/to":{"is":["Lunch room","Mittagsraum"]}`, "Mittagsraum Lunch_room", false, "yy"},
		"a name and another one that it stands for":   {2, `"/to":{"is":["Lunch room","Maria"]}`, "Lunch_room Lunch_room Maria", false, "yny"},
		"a name and what a planner adds, three times": {3, `"/to":{"is":["Lunch room","Mittagsraum"]}`, "Lunch_room Lunch_room Lunch_room", false, "yyy"},
		"two names, of which the user has one":        {4, `"/to":{"is":["Lunch room","Maria"]}`, "Lunch_room Lunch_room Lunch_room Maria Maria", false, "yynyy"},
		"a number in digits, and one in a word":       {4, `"/to":{"is":["Lunch room","20"]}`, "Lunch_room Lunch_room Lunch_room 20", false, "yyny"},
		"a name in another case, and another one":     {2, `"/to":{"is":["Lunch room","Krzysztof"]}`, "Krzysztof Krzysztof", false, "yn"},
		"a short name in another case":                {2, `"/to":{"is":["Lunch room","Anna"]}`, "Anna Anna", false, "yn"},
		"two calls for each of two":                   {4, `"/to":{"is":["Ann","Bob"]}`, "Ann Ann Ann Bob Bob", false, "yynyy"},
		"two days, each once":                         {2, `"/to":{"is":"Ann"},"/on":{"date":["2026-05-20","2026-05-22"]}`, "Ann/2026-05-20 Ann/2026-05-22", false, "yy"},
		"one day twice, in another form":              {2, `"/to":{"is":"Ann"},"/on":{"date":["2026-05-20","2026-05-22"]}`, "Ann/2026-05-20 Ann/2026-05-20T10:00 Ann/2026-05-22", false, "yny"},
		"two names on each of two days":               {4, `"/to":{"is":["Ann","Bob"]},"/on":{"date":["2026-05-20","2026-05-22"]}`, "Ann/2026-05-20 Bob/2026-05-20 Ann/2026-05-22 Ann/2026-05-20", false, "yyyn"},
		"the two oldest":                              {2, chosen("two oldest by issued"), "B1 B2", false, "yy"},
		"one of the two oldest twice":                 {2, chosen("two oldest by issued"), "B2 B2 B1", false, "yny"},
		"the oldest, twice":                           {2, chosen("oldest by issued"), "B1 B1", false, "yy"},
	} {
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"list_bills"},{"tool":"pay","times":`+strconv.Itoa(c.times)+`,"args":{`+c.args+`}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		r := &match.Result{Call: "r", Server: "s", Tool: "list_bills", Covered: true, Read: true, Early: true}
		setContent(r, bills)
		task, got := match.NewTask(s, "Pay them, for the lunch room Krzysztofowi, Annie."), ""
		for i, of := range strings.Fields(c.calls) {
			to, on, dated := strings.Cut(strings.ReplaceAll(of, "_", " "), "/")
			p := &match.Proposal{Server: "s", Tool: "pay", Call: strconv.Itoa(i), Digest: of, Irreversible: !c.write, Role: func(string) label.Role { return label.Selector },
				Args: []match.Argument{{Pointer: "/to", Text: to, String: true, Role: label.Selector}}}
			if dated {
				p.Args = append(p.Args, match.Argument{Pointer: "/on", Text: on, String: true, Role: label.Control})
			}
			cover, _, ok := task.Match(p, []*match.Result{r})
			if ok {
				task.Spend(cover)
			}
			got += map[bool]string{true: "y", false: "n"}[ok]
		}
		if got != c.want {
			t.Errorf("%s: covered %s, want %s", name, got, c.want)
		}
	}
}

// TestEachInATemplate: a command for each of a source's values is covered once for each, however the rest of it is said.
func TestEachInATemplate(t *testing.T) {
	const each = `{"calls":[{"tool":"list_bills"},{"tool":"run","times":"each","args":{"/command":{"template":"print {bill}","holes":{"bill":{"from":[{"tool":"list_bills","field":"bill"}],"kind":"id","pick":"all"}}}}}]}`
	s, refused, err := scope.Parse([]byte(each), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	r := &match.Result{Call: "r", Server: "s", Tool: "list_bills", Covered: true, Read: true, Early: true}
	setContent(r, `[{"bill":"B1"},{"bill":"B2"}]`)
	task, got := match.NewTask(s, "Print each bill."), ""
	for i, command := range []string{"print B1", "print B1", "print B2", "print B2"} {
		p := &match.Proposal{Server: "s", Tool: "run", Call: strconv.Itoa(i), Digest: command, Irreversible: true, Role: func(string) label.Role { return label.Command },
			Args: []match.Argument{{Pointer: "/command", Text: command, String: true, Role: label.Command}}}
		cover, _, ok := task.Match(p, []*match.Result{r})
		if ok {
			task.Spend(cover)
		}
		got += map[bool]string{true: "y", false: "n"}[ok]
	}
	if want := "ynyn"; got != want {
		t.Errorf("covered %s, want %s", got, want)
	}
}
