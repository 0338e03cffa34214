package match_test

import (
	"testing"

	"pgregory.net/rapid"
)

// TestOrdinalsOfTheUser: a number that decides where a call goes is the user's where they say it as an ordinal, in their language and inflected,
// and no other number is.
func TestOrdinalsOfTheUser(t *testing.T) {
	rounds := func(said, stated string) bool {
		h := hostile{request: said, scope: `{"calls":[{"tool":"forward_mail","args":{"/to":{"is":` + stated + `}}}]}`, tool: "forward_mail", args: map[string]string{"/to": "t:" + stated},
			results: mails(nil, `[{"id":"m1","title":"x"}]`)}
		covered, _ := h.covered(t)
		return covered
	}
	rapid.Check(t, func(rt *rapid.T) {
		said := rapid.SampledFrom([]string{"с пропуском третьего тура", "ohne die dritte Runde", "sauf le troisième tour", "sin la tercera ronda", "without the third round", "第三ラウンドなしで"}).Draw(rt, "said")
		stated := rapid.SampledFrom([]string{"3", "2", "4", "13", "33"}).Draw(rt, "stated")
		if got := rounds(said, stated); got != (stated == "3") {
			rt.Errorf("%s of %q: covered %v", stated, said, got)
		}
	})
}

// TestDaysAreNoOrdinals: a day of the week, and what is according to something, is no number of the user's.
func TestDaysAreNoOrdinals(t *testing.T) {
	for said, number := range map[string]string{
		"оплати во вторник": "2", "secondo il contratto": "2", "na segunda-feira": "2", "zrób to w drugim dniu": "2", "την Τρίτη": "3", "kolmapäeval": "3",
		"в четверг": "4", "w czwartek": "4", "ve čtvrtek": "4", "vo štvrtok": "4", "na quarta-feira": "4", "в пятницу": "5", "w piątek": "5", "na quinta-feira": "5", "την Πέμπτη": "5",
	} {
		h := hostile{request: said, scope: `{"calls":[{"tool":"forward_mail","args":{"/to":{"is":` + number + `}}}]}`, tool: "forward_mail", args: map[string]string{"/to": "t:" + number},
			results: mails(nil, `[{"id":"m1","title":"x"}]`)}
		if ok, _ := h.covered(t); ok {
			t.Errorf("%s of %q is covered", number, said)
		}
	}
}
