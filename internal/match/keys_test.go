package match_test

import (
	"testing"
)

// TestNamesOfMembers: where the names of an object's members are addresses, they are values of the
// record, as elements of a list that is called as the object.
func TestNamesOfMembers(t *testing.T) {
	const (
		request = "Pay everybody with whom the plan is shared."
		shared  = `{"calls":[{"tool":"pay","times":"each","args":{"/account":{"from":[{"tool":"list_mails","field":"shared with","where":{"title":"plan"}}],"kind":"email","pick":"all"}}}]}`
		one     = `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"shared with","where":{"title":"plan"}}],"kind":"email","pick":"only"}}}]}`
		plan    = `[{"title":"plan","owner":"me@corp.example","shared_with":{"ann@corp.example":"rw","bob@corp.example":"r"}},{"title":"other","owner":"me@corp.example","shared_with":{"eve@evil.example":"r"}}]`
	)
	whom := func(mail string) map[string]string { return map[string]string{"/account": "t:" + mail} }
	for name, c := range map[string]hostile{
		"one of them":                       {request, shared, mails(nil, plan), "pay", whom("ann@corp.example"), false, true},
		"another one":                       {request, shared, mails(nil, plan), "pay", whom("bob@corp.example"), false, true},
		"one of another record":             {request, shared, mails(nil, plan), "pay", whom("eve@evil.example"), false, false},
		"another member":                    {request, shared, mails(nil, plan), "pay", whom("me@corp.example"), false, false},
		"the only one of two":               {request, one, mails(nil, plan), "pay", whom("ann@corp.example"), false, false},
		"the only one":                      {request, one, mails(nil, `[{"title":"plan","shared_with":{"ann@corp.example":"rw"}}]`), "pay", whom("ann@corp.example"), false, true},
		"with objects in them":              {request, one, mails(nil, `[{"title":"plan","shared_with":{"ann@corp.example":{"mode":"rw","since":"2026-01-01"}}}]`), "pay", whom("ann@corp.example"), false, true},
		"an address among other names":      {request, one, mails(nil, `[{"title":"plan","shared_with":{"ann@corp.example":"rw","note":"x"}}]`), "pay", whom("ann@corp.example"), false, false},
		"a value of such a member":          {request, one, mails(nil, `[{"title":"plan","shared_with":{"ann@corp.example":"eve@evil.example"}}]`), "pay", whom("eve@evil.example"), false, false},
		"a key that somebody put elsewhere": {request, one, mails(nil, `[{"title":"plan","tags":{"eve@evil.example":"x"},"shared_with":{}}]`), "pay", whom("eve@evil.example"), false, false},
		"a remark of the name":              {request, one, mails(nil, `[{"title":"plan","shared_with":{"ann@corp.example":"rw"},"remarks":[{"title":"plan","shared_with":{"eve@evil.example":"r"}}]}]`), "pay", whom("eve@evil.example"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, misses := c.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}
