package proxy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/remit-project/remit/internal/mcp/mcptest"
	"github.com/remit-project/remit/internal/proxy"
)

// answered is an answer as an SDK understood it.
type answered struct {
	Text, Finish, Error string
	Calls               [][2]any
	Usage               int
}

// replies are those of the upstream in an exchange.
func replies(t *testing.T, exchange string) []reply {
	data, err := os.ReadFile(filepath.Join("testdata", "exchanges", exchange+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var out []reply
	for _, f := range txtar.Parse(data).Files {
		if strings.HasPrefix(f.Name, "upstream ") {
			out = append(out, scripted(t, f))
		}
	}
	return out
}

// runSDK lets the agent on a Python SDK talk to an upstream that answers by a script.
func runSDK(t *testing.T, sdks *mcptest.Agent, script []reply, api string, stream, picture bool) []answered {
	t.Helper()
	u := newUpstream(t, script...)
	base := newProxy(t, u, func(o *proxy.Options) { o.Retries = 1 }).URL
	var got []answered
	sdks.Run(t, map[string]any{"base": base, "api": api, "stream": stream, "picture": picture}, &got)
	if n := u.count(); n != len(script) {
		t.Errorf("the upstream was asked %d times, want %d", n, len(script))
	}
	return got
}

// TestPythonSDKs has the official SDKs as clients: what they make of an answer
// that took several tries is one answer, and what they send back goes on from it.
func TestPythonSDKs(t *testing.T) {
	sdks := mcptest.Python(t, agentScript("client.py")).StartAgent(t)
	for _, api := range []string{"chat", "messages", "responses"} {
		for _, test := range sdkTests(api) {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s picture=%t stream=%t", api, test.exchange, test.picture, stream), func(t *testing.T) {
					exchange := api + "-" + test.exchange
					if stream {
						exchange += "-stream"
					}
					script := replies(t, exchange)
					test.check(t, runSDK(t, sdks, script[:min(len(script), test.tries)], api, stream, test.picture))
				})
			}
		}
		t.Run(api+" errors", func(t *testing.T) {
			limited := reply{status: 429, kind: "application/json", body: `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, header: map[string][]string{"Retry-After": {"0"}}}
			broken := reply{status: 200, kind: "text/event-stream", cut: true, body: strings.Join(strings.SplitAfter(replies(t, api+"-retry-stream")[0].body, "\n\n")[:3], "")}
			if got := runSDK(t, sdks, []reply{limited, limited}, api, false, false); len(got) != 1 || got[0].Error != "RateLimitError" {
				t.Errorf("a limit came as %+v", got)
			}
			if got := runSDK(t, sdks, append([]reply{limited}, replies(t, api+"-exhausted")...), api, false, false); len(got) != 2 || got[1].Error != "" {
				t.Errorf("after a limit: %+v", got)
			}
			if got := runSDK(t, sdks, []reply{broken}, api, true, false); len(got) != 1 || got[0].Error == "" {
				t.Errorf("a stream that broke off came as %+v", got)
			}
		})
	}
}

// sdkTest is an exchange with what an SDK makes of it.
type sdkTest struct {
	exchange string
	picture  bool
	tries    int
	want     []answered
}

func sdkTests(api string) []sdkTest {
	read := [2]any{"read_page", map[string]any{"url": "https://news.example/today"}}
	bob := [2]any{"send_email", map[string]any{"to": "bob@corp.example", "body": "The bridge is open again."}}
	finish := map[string][2]string{"chat": {"tool_calls", "stop"}, "messages": {"tool_use", "end_turn"}, "responses": {"completed", "completed"}}
	const denied, question = "The call of send_email was held back until a person confirms it.", "Remit asks you before this is done."
	asked, ended := finish[api][0], finish[api][1]
	first := answered{Text: "Let me read it.", Finish: asked, Calls: [][2]any{read}, Usage: 15}
	return []sdkTest{
		{"retry", false, 3, []answered{first, {Text: "To Bob, then.", Finish: asked, Calls: [][2]any{bob}, Usage: 66}}},
		{"retry", true, 3, []answered{first, {Text: "To Bob, then.", Finish: asked, Calls: [][2]any{bob}, Usage: 66}}},
		{"exhausted", false, 3, []answered{first, {Text: question, Finish: ended, Usage: 66}}},
		{"partial", false, 2, []answered{first, {Text: denied, Finish: asked, Calls: [][2]any{bob}, Usage: 27}}},
	}
}

func (test *sdkTest) check(t *testing.T, got []answered) {
	t.Helper()
	for i := range got {
		// Streams have what was said before the last try, too.
		if i < len(test.want) && strings.Contains(got[i].Text, test.want[i].Text) {
			got[i].Text = test.want[i].Text
		}
		if len(got[i].Calls) == 0 {
			got[i].Calls = nil
		}
	}
	if diff := cmp.Diff(test.want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
