package scope_test

import (
	"fmt"
	"strconv"
	"testing"

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
	var results []*scope.Result
	for i, have := range c.results {
		r := &scope.Result{Call: "r" + strconv.Itoa(i), Server: "s", Tool: have.tool, Args: selectors(t, have.args), Covered: true, Read: true, Early: true}
		r.SetContent(have.text, serialized.Read(have.text, "", serialized.Trust{}))
		results = append(results, r)
	}
	p := &scope.Proposal{Server: "s", Tool: "act", Call: "c", Digest: c.id, Irreversible: irreversible, Role: func(string) label.Role { return label.Selector },
		Args: []scope.Argument{{Pointer: "/id", Text: c.id, Role: label.Selector, Doubtful: true, Foreign: true}}}
	_, misses, ok := scope.NewTask(s, "Do it with bill.txt.").Match(p, results)
	return ok, misses
}

func selectors(t *testing.T, text string) []scope.Argument {
	t.Helper()
	if text == "" {
		return nil
	}
	doc, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out []scope.Argument
	for _, l := range doc.Leaves() {
		out = append(out, scope.Argument{Pointer: l.Pointer, Text: l.Text, Role: label.Selector, Empty: l.Text == ""})
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

// TestUnknownJoins: a value that another call doesn't give is none, not an empty one, and whoever
// writes texts of its records doesn't make it one.
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

// TestMembersOfOthers: a record in another one, and a key that somebody put into an object, meet no
// condition on the record.
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

// TestLinesBesideOthers: a line that somebody adds to a text is one of several of its name, or of an
// alternative to it.
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
