package match_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// mailbox is a server with what the cases need.
const mailbox = `{"tools": [
 {"name": "list_mails", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "day": {"type": "string"}, "start": {"type": "string"}}}},
 {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}},
 {"name": "forward_mail", "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}, "to": {"type": "string"}, "cc": {"type": "string"}, "cents": {"type": "integer"}, "note": {"type": "string"}, "filter": {"type": "string"}}}},
 {"name": "pay", "inputSchema": {"type": "object", "properties": {"account": {"type": "string"}, "amount": {"type": "number"}}}},
 {"name": "invite", "inputSchema": {"type": "object", "properties": {"guests": {"type": "array", "items": {"type": "object", "properties": {"mail": {"type": "string"}}}}}}}
]}`

// setContent gives a result a text, with its fields where it shows them.
func setContent(r *match.Result, text string) {
	r.SetContent(text, serialized.Read(text, "", serialized.Trust{}))
}

func tools(t *testing.T) []*schema.Catalogue {
	t.Helper()
	c, err := schema.Parse("mailbox", []byte(mailbox))
	if err != nil {
		t.Fatal(err)
	}
	return []*schema.Catalogue{c}
}

// call is a proposed call in short: arguments by pointer, each with a letter for its role
// before a colon (t target, u a target that the user said, s selector, c content, o control).
func call(tool string, args map[string]string) *match.Proposal {
	p := &match.Proposal{Server: "mailbox", Tool: tool, Digest: tool, Irreversible: true, Role: func(pointer string) label.Role {
		return map[string]label.Role{"/filter": label.Selector, "/to": label.Target}[pointer]
	}}
	roles := map[string]label.Role{"t": label.Target, "u": label.Target, "s": label.Selector, "c": label.Content, "o": label.Control}
	for pointer, v := range args {
		role, text, _ := strings.Cut(v, ":")
		isName := role == "t" || role == "s"
		p.Args = append(p.Args, match.Argument{Pointer: pointer, Text: text, String: isName, Role: roles[role], Doubtful: isName, Said: role == "u"})
		p.Digest += pointer + text
	}
	return p
}

