package remit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/provenance/index"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// prose is text with the word frequencies of a language: few words often, many
// seldom.
func prose(seed uint64, size int) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	zipf := rand.NewZipf(rng, 1.1, 4, 20_000)
	var b strings.Builder
	b.Grow(size + 16)
	for b.Len() < size {
		n := zipf.Uint64()
		for range 2 + n%5 {
			b.WriteByte("etaoinshrdlucmfwypvbgkjqxz"[n%26])
			n = n*2862933555777941757 + 3037000493
		}
		b.WriteByte(' ')
	}
	return b.String()[:size]
}

// pages cuts a text into results.
func pages(text string, size int) (out []string) {
	for len(text) > size {
		out, text = append(out, text[:size]), text[size:]
	}
	return append(out, text)
}

// letters is the contract of a call with five arguments: two that say where it
// goes, two texts and a number.
const letters = `version: 1
server: letters
tools:
  inbox: {effect: read, output: {trust: EXTERNAL, fields: {"/*/thread": TOOL_OUTPUT}}}
  answer:
    effect: egress
    args:
      /to: {role: target, form: address, floor: USER}
      /thread: {role: selector, floor: EXTERNAL}
      /subject: {role: content}
      /body: {role: content}
      /priority: {role: control}
    output: {trust: TOOL_OUTPUT}
`

// library is a session that read the pages.
func library(b *testing.B, pages []string) *office {
	b.Helper()
	o := open(b, letters)
	o.User("Read my mail and thank ann@corp.example for it, with priority 3.")
	for _, p := range pages {
		o.reads(p)
	}
	return o
}

// refresh is how many calls a session decides before it is made again: what
// allowed calls write makes it grow.
const refresh = 5000

// floor is what a decision can't do without: reading the arguments, and looking each of
// them up in an index of what was read. Beside it an empty loop is timed, by which the noise
// of the machine is told from what a decision does.
type floor struct {
	read        *index.Index
	times, idle []time.Duration
}

const (
	// batch is how many calls are decided one after the other. They take a few milliseconds,
	// for which a busy machine is often left alone.
	batch = 100
	// every is how many calls are decided for some times of the floor. Most batches are
	// without that, since stopping the benchmark's clock stops the program.
	every = 4 * batch
	// floors are how many times of the floor are taken at once.
	floors = every / 20
)

func newFloor(pages []string) *floor {
	f := &floor{read: index.New(index.Options{})}
	for i, p := range pages {
		f.read.Append(uint32(i), p)
	}
	return f
}

func (f *floor) time(b *testing.B, arguments []string) {
	b.StopTimer()
	defer b.StartTimer()
	for i := range floors {
		fuel := index.DefaultFuel
		at := time.Now()
		doc, err := strictjson.Parse([]byte(arguments[i%len(arguments)]), strictjson.DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		for _, l := range doc.Leaves() {
			if found, _ := f.read.Some(l.Text, 4, &fuel); len(found) == 0 {
				f.read.Cover(l.Text, &fuel)
			}
		}
		f.times = append(f.times, time.Since(at))
	}

	n := uint64(len(f.idle))
	for range batch {
		at := time.Now()
		for range idleRounds {
			n = n*2862933555777941757 + 3037000493
		}
		f.idle = append(f.idle, time.Since(at))
	}
	runtime.KeepAlive(n)
}

// idleRounds take about as long as a decision does.
const idleRounds = 20_000

// tail is the time that one in a hundred takes longer than, in the batch in the middle: what
// is in fewer batches than half is an interruption.
func tail(times []time.Duration) time.Duration {
	var tails []time.Duration
	for part := range slices.Chunk(times, batch) {
		sorted := slices.Sorted(slices.Values(part))
		tails = append(tails, sorted[max(0, len(sorted)-1-batch/100)])
	}
	slices.Sort(tails)
	return tails[len(tails)/2]
}

// measure times whole decisions, from the arguments' text to the verdict, and
// reports their quantiles: one in a hundred is what an agent waits for. It reports how
// often the time of the floor the median is, measured in the same run.
func measure(b *testing.B, pages []string, arguments []string) {
	b.Helper()
	b.ReportAllocs()
	o, least := library(b, pages), newFloor(pages)
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		if i%refresh == refresh-1 {
			b.StopTimer()
			o = library(b, pages)
			b.StartTimer()
		}
		if i%every == 0 {
			least.time(b, arguments)
		}
		c := remit.Call{ID: strconv.Itoa(i), Tool: "answer", Arguments: json.RawMessage(arguments[i%len(arguments)])}
		at := time.Now()
		d, err := o.Decide(context.Background(), c)
		times = append(times, time.Since(at))
		if err != nil || d.Verdict == remit.Deny {
			b.Fatalf("%v, %v", d, err)
		}
	}

	b.ReportMetric(float64(tail(times).Nanoseconds()), "p99-ns")
	b.ReportMetric(float64(tail(least.times).Nanoseconds()), "floor-p99-ns")
	b.ReportMetric(float64(tail(least.idle).Nanoseconds()), "idle-p99-ns")
	slices.Sort(times)
	slices.Sort(least.times)
	slices.Sort(least.idle)
	b.ReportMetric(float64(times[len(times)/2])/float64(least.times[len(least.times)/2]), "floors")
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(least.times[len(least.times)/2].Nanoseconds()), "floor-p50-ns")
	b.ReportMetric(float64(least.idle[len(least.idle)/2].Nanoseconds()), "idle-p50-ns")
}

func answer(subject, body string) string {
	text, err := json.Marshal(map[string]any{"to": "ann@corp.example", "thread": "thread-4711", "subject": subject, "body": body, "priority": 3})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// short draws calls whose texts are pieces of what was read (hits) or of
// another text in the same words (misses).
func short(from string) (out []string) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		i, j := rng.IntN(len(from)-100), rng.IntN(len(from)-100)
		out = append(out, answer(from[i:i+16], from[j:j+48]))
	}
	return out
}

