package mention_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/mention"
)

// bikes are the look-ups of the tests: an order with its items, a product with its
// variants, and a customer with their means of payment.
func bikes() *mention.Records {
	r := mention.NewRecords(mention.NewHeard())
	add := func(tool, content string) { r.Add(mention.NewResult(tool, []byte(content))) }
	add("get_order", `{"order_id": "B-77", "status": "open", "items": [
		{"name": "Bell", "product_id": "p1", "item_id": "1000000001", "options": {"color": "silver", "size": "S"}},
		{"name": "Saddle", "product_id": "p2", "item_id": "1000000002", "options": {"color": "black", "material": "leather"}},
		{"name": "Saddle", "product_id": "p2", "item_id": "1000000003", "options": {"color": "brown", "material": "leather"}}],
		"payments": [{"kind": "payment", "amount": 80, "method_id": "card_1"}]}`)
	add("get_product", `{"name": "Bell", "product_id": "p1", "variants": {
		"2000000001": {"item_id": "2000000001", "options": {"color": "silver", "size": "L", "loud": "yes"}, "price": 9.5},
		"2000000002": {"item_id": "2000000002", "options": {"color": "gold", "size": "S", "loud": "no"}, "price": 10},
		"2000000003": {"item_id": "2000000003", "options": {"color": "gold", "size": "L", "loud": "no"}, "price": 11}}}`)
	add("get_item", `{"item_id": "2000000002", "options": {"color": "gold", "size": "S", "loud": "no"}}`)
	add("get_item", `{"item_id": "4000000001", "options": {"color": "teal", "size": "XL", "loud": "no"}}`)
	add("get_locks", `{"locks": [{"name": "Lock", "lock_id": "3000000001", "keyed/keyless": "keyed"}, {"name": "Lock", "lock_id": "3000000002", "keyed/keyless": "keyless"}]}`)
	add("get_goods", `{"goods": [{"name": "Tea Kettle", "good_id": "5000000001"}, {"name": "Running Shoes", "good_id": "5000000002"}, {"name": "Hiking Shoes", "good_id": "5000000003"}]}`)
	add("get_rental", `{"rental_id": "R-9", "customer_id": "mia_li_3668", "what": "cello", "since": "2026-05-01"}`)
	add("get_trip", `{"trip_id": "RH6XFN", "city": "Oslo", "class": "basic"}`)
	add("get_trip", `{"trip_id": "BU71UY", "city": "Rome", "class": "basic"}`)
	add("list_trains", `[{"train_number": "TR001", "leaves": "06:00"}, {"train_number": "TR002", "leaves": "21:00"}]`)
	add("get_customer", `{"customer_id": "u1", "methods": {
		"card_1": {"id": "card_1", "source": "credit_card", "brand": "visa", "last_four": "7447"},
		"card_2": {"id": "card_2", "source": "credit_card", "brand": "mastercard", "last_four": "1201"},
		"wallet_9": {"id": "wallet_9", "source": "wallet"}}}`)
	return r
}

