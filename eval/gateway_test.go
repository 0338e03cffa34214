package eval_test

import (
	"testing"

	"github.com/remit-project/remit/eval"
	"github.com/remit-project/remit/store/storetest"
)

// The gateway is measured over every store with every number of sessions, as
// many calls each way as were asked for, and each run says where its time goes.
func TestGateway(t *testing.T) {
	server := storetest.StartPostgres(t)
	r, err := eval.Gateway(t.Context(), eval.GatewayOptions{Dir: t.TempDir(), Postgres: server.Database(t), Sessions: []int{1, 3}, Calls: 7})
	if err != nil {
		t.Fatal(err)
	}
	if r.Sync <= 0 || len(r.Runs) != 6 {
		t.Fatalf("got %+v", r)
	}
	for i, run := range r.Runs {
		if want := []string{"memory", "sqlite", "postgres"}[i%3]; run.Store != want || run.Sessions != []int{1, 3}[i/3] {
			t.Errorf("run %d is of %s with %d sessions", i, run.Store, run.Sessions)
		}
		if run.Calls < 7 || run.Direct.P50 <= 0 || run.Direct.P99 < run.Direct.P50 || run.Gateway.P99 < run.Gateway.P50 || run.RatioP50 <= 0 {
			t.Errorf("run %d: %+v", i, run)
		}
		stages := 7
		if run.Store == "memory" {
			stages = 5
		}
		if len(run.Stages) != stages {
			t.Errorf("run %d has the stages %v", i, run.Stages)
		}
	}
}

// What can't be measured is refused before anything starts.
func TestGatewayRefuses(t *testing.T) {
	for name, o := range map[string]eval.GatewayOptions{
		"no calls":         {Sessions: []int{1}},
		"no sessions":      {Calls: 1},
		"none of sessions": {Calls: 1, Sessions: []int{0}},
		"a flood":          {Calls: 1, Sessions: []int{eval.MaxGatewaySessions + 1}},
		"no such folder":   {Calls: 1, Sessions: []int{1}, Dir: "/nowhere/at/all"},
		"no such server":   {Calls: 1, Sessions: []int{1}, Postgres: "postgres://x@127.0.0.1:1/x"},
	} {
		if r, err := eval.Gateway(t.Context(), o); err == nil {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}