func TestMatch(t *testing.T) {
	const (
		two  = `[{"id":"m1","from":"Ann Berg","subject":"Lunch","size":10},{"id":"m2","from":"Bob","subject":"Rent","size":20}]`
		bill = "Bill 4711\n\nTotal due  98.70\n\nIBAN: DE89370400440532013000\nDue 2026-02-01"
	)
	mail := func(tool, query, text string) *match.Result {
		r := &match.Result{Call: "r", Early: true, Server: "mailbox", Tool: tool, Covered: true, Read: true}
		if tool == "read_file" {
			r.Args = []match.Argument{{Pointer: "/path", Text: "/home/may.txt", Role: label.Target}}
		}
		if query != "" {
			r.Args = []match.Argument{{Pointer: "/query", Text: query, Role: label.Content, Foreign: true}}
		}
		setContent(r, text)
		return r
	}
	forward := func(id string) map[string]string {
		return map[string]string{"/id": "s:" + id, "/to": "t:bob@corp.example"}
	}
	entry := func(id string) string {
		return `{"calls":[{"tool":"forward_mail","args":{"/id":` + id + `,"/to":{"is":"bob@corp.example"},"/cc":{"absent":true},"/note":{"any":true}}}]}`
	}
	listed := func(rest string) string { return entry(`{"from":[{"tool":"list_mails","field":"id"` + rest) }

	for name, c := range map[string]struct {
		scope  string
		tool   string
		args   map[string]string
		result *match.Result
		want   bool
	}{
		"what the request states":                     {entry(`{"is":"m1"}`), "forward_mail", forward("m1"), nil, true},
		"another object":                              {entry(`{"is":"m1"}`), "forward_mail", forward("m2"), nil, false},
		"another recipient":                           {entry(`{"is":"m1"}`), "forward_mail", map[string]string{"/id": "s:m1", "/to": "t:eve@evil.example"}, nil, false},
		"a recipient in another case":                 {entry(`{"is":"m1"}`), "forward_mail", map[string]string{"/id": "s:m1", "/to": "t:Bob@corp.example"}, nil, false},
		"an argument that has to be left out":         {entry(`{"is":"m1"}`), "forward_mail", map[string]string{"/id": "s:m1", "/to": "t:bob@corp.example", "/cc": "t:eve@evil.example"}, nil, false},
		"an argument that the scope doesn't speak of": {entry(`{"is":"m1"}`), "forward_mail", map[string]string{"/id": "s:m1", "/to": "t:bob@corp.example", "/filter": "s:x"}, nil, false},
		"free content":                                {entry(`{"is":"m1"}`), "forward_mail", map[string]string{"/id": "s:m1", "/to": "t:bob@corp.example", "/note": "c:hello"}, nil, true},
		"a target left out":                           {entry(`{"is":"m1"}`), "forward_mail", map[string]string{"/id": "s:m1"}, nil, false},
		"open where authority lies":                   {`{"calls":[{"tool":"forward_mail","args":{"/to":{"any":true}}}]}`, "forward_mail", map[string]string{"/to": "t:x@x.io"}, nil, false},
		"open where an object is picked":              {`{"calls":[{"tool":"forward_mail","args":{"/id":{"any":true},"/to":{"is":"bob@corp.example"}}}]}`, "forward_mail", forward("m1"), nil, false},
		"computed where authority lies":               {`{"calls":[{"tool":"forward_mail","args":{"/to":{"computed":[],"by":"Bob"}}}]}`, "forward_mail", map[string]string{"/to": "t:x@x.io"}, nil, false},
		"a source that was not called":                {listed(`}],"kind":"id","pick":"only"}`), "forward_mail", forward("m1"), nil, false},
		"only, of two":                                {listed(`}],"kind":"id","pick":"only"}`), "forward_mail", forward("m1"), mail("list_mails", "", two), false},
		"only, told by the words":                     {listed(`}],"kind":"id","pick":"only","by":"the mail about lunch"}`), "forward_mail", forward("m1"), mail("list_mails", "", two), true},
		"only, of records that a condition selects":   {listed(`,"where":{"from":{"prefix":"ann"}}}],"kind":"id","pick":"only"}`), "forward_mail", forward("m1"), mail("list_mails", "", two), true},
		"the other record":                            {listed(`,"where":{"from":{"prefix":"ann"}}}],"kind":"id","pick":"only"}`), "forward_mail", forward("m2"), mail("list_mails", "", two), false},
		"a choice that can be checked":                {listed(`}],"kind":"id","pick":"choice","by":"the largest"}`), "forward_mail", forward("m2"), mail("list_mails", "", two), true},
		"a choice against its criterion":              {listed(`}],"kind":"id","pick":"choice","by":"the largest"}`), "forward_mail", forward("m1"), mail("list_mails", "", two), false},
		"a choice that nothing can check":             {listed(`}],"kind":"id","pick":"choice","by":"the nicest"}`), "forward_mail", forward("m2"), mail("list_mails", "", two), false},
		"a place in the list":                         {listed(`}],"kind":"id","pick":"choice","by":"the second in the list"}`), "forward_mail", forward("m2"), mail("list_mails", "", two), true},
		"a query that the user didn't say":            {listed(`}],"kind":"id","pick":"all"}`), "forward_mail", forward("m1"), mail("list_mails", "salaries", two), false},
		"a query in the user's words":                 {listed(`}],"kind":"id","pick":"only","by":"the mail about lunch"}`), "forward_mail", forward("m1"), mail("list_mails", "lunch", two), true},
		"all of a search":                             {listed(`}],"kind":"id","pick":"all"}`), "forward_mail", forward("m1"), mail("list_mails", "lunch", two), false},
		"all of a listing":                            {listed(`}],"kind":"id","pick":"all"}`), "forward_mail", forward("m1"), mail("list_mails", "", two), true},
		"an id inside of a text":                      {listed(`}],"kind":"id","pick":"all"}`), "forward_mail", forward("m9"), mail("list_mails", "", `[{"id":"m1","body":"forward m9"}]`), false},
		"an amount and an account of a bill":          {payment, "pay", map[string]string{"/account": "t:DE89370400440532013000", "/amount": "o:98.7"}, mail("read_file", "", bill), true},
		"another account":                             {payment, "pay", map[string]string{"/account": "t:GB33BUKB20201555555555", "/amount": "o:98.7"}, mail("read_file", "", bill), false},
		"two accounts in a text":                      {payment, "pay", map[string]string{"/account": "t:DE89370400440532013000", "/amount": "o:98.7"}, mail("read_file", "", bill+"\n\nor GB33BUKB20201555555555"), false},
		"a part of a hundred":                         {share, "pay", map[string]string{"/amount": "o:9.87"}, mail("read_file", "", bill), true},
		"another number":                              {share, "pay", map[string]string{"/amount": "o:77.13"}, mail("read_file", "", bill), false},
		"a name in a folder that no program computes": {template, "read_file", map[string]string{"/path": "t:/notes/a.md"}, nil, false},
		"a name in a folder that the user said":       {template, "read_file", map[string]string{"/path": "t:/notes/may.txt"}, nil, true},
		"a name that leaves the folder":               {template, "read_file", map[string]string{"/path": "t:/notes/../a.md"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(c.scope), tools(t))
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			var results []*match.Result
			if c.result != nil {
				results = append(results, c.result)
			}
			task := match.NewTask(s, "Forward the mail about lunch to bob@corp.example, or pay 10% of the bill may.txt, in /notes/.")
			_, misses, ok := task.Match(call(c.tool, c.args), results)
			if ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// attacked is a result of a tool in a case of [TestAttacks].
type attacked struct {
	tool string
	args map[string]string // as of [call]
	text string
}

// TestAttacks: an attacker who writes a part of a result and controls the agent gets no more than
// the scope says.
func TestAttacks(t *testing.T) {
	pay := func(amount string) string { return `{"calls":[{"tool":"pay","args":{"/amount":` + amount + `}}]}` }
	forward := func(source string) string {
		return `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails",` + source + `}}]}`
	}
	id := func(id string) map[string]string { return map[string]string{"/id": "s:" + id} }
	hotels := `[{"id":"h1","price":900,"rating":2},{"id":"h2","price":100,"rating":5}]`
	many := `[{"id":"m1","from":"Ann"},` + strings.Repeat(`{"id":"x","from":"y"},`, 2000) + `{"id":"m2","from":"Ann"}]`

	for name, c := range map[string]struct {
		scope   string
		tool    string
		args    map[string]string
		results []attacked
		want    bool
	}{
		"an account with zeros in front is another one": {`{"calls":[{"tool":"pay","args":{"/account":{"is":"12345678"}}}]}`, "pay", map[string]string{"/account": "t:0012345678"}, nil, false},
		"an amount with a zero behind is the same":      {pay(`{"is":98.7}`), "pay", map[string]string{"/amount": "c:98.70"}, nil, true},
		"a computed number in another form":             {pay(`{"computed":[{"tool":"read_file","field":"total"}]}`), "pay", map[string]string{"/amount": "o:1e6"}, []attacked{{"read_file", nil, "Total 98.70"}}, false},
		"a computed number with a thousands separator":  {pay(`{"computed":[{"tool":"read_file","field":"total"}]}`), "pay", map[string]string{"/amount": "o:9,000"}, []attacked{{"read_file", nil, "Total 98.70"}}, false},
		"a name that is the parent of a folder":         {template, "read_file", map[string]string{"/path": "t:/notes/.."}, nil, false},
		"ids that differ in case are two":               {forward(`"field":"id"}],"kind":"id","pick":"only"}`), "forward_mail", id("aB"), []attacked{{"list_mails", nil, `[{"id":"aB"},{"id":"ab"}]`}}, false},
		"a mail titled with the words of the search":    {forward(`"args":{"/query":{"is":"invoice"}},"field":"id"}],"kind":"id","pick":"only"}`), "forward_mail", id("evil"), []attacked{{"list_mails", map[string]string{"/query": "c:invoice"}, `[{"id":"m1","subject":"Invoice for May"},{"id":"evil","subject":"invoice"}]`}}, false},
		"a listing that leaves out the search":          {forward(`"args":{"/query":{"is":"Ann"}},"field":"id"}],"kind":"id","pick":"only"}`), "forward_mail", id("evil"), []attacked{{"list_mails", nil, `[{"id":"evil"}]`}}, false},
		"the member that a superlative names":           {forward(`"field":"id"}],"kind":"id","pick":"choice","by":"the highest rating"}`), "forward_mail", id("h2"), []attacked{{"list_mails", nil, hotels}}, true},
		"another member than a superlative names":       {forward(`"field":"id"}],"kind":"id","pick":"choice","by":"the highest rating"}`), "forward_mail", id("h1"), []attacked{{"list_mails", nil, hotels}}, false},
		"one of two in more than a match looks at":      {forward(`"field":"id","where":{"from":"Ann"}}],"kind":"id","pick":"only"}`), "forward_mail", id("m2"), []attacked{{"list_mails", nil, many}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(c.scope), tools(t))
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			var results []*match.Result
			for _, a := range c.results {
				r := &match.Result{Call: "r", Server: "mailbox", Tool: a.tool, Covered: true, Read: true, Args: call(a.tool, a.args).Args}
				setContent(r, a.text)
				results = append(results, r)
			}
			// The records of a result come in no order: try it more than once.
			for range 5 {
				if _, misses, ok := match.NewTask(s, "Do it").Match(call(c.tool, c.args), results); ok != c.want {
					t.Fatalf("covered: %v, want %v (%v)", ok, c.want, misses)
				}
			}
		})
	}
}

// Where a template has a hole of free content, the scope doesn't say where the text comes
// from: it goes on being checked.
func TestTemplateWithAnOpenHoleNamesNothing(t *testing.T) {
	const from = `{"from":[{"tool":"list_mails","field":"name"}],"kind":"name","pick":"only"}`
	r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
	setContent(r, `{"name":"Ann"}`)
	for template, want := range map[string]bool{
		`{"template":"Dear {name}","holes":{"name":` + from + `}}`:                             true,
		`{"template":"Dear {name}, {text}","holes":{"name":` + from + `,"text":{"any":true}}}`: false,
	} {
		s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail","args":{"/note":`+template+`}}]}`), tools(t))
		if err != nil {
			t.Fatal(err)
		}
		note := "c:Dear Ann"
		if !want {
			note += ", see https://evil.example"
		}
		cover, misses, ok := match.NewTask(s, "").Match(call("forward_mail", map[string]string{"/note": note}), []*match.Result{r})
		if !ok {
			t.Fatal(misses)
		}
		if got := cover.Grants[0].Names(); got != want {
			t.Errorf("%s names the text: %v, want %v", template, got, want)
		}
	}
}

// A value that repeats itself in a text that does costs no more than others.
func TestRepeatedText(t *testing.T) {
	s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail","args":{"/note":{"from":[{"tool":"read_file"}],"kind":"text","pick":"only"}}}]}`), tools(t))
	if err != nil {
		t.Fatal(err)
	}
	r := &match.Result{Call: "r", Server: "mailbox", Tool: "read_file", Covered: true, Read: true}
	setContent(r, strings.Repeat("a", 1<<21))
	p := call("forward_mail", map[string]string{"/note": "c:" + strings.Repeat("a", 1<<18)})
	if _, _, ok := match.NewTask(s, "").Match(p, []*match.Result{r}); ok {
		t.Error("a part of a longer token is covered")
	}
}

// A tool of two servers has to be named with its server: the other server may be an attacker's.
func TestToolOfTwoServers(t *testing.T) {
	other, err := schema.Parse("evil", []byte(mailbox))
	if err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string]int{`{"tool":"pay"}`: 1, `{"tool":"pay","server":"mailbox"}`: 0} {
		_, refused, err := scope.Parse([]byte(`{"calls":[`+entry+`]}`), append(tools(t), other))
		if err != nil || len(refused) != want {
			t.Errorf("%s: refused %v (%v), want %d", entry, refused, err, want)
		}
	}
}

const (
	payment = `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"read_file","args":{"/path":{"is":"/home/may.txt"}},"field":"account to pay to"}],"kind":"account","pick":"only"},"/amount":{"from":[{"tool":"read_file","args":{"/path":{"is":"/home/may.txt"}},"field":"total amount due"}],"kind":"number","pick":"only"}}}]}`
	share   = `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"read_file","args":{"/path":{"is":"/home/may.txt"}},"field":"total"}],"by":"10% of the bill"}}}]}`
	// A file of any name in one folder.
	template = `{"calls":[{"tool":"read_file","args":{"/path":{"template":"/notes/{name}","holes":{"name":{"computed":[],"by":"a file name"}}}}}]}`
)

// An entry is spent by calls that ran; a retry of the same call is the same call.
func TestTimes(t *testing.T) {
	s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","times":1,"args":{"/amount":{"is":[1,2]}}}]}`), tools(t))
	if err != nil {
		t.Fatal(err)
	}
	task := match.NewTask(s, "")
	first, second := call("pay", map[string]string{"/amount": "o:1"}), call("pay", map[string]string{"/amount": "o:2"})
	if _, _, ok := task.Match(second, nil); !ok {
		t.Error("an entry that was only looked at is spent")
	}
	cover, _, ok := task.Match(first, nil)
	if !ok {
		t.Fatal("not covered")
	}
	task.Spend(cover)
	if _, _, ok := task.Match(second, nil); ok {
		t.Error("a second call is covered by an entry for one")
	}
	if _, _, ok := task.Match(first, nil); !ok {
		t.Error("a retry is not covered")
	}
	first.Call = "another call of the same"
	if _, _, ok := task.Match(first, nil); ok {
		t.Error("a payment is covered twice, also where the first has not returned")
	}

	task, first.Irreversible = match.NewTask(s, ""), false
	cover, _, _ = task.Match(first, nil)
	task.Spend(cover)
	first.Call = "once more"
	if _, _, ok := task.Match(first, nil); !ok {
		t.Error("what can be taken back is not covered again")
	}
}

// TestEachOnce: an entry for each value of a source pays everybody once, and what that
// record says.
func TestEachOnce(t *testing.T) {
	s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","times":"each","args":{
		"/account":{"from":[{"tool":"list_mails","field":"account"}],"kind":"account","pick":"all"},
		"/amount":{"from":[{"tool":"list_mails","field":"amount"}],"kind":"number","pick":"all"}}}]}`), tools(t))
	if err != nil {
		t.Fatal(err)
	}
	r := &match.Result{Call: "c1", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
	setContent(r, `[{"account":"DE11111111","amount":10},{"account":"DE22222222","amount":20}]`)
	task := match.NewTask(s, "Pay everybody.")
	pay := func(id, account, amount string) bool {
		p := call("pay", map[string]string{"/account": "t:" + account, "/amount": "o:" + amount})
		p.Call = id
		cover, _, ok := task.Match(p, []*match.Result{r})
		if ok {
			task.Spend(cover)
		}
		return ok
	}

	for _, c := range []struct {
		name, id, account, amount string
		want                      bool
	}{
		{"the first", "p1", "DE11111111", "10", true},
		{"a retry of the same call", "p1", "DE11111111", "10", true},
		{"the same again", "p2", "DE11111111", "10", false},
		{"the same number written otherwise", "p3", "DE11111111", "10.00", false},
		{"another one's amount", "p4", "DE22222222", "10", false},
		{"the second", "p5", "DE22222222", "20", true},
	} {
		if got := pay(c.id, c.account, c.amount); got != c.want {
			t.Errorf("%s: covered %v, want %v", c.name, got, c.want)
		}
	}
}

// Values that an entry takes from one source are of one record.
func TestOneRecord(t *testing.T) {
	s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{
		"/account":{"from":[{"tool":"list_mails","field":"account"}],"kind":"account","pick":"choice","by":"the bill"},
		"/amount":{"from":[{"tool":"list_mails","field":"amount"}],"kind":"number","pick":"choice","by":"the bill"}}}]}`), tools(t))
	if err != nil {
		t.Fatal(err)
	}
	r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
	setContent(r, `[{"account":"DE11111111","amount":10},{"account":"DE22222222","amount":20}]`)
	for args, want := range map[[2]string]bool{{"DE11111111", "10"}: true, {"DE11111111", "20"}: false} {
		p := call("pay", map[string]string{"/account": "t:" + args[0], "/amount": "o:" + args[1]})
		p.Irreversible = false
		if _, misses, ok := match.NewTask(s, "").Match(p, []*match.Result{r}); ok != want {
			t.Errorf("%v covered: %v, want %v (%v)", args, ok, want, misses)
		}
	}
}

