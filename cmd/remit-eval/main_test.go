package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/remit-project/remit/internal/command/commandtest"
)

// TestMain lets the scripts run the real program, which is this one.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"remit-eval": main})
}

func TestScripts(t *testing.T) { commandtest.Scripts(t) }
