package match_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// returned is what a reading call with arguments, as JSON, returned.
type returned struct{ tool, args, text string }

// loosened is a proposed call for the thing with an id, after what strangers could write into
// results: whether it is covered is the same for a call that can be taken back and one that can't.
type loosened struct {
	scope, id string
	results   []returned
	want      bool
}

type loosenings map[string]loosened

func (all loosenings) run(t *testing.T) {
	t.Helper()
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			for _, irreversible := range []bool{true, false} {
				if got, misses := c.covered(t, irreversible); got != c.want {
					t.Errorf("irreversible %v: covered: %v, want %v (%v)", irreversible, got, c.want, misses)
				}
			}
		})
	}
}

func (c loosened) covered(t *testing.T, irreversible bool) (bool, []string) {
	t.Helper()
	s, refused, err := scope.Parse([]byte(c.scope), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	var results []*match.Result
	for i, have := range c.results {
		r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "s", Tool: have.tool, Args: selectors(t, have.args), Covered: true, Read: true, Early: true}
		r.SetContent(have.text, serialized.Read(have.text, "", serialized.Trust{}))
		results = append(results, r)
	}
	p := &match.Proposal{Server: "s", Tool: "act", Call: "c", Digest: c.id, Irreversible: irreversible, Role: func(string) label.Role { return label.Selector },
		Args: []match.Argument{{Pointer: "/id", Text: c.id, Role: label.Selector, Doubtful: true, Foreign: true}}}
	_, misses, ok := match.NewTask(s, "Do it with bill.txt.").Match(p, results)
	return ok, misses
}

func selectors(t *testing.T, text string) []match.Argument {
	t.Helper()
	if text == "" {
		return nil
	}
	doc, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out []match.Argument
	for _, l := range doc.Leaves() {
		out = append(out, match.Argument{Pointer: l.Pointer, Text: l.Text, Role: label.Selector, Empty: l.Text == ""})
	}
	return out
}

// of is a source whose records meet conditions.
func of(tool, field, where string) string {
	if where == "" {
		where = "{}"
	}
	return fmt.Sprintf(`{"tool":%q,"field":%q,"where":%s}`, tool, field, where)
}

// acting allows a call for the values of a source, with further members of the entry or of the
// constraint.
func acting(source, pick, entry, constraint string) string {
	return fmt.Sprintf(`{"calls":[{"tool":"act","times":"each"%s,"args":{"/id":{"from":[%s],"kind":"id","pick":%q%s}}}]}`, entry, source, pick, constraint)
}

func only(source string) string  { return acting(source, "only", "", "") }
func every(source string) string { return acting(source, "all", "", "") }

func sparing(source, except string) string {
	return acting(source, "all", "", `,"except":[`+except+`]`)
}

func unless(source, against string) string {
	return acting(source, "only", `,"unless":[`+against+`]`, "")
}
func provided(source, by string) string { return acting(source, "only", `,"if":[`+by+`]`, "") }

// ofJanasLogin is a condition on the login of the member who is called Jana.
const ofJanasLogin = `{"author":{"from":[{"tool":"members","field":"login","where":{"name":"Jana"}}]}}`

// TestUnknownJoins: a value that another call doesn't give is missing, not empty, and a text that
// an attacker wrote into its records doesn't change that.
func TestUnknownJoins(t *testing.T) {
	const (
		one  = `[{"name":"Jana","login":"jana1"},{"name":"Tom","login":"tom"}]`
		two  = `[{"name":"Jana","login":"jana1"},{"name":"Jana","login":"eve"}]`
		open = `[{"number":7,"author":"jana1"},{"number":8,"author":"tom"}]`
		gone = `[{"number":7,"title":"x"},{"number":8,"author":"tom"}]`
		bios = `[{"login":"jana1","bio":"hi"},{"login":"eve","bio":"Jana"}]`
	)
	hers := of("pulls", "number", ofJanasLogin)
	described := of("pulls", "number", `{"author":{"from":[{"tool":"members","field":"login of Jana"}]}}`)
	loosenings{
		"her own": {only(hers), "7", []returned{{"members", "", one}, {"pulls", "", open}}, true},
		"two of the name, and one without an author":  {only(hers), "7", []returned{{"members", "", two}, {"pulls", "", gone}}, false},
		"nobody asked for, and one without an author": {every(hers), "7", []returned{{"pulls", "", gone}}, false},
		"the words of a description in a text":        {only(described), "8", []returned{{"members", "", bios}, {"pulls", "", `[{"number":8,"author":"eve"}]`}}, false},
	}.run(t)
}

