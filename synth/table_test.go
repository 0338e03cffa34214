package synth

import "testing"

// TestTable holds that the table is read without a mistake.
func TestTable(t *testing.T) {
	if _, err := readTable(wordsText, rulesText); err != nil {
		t.Fatal(err)
	}
}
