package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxInit bounds what a package of Remit allocates before main, in bytes. The largest, mention, has
// 8 kB of small tables.
const maxInit = 12 << 10

// initOf is a line of GODEBUG=inittrace=1 about a package of Remit's that other packages import.
var initOf = regexp.MustCompile(`(?m)^init (github\.com/remit-project/remit(?:/[a-z]+)*) .* (\d+) bytes, \d+ allocs$`)

// TestStart holds packages to making tables when they are first used: hooks start the program for
// every event, and few events need them.
func TestStart(t *testing.T) {
	c := exec.Command(program(t, "remit"), "version")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var traced bytes.Buffer
	c.Stderr = &traced
	must(t, c.Run())

	packages := initOf.FindAllStringSubmatch(traced.String(), -1)
	if len(packages) < 10 {
		t.Fatalf("there is no trace of packages:\n%s", &traced)
	}
	for _, p := range packages {
		allocated, err := strconv.Atoi(p[2])
		must(t, err)
		ofTests := strings.HasSuffix(p[1], "test") || strings.HasSuffix(p[1], "cmd/remit")
		if allocated > maxInit && !ofTests {
			t.Errorf("%s allocates %d bytes before main: make what isn't always needed with sync.OnceValue", p[1], allocated)
		}
	}
}