// TestEmptyMembers: a member is empty where nothing is in it, and missing where others of its list
// have it and nothing else may be meant by it.
func TestEmptyMembers(t *testing.T) {
	free := func(member string) string { return every(of("issues", "id", `{"`+member+`":""}`)) }
	held := func(text string) []returned { return []returned{{"issues", "", text}} }
	loosenings{
		"null":                           {free("assignee"), "7", held(`[{"id":7,"assignee":null},{"id":8,"assignee":"tom"}]`), true},
		"missing":                        {free("assignee"), "7", held(`[{"id":7,"title":"a"},{"id":8,"title":"b","assignee":"tom"}]`), true},
		"null, and an object elsewhere":  {free("assignee"), "7", held(`[{"id":7,"assignee":null},{"id":8,"assignee":{"login":"tom"}}]`), true},
		"missing, an object elsewhere":   {free("assignee"), "7", held(`[{"id":7,"title":"a"},{"id":8,"title":"b","assignee":{"login":"tom"}}]`), true},
		"an empty list":                  {free("assignees"), "7", held(`[{"id":7,"assignees":[]},{"id":8,"assignees":[{"login":"tom"}]}]`), true},
		"an object":                      {free("assignee"), "8", held(`[{"id":7,"assignee":null},{"id":8,"assignee":{"login":"tom","note":""}}]`), false},
		"a list with an empty element":   {free("labels"), "8", held(`[{"id":7,"labels":[]},{"id":8,"labels":["keep",""]}]`), false},
		"a list with an empty object":    {free("assignees"), "8", held(`[{"id":7,"assignees":[]},{"id":8,"assignees":[{"login":"tom"},{}]}]`), false},
		"an object with an empty text":   {free("assignees"), "8", held(`[{"id":7,"assignees":["x"]},{"id":8,"assignees":[{"login":"tom","note":""}]}]`), false},
		"records of another list":        {free("assignee"), "99", held(`{"issues":[{"id":7,"assignee":"tom"}],"comments":[{"id":99,"text":"hi"}]}`), false},
		"a key that somebody put there":  {free("assignee"), "7", held(`[{"id":7,"owner":"ann","meta":{}},{"id":8,"owner":"tom","meta":{"assignee":"x"}}]`), false},
		"an object under a like name":    {free("sender"), "8", held(`[{"id":7,"from":"x"},{"id":8,"from":{"login":"tom"}}]`), false},
		"a like name, where it is there": {free("sender"), "8", held(`[{"id":7,"sender":"x"},{"id":8,"sender_name":"tom"}]`), false},
	}.run(t)
}

// TestMembersOfOthers: a record in another one, and a key that an attacker put into an object,
// meet no condition on the record.
func TestMembersOfOthers(t *testing.T) {
	approved := func(where string) string { return every(of("issues", "id", where)) }
	held := func(text string) []returned { return []returned{{"issues", "", text}} }
	const status, either = `{"status":"approved"}`, `{"status":{"is":"approved","or":["state"]}}`
	loosenings{
		"of the record":                {approved(status), "2", held(`[{"id":1,"status":"open"},{"id":2,"status":"approved"}]`), true},
		"of an object that all have":   {approved(status), "2", held(`[{"id":1,"fields":{"status":"open"}},{"id":2,"fields":{"status":"approved"}}]`), true},
		"a key in one object":          {approved(status), "2", held(`[{"id":1,"meta":{}},{"id":2,"title":"b","meta":{"status":"approved"}}]`), false},
		"a key of an alternative":      {approved(either), "2", held(`[{"id":1,"status":"open","meta":{}},{"id":2,"status":"open","meta":{"state":"approved"}}]`), false},
		"an element of a list":         {approved(status), "2", held(`[{"id":1,"fields":[]},{"id":2,"title":"b","fields":[{"status":"approved"}]}]`), false},
		"an alternative in an element": {approved(either), "2", held(`[{"id":1,"status":"open","notes":[]},{"id":2,"status":"open","notes":[{"state":"approved"}]}]`), false},
		"a record in a record":         {approved(status), "99", held(`[{"id":1,"status":"approved","files":[{"id":99,"status":"approved"}]}]`), false},
		"a filter that was left out, on a key": {every(`{"tool":"issues","args":{"/group":{"is":"lunch"}},"field":"id"}`), "9",
			held(`[{"id":"9","meta":{"group":"lunch"}},{"id":"10","meta":{}}]`), false},
	}.run(t)
}

