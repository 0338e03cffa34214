package match_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/scope"
)

// searches are calls, each with an entry that has results looked through in another way.
var searches = map[string]struct {
	entry string
	args  map[string]string // as of [call]
}{
	"the only one":              {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"only"}}`, map[string]string{"/id": "s:a7"}},
	"the only one of a name":    {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"n7"}}],"kind":"id","pick":"only"}}`, map[string]string{"/id": "s:a7"}},
	"one of all":                {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"state":"open"}}],"kind":"id","pick":"all"}}`, map[string]string{"/id": "s:a7"}},
	"each":                      {`"times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"state":"open"}}],"kind":"id","pick":"all"}}`, map[string]string{"/id": "s:a7"}},
	"all in one call":           {`"args":{"/to/*":{"from":[{"tool":"list_mails","field":"mail"}],"kind":"email","pick":"all"}}`, manyTo(24)},
	"the cheapest":              {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"choice","by":"cheapest"}}`, map[string]string{"/id": "s:a0"}},
	"the oldest":                {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"choice","by":"oldest"}}`, map[string]string{"/id": "s:a0"}},
	"the second":                {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"choice","by":"the second one"}}`, map[string]string{"/id": "s:a1"}},
	"all but some":              {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"all","except":[{"tool":"list_mails","field":"id","where":{"state":"closed"}}]}}`, map[string]string{"/id": "s:a7"}},
	"unless":                    {`"unless":[{"tool":"list_mails","where":{"state":"closed"}}],"args":{"/id":{"is":"a7"}}`, map[string]string{"/id": "s:a7"}},
	"if":                        {`"if":[{"tool":"list_mails","where":{"state":"closed"}}],"args":{"/id":{"is":"a7"}}`, map[string]string{"/id": "s:a7"}},
	"a number":                  {`"args":{"/amount":{"from":[{"tool":"list_mails","field":"price","where":{"name":"n7"}}],"kind":"number","pick":"only"}}`, map[string]string{"/amount": "o:7"}},
	"a sum":                     {`"args":{"/amount":{"computed":[{"tool":"list_mails","field":"price"}],"by":"sum of all prices"}}`, map[string]string{"/amount": "o:7"}},
	"a condition of a source":   {`"args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":{"from":[{"tool":"read_file","field":"name"}]}}}],"kind":"id","pick":"only"}}`, map[string]string{"/id": "s:a7"}},
	"what is already so":        {`"args":{"/id":{"is":"a7"},"/note":{"unchanged":true}}`, map[string]string{"/id": "s:a7", "/note": "c:n7"}},
	"a source that nobody asks": {`"args":{"/id":{"from":[{"tool":"find_mail","field":"id"}],"kind":"id","pick":"only"}}`, map[string]string{"/id": "s:a7"}},
}

// listings are results of some size that others can bring about, by how that grows.
var listings = map[string]func(n int) []*match.Result{
	"of one call, made again and again": func(n int) []*match.Result { return listed(n, 1, nil, record) },
	"of many calls": func(n int) []*match.Result {
		return listed(n, 1, func(i int) map[string]string { return map[string]string{"/view": "o:v" + strconv.Itoa(i)} }, record)
	},
	"of pages, each read twice": func(n int) []*match.Result {
		return listed(n, 4, func(i int) map[string]string { return map[string]string{"/view": "o:v" + strconv.Itoa(i/2)} }, record)
	},
	"of many records":     func(n int) []*match.Result { return listed(1, n, nil, record) },
	"of equal records":    func(n int) []*match.Result { return listed(1, n, nil, func(int) string { return record(7) }) },
	"of two wide records": func(n int) []*match.Result { return listed(1, 2, nil, wide(`,"m%d":"2026-01-02"`, n)) },
	"of two with objects": func(n int) []*match.Result { return listed(1, 2, nil, wide(`,"o%d":{"id":"a7","name":"n7"}`, n)) },
	"of two with a list":  func(n int) []*match.Result { return listed(1, 2, nil, wide(`,"l%d":[{"id":"a7","name":"n7"}]`, n)) },
	"of two with long text": func(n int) []*match.Result {
		return listed(1, 2, nil, wide(`,"t%d":"`+strings.Repeat("a7 n7 ", 20)+`"`, n))
	},
}

// manyTo are the arguments of a call to n addresses.
func manyTo(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		out["/to/"+strconv.Itoa(i)] = fmt.Sprintf("t:a%d@x.example", i)
	}
	return out
}

// record is the i-th record of a listing, without its braces.
func record(i int) string {
	return fmt.Sprintf(`"id":"a%d","name":"n%d","mail":"a%d@x.example","state":"open","price":%d,"created":"2026-01-02"`, i, i, i, i)
}

// wide returns records with n members more.
func wide(member string, n int) func(i int) string {
	return func(i int) string {
		var out strings.Builder
		out.WriteString(record(i))
		for j := range n {
			fmt.Fprintf(&out, member, j)
		}
		return out.String()
	}
}

// listed returns n results of list_mails with some records each.
func listed(n, records int, args func(i int) map[string]string, record func(i int) string) []*match.Result {
	var out []*match.Result
	for i := range n {
		var all []string
		for j := range records {
			all = append(all, "{"+record(i*records+j)+"}")
		}
		r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true}
		if args != nil {
			r.Args = call("", args(i)).Args
		}
		setContent(r, "["+strings.Join(all, ",")+"]")
		out = append(out, r)
	}
	return out
}

