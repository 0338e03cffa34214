package eval

import (
	"math"
	"testing"
	"time"
)

// TestLoad simulates machines of which one can say by hand what they do.
func TestLoad(t *testing.T) {
	m := LoadModel{Cores: 2, Decide: time.Millisecond, Each: time.Millisecond, Sync: 8 * time.Millisecond, Batch: 64}
	for _, c := range []struct {
		what      string
		load      Load
		perSecond float64
	}{
		{"one session waits for all of it", m.Closed(1, 1000), 100},
		// One half of them waits while the other half is committed.
		{"many sessions share the sync", LoadModel{Cores: 2, Each: time.Millisecond, Sync: 8 * time.Millisecond, Batch: 64}.Closed(64, 10_000), 1000 * 64.0 / (64 + 8 + 8)},
		{"batches are bounded", LoadModel{Cores: 2, Each: time.Millisecond, Sync: 7 * time.Millisecond, Batch: 1}.Closed(64, 1000), 125},
		{"commits wait side by side", LoadModel{Cores: 2, Sync: 8 * time.Millisecond, Batch: 1, Commits: 8}.Closed(4, 1000), 500},
		{"as many as there may be", LoadModel{Cores: 2, Sync: 8 * time.Millisecond, Batch: 1, Commits: 8}.Closed(64, 10_000), 1000},
		{"no more than come get through", m.Open(20, 10_000), 20},
		{"no more than can get through", LoadModel{Cores: 1, Decide: 2 * time.Millisecond, Batch: 1}.Open(5000, 10_000), 500},
	} {
		if math.Abs(c.load.PerSecond/c.perSecond-1) > 0.05 {
			t.Errorf("%s: %.1f steps a second, want %.1f", c.what, c.load.PerSecond, c.perSecond)
		}
	}
	if got := m.Open(1, 1000); got.P50 != 10*time.Millisecond {
		t.Errorf("a step alone takes %s, want 10ms", got.P50)
	}
}

// TestCapacity ends a machine where its steps begin to wait.
func TestCapacity(t *testing.T) {
	m := LoadModel{Cores: 2, Decide: time.Millisecond, Each: time.Millisecond, Sync: 2 * time.Millisecond, Batch: 64}
	got := m.Capacity(ScaleBound)
	if m.Open(got*0.99, 20_000).P99 > ScaleBound || m.Open(got*1.1, 20_000).P99 <= ScaleBound {
		t.Errorf("P99 is %s at %.0f steps a second, %s a tenth above", m.Open(got*0.99, 20_000).P99, got, m.Open(got*1.1, 20_000).P99)
	}
	if hopeless := m.Capacity(time.Millisecond); hopeless > 1 {
		t.Errorf("a step takes 4ms, and %.1f a second end within 1ms", hopeless)
	}
}

// TestScaleFit measures simulated machines: what is fitted to two of their points predicts the
// others.
func TestScaleFit(t *testing.T) {
	for name, truth := range map[string]LoadModel{
		"the disk":  {Cores: 2, Decide: 100 * time.Microsecond, Each: 50 * time.Microsecond, Sync: 2 * time.Millisecond, Batch: 64},
		"the cores": {Cores: 2, Decide: 800 * time.Microsecond, Each: 400 * time.Microsecond, Sync: 200 * time.Microsecond, Batch: 64},
		"a server":  {Cores: 2, Decide: 100 * time.Microsecond, Each: 50 * time.Microsecond, Sync: 10 * time.Millisecond, Batch: 1, Commits: 8},
	} {
		measure := func(sessions int) steps {
			l := truth.Closed(sessions, scaleSteps)
			return steps{scaleSteps, time.Duration(scaleSteps / l.PerSecond * float64(time.Second)), scaleSteps * (truth.Decide + truth.Each)}
		}
		round := scaleRound{float64(truth.Cores), steps{scaleSteps, scaleSteps * truth.Decide, scaleSteps * truth.Decide}, map[int]steps{}, truth.Batch, truth.Commits}
		for _, n := range append(scaleFitted, scaleJudged...) {
			round.measured[n] = measure(n)
		}
		r := ScaleReport{Cores: truth.Cores}
		for _, p := range r.judged([]scaleRound{round}).Points {
			if math.Abs(p.Error) > 0.1 {
				t.Errorf("%s: %d sessions make %.0f steps a second, and %.0f are predicted", name, p.Sessions, p.Measured, p.Predicted)
			}
		}
	}
}

// TestScaleRefuses measures nothing in no time.
func TestScaleRefuses(t *testing.T) {
	for _, o := range []ScaleOptions{{}, {Rounds: 1}, {Time: time.Second}} {
		if _, err := Scale(t.Context(), o); err == nil {
			t.Errorf("%+v was measured", o)
		}
	}
}
