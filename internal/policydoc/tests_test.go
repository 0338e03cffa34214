package policydoc_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/policydoc"
)

// TestTestsFiles: each guard file has a file of tests. It stays as people wrote it until one of the
// rules changes, and goes with the last rule.
func TestTestsFiles(t *testing.T) {
	root := t.TempDir()
	const tests = "tool: lend\ntests:\n  - of: few\n    examples:\n      # by Ann\n      - {allow: one, args: {count: 1}}\n      - name:   two\n        expect: deny\n        args: {count: 9}\n"
	given := map[string]string{
		"guards/lend.yaml":       "tool: lend\npolicies:\n  - {name: few, message: Few., require: args.count < 5}\n",
		"guards/tests/lend.yaml": tests,
		"policy.lock":            `{"version": 1, "items": {"lend": {}}}`,
	}
	write(t, root, given)
	d, err := policydoc.ReadDirectory(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(); err != nil || files(t, root)["guards/tests/lend.yaml"] != tests {
		t.Fatalf("unedited it is\n%s, %v", files(t, root)["guards/tests/lend.yaml"], err)
	}

	f, err := d.Guard("", "lend").File()
	if err != nil || len(f.Policies[0].Examples) != 2 {
		t.Fatalf("got %+v, %v", f, err)
	}
	few := f.Policies[0]
	few.Examples = few.Examples[:1]
	if err := d.Guard("", "lend").Put(&few); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(); err != nil {
		t.Fatal(err)
	}
	got := files(t, root)
	if s := got["guards/tests/lend.yaml"]; strings.Contains(s, "two") || !strings.Contains(s, "# by Ann\n      - {allow: one, args: {count: 1}}") || strings.Contains(got["guards/lend.yaml"], "examples") {
		t.Errorf("got\n%s%s", s, got["guards/lend.yaml"])
	}

	d.Guard("", "lend").Remove("few")
	if err := d.Write(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, root); got["guards/lend.yaml"]+got["guards/tests/lend.yaml"] != "" {
		t.Errorf("left are %v", got)
	}
}
