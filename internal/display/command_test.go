package display_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/display"
)

// A shell reads the words of a command as they are.
func TestCommand(t *testing.T) {
	words := []string{"plain", "", "two words", "it's", "$HOME", "a;b", "*", "~/x", "-n", `back\slash`, "a=b", "new\nline"}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `for w in "$@"; do :; done; printf '%s|' `+display.Command(words...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(words, "|") + "|"; string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if got := display.Command("remit", "doctor", "--file", "sp ace/a.json"); got != "remit doctor --file 'sp ace/a.json'" {
		t.Error(got)
	}
}
