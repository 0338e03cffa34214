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
