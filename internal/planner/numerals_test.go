package planner_test

import (
	"slices"
	"testing"

	"github.com/remit-project/remit/internal/planner"
)

// TestNumbersInWords: numbers are read in digits and in words, also written together, and no other word is one.
func TestNumbersInWords(t *testing.T) {
	for text, want := range map[string][]float64{
		"two thousand five hundred":         {2500},
		"one hundred and twenty":            {120},
		"forty, or fifty":                   {40, 50},
		"vierzigtausend":                    {40000},
		"zweihundertfünfzig Euro":           {250},
		"fünfundzwanzig":                    {25},
		"quatre-vingt-dix":                  {90},
		"dos mil quinientos":                {2500},
		"dwóch tysięcy":                     {2000},
		"čtyřiceti tisíc":                   {40000},
		"две тысячи триста":                 {2300},
		"tre miljoner":                      {3000000},
		"2 thousand":                        {2000},
		"at 30 pages":                       {30},
		"the tent of the weightless senate": nil,
		"tausendfach":                       nil,
		"vierzigtausend Seiten":             {40000},
	} {
		if got := planner.NumbersOf(text); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
