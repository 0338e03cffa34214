package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

// BenchmarkAppend times durable appends of a kilobyte by stores that all wait for their
// disks, with sessions at the same time.
func BenchmarkAppend(b *testing.B) {
	postgres, one, three := storetest.StartPostgres(b, "fsync=on"), storetest.StartJetStream(b, true), storetest.StartCluster(b, 3)
	for i := range 3 {
		three.Ready(b.Context(), b, i)
	}
	for _, sessions := range []int{1, 16, 64} {
		for _, kind := range []struct {
			name    string
			address func() string
		}{
			{"sqlite", func() string { return filepath.Join(b.TempDir(), "remit.db") }},
			{"postgres", func() string { return postgres.Database(b) }},
			{"jetstream", one.Stream},
			{"jetstream-3-nodes", func() string { return three.Stream(0, fmt.Sprint("sessions", sessions)) }},
		} {
			b.Run(fmt.Sprintf("%s/sessions=%d", kind.name, sessions), func(b *testing.B) {
				ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
				defer cancel()
				st := eventually(ctx, b, func() (store.Store, error) { return store.Open(ctx, kind.address(), store.Options{}) })
				defer func() { must(b, st.Close()) }()
				appends(b, st, sessions)
			})
		}
	}
}

// appends appends by sessions at the same time.
func appends(b *testing.B, st store.Store, sessions int) {
	record := store.Record{Event: remit.Event{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: strings.Repeat("x", 1<<10)}}
	var work sync.WaitGroup
	run := fmt.Sprint("n", b.N)
	for w := range sessions {
		must(b, st.Append(b.Context(), fmt.Sprint(run, "-", w), 0, record))
	}
	b.ResetTimer()
	for w := range sessions {
		n := b.N / sessions
		if w < b.N%sessions {
			n++
		}
		work.Go(func() {
			for i := range n {
				if err := st.Append(b.Context(), fmt.Sprint(run, "-", w), int64(i+1), record); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}
