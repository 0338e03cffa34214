package match

import (
	"slices"
	"testing"

	"github.com/remit-project/remit/scope"
)

// TestNumbersOfDates: the numbers of a date in words are not amounts, and no amount is a part of
// a date.
func TestNumbersOfDates(t *testing.T) {
	for text, want := range map[string][]string{
		"Bill for the month of December 2023\nTotal\t98.70": {"98.70"},
		"Rechnung vom 3. Mai 2025, 12 Stück":                {"12"},
		"due May 3, 2025":                                   nil,
		"Factura de 3 de mayo de 2025: 40":                  {"40"},
		"May 2000.50":                                       {"2000.50"},
		"May 2000,50":                                       {"2000.50"},
		"May 20000":                                         {"20000"},
		"Total 12\nMay 2025":                                {"12"},
		"2025年12月":                                          nil,
		"3 items":                                           {"3"},
	} {
		if got, _ := shaped(undated(text), scope.Number); !slices.Equal(got, want) {
			t.Errorf("%q has %v, want %v", text, got, want)
		}
	}
}
