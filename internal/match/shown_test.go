package match_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestListingThatIsNone: what can't be taken back doesn't rest on a listing that says of itself that it is none, that something failed, of which
// time it is, or that it is narrowed by what nobody asked for.
func TestListingThatIsNone(t *testing.T) {
	const tags = `"tags":[{"tag_id":"G1","plate":"AB","state":"active"}]}`
	now := time.Date(2026, 5, 20, 9, 0, 0, 0, time.UTC)
	deleted := func(args, around string, reversible, want bool) asking {
		return asking{scope: only(of("list_tags", "tag_id", `{"plate":"AB","state":"active"}`)), said: "Delete the active tag of plate AB.", args: map[string]string{"/id": "s:G1"},
			results: []returned{{"list_tags", args, "{" + around + tags}}, now: now, early: true, reversible: reversible, want: want}
	}
	askings{
		"plain":                             deleted("", "", false, true),
		"simulated":                         deleted("", `"simulated":true,`, false, false),
		"not simulated":                     deleted("", `"simulated":false,`, false, true),
		"of a demo":                         deleted("", `"mode":"demo",`, false, false),
		"in another mode":                   deleted("", `"mode":"live",`, false, true),
		"simulated, what can be taken back": deleted("", `"simulated":true,`, true, true),
		"shards that failed":                deleted("", `"failed_shards":2,`, false, false),
		"none that failed":                  deleted("", `"failed_shards":0,`, false, true),
		"of 2019":                           deleted("", `"as_of":"2019-01-01",`, false, false),
		"of today":                          deleted("", `"as_of":"2026-05-20T08:59:00Z",`, false, true),
		"of yesterday":                      deleted("", `"as_of":"2026-05-19",`, false, true),
		"of 2019, which was asked for":      deleted(`{"as_of":"2019-01-01"}`, `"as_of":"2019-01-01",`, false, true),
		"narrowed by nobody":                deleted("", `"filters":{"region":"north"},`, false, false),
		"narrowed as the source says":       deleted("", `"filters":{"state":"active"},`, false, true),
		"narrowed as its call says":         deleted(`{"plate":"AB"}`, `"filters":{"plate":"AB"},`, false, true),
		"narrowed by nothing":               deleted("", `"filters":{"region":"all","owner":null,"limit":50},`, false, true),
		"what one may filter by":            deleted("", `"available_filters":["region","owner"],`, false, true),
		"more, in other digits":             deleted("", `"सूचना":"८ में से १ दिखाया गया",`, false, false),
		"more, in words":                    deleted("", `"note":"There are more tags than shown here",`, false, false),
		"no more, in words":                 deleted("", `"note":"There are no more tags",`, false, true),
		"more of something else":            deleted("", `"note":"More about us on our site",`, false, true),
	}.run(t)
}

// TestDigitsOfAPart: a remark in whatever digits that says how many of how many are shown makes a part of a listing.
func TestDigitsOfAPart(t *testing.T) {
	zeros := []rune("0٠۰०০੦૦௦౦೦൦๐໐０")
	rapid.Check(t, func(rt *rapid.T) {
		zero, all := rapid.SampledFrom(zeros).Draw(rt, "zero"), rapid.IntRange(2, 9).Draw(rt, "all")
		digit := func(n int) string { return string(zero + rune(n)) }
		around := rapid.SampledFrom([]string{"全%件中%件", "% / %", "%-%"}).Draw(rt, "around")
		note := ""
		for _, r := range around {
			switch {
			case r == '%' && note != "" && containsDigit(note, zero):
				note += digit(1)
			case r == '%':
				note += digit(all)
			default:
				note += string(r)
			}
		}
		c := loosened{only(of("list", "id", `{"plate":"AB"}`)), "G1", []returned{{"list", "", `{"備考":"` + note + `","tags":[{"id":"G1","plate":"AB"}]}`}}, false}
		if covered, _ := c.covered(t, true); covered {
			rt.Errorf("%q is covered", note)
		}
	})
}

func containsDigit(text string, zero rune) bool {
	for _, r := range text {
		if r >= zero && r <= zero+9 {
			return true
		}
	}
	return false
}
