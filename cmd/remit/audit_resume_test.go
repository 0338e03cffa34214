package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/store"
)

// interrupted notes in a file what a check of the store that the script has would note behind a
// session "z".
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: interrupted FILE")
	}
	st, err := store.Open(context.Background(), ts.Getenv("REMIT_STORE"), store.Options{})
	ts.Check(err)
	head, err := st.Head(context.Background())
	ts.Check(errors.Join(err, st.Close()))
	ts.Check((&progressFile{name: ts.MkAbs(args[0])}).note(progressUpTo(head)))
}

func progressUpTo(head store.ChainHead) store.Progress {
	return store.Progress{
		Began: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), After: "z", Own: head,
		Report: store.Report{Sessions: 8, Entries: 40, Head: head},
	}
}

// TestProgressFile goes on from what a check writes and from nothing else, and leaves alone what
// others put there meanwhile.
func TestProgressFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "verify.json")
	head := store.ChainHead{Entries: 3, Hash: store.Hash{1}}
	f := progressFile{name: name}
	if err := f.note(progressUpTo(head)); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	for what, change := range map[string][2]string{
		"an empty object":             {string(good), "{}\n"},
		"an unknown member":           {`"after"`, `"before":"y","after"`},
		"a member twice":              {`"after":"z"`, `"after":"y","after":"z"`},
		"a name in capitals":          {`"after"`, `"After"`},
		"another version":             {`"version":1`, `"version":2`},
		"no version":                  {`"version":1,`, ``},
		"white space":                 {`:8`, `: 8`},
		"more behind it":              {"\n", "\n{}\n"},
		"no beginning":                {"2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		"no session":                  {`"after":"z"`, `"after":""`},
		"no head of its own chain":    {`"own":{"chain":"","entries":3,"hash":"01`, `"own":{"chain":"","entries":0,"hash":"00`},
		"entries without their hash":  {`"hash":"01`, `"hash":"00`},
		"a head that is no hash":      {`"hash":"01`, `"hash":"0x`},
		"more than one ever has":      {`"after":"z"`, `"after":"` + strings.Repeat("z", maxProgress) + `"`},
		"the note of somebody else's": {string(good), `{"title":"to do","items":[]}`},
	} {
		t.Run(what, func(t *testing.T) {
			text := strings.Replace(string(good), change[0], change[1], 1)
			if text == string(good) {
				t.Fatal("nothing is changed")
			}
			other := filepath.Join(t.TempDir(), "other.json")
			if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if p, err := (&progressFile{name: other}).read(); err == nil {
				t.Errorf("it goes on from %+v", p)
			}
		})
	}

	second := progressFile{name: name}
	if p, err := second.read(); err != nil || p.Own != head || p.After != "z" {
		t.Fatalf("%+v, %v", p, err)
	}
	later := progressUpTo(head)
	later.After = "zz"
	if err := second.note(later); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.note(progressUpTo(head)), f.remove()); !errors.Is(err, atomicfile.ErrChanged) {
		t.Errorf("the first check wrote over what the second noted: %v", err)
	}
	if err := (&progressFile{name: name}).note(later); !errors.Is(err, os.ErrExist) {
		t.Errorf("a check that read nothing wrote over it: %v", err)
	}
	if err := second.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it stays: %v", err)
	}
}

// TestExportsToOneFile refuses the second: two would write into each other's lines.
func TestExportsToOneFile(t *testing.T) {
	db, name := filepath.Join(t.TempDir(), "remit.db"), filepath.Join(t.TempDir(), "log.jsonl")
	st, err := store.Open(t.Context(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Claim(f); err != nil {
		t.Fatal(err)
	}

	code, out := runArgs(t, "audit", "export", "--store", db, "--out", name)
	if code != 1 || !strings.Contains(out, "another program is writing to the file") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out := runArgs(t, "audit", "export", "--store", db, "--out", name); code != 0 {
		t.Errorf("it can't be written later: %s", out)
	}
}
