package document

import "testing"

func TestPlainText(t *testing.T) {
	d := read(t, "policy.txt", "\uFEFF"+`REFUND POLICY

Shop
====

1. Refunds

Refunds are paid by card.
They take a week.

For each order:
- Returned goods
  are refunded.
    * Used ones aren't.

  Books are.
- Gift cards are not refunded.
After this.

  * Far
  * Away

2.1 Fees

(a) Flex has none.
(b) Basic costs $10.

These hold, indented:

    Always.
`)
	diff(t, d, `
heading 1 | REFUND POLICY
heading 3 | Shop
heading 6 | 1. Refunds < Shop
paragraph 8 | Refunds are paid by card. < Shop < 1. Refunds
paragraph 9 | They take a week. < Shop < 1. Refunds
paragraph 11 | For each order: < Shop < 1. Refunds
item 12 | Returned goods are refunded. < Shop < 1. Refunds < For each order:
item 14 | Used ones aren't. < Shop < 1. Refunds < For each order: < Returned goods are refunded.
item 16 | Books are. < Shop < 1. Refunds < For each order:
item 17 | Gift cards are not refunded. < Shop < 1. Refunds < For each order:
item 18 | After this. < Shop < 1. Refunds < For each order:
item 20 | Far < Shop < 1. Refunds < For each order: < After this.
item 21 | Away < Shop < 1. Refunds < For each order: < After this.
heading 23 | 2.1 Fees < Shop < 1. Refunds
item 25 | Flex has none. < Shop < 1. Refunds < 2.1 Fees
item 26 | Basic costs $10. < Shop < 1. Refunds < 2.1 Fees
paragraph 28 | These hold, indented: < Shop < 1. Refunds < 2.1 Fees
item 30 | Always. < Shop < 1. Refunds < 2.1 Fees < These hold, indented:
`)
}

func TestTextInUTF16(t *testing.T) {
	d := read(t, "policy.txt", "\xFF\xFEH\x00i\x00 \x00\x1C\x20.\x00")
	diff(t, d, "paragraph 1 | Hi “.")
}
