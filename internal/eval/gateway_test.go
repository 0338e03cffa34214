package eval_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/remit-project/remit/internal/eval"
	"github.com/remit-project/remit/internal/storetest"
)

// serveNotes as the first argument makes this program the server that is called
// over stdio.
const serveNotes = "serve-notes"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveNotes {
		if err := eval.GatewayServer(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The gateway is measured over every store with every number of sessions, as
// many calls each way as were asked for, and each run says where its time goes.
func TestGateway(t *testing.T) {
	postgres := storetest.StartPostgres(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Gateway(t.Context(), eval.GatewayOptions{Dir: t.TempDir(), Postgres: postgres.Database(t),
		Server: []string{self, serveNotes}, Sessions: []int{1, 3}, Calls: 7})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"stdio memory 1", "stdio sqlite 1", "stdio postgres 1", "http memory 1", "http sqlite 1", "http postgres 1", "http memory 3", "http sqlite 3", "http postgres 3"}
	if r.Sync <= 0 || len(r.Runs) != len(want) {
		t.Fatalf("got %+v", r)
	}
	for i, run := range r.Runs {
		if got := fmt.Sprint(run.Transport, " ", run.Store, " ", run.Sessions); got != want[i] {
			t.Errorf("run %d is %s, want %s", i, got, want[i])
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
		for _, s := range run.Stages {
			if s.Time <= 0 {
				t.Errorf("run %d: %s takes %s", i, s.Name, s.Time)
			}
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
