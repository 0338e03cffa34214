package policydoc_test

import (
	"bytes"
	"testing"

	"github.com/remit-project/remit/internal/policydoc"
)

// FuzzLoadMapping reads and edits hostile mapping files: nothing panics, and what
// is written is read again.
func FuzzLoadMapping(f *testing.F) {
	f.Add([]byte(lending))
	f.Add([]byte("tool: \"*\"\npolicies: []\n"))
	f.Add([]byte("tool: a\npolicies: [{name: b, description: \"\\u0000\"}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := policydoc.EditMapping("a.yaml", data)
		if err != nil {
			return
		}
		m, err := d.Mapping()
		if err != nil {
			t.Fatalf("it is not read again: %v", err)
		}
		for i := range m.Policies {
			d.Put(&m.Policies[i])
		}
		d.Put(&policydoc.Policy{Name: "new-one", Description: "New."})
		again, err := d.Mapping()
		if err != nil {
			t.Fatalf("edited it is not read again: %v", err)
		}
		if len(again.Policies) < len(m.Policies) {
			t.Fatal("policies are lost")
		}
	})
}

// FuzzReadLock reads hostile locks: nothing panics, and what is written is read
// as the same.
func FuzzReadLock(f *testing.F) {
	f.Add([]byte(lockedText))
	f.Add([]byte(`{"version":1,"items":{"a":{"b":null}},"sentences":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := policydoc.ReadLock(data)
		if err != nil {
			return
		}
		text, err := l.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		back, err := policydoc.ReadLock(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := back.Marshal(); err != nil || !bytes.Equal(text, again) {
			t.Fatalf("%s became %s, %v", text, again, err)
		}
	})
}