// TestLinesBesideOthers: a line that an attacker adds to a text is one of several of its name, or
// of an alternative to it.
func TestLinesBesideOthers(t *testing.T) {
	const rated = `{"rating":{"above":4,"or":["score"]}}`
	good := provided(of("hotel", "id", ""), of("hotel", "", rated))
	bad := unless(of("hotel", "id", ""), of("hotel", "", `{"name":"Inn","rating":{"below":3}}`))
	done := func(where string) string { return only(of("tickets", "id", where)) }
	const tickets = "Tickets found:\n\nid: T-1\nstatus: open\n\nid: T-9\nstatus: open\n"
	bill := func(where string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"read","args":{"/path":{"is":"bill.txt"}},"field":"account","where":` + where + `}],"kind":"account","pick":"only"}}}]}`
	}
	const (
		account = "DE89370400440532013000"
		path    = `{"path":"bill.txt"}`
		text    = "Bill of May\nAuthor: eve\nStatus: rejected\nAccount: " + account + "\nThank you"
	)
	loosenings{
		"beside a member of an alternative": {good, "1", []returned{{"hotel", "", `[{"id":1,"score":3,"review":"x\nRating: 5"}]`}}, false},
		"beside a line of an alternative":   {good, "1", []returned{{"hotel", "", `[{"id":1,"about":"Rating: 3","review":"x\nScore: 5"}]`}}, false},
		"against, beside a member":          {bad, "1", []returned{{"hotel", "", `[{"id":1,"name":"Inn","about":"Rating: 2"}]`}}, false},
		"in a block of a text":              {done(`{"status":"done"}`), "T-9", []returned{{"tickets", "", tickets + "status: done"}}, false},
		"of an alternative in a block":      {done(`{"status":{"is":"done","or":["state"]}}`), "T-9", []returned{{"tickets", "", tickets + "state: done"}}, false},
		"a text that doesn't meet it":       {bill(`{"status":"approved"}`), account, []returned{{"read", path, text}}, false},
		"a text by nobody knows whom":       {bill(ofJanasLogin), account, []returned{{"read", path, text}}, false},
		"a text that meets it":              {bill(`{"status":"rejected"}`), account, []returned{{"read", path, text}}, true},
	}.run(t)
}

// TestArgumentsLeftOut: the listing of a call that leaves out what its source says is another one.
func TestArgumentsLeftOut(t *testing.T) {
	const (
		groups  = `[{"id":"g1","name":"lunch"}]`
		members = `[{"user":"9"},{"user":"10"}]`
		lunch   = `[{"tool":"groups","field":"id","where":{"name":"lunch"}}]`
	)
	all := func(constraint string) string {
		return every(`{"tool":"members","args":{"/group":` + constraint + `},"field":"user"}`)
	}
	from := `{"from":` + lunch + `,"kind":"id","pick":"only"}`
	either := `{"is":"lunch","from":` + lunch + `,"kind":"id","pick":"only"}`
	loosenings{
		"given":                  {all(from), "9", []returned{{"groups", "", groups}, {"members", `{"group":"g1"}`, members}}, true},
		"from another call":      {all(from), "9", []returned{{"groups", "", groups}, {"members", "", members}}, false},
		"empty":                  {all(from), "9", []returned{{"groups", "", groups}, {"members", `{"group":""}`, members}}, false},
		"stated, or from a call": {all(either), "9", []returned{{"groups", "", groups}, {"members", "", members}}, false},
		"a day":                  {all(`{"date":"2026-02-03"}`), "9", []returned{{"members", "", members}}, false},
		"a day that records have": {all(`{"date":"2026-02-03"}`), "9",
			[]returned{{"members", "", `[{"user":"9","group":"2026-02-03"},{"user":"10","group":"2026-02-04"}]`}}, true},
		"another day of a record": {all(`{"date":"2026-02-03"}`), "10",
			[]returned{{"members", "", `[{"user":"9","group":"2026-02-03"},{"user":"10","group":"2026-02-04"}]`}}, false},
		"a template": {all(`{"template":"/a/{x}","holes":{"x":{"is":"b"}}}`), "9", []returned{{"members", "", members}}, false},
	}.run(t)
}

// TestOneOfTwoRecords: of two records that meet a condition, the one without a value may be meant.
func TestOneOfTwoRecords(t *testing.T) {
	hers := only(of("members", "login", `{"name":"Jana"}`))
	held := func(text string) []returned { return []returned{{"members", "", text}} }
	merged := only(of("pulls", "number", ofJanasLogin))
	loosenings{
		"one":               {hers, "jana1", held(`[{"name":"Jana","login":"jana1"},{"name":"Tom","login":null}]`), true},
		"two with the same": {hers, "jana1", held(`[{"name":"Jana","login":"jana1"},{"name":"Jana","login":"jana1"}]`), true},
		"one with null":     {hers, "eve", held(`[{"name":"Jana","login":null},{"name":"Jana","login":"eve"}]`), false},
		"one without":       {hers, "eve", held(`[{"name":"Jana"},{"name":"Jana","login":"eve"}]`), false},
		"in a join": {merged, "8", []returned{{"members", "", `[{"name":"Jana","login":null},{"name":"Jana","login":"eve"}]`},
			{"pulls", "", `[{"number":7,"author":"jana1"},{"number":8,"author":"eve"}]`}}, false},
	}.run(t)
}

// TestDisguises: what the user leaves out is left out in whatever form a result has it.
func TestDisguises(t *testing.T) {
	all := of("things", "id", "")
	but := func(where string) string { return sparing(all, of("things", "id", where)) }
	held := func(text string) []returned { return []returned{{"things", "", text}} }
	hers := sparing(of("pulls", "number", ""), of("pulls", "number", ofJanasLogin))
	of1 := func(login, author string) []returned {
		return []returned{{"members", "", `[{"name":"Jana","login":"` + login + `"}]`}, {"pulls", "", `[{"number":7,"author":"` + author + `"},{"number":8,"author":"tom"}]`}}
	}
	const above, keep = `{"amount":{"above":1000}}`, `{"title":{"contains":"Keep"}}`
	loosenings{
		"an amount with a separator":   {but(above), "1", held(`[{"id":1,"amount":"1,200.00"},{"id":2,"amount":"50"}]`), false},
		"an amount with its currency":  {but(above), "1", held(`[{"id":1,"amount":"1200 EUR"},{"id":2,"amount":"50 EUR"}]`), false},
		"a smaller one with it":        {but(above), "2", held(`[{"id":1,"amount":"1200 EUR"},{"id":2,"amount":"50 EUR"}]`), true},
		"no amount":                    {but(above), "1", held(`[{"id":1,"amount":null},{"id":2,"amount":50}]`), false},
		"an amount that is missing":    {but(above), "1", held(`[{"id":1,"title":"a"},{"id":2,"title":"b","amount":50}]`), false},
		"a date for an amount":         {but(`{"amount":{"below":1000}}`), "1", held(`[{"id":1,"amount":"2026-01-01"},{"id":2,"amount":5000}]`), false},
		"an amount in thousands":       {but(above), "1", held(`[{"id":1,"amount":"5k EUR"},{"id":2,"amount":"50 EUR"}]`), false},
		"an amount in millions":        {but(above), "1", held(`[{"id":1,"amount":"5 MIO"},{"id":2,"amount":"50 EUR"}]`), false},
		"thousands of another country": {but(above), "1", held(`[{"id":1,"amount":"1.200 EUR"},{"id":2,"amount":"50 EUR"}]`), false},
		"one day in words":             {but(`{"date":"2026-03-03"}`), "1", held(`[{"id":1,"date":"March 3, 2026"},{"id":2,"date":"2026-02-01"}]`), false},
		"another day":                  {but(`{"date":"2026-03-03"}`), "2", held(`[{"id":1,"date":"March 3, 2026"},{"id":2,"date":"2026-02-01"}]`), true},
		"a day in words":               {but(`{"date":{"after":"2026-03-03"}}`), "1", held(`[{"id":1,"date":"March 9, 2026"},{"id":2,"date":"2026-02-01"}]`), false},
		"a number with a separator":    {but(`{"amount":1200}`), "1", held(`[{"id":1,"amount":"1,200"},{"id":2,"amount":"50"}]`), false},
		"a number with an exponent":    {but(`{"amount":1200}`), "1", held(`[{"id":1,"amount":"1.2e3"},{"id":2,"amount":"50"}]`), false},
		"digits of another script":     {but(`{"amount":12}`), "1", held(`[{"id":1,"amount":"\u0661\u0662"},{"id":2,"amount":"50"}]`), false},
		"another number":               {but(`{"amount":1200}`), "2", held(`[{"id":1,"amount":"1,200"},{"id":2,"amount":"50"}]`), true},
		"an invisible character":       {but(`{"title":"Keep"}`), "1", held(`[{"id":1,"title":"Ke\u200bep"},{"id":2,"title":"b"}]`), false},
		"one in a word":                {but(keep), "1", held(`[{"id":1,"title":"do Ke\u00adep"},{"id":2,"title":"b"}]`), false},
		"one in front of a prefix":     {but(`{"title":{"prefix":"Keep"}}`), "1", held(`[{"id":1,"title":"\u200bKeep it"},{"id":2,"title":"b"}]`), false},
		"two spaces":                   {but(`{"title":"Keep It"}`), "1", held(`[{"id":1,"title":"Keep  It"},{"id":2,"title":"b"}]`), false},
		"letters of another alphabet":  {but(keep), "1", held(`[{"id":1,"title":"K\u0435ep"},{"id":2,"title":"b"}]`), false},
		"an emoji":                     {but(`{"title":{"contains":"🔥"}}`), "1", held(`[{"id":1,"title":"a 🔥"},{"id":2,"title":"b"}]`), false},
		"nothing but an invisible one": {but(`{"owner":""}`), "1", held(`[{"id":1,"owner":"\u200b"},{"id":2,"owner":"tom"}]`), false},
		"a mark on a letter":           {but(keep), "1", held(`[{"id":1,"title":"Ke\u0335ep"},{"id":2,"title":"b"}]`), false},
		"a filler":                     {but(keep), "1", held(`[{"id":1,"title":"Ke\u3164ep"},{"id":2,"title":"b"}]`), false},
		"all of another alphabet":      {but(`{"title":"cop"}`), "1", held(`[{"id":1,"title":"\u0441\u043e\u0440"},{"id":2,"title":"b"}]`), false},
		"a letter that is two":         {but(`{"title":"Straße"}`), "1", held(`[{"id":1,"title":"STRASSE"},{"id":2,"title":"b"}]`), false},
		"a blank in a prefix":          {but(`{"title":{"prefix":"Re:"}}`), "1", held(`[{"id":1,"title":"RE : hi"},{"id":2,"title":"b"}]`), false},
		"yes for true":                 {but(`{"pinned":true}`), "1", held(`[{"id":1,"pinned":"yes"},{"id":2,"pinned":"no"}]`), false},
		"one for true":                 {but(`{"pinned":true}`), "1", held(`[{"id":1,"pinned":1},{"id":2,"pinned":0}]`), false},
		"no for true":                  {but(`{"pinned":true}`), "2", held(`[{"id":1,"pinned":"yes"},{"id":2,"pinned":"no"}]`), true},
		"another title":                {but(keep), "2", held(`[{"id":1,"title":"K\u0435ep"},{"id":2,"title":"b"}]`), true},
		"a login in another case":      {hers, "7", of1("Jana1", "jana1"), false},
		"an address with a name":       {hers, "7", of1("jana@x.org", "Jana <jana@x.org>"), false},
		"somebody else's":              {hers, "8", of1("Jana1", "jana1"), true},
		"a value with an invisible character": {sparing(all, of("others", "id", "")), "bob",
			[]returned{{"things", "", `[{"id":"bob"},{"id":"tom"}]`}, {"others", "", `[{"id":"bo\u200bb"},{"id":"ann"}]`}}, false},
	}.run(t)
}

// TestSigns: the signs among words are part of them, and words are needed.
func TestSigns(t *testing.T) {
	has := func(words string) string { return every(of("things", "id", `{"title":{"contains":"`+words+`"}}`)) }
	held := func(text string) []returned {
		return []returned{{"things", "", `[{"id":1,"title":"` + text + `"},{"id":2,"title":"x"}]`}}
	}
	loosenings{
		"an emoji":                  {has("🔥"), "1", held("a 🔥"), true},
		"an emoji that isn't there": {has("🔥"), "2", held("a 🔥"), false},
		"a plus":                    {has("C++"), "1", held("learn C++"), true},
		"no plus":                   {has("C++"), "1", held("vitamin C"), false},
		"a version":                 {has("1.5"), "1", held("release 1.5"), true},
		"a version in a longer one": {has("1.5"), "1", held("release 0.1.5"), false},
		"a version in another form": {has("1.5"), "1", held("release 1-5"), false},
	}.run(t)
	in := every(of("files", "path", `{"path":{"prefix":"/tmp/"}}`))
	files := []returned{{"files", "", `[{"path":"/tmp/a"},{"path":"/tmp/../etc/b"}]`}}
	loosenings{
		"a path in the folder":     {in, "/tmp/a", files, true},
		"a path that leads out of": {in, "/tmp/../etc/b", files, false},
	}.run(t)
	for _, where := range []string{`{"title":{"prefix":" "}}`, `{"title":{"contains":"  "}}`} {
		if _, refused, err := scope.Parse([]byte(every(of("things", "id", where))), nil); err != nil || len(refused) != 1 {
			t.Errorf("%s: %v %v, want it refused", where, refused, err)
		}
	}
}

// TestReadingsOfTimes: where a time may be read in two ways, a call relies on both.
func TestReadingsOfTimes(t *testing.T) {
	free := func(start, end, before, after string) loosened {
		against := of("events", "", `{"start":{"before":"`+before+`"},"end":{"after":"`+after+`"}}`)
		return loosened{unless(of("rooms", "id", ""), against), "1", []returned{{"rooms", "", `[{"id":1}]`}, {"events", "", `[{"id":5,"start":"` + start + `","end":"` + end + `"}]`}}, false}
	}
	is := func(l loosened) loosened { l.want = true; return l }
	ended := every(of("events", "id", `{"end":{"before":"2026-02-03 12:00"}}`))
	clocked := unless(of("rooms", "id", ""), of("events", "", `{"start":{"after":"19:00"}}`))
	held := func(text string) []returned { return []returned{{"rooms", "", `[{"id":1}]`}, {"events", "", text}} }
	const noon, one = "2026-02-03 12:00", "2026-02-03 13:00"
	loosenings{
		"busy in the user's zone":       free("2026-02-03T12:00:00+01:00", "2026-02-03T12:45:00+01:00", one, noon),
		"busy in the event's zone":      free("2026-02-03T13:00:00+01:00", "2026-02-03T13:45:00+01:00", one, noon),
		"free in both":                  is(free("2026-02-03T17:00:00+01:00", "2026-02-03T17:45:00+01:00", one, noon)),
		"busy all day":                  free("2026-02-03", "2026-02-03", one, noon),
		"busy all of the day":           free("2026-02-03", "2026-02-03", "2026-02-04", "2026-02-03"),
		"busy the day before":           is(free("2026-02-02", "2026-02-02", one, noon)),
		"a day that isn't over":         {ended, "5", held(`[{"id":5,"end":"2026-02-03"},{"id":6,"end":"2026-02-09"}]`), false},
		"a day that is":                 {ended, "5", held(`[{"id":5,"end":"2026-02-02"},{"id":6,"end":"2026-02-09"}]`), true},
		"over in one zone":              {ended, "5", held(`[{"id":5,"end":"2026-02-03T12:30:00+01:00"}]`), false},
		"a time that nobody can read":   {clocked, "1", held(`[{"id":5,"start":"8 PM"}]`), false},
		"a part of a second later":      {clocked, "1", held(`[{"id":5,"start":"19:00:00.5"}]`), false},
		"a time that one lacks":         {clocked, "1", held(`[{"id":5,"title":"a"},{"id":6,"title":"b","start":"18:00"}]`), false},
		"all before":                    {clocked, "1", held(`[{"id":5,"start":"17:00"},{"id":6,"start":"18:00"}]`), true},
		"a date is no number below one": {every(of("events", "id", `{"amount":{"below":1000}}`)), "1", held(`[{"id":1,"amount":"1950-01-01"},{"id":2,"amount":50}]`), false},
	}.run(t)
}

// TestMembersOfJoins: a login is compared with logins, and not with what people call themselves.
func TestMembersOfJoins(t *testing.T) {
	hers := only(of("pulls", "number", ofJanasLogin))
	held := func(pulls string) []returned {
		return []returned{{"members", "", `[{"name":"Jana","login":"jana1"},{"name":"Tom","login":"tom"}]`}, {"pulls", "", pulls}}
	}
	const objects = `[{"number":7,"author":{"login":"jana1","name":"Jana"}},{"number":8,"author":{"login":"eve","name":"jana1"}}]`
	loosenings{
		"the author's login":          {hers, "7", held(objects), true},
		"the author's name":           {hers, "8", held(objects), false},
		"a login in one word":         {hers, "7", held(`[{"number":7,"authorLogin":"jana1"},{"number":8,"authorLogin":"eve"}]`), true},
		"a name in one word":          {hers, "8", held(`[{"number":7,"authorName":"Jana"},{"number":8,"authorName":"jana1"}]`), false},
		"another author of a comment": {hers, "8", held(`[{"number":7,"comments":[{"author":"tom"}]},{"number":8,"comments":[{"author":"jana1"}]}]`), false},
		"somebody else":               {hers, "7", held(`[{"number":7,"user":{"login":"jana1"}},{"number":8,"user":{"login":"eve"}}]`), false},
	}.run(t)
}

// TestLaterRecords: what was approved may be so no longer.
func TestLaterRecords(t *testing.T) {
	approved := every(of("bills", "id", `{"status":"approved"}`))
	const first = `[{"id":1,"status":"approved"},{"id":2,"status":"approved"}]`
	loosenings{
		"rejected later":     {approved, "1", []returned{{"bills", "", first}, {"bills", "", `[{"id":1,"status":"rejected"}]`}}, false},
		"not rejected later": {approved, "2", []returned{{"bills", "", first}, {"bills", "", `[{"id":1,"status":"rejected"},{"id":2,"status":"approved"}]`}}, true},
		"approved later":     {approved, "1", []returned{{"bills", "", `[{"id":1,"status":"open"}]`}, {"bills", "", first}}, true},
	}.run(t)
}

// TestObjectsByteByByte: a file in another case is another file.
func TestObjectsByteByByte(t *testing.T) {
	report := only(of("files", "path", `{"title":"Report"}`))
	held := []returned{{"files", "", `[{"path":"Report.txt","title":"Report"},{"path":"report.txt","title":"x"}]`}}
	loosenings{
		"as it is written": {report, "Report.txt", held, true},
		"in another case":  {report, "report.txt", held, false},
		"in wide letters":  {report, "Ｒeport.txt", held, false},
	}.run(t)
}

// TestWhatACallWasAskedForIsNoKey: of a listing that a call asked for, an object in one record
// that has the value asked for identifies nothing.
func TestWhatACallWasAskedForIsNoKey(t *testing.T) {
	lunch := only(`{"tool":"things","args":{"/group":{"is":"lunch"}},"field":"id"}`)
	held := func(text string) []returned { return []returned{{"things", `{"group":"lunch"}`, text}} }
	loosenings{
		"of the record":       {lunch, "2", held(`[{"id":1,"group":"x"},{"id":2,"group":"lunch"}]`), true},
		"of an object in one": {lunch, "2", held(`[{"id":1,"meta":{}},{"id":2,"meta":{"group":"lunch"}}]`), false},
		"of a list in one":    {lunch, "2", held(`[{"id":1,"tags":[]},{"id":3,"tags":[{"id":2,"group":"lunch"}]}]`), false},
	}.run(t)
}

// TestPartsOfWhatSpeaksAgainst: a listing that goes on doesn't say what isn't in it.
func TestPartsOfWhatSpeaksAgainst(t *testing.T) {
	free := unless(of("rooms", "id", ""), of("events", "", `{"title":"Offsite"}`))
	held := func(more string) []returned {
		return []returned{{"rooms", "", `[{"id":1}]`}, {"events", "", `{"items":[{"id":5,"title":"x"}]` + more + `}`}}
	}
	loosenings{
		"all of it":              {free, "1", held(``), true},
		"nothing further":        {free, "1", held(`,"more_results":false,"isLast":true`), true},
		"more of it":             {free, "1", held(`,"has_more":true`), false},
		"more results":           {free, "1", held(`,"more_results":true`), false},
		"a link to the next":     {free, "1", held(`,"_links":{"next":{"href":"/p2"}}`), false},
		"a token to continue by": {free, "1", held(`,"metadata":{"continue":"x"}`), false},
		"not the last":           {free, "1", held(`,"isLast":false`), false},
		"some that remain":       {free, "1", held(`,"remainingItemCount":3`), false},
	}.run(t)

	limited := only(of("things", "id", ""))
	for _, limit := range []string{`1`, `1.0`, `1e0`, `" 1"`, `"１"`} {
		c := loosened{limited, "7", []returned{{"things", `{"limit":` + limit + `}`, `[{"id":7}]`}}, false}
		if got, _ := c.covered(t, false); got {
			t.Errorf("a listing with the limit %s counts in whole", limit)
		}
	}
}

// TestCriteriaOverTimes: a day that is far away is later than others, and a moment in a zone can't be
// compared with one that has none.
func TestCriteriaOverTimes(t *testing.T) {
	earliest := acting(of("tasks", "id", ""), "choice", "", `,"by":"earliest due"`)
	held := func(a, b string) []returned {
		return []returned{{"tasks", "", `[{"id":1,"due":"` + a + `"},{"id":2,"due":"` + b + `"}]`}}
	}
	loosenings{
		"a day without an end":     {earliest, "1", held("2026-01-01", "9999-12-31"), true},
		"not the day without one":  {earliest, "2", held("2026-01-01", "9999-12-31"), false},
		"the later one of a zone":  {earliest, "2", held("2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"), false},
		"the earlier one of zones": {earliest, "2", held("2026-01-01T10:00:00Z", "2026-01-01T11:00:00+05:00"), true},
	}.run(t)
	mixed := loosened{earliest, "2", held("2026-01-01T10:00:00", "2026-01-01T11:00:00+05:00"), false}
	if got, _ := mixed.covered(t, true); got {
		t.Error("a moment in a zone was compared with one that has none")
	}
}

// A link that is passed on is of the record that the call's other values are of.
func TestLinkOfTheSameRecord(t *testing.T) {
	const (
		people = `[{"name":"Ann","email":"ann@corp.example","link":"https://corp.example/ann"},{"name":"Eve","email":"eve@x.example","link":"https://x.example/login"}]`
		source = `[{"tool":"list_mails","field":"FIELD"}],"pick":"all","kind":"KIND"`
	)
	from := func(field, kind string) string {
		return `{"from":` + strings.NewReplacer("FIELD", field, "KIND", kind).Replace(source) + `}`
	}
	for name, c := range map[string]struct {
		to, note string
		want     bool
	}{
		"one's own":              {"ann@corp.example", "Hi: https://corp.example/ann, bye", true},
		"another's, to a person": {"eve@x.example", "Hi: https://corp.example/ann, bye", false},
		"a stranger's":           {"ann@corp.example", "Hi: https://x.example/login, bye", false},
		"both":                   {"ann@corp.example", "Hi: https://corp.example/ann https://x.example/login, bye", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Send everybody their link.", tool: "forward_mail", args: map[string]string{"/to": "t:" + c.to, "/note": "c:" + c.note}, results: mails(nil, people),
				scope: `{"calls":[{"tool":"forward_mail","times":"each","args":{"/to":` + from("email", "email") + `,"/note":{"template":"{a}{link}{b}","holes":{"a":{"any":true},"b":{"any":true},"link":` + from("link", "url") + `}}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// A listing that was narrowed late by the value that the call sets is not what the request is about.
func TestNarrowedByWhatIsSet(t *testing.T) {
	const list = `[{"id":"e","author":"Ann","cents":50,"date":"2025-01-01"}]`
	for name, c := range map[string]struct {
		by   map[string]string
		want bool
	}{
		"by the amount that is set": {map[string]string{"/cents": "o:50"}, false},
		"by nothing":                {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Put 50 on the newest mail of Ann.", tool: "forward_mail", args: map[string]string{"/id": "s:e", "/cents": "o:50"},
				results: append(file("a.txt", "hello"), attacked{"list_mails", c.by, list}),
				scope:   `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"author":"Ann"}}],"kind":"id","pick":"choice","by":"newest by date"},"/cents":{"is":50}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// Beside a value in a target, nothing that is only said to be computed passes.
func TestComputedBesideAValue(t *testing.T) {
	for text, want := range map[string]bool{"U123": false, "U999 U123": false} {
		h := hostile{
			request: "Tell Ann.", tool: "forward_mail", args: map[string]string{"/to": "t:" + text}, results: mails(nil, `[{"name":"Ann","user":"U123"}]`),
			scope: `{"calls":[{"tool":"forward_mail","args":{"/to":{"template":"{x}{user}","holes":{"x":{"computed":[],"by":"who else"},"user":{"from":[{"tool":"list_mails","field":"user","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}}}]}`,
		}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s covered: %v, want %v (%v)", text, got, want, misses)
		}
	}
}
