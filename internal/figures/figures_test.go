package figures_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/figures"
	"github.com/remit-project/remit/store"
)

// Each kind of reason counts once a call, and what shadow mode let run is counted apart.
func TestCauses(t *testing.T) {
	stopped := func(tool string, verdict remit.Verdict, shadow bool, codes ...remit.Code) store.Record {
		d := &remit.Decision{Server: "mail", Tool: tool, Verdict: verdict}
		for _, c := range codes {
			d.Reasons = append(d.Reasons, remit.Reason{Code: c})
		}
		return store.Record{Decision: d, Shadow: shadow}
	}
	kinds, tools := figures.Causes([]store.Record{
		stopped("send", remit.Ask, false, remit.BelowFloor, remit.BelowFloor, remit.Unprovoked),
		stopped("send", remit.Deny, true, remit.BelowFloor),
		stopped("delete", remit.Deny, false, remit.BelowFloor),
	})
	want := fmt.Sprintf("[{{0 1 1 1}   %s} {{0 1 0 0}   %s}]", remit.BelowFloor, remit.Unprovoked)
	if got := fmt.Sprint(kinds); got != want {
		t.Errorf("by kind: %s, want %s", got, want)
	}
	want = fmt.Sprintf("[{{0 1 0 1} mail send %s} {{0 0 1 0} mail delete %s} {{0 1 0 0} mail send %s}]", remit.BelowFloor, remit.BelowFloor, remit.Unprovoked)
	if got := fmt.Sprint(tools); got != want {
		t.Errorf("by tool: %s, want %s", got, want)
	}
}

// Half of the people took at most the one figure, and all but five in a hundred the other;
// questions without an answer took no time.
func TestWaits(t *testing.T) {
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var list []store.Waited
	for i := range 20 {
		list = append(list, store.Waited{State: store.Denied, Created: at, Settled: at.Add(time.Duration(i) * time.Second)})
	}
	list = append(list, store.Waited{State: store.Expired, Created: at, Settled: at.Add(time.Hour)}, store.Waited{State: store.Cancelled, Created: at, Settled: at.Add(time.Hour)})
	if got := figures.WaitsOf(list); got.Answered != 20 || got.Approved != 0 || got.Expired != 1 || got.Half != 10*time.Second || got.Most != 19*time.Second {
		t.Errorf("got %+v", got)
	}
}

// Half of the decisions take at most the one figure, and all but one in a hundred the other.
func TestTimesOfDecisions(t *testing.T) {
	var list []time.Duration
	for i := range 200 {
		list = append(list, time.Duration(200-i)*100*time.Microsecond)
	}
	if got := figures.TookOf(list); got.Half != 10100*time.Microsecond || got.Most != 19900*time.Microsecond {
		t.Errorf("got %+v", got)
	}
	if got := figures.TookOf(nil); got.Half != 0 || got.Most != 0 {
		t.Errorf("of none: %+v", got)
	}
}
