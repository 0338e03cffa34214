package decimal_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"cel.dev/cel-go/common/types"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/decimal"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "12": "12", "-7": "-7", "9.99": "9.99", "-0.50": "-0.5", "10.00": "10", "1e3": "1000", "1E+2": "100", "25e-1": "2.5",
		"9223372036854775807": "9223372036854775807", "9223372036854775808": "9223372036854775808", "0.0000001": "0.0000001",
		"12345678901234567890.125": "12345678901234567890.125", "007": "7",
	} {
		v, err := decimal.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := fmt.Sprint(v); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "-", "+1", ".5", "5.", "1e", "1e+", "1.2.3", "0x10", "1_000", "NaN", "Infinity", " 1", "1 ", "1/3", "٣"} {
		if v, err := decimal.Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, v)
		}
	}
	for _, text := range []string{"1e101", "1e-101", "1e99999999999999999999", strings.Repeat("9", decimal.MaxText+1)} {
		if v, err := decimal.Parse(text); !errors.Is(err, decimal.ErrRange) {
			t.Errorf("%q: %v, %v", text, v, err)
		}
	}
}

// TestWholeNumbersAreInts: a number has one form at run time, whatever it was
// written as, and two are equal exactly when they are the same value.
func TestWholeNumbersAreInts(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		text := fmt.Sprint(rapid.Int64Range(-1e6, 1e6).Draw(t, "whole"))
		if n := rapid.IntRange(0, 4).Draw(t, "places"); n > 0 {
			text += "." + rapid.StringMatching(fmt.Sprintf("[0-9]{%d}", n)).Draw(t, "fraction")
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, err := decimal.Parse(a)
		if err != nil {
			t.Fatal(err)
		}
		y, err := decimal.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		if _, whole := x.(types.Int); whole != p.IsInt() {
			t.Fatalf("%s is a %s", a, x.Type().TypeName())
		}
		if equal := types.Equal(x, y) == types.True; equal != (p.Cmp(q) == 0) {
			t.Fatalf("%s == %s is %v", a, b, equal)
		}
	})
}

// FuzzParse reads hostile numbers: none panics, none grows, and what is read is
// what Go reads.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-1.5e-3", "1e400", "9.99", "00.10", "1e", "--1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := decimal.Parse(s)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is not a number for Go", s)
		}
		switch v := v.(type) {
		case types.Int:
			if want.Cmp(new(big.Rat).SetInt64(int64(v))) != 0 {
				t.Fatalf("%q is read as %d", s, v)
			}
		case *decimal.Decimal:
			if want.Cmp(v.Value().(*big.Rat)) != 0 {
				t.Fatalf("%q is read as %s", s, v)
			}
		default:
			t.Fatalf("%q is read as a %T", s, v)
		}
	})
}
