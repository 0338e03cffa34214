package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAirlineExample runs the command that the README of examples/airline begins with, as it is
// there. One cancellation is denied by the policy, and the other is allowed.
func TestAirlineExample(t *testing.T) {
	readme, err := os.ReadFile("../../examples/airline/README.md")
	must(t, err)
	_, block, _ := strings.Cut(string(readme), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	words := strings.Fields(strings.ReplaceAll(block, "\\\n", " "))
	if len(words) < 3 || words[0] != "remit" || words[1] != "replay" {
		t.Fatalf("the README begins with another command: %q", block)
	}

	cmd := exec.Command(program(t, "remit"), words[1:]...)
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	must(t, err)
	for _, want := range []string{
		"deny   cancel_reservation",
		"why: Only these can be cancelled:",
		`reservation.cabin = "basic_economy"`,
		"cancel_reservation            2       1       0       1",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}
