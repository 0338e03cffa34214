package match_test

import "testing"

// TestSeveralOfOneName: a condition on the state of what the user names isn't met where several records are called so and one is otherwise: it
// may be the one that is meant. A condition that any record may meet is.
func TestSeveralOfOneName(t *testing.T) {
	const (
		named  = `{"patient":{"contains":"Maureen"},"medicine":{"contains":"Amlodipine"},"refills":0}`
		coded  = `{"id":"r-7","status":"approved"}`
		titled = `{"title":"Spring Open","places":{"above":0}}`
		any    = `{"day":"2026-05-12","status":"free"}`
		unread = `{"sender":{"contains":"Maureen"},"read":false}`
	)
	for name, c := range map[string]struct {
		where, list string
		want        bool
	}{
		"one that is so":                     {named, `[{"patient":"Maureen Coyle","medicine":"Amlodipine","refills":0},{"patient":"Maureen Coyle","medicine":"Statin","refills":2}]`, true},
		"an old one that is so":              {named, `[{"patient":"Maureen Coyle","medicine":"Amlodipine","refills":2},{"patient":"Maureen Coyle","medicine":"Amlodipine","refills":0}]`, false},
		"two that are so":                    {named, `[{"patient":"Maureen Coyle","medicine":"Amlodipine","refills":0},{"patient":"Maureen Coyle","medicine":"Amlodipine","refills":0}]`, true},
		"somebody else's":                    {named, `[{"patient":"Jo Coyle","medicine":"Amlodipine","refills":2},{"patient":"Maureen Coyle","medicine":"Amlodipine","refills":0}]`, true},
		"an id in two states":                {coded, `[{"id":"r-7","status":"approved"},{"id":"r-7","status":"rejected"}]`, false},
		"an id in two states, in Spanish":    {`{"id":"r-7","estado":"approved"}`, `[{"id":"r-7","estado":"approved"},{"id":"r-7","estado":"rejected"}]`, false},
		"an id in two states, in Czech":      {`{"id":"r-7","stav":"approved"}`, `[{"id":"r-7","stav":"approved"},{"id":"r-7","stav":"rejected"}]`, false},
		"an id in two states, in French":     {`{"id":"r-7","état":"approved"}`, `[{"id":"r-7","état":"approved"},{"id":"r-7","état":"rejected"}]`, false},
		"an id in two states, in German":     {`{"id":"r-7","Zustand":"approved"}`, `[{"id":"r-7","Zustand":"approved"},{"id":"r-7","Zustand":"rejected"}]`, false},
		"an id in one":                       {coded, `[{"id":"r-7","status":"approved"},{"id":"r-8","status":"rejected"}]`, true},
		"a title with and without a place":   {titled, `[{"title":"Spring Open","places":0},{"title":"Spring Open","places":4}]`, false},
		"other titles without one":           {titled, `[{"title":"Winter Open","places":0},{"title":"Spring Open","places":4}]`, true},
		"any that is free":                   {any, `[{"day":"2026-05-12","status":"taken"},{"day":"2026-05-12","status":"free"}]`, true},
		"any by somebody":                    {unread, `[{"sender":"Maureen Coyle","read":true},{"sender":"Maureen Coyle","read":false}]`, true},
		"a state that one of them says not":  {coded, `[{"id":"r-7","status":"approved"},{"id":"r-7","status":null}]`, false},
		"a state that the record's list has": {coded, `[{"id":"r-7","status":"approved","steps":[{"id":"s-1","status":"rejected"}]}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			scope := `{"calls":[{"tool":"act","if":[{"tool":"list","where":` + c.where + `}],"args":{"/text":{"any":true}}}]}`
			for _, irreversible := range []bool{true, false} {
				p := proposed{"If Maureen's amlodipine has none left, r-7 is approved or the Spring Open has places, write.", scope, map[string]string{"/text": "c:x"}, []returned{{"list", "", c.list}}}
				if got, misses := p.covered(t, irreversible); got != c.want {
					t.Errorf("irreversible %v: covered %v, want %v (%v)", irreversible, got, c.want, misses)
				}
			}
		})
	}
}

// TestABoundOfOneOfSeveral: what a call that can't be taken back will cost isn't told by one of several offers for one thing. Where a tool lists
// things, one of them is enough.
func TestABoundOfOneOfSeveral(t *testing.T) {
	by := func(tool, args, list string, want bool) asking {
		return asking{scope: `{"calls":[{"tool":"act","if":[{"tool":"` + tool + `","args":{"/domain":{"is":"h.example"}},"where":{"price":{"below":40}}}],"args":{"/domain":{"is":"h.example"}}}]}`,
			said: "Renew h.example if it is below 40.", args: map[string]string{"/domain": "s:h.example"}, early: true, want: want, results: []returned{{tool, args, list}}}
	}
	const asked = `{"domain":"h.example"}`
	askings{
		"one quote":                     by("get_quote", asked, `{"price":30}`, true),
		"two quotes":                    by("get_quote", asked, `{"quotes":[{"price":30},{"price":55}]}`, false),
		"two, and each is so":           by("get_quote", asked, `{"quotes":[{"price":30},{"price":30}]}`, false),
		"a price in each of two things": by("get_quote", asked, `{"list":{"price":55},"discount":{"price":30}}`, false),
		"one, and what it was before":   by("get_quote", asked, `{"price":30,"history":[{"price":55},{"price":20}]}`, true),
		"one of what is listed":         by("list_quotes", asked, `[{"price":30},{"price":55}]`, true),
	}.run(t)
}

// TestANumberOfEach: of one thing that is asked for, each part has the number that a call which can't be taken back depends on.
func TestANumberOfEach(t *testing.T) {
	const dose = `{"calls":[{"tool":"act","if":[{"tool":"weather","args":{"/day":{"date":"2026-05-05"}},"where":{"rain_mm":"0"}}],"args":{"/zone":{"is":"Orchard"}}}]}`
	by := func(answer string, want bool) asking {
		return asking{scope: dose, said: "If there is no rain on 2026-05-05, dose zone Orchard.", args: map[string]string{"/zone": "s:Orchard"}, early: true, want: want, results: []returned{{"weather", `{"day":"2026-05-05"}`, answer}}}
	}
	askings{
		"the day":                       by(`{"day":"2026-05-05","rain_mm":0}`, true),
		"a wet day":                     by(`{"day":"2026-05-05","rain_mm":9}`, false),
		"a dry hour among wet ones":     by(`{"day":"2026-05-05","hours":[{"h":6,"rain_mm":0},{"h":18,"rain_mm":9}]}`, false),
		"hours that are all dry":        by(`{"day":"2026-05-05","hours":[{"h":6,"rain_mm":0},{"h":18,"rain_mm":0}]}`, true),
		"a dry hour, in a list alone":   by(`[{"h":6,"rain_mm":0},{"h":18,"rain_mm":9}]`, false),
		"the day, with a wet hour then": by(`{"day":"2026-05-05","rain_mm":0,"before":[{"h":6,"rain_mm":9}]}`, true),
	}.run(t)
}

// TestApprovedForAnother: who has an approved request for one thing has none for the other that the call is about.
func TestApprovedForAnother(t *testing.T) {
	const send = `{"calls":[{"tool":"act","if":[{"tool":"list_requests","where":{"reader":"Ann Lee","state":"approved"}}],"args":{"/book":{"is":"B-77"}}}]}`
	const other = `{"reader":"Ann Lee","book":"B-12","state":"approved"}`
	by := func(answer string, want bool) asking {
		return asking{scope: send, said: "If Ann Lee's request is approved, send her B-77.", args: map[string]string{"/book": "s:B-77"}, early: true, want: want, results: []returned{{"list_requests", "", answer}}}
	}
	askings{
		"hers is approved":   by(`[{"reader":"Ann Lee","book":"B-77","state":"approved"}]`, true),
		"hers is refused":    by(`[{"reader":"Ann Lee","book":"B-77","state":"refused"}]`, false),
		"another of hers is": by(`[{"reader":"Ann Lee","book":"B-77","state":"refused"},`+other+`]`, false),
		"both of hers are":   by(`[{"reader":"Ann Lee","book":"B-77","state":"approved"},`+other+`]`, true),
		"without the book":   by(`[{"reader":"Ann Lee","state":"approved"}]`, true),
	}.run(t)
}
