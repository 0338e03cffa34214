package atomicfile_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/remit-project/remit/internal/atomicfile"
)

// A file is written new and over another one, and nothing is left beside it,
// even if it can't be written.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	for _, text := range []string{"one", "two"} {
		if err := atomicfile.Write(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "b"), nil, 0o600); err == nil {
		t.Error("a directory became a file")
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "c"), nil, 0o600); err == nil {
		t.Error("a directory was made")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("beside it are %v, %v", entries, err)
	}
}

// A file that is replaced keeps its link and its mode, and one that says something else by
// then stays.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.txt"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(name, []byte("one"), 0o600), os.Symlink("a.txt", link)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(link, []byte("one"), []byte("two")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(link, []byte("one"), []byte("three")); !errors.Is(err, atomicfile.ErrChanged) {
		t.Errorf("a change was undone: %v", err)
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != "two" {
		t.Errorf("it says %q, %v", got, err)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if to, err := os.Readlink(link); err != nil || to != "a.txt" {
		t.Errorf("the link names %q, %v", to, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("beside it are %v, %v", entries, err)
	}
}

// A file is created where there is none, and removed while it says what it said: another
// program's stays.
func TestCreateAndRemove(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	if err := atomicfile.Create(name, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Create(name, []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it was created twice: %v", err)
	}
	if err := atomicfile.Remove(name, []byte("two")); !errors.Is(err, atomicfile.ErrChanged) {
		t.Errorf("another file was removed: %v", err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "one" {
		t.Errorf("it says %q, %v", got, err)
	}
	if err := atomicfile.Remove(name, []byte("one")); err != nil {
		t.Error(err)
	}
	if err := atomicfile.Remove(name, []byte("one")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file was removed: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// A file is claimed by one at a time, until it is closed.
func TestClaim(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such lock")
	}
	name := filepath.Join(t.TempDir(), "a.txt")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if err := atomicfile.Claim(first); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Claim(second); !errors.Is(err, atomicfile.ErrClaimed) {
		t.Errorf("it was claimed twice: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Claim(second); err != nil {
		t.Errorf("it can't be claimed later: %v", err)
	}
}

// Of those who edit a file at the same time none undoes what another one wrote, and of those
// who replace the same content one wins and the others are told.
func TestEditsTakeTurns(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const people, edits = 8, 25
	won := make(chan int)
	for range people {
		go func() {
			wins := 0
			for range edits {
				_, err := atomicfile.Edit(name, func(was []byte) ([]byte, error) { return append(was, 'e'), nil })
				if err != nil {
					t.Error(err)
				}
				was, err := os.ReadFile(name)
				if err != nil {
					t.Error(err)
				}
				switch err := atomicfile.Replace(name, was, append(was, 'r')); {
				case err == nil:
					wins++
				case !errors.Is(err, atomicfile.ErrChanged):
					t.Error(err)
				}
			}
			won <- wins
		}()
	}
	want := people * edits
	for range people {
		want += <-won
	}
	got, err := os.ReadFile(name)
	if err != nil || len(got) != want {
		t.Errorf("%d of %d edits are in the file, %v", len(got), want, err)
	}
}

// An edit that comes to nothing, or to a mistake, leaves the file alone.
func TestEditOfNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(name, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	mistake := errors.New("no")
	_, same := atomicfile.Edit(name, func(was []byte) ([]byte, error) { return was, nil })
	_, err = atomicfile.Edit(name, func([]byte) ([]byte, error) { return []byte("two"), mistake })
	after, failed := os.Stat(name)
	if same != nil || !errors.Is(err, mistake) || failed != nil || !os.SameFile(before, after) {
		t.Errorf("it was written: %v, %v, %v", same, err, failed)
	}
	if _, err := atomicfile.Edit(filepath.Join(filepath.Dir(name), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// writer is the variable by which the tests' own program is a writer that never ends.
const writer = "REMIT_TEST_WRITER"

func TestMain(m *testing.M) {
	if name := os.Getenv(writer); name != "" {
		writeForever(name)
	}
	os.Exit(m.Run())
}

// whole are the contents that the writer gives a file in turn: large ones, so that a write
// takes a while.
func whole(letter byte) []byte { return bytes.Repeat([]byte{letter}, 1<<20) }

// writeForever says a word after each edit.
func writeForever(name string) {
	for {
		_, err := atomicfile.Edit(name, func(was []byte) ([]byte, error) {
			if was[0] == 'a' {
				return whole('b'), nil
			}
			return whole('a'), nil
		})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("written")
	}
}

// A program that is killed while it writes leaves the old file or the new one, whole, and no
// lock: the next one edits at once.
func TestKilledWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(name, whole('a'), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), writer+"="+name)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range i + 1 {
			if !lines.Scan() || lines.Text() != "written" {
				t.Fatalf("the writer says %q", lines.Text())
			}
		}
		err = c.Process.Kill()
		_ = c.Wait() // it was killed
		got, read := os.ReadFile(name)
		if isWhole := bytes.Equal(got, whole('a')) || bytes.Equal(got, whole('b')); !isWhole || err != nil || read != nil {
			t.Fatalf("a part of a file: %d bytes, %v, %v", len(got), err, read)
		}
		if _, err := atomicfile.Edit(name, func([]byte) ([]byte, error) { return whole('a'), nil }); err != nil {
			t.Fatal(err)
		}
	}
}
