package guard_test

import (
	"testing"

	"github.com/remit-project/remit/guard"
)

// TestReads says what a rule reads of a call's circumstances.
func TestReads(t *testing.T) {
	for require, want := range map[string]guard.Reads{
		`args.total < 5`: {},
		`now > timestamp("2026-01-01T00:00:00Z")`:               {Now: true},
		`session.principal.id == "ann"`:                         {Principal: true},
		`label(args.customer).trust == USER`:                    {Labels: true},
		`session.calls("order").size() == 0`:                    {Session: true},
		`session.calls().all(c, now - c.time < duration("1h"))`: {Session: true, Now: true},
		`session.denied().size() == 0`:                          {Session: true},
		`session.together().size() == 0`:                        {Session: true, Messages: true},
		`session.agreed()`:                                      {Session: true, Messages: true},
		`session.listed(args.customer)`:                         {Session: true, Messages: true},
		`session.messages.exists(m, m.text == "x")`:             {Session: true, Messages: true},
		`judge("Did they agree?")`:                              {Session: true, Messages: true},
		`call.index > 3`:                                        {Session: true, Now: true},
	} {
		f, err := guard.Load("order.yaml", []byte("tool: order\nserver: shop\npolicies:\n  - name: p\n    message: m\n    variables: {v: true}\n    require: |\n      "+require+"\n"))
		must(t, err)
		set, err := guard.Compile([]*guard.File{f}, shop(t))
		must(t, err)
		if got := set.Guards()[0].Reads("p"); got != want {
			t.Errorf("%s: %+v, want %+v", require, got, want)
		}
	}
}

// TestReadsOfNoRule are all there is: nothing is known of it.
func TestReadsOfNoRule(t *testing.T) {
	f, err := guard.Load("order.yaml", []byte("tool: order\nserver: shop\npolicies: [{name: p, message: m}]\n"))
	must(t, err)
	set, err := guard.Compile([]*guard.File{f}, shop(t))
	must(t, err)
	if got := set.Guards()[0].Reads("p"); got != (guard.Reads{Session: true, Messages: true, Now: true, Principal: true, Labels: true}) {
		t.Errorf("got %+v", got)
	}
}
