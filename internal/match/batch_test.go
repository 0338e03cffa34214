package match_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// billed is a call that can't be taken back, with values of a listing of bills.
type billed struct {
	takes map[string]string // what arguments are of, by their pointers
	list  string
	args  map[string]string // as of [call]
}

// takes constrains an argument to a member of the bills.
func takes(field, kind, pick string) string {
	return fmt.Sprintf(`{"from":[{"tool":"list_bills","field":%q}],"kind":%q,%s}`, field, kind, pick)
}

func (b billed) covered(t require) (covered bool, misses []string) {
	t.Helper()
	var args []string
	for _, at := range slices.Sorted(maps.Keys(b.takes)) {
		args = append(args, fmt.Sprintf("%q:%s", at, b.takes[at]))
	}
	s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay_all","args":{`+strings.Join(args, ",")+`}}]}`), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_bills", Covered: true, Read: true, Early: true}
	setContent(r, b.list)
	p := call("pay_all", b.args)
	p.Irreversible = true
	_, misses, ok := match.NewTask(s, "Pay the bills.").Match(p, []*match.Result{r})
	return ok, misses
}

// require is what a check of a test or of a property reports to.
type require interface {
	Helper()
	Fatal(args ...any)
}

// TestListsOfRecords: each element of a list in a call has the values of one record.
func TestListsOfRecords(t *testing.T) {
	const (
		all   = `"pick":"all"`
		two   = `"pick":"choice","by":"two newest by date"`
		bills = `[{"iban":"DE1","amount":900,"date":"2026-04-01","lines":[{"no":"x"},{"no":"y"}]},{"iban":"GB2","amount":1,"date":"2026-05-01"},{"iban":"FR3","amount":7,"date":"2025-05-01"}]`
		same  = `[{"iban":"DE1","amount":900},{"iban":"DE1","amount":900},{"iban":"DE1","amount":7}]`
	)
	with := func(pick string) map[string]string {
		return map[string]string{"/payments/*/iban": takes("iban", "text", pick), "/payments/*/amount": takes("amount", "number", pick)}
	}
	pays := func(payments ...string) map[string]string {
		out := map[string]string{}
		for i, p := range payments {
			iban, amount, _ := strings.Cut(p, " ")
			out[fmt.Sprintf("/payments/%d/iban", i)], out[fmt.Sprintf("/payments/%d/amount", i)] = "t:"+iban, "o:"+amount
		}
		return out
	}
	line := map[string]string{"/lines/*": `{"template":"{to} {sum}","holes":{"to":` + takes("iban", "text", all) + `,"sum":` + takes("amount", "number", all) + `}}`}
	half := map[string]string{"/payments/*/iban": takes("iban", "text", all), "/payments/*/amount": `{"computed":[{"tool":"list_bills","field":"amount"}],"by":"half of the amount"}`}
	for name, c := range map[string]struct {
		billed
		want bool
	}{
		"each bill":                        {billed{with(all), bills, pays("DE1 900", "GB2 1", "FR3 7")}, true},
		"in another order":                 {billed{with(all), bills, pays("FR3 7", "DE1 900", "GB2 1")}, true},
		"but for one":                      {billed{with(all), bills, pays("FR3 7", "DE1 900")}, false},
		"an amount left out":               {billed{with(all), bills, map[string]string{"/payments/0/iban": "t:DE1", "/payments/0/amount": "o:900", "/payments/1/iban": "t:GB2"}}, false},
		"amounts that are swapped":         {billed{with(all), bills, pays("DE1 1", "GB2 900")}, false},
		"one account for two amounts":      {billed{with(all), bills, pays("GB2 1", "GB2 900")}, false},
		"a bill twice":                     {billed{with(all), bills, pays("DE1 900", "DE1 900")}, false},
		"two equal bills":                  {billed{with(all), same, pays("DE1 900", "DE1 900", "DE1 7")}, true},
		"one more than there are":          {billed{with(all), same, pays("DE1 900", "DE1 900", "DE1 900")}, false},
		"a text of one bill":               {billed{line, bills, map[string]string{"/lines/0": "c:DE1 900", "/lines/1": "c:GB2 1"}}, true},
		"a text of two bills":              {billed{line, bills, map[string]string{"/lines/0": "c:GB2 900"}}, false},
		"the two newest":                   {billed{with(two), bills, pays("DE1 900", "GB2 1")}, true},
		"the two newest, swapped":          {billed{with(two), bills, pays("DE1 1", "GB2 900")}, false},
		"one of the two newest twice":      {billed{with(two), bills, pays("DE1 900", "DE1 900")}, false},
		"one that isn't of the two newest": {billed{with(two), bills, pays("DE1 900", "FR3 7")}, false},
		"half of each":                     {billed{half, bills, pays("DE1 450", "GB2 0.5", "FR3 3.5")}, true},
		"half of another's":                {billed{half, bills, pays("DE1 0.5", "GB2 450", "FR3 3.5")}, false},
		"two criteria": {billed{map[string]string{"/payments/*/iban": takes("iban", "text", two), "/payments/*/amount": takes("amount", "number", `"pick":"choice","by":"two largest by amount"`)},
			bills, pays("DE1 900", "GB2 7")}, false},
		"a list in an element": {billed{map[string]string{"/groups/*/ibans/*": takes("iban", "text", all)}, bills, map[string]string{"/groups/0/ibans/0": "t:DE1", "/groups/0/ibans/1": "t:GB2", "/groups/1/ibans/0": "t:FR3"}}, true},
		"a table":              {billed{map[string]string{"/rows/*/0": takes("iban", "text", all), "/rows/*/1": takes("amount", "number", all)}, bills, map[string]string{"/rows/0/0": "t:DE1", "/rows/0/1": "o:900", "/rows/1/0": "t:GB2", "/rows/1/1": "o:1", "/rows/2/0": "t:FR3", "/rows/2/1": "o:7"}}, true},
		"a mixed table":        {billed{map[string]string{"/rows/*/0": takes("iban", "text", all), "/rows/*/1": takes("amount", "number", all)}, bills, map[string]string{"/rows/0/0": "t:GB2", "/rows/0/1": "o:900"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, misses := c.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestListsMixNothing: whatever bills there are, a list of payments is covered only if each payment is one of them, none is
// paid more often than it was sent, and no account or amount is left out.
func TestListsMixNothing(t *testing.T) {
	pair := map[string]string{"/payments/*/iban": takes("iban", "text", `"pick":"all"`), "/payments/*/amount": takes("amount", "number", `"pick":"all"`)}
	rapid.Check(t, func(rt *rapid.T) {
		bill := rapid.Custom(func(rt *rapid.T) string {
			return fmt.Sprintf(`{"iban":"A%d","amount":%d}`, rapid.IntRange(1, 3).Draw(rt, "iban"), rapid.IntRange(1, 3).Draw(rt, "amount"))
		})
		bills := rapid.SliceOfN(bill, 1, 4).Draw(rt, "bills")
		paid := rapid.SliceOfN(rapid.OneOf(bill, rapid.SampledFrom(bills)), 1, 3).Draw(rt, "paid")
		args, left, meant := map[string]string{}, slices.Clone(bills), isOfAll(paid, bills)
		for i, p := range paid {
			iban, amount, _ := strings.Cut(strings.Trim(p, `{}`), ",")
			args["/payments/"+strconv.Itoa(i)+"/iban"] = "t:" + strings.Trim(strings.TrimPrefix(iban, `"iban":`), `"`)
			args["/payments/"+strconv.Itoa(i)+"/amount"] = "o:" + strings.TrimPrefix(amount, `"amount":`)
			at := slices.Index(left, p)
			if meant = meant && at >= 0; meant {
				left = slices.Delete(left, at, at+1)
			}
		}
		if got, misses := (billed{pair, "[" + strings.Join(bills, ",") + "]", args}).covered(rt); got != meant {
			rt.Errorf("%v of %v: covered %v, want %v (%v)", paid, bills, got, meant, misses)
		}
	})
}

// isOfAll reports whether payments have every account and every amount of some bills.
func isOfAll(paid, bills []string) bool {
	has := map[string]bool{}
	for _, p := range paid {
		for member := range strings.SplitSeq(strings.Trim(p, "{}"), ",") {
			has[member] = true
		}
	}
	return !slices.ContainsFunc(bills, func(b string) bool {
		iban, amount, _ := strings.Cut(strings.Trim(b, "{}"), ",")
		return !has[iban] || !has[amount]
	})
}
