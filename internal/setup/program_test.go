package setup

import "testing"

// A program that go run removes when it ends is not what an agent starts later.
func TestTemporaryProgram(t *testing.T) {
	for exe, want := range map[string]bool{
		"/tmp/go-build3971636966/b001/exe/remit": true, "/usr/local/bin/remit": false, "/home/u/exe/remit": false,
		"/tmp/go-build3971636966/b001/remit.test": false, "/home/u/go-build/x/exe/bin/remit": false,
	} {
		if got := isTemporary(exe); got != want {
			t.Errorf("%s: %t", exe, got)
		}
	}
}
