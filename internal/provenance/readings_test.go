package provenance

import (
	"os"
	"strings"
	"testing"
)

// spoken is what a user writes, with an argument and its value, and whether the user
// vouches for the value.
type spoken struct {
	user, argument, value string
	vouched               bool
}

func readSpoken(t *testing.T, file string) []spoken {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var out []spoken
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); !strings.HasPrefix(line, "#") {
			out = append(out, spoken{f[1], f[2], f[3], f[0] == "yes"})
		}
	}
	return out
}

// TestReadings has dates, times and durations in six languages, and addresses, handles
// and codes that are equal to what the user wrote by the rules of their kind.
func TestReadings(t *testing.T) {
	for _, file := range []string{"testdata/moments.tsv", "testdata/equals.tsv"} {
		for _, c := range readSpoken(t, file) {
			if r := one(after(c.user, page), "do_it", c.argument, c.value); certain(r) != c.vouched {
				t.Errorf("%q: %s = %s is %s with %b as %q", c.user, c.argument, c.value, r.Label.Trust, r.Label.Obligations, r.How)
			}
		}
	}
}
