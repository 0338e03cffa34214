package match_test

import "testing"

// TestPartsSpeakAgainst: what speaks against a call does so in whatever part of a listing the agent asked for. Only that nothing does needs the
// whole.
func TestPartsSpeakAgainst(t *testing.T) {
	const (
		unless = `{"calls":[{"tool":"list_mails","times":9},{"tool":"forward_mail","unless":[{"tool":"list_mails","where":{"status":"unpaid"}}],"args":{"/id":{"is":"m1"}}}]}`
		ofDay  = `{"calls":[{"tool":"list_mails","times":9},{"tool":"forward_mail","unless":[{"tool":"list_mails","args":{"/day":{"is":"2026-05-20"}},"where":{"status":"unpaid"}}],"args":{"/id":{"is":"m1"}}}]}`
		except = `{"calls":[{"tool":"list_mails","times":9},{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"all",
			"except":[{"tool":"list_mails","field":"id","where":{"status":"blocked"}}]}}}]}`
		paid    = `[{"id":"m1","status":"paid"}]`
		unpaid  = `[{"id":"m2","status":"unpaid"}]`
		another = `[{"id":"m2","status":"unpaid","day":"2026-05-21"}]`
		blocked = `[{"id":"m1","status":"blocked"}]`
	)
	of := func(pointer, value string) map[string]string { return map[string]string{pointer: value} }
	for name, c := range map[string]struct {
		scope   string
		results []attacked
		want    bool
	}{
		"nothing in the whole":                      {unless, []attacked{{"list_mails", nil, paid}}, true},
		"a part alone":                              {unless, []attacked{{"list_mails", of("/filter", "s:x"), paid}}, false},
		"in a part":                                 {unless, []attacked{{"list_mails", nil, paid}, {"list_mails", of("/filter", "s:x"), unpaid}}, false},
		"nothing in a part":                         {unless, []attacked{{"list_mails", nil, paid}, {"list_mails", of("/filter", "s:x"), paid}}, true},
		"in a page":                                 {unless, []attacked{{"list_mails", nil, paid}, {"list_mails", of("/limit", "o:1"), unpaid}}, false},
		"in a part of the day that is meant":        {ofDay, []attacked{{"list_mails", of("/day", "s:2026-05-20"), paid}, {"list_mails", map[string]string{"/day": "s:2026-05-20", "/filter": "s:x"}, unpaid}}, false},
		"in the listing of another day":             {ofDay, []attacked{{"list_mails", of("/day", "s:2026-05-20"), paid}, {"list_mails", of("/day", "s:2026-05-21"), unpaid}}, true},
		"on another day, in a part of all":          {ofDay, []attacked{{"list_mails", of("/day", "s:2026-05-20"), paid}, {"list_mails", of("/filter", "s:x"), another}}, true},
		"what a part has is left out":               {except, []attacked{{"list_mails", nil, paid}, {"list_mails", of("/filter", "s:x"), blocked}}, false},
		"what a part has otherwise is not left out": {except, []attacked{{"list_mails", nil, paid}, {"list_mails", of("/filter", "s:x"), `[{"id":"m7","status":"blocked"}]`}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Forward m1.", scope: c.scope, tool: "forward_mail", args: map[string]string{"/id": "s:m1"}, results: c.results}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}
