package match_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestOutdated: a call that can't be taken back is held to what was read last of the record that it is about, by whatever filter and also by another
// tool. What others have, and the same id of something else, say nothing of it.
func TestOutdated(t *testing.T) {
	const (
		all      = `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"mail_id","where":{"status":"open"}}],"kind":"id","pick":"all"}}}]}`
		cheapest = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"mail_id"}],"kind":"id","pick":"choice","by":"smallest by size"}}}]}`
		listed   = `[{"mail_id":"m1","status":"open","size":40},{"mail_id":"m2","status":"open","size":50}]`
	)
	paid := map[string]string{"/filter": "s:paid"}
	for name, c := range map[string]struct {
		scope string
		later attacked
		write bool
		want  bool
	}{
		"as before":                        {all, attacked{"list_mails", nil, listed}, false, true},
		"paid by now, under a filter":      {all, attacked{"list_mails", paid, `[{"mail_id":"m1","status":"paid","size":40}]`}, false, false},
		"gone from the same listing":       {all, attacked{"list_mails", nil, `[{"mail_id":"m2","status":"open","size":50}]`}, false, false},
		"the same, and it can be put back": {all, attacked{"list_mails", nil, `[{"mail_id":"m2","status":"open","size":50}]`}, true, true},
		"not in another listing":           {all, attacked{"list_mails", paid, `[{"mail_id":"m7","status":"paid","size":1}]`}, false, true},
		"another member by now":            {all, attacked{"list_mails", nil, `[{"mail_id":"m1","status":"open","size":90},{"mail_id":"m2","status":"open","size":50}]`}, false, true},
		"no longer the smallest":           {cheapest, attacked{"list_mails", paid, `[{"mail_id":"m1","status":"open","size":90}]`}, false, false},
		"the smallest, as another one is":  {cheapest, attacked{"list_mails", paid, `[{"mail_id":"m2","status":"open","size":51}]`}, false, true},
		"by its details":                   {cheapest, attacked{"read_file", nil, `{"mail_id":"m1","size":90}`}, false, false},
		"the details of another one":       {cheapest, attacked{"read_file", nil, `{"mail_id":"m3","size":90}`}, false, true},
		"something else with its id":       {cheapest, attacked{"read_file", nil, `{"id":"m1","size":90}`}, false, true},
	} {
		h := hostile{
			request: "Forward them.", scope: c.scope, tool: "forward_mail", args: map[string]string{"/id": "s:m1"}, write: c.write,
			results: []attacked{{"list_mails", nil, listed}, c.later},
		}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}

// TestOutdatedAmongEqualRecords: a record that others are equal to is known by its id, and out of date where no later record of that id is like it.
// However many members are equal, they are looked through once.
func TestOutdatedAmongEqualRecords(t *testing.T) {
	const (
		all    = `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"mail_id"}],"kind":"id","pick":"all"}}}]}`
		listed = `[{"mail_id":"m1","status":"open"},{"mail_id":"m1","status":"open"},{"mail_id":"m2","status":"paid"}]`
	)
	var equal strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&equal, `"m%d":"x",`, i)
	}
	many := `[{` + equal.String() + `"mail_id":"m1"},{` + equal.String() + `"mail_id":"m2"}]`
	for name, c := range map[string]struct {
		listed string
		later  attacked
		want   bool
	}{
		"as before":                    {listed, attacked{"list_mails", nil, listed}, true},
		"paid by now":                  {listed, mails(map[string]string{"/filter": "s:paid"}, `[{"mail_id":"m1","status":"paid"}]`)[0], false},
		"one of them paid by now":      {listed, attacked{"list_mails", nil, `[{"mail_id":"m1","status":"paid"},{"mail_id":"m1","status":"open"}]`}, true},
		"gone":                         {listed, attacked{"list_mails", nil, `[{"mail_id":"m2","status":"paid"}]`}, false},
		"another thing with its id":    {listed, attacked{"read_file", nil, `{"mail_id":"m1","size":7}`}, true},
		"8000 equal members":           {many, attacked{"read_file", nil, `{"mail_id":"m1"}`}, true},
		"8000 equal members, and gone": {many, attacked{"list_mails", nil, `[{"mail_id":"m2"}]`}, false},
	} {
		h := hostile{request: "Forward them.", scope: all, tool: "forward_mail", args: map[string]string{"/id": "s:m1"}, results: []attacked{{"list_mails", nil, c.listed}, c.later}}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}

// TestOutdatedByAnotherTool: a record that is known by one word is the one of another tool where both are about what the word says, and what a
// number is computed from is held to what was read last as well.
func TestOutdatedByAnotherTool(t *testing.T) {
	const (
		smallest = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"mail"}],"kind":"id","pick":"choice","by":"smallest by size"}}}]}`
		taken    = `{"calls":[{"tool":"forward_mail","args":{"/id":{"is":"m1"},"/cents":{"from":[{"tool":"list_mails","field":"size"}],"kind":"number","pick":"all"}}}]}`
		more     = `{"calls":[{"tool":"forward_mail","args":{"/id":{"is":"m1"},"/cents":{"computed":[{"tool":"list_mails","field":"size"}],"by":"size plus 10"}}}]}`
	)
	for name, c := range map[string]struct {
		scope, list string
		later       attacked
		want        bool
	}{
		"another size by now":                    {smallest, `[{"mail":"m1","size":4},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","size":90}`}, false},
		"the same size":                          {smallest, `[{"mail":"m1","size":4},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","size":4}`}, true},
		"a currency by now":                      {smallest, `[{"mail":"m1","size":4},{"mail":"m2","size":5}]`, attacked{"list_mails", map[string]string{"/filter": "s:x"}, `[{"mail":"m1","size":4,"unit":"MB"}]`}, false},
		"another member by now":                  {smallest, `[{"mail":"m1","size":4},{"mail":"m2","size":5}]`, attacked{"list_mails", map[string]string{"/filter": "s:x"}, `[{"mail":"m1","size":4,"seen":true}]`}, true},
		"another state":                          {smallest, `[{"mail":"m1","size":4,"status":"open"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","status":"withdrawn"}`}, false},
		"the state in another case":              {smallest, `[{"mail":"m1","size":4,"status":"open"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","status":"OPEN"}`}, true},
		"a state in several words":               {smallest, `[{"mail":"m1","size":4,"status":"open"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","status":"open since May"}`}, true},
		"another switch":                         {smallest, `[{"mail":"m1","size":4,"locked":false},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","locked":true}`}, false},
		"another day":                            {smallest, `[{"mail":"m1","size":4,"due":"2026-05-01"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","due":"2027-05-01"}`}, false},
		"another day of a change":                {smallest, `[{"mail":"m1","size":4,"updated_at":"2026-05-01"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","updated_at":"2026-05-02"}`}, true},
		"what reading changes":                   {smallest, `[{"mail":"m1","size":4,"unread":true,"last_seen":"2026-05-01"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","unread":false,"last_seen":"2026-05-02"}`}, true},
		"what use changes":                       {smallest, `[{"mail":"m1","size":4,"last_login":"2026-05-01"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","last_login":"2026-05-02"}`}, true},
		"when it was last paid":                  {smallest, `[{"mail":"m1","size":4,"last_payment_date":"2026-05-01"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","last_payment_date":"2026-05-02"}`}, false},
		"what it changes, and is asked for":      {strings.Replace(smallest, `"field":"mail"`, `"field":"mail","where":{"unread":true}`, 1), `[{"mail":"m1","size":4,"unread":true},{"mail":"m2","size":5,"unread":true}]`, attacked{"get_mail", nil, `{"mail":"m1","unread":false}`}, false},
		"the same moment in another zone":        {smallest, `[{"mail":"m1","size":4,"due":"2026-05-01T10:00:00Z"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","due":"2026-05-01T12:00:00+02:00"}`}, true},
		"the moment of the day":                  {smallest, `[{"mail":"m1","size":4,"due":"2026-05-01T10:00:00Z"},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","due":"2026-05-01"}`}, true},
		"a member without a name":                {smallest, `[{"mail":"m1","size":4,"":7},{"mail":"m2","size":5}]`, attacked{"get_mail", nil, `{"mail":"m1","":8}`}, false},
		"of something else with such a word":     {smallest, `[{"mail":"m1","size":4},{"mail":"m2","size":5}]`, attacked{"get_printer", nil, `{"mail":"m1","size":90}`}, true},
		"a number, as it was":                    {taken, `[{"mail":"m1","size":4}]`, attacked{"list_mails", nil, `[{"mail":"m1","size":4}]`}, true},
		"a number, which is of pence by now":     {taken, `[{"mail":"m1","size":4}]`, attacked{"list_mails", nil, `[{"mail":"m1","size":4,"size_unit":"pence"}]`}, false},
		"what a number is made of":               {more, `[{"mail":"m1","size":4}]`, attacked{"get_mail", nil, `{"mail":"m1","size":4}`}, true},
		"what a number is made of, which is old": {more, `[{"mail":"m1","size":4}]`, attacked{"get_mail", nil, `{"mail":"m1","size":90}`}, false},
	} {
		args := map[string]string{"/id": "s:m1"}
		if c.scope == more {
			args["/cents"] = "o:14"
		} else if c.scope == taken {
			args["/cents"] = "o:4"
		}
		h := hostile{request: "Forward m1 with 10 more.", scope: c.scope, tool: "forward_mail", args: args, results: []attacked{{"list_mails", nil, c.list}, c.later}}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}

