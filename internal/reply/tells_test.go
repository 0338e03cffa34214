package reply_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/reply"
)

func TestTells(t *testing.T) {
	for name, c := range map[string]struct {
		statement, text string
		want            bool
	}{
		"the same words":                 {"a fine is waived only once a year", "Please note: a fine is waived only once a year.", true},
		"in another order and form":      {"a fine is waived only once a year", "Only once each year can we waive fines.", true},
		"as a question":                  {"these are all the items to be exchanged", "Are those all of the items that you'd like to exchange?", true},
		"over two sentences":             {"these are all the items to be exchanged", "You can exchange items only once.\nIs that all?", true},
		"over more than two":             {"these are all the items to be exchanged", "Let's exchange something.\nI see the bell.\nIs that all?\nWhich items?", false},
		"a part of it":                   {"these are all the items to be exchanged", "Which items would you like to exchange?", false},
		"in a word for more":             {"these are all the items to be changed", "Please confirm that these are all the items you'd like to have exchanged.", true},
		"in words alike":                 {"these are all the items to be exchanged", "Is there anything else that you want to swap?", true},
		"in other words":                 {"a fine is waived only once a year", "We forget a fee a single time in twelve months.", false},
		"as a question for more":         {"these are all the items to be exchanged", "Are there any other items in this order to exchange? If not, do you confirm?", true},
		"that there is no more":          {"these are all the items to be exchanged", "Please confirm that this is right and that there are no other items to be exchanged.", true},
		"as the only one":                {"any other item to be modified", "Is the lamp from order #W1 the only item you want to change, and do you agree?", true},
		"everything":                     {"these are all the items to be exchanged", "PayPal, right? Is that everything you want to exchange?", true},
		"every one":                      {"these are all the items to be modified", "Please check that this is every item you want to change in the order.", true},
		"anything else":                  {"these are all the items to be modified", "Is there anything else in that order to change, since this is possible only once?", true},
		"all, and what can't be":         {"these are all the items to be modified", "Please check that this is every item you want to change in the order; it can't be modified again.", true},
		"more of something else":         {"these are all the items to be modified", "Are there any other orders to change?", false},
		"more, and of what not":          {"these are all the items to be modified", "Your item is changed. Is there anything else I can help with?", false},
		"all of something else":          {"these are all the items to be exchanged", "Please confirm that all the details of the exchange are right.", false},
		"that everything is right":       {"these are all the items to be exchanged", "I'll exchange the lamp. Is everything correct?", false},
		"all right":                      {"these are all the items to be exchanged", "All right, I'll exchange the lamp.", false},
		"that something is missing":      {"these are all the items to be exchanged", "That is not all you want to exchange.", false},
		"German, as a question for more": {"das sind alle Artikel, die umgetauscht werden sollen", "Möchten Sie sonst noch etwas umtauschen?", true},
		"turned round":                   {"a fine is waived only once a year", "A fine is not waived only once a year.", false},
		"with how to answer":             {"these are all the items to be exchanged", "Please confirm that these are all the items you'd like to have exchanged (yes/no).", true},
		"negated on both sides":          {"the order can't be changed afterwards", "Afterwards it will not be possible to change the order.", true},
		"negated in the statement alone": {"the order can't be changed afterwards", "The order can be changed afterwards.", false},
		"another number":                 {"the refund takes 5 to 7 business days", "The refund takes 3 to 7 business days.", false},
		"a number written otherwise":     {"the refund takes 5 to 7 business days", "Refunds take 5-7 business days.", true},
		"words that only look alike":     {"the account can be closed", "According to the closet …", false},
		"too few words":                  {"please wait", "Please wait.", false},
		"no words":                       {"", "Anything.", false},
		"German":                         {"eine Gebühr wird nur einmal im Jahr erlassen", "Bitte denken Sie daran: Gebühren werden nur einmal im Jahr erlassen.", true},
		"German, turned round":           {"die Bestellung kann nicht geändert werden", "Die Bestellung kann geändert werden.", false},
		"Spanish":                        {"el pedido se puede cambiar solo una vez", "Recuerde que los pedidos se pueden cambiar solo una vez.", true},
		"Chinese":                        {"订单只能修改一次", "请注意，订单只能修改一次。", true},
		"Chinese, something else":        {"订单只能修改一次", "请确认您的地址。", false},
		"another language":               {"a fine is waived only once a year", "Gebühren werden nur einmal im Jahr erlassen.", false},
		"a long text":                    {"a fine is waived only once a year", strings.Repeat("x", 70<<10) + ". A fine is waived only once a year.", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reply.Tells(c.text, c.statement); got != c.want {
				t.Errorf("%q tells %q: %t", c.text, c.statement, got)
			}
		})
	}
}

