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

// TestMembersOfObjects: a member of an object in a record is called by the object's name as well,
// and the record's own members by theirs alone.
func TestMembersOfObjects(t *testing.T) {
	const (
		jobs  = `{"data":[{"id":7,"client":{"id":41,"name":"Ann"},"state":"open"},{"id":8,"client":{"id":42,"name":"Eve"},"state":"open"}],"next":null}`
		cards = `[{"id":"V1","name":"Ann","fuelCard":{"no":"7002-1","limitEur":400}},{"id":"V2","name":"Eve","fuelCard":{"no":"7002-2","limitEur":300}}]`
	)
	for name, c := range map[string]struct {
		field, kind, where, list, value string
		want                            bool
	}{
		"the record's own id":                  {"job id", "id", `{"client":"Ann"}`, jobs, "7", true},
		"the object's id for it":               {"job id", "id", `{"client":"Ann"}`, jobs, "41", false},
		"the object's id":                      {"client id", "id", `{"client":"Ann"}`, jobs, "41", true},
		"the record's id for it":               {"client id", "id", `{"client":"Ann"}`, jobs, "7", false},
		"the other object's id":                {"client id", "id", `{"client":"Ann"}`, jobs, "42", false},
		"the object's own name":                {"client", "name", `{"client id":"41"}`, jobs, "Ann", true},
		"a number by the name":                 {"fuel card number", "number", `{"name":"Ann"}`, cards, "7002-1", true},
		"a number by the end of the name":      {"card number", "number", `{"name":"Ann"}`, cards, "7002-1", false},
		"another record's":                     {"card number", "number", `{"name":"Ann"}`, cards, "7002-2", false},
		"two that end so":                      {"id", "id", `{"state":"x"}`, `[{"state":"x","seller":{"id":"A"},"buyer":{"id":"B"}}]`, "A", false},
		"an object that a record lacks":        {"client id", "id", `{"state":"x"}`, `[{"id":"1","state":"x","client":{"id":"A"}},{"id":"2","state":"y"}]`, "A", false},
		"what somebody added as a member":      {"client id", "id", `{"state":"x"}`, `[{"id":"1","state":"x","labels":{"client_id":"E"}}]`, "E", false},
		"what somebody added beside it":        {"client id", "id", `{"state":"x"}`, `[{"id":"1","state":"x","client":{"id":"A"},"labels":{"client":{"id":"E"}}}]`, "E", false},
		"a condition on a list in a record":    {"id", "id", `{"guest":"Ann"}`, `[{"id":"1","guests":[{"name":"Ann"}]},{"id":"2","guests":[{"name":"Eve"}]}]`, "1", true},
		"a condition that a remark would do":   {"id", "id", `{"guest":"Ann"}`, `[{"id":"1","host":"Eve","remarks":[{"guest":"Ann"}]},{"id":"2","host":"Eve","remarks":[]}]`, "1", false},
		"a title that only a part has":         {"id", "id", `{"title":"Ann"}`, `[{"id":"1","title":"Lunch"},{"id":"2","files":[{"title":"Ann"}]}]`, "2", false},
		"the thing, for its id":                {"recording id", "id", `{"name":"Ann"}`, `[{"request_id":"R","name":"Ann","recording":"TB"}]`, "TB", true},
		"another thing's id for it":            {"recording id", "id", `{"name":"Ann"}`, `[{"request_id":"R","name":"Ann","recording":"TB"}]`, "R", false},
		"an object with to in its name":        {"id", "id", `{"bill_to name":"Ann"}`, `[{"id":"1","billTo":{"name":"Ann","city":"x"}},{"id":"2","billTo":{"name":"Eve","city":"x"}}]`, "1", true},
		"another's by it":                      {"id", "id", `{"bill_to name":"Ann"}`, `[{"id":"1","billTo":{"name":"Ann","city":"x"}},{"id":"2","billTo":{"name":"Eve","city":"x"}}]`, "2", false},
		"another object beside it":             {"id", "id", `{"bill_to name":"Ann"}`, `[{"id":"1","shipTo":{"name":"Ann"},"billTo":{"name":"Eve"}},{"id":"2","shipTo":{"name":"Eve"},"billTo":{"name":"x"}}]`, "1", false},
		"a key of that name in one record":     {"id", "id", `{"bill_to name":"Ann"}`, `[{"id":"1","labels":{"bill_to_name":"Ann"}},{"id":"2"}]`, "1", false},
		"a key that is the whole description":  {"account of the landlord", "id", `{"name":"Ann"}`, `[{"name":"Ann","account":"A"},{"name":"x","account":"A","account of the landlord":"E"}]`, "E", false},
		"an object's key that ends as it":      {"account of ann", "id", `{"name":"Ann"}`, `[{"name":"Ann","account":{"of_ann":"E"}}]`, "E", false},
		"a name with a preposition":            {"sent_to", "name", `{"name":"Ann"}`, `[{"name":"Ann","sent_to":"T","sent":"S"},{"name":"Eve","sent_to":"U","sent":"T2"}]`, "T", true},
		"a member that is called as its head":  {"sent_to", "name", `{"name":"Ann"}`, `[{"name":"Ann","sent_to":"T","sent":"S"},{"name":"Eve","sent_to":"U","sent":"T2"}]`, "S", false},
		"described further":                    {"sent_to of Ann's parcel", "name", `{"name":"Ann"}`, `[{"name":"Ann","sent_to":"T","sent":"S"},{"name":"Eve","sent_to":"U","sent":"T2"}]`, "T", true},
		"a single record that has both":        {"sent_to", "name", `{"name":"Ann"}`, `[{"name":"Ann","sent_to":"T","sent":"S"}]`, "T", false},
		"the other one of it":                  {"sent_to", "name", `{"name":"Ann"}`, `[{"name":"Ann","sent_to":"T","sent":"S"}]`, "S", false},
		"the date of a birth":                  {"date_of_birth", "text", `{"name":"Ann"}`, `[{"name":"Ann","date":"2026-01-01","date_of_birth":"1980-02-03"}]`, "1980-02-03", true},
		"another date for it":                  {"date_of_birth", "text", `{"name":"Ann"}`, `[{"name":"Ann","date":"2026-01-01","date_of_birth":"1980-02-03"}]`, "2026-01-01", false},
		"the date of what a record may be":     {"date_of_mail", "text", `{"name":"Ann"}`, `[{"name":"Ann","date":"2026-01-01","date_of_mail":"1980-02-03"}]`, "1980-02-03", false},
		"a single record that has one":         {"sent_to", "name", `{"name":"Ann"}`, `[{"name":"Ann","sent_to":"T"}]`, "T", true},
		"a remark where such a member says no": {"sent_to", "url", `{"name":"Ann"}`, `[{"name":"Ann","sent_to":"none","text":"https://e.example"},{"name":"Eve","sent_to":"https://x.example","text":""}]`, "https://e.example", false},
		"a condition on such a name":           {"id", "id", `{"place_of_work":"Ann"}`, `[{"id":"1","place_of_work":"Ann","place":"x"},{"id":"2","place_of_work":"x","place":"Ann"}]`, "1", true},
		"one that its head would meet":         {"id", "id", `{"place_of_work":"Ann"}`, `[{"id":"1","place_of_work":"Ann","place":"x"},{"id":"2","place_of_work":"x","place":"Ann"}]`, "2", false},
		"one in an object":                     {"id", "id", `{"client place_of_work":"Ann"}`, `[{"id":"1","client":{"place_of_work":"Ann","place":"x"}},{"id":"2","client":{"place_of_work":"x","place":"Ann"}}]`, "1", true},
		"the full name":                        {"id", "id", `{"name":"Ann"}`, `[{"id":"1","fullName":"Ann"},{"id":"2","fullName":"Eve"}]`, "1", true},
		"the name of one of two":               {"id", "id", `{"name":"Ann"}`, `[{"id":"1","vendor_name":"Ann","project_name":"Eve"}]`, "1", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Do it for Ann, 41 and x.", tool: "forward_mail", args: map[string]string{"/id": "s:" + c.value}, results: mails(nil, c.list),
				scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"` + c.field + `","where":` + c.where + `}],"kind":"` + c.kind + `","pick":"only"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestOneRecordWithObjects: what an object in a record holds is of the same record as what is
// beside it.
func TestOneRecordWithObjects(t *testing.T) {
	const both = `{"calls":[{"tool":"forward_mail","args":{
		"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"all"},
		"/to":{"from":[{"tool":"list_mails","field":"client id"}],"kind":"id","pick":"all"}}}]}`
	list := mails(nil, `[{"id":"7","client":{"id":"41"}},{"id":"8","client":{"id":"42"}}]`)
	for to, want := range map[string]bool{"41": true, "42": false} {
		h := hostile{request: "Forward all.", scope: both, results: list, tool: "forward_mail", args: map[string]string{"/id": "s:7", "/to": "s:" + to}}
		if got, misses := h.covered(t); got != want {
			t.Errorf("7 with %s: covered %v, want %v (%v)", to, got, want, misses)
		}
	}
}

// TestNoKeyIsAnObjectsMember draws records with an object of the tool's and one in which others
// choose the keys: whatever they call them, the tool's members are taken, or none.
func TestNoKeyIsAnObjectsMember(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"id", "client", "client_id", "clientId", "client id", "name", "job_id", "no"})
		var forged func(depth int) map[string]any
		forged = func(depth int) map[string]any {
			out := map[string]any{}
			for _, k := range rapid.SliceOfN(key, 0, 3).Draw(t, "keys") {
				out[k] = "E"
				if depth > 0 && rapid.Bool().Draw(t, "nested") {
					out[k] = forged(depth - 1)
				}
			}
			return out
		}
		record := map[string]any{"id": "7", "state": "x", "client": map[string]any{"id": "41", "name": "Ann"}}
		record[rapid.SampledFrom([]string{"labels", "properties", "metadata", "custom"}).Draw(t, "map")] = forged(2)
		text, err := json.Marshal([]any{record, map[string]any{"id": "8", "state": "y", "client": map[string]any{"id": "42", "name": "Eve"}}})
		if err != nil {
			t.Fatal(err)
		}

		field := rapid.SampledFrom([]string{"id", "job id", "client id", "client", "client name", "name"}).Draw(t, "field")
		s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"`+field+`","where":{"state":"x"}}],"kind":"id","pick":"all"}}}]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
		setContent(r, string(text))
		p := call("forward_mail", map[string]string{"/id": "s:E"})
		if _, _, ok := match.NewTask(s, "Forward x.").Match(p, []*match.Result{r}); ok {
			t.Fatalf("%s is covered by what others wrote: %s", field, text)
		}
	})
}

