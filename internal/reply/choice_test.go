package reply_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/reply"
)

func TestItems(t *testing.T) {
	for text, want := range map[string][]string{
		"Shall I feed Rex, Mia and Tom?":     {"Shall I feed Rex,", "Mia", "Tom?"},
		"1. the oak\n2. the elm. Which one?": {"1. the oak", "2. the elm.", "Which one?"},
		"Ich nehme A-1 oder B-2.":            {"Ich nehme A-1", "B-2."},
		"":                                   nil,
	} {
		var got []string
		for _, i := range reply.Items(text) {
			got = append(got, i.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestSurprises(t *testing.T) {
	for answer, want := range map[string]bool{"feed the cat": false, "feed the cat please": false, "the cat is groomed": true, "nimm die Katze": true, "": false} {
		if got := reply.Surprises("Shall I feed the cat and the dog?", answer); got != want {
			t.Errorf("%q: %t", answer, got)
		}
	}
	if !reply.Surprises("要喂猫和狗吗？", "猫走了") || reply.Surprises("要喂猫和狗吗？", "喂猫") {
		t.Error("in Chinese")
	}
}

func TestPicks(t *testing.T) {
	if got := reply.Picks("The red or the blue kettle?", "Yes, the blue one"); !slices.Equal(got, []string{"blue"}) {
		t.Errorf("got %q", got)
	}
	if got := reply.Picks(strings.Repeat("a ", 1<<16), "Yes, a"); got != nil {
		t.Errorf("got %q of a question that is too long", got)
	}
}
