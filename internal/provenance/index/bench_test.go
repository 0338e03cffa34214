package index

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func segments(s string, size int) (parts []string) {
	for len(s) > size {
		parts, s = append(parts, s[:size]), s[size:]
	}
	return append(parts, s)
}

func build(parts []string) *Index {
	x := New(Options{})
	for i, p := range parts {
		x.Append(uint32(i), p)
	}
	return x
}

func total(parts []string) (n int) {
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// heap measures the live memory of what f makes, per byte of n.
func heap(n int, f func() *Index) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(x)
	return float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / float64(n)
}

func BenchmarkAppend(b *testing.B) {
	inputs := hostileTexts(1 << 20)
	inputs["Prose10KB"] = segments(prose(1, 10_000), 2000)
	inputs["Prose1MB"] = segments(prose(1, 1<<20), 8000)
	inputs["Prose10MB"] = segments(prose(1, 10<<20), 64_000)
	inputs["Random"] = []string{randomBytes(1 << 20)}
	inputs["Entities"] = []string{strings.Repeat(prose(3, 200)+"&amp;", 5000)}
	inputs["Base64"] = []string{strings.Repeat("aGVsbG8gd29ybGQgaGVsbG8gd29ybGQh", 30_000)}
	inputs["CJK"] = []string{hanzi(1 << 20)}
	for name, parts := range inputs {
		b.Run(name, func(b *testing.B) {
			n := total(parts)
			perByte := heap(n, func() *Index { return build(parts) })
			x := build(parts)
			text, index := x.Size()
			worst := time.Duration(0)
			b.SetBytes(int64(n))
			b.ResetTimer()
			for b.Loop() {
				x := New(Options{})
				for i, p := range parts {
					at := time.Now()
					x.Append(uint32(i), p)
					worst = max(worst, time.Since(at))
				}
			}
			b.ReportMetric(perByte, "heap-B/B")
			b.ReportMetric(float64(text)/float64(n), "text-B/B")
			b.ReportMetric(float64(index)/float64(n), "index-B/B")
			b.ReportMetric(float64(worst.Microseconds()), "worst-us")
		})
	}
}

func randomBytes(n int) string {
	rng := rand.New(rand.NewPCG(5, 5))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

func hanzi(n int) string {
	rng := rand.New(rand.NewPCG(5, 6))
	zipf := rand.NewZipf(rng, 1.2, 10, 3000)
	var b strings.Builder
	for b.Len() < n {
		b.WriteRune(rune(0x4E00 + zipf.Uint64()))
	}
	return b.String()
}

// BenchmarkCover reports the quantiles of single queries: one in a hundred is
// what a call waits for.
func BenchmarkCover(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		text := prose(1, size)
		x := build(segments(text, 8000))
		other := prose(2, 1<<20)
		rng := rand.New(rand.NewPCG(1, 1))
		for _, length := range []int{20, 500, 20_000, 100_000} {
			for _, kind := range []string{"hit", "miss"} {
				from := text
				if kind == "miss" {
					from = other
				}
				values := make([]string, 500)
				for i := range values {
					at := rng.IntN(len(from) - length)
					values[i] = from[at : at+length]
				}
				b.Run(fmt.Sprintf("%dMB/%s/%d", size>>20, kind, length), func(b *testing.B) {
					quantiles(b, values, func(v string) { x.Cover(v, nil) })
				})
			}
		}
		words := strings.Fields(prose(4, 4000))
		b.Run(fmt.Sprintf("%dMB/segments/word", size>>20), func(b *testing.B) {
			quantiles(b, words, func(v string) { x.Segments(v, nil) })
		})
	}
}

func quantiles(b *testing.B, values []string, f func(string)) {
	for _, v := range values {
		f(v)
	}
	b.ReportAllocs()
	times := make([]time.Duration, 0, 1024)
	i := 0
	for b.Loop() {
		at := time.Now()
		f(values[i%len(values)])
		times = append(times, time.Since(at))
		i++
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
}

func BenchmarkHostileCover(b *testing.B) {
	for name, parts := range hostileTexts(1 << 20) {
		x := build(parts)
		value := parts[0]
		for len(value) < 100_000 {
			value += parts[len(parts)/2]
		}
		for _, length := range []int{20, 500, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", name, length), func(b *testing.B) {
				quantiles(b, []string{value[:length]}, func(v string) { x.Cover(v, nil) })
			})
		}
		near := []byte(value[:100_000])
		for i := 15; i < len(near); i += 16 {
			near[i] = '!'
		}
		b.Run(name+"/near-miss", func(b *testing.B) {
			quantiles(b, []string{string(near)}, func(v string) { x.Cover(v, nil) })
		})
		b.Run(name+"/segments", func(b *testing.B) {
			quantiles(b, []string{value[:100]}, func(v string) { x.Segments(v, nil) })
		})
	}
}
