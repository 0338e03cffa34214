package eval

import (
	"os"
	"path/filepath"
	"testing"
)

// shared returns a directory of the shared data sets, or skips.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("REMIT_DATA")
	if root == "" {
		root = "../../../shared/data"
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no data at %s: set REMIT_DATA to the directory that holds the data sets", dir)
	}
	return dir
}

func TestProvenanceOnSharedData(t *testing.T) {
	r, err := Provenance(shared(t, "provenance"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Misses {
		t.Logf("%s %s %s: got %s (%s), want %s (%s); origins %v of %v", m.Kind, m.Case, m.Path, m.Got, m.How, m.Want, m.Transform, m.Origins, m.True)
	}
	t.Logf("%d leaves, %d laundered, %d over-tainted, origins recall %.3f", r.Leaves, r.Laundered.N, r.OverTainted.N, r.OriginsRecall.Value)
	if r.Laundered.N > 0 {
		t.Errorf("%d leaves laundered", r.Laundered.N)
	}
	if r.OverTainted.Value > 0.02 {
		t.Errorf("%.1f %% over-tainted, want at most 2 %%", 100*r.OverTainted.Value)
	}
}
