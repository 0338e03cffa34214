package reply_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/reply"
)

func TestDeeds(t *testing.T) {
	for _, c := range []struct {
		tool, said string
		has, apart bool
	}{
		{"delete_page", "Soll ich die Seite löschen?", true, false},
		{"delete_page", "¿Elimino la página?", true, false},
		{"delete_page", "Shall I archive the page?", false, true},
		{"delete_page", "Shall I print the page?", false, true},
		{"cancel_lesson", "レッスンをキャンセルしますか？", true, false},
		{"create_ticket", "Shall I book a ticket?", false, false}, // one is said for the other
		{"knit_scarf", "Shall I show it?", false, false},          // what the table doesn't know is apart from nothing
	} {
		does, said := reply.DeedOf(strings.Split(c.tool, "_")), reply.DeedsOf(c.said)
		if said.Has(does) != c.has || said.IsApart(does) != c.apart {
			t.Errorf("%s, %q: has %t, apart %t", c.tool, c.said, said.Has(does), said.IsApart(does))
		}
	}
}

func TestProposed(t *testing.T) {
	for _, c := range []struct {
		said, asked               string
		drafts, describes, goesOn bool
	}{
		{"I'll mend it. Is that right?", "Is that right?", false, false, true},
		{"Two were found. Is yours the green one?", "Is yours the green one?", false, true, false},
		{"It costs 2.50 in all, paid at a.example. Shall I mend it?", "Shall I mend it?", false, false, false},
		{"Shall I look it up?\nOr not.", "Shall I look it up?", true, false, false},
		{"I'll mend it", "I'll mend it", false, false, false},
		{"Weiter?", "Weiter?", false, false, true},
	} {
		p := reply.Proposed(c.said)
		if p.Asked != c.asked || p.Drafts != c.drafts || p.Describes != c.describes || p.GoesOn != c.goesOn {
			t.Errorf("%q: %+v", c.said, p)
		}
	}
	if p := reply.Proposed("I won't delete it. Shall I archive it?"); p.Deeds.Has(reply.DeedsOf("delete")) {
		t.Error("what is negated is proposed")
	}
}

func FuzzProposed(f *testing.F) {
	f.Add("Shall I book it? はい、予約")
	f.Fuzz(func(t *testing.T, said string) {
		if first := reply.Proposed(said); first != reply.Proposed(said) {
			t.Error("it is not the same twice")
		}
	})
}
