package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	d := read(t, "policy.md", `Shop
====

## Refunds

Refunds are *paid* by [card](https://example.com "title"). They
take a week:

1. Cash is paid.
   At once.

   Coins, too.
2. Cards
   - credit
   - debit

- [ ] Unrelated

> Quoted text. It
> goes on.

| Fare | Fee |
| ---- | --- |
| Flex | a \| b |

    Indented code.
`)
	diff(t, d, `
heading 1 | Shop
heading 4 | Refunds < Shop
paragraph 6 | Refunds are paid by card. < Shop < Refunds
paragraph 6 | They take a week: < Shop < Refunds
item 9 | Cash is paid. < Shop < Refunds < They take a week:
item 10 | At once. < Shop < Refunds < They take a week:
item 12 | Coins, too. < Shop < Refunds < They take a week:
item 13 | Cards < Shop < Refunds < They take a week:
item 14 | credit < Shop < Refunds < They take a week: < Cards
item 15 | debit < Shop < Refunds < They take a week: < Cards
item 17 | [ ] Unrelated < Shop < Refunds < They take a week:
paragraph 19 | Quoted text. < Shop < Refunds
paragraph 19 | It goes on. < Shop < Refunds
row 22 | Fare | Fee < Shop < Refunds
row 24 | Flex | a | b < Shop < Refunds < Fare | Fee
paragraph 26 | Indented code. < Shop < Refunds
`)
}

func TestMarkdownHides(t *testing.T) {
	d := read(t, "policy.md", `Seen, as [said].

[said]: https://example.com
[//]: # (SECRET one)

<div style="display: none">

SECRET two.

* SECRET three

</div>

Seen ~~SECRET four~~ text.
`)
	if diff := cmp.Diff([]string{"Seen, as said.", "Seen text."}, texts(d.Sentences)); diff != "" {
		t.Error(diff)
	}
	want := []Suspicion{
		{Kind: Hidden, Text: "// # SECRET one", Place: Place{Line: 4}, Why: "it defines a link that nothing refers to, which shows nowhere"},
		{Kind: Hidden, Text: "SECRET two.", Place: Place{Line: 8}, Why: "its style doesn't display it"},
		{Kind: Hidden, Text: "SECRET three", Place: Place{Line: 10}, Why: "its style doesn't display it"},
		{Kind: Hidden, Text: "SECRET four", Place: Place{Line: 14}, Why: "it is struck out"},
	}
	if diff := cmp.Diff(want, d.Suspicions); diff != "" {
		t.Errorf("suspicions (-want +got):\n%s", diff)
	}
}
