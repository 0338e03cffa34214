package console

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// BenchmarkWatched measures pages and writes while 200 sessions write as fast as they can
// and 20 people follow a stream and read pages.
func BenchmarkWatched(b *testing.B) {
	s := newSite(b)
	const writers, people = 200, 20
	stop := make(chan struct{})
	var all sync.WaitGroup
	var mu sync.Mutex
	var wrote []time.Duration
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for w := range writers {
		all.Go(func() {
			id := fmt.Sprintf("busy-%03d", w)
			for n := int64(0); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				call := fmt.Sprintf("c%d", n)
				err := s.store.Append(b.Context(), id, n, store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: call}, Verdict: remit.Allow},
					Decision: &remit.Decision{Session: id, Call: call, Tool: "send_message", Verdict: remit.Allow}})
				if err != nil {
					return
				}
				mu.Lock()
				wrote = append(wrote, time.Since(began))
				mu.Unlock()
			}
		})
	}

	clients := make([]*client, people)
	for i := range people {
		clients[i], _ = s.signedIn(everything(fmt.Sprintf("person-%d", i)))
		req, err := http.NewRequestWithContext(b.Context(), "GET", s.url("live?topic=inbox&topic=sessions"), nil)
		must(b, err)
		req.Header.Set("Cookie", clients[i].cookie)
		res, err := http.DefaultClient.Do(req)
		must(b, err)
		all.Go(func() {
			defer res.Body.Close()
			for lines := bufio.NewScanner(res.Body); lines.Scan() && !strings.HasPrefix(lines.Text(), "never"); {
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}

	var read []time.Duration
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		path := []string{"inbox", "sessions", "session?id=busy-007&from=last", "overview?last=hour"}[i%4]
		if status, _ := clients[i%people].do("GET", path, ""); status != 200 {
			b.Fatalf("%s: %d", path, status)
		}
		read = append(read, time.Since(began))
	}
	b.StopTimer()
	close(stop)
	all.Wait()
	percentile := func(list []time.Duration, n int) float64 {
		slices.Sort(list)
		return float64(list[len(list)*n/100].Microseconds()) / 1000
	}
	b.ReportMetric(percentile(read, 50), "page-p50-ms")
	b.ReportMetric(percentile(read, 99), "page-p99-ms")
	b.ReportMetric(percentile(wrote, 50), "write-p50-ms")
	b.ReportMetric(percentile(wrote, 99), "write-p99-ms")
	b.ReportMetric(float64(len(wrote)), "writes")
}
