package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/remit-project/remit/internal/command/commandtest"
)

// TestMain lets the scripts run the real program, and an MCP server, which are
// this one.
func TestMain(m *testing.M) {
	if os.Getenv("REMIT_TEST_SERVER") != "" {
		testServer()
		return
	}
	testscript.Main(m, map[string]func(){"remit": main, "test-server": testServer})
}

func TestScripts(t *testing.T) { commandtest.Scripts(t) }

// Measurements are not in the product: their code and their data would be most of
// what users download for nothing.
func TestTheProductDoesNotMeasure(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("remit/internal/eval")) {
		t.Error("cmd/remit depends on internal/eval: what measures belongs to cmd/remit-eval")
	}
}
