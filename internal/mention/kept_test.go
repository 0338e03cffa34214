package mention_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mention"
)

// TestVocabulariesAreBounded: what the records beyond a bound say is read again for each search, and not kept.
func TestVocabulariesAreBounded(t *testing.T) {
	const records, fields, searches = 512, 31, 8
	r := mention.NewRecords(mention.NewHeard())
	for _, list := range []string{"R", "S"} {
		var b strings.Builder
		for i := range records {
			fmt.Fprintf(&b, `,{"id":"%s%04d"`, list, i)
			for f := range fields {
				fmt.Fprintf(&b, `,"f%c%d":"%d"`, 'a'+f%26, f, (i+f)%fields)
			}
			b.WriteString("}")
		}
		r.Add(mention.NewResult("list", []byte("["+b.String()[1:]+"]")))
	}
	search := func(i int) {
		r.Names(mention.NewText(fmt.Sprintf("the one of %d, please", i)), "R0001")
		r.Names(mention.NewText(fmt.Sprintf("the one of %d, please", i)), "S0001")
	}
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}

	search(0)
	before := heap()
	for i := range searches {
		search(i + 1)
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d searches keep %d bytes", searches, grown)
	}
	runtime.KeepAlive(r)
}
