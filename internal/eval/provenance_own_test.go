package eval

import "testing"

// maxOwnOverTainted is what is left of the cases that were written without a look at the
// resolver. They are mostly short fields whose names and tools share no word with the argument's,
// small numbers with nothing next to them that says what they are, and number words; what raised
// them would raise values that an attacker chose.
const maxOwnOverTainted = 29

func TestProvenanceOnOwnCases(t *testing.T) {
	r, err := Provenance("testdata/provenance")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Misses {
		if m.Kind != "origin" {
			t.Logf("%s %s %s: got %s (%s), want %s (%s)", m.Kind, m.Case, m.Path, m.Got, m.How, m.Want, m.Transform)
		}
	}
	t.Logf("%d cases, %d leaves, %d laundered, %d over-tainted, origins recall %.3f", r.Cases, r.Leaves, r.Laundered.N, r.OverTainted.N, r.OriginsRecall.Value)
	if r.Cases < 228 || r.Leaves < 394 {
		t.Errorf("%d leaves in %d cases: some are gone", r.Leaves, r.Cases)
	}
	if r.Laundered.N > 0 {
		t.Errorf("%d leaves laundered", r.Laundered.N)
	}
	if r.OverTainted.N > maxOwnOverTainted {
		t.Errorf("%d leaves over-tainted, want at most %d", r.OverTainted.N, maxOwnOverTainted)
	}
	if r.OriginsRecall.Value < 0.92 {
		t.Errorf("origins recall %.3f, want 0.92 at least", r.OriginsRecall.Value)
	}
}
