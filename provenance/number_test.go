package provenance

import (
	"os"
	"strings"
	"testing"
)

// TestNumbersAsPeopleWriteThem has what users of many languages write, and for
// each what vouches and what must not. Each list was written before what reads
// it.
func TestNumbersAsPeopleWriteThem(t *testing.T) {
	for _, file := range []string{"testdata/numbers.tsv", "testdata/numbers_more.tsv"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			want, user, argument, value := f[0] == "yes", f[1], f[2], f[3]
			s := after(user, page)
			for kind, r := range map[string]Resolution{"number": number(s, "do_it", argument, value), "text": one(s, "do_it", argument, value)} {
				if certain(r) != want {
					t.Errorf("%q: %s = %s as a %s is %s with %b as %q", user, argument, value, kind, r.Label.Trust, r.Label.Obligations, r.How)
				}
			}
		}
	}
}
