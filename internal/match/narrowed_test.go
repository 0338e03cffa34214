package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestNarrowedListings: the author of what the session read first may have chosen how a listing
// is narrowed, so that the only record left is not one that the request means.
func TestNarrowedListings(t *testing.T) {
	const paying = `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"account","where":{"name":"Ann"}}],"kind":"account","pick":"only"}}}]}`
	for name, c := range map[string]struct {
		pointer, text string
		want          bool
	}{
		"a limit that is reached":       {"/limit", "o:1", false},
		"a limit as a fraction":         {"/limit", "o:1.0", false},
		"a limit with a space":          {"/limit", "o:1 ", false},
		"a limit in words":              {"/limit", "o:one", false},
		"a limit that is not reached":   {"/limit", "o:50", true},
		"a place before the first":      {"/offset", "o:-1", false},
		"the first place":               {"/offset", "o:0", true},
		"a page that may be the second": {"/page", "o:1", false},
		"a bound":                       {"/min_amount", "o:100.5", false},
		"a filter by a setting":         {"/archived", "o:true", false},
		"a word of the request":         {"/query", "s:the", false},
		"the words of the condition":    {"/query", "s:Ann", true},
		"an order":                      {"/sort", "o:newest", true},
		"an order by a member":          {"/sort_by", "o:created", true},
		"a filter on orders":            {"/order_status", "o:open", false},
		"what is asked for and isn't":   {"/include_archived", "o:false", false},
		"a filter that is off":          {"/unread_only", "o:false", true},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(paying), nil)
			if err != nil {
				t.Fatal(err)
			}
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"narrow what you list"}`)
			list := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Args: call("list_mails", map[string]string{c.pointer: c.text}).Args}
			setContent(list, `[{"name":"Ann","account":"DE89370400440532013000"}]`)

			p := call("pay", map[string]string{"/account": "t:DE89370400440532013000"})
			if _, misses, ok := match.NewTask(s, "Read the mail and pay Ann.").Match(p, []*match.Result{mail, list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestFiltersThatTheScopeHas: a filter that the scope states, or that leaves out nothing that a
// condition selects, counts as no one else's choice, and so does one that was set before anything
// of others was read.
func TestFiltersThatTheScopeHas(t *testing.T) {
	const paying = `{"calls":[{"tool":"book","args":{"/calendar":{"is":"primary"},"/day":{"date":"2026-01-08"}}},
		{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"account","where":{"state":"open","year":{"below":1960},"price":{"above":10}}}],"kind":"account","pick":"only"}}}]}`
	for name, c := range map[string]struct {
		pointer, text string
		early         bool
		want          bool
	}{
		"what the scope states of another call": {"/calendar", "s:primary", false, true},
		"a day that it states":                  {"/day", "o:2026-01-08", false, true},
		"another value of that name":            {"/calendar", "s:eve", false, false},
		"the value under another name":          {"/folder", "s:primary", false, false},
		"the condition's value":                 {"/state", "o:open", false, true},
		"another state":                         {"/state", "o:closed", false, false},
		"a bound that is the condition's":       {"/year_to", "o:1959", false, true},
		"a wider bound":                         {"/year_to", "o:1990", false, true},
		"a tighter bound":                       {"/year_to", "o:1950", false, false},
		"a bound on the other side":             {"/year_from", "o:1959", false, false},
		"between two numbers may be others":     {"/min_price", "o:11", false, false},
		"a lower bound":                         {"/min_price", "o:10", false, true},
		"anything before anything was read":     {"/folder", "s:eve", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(paying), nil)
			if err != nil {
				t.Fatal(err)
			}
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"narrow what you list"}`)
			list := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: c.early, Args: call("list_mails", map[string]string{c.pointer: c.text}).Args}
			setContent(list, `[{"state":"open","year":1952,"price":12,"account":"DE89370400440532013000"}]`)
			p := call("pay", map[string]string{"/account": "t:DE89370400440532013000"})
			if _, misses, ok := match.NewTask(s, "Pay the open one.").Match(p, []*match.Result{mail, list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestWhatACallAskedFor: a listing for which the service was asked by a value that its definition
// lists has nothing else, where no member says so.
func TestWhatACallAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		state  string
		listed bool
		list   string
		want   bool
	}{
		"asked for by a listed value": {"pending", true, `[{"id":"U1","name":"Ann"}]`, true},
		"another value":               {"approved", true, `[{"id":"U1","name":"Ann"}]`, false},
		"words of a search":           {"pending", false, `[{"id":"U1","name":"Ann"}]`, false},
		"a member says otherwise":     {"pending", true, `[{"id":"U1","name":"Ann","state":"approved"}]`, false},
		"as does one of another name": {"pending", true, `[{"id":"U1","name":"Ann","phase":"approved"}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"answer","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann","phase":{"or":["state"],"is":["pending"]}}}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			args := call("list_mails", map[string]string{"/state": "o:" + c.state}).Args
			args[0].Listed = c.listed
			list := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true, Args: args}
			setContent(list, c.list)
			if _, misses, ok := match.NewTask(s, "Approve what Ann wants.").Match(call("answer", map[string]string{"/id": "s:U1"}), []*match.Result{list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestOneOfTwoWays: where a request's values may be found in two ways, and the agent went one,
// what is left out is looked for on that way; what only the other way shows still has to be asked
// for.
func TestOneOfTwoWays(t *testing.T) {
	const (
		from     = `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"kind":"bill"}},{"tool":"read_file","field":"id","where":{"kind":"bill"}}],"kind":"id","pick":"all","except":[`
		listed   = `{"tool":"list_mails","field":"id","where":{"sender":"Eve"}}`
		alike    = `,{"tool":"read_file","field":"id","where":{"sender":"Eve"}}`
		another  = `,{"tool":"read_file","field":"id","where":{"rights":"closed"}}`
		opened   = `,{"tool":"get_mail","field":"id","where":{"sender":"Eve"}}`
		somebody = `,{"tool":"list_users","field":"id","where":{"sender":"Eve"}}`
		end      = `]}}}]}`
		list     = `[{"id":"1","kind":"bill","sender":"Ann"},{"id":"2","kind":"bill","sender":"Eve"}]`
	)
	for name, c := range map[string]struct {
		scope, id string
		write     bool
		want      bool
	}{
		"the same on the other way":               {from + listed + alike + end, "1", false, true},
		"what is left out":                        {from + listed + alike + end, "2", false, false},
		"what only the other way tells":           {from + listed + another + end, "1", false, false},
		"a call that is none of the two":          {from + listed + somebody + end, "1", false, false},
		"the same, of what can be taken back":     {from + listed + somebody + end, "1", true, false},
		"what one could open":                     {from + listed + opened + end, "1", false, false},
		"what one could open, to take it back":    {from + listed + opened + end, "1", true, true},
		"what is left out, and one could open it": {from + listed + opened + end, "2", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(c.scope), nil)
			if err != nil {
				t.Fatal(err)
			}
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"x"}`)
			r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Args: call("", map[string]string{"/kind": "o:bill"}).Args}
			setContent(r, list)
			p := call("forward_mail", map[string]string{"/id": "s:" + c.id})
			p.Irreversible = !c.write
			if _, misses, ok := match.NewTask(s, "Forward the bills but Eve's.").Match(p, []*match.Result{mail, r}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestOneOfSeveralWords: a search for one of the words that a condition has leaves out some of all
// that are meant, and what is left out of them is told by the records that it has. For the only one
// it may have left out another.
func TestOneOfSeveralWords(t *testing.T) {
	const (
		where  = `"where":{"subject":{"contains":["bill","bills"]}}}]`
		except = `,"except":[{"tool":"list_mails","field":"id","where":{"subject":{"contains":["gas"]}}}]`
		list   = `[{"id":"1","subject":"bill for water"},{"id":"2","subject":"gas bill"}]`
	)
	for name, c := range map[string]struct {
		pick, query, id string
		want            bool
	}{
		"one of all":            {`"all"` + except, "bill", "1", true},
		"what is left out":      {`"all"` + except, "bill", "2", false},
		"another word":          {`"all"` + except, "water", "1", false},
		"one that is the only":  {`"only"`, "bills", "1", false},
		"all, nothing left out": {`"all"`, "bills", "2", true},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"archive_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"id",`+where+`,"kind":"id","pick":`+c.pick+`}}}]}`), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"x"}`)
			r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Args: []match.Argument{{Pointer: "/query", Text: c.query, Role: label.Content, Foreign: true}}}
			setContent(r, list)
			if _, misses, ok := match.NewTask(s, "Archive the invoices, but not gas.").Match(call("archive_mail", map[string]string{"/id": "s:" + c.id}), []*match.Result{mail, r}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestNarrowedByAnother: a listing that was narrowed late shows whether an id is left out, but
// not whether a sender is, who may have another record.
func TestNarrowedByAnother(t *testing.T) {
	for field, want := range map[string]bool{"id": true, "sender": false} {
		kind := map[string]string{"id": "id", "sender": "name"}[field]
		s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"archive_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"`+field+`"}],"kind":"`+kind+`","pick":"all","except":[{"tool":"list_mails","field":"`+field+`","where":{"state":"flagged"}}]}}}]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
		setContent(mail, `{"body":"x"}`)
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Args: []match.Argument{{Pointer: "/query", Text: "x", Role: label.Content, Foreign: true}}}
		setContent(r, `[{"id":"eve","sender":"eve","state":"ok"},{"id":"bob","sender":"bob","state":"flagged"}]`)
		p := call("archive_mail", map[string]string{"/id": "s:eve"})
		p.Irreversible = false
		if _, misses, ok := match.NewTask(s, "Archive them, but nothing that is flagged.").Match(p, []*match.Result{mail, r}); ok != want {
			t.Errorf("%s: covered %v, want %v (%v)", field, ok, want, misses)
		}
	}
}

// TestNarrowedByDays: an argument that names no member bounds the only days that a source is
// about, and none where the source is about two, since it may be on either.
func TestNarrowedByDays(t *testing.T) {
	const one = `"received":{"after":"2026-03-31","before":"2026-05-01"}`
	const two = one + `,"paid":{"after":"2026-03-31"}`
	const moment = one + `,"paid":{"before":"2026-04-15T12:00:00Z"}`
	for name, c := range map[string]struct {
		where, pointer, text string
		want                 bool
	}{
		"a moment of another member":      {moment, "/from", "o:2026-04-01", false},
		"the first day":                   {one, "/from", "o:2026-04-01", true},
		"the last day":                    {one, "/to", "o:2026-04-30", true},
		"with the word for a day":         {one, "/start_date", "o:2026-04-01", true},
		"a wider bound":                   {one, "/since", "o:2026-01-01", true},
		"a later first day":               {one, "/from", "o:2026-04-02", false},
		"an earlier last day":             {one, "/until", "o:2026-04-29", false},
		"the last day, which is outside":  {one, "/before", "o:2026-04-30", false},
		"the day after it":                {one, "/before", "o:2026-05-01", true},
		"a number":                        {one, "/from", "o:1", false},
		"a bound of another member":       {one, "/paid_from", "o:2026-04-01", false},
		"days of two members":             {two, "/from", "o:2026-04-01", false},
		"a name that is on both sides":    {one, "/from_to", "o:2026-04-01", false},
		"no condition on days":            {`"name":"Ann"`, "/from", "o:2026-04-01", false},
		"a day that isn't one":            {one, "/from", "o:2026-04-31", false},
		"a time of the first day, at ten": {one, "/from", "o:2026-04-01T10:00", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"account","where":{`+c.where+`}}],"kind":"account","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"narrow what you list"}`)
			list := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Args: call("list_mails", map[string]string{c.pointer: c.text}).Args}
			record := `[{"name":"Ann","account":"DE89370400440532013000","received":"2026-04-12"`
			setContent(list, record+`}]`)

			p := call("pay", map[string]string{"/account": "t:DE89370400440532013000"})
			if _, misses, ok := match.NewTask(s, "Read the mail and pay what came in April.").Match(p, []*match.Result{mail, list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
			setContent(list, record+`,"paid":"2026-04-13"}]`)
			if _, _, ok := match.NewTask(s, "Read the mail and pay what came in April.").Match(p, []*match.Result{mail, list}); ok {
				t.Error("covered where the days may be those of another member")
			}
		})
	}
}

