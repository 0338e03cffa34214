package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit"
)

// What is in a text, in any case, is found by its grams.
func TestGramsOfParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abAB äÄß\"\\世界\U0001f600\u202e%_")), 0, 40, -1).Draw(t, "text")
		runes := []rune(text)
		from := rapid.IntRange(0, len(runes)).Draw(t, "from")
		part := string(runes[from:rapid.IntRange(from, len(runes)).Draw(t, "to")])
		ascii := strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' {
				return r - 'a' + 'A'
			}
			return r
		}, part)
		all := grams{}
		all.add(text)
		for _, g := range append(asked(part), asked(ascii)...) {
			if _, ok := all[g]; !ok {
				t.Errorf("%q is in %q, and not by its grams", part, text)
			}
		}
	})
}

// Grams tell most texts apart, and a search asks for a bounded number of them.
func TestGramsDiffer(t *testing.T) {
	seen := map[gram]string{}
	same := 0
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			for c := ' '; c <= '@'; c++ {
				g := gramOf(a, b, c)
				if seen[g] != "" {
					same++
				}
				seen[g] = string([]rune{a, b, c})
			}
		}
	}
	if same > 3 {
		t.Errorf("%d of %d have the number of another", same, len(seen))
	}
	if n := len(asked(strings.Repeat("abcdefghijklmnopqrstuvwxyz0123456789", 9))); n != maxAsked {
		t.Errorf("%d are asked for", n)
	}
	for _, short := range []string{"", "a", "世"} {
		if asked(short) != nil {
			t.Errorf("%q has grams", short)
		}
	}
}

// What is pruned leaves nothing in the index.
func TestPrunedTextsAreForgotten(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	opened, err := Open(t.Context(), t.TempDir()+"/remit.db", Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	say := func(session string) {
		err := opened.Append(t.Context(), session, 0, Record{Event: remit.Event{Kind: remit.UserEvent, Text: "needle of " + session}})
		if err == nil {
			err = opened.Index(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pieces := func() (n int) {
		s := opened.(*database)
		q := &query{}
		q.add("SELECT (SELECT count(*) FROM texts) + count(*) FROM (")
		s.texts.match(q, asked("needle"))
		q.add(") found")
		if err := s.each(t.Context(), q, func(rows *sql.Rows) error { return rows.Scan(&n) }); err != nil {
			t.Fatal(err)
		}
		return n
	}

	say("old")
	now = now.Add(time.Hour)
	say("new")
	if n := pieces(); n != 4 {
		t.Errorf("two pieces are counted as %d", n)
	}
	if n, err := opened.Prune(t.Context(), now); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n := pieces(); n != 2 {
		t.Errorf("one piece is counted as %d", n)
	}
}

// BenchmarkAppendBesideIndex measures durable appends while the index of texts is built
// and while it isn't, in turns, and the ratio of both.
func BenchmarkAppendBesideIndex(b *testing.B) {
	opened, err := Open(b.Context(), b.TempDir()+"/remit.db", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer opened.Close()
	text := strings.Repeat("The orders of customer 4711 were sent to dana@harbourworks.example on Monday. ", 13)
	fill := func(name string, n int) {
		records := make([]Record, 64)
		for i := range records {
			records[i].Event = remit.Event{Kind: remit.AssistantEvent, Text: fmt.Sprint(name, i, text)}
		}
		for i := range n {
			if err := opened.Append(b.Context(), fmt.Sprintf("%s-%d", name, i), 0, records...); err != nil {
				b.Fatal(err)
			}
		}
	}
	var alone, beside []time.Duration
	appends := func(session string, more func(n int) bool) (out []time.Duration) {
		for i := 0; more(i); i++ {
			began := time.Now()
			if err := opened.Append(b.Context(), session, int64(i), Record{Event: remit.Event{Kind: remit.UserEvent, Text: text}}); err != nil {
				b.Fatal(err)
			}
			out = append(out, time.Since(began))
		}
		return out
	}
	var indexing time.Duration
	for i := 0; b.Loop(); i++ {
		fill(fmt.Sprint("fill-", i), 50)
		done := make(chan struct{})
		go func() {
			began := time.Now()
			if err := opened.Index(b.Context()); err != nil {
				b.Error(err)
			}
			indexing += time.Since(began)
			close(done)
		}()
		list := appends(fmt.Sprint("beside-", i), func(int) bool {
			select {
			case <-done:
				return false
			default:
				return true
			}
		})
		beside = append(beside, list...)
		alone = append(alone, appends(fmt.Sprint("alone-", i), func(n int) bool { return n < len(list) })...)
	}
	b.ReportMetric(float64(b.N*50*64*len(text))/indexing.Seconds()/1e6, "indexed-MB/s")
	b.ReportMetric(float64(len(beside)), "appends")
	for _, p := range []int{50, 99} {
		at := func(list []time.Duration) float64 {
			slices.Sort(list)
			return float64(list[len(list)*p/100].Microseconds())
		}
		b.ReportMetric(at(alone), fmt.Sprintf("alone-p%d-us", p))
		b.ReportMetric(at(beside), fmt.Sprintf("beside-p%d-us", p))
		b.ReportMetric(at(beside)/at(alone), fmt.Sprintf("ratio-p%d", p))
	}
}
