package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const policy = `# Shop

Refunds are paid by card. They take a week.

## Refunds

For each order:

- Returned goods are refunded.
  - Used ones are not.
- Gift cards are not refunded.

| Fare | Fee |
| --- | --- |
| Flex | none |

## Bags

Bags are free.
`

// ids are the IDs of sentences by their text and context.
func ids(d *Document) map[string]string {
	out := map[string]string{}
	for _, s := range d.Sentences {
		out[strings.Join(append(s.Path, s.Text), " / ")] = s.ID
	}
	return out
}

func TestIdentityIsOfTheTextAndWhatItStandsUnder(t *testing.T) {
	before := ids(read(t, "policy.md", policy))
	changed := func(from, to string) (out []string) {
		after := ids(read(t, "policy.md", strings.Replace(policy, from, to, 1)))
		kept := map[string]bool{}
		for _, id := range after {
			kept[id] = true
		}
		for path, id := range before {
			if !kept[id] {
				out = append(out, path)
			}
		}
		return out
	}
	for name, test := range map[string]struct {
		from, to string
		changed  int
	}{
		"nothing":                        {"", "", 0},
		"a sentence":                     {"They take", "These take", 1},
		"a heading, with all below":      {"## Refunds", "## Money back", 7},
		"a lead-in, with its items":      {"For each order", "For every order", 4},
		"an item, with those beneath":    {"Returned", "Broken", 2},
		"the header of a table":          {"| Fee |", "| Charge |", 2},
		"the sentences are moved":        {"## Bags\n\nBags are free.\n", "", 2},
		"white space":                    {"paid by card", "paid  by\ncard", 0},
		"typographic signs":              {"Refunds are", "Refunds are", 0},
		"an unrelated sentence is added": {"They take", "It is sure. They take", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := changed(test.from, test.to); len(got) != test.changed {
				t.Errorf("%d IDs changed, want %d: %q", len(got), test.changed, got)
			}
		})
	}
}

func TestRepetitionsAreCounted(t *testing.T) {
	d := read(t, "policy.txt", "Ask first. Ask first.\n\nAsk first.\n")
	first := d.Sentences[0].ID
	var got []string
	for _, s := range d.Sentences {
		got = append(got, s.ID)
		if found, ok := d.Sentence(s.ID); !ok || found.Place != s.Place {
			t.Errorf("%s is at %v, found at %v", s.ID, s.Place, found.Place)
		}
	}
	if diff := cmp.Diff([]string{first, first + "-2", first + "-3"}, got); diff != "" {
		t.Error(diff)
	}
	if _, ok := d.Sentence("s-0"); ok {
		t.Error("a sentence was found that isn't there")
	}
}

// A paragraph of its own, wherever it is put, changes no other identity.
func TestIdentityStaysWhenOthersCome(t *testing.T) {
	paragraph := rapid.StringMatching(`[A-Z][a-z]{1,5}( [a-z]{1,5}){1,3}\.( [A-Z][a-z]{2,5} [a-z]{1,4}\.)?`)
	rapid.Check(t, func(t *rapid.T) {
		paragraphs := rapid.SliceOfN(paragraph, 1, 8).Draw(t, "paragraphs")
		before := ids(read2(t, paragraphs))
		at := rapid.IntRange(0, len(paragraphs)).Draw(t, "at")
		more := append(append(append([]string{}, paragraphs[:at]...), "Something unrelated 123."), paragraphs[at:]...)
		d := read2(t, more)
		unique := map[string]bool{}
		for _, s := range d.Sentences {
			if unique[s.ID] {
				t.Fatalf("%s stands twice", s.ID)
			}
			unique[s.ID] = true
		}
		after := ids(d)
		for path, id := range before {
			if after[path] != id {
				t.Fatalf("%q was %s and is %s", path, id, after[path])
			}
		}
	})
}

func read2(t *rapid.T, paragraphs []string) *Document {
	d, err := Read("p.md", []byte("# Title\n\n"+strings.Join(paragraphs, "\n\n")))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestReadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ name, text, want string }{
		"an unknown format":      {"policy.odt", "", "write .md, .markdown, .txt, .html, .htm, .docx or .pdf"},
		"what is not UTF-8":      {"policy.txt", "caf\xe9", "save it as UTF-8"},
		"too large":              {"policy.txt", strings.Repeat("x", MaxSize+1), "larger than 64 MiB"},
		"too many sentences":     {"policy.txt", strings.Repeat("Go. ", MaxSentences+1), "more than 100000 sentences"},
		"too many marks":         {"policy.md", strings.Repeat(">", 200) + " x", "line 1: it begins with more than 100 marks"},
		"Markdown without end":   {"policy.md", strings.Repeat("*a ", maxRun), "without an empty line"},
		"more links than text":   {"policy.md", strings.Repeat("[a](", 20_000), "line 1: more links without an empty line"},
		"too much Markdown":      {"policy.md", strings.Repeat("a\n\n", maxMarkdown/3+1), "documents in Markdown of more than 16 MiB"},
		"a page of hidden texts": {"policy.html", strings.Repeat("<p>a<!--b-->", maxSuspicions+1), "nobody could review them"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(test.name, []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), test.name) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestPlaceSaysWhatIsKnown(t *testing.T) {
	for want, place := range map[string]Place{
		"":                {},
		"page 3, line 12": {Page: 3, Line: 12},
		"line 12":         {Line: 12},
		"paragraph 7":     {Paragraph: 7},
	} {
		if got := place.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// diff compares a document with its sentences, one a line: kind and number of its place, text,
// and its headings and lead-ins after each " < ", outermost first.
func diff(t *testing.T, d *Document, want string) {
	t.Helper()
	var got strings.Builder
	for _, s := range d.Sentences {
		place := max(s.Place.Line, s.Place.Paragraph)
		fmt.Fprintf(&got, "%s %d | %s\n", s.Kind, place, strings.Join(append([]string{s.Text}, s.Path...), " < "))
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(got.String()), "\n")); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}
