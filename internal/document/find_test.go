package document

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// texts are the texts of sentences.
func texts(sentences []Sentence) []string {
	var out []string
	for _, s := range sentences {
		out = append(out, s.Text)
	}
	return out
}

func read(t testing.TB, name, text string) *Document {
	t.Helper()
	d, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestQuotationsAreFoundWordByWord(t *testing.T) {
	d := read(t, "policy.md", `# Refunds

The “ﬁnal” fare – e.g. Basic – isn’t refunded… Other fares are. They cost $100.

| Fare | Fee |
| --- | --- |
| Flex | 5 % |
`)
	for name, test := range map[string]struct {
		quotation, text string
		sentences       int
	}{
		"whole sentence":          {"Other fares are.", "Other fares are.", 1},
		"part of one":             {"fares are", "fares are", 1},
		"over two":                {"fares are. They cost", "fares are. They cost", 2},
		"over three":              {"refunded… Other fares are. They", "refunded… Other fares are. They", 3},
		"white space":             {"  Other\n\tfares   are.", "Other fares are.", 1},
		"plain quotes and dashes": {`The "final" fare - e.g. Basic - isn't`, "The “ﬁnal” fare – e.g. Basic – isn’t", 1},
		"plain ellipsis":          {"refunded...", "refunded…", 1},
		"heading":                 {"Refunds", "Refunds", 1},
		"heading and more":        {"Refunds The", "Refunds The", 2},
		"row":                     {"Flex | 5 %", "Flex | 5 %", 1},
		"row as written":          {"| Flex | 5 % |", "Flex | 5 %", 1},
		"price":                   {"$100", "$100", 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := d.Find(test.quotation)
			if !ok || got.Text != test.text || len(got.Sentences) != test.sentences {
				t.Errorf("found %t, %q in %q", ok, got.Text, texts(got.Sentences))
			}
		})
	}
	for _, quotation := range []string{"", " ", "|", "other fares are.", "fares ar", "ther fares", "Other fares are not", "cost $10", "They cost. Other fares"} {
		if got, ok := d.Find(quotation); ok {
			t.Errorf("%q was found as %q", quotation, got.Text)
		}
	}
}

func TestEveryPartOfADocumentIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBuilder(&Document{})
		for range rapid.IntRange(1, 4).Draw(t, "paragraphs") {
			b.paragraph(rapid.IntRange(0, 2).Draw(t, "depth"), piece{text: prose().Draw(t, "text")})
		}
		d := b.finish()
		if len(d.Sentences) == 0 {
			return
		}
		first := rapid.IntRange(0, len(d.Sentences)-1).Draw(t, "first")
		last := rapid.IntRange(first, len(d.Sentences)-1).Draw(t, "last")
		text := strings.Join(texts(d.Sentences[first:last+1]), " ")
		var all []token
		for token := range tokens(text) {
			all = append(all, token)
		}
		if len(all) == 0 {
			return
		}
		from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(all)-1).Draw(t, "to")
		quotation := text[all[from].start:all[to].end]
		got, ok := d.Find(quotation)
		if !ok {
			t.Fatalf("%q was not found in %q", quotation, texts(d.Sentences))
		}
		if words(got.Text) != words(quotation) {
			t.Fatalf("%q was found as %q", quotation, got.Text)
		}
		if !strings.Contains(strings.Join(texts(got.Sentences), " "), got.Text) {
			t.Fatalf("%q is not in its sentences %q", got.Text, texts(got.Sentences))
		}
	})
}

// The references of a mapping that people made are parts of the document.
func TestReferencesOfTheAirlineAreFound(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "airline")
	wiki, err := os.ReadFile(filepath.Join(dir, "wiki.md"))
	if err != nil {
		t.Skipf("the airline's policy is not there: %v", err)
	}
	d := read(t, "wiki.md", string(wiki))
	if len(d.Suspicions) != 0 {
		t.Errorf("an ordinary policy is suspicious: %+v", d.Suspicions)
	}
	data, err := os.ReadFile(filepath.Join(dir, "ground_truth.dev.json"))
	if err != nil {
		t.Skipf("the mapping of the airline's policy is not there: %v", err)
	}
	var truth struct {
		Rules []struct{ References []string }
	}
	if err := json.Unmarshal(data, &truth); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, rule := range truth.Rules {
		for _, reference := range rule.References {
			n++
			got, ok := d.Find(reference)
			if diff := cmp.Diff(reference, got.Text); !ok || diff != "" {
				t.Errorf("found %t (-want +got):\n%s", ok, diff)
			}
		}
	}
	if n == 0 {
		t.Error("the mapping has no references")
	}
}