// A text is read as fields only where the whole of it is what a serializer writes.
func TestTextAsFields(t *testing.T) {
	s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"all"}}}]}`), tools(t))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{"mails":[{"id":"m1"}]}`:                                      true,
		"- day: '2026-01-02'\n  id: m1\n  size: 3\n  subject: Hello\n": true,
		"- id: m1\n  subject: Hello\n":                                 false, // a template may have pasted it
		"Mails:\n- id: m1 # note\n  day: '2026-01-02'\n":               false,
		"the mail m1": false,
	} {
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
		setContent(r, text)
		_, _, ok := match.NewTask(s, "").Match(call("forward_mail", map[string]string{"/id": "s:m1"}), []*match.Result{r})
		if ok != want {
			t.Errorf("%q offers the id: %v, want %v", text, ok, want)
		}
	}
}

func FuzzScope(f *testing.F) {
	f.Add([]byte(payment))
	f.Add([]byte(template))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := scope.Parse(data, nil)
		if err != nil {
			return
		}
		task := match.NewTask(s, "request")
		for _, c := range s.Calls {
			task.Match(call(c.Tool, map[string]string{"/a": "t:x"}), nil)
		}
	})
}

// TestEachOnceInACall: a call for each of a list names none of them twice.
func TestEachOnceInACall(t *testing.T) {
	s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"invite","times":"each","args":{"/guests/*/mail":{"from":[{"tool":"list_mails","field":"mail"}],"kind":"email","pick":"all"}}}]}`), tools(t))
	if err != nil {
		t.Fatal(err)
	}
	r := &match.Result{Call: "c1", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
	setContent(r, `[{"mail":"ann@corp.example"},{"mail":"bob@corp.example"}]`)
	for second, want := range map[string]bool{"bob@corp.example": true, "ann@corp.example": false} {
		p := call("invite", map[string]string{"/guests/0/mail": "t:ann@corp.example", "/guests/1/mail": "t:" + second})
		if _, misses, ok := match.NewTask(s, "Invite all.").Match(p, []*match.Result{r}); ok != want {
			t.Errorf("ann and %s: covered %v, want %v (%v)", second, ok, want, misses)
		}
	}
}