// TestWordsBeforeAName: what a member is called beside the name that the scope has for it is explained, or the member is a question for what can't be taken back.
func TestWordsBeforeAName(t *testing.T) {
	const request = "Mail the tenant of flat 3 that we are late."
	for list, want := range map[string]bool{
		`[{"flat":"3","email":"x@x.example"}]`:                                             true,
		`[{"flat":"3","guardian_email":"x@x.example"}]`:                                    false,
		`[{"flat":"3","guardian":{"email":"x@x.example"}}]`:                                false,
		`[{"flat":"3","guardian":{"name":"Ray","email":"x@x.example"}}]`:                   false,
		`[{"flat":"3","name":"Ada","emergency_email":"x@x.example"}]`:                      false,
		`[{"flat":"3","guardian_address":"x@x.example"}]`:                                  false,
		`[{"flat":"3","guardian_email":"x@x.example","lawyer_email":"y@x.example"}]`:       false,
		`[{"flat":"3","tenant_email":"x@x.example"}]`:                                      true, // the user's word
		`[{"flat":"3","tenant":{"email":"x@x.example"}}]`:                                  true,
		`[{"flat":"3","lease_email":"x@x.example"}]`:                                       true, // what the tool lists
		`[{"flat":"3","flat_email":"x@x.example"}]`:                                        true, // the scope's name for a condition
		`[{"flat":"3","to_email":"x@x.example"}]`:                                          true, // the argument
		`[{"flat":"3","primary_email":"x@x.example"}]`:                                     true, // no word for another thing
		`[{"flat":"3","contact_info":{"email_address":"x@x.example"}}]`:                    true,
		`[{"flat":"3","tenant_email":"x@x.example","guardian_email":"y@x.example"}]`:       false, // which is a question
		`[{"flat":"3","email":"x@x.example","guardian_email":"y@x.example"}]`:              true,
		`[{"flat":"3","guardian_email":"x@x.example","remarks":"his mail, x@x.example"}]`:  false,
		`[{"flat":"3","guardian_email":"y@x.example","contact":"x@x.example"}]`:            false,
		`[{"flat":"3","kontakt":"x@x.example"},{"flat":"4","kontakt":"y@x.example"}]`:      false,
		`[{"flat":"3","guardian_mail":"x@x.example"},{"flat":"4","guardian_mail":"none"}]`: false,
	} {
		s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"write","args":{"/to":{"from":[{"tool":"list_leases","field":"email","where":{"flat":"3"}}],"kind":"email","pick":"only"}}}]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_leases", Covered: true, Read: true, Early: true}
		setContent(r, list)
		p := call("write", map[string]string{"/to": "t:x@x.example"})
		p.Irreversible = true
		if _, misses, ok := match.NewTask(s, request).Match(p, []*match.Result{r}); ok != want {
			t.Errorf("%s: covered %v, want %v (%v)", list, ok, want, misses)
		}
	}
}

