package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/scope"
)

// TestSays: every constraint has words that a person understands, and what reaches far is
// marked.
func TestSays(t *testing.T) {
	const all = `"from":[{"tool":"find"%s,"field":"id"}],"kind":"id","pick":"%s","by":"%s"`
	from := func(where, pick, by string) string {
		if where != "" {
			where = `,"where":` + where
		}
		return fmt.Sprintf(all, where, pick, by)
	}
	for name, c := range map[string]struct{ constraint, says, wide string }{
		"stated":        {`"is":7`, `"7"`, ""},
		"alternatives":  {`"is":["a","b"]`, `"a" or "b"`, ""},
		"a day":         {`"date":"2031-05-07"`, `any time of "2031-05-07"`, ""},
		"left out":      {`"absent":true`, "left out", ""},
		"as it is":      {`"unchanged":true`, "left as it is", ""},
		"computed":      {`"computed":[{"tool":"find","field":"id"}],"by":"half"`, `computed from "id" of the result of find ("half")`, ""},
		"the only one":  {from("", "only", ""), `the only id in "id" of the result of find`, ""},
		"some of them":  {from(`{"name":{"prefix":"A","ends":"z","above":3}}`, "all", ""), `ANY id in "id" of the result of find, where name begins with "A" and name ends with "z" and name is above "3"`, ""},
		"all of them":   {from("", "all", ""), `ANY id in "id" of the result of find`, "may be ANY of a whole listing"},
		"the largest":   {from("", "choice", "largest"), `one id in "id" of the result of find ("largest")`, ""},
		"whichever":     {from("", "choice", ""), `one id in "id" of the result of find`, "no criterion is given"},
		"anything":      {`"any":true`, "anything", "may be anything"},
		"half anything": {`"template":"x{y}","holes":{"y":{"any":true}}`, `"x{y}", where y is anything`, "is open in part"},
		"but one":       {from("", "all", "") + `,"except":[{"tool":"find","field":"id","by":"newest"}]`, `ANY id in "id" of the result of find, but not the one that is "newest", by "id" of the result of find`, "may be ANY"},
		"either":        {`"is":"Ann",` + from("", "only", ""), `"Ann", or the only id in "id" of the result of find`, ""},
		"joined": {
			from(`{"by":{"or":["of"],"from":[{"tool":"find","field":"login","where":{"name":{"contains":["Ann","Anna"]}}}]}}`, "only", ""),
			`the only id in "id" of the result of find, where by or of is the only value in "login" of the result of find, where name contains "Ann" or "Anna"`, "",
		},
		"but some": {from("", "all", "") + `,"except":[{"tool":"find","args":{"/name":{"is":"A"}},"field":"id"}]`, `ANY id in "id" of the result of find, but not "id" of the result of find (name "A")`, "may be ANY"},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"wipe","args":{"/id":{`+c.constraint+`}}}]}`), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(refused, err)
			}
			r := request("x")
			e := &s.Calls[0]
			if got := planner.Says(&e.Args[0].Constraint); got != c.says {
				t.Errorf("it says %s", got)
			}
			if got := strings.Join(planner.Wide(e, planner.Find(r.Tools, "", "wipe")), " "); !strings.Contains(got, c.wide) || (c.wide == "") != (got == "") {
				t.Errorf("wide: %s", got)
			}
			if got := planner.Wide(e, planner.Find(r.Tools, "", "find")); got != nil {
				t.Errorf("reading: %s", got)
			}
		})
	}
}
