package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/sse"
)

func read(t *testing.T, r io.Reader, most int) ([]sse.Event, error) {
	t.Helper()
	in := sse.NewReader(r, most)
	var out []sse.Event
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
}

func TestNext(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []sse.Event
	}{
		"one":                    {"event: message\ndata: {}\n\n", []sse.Event{{Name: "message", Data: []byte("{}")}}},
		"all line ends":          {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", []sse.Event{{Data: []byte("a")}, {Data: []byte("b")}, {Data: []byte("c")}}},
		"lines of data":          {"data: a\ndata\ndata:b\n\n", []sse.Event{{Data: []byte("a\n\nb")}}},
		"an id lasts":            {"id: 7\ndata: a\n\ndata: b\n\n", []sse.Event{{ID: "7", Data: []byte("a")}, {ID: "7", Data: []byte("b")}}},
		"comments and the like":  {": hello\n\nretry: x\nfoo: bar\n\ndata: a\n\n", []sse.Event{{Data: []byte("a")}}},
		"a time to wait":         {"retry: 250\ndata: a\n\n", []sse.Event{{Data: []byte("a"), Retry: 250 * time.Millisecond}}},
		"only one space is cut":  {"data:  a \n\n", []sse.Event{{Data: []byte(" a ")}}},
		"a mark of byte order":   {"\uFEFFdata: a\n\n", []sse.Event{{Data: []byte("a")}}},
		"cut off at the end":     {"data: a\n\ndata: b\n", []sse.Event{{Data: []byte("a")}}},
		"without data, no event": {"event: ping\n\ndata: a\n\n", []sse.Event{{Data: []byte("a")}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				got, err := read(t, r, 100)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(test.want, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// An event has a bound as a whole, whether in one line or in many.
func TestBound(t *testing.T) {
	for _, text := range []string{"data: " + strings.Repeat("x", 200), strings.Repeat("data: x\n", 50), strings.Repeat(": x\n", 50)} {
		if _, err := read(t, strings.NewReader(text), 100); !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("%.20q…: got %v, want ErrTooLong", text, err)
		}
	}
	if got, err := read(t, strings.NewReader(strings.Repeat("data: x\n\n", 50)), 100); err != nil || len(got) != 50 {
		t.Errorf("many small events: got %d, %v", len(got), err)
	}
}

// FuzzReader: reading never panics, stays within the bound, doesn't depend on
// how the bytes arrive, and what was read is read again from what is written.
func FuzzReader(f *testing.F) {
	f.Add([]byte("event: message\nid: 1\ndata: {\"a\":1}\n\n"))
	f.Add([]byte("data: a\r\rdata: b\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1000
		got, err := read(t, bytes.NewReader(data), most)
		slow, slowErr := read(t, iotest.OneByteReader(bytes.NewReader(data)), most)
		if d := cmp.Diff(got, slow); d != "" || !errors.Is(slowErr, err) {
			t.Fatalf("byte by byte: %v, %v\n%s", err, slowErr, d)
		}
		var out bytes.Buffer
		for _, e := range got {
			if len(e.Data) > most {
				t.Fatalf("%d bytes", len(e.Data))
			}
			if err := sse.Write(&out, e); err != nil {
				t.Fatal(err)
			}
		}
		again, err := read(t, &out, 10*most)
		if err != nil || len(again) != len(got) {
			t.Fatalf("written and read again: %d of %d, %v", len(again), len(got), err)
		}
		for i := range got {
			if !bytes.Equal(got[i].Data, again[i].Data) || got[i].Name != again[i].Name {
				t.Fatalf("event %d: %+v became %+v", i, got[i], again[i])
			}
		}
	})
}
