package policydoc_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
)

// files reads all files below a directory.
func files(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		within, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(within)] = string(data)
		return err
	}))
	return out
}

func write(t testing.TB, root string, all map[string]string) {
	t.Helper()
	for name, text := range all {
		name = filepath.Join(root, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

func read(t testing.TB, root string) *policydoc.Directory {
	t.Helper()
	d, err := policydoc.ReadDirectory(root)
	must(t, err)
	return d
}

// TestDirectory fills a directory that isn't there, reads it back, and writes it
// again: nothing changes.
func TestDirectory(t *testing.T) {
	root := filepath.Join(t.TempDir(), "policies")
	d := read(t, root)
	if len(d.Keys()) > 0 || d.Lock != nil || d.Unmapped != nil {
		t.Errorf("a missing directory has %+v", d)
	}
	item := policydoc.Policy{Name: "few", Description: "Few.", References: []string{"Few books."}}
	d.Mapping("", "lend").Put(&item)
	d.Mapping("", policydoc.EveryTool).Put(&item)
	d.Mapping("desk", "give back").Put(&item)
	must(t, d.Guard("", "lend").Put(&guard.Policy{Name: "few", Message: "Few.", Require: guard.Expression{Text: "true"}}))
	d.Mapping("", "unused")
	d.Unmapped = &policydoc.Unmapped{Document: "rules.md", Sentences: []policydoc.UnmappedSentence{{Text: "Hello.", Reason: "a greeting"}}}
	d.Lock = &locked
	must(t, d.Write())
	got := files(t, root)
	want := []string{"guards/lend.yaml", "mapping/desk.give-back-e2311b21.yaml", "mapping/every-tool.yaml", "mapping/lend.yaml", "policy.lock", "unmapped.yaml"}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
	if got["unmapped.yaml"] != "document: rules.md\nsentences:\n  - text: Hello.\n    reason: a greeting\n" {
		t.Errorf("got\n%s", got["unmapped.yaml"])
	}
	d = read(t, root)
	if keys := d.Keys(); !slices.Equal(keys, []string{"*", "desk/give back", "lend"}) {
		t.Errorf("got %q", keys)
	}
	must(t, d.Write())
	if !maps.Equal(files(t, root), got) {
		t.Error("written again it is another")
	}
}

// TestDirectoryEdits keeps what people wrote into the files, whatever they are
// called, and changes no file that says the same.
func TestDirectoryEdits(t *testing.T) {
	root := t.TempDir()
	all := map[string]string{
		"mapping/ours.yml":    "# Ann's.\ntool: lend\npolicies:\n    - {description: Few., name: few} # short\n",
		"guards/lend.yaml":    "# Bob's.\ntool: lend\npolicies:\n  - {name: few, message: Few.}\n",
		"unmapped.yaml":       "document: rules.md\nsentences:\n  # Sure?\n  - {text: Hello., reason: why not}\n",
		"mapping/.hidden.yml": "no mapping",
		"mapping/readme.txt":  "no mapping",
	}
	write(t, root, all)
	d := read(t, root)
	must(t, d.Write())
	if !maps.Equal(files(t, root), all) {
		t.Errorf("unedited it is %q", files(t, root))
	}
	d.Mapping("", "lend").Put(&policydoc.Policy{Name: "more", Description: "More."})
	d.Unmapped.Sentences = append(d.Unmapped.Sentences, policydoc.UnmappedSentence{Text: "Bye.", Reason: "a greeting"})
	must(t, d.Write())
	all["mapping/ours.yml"] = "# Ann's.\ntool: lend\npolicies:\n  - {description: Few., name: few} # short\n  - name: more\n    description: More.\n"
	all["unmapped.yaml"] += "  - text: Bye.\n    reason: a greeting\n"
	if got := files(t, root); !maps.Equal(got, all) {
		t.Errorf("got %q", got)
	}
}

// TestDirectoryRemoves removes the files of tools that have nothing left, where
// the lock knew the tool.
func TestDirectoryRemoves(t *testing.T) {
	root := t.TempDir()
	lock, err := locked.Marshal()
	must(t, err)
	write(t, root, map[string]string{
		"mapping/desk.lend.yaml": "tool: lend\nserver: desk\npolicies:\n  - {name: five-books, description: d}\n",
		"guards/desk.lend.yaml":  "tool: lend\nserver: desk\npolicies:\n  - {name: five-books, message: m}\n",
		"mapping/own.yaml":       "tool: own\npolicies: []\n",
		"policy.lock":            string(lock),
	})
	d := read(t, root)
	d.Mapping("desk", "lend").Remove("five-books")
	d.Guard("desk", "lend").Remove("five-books")
	d.Lock.Policies = nil
	must(t, d.Write())
	if names := slices.Sorted(maps.Keys(files(t, root))); !slices.Equal(names, []string{"mapping/own.yaml", "policy.lock"}) {
		t.Errorf("left are %q", names)
	}
	d.Mapping("desk", "lend").Put(&policydoc.Policy{Name: "again", Description: "Again."})
	must(t, d.Write())
	if files(t, root)["mapping/desk.lend.yaml"] == "" {
		t.Error("it did not come back")
	}
}

// TestDirectoryInterrupted stops a write in the middle: what came before is
// there, and no lock.
func TestDirectoryInterrupted(t *testing.T) {
	root := t.TempDir()
	// A link that leads nowhere is not a directory, and none can be made in its place.
	if err := os.Symlink("nowhere", filepath.Join(root, "mapping")); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	d := read(t, root)
	d.Mapping("", "lend").Put(&policydoc.Policy{Name: "few", Description: "Few."})
	must(t, d.Guard("", "lend").Put(&guard.Policy{Name: "few", Message: "Few."}))
	d.Unmapped, d.Lock = &policydoc.Unmapped{Document: "rules.md"}, &locked
	if err := d.Write(); err == nil {
		t.Fatal("it was written")
	}
	if _, err := os.Stat(filepath.Join(root, "guards", "lend.yaml")); err != nil {
		t.Errorf("it did not begin: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "policy.lock")); err == nil {
		t.Error("there is a lock")
	}
	must(t, os.Remove(filepath.Join(root, "mapping")))
	must(t, d.Write()) // it goes on
	if names := slices.Sorted(maps.Keys(files(t, root))); len(names) != 4 {
		t.Errorf("there are %q", names)
	}
}

// TestDirectoryEditedMeanwhile keeps what people edit while a compilation runs:
// it writes nothing, and says so.
func TestDirectoryEditedMeanwhile(t *testing.T) {
	mapping := "tool: lend\npolicies:\n  - {name: few, description: Few.}\n"
	for name, edit := range map[string]func(t *testing.T, root string){
		"a file that is to change": func(t *testing.T, root string) {
			write(t, root, map[string]string{"mapping/lend.yaml": mapping + "  # Mine.\n"})
		},
		"a file that is to come":    func(t *testing.T, root string) { write(t, root, map[string]string{"guards/lend.yaml": "tool: lend\n"}) },
		"a file that is taken away": func(t *testing.T, root string) { must(t, os.Remove(filepath.Join(root, "mapping", "lend.yaml"))) },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, map[string]string{"mapping/lend.yaml": mapping})
			d := read(t, root)
			edit(t, root)
			before := files(t, root)
			must(t, d.Approve("lend", "few"))
			must(t, d.Guard("", "lend").Put(&guard.Policy{Name: "few", Message: "Few."}))
			if err := d.Write(); err == nil || !strings.Contains(err.Error(), "was edited in the meantime") {
				t.Errorf("got %v", err)
			}
			if !maps.Equal(files(t, root), before) {
				t.Error("something was written")
			}
		})
	}
	root := t.TempDir()
	write(t, root, map[string]string{"mapping/lend.yaml": mapping})
	d := read(t, root)
	must(t, d.Write())
	must(t, d.Approve("lend", "few"))
	must(t, d.Write())
	must(t, d.Archive("lend", "few", "r"))
	must(t, d.Write()) // one's own writing is not an edit
}

// TestReadDirectoryMistakes reports the mistakes of all files.
func TestReadDirectoryMistakes(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"mapping/a.yaml": "tool: a\npolicies: [{name: A, description: b}]\n",
		"mapping/b.yaml": "tool: b\npolicies: []\n",
		"mapping/c.yaml": "tool: b\npolicies: []\n",
		"guards/a.yaml":  "tool: a\n",
		"unmapped.yaml":  "what: this\n",
		"policy.lock":    "{}",
	})
	_, err := policydoc.ReadDirectory(root)
	if err == nil {
		t.Fatal("it was read")
	}
	for _, want := range []string{"a.yaml:2:19: ", "c.yaml: " + filepath.Join(root, "mapping", "b.yaml") + " is about b too", "a.yaml:1:1: there are no policies", "unmapped.yaml:1:1: ", "policy.lock: the lock has version 0"} {
		if !strings.Contains(strings.ReplaceAll(err.Error(), "mapping"+string(filepath.Separator)+"a", "a"), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
}
