package reply_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/reply"
)

// TestWhatIsOnlyMentionedIsNotTheUsersOwn: of what a user says, W1 is their own or it isn't.
func TestWhatIsOnlyMentionedIsNotTheUsersOwn(t *testing.T) {
	for said, own := range map[string]bool{
		"Cancel W1 if possible.":                     true,
		"Cancel W1 if it is free.":                   true,
		"If you can, cancel W1.":                     true,
		"If W1 hasn't left, please cancel it.":       true,
		"If W1 hasn't left I would be glad.":         false,
		"If it is sold out I want W1.":               true,
		"Can you check if W1 has arrived?":           true,
		"Is there a refund if I cancel W1?":          false,
		"Wäre es möglich, W1 umzubuchen?":            true,
		"Wäre es W1, dann ja.":                       false,
		"Vous m'avez dit W1, allons-y.":              true,
		"Sí, cancela W1.":                            true,
		"Sí W1 está bien.":                           true,
		"Si cancelo W1, ¿qué pasa?":                  false,
		"My neighbour took W1.":                      false,
		"My neighbour gave me W1.":                   true,
		"My neighbour and I share W1.":               true,
		"Bob wants W1.":                              false,
		"My son wants W1.":                           true,
		"I wanted W1.":                               true,
		"Mein Chef möchte W1.":                       false,
		"Ich möchte W1.":                             true,
		"According to Bob it is W1.":                 false,
		"According to the invoice it is W1.":         true,
		"According to Bob, W1 is free.":              false,
		"Does W1 count as one?":                      false,
		"Where is W1 now?":                           true,
		"Any seats on flight W1?":                    true,
		"Does my order W1 have it?":                  true,
		"Mi hanno detto che W1 è libero.":            false,
		"Mein Nachbar behauptet, W1 sei frei. Egal.": false,
		"Wie ich schon sagte, W1 ist es.":            true,
		"My wife said it is late. Please cancel W1.": true,
		strings.Repeat("if, ", 500) + "W1, please, ": true,
	} {
		text, _ := reply.Own(said, "W1")
		if got := strings.Contains(text, "W1"); got != own {
			t.Errorf("%q: W1 is the user's own: %v", said, got)
		}
	}
}

// What a user says as their own is the same for any value where it is said to be.
func TestOwnAlways(t *testing.T) {
	parts := []string{"Is W1 safe?", "my friend says", "take W1", "\"W1 it is\"", "'W2'", "the reason is W1", "if", "please", "cancel", "Yes", "no longer needed", "?", ".", ",", ":", "\n", "> W1", "does it count", "sagt", "他说"}
	values := []string{"", "W1", "W2", "no longer needed", "he says so", "W1 it is", "count"}
	rapid.Check(t, func(t *rapid.T) {
		said := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 8).Draw(t, "said"), " ")
		own, always := reply.Own(said, rapid.SampledFrom(values).Draw(t, "value"))
		other, _ := reply.Own(said, rapid.SampledFrom(values).Draw(t, "other"))
		if always && own != other {
			t.Errorf("%q or %q", own, other)
		}
	})
}