// TestStepsGrowWithResults: twice as much takes twice as many steps, whatever is looked for in it, and a match of 1,000 short results
// ends within its bound.
func TestStepsGrowWithResults(t *testing.T) {
	const small, fixed = 100, 200 // and the steps of what doesn't grow
	for shape, listing := range listings {
		few, many := listing(small), listing(2*small)
		for name, search := range searches {
			for _, irreversible := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s in results %s, %v", name, shape, irreversible), func(t *testing.T) {
					steps := func(results []*match.Result) int {
						task, p := searching(t, search.entry, search.args)
						p.Irreversible = irreversible
						n, _ := task.Steps(p, results)
						return n
					}
					if once, twice := steps(few), steps(many); twice > 9*once/4+fixed {
						t.Errorf("%d steps, and %d for twice as much", once, twice)
					}
				})
			}
		}
	}
	for name, search := range searches {
		task, p := searching(t, search.entry, search.args)
		if n, _ := task.Steps(p, listings["of many calls"](1000)); n > match.MaxSteps {
			t.Errorf("%s in 1,000 results: %d steps", name, n)
		}
	}
}

// TestKeepingGrowsWithResult: to keep a result twice as large takes twice as much, whatever it says of what it lists. Nothing else bounds that.
func TestKeepingGrowsWithResult(t *testing.T) {
	const small = 200
	for name, beside := range map[string]string{
		"remarks":      `"note abc%d":"` + strings.TrimSpace(strings.Repeat("9999 abcd ", 9)) + `"`,
		"counts":       `"count abcd%d":99999`,
		"many nothing": `"total size %[1]d page count":0`,
	} {
		t.Run(name, func(t *testing.T) {
			allocated := func(n int) float64 {
				members := []string{`"items":[` + strings.Repeat(`{"a":"1"},`, n) + `{"a":"1"}]`}
				for i := range n {
					members = append(members, fmt.Sprintf(beside, i))
				}
				text := "{" + strings.Join(members, ",") + "}"
				return testing.AllocsPerRun(1, func() { setContent(&match.Result{Call: "r", Server: "s", Tool: "t"}, text) })
			}
			if once, twice := allocated(small), allocated(2*small); twice > 9*once/4 {
				t.Errorf("%.0f allocations, and %.0f for twice as much", once, twice)
			}
		})
	}
}

// searching returns a task with an entry for forward_mail, and the call.
func searching(tb rapid.TB, entry string, args map[string]string) (*match.Task, *match.Proposal) {
	tb.Helper()
	s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail",`+entry+`}]}`), nil)
	if err != nil || len(refused) > 0 {
		tb.Fatal(err, refused)
	}
	p := call("forward_mail", args)
	slices.SortFunc(p.Args, func(a, b match.Argument) int { return strings.Compare(a.Pointer, b.Pointer) })
	return match.NewTask(s, "Do it with a7, n7 and 7 of a0."), p
}

// BenchmarkManyResults decides a call after 1,000 short results, and after 50 with 200 records each.
func BenchmarkManyResults(b *testing.B) {
	view := func(i int) map[string]string { return map[string]string{"/view": "o:v" + strconv.Itoa(i)} }
	for size, results := range map[string][]*match.Result{"1000x1": listings["of many calls"](1000), "50x200": listed(50, 200, view, record)} {
		for name, search := range searches {
			b.Run(size+"/"+name, func(b *testing.B) {
				task, p := searching(b, search.entry, search.args)
				for b.Loop() {
					task.Match(p, results)
				}
			})
		}
	}
}

// TestWorkOfAMatch: what a scope of ten entries costs a call that the last one covers by a record of a listing, without a clock. Who needs more
// has a reason for it, and changes the bounds.
func TestWorkOfAMatch(t *testing.T) {
	raced.SkipTable(t)
	const most, mostSteps = 17, 470 // allocations, of which there were 90 once
	var entries []string
	for i := range 9 {
		entries = append(entries, fmt.Sprintf(`{"tool":"forward_mail","times":1000,"args":{"/to":{"is":"other%d@corp.example"},"/note":{"any":true}}}`, i))
	}
	entries = append(entries, `{"tool":"forward_mail","times":1000,"args":{"/to":{"is":"ann@corp.example"},"/note":{"any":true},
		"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"n7"}}],"kind":"id","pick":"only"}}}`)
	s, refused, err := scope.Parse([]byte(`{"calls":[`+strings.Join(entries, ",")+`]}`), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	task, results := match.NewTask(s, "Forward the mail n7 to ann@corp.example."), listed(1, 21, nil, record)
	p := call("forward_mail", map[string]string{"/id": "s:a7", "/to": "t:ann@corp.example", "/note": "c:see below"})

	if n, covered := task.Steps(p, results); n > mostSteps || !covered {
		t.Errorf("%d steps, at most %d; covered: %v", n, mostSteps, covered)
	}
	if n := testing.AllocsPerRun(100, func() { task.Match(p, results) }); n > most {
		t.Errorf("%.0f allocations, at most %d", n, most)
	}
}

// TestStepsThatRunOut: where the steps of a match run out between two looks at the same value, the call is a question.
func TestStepsThatRunOut(t *testing.T) {
	const all = `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"mail_id","where":{"status":"open"}}],"kind":"id","pick":"all"}}}]}`
	covered := 0
	for members := 340; members < 600; members += 5 {
		var record strings.Builder
		for i := range members {
			fmt.Fprintf(&record, `,"m%d":"x"`, i)
		}
		list := `[{"mail_id":"m1","status":"open"` + record.String() + `}]`
		h := hostile{request: "Forward them.", scope: all, tool: "forward_mail", args: map[string]string{"/id": "s:m1"},
			results: []attacked{{"list_mails", nil, list}, {"list_mails", map[string]string{"/filter": "s:paid"}, list}}}
		if ok, _ := h.covered(t); ok {
			covered++
		}
	}
	if covered == 0 || covered == 52 {
		t.Errorf("%d of 52 results are read in the steps that there are: draw others", covered)
	}
}
