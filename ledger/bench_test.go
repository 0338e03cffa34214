package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/ledger"
)

// BenchmarkDecide times a durable decision, from the proposed call to the
// commit on the disk, beside one that is nowhere written: P50 and P99 in
// microseconds, with sessions at the same time.
func BenchmarkDecide(b *testing.B) {
	m, err := monitorOf(contracts, remit.Options{})
	must(b, err)
	b.Run("memory", func(b *testing.B) {
		s := m.Session("s")
		n := 0
		times(b, 1, func(int) error {
			n++
			if n%benchCalls == 0 {
				s = m.Session("s")
			}
			_, err := s.Decide(context.Background(), benchCall(n))
			return err
		})
	})
	// What a commit can't be quicker than: as much as a decision takes in the
	// store, appended to a file and synced.
	b.Run("disk", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "log"))
		must(b, err)
		page := make([]byte, 16<<10)
		times(b, 1, func(int) error {
			_, err := f.Write(page)
			return errors.Join(err, f.Sync())
		})
		must(b, f.Close())
	})
	server := storetest.StartPostgres(b, "fsync=on")
	for _, sessions := range []int{1, 16, 128} {
		for _, kind := range []string{"sqlite", "postgres"} {
			b.Run(kind+"/sessions="+strconv.Itoa(sessions), func(b *testing.B) {
				name := ""
				if kind == "sqlite" {
					name = sqlite(b)
				} else {
					name = server.Database(b)
				}
				l := ledger.New(open(b, name), ledger.Options{})
				list := make([]*ledger.Session, sessions)
				counts := make([]int, sessions)
				times(b, sessions, func(w int) (err error) {
					if counts[w]%benchCalls == 0 {
						if list[w], err = l.Open(context.Background(), m, fmt.Sprintf("%d-%d", w, counts[w])); err != nil {
							return err
						}
					}
					counts[w]++
					_, err = list[w].Decide(context.Background(), benchCall(counts[w]))
					return err
				})
			})
		}
	}
}

// BenchmarkDurable times a decision that is on the disk when it returns, in SQLite, as a
// multiple of its floor: the same decision that is nowhere written, and one sync of a file.
// The three take turns, so that all have the same machine, and medians are compared.
func BenchmarkDurable(b *testing.B) {
	m, err := monitorOf(contracts, remit.Options{})
	must(b, err)
	l := ledger.New(open(b, sqlite(b)), ledger.Options{})
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	must(b, err)
	page := make([]byte, 16<<10)

	var direct *remit.Session
	var durable *ledger.Session
	took := [3][]time.Duration{}
	n := 0
	for b.Loop() {
		if n%benchCalls == 0 {
			direct = m.Session("s")
			durable, err = l.Open(b.Context(), m, strconv.Itoa(n))
			must(b, err)
		}
		n++
		for i, step := range [...]func() error{
			func() error { _, err := direct.Decide(b.Context(), benchCall(n)); return err },
			func() error { _, err := f.Write(page); return errors.Join(err, f.Sync()) },
			func() error { _, err := durable.Decide(b.Context(), benchCall(n)); return err },
		} {
			began := time.Now()
			must(b, step())
			took[i] = append(took[i], time.Since(began))
		}
	}
	must(b, f.Close())

	middle := [3]time.Duration{}
	for i, all := range took {
		slices.Sort(all)
		middle[i] = all[len(all)/2]
	}
	b.ReportMetric(float64(middle[2])/float64(middle[0]+middle[1]), "floors")
	b.ReportMetric(float64(middle[2].Microseconds()), "p50-µs")
}

// benchCalls is how many calls a session has: what a long task takes.
const benchCalls = 100

func benchCall(n int) remit.Call {
	return remit.Call{ID: strconv.Itoa(n), Tool: "send", Arguments: json.RawMessage(`{"to":"ann@corp.example","day":"2026-03-03","text":"The meeting is at ten, in the small room."}`)}
}

// times runs steps in as many goroutines as there are sessions and reports how
// long they took.
func times(b *testing.B, sessions int, f func(session int) error) {
	took := make([][]time.Duration, sessions)
	var wg sync.WaitGroup
	b.ResetTimer()
	for w := range sessions {
		n := b.N / sessions
		if w < b.N%sessions {
			n++
		}
		wg.Go(func() {
			for range n {
				began := time.Now()
				if err := f(w); err != nil {
					b.Error(err)
					return
				}
				took[w] = append(took[w], time.Since(began))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	if len(all) == 0 {
		return
	}
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
}
