package match_test

import "testing"

// TestClearedByNothing: what speaks against a call is not cleared by a value that no program reads, by a record that leaves the state out, nor by a
// code.
func TestClearedByNothing(t *testing.T) {
	unless := func(where string) string {
		return `{"calls":[{"tool":"act","unless":[{"tool":"list_events","where":` + where + `}],"args":{"/id":{"is":"1"}}}]}`
	}
	is := map[string]string{"/id": "s:1"}
	returned, unpaid, allergic := unless(`{"returned":true}`), unless(`{"status":"unpaid"}`), unless(`{"substance":{"contains":"penicillin"}}`)
	door := unless(`{"door":"open"}`)
	named := unless(`{"title":"Dune","returned":true}`)
	askings{
		"it is off":                           {scope: returned, args: is, results: events(`[{"returned":false}]`), want: true},
		"it is not":                           {scope: returned, args: is, results: events(`[{"returned":"no"}]`), want: true},
		"it is zero":                          {scope: returned, args: is, results: events(`[{"returned":0}]`), want: true},
		"it has a day":                        {scope: returned, args: is, results: events(`[{"returned":"2026-05-02"}]`)},
		"it is so in another language":        {scope: returned, args: is, results: events(`[{"returned":"ja"}]`)},
		"it is unknown":                       {scope: returned, args: is, results: events(`[{"returned":"unknown"}]`)},
		"it is null":                          {scope: returned, args: is, results: events(`[{"returned":null}]`)},
		"another member has a day":            {scope: returned, args: is, results: events(`[{"returned_at":"2026-05-02"}]`)},
		"another member has none":             {scope: returned, args: is, results: events(`[{"returned_at":null}]`), want: true},
		"only another record says":            {scope: named, args: is, results: events(`[{"title":"Dune","status":"returned"},{"title":"Emma","returned":false}]`)},
		"another record doesn't say":          {scope: named, args: is, results: events(`[{"title":"Dune","returned":false},{"title":"Emma"}]`), want: true},
		"all are paid":                        {scope: unpaid, args: is, results: events(`[{"bill":"w9","status":"paid"},{"bill":"w10","status":"paid"}]`), want: true},
		"one leaves its state out":            {scope: unpaid, args: is, results: events(`[{"bill":"w9","status":"paid"},{"bill":"w10"}]`)},
		"one has it empty":                    {scope: unpaid, args: is, results: events(`[{"bill":"w9","status":"paid"},{"bill":"w10","status":null}]`)},
		"also of what can be taken back":      {scope: unpaid, args: is, results: events(`[{"bill":"w9","status":"paid"},{"bill":"w10"}]`), reversible: true},
		"another substance":                   {scope: allergic, args: is, results: events(`[{"substance":"Latex","code":"7980"}]`), want: true},
		"a code, and what it is called":       {scope: allergic, args: is, results: events(`[{"substance":"7980","display":"Penicillin"}]`)},
		"a code of another substance":         {scope: allergic, args: is, results: events(`[{"substance":"7980","display":"Latex"}]`), want: true},
		"another one, and which":              {scope: allergic, args: is, results: events(`[{"substance":"other","detail":"penicillin"}]`)},
		"an object with a code and a text":    {scope: allergic, args: is, results: events(`[{"substance":{"code":"7980","text":"Penicillin"}}]`)},
		"an object beside other members":      {scope: allergic, args: is, results: events(`[{"id":1,"substance":{"code":"7980","text":"Penicillin"}}]`)},
		"a remark on what has a name":         {scope: allergic, args: is, results: events(`[{"substance":"Latex","detail":"not penicillin"}]`), want: true},
		"a compound with what it is of":       {scope: unless(`{"terem":"nagy"}`), args: is, results: events(`[{"terem":"Nagyterem"}]`)},
		"another compound":                    {scope: unless(`{"terem":"nagy"}`), args: is, results: events(`[{"terem":"Kisterem"}]`), want: true},
		"a letter among others":               {scope: unless(`{"hall":"A"}`), args: is, results: events(`[{"hall":"A+B"}]`)},
		"other letters":                       {scope: unless(`{"hall":"A"}`), args: is, results: events(`[{"hall":"B+C"}]`), want: true},
		"an object with a switch of it":       {scope: door, args: is, results: events(`[{"id":1,"door":{"open":true}}]`)},
		"a switch of it beside the state":     {scope: unpaid, args: is, results: events(`[{"bill":"w9","status":"due","unpaid":true}]`)},
		"a switch beside it that is off":      {scope: unpaid, args: is, results: events(`[{"bill":"w9","status":"paid","unpaid":false}]`), want: true},
		"all there are":                       {scope: unless(`{"room":"Turm"}`), args: is, results: events(`[{"room":"alle"}]`)},
		"a star for all":                      {scope: unless(`{"room":"Turm"}`), args: is, results: events(`[{"room":"*"}]`)},
		"another room":                        {scope: unless(`{"room":"Turm"}`), args: is, results: events(`[{"room":"Allee"}]`), want: true},
		"words that a text without any lacks": {scope: unless(`{"description":{"contains":"import"}}`), args: is, results: events(`[{"description":null},{"description":"load test"}]`), want: true},
	}.run(t)
}
