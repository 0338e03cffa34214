package console

import (
	"bufio"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// writers append decisions to sessions of their own as fast as they can, until stop is
// closed. It returns how long each append took, once all have ended.
func (s *site) writers(n int, stop <-chan struct{}) func() []time.Duration {
	var all sync.WaitGroup
	took := make([][]time.Duration, n)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for w := range n {
		all.Go(func() {
			id := fmt.Sprintf("busy-%03d", w)
			for i := int64(0); ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				call := fmt.Sprintf("c%d", i)
				err := s.store.Append(s.t.Context(), id, i, store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: call}, Verdict: remit.Allow},
					Decision: &remit.Decision{Session: id, Call: call, Tool: "send_message", Verdict: remit.Allow}})
				if err != nil {
					s.t.Error(err)
					return
				}
				took[w] = append(took[w], time.Since(began))
			}
		})
	}
	return func() []time.Duration {
		all.Wait()
		return slices.Concat(took...)
	}
}

// watcher follows a stream as a page does. Its events say that the list of sessions has
// changed.
type watcher struct {
	events atomic.Int64
	gap    atomic.Int64 // the longest time between two of them
}

// watch follows the stream of one person until stop is closed.
func (c *client) watch(all *sync.WaitGroup, stop <-chan struct{}) *watcher {
	c.s.t.Helper()
	req, err := http.NewRequestWithContext(c.s.t.Context(), "GET", c.s.url("live?topic=inbox&topic=sessions"), nil)
	must(c.s.t, err)
	req.Header.Set("Cookie", c.cookie)
	res, err := http.DefaultClient.Do(req)
	must(c.s.t, err)
	w := &watcher{}
	all.Go(func() {
		<-stop
		res.Body.Close()
	})
	all.Go(func() {
		last := time.Now()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if !strings.HasSuffix(lines.Text(), " sessions") {
				continue
			}
			now := time.Now()
			w.gap.Store(max(w.gap.Load(), int64(now.Sub(last))))
			last = now
			w.events.Add(1)
		}
	})
	return w
}

// heap is how much memory is in use.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// BenchmarkWatched measures pages and writes while 200 sessions write as fast as they can and 20
// people follow a stream and read pages: how long both take, the longest time for which a stream
// was silent, and what memory is in use at the beginning and the end.
func BenchmarkWatched(b *testing.B) {
	s := newSite(b)
	const sessions, people = 200, 20
	stop := make(chan struct{})
	wrote := s.writers(sessions, stop)
	var all sync.WaitGroup
	clients, watchers := make([]*client, people), make([]*watcher, people)
	for i := range people {
		clients[i], _ = s.signedIn(everything(fmt.Sprintf("person-%d", i)))
		watchers[i] = clients[i].watch(&all, stop)
	}
	before := heap()

	var read []time.Duration
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		path := []string{"inbox", "sessions", "session?id=busy-007&from=last", "overview?last=hour", "sessions?text=nowhere"}[i%5]
		if status, _ := clients[i%people].do("GET", path, ""); status != 200 {
			b.Fatalf("%s: %d", path, status)
		}
		read = append(read, time.Since(began))
	}
	b.StopTimer()
	after := heap()
	close(stop)
	all.Wait()
	written := wrote()

	percentile := func(list []time.Duration, n int) float64 {
		slices.Sort(list)
		return float64(list[len(list)*n/100].Microseconds()) / 1000
	}
	for _, n := range []int{50, 99} {
		b.ReportMetric(percentile(read, n), fmt.Sprintf("page-p%d-ms", n))
		b.ReportMetric(percentile(written, n), fmt.Sprintf("write-p%d-ms", n))
	}
	silent, fewest := time.Duration(0), int64(1<<62)
	for _, w := range watchers {
		silent, fewest = max(silent, time.Duration(w.gap.Load())), min(fewest, w.events.Load())
	}
	b.ReportMetric(float64(silent.Milliseconds()), "silent-ms")
	b.ReportMetric(float64(fewest), "events-each")
	b.ReportMetric(float64(len(written)), "writes")
	b.ReportMetric(before, "heap-begin-MB")
	b.ReportMetric(after, "heap-end-MB")
}