func TestCloses(t *testing.T) {
	const all = "these are all the items to be exchanged"
	for name, c := range map[string]struct {
		statement, said string
		want            bool
	}{
		"nothing else":                  {all, "Please exchange the watch of order W-7, nothing else.", true},
		"that is all":                   {all, "Yes, that's all, thanks.", true},
		"these are all":                 {all, "Yes, I confirm these are all the items.", true},
		"nothing else of the kind":      {all, "Yes, please. I don't need anything else exchanged.", true},
		"in German":                     {"das sind alle Artikel, die umgetauscht werden sollen", "Den Schal bitte umtauschen, sonst nichts.", true},
		"no other":                      {all, "By card. No other items.", true},
		"of something else":             {all, "That's all I know.", false},
		"that it is right":              {all, "That's all correct.", false},
		"that it is wrong":              {all, "That's all wrong!", false},
		"a question":                    {all, "Are these all?", false},
		"another question":              {all, "That's all?", false},
		"but for one":                   {all, "That's all, except for the lamp.", false},
		"and one more":                  {all, "Only this. And the scarf.", false},
		"and one more, later":           {all, "Nothing else. Oh, and the scarf.", false},
		"und noch eins":                 {"das sind alle Artikel, die umgetauscht werden sollen", "Nur das. Und die Hose.", false},
		"and thanks":                    {all, "That's all, and thanks.", true},
		"one more, and then no other":   {all, "The watch. And the scarf, nothing else.", true},
		"a quoted line":                 {all, "> that's all\nExchange the lamp.", false},
		"in quotation marks":            {all, "The mail says \"nothing else\".", false},
		"not all":                       {all, "That's not all.", false},
		"a mere yes":                    {all, "Yes, please.", false},
		"another kind of statement":     {"a fine is waived only once a year", "That's all.", false},
		"a long reply":                  {all, strings.Repeat("x", 5<<10) + ". That's all.", false},
		"a statement without its words": {"", "That's all.", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reply.Closes(c.said, c.statement); got != c.want {
				t.Errorf("%q closes %q: %t", c.said, c.statement, got)
			}
		})
	}
}

// TestNothingIsToldWithoutItsWords holds that a text which lacks a word of a statement
// doesn't say it.
func TestNothingIsToldWithoutItsWords(t *testing.T) {
	words := []string{"invoice", "seventeen", "garden", "velvet"}
	rapid.Check(t, func(t *rapid.T) {
		missing := rapid.IntRange(0, len(words)-1).Draw(t, "missing")
		var some []string
		for i, w := range words {
			if i != missing {
				some = append(some, w)
			}
		}
		text := strings.Join(rapid.Permutation(some).Draw(t, "words"), rapid.SampledFrom([]string{" ", ", ", ". "}).Draw(t, "between"))
		if reply.Tells(text, strings.Join(words, " ")) {
			t.Errorf("%q tells all of %q", text, words)
		}
	})
}

func FuzzTells(f *testing.F) {
	f.Add("A fine is waived only once.", "a fine is waived only once")
	f.Fuzz(func(_ *testing.T, text, statement string) { reply.Tells(text, statement) })
}
