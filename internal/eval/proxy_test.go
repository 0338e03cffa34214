package eval_test

import (
	"testing"

	"github.com/remit-project/remit/internal/eval"
)

// Each length is measured both ways, as often as was asked for at least, and many
// conversations go on, each with a decision.
func TestProxy(t *testing.T) {
	r, err := eval.Proxy(t.Context(), eval.ProxyOptions{Lengths: []int{2000, 20_000}, Requests: eval.ProxyLeast, Sessions: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Lengths) != 2 || r.Many == nil {
		t.Fatalf("got %+v", r)
	}
	for _, l := range r.Lengths {
		for name, times := range map[string]eval.ProxyTimes{"first": l.First, "following": l.Following, "first token": l.FirstToken} {
			if times.Requests < eval.ProxyLeast || times.Direct.P50 <= 0 || times.Proxy.P50 <= 0 || times.RatioP50 <= 0 {
				t.Errorf("%d bytes, %s: %+v", l.Bytes, name, times)
			}
		}
	}
	if r.Many.Sessions != 5 || r.Many.Decision.P50 <= 0 || r.Many.Request.P50 <= 0 {
		t.Errorf("many: %+v", r.Many)
	}
	if _, err := eval.Proxy(t.Context(), eval.ProxyOptions{Requests: 1}); err == nil {
		t.Error("one request was taken for a measurement")
	}
}
