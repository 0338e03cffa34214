package proxy_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// longTalk is a conversation of some bytes: questions, and results of calls of a few kilobytes.
func longTalk(bytes int) []string {
	var turns []string
	size := 0
	for i := 0; size < bytes; i++ {
		id := fmt.Sprintf("c%d", i)
		page, _ := json.Marshal(strings.Repeat(fmt.Sprintf("Line %d of the page says \"nothing\" much.\n", i), 100)) // a string has JSON
		for _, t := range []string{
			fmt.Sprintf(`{"role":"user","content":"Read page %d."}`, i), calls(id, "read_page", `{}`),
			fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, id, page), said("I have read it."),
		} {
			turns, size = append(turns, t), size+len(t)
		}
	}
	return turns
}

// BenchmarkFollowing is a request that goes on with a long conversation, from the body to
// the answer. It reports how often the time of the floor that is: checking that the body
// is JSON, and one hash of it.
func BenchmarkFollowing(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			m := &modelled{next: said("Here you are.")}
			h := direct(b, m, nil)
			turns := longTalk(size)
			body := func() string {
				turns = append(turns, `{"role":"user","content":"Go on."}`)
				return `{"model":"m","messages":[` + strings.Join(turns, ",") + `],"tools":[{"type":"function","function":{"name":"read_page","description":"Reads a page.","parameters":{"type":"object","properties":{}}}}]}`
			}
			ask := func(body string) {
				if w := handle(h, "/v1/chat/completions", body); w.Code != 200 {
					b.Fatalf("%d %.200s", w.Code, w.Body)
				}
				turns = append(turns, m.next)
			}
			ask(body())

			var sink [sha256.Size]byte
			var took, floor time.Duration
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				text := body()
				begun := time.Now()
				sink = sha256.Sum256([]byte(text))
				if !json.Valid([]byte(text)) {
					b.Fatal("no JSON")
				}
				floor += time.Since(begun)
				b.StartTimer()
				begun = time.Now()
				ask(text)
				took += time.Since(begun)
			}
			if sink == [sha256.Size]byte{} {
				b.Fatal("no hash")
			}
			b.ReportMetric(float64(took)/float64(floor), "floors")
		})
	}
}
