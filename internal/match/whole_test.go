package match_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// proposed is a call of act with arguments, as of [call], after reading calls.
type proposed struct {
	request, scope string
	args           map[string]string
	results        []returned
}

func (a proposed) covered(t require, irreversible bool) (bool, []string) {
	t.Helper()
	s, refused, err := scope.Parse([]byte(a.scope), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	var results []*match.Result
	for i, have := range a.results {
		r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "mailbox", Tool: have.tool, Covered: true, Read: true, Early: true}
		setContent(r, have.text)
		results = append(results, r)
	}
	p := call("act", a.args)
	p.Irreversible = irreversible
	_, misses, ok := match.NewTask(s, a.request).Match(p, results)
	return ok, misses
}

// splitting allows calls for all that a source lists.
func splitting(entry, constraint string) string {
	return `{"calls":[{"tool":"act"` + entry + `,"args":{"/among/*":{"from":[{"tool":"members","field":"login","where":{"group":"flat"}}` + constraint + `}}}]}`
}

// ofTheList returns a scope of splitting whose pointer is that of the list.
func ofTheList(scope string) string { return strings.Replace(scope, "/among/*", "/among", 1) }

// TestAllInOneCall: a call that is made once for all that a source lists leaves out none of it.
func TestAllInOneCall(t *testing.T) {
	const (
		flat = `[{"group":"flat","login":"me"},{"group":"flat","login":"zoe"},{"group":"flat","login":"ben"},{"group":"boat","login":"ann"}]`
		less = `[{"group":"flat","login":"me"},{"group":"flat","login":"zoe"}]`
		all  = `],"kind":"id","pick":"all"`
	)
	once := []returned{{"members", "", flat}}
	ofCase := []returned{{"members", "", `[{"group":"flat","login":"aB"},{"group":"flat","login":"ab"}]`}}
	versions := []returned{{"members", "", `[{"group":"flat","login":"1.10"},{"group":"flat","login":"1.1"}]`}}
	for name, c := range map[string]struct {
		scope   string
		results []returned
		among   []string
		want    bool
	}{
		"all":                              {splitting("", all), once, []string{"zoe", "ben", "me"}, true},
		"all but the user":                 {splitting("", all), once, []string{"zoe", "ben"}, false},
		"all but another one":              {splitting("", all), once, []string{"me", "zoe"}, false},
		"all and one of other things":      {splitting("", all), once, []string{"me", "zoe", "ben", "ann"}, false},
		"one of two that differ in case":   {splitting("", all), ofCase, []string{"aB"}, false},
		"two that differ in case":          {splitting("", all), ofCase, []string{"aB", "ab"}, true},
		"one of two versions":              {splitting("", all), versions, []string{"1.10"}, false},
		"but for whom the user leaves out": {splitting("", all+`,"except":[{"tool":"members","field":"login","where":{"login":"ben"}}]`), once, []string{"me", "zoe"}, true},
		"several calls of some each":       {splitting(`,"times":2`, all), once, []string{"me", "zoe"}, true},
		"a call for each of them":          {splitting(`,"times":"each"`, all), once, []string{"me"}, true},
		"all that there are now":           {splitting("", all), []returned{{"members", "", flat}, {"members", "", less}}, []string{"me", "zoe"}, true},
		"all by one of two ways": {splitting("", `,{"tool":"balances","field":"member"}`+all), []returned{once[0], {"balances", "", `[{"member":"Zoe M."},{"member":"Ben"}]`}},
			[]string{"me", "zoe", "ben"}, true},
		"some by either of them": {splitting("", `,{"tool":"balances","field":"member"}`+all), []returned{once[0], {"balances", "", `[{"member":"Zoe M."},{"member":"Ben"}]`}},
			[]string{"me", "Zoe M."}, false},
	} {
		t.Run(name, func(t *testing.T) {
			args := map[string]string{}
			for i, who := range c.among {
				args[fmt.Sprintf("/among/%d", i)] = "t:" + who
			}
			for _, of := range []string{c.scope, ofTheList(c.scope)} {
				for _, irreversible := range []bool{true, false} {
					h := proposed{"Split it among the flat, but for ben.", of, args, c.results}
					if got, misses := h.covered(t, irreversible); got != c.want {
						t.Errorf("%.60s, irreversible %v: covered %v, want %v (%v)", of, irreversible, got, c.want, misses)
					}
				}
			}
		})
	}
}

// TestAllInOneCallIsAll: whatever a source lists, a call that is covered for all of it has all of it.
func TestAllInOneCallIsAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		login := rapid.SampledFrom([]string{"a", "A", "aB", "ab"})
		flat := rapid.SliceOfNDistinct(login, 1, 4, rapid.ID).Draw(rt, "flat")
		among := rapid.SliceOfNDistinct(login, 1, 4, rapid.ID).Draw(rt, "among")
		args, has := map[string]string{}, map[string]bool{}
		var list []string
		for _, who := range flat {
			list = append(list, fmt.Sprintf(`{"group":"flat","login":%q}`, who))
		}
		for i, who := range among {
			args[fmt.Sprintf("/among/%d", i)], has[who] = "t:"+who, true
		}
		want := len(among) == len(flat)
		for _, who := range flat {
			want = want && has[who]
		}
		splits := splitting("", `],"kind":"id","pick":"all"`)
		h := proposed{"Split it.", rapid.SampledFrom([]string{splits, ofTheList(splits)}).Draw(rt, "scope"), args, []returned{{"members", "", "[" + strings.Join(list, ",") + "]"}}}
		if got, misses := h.covered(rt, true); got != want {
			rt.Errorf("%v of %v: covered %v, want %v (%v)", among, flat, got, want, misses)
		}
	})
}

// TestListOfAPart: the list of an only call is of all there is, and a part of a listing doesn't say that.
func TestListOfAPart(t *testing.T) {
	const scope = `{"calls":[{"tool":"act","args":{"/ids/*":{"from":[{"tool":"list_staff","field":"id","where":{"team":"Red"}}],"kind":"id","pick":"all"}}}]}`
	each := strings.Replace(scope, `"tool":"act"`, `"tool":"act","times":"each"`, 1)
	from := func(scope, args, text string, reversible, want bool) asking {
		return asking{scope: scope, said: "Pay all of team Red.", args: map[string]string{"/ids/0": "s:1"}, early: true, reversible: reversible, want: want,
			results: []returned{{"list_staff", args, text}}}
	}
	const one = `[{"id":"1","team":"Red"}]`
	askings{
		"all there is":            from(scope, "", one, false, true),
		"with more behind it":     from(scope, "", `{"staff":`+one+`,"has_more":true}`, false, false),
		"where some failed":       from(scope, "", `{"staff":`+one+`,"errors":["one team failed"]}`, false, false),
		"as many as asked for":    from(scope, `{"limit":1}`, one, false, false),
		"another page":            from(scope, `{"page":2}`, one, false, false),
		"a call for each":         from(each, "", `{"staff":`+one+`,"has_more":true}`, false, true),
		"and it can be put right": from(scope, "", `{"staff":`+one+`,"has_more":true}`, true, true),
	}.run(t)
}
