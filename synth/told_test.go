package synth

import (
	"testing"
)

func TestToldArguments(t *testing.T) {
	text := "Searches the tree.\n\n    Args:\n        instance: Base URL of the server that is asked.\n        - `query` (str): What to look for.\n        Note that: this is none.\n        instance: said again.\n"
	told := toldOf(text)
	for name, want := range map[string]string{"instance": "Base URL of the server that is asked.", "query": "What to look for.", "that": ""} {
		if told[name] != want {
			t.Errorf("%s: got %q, want %q", name, told[name], want)
		}
	}
}

func TestTurnOfAnIDIsNoWord(t *testing.T) {
	for name, want := range map[string]string{"contact_id_a": "id", "contact_id_2": "id", "point_a": "a", "id": "id"} {
		words := builtin().withoutTurn(builtin().split(name))
		if got := last(words); got != want {
			t.Errorf("%s: ends in %q, want %q", name, got, want)
		}
	}
}
