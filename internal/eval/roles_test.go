package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/remit-project/remit/contract"
)

// sharedData is the directory of published data sets; it is not part of the
// repository.
func sharedData(t *testing.T, parts ...string) string {
	t.Helper()
	root := os.Getenv("REMIT_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the data sets are not here (set REMIT_DATA to their directory): %v", err)
	}
	return dir
}

func TestRolesOnSharedData(t *testing.T) {
	r, err := Roles(Synthesized, sharedData(t, "mcp-tools"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d arguments, %d tools: strict %.3f lenient %.3f missed %d unsafe %.3f over-blocking %.3f reviewed %.3f; effects %.3f/%.3f outputs %.3f/%.3f",
		r.Arguments, r.Tools, r.Strict.Value, r.Lenient.Value, r.AuthorityMissed.N, r.FloorsUnsafe.Value, r.FloorsOverblocking.Value, r.Reviewed.Value,
		r.EffectStrict.Value, r.EffectLenient.Value, r.OutputStrict.Value, r.OutputLenient.Value)
	if testing.Verbose() {
		for _, m := range r.Misses {
			t.Log(m)
		}
	}
	if r.Strict.Value < 0.85 {
		t.Errorf("strict %.3f, want at least 0.85", r.Strict.Value)
	}
	if r.Lenient.Value < 0.95 {
		t.Errorf("lenient %.3f, want at least 0.95", r.Lenient.Value)
	}
	if r.AuthorityMissed.N != 0 {
		t.Errorf("%d authority arguments missed, want none", r.AuthorityMissed.N)
	}
	if r.FloorsUnsafe.Value > 0.005 {
		t.Errorf("unsafe floors %.4f, want at most 0.005", r.FloorsUnsafe.Value)
	}
	if r.FloorsOverblocking.Value > 0.05 {
		t.Errorf("over-blocking floors %.4f, want at most 0.05", r.FloorsOverblocking.Value)
	}
}

// TestLabelsNameEffects: an effect that no contract could have is a mistake of the labels, and not one of
// the contracts, nor a class of its own for the estimates.
func TestLabelsNameEffects(t *testing.T) {
	name := filepath.Join(t.TempDir(), "labels.jsonl")
	read := func(effect string) (string, error) {
		line := `{"kind": "tool", "server": "s", "tool": "t", "effect": "` + effect + `", "effect_alternatives": ["` + effect + `"], "output_trust": "EXTERNAL"}`
		if err := os.WriteFile(name, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		labels, err := readLabels(name)
		if err != nil {
			return "", err
		}
		return string(labels[0].Effect + " " + labels[0].EffectAlternatives[0]), nil
	}
	for word, want := range map[string]string{
		"read": "read read", "exec": "execute execute", "execute": "execute execute", "network-egress": "egress egress", "egress": "egress egress",
	} {
		if got, err := read(word); got != want || err != nil {
			t.Errorf("%q is %q, %v; want %q", word, got, err, want)
		}
	}
	if got, err := read("emission"); err == nil {
		t.Errorf("\"emission\" is %q", got)
	}
}

func TestContainersAreScoredByTheirMembers(t *testing.T) {
	args := func(patterns ...string) (out []contract.Arg) {
		for _, p := range patterns {
			out = append(out, contract.Arg{Pattern: p})
		}
		return out
	}
	for _, tt := range []struct {
		name string
		args []contract.Arg
		want bool
	}{
		{"an object with listed members", args("/x", "/x/id"), true},
		{"a list of such objects", args("/x", "/x/*", "/x/*/id"), true},
		{"a list of texts", args("/x", "/x/*"), false},
		{"an object of any members", args("/x", "/x/**"), false},
		{"one of any members, some described", args("/x", "/x/id", "/x/**"), false},
		{"a text beside an argument whose name begins alike", args("/x", "/xy/id"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := isContainer(tt.args, "/x"); got != tt.want {
				t.Errorf("isContainer is %t, want %t", got, tt.want)
			}
		})
	}
}