// TestNarrowedByAnID: a listing for the id of what the request names is that of the request where
// a call in scope found the id as the only one of the name.
func TestNarrowedByAnID(t *testing.T) {
	for name, c := range map[string]struct {
		people, listedBy, covered string
		want                      bool
	}{
		"the only one of the name":          {`[{"doctor_id":"D-12","name":"Dr. Jo Hartwig"},{"doctor_id":"D-13","name":"Dr. Ann Lund"}]`, "D-12", "yes", true},
		"called id":                         {`[{"id":"D-12","name":"Dr. Jo Hartwig"}]`, "D-12", "yes", true},
		"two of the name":                   {`[{"doctor_id":"D-12","name":"Dr. Jo Hartwig"},{"doctor_id":"D-14","name":"Dr. Eve Hartwig"}]`, "D-12", "yes", false},
		"another's id":                      {`[{"doctor_id":"D-12","name":"Dr. Jo Hartwig"},{"doctor_id":"D-13","name":"Dr. Ann Lund"}]`, "D-13", "yes", false},
		"the name in another member":        {`[{"doctor_id":"D-12","name":"Dr. Ann Lund","note":"stands in for Hartwig"}]`, "D-12", "yes", false},
		"a text that isn't records":         {`"D-12 is Hartwig"`, "D-12", "yes", false},
		"a call that is outside the scope":  {`[{"doctor_id":"D-12","name":"Dr. Jo Hartwig"}]`, "D-12", "no", false},
		"a search that leaves another out":  {`[{"doctor_id":"D-12","name":"Dr. Jo Hartwig"}]`, "D-12", "narrowed", false},
		"a search by the name":              {`[{"doctor_id":"D-12","name":"Dr. Jo Hartwig"}]`, "D-12", "named", true},
		"ids of two kinds in the same line": {`[{"doctor_id":"D-12","id":"R-7","name":"Dr. Jo Hartwig"}]`, "R-7", "yes", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"find_doctors"},{"tool":"cancel","args":{"/appointment_id":{"from":[{"tool":"list_appointments","field":"appointment_id","where":{"doctor":{"contains":"Hartwig"}}}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			args := map[string]map[string]string{"narrowed": {"/ward": "o:3"}, "named": {"/name": "s:Hartwig"}}[c.covered]
			people := &match.Result{Call: "p", Server: "mailbox", Tool: "find_doctors", Covered: c.covered != "no", Read: true, Args: call("find_doctors", args).Args}
			setContent(people, c.people)
			list := &match.Result{Call: "r", Server: "mailbox", Tool: "list_appointments", Covered: true, Read: true, Args: call("list_appointments", map[string]string{"/doctor_id": "t:" + c.listedBy}).Args}
			setContent(list, `[{"appointment_id":"AP-1","doctor":"Dr. Jo Hartwig"}]`)

			p := call("cancel", map[string]string{"/appointment_id": "s:AP-1"})
			p.Irreversible = true
			if _, misses, ok := match.NewTask(s, "Cancel Hartwig's appointment.").Match(p, []*match.Result{people, list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestNarrowedByOneOfSeveral: a filter by the only one of several members that the records have, or by one
// of the orders in which a name may be written, hides none that is meant.
func TestNarrowedByOneOfSeveral(t *testing.T) {
	const (
		either = `"name":{"is":"Ann Lee","or":["title"]}`
		order  = `"name":{"is":["Ann Lee","Lee Ann"]}`
		others = `"name":{"is":["Ann Lee","Lea Ann"]}`
	)
	for name, c := range map[string]struct {
		where, argument, text, record string
		want                          bool
	}{
		"the member that there is":          {either, "/name", "o:Ann Lee", "", true},
		"one of two that there are":         {either, "/name", "o:Ann Lee", `,"title":"Dr"`, false},
		"beside one of something else":      {either, "/name", "o:Ann Lee", `,"job_title":"Dr"`, true},
		"another value":                     {either, "/name", "o:Bo", "", false},
		"another member":                    {either, "/city", "o:Ann Lee", `,"city":"Bonn"`, false},
		"a name in the order of the record": {order, "/name", "o:Ann Lee", "", true},
		"a name in the other order":         {order, "/name", "o:Lee Ann", "", true},
		"one of two names":                  {others, "/name", "o:Ann Lee", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"find_people","field":"account","where":{`+c.where+`}}],"kind":"account","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"narrow what you look for"}`)
			list := &match.Result{Call: "r", Server: "mailbox", Tool: "find_people", Covered: true, Read: true, Args: call("find_people", map[string]string{c.argument: c.text}).Args}
			setContent(list, `[{"name":"Ann Lee"`+c.record+`,"account":"DE89370400440532013000"}]`)

			p := call("pay", map[string]string{"/account": "t:DE89370400440532013000"})
			p.Irreversible = true
			if _, misses, ok := match.NewTask(s, "Read the mail and pay Ann Lee.").Match(p, []*match.Result{mail, list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestSearchedForEither: where a condition is on one of several members, the user's word as what is
// looked for leaves out none that meets it; as the value of one of the members it leaves out those
// with the other.
func TestSearchedForEither(t *testing.T) {
	for name, c := range map[string]struct {
		argument, text, record string
		want                   bool
	}{
		"looked for":                      {"/query", "o:budget", "", true},
		"looked for, among other words":   {"/query", "o:budget secret", "", false},
		"the value of the first member":   {"/name", "o:budget", `,"title":"Plan"`, false},
		"the value of the second member":  {"/title", "o:budget", `,"title":"Budget"`, false},
		"a member that is called so":      {"/text", "o:budget", `,"text":"x"`, false},
		"something else with the words":   {"/owner", "o:budget", `,"title":"Plan"`, false},
		"a limit that may leave some out": {"/limit", "o:1", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"find_bills","field":"account","where":{"name":{"contains":"budget","or":["title"]}}}],"kind":"account","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			mail := &match.Result{Call: "m", Server: "mailbox", Tool: "read_mail", Covered: true, Read: true}
			setContent(mail, `{"body":"narrow what you look for"}`)
			list := &match.Result{Call: "r", Server: "mailbox", Tool: "find_bills", Covered: true, Read: true, Args: call("find_bills", map[string]string{c.argument: c.text}).Args}
			setContent(list, `[{"name":"Budget 2026"`+c.record+`,"account":"DE89370400440532013000"}]`)

			p := call("pay", map[string]string{"/account": "t:DE89370400440532013000"})
			p.Irreversible = true
			if _, misses, ok := match.NewTask(s, "Read the mail and pay the budget.").Match(p, []*match.Result{mail, list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestNarrowedHides: an argument that the model chose after it had read others' text can leave out
// the second record, by which the call would be a question, whatever it is called.
func TestNarrowedHides(t *testing.T) {
	const (
		bill    = `{"id":"b1","doctor":"Anna Hartwig","doctor_id":"D-12","account":"DE89370400440532013000"`
		doctors = `[{"id":"D-12","name":"Anna Hartwig"}]`
	)
	for name, c := range map[string]struct {
		argument, text string
		record         string // what the record has beside
		tool, listing  string // of another listing
		want           bool
	}{
		"nothing":                            {want: true},
		"the words that were looked for":     {argument: "/query", text: "o:Hartwig", want: true},
		"a limit that isn't reached":         {argument: "/limit", text: "o:50", want: true},
		"a page's size":                      {argument: "/page_size", text: "o:50", want: true},
		"an order":                           {argument: "/order", text: "o:desc", want: true},
		"an order by a member":               {argument: "/order", text: "o:account", want: true},
		"the id of the only doctor":          {argument: "/doctor_id", text: "s:D-12", tool: "list_doctors", listing: doctors, want: true},
		"the id of one of two doctors":       {argument: "/doctor_id", text: "s:D-12", tool: "list_doctors", listing: `[{"id":"D-12","name":"Anna Hartwig"},{"id":"D-13","name":"Hartwig"}]`},
		"the id of somebody of the name":     {argument: "/doctor_id", text: "s:D-12", tool: "search_contacts", listing: doctors},
		"the doctor of a patient":            {argument: "/doctor_id", text: "s:D-12", tool: "list_patients", listing: `[{"doctor_id":"D-12","name":"Hartwig"}]`},
		"the reviewer of a doctor":           {argument: "/doctor_id", text: "s:D-12", tool: "list_doctor_reviews", listing: doctors},
		"a category with the same words":     {argument: "/category", text: "o:Hartwig"},
		"the name of what is looked for":     {argument: "/doctor_name", text: "o:Hartwig", want: true},
		"another member with the same words": {argument: "/payer", text: "o:Hartwig", record: `,"payer":"Hartwig"`},
		"the number of something":            {argument: "/customer_number", text: "o:4711"},
		"the size of something":              {argument: "/shoe_size", text: "o:44"},
		"a member that is a size":            {argument: "/size", text: "o:44", record: `,"size":44`},
		"the most of a member":               {argument: "/max_price", text: "o:500", record: `,"price":20`},
		"how deep":                           {argument: "/depth", text: "o:1"},
		"a direction of payments":            {argument: "/direction", text: "o:incoming"},
		"an order that somebody placed":      {argument: "/order", text: "o:A-17"},
		"a member that is a format":          {argument: "/format", text: "o:pdf", record: `,"format":"pdf"`},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_bills","field":"account","where":{"doctor":{"contains":"Hartwig"}}}],"kind":"account","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			var results []*match.Result
			add := func(tool, content string, args ...match.Argument) {
				r := &match.Result{Call: tool, Server: "mailbox", Tool: tool, Covered: true, Read: true, Args: args}
				setContent(r, content)
				results = append(results, r)
			}
			add("read_mail", `{"body":"narrow what you list"}`)
			if c.tool != "" {
				add(c.tool, c.listing)
			}
			var args []match.Argument
			if c.argument != "" {
				args = call("list_bills", map[string]string{c.argument: c.text}).Args
			}
			add("list_bills", "["+bill+c.record+"}]", args...)

			p := call("pay", map[string]string{"/account": "t:DE89370400440532013000"})
			if _, misses, ok := match.NewTask(s, "Read the mail and pay Hartwig's bill.").Match(p, results); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestSizeOfAPage: a number that is called as a size and as something else leaves records out, however many are returned.
func TestSizeOfAPage(t *testing.T) {
	const longest = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_berths","field":"id"}],"kind":"id","pick":"choice","by":"cheapest by price"}}}]}`
	by := func(args string, want bool) asking {
		return asking{scope: longest, said: "Take the cheapest berth.", args: map[string]string{"/id": "s:5"}, early: true, want: want,
			results: []returned{{"list_berths", args, `[{"id":5,"price":9}]`}}}
	}
	askings{
		"a limit":              by(`{"limit":40}`, true),
		"of so many results":   by(`{"max_results":40}`, true),
		"by what is listed":    by(`{"max_berths":40}`, true),
		"the size of a page":   by(`{"page_size":40}`, true),
		"of what is searched":  by(`{"search_limit":40}`, true),
		"of what is returned":  by(`{"limit_to":40}`, true),
		"that is reached":      by(`{"search_limit":1}`, false),
		"the least length":     by(`{"min_length":40}`, false),
		"the least count":      by(`{"min_count":40}`, false),
		"a limit of the depth": by(`{"depth_limit":40}`, false),
		"the top speed":        by(`{"top_speed":40}`, false),
	}.run(t)
}

// TestNarrowedToWhatIsListed: who asks for the passes of a holder that fetch_holders lists leaves out no pass of that holder, whichever
// member a pass has the holder in. Another relation is another filter.
func TestNarrowedToWhatIsListed(t *testing.T) {
	const (
		scope   = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"fetch_passes","field":"pass_id","where":{"bearer_uid":{"from":[{"tool":"fetch_holders","field":"holder_uid","where":{"name":{"is":"Priya"}}}]}}}],"kind":"id","pick":"only"}}}]}`
		holders = `[{"holder_uid":"u1","name":"Priya"},{"holder_uid":"u2","name":"Nell"}]`
		passes  = `[{"pass_id":"p1","bearer_uid":"u1"}]`
	)
	having := func(args, passes string) []returned {
		return []returned{{"fetch_holders", `{}`, holders}, {"fetch_passes", args, passes}}
	}
	id := map[string]string{"/id": "s:p1"}
	askings{
		"the holder that was found":       {scope: scope, said: "Top up Priya's pass.", args: id, results: having(`{"holder":"u1"}`, passes), want: true},
		"by the id's name":                {scope: scope, said: "Top up Priya's pass.", args: id, results: having(`{"holder_id":"u1"}`, passes), want: true},
		"another holder":                  {scope: scope, said: "Top up Priya's pass.", args: id, results: having(`{"holder":"u2"}`, passes)},
		"who does something else with it": {scope: scope, said: "Top up Priya's pass.", args: id, results: having(`{"payer":"u1"}`, passes)},
		"another relation that they have": {scope: scope, said: "Top up Priya's pass.", args: id, results: having(`{"holder":"u1"}`, `[{"pass_id":"p1","bearer_uid":"u1","payer_uid":"u1"}]`)},
		"a relation that they don't tell": {scope: scope, said: "Top up Priya's pass.", args: id, results: having(`{"holder":"u1"}`, `[{"pass_id":"p1","bearer_uid":"u1"},{"pass_id":"p2","bearer_uid":"u2"}]`)},
		"a member of another meaning":     {scope: scope, said: "Top up Priya's pass.", args: id, results: having(`{"holder":"u1"}`, `[{"pass_id":"p1","bearer_uid":"u1","holder":"u1"}]`)},
	}.run(t)
}
