package match_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTitles checks which record a scope means by a title that the user words in another way.
func TestTitles(t *testing.T) {
	const (
		request = "Forward my piano lesson."
		titled  = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"title":"piano lesson"}}],"kind":"id","pick":"only"}}}]}`
		named   = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`
	)
	first := map[string]string{"/id": "s:m1"}

	for name, c := range map[string]hostile{
		"a title with the words":                     {request, titled, mails(nil, `[{"id":"m1","title":"Piano lesson with Jo"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, true, true},
		"for good, with words that nobody said":      {request, titled, mails(nil, `[{"id":"m1","title":"Piano lesson with Jo"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, false},
		"for good, with the user's words":            {request, titled, mails(nil, `[{"id":"m1","title":"My piano lesson"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, true},
		"for good, with what is listed":              {request, titled, mails(nil, `[{"id":"m1","title":"Mail: piano lesson"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, true},
		"for good, with a number of its own":         {request, titled, mails(nil, `[{"id":"m1","title":"Piano lesson 2026","date":"2026-05-02"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, true},
		"for good, with a number that isn't":         {request, titled, mails(nil, `[{"id":"m1","title":"Piano lesson 2024","date":"2026-05-02"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, false},
		"for good, with its own state":               {request, titled, mails(nil, `[{"id":"m1","title":"Piano lesson (draft)","state":"draft"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, false},
		"for good, with what the user leaves out":    {request + " And not the draft.", titled, mails(nil, `[{"id":"m1","title":"Piano lesson (draft)"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, false},
		"a file of which the user's is a part":       {"Forward report.pdf.", strings.ReplaceAll(titled, "piano lesson", "report.pdf"), mails(nil, `[{"id":"m1","title":"old-report.pdf"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, false, false},
		"two titles with the words":                  {request, titled, mails(nil, `[{"id":"m1","title":"Piano lesson with Jo"},{"id":"m2","title":"No piano lesson"}]`), "forward_mail", first, false, false},
		"a whole title beside one with the words":    {request, titled, mails(nil, `[{"id":"m1","title":"Piano lesson with Jo"},{"id":"m2","title":"piano lesson"}]`), "forward_mail", first, false, false},
		"described so by its author":                 {request, titled, mails(nil, `[{"id":"m1","title":"Jo","description":"Weekly piano lesson."},{"id":"m2","title":"Lunch","description":"with Bo"}]`), "forward_mail", first, false, true},
		"called so in a remark":                      {request, titled, mails(nil, `[{"id":"m1","title":"Payroll","note":"piano lesson"},{"id":"m2","title":"Jo"}]`), "forward_mail", first, false, false},
		"the same, of a call that can be taken back": {request, titled, mails(nil, `[{"id":"m1","title":"Jo","note":"piano lesson"},{"id":"m2","title":"Lunch"}]`), "forward_mail", first, true, true},
		"another member with the words":              {request, titled, mails(nil, `[{"id":"m1","title":"Payroll","tag":"piano lesson"},{"id":"m2","title":"Jo"}]`), "forward_mail", first, true, false},
		"a comment with the words":                   {request, titled, mails(nil, `{"id":"i1","title":"Lesson of piano","comments":[{"id":"m1","body":"piano lesson"}]}`), "forward_mail", first, false, false},
		"an attachment with the words":               {request, titled, mails(nil, `{"id":"i1","title":"Lesson of piano","attachments":[{"id":"m1","title":"the piano lesson.png"}]}`), "forward_mail", first, false, false},
		"two titles, and a text with the words":      {request, titled, mails(nil, `[{"id":"m1","title":"Jo","body":"piano lesson"},{"id":"m2","title":"The first piano lesson of the year with Jo and with Bo"},{"id":"m3","title":"The last piano lesson of the year with Jo and with Bo"}]`), "forward_mail", first, false, false},
		"a long text with the words":                 {request, titled, mails(nil, `[{"id":"m1","title":"Payroll","description":"moved, since there is a piano lesson in the afternoon of that day"},{"id":"m2","title":"Jo"}]`), "forward_mail", first, true, false},
		"a party with a longer name":                 {request, named, mails(nil, `[{"id":"m1","name":"Ann Berg"},{"id":"m2","name":"Bo"}]`), "forward_mail", first, false, false},
		"the same for what can be taken back":        {request, named, mails(nil, `[{"id":"m1","name":"Ann Berg"},{"id":"m2","name":"Bo"}]`), "forward_mail", first, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got, misses := c.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestFurtherWordsOfATitle: whatever a title has beside the words that a scope looks for, in any language and at either end, what can't be taken
// back isn't covered for it.
func TestFurtherWordsOfATitle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		further := rapid.SampledFrom([]string{"old", "(구)", "DO NOT", "draft", "закрыт", "von Eve", "旧", "comment on:", "2024", "fake", "não"})
		title := strings.TrimSpace(further.Draw(rt, "before") + " piano lesson " + rapid.OneOf(rapid.Just(""), further).Draw(rt, "behind"))
		list, err := json.Marshal([]map[string]string{{"id": "m1", "title": title}, {"id": "m2", "title": "Lunch"}})
		if err != nil {
			rt.Fatal(err)
		}
		h := hostile{request: "Forward my piano lesson.", results: mails(nil, string(list)), tool: "forward_mail", args: map[string]string{"/id": "s:m1"},
			scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"title":"piano lesson"}}],"kind":"id","pick":"only"}}}]}`}
		if covered, _ := h.covered(t); covered {
			rt.Errorf("%q is covered", title)
		}
	})
}

// TestTheGroupInQuestion: a person who is not in it yet is not in the group that the call is
// about.
func TestTheGroupInQuestion(t *testing.T) {
	const adding = `{"calls":[{"tool":"forward_mail","args":{
		"/to":{"from":[{"tool":"list_mails","field":"name","where":{"name":{"prefix":"Pic"}}}],"kind":"name","pick":"only"},
		"/id":{"from":[{"tool":"read_file","args":{"/path":{"is":"all"}},"field":"name"}],"kind":"name","pick":"all",
			"except":[{"tool":"read_file","args":{"/path":{"from":[{"tool":"list_mails","field":"name","where":{"name":{"prefix":"Pic"}}}],"kind":"name","pick":"only"}},"field":"name"}]}}}]}`
	groups := mails(nil, `["Board","Picnic"]`)[0]
	people := attacked{"read_file", map[string]string{"/path": "c:all"}, `["Ann","Bo"]`}
	in := func(group, member string) attacked {
		return attacked{"read_file", map[string]string{"/path": "c:" + group}, `["` + member + `"]`}
	}

	for name, c := range map[string]struct {
		results []attacked
		want    bool
	}{
		"a member of another group": {[]attacked{groups, people, in("Board", "Ann"), in("Picnic", "Bo")}, true},
		"a member of the group":     {[]attacked{groups, people, in("Board", "Bo"), in("Picnic", "Ann")}, false},
		"nobody looked":             {[]attacked{groups, people, in("Board", "Bo")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Add all to the group starting with Pic.", scope: adding, results: c.results, tool: "forward_mail", args: map[string]string{"/id": "s:Ann", "/to": "t:Picnic"}, write: true}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestWordsOfARecord: content is taken from the words of the records that a source selects,
// and of no other.
func TestWordsOfARecord(t *testing.T) {
	const (
		placed = `{"calls":[{"tool":"forward_mail","args":{"/note":{"from":[{"tool":"list_mails","field":"place","where":{"title":{"contains":"trip"}}}],"kind":"text","pick":"only"}}}]}`
		dated  = `{"calls":[{"tool":"forward_mail","args":{"/note":{"from":[{"tool":"list_mails","field":"date","where":{"title":{"contains":"trip"}}}],"kind":"date","pick":"only"}}}]}`
		list   = `[{"id":"m1","title":"Our trip","body":"Let us meet at the old mill at eight on Sunday the 4th, and bring some bread."},{"id":"m2","title":"Sale","body":"Come to the evil market on the 9th of this month, it has everything that you need."}]`
	)
	for name, c := range map[string]struct {
		scope, note string
		want        bool
	}{
		"words of the record":           {placed, "c:the old mill", true},
		"a part of a word":              {placed, "c:old mil", false},
		"words of another record":       {placed, "c:the evil market", false},
		"an address is no content here": {placed, "t:the old mill", false},
		"a day of the record":           {dated, "c:2026-01-04 08:00", true},
		"a day of another record":       {dated, "c:2026-01-09 08:00", false},
		"no day":                        {dated, "c:bread", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Note it.", scope: c.scope, results: mails(nil, list), tool: "forward_mail", args: map[string]string{"/note": c.note}}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestWordsThatOthersKnow: the words of a description tell a record where no other may have them in another form, and no remark does.
func TestWordsThatOthersKnow(t *testing.T) {
	only := func(field, by string) string { return takes(field, "text", `"pick":"only","by":"`+by+`"`) }
	for name, c := range map[string]struct {
		takes, list string
		want        bool
	}{
		"a word":                             {only("iban of the Miete", ""), `[{"title":"Miete Mai","iban":"A"},{"title":"Gas","iban":"B"}]`, true},
		"in a compound of another":           {only("iban of the Miete", ""), `[{"title":"Miete","iban":"A"},{"title":"Wohnungsmiete Mai","iban":"B"}]`, false},
		"inflected in another":               {only("iban for стоматолог", ""), `[{"title":"стоматолог","iban":"A"},{"title":"счёт стоматолога","iban":"B"}]`, false},
		"by the criterion":                   {only("iban", "Miete"), `[{"title":"Miete","iban":"A"},{"title":"Wohnungsmiete Mai","iban":"B"}]`, false},
		"a short word in a longer one":       {only("iban", "rent"), `[{"title":"rent May","iban":"A"},{"title":"current account","iban":"B"}]`, true},
		"in a long text of another":          {only("iban of the Miete", ""), `[{"title":"Miete Mai","iban":"A"},{"title":"Gas","iban":"B","text":"what we wrote about the Mieten of all the others in the house"}]`, true},
		"a day with the number":              {only("iban of the bill of 12", ""), `[{"title":"May","amount":12,"iban":"A"},{"title":"June","date":"2026-05-12","iban":"B"}]`, true},
		"a remark":                           {only("iban", "roof"), `[{"title":"Gym","iban":"A","note":"roof"},{"title":"Dachdecker","iban":"B"}]`, false},
		"a number":                           {only("iban of the bill of 50", ""), `[{"title":"May","amount":50,"iban":"A"},{"title":"June","amount":900,"iban":"B"}]`, true},
		"a number that another has in words": {only("iban of the bill of 50", ""), `[{"title":"May","reference":"50","iban":"A"},{"title":"June","amount":"50,00 EUR","iban":"B"}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := billed{map[string]string{"/to": c.takes}, c.list, map[string]string{"/to": "t:A"}}
			if got, misses := b.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestWordsOfAChoice: no title with a word of a criterion takes its record out of the order, and a number of it is that of the member
// beside it.
func TestWordsOfAChoice(t *testing.T) {
	for name, c := range map[string]struct {
		by, list string
		want     bool
	}{
		"a title that is the noun":      {"cheapest room by price", `[{"title":"Room","price":900,"iban":"A"},{"title":"Single","price":80,"iban":"B"}]`, false},
		"a title in wide letters":       {"newest bill by date", `[{"title":"ＢＩＬＬ","date":"2026-01-01","iban":"A"},{"title":"Bill of May","date":"2026-05-01","iban":"B"}]`, false},
		"no title that is the noun":     {"cheapest bill by price", `[{"title":"Twin","price":70,"iban":"A"},{"title":"Single","price":80,"iban":"B"}]`, true},
		"the number of a member":        {"cheapest 2 bedroom flat", `[{"price":800,"bedrooms":2,"floor":1,"iban":"A"},{"price":100,"bedrooms":1,"floor":2,"iban":"B"}]`, true},
		"the number of another member":  {"cheapest 2 bedroom flat", `[{"price":800,"bedrooms":1,"floor":2,"iban":"A"},{"price":100,"bedrooms":1,"floor":1,"iban":"B"}]`, false},
		"what can't be checked, of one": {"the usual one to Rex", `[{"title":"Rex","price":9,"iban":"A"},{"title":"Rex","price":9,"iban":"A"},{"title":"Gas","price":1,"iban":"B"}]`, true},
		"what can't be checked, of two": {"the usual one to Rex", `[{"title":"Rex","price":9,"iban":"A"},{"title":"Rex","price":9,"iban":"C"},{"title":"Gas","price":1,"iban":"B"}]`, false},
		"a title that is the ordinal":   {"cheapest 2nd", `[{"title":"2","price":80,"iban":"A"},{"title":"Gas","price":80,"iban":"B"}]`, false},
		"a number that no member has":   {"cheapest 3 star flat", `[{"price":800,"iban":"A"},{"price":900,"iban":"B"}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := billed{map[string]string{"/to": takes("iban", "text", `"pick":"choice","by":"`+c.by+`"`)}, c.list, map[string]string{"/to": "t:A"}}
			if got, misses := b.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestWordsInCompounds: where the only record with a word is meant, one that has it in a compound may be that as well, for what can't be
// taken back. It is never taken for that.
func TestWordsInCompounds(t *testing.T) {
	having := func(word string) string { return acted(`{"title":{"contains":`+word+`}}`, "only", "") }
	const (
		whole = `{"id":"e1","title":"Szemes kávé 500 g"}`
		part  = `{"id":"e2","title":"1 db presszókávé a pékségben"}`
		first = `{"id":"e2","title":"Kávéfőző"}`
		other = `{"id":"e2","title":"Kifli"}`
		ended = `{"id":"e2","title":"kávét"}`
	)
	coffee, is, isPart := having(`["kávé","coffee"]`), map[string]string{"/id": "s:e1"}, map[string]string{"/id": "s:e2"}
	askings{
		"no other has it":                 {scope: coffee, args: is, results: events(`[` + whole + `,` + other + `]`), want: true},
		"another ends with it":            {scope: coffee, args: is, results: events(`[` + whole + `,` + part + `]`)},
		"in a list with things about it":  {scope: coffee, args: is, results: events(`{"program":"coop","points":1320,"rewards":[` + whole + `,` + part + `]}`)},
		"another only begins with it":     {scope: coffee, args: is, results: events(`[` + whole + `,` + first + `]`), want: true},
		"another street":                  {scope: acted(`{"address":{"contains":"Lipowa"}}`, "only", ""), args: is, results: events(`[{"id":"e1","address":"Lipowa 4"},{"id":"e2","address":"Nowolipowa 2"}]`), want: true},
		"a longer name":                   {scope: having(`"Seidel"`), args: is, results: events(`[{"id":"e1","title":"Seidel, Marta"},{"id":"e2","title":"Seidelmann, Uwe"}]`), want: true},
		"another has it inflected":        {scope: coffee, args: is, results: events(`[` + whole + `,` + ended + `]`), want: true},
		"the other one":                   {scope: coffee, args: isPart, results: events(`[` + whole + `,` + part + `]`)},
		"the only one with a compound":    {scope: coffee, args: isPart, results: events(`[` + part + `]`)},
		"what can be taken back":          {scope: coffee, args: is, results: events(`[` + whole + `,` + part + `]`), reversible: true, want: true},
		"all that have it":                {scope: strings.Replace(coffee, `"only"`, `"all"`, 1), args: is, results: events(`[` + whole + `,` + part + `]`), want: true},
		"a short word":                    {scope: having(`"tej"`), args: is, results: events(`[{"id":"e1","title":"tej"},{"id":"e2","title":"kávétej"}]`), want: true},
		"one of two words in a compound":  {scope: having(`"roher Schinken"`), args: is, results: events(`[{"id":"e1","title":"roher Schinken"},{"id":"e2","title":"Rollschinken, roher"}]`)},
		"the other of two words nowhere":  {scope: having(`"roher Schinken"`), args: is, results: events(`[{"id":"e1","title":"roher Schinken"},{"id":"e2","title":"Rollschinken, gekocht"}]`), want: true},
		"a compound in what is listed in": {scope: coffee, args: is, results: events(`[{"id":"e1","title":"Szemes kávé","tags":[{"title":"presszókávé"}]},` + other + `]`), want: true},
	}.run(t)
}
