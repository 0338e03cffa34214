package decimal

import (
	"fmt"
	"math/big"
	"testing"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"pgregory.net/rapid"
)

// TestShortNumbers: with short numbers, results are those of fractions of whole numbers.
func TestShortNumbers(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		most := rapid.SampledFrom([]int64{10, 1e6, maxFactor, maxTerm + 1, 1 << 62}).Draw(t, "most")
		text := fmt.Sprint(rapid.Int64Range(-most, most).Draw(t, "whole"))
		if n := rapid.IntRange(0, len(powers)+1).Draw(t, "places"); n > 0 {
			text += "." + rapid.StringMatching(fmt.Sprintf("[09][0-9]{%d}", n-1)).Draw(t, "fraction")
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, y := parsed(t, a), parsed(t, b)
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		if shown := fmt.Sprint(x); shown != fmt.Sprint(Of(p)) {
			t.Fatalf("%s is shown as %s", a, shown)
		}

		for operator, exact := range arithmetic {
			whole := types.IsError(calculate(operator, exact)(x, y)) // ints overflow, and nothing is divided by zero
			if got := calculate(operator, exact)(x, y); !whole && (types.Equal(got, Of(exact(p, q))) != types.True || fmt.Sprint(got) != fmt.Sprint(Of(exact(p, q)))) {
				t.Fatalf("%s %s %s is %v", a, operator, b, got)
			}
		}
		for operator, holds := range comparisons {
			if got := compare(operator, holds)(x, y); got != types.Bool(holds(p.Cmp(q))) {
				t.Fatalf("%s %s %s is %v", a, operator, b, got)
			}
		}

		third := parsed(t, number.Draw(t, "c"))
		r, _ := rat(third)
		want := Of(new(big.Rat).Add(new(big.Rat).Add(p, q), r))
		if got := sum(types.NewRefValList(types.DefaultTypeAdapter, []ref.Val{x, y, third})); types.Equal(got, want) != types.True {
			t.Fatalf("the sum of %s, %s and %v is %v, not %v", a, b, third, got, want)
		}
	})
	if got := calculate(operators.Divide, arithmetic[operators.Divide])(types.Int(1), types.Int(0)); !types.IsError(got) {
		t.Errorf("1 / 0 is %v", got)
	}
}

func parsed(t *rapid.T, s string) ref.Val {
	v, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