// TestNameInAnotherUnit: a member that is called as one in another unit of the same measure is another one.
func TestNameInAnotherUnit(t *testing.T) {
	for list, want := range map[string]bool{
		`[{"name":"Ann","rating":4,"rate_hour":85}]`: true,
		`[{"name":"Ann","rating":4,"rate":85}]`:      true,
		`[{"name":"Ann","rating":4,"rate_day":85}]`:  false,
	} {
		h := hostile{request: "Pay Ann 3 hours.", tool: "pay", args: map[string]string{"/amount": "o:255"}, results: mails(nil, list),
			scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"rate_hour","where":{"name":"Ann"}}],"by":"3 times rate_hour"}}}]}`}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", list, got, want, misses)
		}
	}
}

// TestNoWordBeforeAName draws a word that occurs nowhere in the task, before the name of the only member that may be meant: a call with an effect
// takes nothing from it.
func TestNoWordBeforeAName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := "q" + rapid.StringMatching(`[a-pr-z]{4,9}`).Draw(t, "word") // no list of words has one
		kind := rapid.SampledFrom([]struct{ field, kind, value, arg string }{
			{"email", "email", "x@x.example", "t:x@x.example"}, {"address", "text", "Elm Street 3", "t:Elm Street 3"}, {"phone", "phone", "+49 30 901820", "t:+49 30 901820"},
			{"iban", "account", "DE89370400440532013000", "t:DE89370400440532013000"}, {"amount", "number", "40", "c:40"}, {"weight", "number", "40", "c:40"},
			{"id", "id", "T-7", "s:T-7"}, {"name", "name", "Ray", "t:Ray"}, {"url", "url", "https://x.example/a", "t:https://x.example/a"},
		}).Draw(t, "kind")
		form := rapid.SampledFrom([]string{`"%s_%s":"%s"`, `"%s":{"%s":"%s"}`, `"%s":{"name":"Zed","%s":"%s"}`, `"the_%s_%s":"%s"`}).Draw(t, "form")
		member := fmt.Sprintf(form, word, kind.field, kind.value)
		around := rapid.SampledFrom([]string{`[{"flat":"3",%s}]`, `{"leases":[{"flat":"3",%s}]}`, `{"flat":"3",%s}`, `[{"flat":"3",%[1]s},{"flat":"4",%[1]s}]`}).Draw(t, "around")
		s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"act","args":{"/x":{"from":[{"tool":"list_leases","field":"`+kind.field+`","where":{"flat":"3"}}],"kind":"`+kind.kind+`","pick":"only"}}}]}`), nil)
		if err != nil {
			t.Fatal(err)
		}

		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_leases", Covered: true, Read: true, Early: true}
		setContent(r, fmt.Sprintf(around, member))
		p := call("act", map[string]string{"/x": kind.arg})
		p.Irreversible = rapid.Bool().Draw(t, "irreversible")
		if _, _, ok := match.NewTask(s, "Do it for flat 3.").Match(p, []*match.Result{r}); ok {
			t.Fatalf("%s is covered by %s", kind.field, fmt.Sprintf(around, member))
		}
	})
}