// TestTwoOfOneID: where two records of a listing begin with one id and differ, nobody can tell what an irreversible call with it is about.
func TestTwoOfOneID(t *testing.T) {
	const (
		ann = `{"id":"e5","owner":"Ann"}`
		bo  = `{"id":"e5","owner":"Bo"}`

		years  = `[{"id":"e5","year":7,"due":"2026-05-01"},{"id":"e5","year":8,"due":"2027-05-01"}]`
		ofYear = `{"calls":[{"tool":"act","args":{"/year":{"is":7},"/id":{"from":[{"tool":"list_events","field":"id","where":{"year":7}}],"kind":"id","pick":"only"}}}]}`
	)
	annOf := acted(`{"owner":"Ann"}`, "only", "")
	args := map[string]string{"/id": "s:e5"}
	serials := func(where string) string {
		return strings.Replace(acted(where, "only", ""), `"field":"id"`, `"field":"serial"`, 1)
	}
	askings{
		"once":                           {scope: annOf, args: args, results: events(`[` + ann + `,{"id":"e6","owner":"Bo"}]`), want: true},
		"of two owners":                  {scope: annOf, args: args, results: events(`[` + ann + `,` + bo + `]`)},
		"of two owners, can be undone":   {scope: annOf, args: args, results: events(`[` + ann + `,` + bo + `]`), reversible: true, want: true},
		"twice the same":                 {scope: annOf, args: args, results: events(`[` + ann + `,` + ann + `]`), want: true},
		"the order that lines belong to": {scope: acted(`{"owner":"Ann"}`, "only", ""), args: args, results: events(`[{"line":"l1","owner":"Ann","id":"e5"},{"line":"l2","owner":"Bo","id":"e5"}]`), want: true},
		"a code that isn't called an id": {scope: serials(`{"owner":"Ann"}`), args: args, results: events(`[{"serial":"e5","owner":"Ann","day":1},{"serial":"e5","owner":"Ann","day":2}]`)},
		"of one that isn't meant":        {scope: serials(`{"owner":"Ann"}`), args: args, results: events(`[{"serial":"e5","owner":"Ann","day":1},{"serial":"e5","owner":"Bo","day":2}]`), want: true},
		"all of one owner":               {scope: acted(`{"owner":"Ann"}`, "all", ""), args: args, results: events(`[` + ann + `,` + bo + `]`)},
		"of two years, one in the call":  {scope: ofYear, args: map[string]string{"/id": "s:e5", "/year": "o:7"}, results: events(years), want: true},
		"of two, one in what it says":    {scope: ofYear, args: map[string]string{"/id": "s:e5", "/year": "c:7"}, results: events(years)},
		"of two years, none in the call": {scope: acted(`{"year":7}`, "only", ""), args: args, results: events(years)},
		"of two in one year":             {scope: ofYear, args: map[string]string{"/id": "s:e5", "/year": "o:7"}, results: events(`[{"id":"e5","year":7,"due":"2026-05-01"},{"id":"e5","year":7,"due":"2026-06-01"}]`)},
	}.run(t)
}