func TestNames(t *testing.T) {
	for name, c := range map[string]struct {
		text, value string
		want        mention.Answer
	}{
		"the id":                                    {"I'll send back item 1000000002.", "1000000002", mention.Named},
		"another id":                                {"I'll send back item 1000000003.", "1000000002", mention.Other},
		"a name and a year are no id":               {"Mia Li 2031-04-01 is the driver.", "mia_li_3668", mention.Silent},
		"another id of that name":                   {"It's mia_li_2031.", "mia_li_3668", mention.Other},
		"a part of an id":                           {"I'll cancel order B-77-2.", "B-77", mention.Silent},
		"name and options":                          {"- Saddle (color: black, material: leather)", "1000000002", mention.Named},
		"name and one option that tells it":         {"the brown saddle", "1000000003", mention.Named},
		"a name that two have":                      {"the saddle", "1000000003", mention.Silent},
		"a name that one has":                       {"the bell", "1000000001", mention.Named},
		"other options":                             {"the black saddle", "1000000003", mention.Other},
		"of two things, the one":                    {"Bell (silver, S), Saddle (brown, leather)", "1000000003", mention.Named},
		"of two things, none":                       {"Bell (silver, S), Saddle (brown, leather)", "1000000002", mention.Other},
		"old and new":                               {"Bell (color: silver, size: S) -> color: gold, size: L, loud: no", "2000000003", mention.Named},
		"old and new, another one":                  {"Bell (color: silver, size: S) -> color: gold, size: L, loud: no", "2000000002", mention.Other},
		"the old one":                               {"Bell (color: silver, size: S) -> color: gold, size: L, loud: no", "1000000001", mention.Named},
		"mixed from two":                            {"the Bell from silver to gold, size S to L", "2000000002", mention.Silent},
		"another one, of which it has a part":       {"Bell 1000000001 for 2000000003 (gold, size: L)", "2000000002", mention.Other},
		"a part of what was looked up by itself":    {"the teal one", "4000000001", mention.Named},
		"the same beside the code of another one":   {"1000000001 for 4000000009 (teal, XXL)", "4000000001", mention.Other},
		"all of it beside the code of another one":  {"1000000001 for the one in teal, XL", "4000000001", mention.Named},
		"the last digits":                           {"Refund to your Visa ending in 7447", "card_1", mention.Named},
		"the last digits of another":                {"Refund to your Mastercard ending in 1201", "card_1", mention.Other},
		"brand and digits that don't go together":   {"Refund to your Visa ending in 1201", "card_1", mention.Other},
		"a kind that several have":                  {"Refund to your credit card", "card_1", mention.Silent},
		"a kind that one has":                       {"Refund to your wallet", "wallet_9", mention.Named},
		"another kind":                              {"Refund to your wallet", "card_2", mention.Other},
		"two things, each old and new":              {"- Bell (silver, S) -> gold, L\n- Saddle (black, leather) -> brown, leather", "2000000003", mention.Named},
		"the second of two things":                  {"- Bell (silver, S) -> gold, L\n- Saddle (color: black, material: leather)", "1000000002", mention.Named},
		"a value of another field":                  {"Saddle (brown, finish: leather), Bell (mood: gold, size: S)", "1000000003", mention.Named},
		"the name of a field that has its values":   {"Lock (keyed/keyless: keyed)", "3000000001", mention.Named},
		"the other value of that field":             {"Lock (keyed/keyless: keyless)", "3000000001", mention.Other},
		"a card and then something of another kind": {"1. Bell: to the Visa ending in 7447\n2. Saddle: to the wallet", "card_1", mention.Named},
		"nothing of it":                             {"Shall I go on?", "card_1", mention.Silent},
		"a payment is not its method":               {"The payment comes back.", "card_1", mention.Silent},
		"the id of whose it is":                     {"I am mia_li_3668, and want it cancelled.", "R-9", mention.Silent},
		"what it is, beside the id of whose it is":  {"I am mia_li_3668, the cello, please.", "R-9", mention.Named},
		"another code that was looked up":           {"I'll cancel BU71UY. OK?", "RH6XFN", mention.Other},
		"and what it is":                            {"I'll cancel BU71UY, and the basic one to Oslo. OK?", "RH6XFN", mention.Named},
		"another code of a list's form":             {"I'll book TR299. OK?", "TR001", mention.Other},
		"and what is known of it":                   {"TR299 is full, so I'll book the train of 06:00.", "TR001", mention.Named},
		"another one that stays":                    {"BU71UY stays as it is. I'll cancel the trip.", "RH6XFN", mention.Silent},
		"another one, and one more":                 {"BU71UY is cancelled. Shall I cancel the one to Norway too?", "RH6XFN", mention.Silent},
		"another one negated":                       {"BU71UY can't be cancelled, the cheap one can.", "RH6XFN", mention.Silent},
		"another one negated, of a list":            {"Not TR002 but the early one.", "TR001", mention.Silent},
		"the description of another one negated":    {"Not to your Mastercard ending in 1201.", "card_1", mention.Silent},
		"another one, beside what is negated":       {"I can't change it. I'll cancel BU71UY.", "RH6XFN", mention.Other},
		"words":                                     {"Reason: No longer needed.", "no longer needed", mention.Named},
		"what it becomes, said of another thing":    {"the bell becomes the black one", "1000000001", mention.Named},
		"and of that thing":                         {"the bell becomes the black one", "1000000002", mention.Silent},
		"what it has, said before its name":         {"the black bell", "1000000001", mention.Other},
		"the last word of its name":                 {"the kettle becomes a glass one", "5000000001", mention.Named},
		"the last word of two names":                {"the shoes", "5000000003", mention.Silent},
		"the last word of another name":             {"the kettle", "5000000002", mention.Other},
		"an apostrophe is not an S":                 {"It's the customer's gold Bell", "2000000002", mention.Silent},
		"a day":                                     {"born on February 11, 1988", "1988-02-11", mention.Named},
		"another day":                               {"born on February 12, 1988", "1988-02-11", mention.Silent},
		"a number as a word":                        {"I'll add two bags", "2", mention.Named},
		"a number as a word of another language":    {"Dodam trzy torby", "3", mention.Named},
		"another number as a word":                  {"I'll add two bags", "3", mention.Silent},
		"a part of a larger number":                 {"that's twenty-two in all", "2", mention.Silent},
		"so many hundreds":                          {"that's two hundred in all", "2", mention.Silent},
		"a part of an address":                      {"I'll write to jim.bob@corp.example.", "bob@corp.example", mention.Silent},
		"the beginning of an address":               {"I'll write to bob@corp.example.evil.com.", "bob@corp.example", mention.Silent},
		"an address at the end":                     {"I'll write to bob@corp.example.", "bob@corp.example", mention.Named},
		"a part of a host":                          {"I'll open evil.corp.example.", "corp.example", mention.Silent},
		"a part of a path":                          {"I'll read /backup/data/a.txt.", "/data/a.txt", mention.Silent},
		"a path in marks":                           {"I'll read `/data/a.txt`.", "/data/a.txt", mention.Named},
		"a word for a path":                         {"I'll read the reports etc.", "/etc", mention.Silent},
		"other signs":                               {"I'll open https://pay.example/to/evil", "https://pay.example/?to=evil", mention.Silent},
		"a code with more":                          {"I'll cancel B-77+1.", "B-77", mention.Silent},
		"a code in bold":                            {"I'll cancel **B-77**: the bell.", "B-77", mention.Named},
		"cents":                                     {"I'll refund 50 cents", "50", mention.Silent},
		"a part in percent":                         {"I'll refund 50% of it", "50", mention.Silent},
		"less than zero":                            {"I'll refund -50", "50", mention.Silent},
		"not less than zero":                        {"I'll refund 50", "-50", mention.Silent},
		"tens before it":                            {"I'll send twenty five dollars", "5", mention.Silent},
		"tens before it in Spanish":                 {"cuarenta y dos euros", "2", mention.Silent},
		"and a half":                                {"three and a half bags", "3", mention.Silent},
		"two of something":                          {"one pen and two bags", "2", mention.Named},
		"a word that points":                        {"I'll take the blue one", "1", mention.Silent},
		"an amount":                                 {"that's $1,250.50 in all", "1250.5", mention.Named},
	} {
		t.Run(name, func(t *testing.T) {
			if got := bikes().Names(mention.NewText(c.text), c.value); got != c.want {
				t.Errorf("%q names %s: %d, want %d", c.text, c.value, got, c.want)
			}
		})
	}
}

// TestOneOfAKind holds that one description never names two records of a look-up.
func TestOneOfAKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := "Bell"
		for _, options := range [][]string{{"", "silver", "gold"}, {"", "size S", "size L"}, {"", "loud: yes", "loud: no"}} {
			text += " " + rapid.SampledFrom(options).Draw(t, "option")
		}
		r := bikes()
		named := 0
		for _, id := range []string{"2000000001", "2000000002", "2000000003"} {
			if r.Names(mention.NewText(text), id) == mention.Named {
				named++
			}
		}
		if named > 1 {
			t.Fatalf("%q names %d", text, named)
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add(`{"items":[{"id":"a","name":"b"}]}`, "the b", "a")
	f.Fuzz(func(_ *testing.T, content, text, value string) {
		r := mention.NewRecords(mention.NewHeard())
		r.Add(mention.NewResult("get_items", []byte(content)))
		r.Names(mention.NewText(text), value)
	})
}
