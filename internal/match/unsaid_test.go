package match_test

import "testing"

// TestBoundOfAnotherThing: a bound or a state is not that of something else that nobody named, for what can't be taken back.
func TestBoundOfAnotherThing(t *testing.T) {
	const (
		light = `{"mass":{"below":50}}`
		ready = `{"state":"ready"}`
	)
	for name, c := range map[string]struct {
		request, where, list string
		want                 bool
	}{
		"its own":                           {"Forward those below 50.", light, `[{"id":"a","mass":3}]`, true},
		"in an object that is the record's": {"Forward those below 50.", light, `[{"id":"a","details":{"mass":3}}]`, true},
		"of the box around it":              {"Forward those below 50.", light, `[{"id":"a","weight":900,"box":{"mass":3}}]`, false},
		"of the box that the user named":    {"Forward those with a box below 50.", light, `[{"id":"a","weight":900,"box":{"mass":3}}]`, true},
		"what somebody says of it":          {"Forward those that are ready.", ready, `[{"id":"a","alleged_state":"ready"}]`, false},
		"of what is listed":                 {"Forward those that are ready.", ready, `[{"id":"a","mail_state":"ready"}]`, true},
		"under the name of the condition":   {"Forward those that are ready.", `{"alleged state":"ready"}`, `[{"id":"a","alleged_state":"ready"}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":` + c.where + `}],"kind":"id","pick":"all"}}}]}`
			h := hostile{request: c.request, scope: text, tool: "forward_mail", args: map[string]string{"/id": "s:a"}, results: mails(nil, c.list)}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}