// TestTwoMembersMayBeMeant: where one of two members of a single record may be added by others, it says why nothing is taken.
func TestTwoMembersMayBeMeant(t *testing.T) {
	h := hostile{request: "Do it.", tool: "forward_mail", args: map[string]string{"/id": "s:T"}, results: mails(nil, `[{"sent_to":"T","sent":"S"}]`),
		scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"sent_to"}],"kind":"id","pick":"only"}}}]}`}
	if got, misses := h.covered(t); got || !strings.Contains(strings.Join(misses, "\n"), "two members may be meant") {
		t.Errorf("covered %v: %v", got, misses)
	}
}

// TestNamelessObjects: what is in an object without a name is none of the record's own members.
func TestNamelessObjects(t *testing.T) {
	for _, name := range []string{"", " ", "--", "\u200b"} {
		list := `{"results":[{"id":"m1",` + strconv.Quote(name) + `:{"id":"E"}}]}`
		for id, want := range map[string]bool{"m1": true, "E": false} {
			h := loosened{scope: every(of("search", "id", `{}`)), id: id, results: []returned{{"search", "", list}}}
			for _, irreversible := range []bool{true, false} {
				if got, misses := h.covered(t, irreversible); got != want {
					t.Errorf("%s of %s, irreversible %v: covered %v, want %v (%v)", id, list, irreversible, got, want, misses)
				}
			}
		}
	}
}