// TestConditionOutdated: what a call depends on is still so by what was read last of the thing, however it was found.
func TestConditionOutdated(t *testing.T) {
	const (
		paid  = `{"calls":[{"tool":"act","args":{"/box_no":{"is":"X9"}},"if":[{"tool":"list_boxes","where":{"box_no":"X9","paid":true}}]}]}`
		boxes = `[{"box_no":"X9","client":"Ann","paid":true},{"box_no":"X8","client":"Kim","paid":true}]`
		taken = `{"calls":[{"tool":"act","args":{"/box_no":{"from":[{"tool":"list_boxes","field":"serial","where":{"label":"Amber","paid":true}}],"kind":"id","pick":"only"}}}]}`
		byIDs = `[{"serial":"X9","label":"Amber","paid":true},{"serial":"X8","label":"Blue","paid":true}]`
	)
	after := func(scope, first, tool, args, later string, reversible, want bool) asking {
		return asking{scope: scope, said: "Ship X9 if it is paid.", args: map[string]string{"/box_no": "s:X9"}, reversible: reversible, want: want, early: true,
			results: []returned{{"list_boxes", "", first}, {tool, args, later}}}
	}
	askings{
		"paid":                            after(paid, boxes, "get_box", `{"box_no":"X9"}`, `{"box_no":"X9","paid":true}`, false, true),
		"no longer, under a filter":       after(paid, boxes, "list_boxes", `{"client":"Ann"}`, `[{"box_no":"X9","client":"Ann","paid":false}]`, false, false),
		"no longer, by itself":            after(paid, boxes, "get_box", `{"box_no":"X9"}`, `{"box_no":"X9","paid":false}`, false, false),
		"no longer, in an audit":          after(paid, boxes, "list_audits", ``, `[{"audit":"1","box_no":"X9","paid":false}]`, false, false),
		"another box":                     after(paid, boxes, "get_box", `{"box_no":"X8"}`, `{"box_no":"X8","paid":false}`, false, true),
		"and it can be put right":         after(paid, boxes, "get_box", `{"box_no":"X9"}`, `{"box_no":"X9","paid":false}`, true, true),
		"the box, by a serial number":     after(taken, byIDs, "get_box", `{"box":"X9"}`, `{"serial":"X9","label":"Amber","paid":true}`, false, true),
		"no longer, by a serial number":   after(taken, byIDs, "get_box", `{"box":"X9"}`, `{"serial":"X9","label":"Amber","paid":false}`, false, false),
		"no longer, as a search finds it": after(taken, byIDs, "find_boxes", ``, `[{"serial":"X9","label":"Amber","paid":false}]`, false, false),
		"asked for by the serial number":  after(taken, byIDs, "check", `{"serial":"X9"}`, `{"serial":"X9","paid":false}`, false, false),
		"called otherwise by now":         after(taken, byIDs, "get_box", `{"box":"X9"}`, `{"serial":"X9","label":"Blue","paid":true}`, false, false),
		"called so in more words":         after(taken, byIDs, "get_box", `{"box":"X9"}`, `{"serial":"X9","label":"Amber, big","paid":true}`, false, true),
		"something else of that number":   after(taken, byIDs, "get_printer", `{"id":"4"}`, `{"serial":"X9","paid":false}`, false, true),
	}.run(t)
}