// BenchmarkDecide is the whole way of a call with five arguments and short
// values.
func BenchmarkDecide(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20, 10 << 20} {
		text := prose(1, size)
		for name, from := range map[string]string{"hit": text, "miss": prose(2, 1<<20)} {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, name), func(b *testing.B) { measure(b, pages(text, 8<<10), short(from)) })
		}
	}
}

// BenchmarkDecideLong is a call with one text of 100 KB.
func BenchmarkDecideLong(b *testing.B) {
	const long = 100 << 10
	for _, size := range []int{1 << 20, 10 << 20} {
		text := prose(1, size)
		for name, from := range map[string]string{"hit": text, "miss": prose(2, 1<<20)} {
			var calls []string
			for i := range 8 {
				calls = append(calls, answer("all of it", from[i*long:(i+1)*long]))
			}
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, name), func(b *testing.B) { measure(b, pages(text, 8<<10), calls) })
		}
	}
}

// BenchmarkDecideHostile is the same short call after a megabyte that was made
// to be searched slowly. Collisions of hashes can't be made: the index is keyed
// with a random key of its own process, so that the text with the regular steps
// (counter) is as near as an attacker gets.
func BenchmarkDecideHostile(b *testing.B) {
	const size = 1 << 20
	fibonacci, previous := "ab", "a"
	for len(fibonacci) < size {
		fibonacci, previous = fibonacci+previous, fibonacci
	}
	many := make([]string, 60_000)
	for i := range many {
		many[i] = "shared-token-value"
	}
	var counter strings.Builder
	for i := 0; counter.Len() < size; i++ {
		fmt.Fprintf(&counter, "%08d", i*256)
	}
	for _, c := range []struct {
		name  string
		pages []string
	}{
		{"Ordinary", pages(prose(1, size), 8<<10)},
		{"OneLetter", []string{strings.Repeat("a", size)}},
		{"Fibonacci", []string{fibonacci}},
		{"OneToken", []string{strings.Repeat("token ", 1_000_000)}},
		{"ManyOutputs", many},
		{"Counter", []string{counter.String()}},
	} {
		var calls []string
		whole := strings.Join(c.pages[:min(len(c.pages), 128)], " ")
		for i := range 20 {
			calls = append(calls, answer(whole[i:i+16], whole[i*7:i*7+48]))
		}
		b.Run(c.name, func(b *testing.B) { measure(b, c.pages, calls) })
	}
}

// BenchmarkScope is the short call without and with a scope of ten entries, of which the
// last covers it: by what it states alone, or by a record of a listing. It reports the median
// that the scope adds, and the ratio of the medians.
func BenchmarkScope(b *testing.B) {
	for name, thread := range map[string]string{
		"Stated": `{"is":"thread-4711"}`,
		"Listed": `{"from":[{"tool":"inbox","field":"thread","where":{"from":"Ann"}}],"kind":"id","pick":"only"}`,
	} {
		b.Run(name, func(b *testing.B) { scoped(b, thread) })
	}
}

// scoped measures what a scope adds to the short call, of which it has the thread as constrained.
func scoped(b *testing.B, thread string) {
	var entries, mails []string
	for i := range 9 {
		entries = append(entries, fmt.Sprintf(`{"tool":"answer","times":1000,"args":{"/to":{"is":"other%d@corp.example"},"/body":{"any":true}}}`, i))
	}
	entries = append(entries, `{"tool":"inbox"},{"tool":"answer","times":1000,"args":{"/to":{"is":"ann@corp.example"},"/subject":{"any":true},"/body":{"any":true},
		"/thread":`+thread+`,"/priority":{"is":3}}}`)
	for i := range 20 {
		mails = append(mails, fmt.Sprintf(`{"thread":"thread-%d","from":"Person %d","title":"Mail %d"}`, i, i, i))
	}
	mails = append(mails, `{"thread":"thread-4711","from":"Ann","title":"Lunch"}`)

	session := func(mode scope.Mode) *office {
		o := open(b, letters, func(options *remit.Options) { options.Scopes = mode })
		o.User("Read my mail and thank ann@corp.example for it, with priority 3.")
		if mode != scope.ModeOff {
			if _, refused, err := o.Scope([]byte(`{"calls":[` + strings.Join(entries, ",") + `]}`)); err != nil || len(refused) > 0 {
				b.Fatal(err, refused)
			}
		}
		return o.reads(`[` + strings.Join(mails, ",") + `]`)
	}
	const spends = scope.MaxTimes // calls that an entry covers in a turn
	var sessions []*office
	calls := short(prose(1, 10<<10))
	var times [2][]time.Duration
	for i := 0; b.Loop(); i++ {
		if i%spends == 0 {
			sessions = []*office{session(scope.ModeOff), session(scope.ModeBound)}
		}
		for n, o := range sessions {
			c := remit.Call{ID: strconv.Itoa(i), Tool: "answer", Arguments: json.RawMessage(calls[i%len(calls)])}
			at := time.Now()
			d, err := o.Decide(context.Background(), c)
			times[n] = append(times[n], time.Since(at))
			if err != nil || d.Verdict != remit.Allow {
				b.Fatalf("%v, %v", d.Explain(), err)
			}
		}
	}

	var median [2]float64
	for n := range times {
		slices.Sort(times[n])
		median[n] = float64(times[n][len(times[n])/2].Nanoseconds())
	}
	b.ReportMetric(median[1]-median[0], "added-ns")
	b.ReportMetric(median[1]/median[0], "ratio")
}
