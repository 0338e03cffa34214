package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/eval"
	"github.com/remit-project/remit/internal/fleet"
)

// TestReplicasMeasured measures replicas as remit-eval does, shortly.
func TestReplicasMeasured(t *testing.T) {
	r, err := eval.Replicas(t.Context(), eval.ReplicasOptions{Program: program(t, "remit"), Store: filepath.Join(t.TempDir(), "remit.db"),
		Most: 2, Agents: 2, Rounds: 1, Time: time.Millisecond, Log: t.Output()})
	must(t, err)
	if len(r.Points) != 2 || r.Calls < 4 || r.Faults != (fleet.Faults{}) {
		t.Errorf("%+v", r)
	}
	for i, p := range r.Points {
		if p.Replicas != i+1 || p.PerSecond <= 0 || p.P50 > p.P99 || p.P50 <= 0 {
			t.Errorf("%+v", p)
		}
	}
}
