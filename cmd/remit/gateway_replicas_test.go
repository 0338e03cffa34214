package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/storetest"
)

// TestGatewayReplicas spreads the calls of conversations at random over two
// gateways on one store: each is decided, for the same reasons, as when one
// gateway has them all. The conversations go on at the same time.
func TestGatewayReplicas(t *testing.T) {
	t.Run("postgres", func(t *testing.T) { replicas(t, storetest.StartPostgres(t).Database(t)) })
	t.Run("jetstream", func(t *testing.T) { replicas(t, storetest.StartJetStream(t, false).Stream()) })
}

func replicas(t *testing.T, shared string) {
	const conversations = 6
	program := program(t, "remit")
	d := newDesk(t)
	alone, both := d.configure(t, filepath.Join(t.TempDir(), "remit.db")), d.configure(t, shared)
	var gateways [3]*gatewayProcess
	for i, config := range []string{alone, both, both} {
		gateways[i] = startGateway(t, program, config)
		defer gateways[i].end(t)
	}
	var work sync.WaitGroup
	for i := range conversations {
		work.Go(func() {
			r := rand.New(rand.NewPCG(5, uint64(i)))
			script := deskScript(r, 25)
			token := fmt.Sprintf("conversation-%d-over-two-gateways", i)
			want, err := follow(t.Context(), script, token, func() int { return 0 }, gateways[:1])
			if err != nil {
				t.Error(err)
				return
			}
			got, err := follow(t.Context(), script, token, func() int { return r.IntN(2) }, gateways[1:])
			if err != nil {
				t.Error(err)
				return
			}
			for n, step := range script {
				if got[n] != want[n] {
					t.Errorf("conversation %d, call %d, %+v: two gateways say\n%s\none says\n%s", i, n, step, got[n], want[n])
				}
			}
			if !slices.ContainsFunc(want, func(s string) bool { return s == "allow" }) || !slices.ContainsFunc(want, func(s string) bool { return s != "allow" }) {
				t.Errorf("conversation %d has calls of one kind only: %v", i, want)
			}
		})
	}
	work.Wait()
}

// deskStep is a call of a script.
type deskStep struct {
	tool string
	call deskCall
}

// deskScript makes calls that depend on what was read before: ids that were
// read, that will be, and that never are, recipients that a mail named, and the
// same call again.
func deskScript(r *rand.Rand, n int) []deskStep {
	var list []deskStep
	for i := range n {
		c := deskCall{N: fmt.Sprint("n", i)}
		some := mailOf(fmt.Sprint("n", r.IntN(n))).ID
		switch r.IntN(6) {
		case 0, 1:
			list = append(list, deskStep{"read", c})
		case 2, 3:
			c.ID = some
			list = append(list, deskStep{"open", c})
		case 4:
			c.To = []string{"eve@evil.example", "ann@corp.example", some}[r.IntN(3)]
			list = append(list, deskStep{"send", c})
		default:
			list = append(list, deskStep{"open", deskCall{N: c.N, ID: "thread-unknown"}})
		}
	}
	return list
}

// follow makes the calls of a script one after the other, each by one of the
// gateways, and returns what was decided on each: its reasons, or "allow".
func follow(ctx context.Context, script []deskStep, token string, pick func() int, gateways []*gatewayProcess) ([]string, error) {
	clients := make([]*sdk.ClientSession, len(gateways))
	for i, g := range gateways {
		s, err := g.connect(ctx, token)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		clients[i] = s
	}
	var out []string
	for _, step := range script {
		r, err := clients[pick()].CallTool(ctx, &sdk.CallToolParams{Name: step.tool, Arguments: step.call})
		if err != nil {
			return nil, err
		}
		reasons, err := reasonsOf(r)
		if err != nil {
			return nil, err
		}
		out = append(out, reasons)
	}
	return out, nil
}

// reasonsOf is what a result says of why its call was stopped.
func reasonsOf(r *sdk.CallToolResult) (string, error) {
	if !r.IsError {
		return "allow", nil
	}
	data, err := json.Marshal(r.Meta["dev.remit/decision"])
	if err != nil {
		return "", err
	}
	var d struct {
		Verdict string `json:"verdict"`
		Reasons []struct {
			Code, Path, Verdict, Message string
		} `json:"reasons"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return "", err
	}
	out := []string{d.Verdict}
	for _, reason := range d.Reasons {
		out = append(out, fmt.Sprintf("%s %s %s: %s", reason.Verdict, reason.Code, reason.Path, reason.Message))
	}
	return callIDs.ReplaceAllString(strings.Join(out, "\n"), "result:CALL"), nil
}

// callIDs are random.
var callIDs = regexp.MustCompile(`result:m[0-9A-Z]+`)
