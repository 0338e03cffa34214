package store

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/remit-project/remit"
)

// BenchmarkAuditLog makes an audit log of so many entries as the benchmark has rounds, exports
// it, verifies the export and then the store. For a log of a million entries:
//
//	go test -run '^$' -bench AuditLog -benchtime 1000000x -timeout 2h ./store
//
// It reports what an entry takes, and how much of Go's memory is in use at most.
func BenchmarkAuditLog(b *testing.B) {
	name := filepath.Join(b.TempDir(), "remit.db")
	st, err := Open(b.Context(), name, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := st.Close(); err != nil {
			b.Error(err)
		}
	})
	began := time.Now()
	benchLog(b, st, b.N)
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(b.N), "file-B/entry")

	entries, bytes, most := 0, 0, uint64(0)
	step := func(what string, f func() error) {
		b.Logf("after %s %s begins, %d entries", time.Since(began).Round(time.Second), what, b.N)
		start := time.Now()
		entries = 0
		if err := f(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(entries)/time.Since(start).Seconds(), what+"/s")
	}
	seen := func(l Line) {
		bytes += len(l.Entry) + len(l.Hash)*2
		if entries++; entries%100_000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}

	step("exported", func() error {
		for l, err := range st.Export(b.Context()) {
			if err != nil {
				return err
			}
			seen(l)
		}
		return nil
	})
	b.ReportMetric(float64(bytes)/float64(entries), "line-B/entry")
	step("lines-verified", func() error {
		r, err := VerifyLines(func(yield func(Line, error) bool) {
			st.Export(b.Context())(func(l Line, err error) bool { seen(l); return yield(l, err) })
		})
		return sound(r, err)
	})
	step("verified", func() error {
		r, err := st.VerifyFrom(b.Context(), Progress{}, func(Progress) error { seen(Line{}); return nil })
		if err == nil {
			entries = int(r.Entries)
		}
		return sound(r, err)
	})
	b.ReportMetric(float64(most)/(1<<20), "heap-MiB")
}

func sound(r *Report, err error) error {
	if err == nil && !r.OK() {
		err = fmt.Errorf("%v", r.Problems)
	}
	return err
}

// benchLog writes sessions of forty turns of the user and of the model. Events that decide
// nothing are the quickest to write, and their entries are as long as others.
func benchLog(b *testing.B, st Store, entries int) {
	b.Helper()
	const events = 80
	say := [...]remit.Event{
		{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: "Please send the report to ann@corp.example."},
		{Kind: remit.AssistantEvent, Time: time.Unix(0, 0), Text: "I have sent it."},
	}
	for n := 0; n < entries; n += events {
		list := make([]Record, min(events, entries-n))
		for i := range list {
			list[i] = Record{Event: say[i%len(say)]}
		}
		if err := st.AppendRelaxed(b.Context(), fmt.Sprintf("session-%08d", n/events), 0, list...); err != nil {
			b.Fatal(err)
		}
	}
}
