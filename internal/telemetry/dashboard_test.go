package telemetry_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/telemetry"
)

// The dashboard asks for metrics and labels that there are.
func TestDashboard(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "packaging", "grafana", "remit.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &board); err != nil {
		t.Fatal(err)
	}
	page := everything(t)

	asked := 0
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`[a-z]+(_[a-z]+)+`).FindAllString(target.Expr, -1) {
				if name == "histogram_quantile" || name == "rate_interval" {
					continue
				}
				asked++
				metric, label := "\n"+name+"{", name+`="`
				if !strings.Contains(page, metric) && !strings.Contains(page, label) && !strings.Contains(page, "\n"+name+" ") {
					t.Errorf("%s: there is no %s", target.Expr, name)
				}
			}
		}
	}
	if asked < len(board.Panels) {
		t.Errorf("%d names in %d panels", asked, len(board.Panels))
	}
}

// everything is the page of a recorder that was told everything.
func everything(t *testing.T) string {
	t.Helper()
	unset(t)
	r, end, err := telemetry.Start(t.Context(), telemetry.Options{Door: "gateway", Page: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, s := r.Serve(t.Context(), operation())
	s.Decided(decision(), "enforce", time.Millisecond)
	_, up := r.Request(ctx, operation())
	up.End("timeout")
	s.End("denied")
	r.Answered(ctx, "decide", 200, time.Millisecond)
	_, planned := r.Plan(ctx, "m")
	planned(false, 1, 1)
	defer r.Asked(ctx)()
	defer r.Connected(ctx)()

	page, err := r.Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return page
}
