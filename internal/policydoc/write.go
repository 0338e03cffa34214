package policydoc

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/strictyaml"
)

// Write writes the files that changed, each atomically, and the lock last: after an
// interruption the lock never claims more than the files have, and the next compilation
// continues from there. It removes files that have no policies left, if the lock has
// their tool. It writes nothing if a file was edited since it was read. The directory is
// locked for that: of two who write at the same time, one is told.
func (d *Directory) Write() error {
	if err := d.settle(); err != nil {
		return err
	}
	want, err := d.marshal()
	if err != nil {
		return err
	}
	if len(want) == 0 {
		return nil
	}
	if err := os.MkdirAll(d.Root, 0o755); err != nil {
		return err
	}
	unlock, err := atomicfile.Lock(d.Root)
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.untouched(want); err != nil {
		return err
	}

	lock, locked := want[lockFile]
	delete(want, lockFile)
	for _, within := range slices.Sorted(maps.Keys(want)) {
		if err := d.put(within, want[within]); err != nil {
			return err
		}
	}

	if !locked {
		return nil
	}
	if err := d.put(lockFile, lock); err != nil {
		return err
	}

	d.know(d.Lock)
	return nil
}

// ErrEdited is returned for files that were edited since they were read.
var ErrEdited = errors.New("nothing was written, run the command again")

// FileEdit is a file of a directory that [Directory.Write] would write.
type FileEdit struct {
	// Name is its path within the directory, with slashes.
	Name string
	// Was and Is are its contents; nil for a file that there isn't.
	Was, Is []byte
}

// Edits lists what [Directory.Write] would write now, in the order of the names.
func (d *Directory) Edits() ([]FileEdit, error) {
	if err := d.settle(); err != nil {
		return nil, err
	}
	want, err := d.marshal()
	if err != nil {
		return nil, err
	}
	if err := d.untouched(want); err != nil {
		return nil, err
	}

	var out []FileEdit
	for _, within := range slices.Sorted(maps.Keys(want)) {
		if !d.changes(within, want[within]) {
			continue
		}
		was, err := os.ReadFile(filepath.Join(d.Root, within))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		out = append(out, FileEdit{filepath.ToSlash(within), was, want[within]})
	}
	return out, nil
}

// untouched returns an error if a file to be written has changed since it was read:
// people may edit files while rules are made.
func (d *Directory) untouched(want map[string][]byte) error {
	var errs []error
	for _, within := range slices.Sorted(maps.Keys(want)) {
		if !d.changes(within, want[within]) {
			continue
		}
		name := filepath.Join(d.Root, within)
		data, err := os.ReadFile(name)
		seen, read := d.seen[within]
		switch {
		case errors.Is(err, fs.ErrNotExist) && !read:
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, err)
		case err != nil || !read || sha256.Sum256(data) != seen:
			errs = append(errs, fmt.Errorf("%s was edited in the meantime: %w", name, ErrEdited))
		}
	}
	return errors.Join(errs...)
}

// changes reports whether a file has to be written.
func (d *Directory) changes(within string, data []byte) bool {
	had, exists := d.files[within]
	return data == nil || !exists || !bytes.Equal(had, data)
}

// marshal returns the contents of the files to write, by their paths within Root, and
// nil for a file to remove.
func (d *Directory) marshal() (map[string][]byte, error) {
	want := map[string][]byte{}
	err := add(d, want, mappingDir, d.Mappings, func(m *MappingEditor) (bool, error) {
		f, err := m.Mapping()
		return err == nil && len(f.Policies) == 0, err
	})
	if err != nil {
		return nil, err
	}

	for _, g := range d.Guards {
		g.Use(records(d.Samples))
	}
	err = add(d, want, guardsDir, d.Guards, func(g *guard.Editor) (bool, error) {
		f, err := g.File()
		return err == nil && len(f.Policies)+len(f.Duties) == 0, err
	})
	if err != nil {
		return nil, err
	}

	for key, g := range d.Guards {
		if err := d.addTests(want, d.places[place{guardsDir, key}], g); err != nil {
			return nil, err
		}
	}

	for _, key := range slices.Sorted(maps.Keys(d.Samples)) {
		at := place{samplesDir, key}
		if d.places[at] == "" {
			d.places[at] = filepath.Join(samplesDir, strings.TrimSuffix(fileName(key, nil), ".yaml")+".json")
		}
		if want[d.places[at]], err = d.Samples[key].Marshal(); err != nil {
			return nil, err
		}
	}

	if d.Unmapped != nil {
		if d.unmapped == nil {
			d.unmapped = &strictyaml.Document{Name: filepath.Join(d.Root, unmappedFile), Root: strictyaml.NewMapping()}
		}
		d.Unmapped.edit(d.unmapped)
		if want[unmappedFile], err = d.unmapped.Marshal(); err != nil {
			return nil, err
		}
	}

	if d.Lock != nil {
		if want[lockFile], err = d.Lock.Marshal(); err != nil {
			return nil, err
		}
	}

	return want, nil
}

// add adds the files of a kind.
func add[T marshaler](d *Directory, want map[string][]byte, kind string, docs map[string]T, empty func(T) (bool, error)) error {
	taken := map[string]bool{}
	for at, within := range d.places {
		if at.kind == kind {
			taken[strings.ToLower(filepath.Base(within))] = true
		}
	}

	for _, key := range slices.Sorted(maps.Keys(docs)) {
		at := place{kind, key}
		within := d.places[at]
		none, err := empty(docs[key])
		if err != nil {
			return err
		}
		if none && (within == "" || d.ours[key]) {
			if within != "" {
				want[within] = nil
			}
			continue
		}

		if within == "" {
			name := fileName(key, taken)
			taken[strings.ToLower(name)] = true
			within = filepath.Join(kind, name)
			d.places[at] = within
		}

		if want[within], err = docs[key].Marshal(); err != nil {
			return err
		}
	}

	return nil
}

// put writes a file, or removes it if data is nil.
func (d *Directory) put(within string, data []byte) error {
	name := filepath.Join(d.Root, within)
	switch {
	case data == nil:
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		delete(d.files, within)
		delete(d.seen, within)
		maps.DeleteFunc(d.places, func(_ place, at string) bool { return at == within })
		return nil
	case !d.changes(within, data):
		return nil
	}

	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(name, data, 0o644); err != nil {
		return err
	}

	d.files[within], d.seen[within] = data, sha256.Sum256(data)
	return nil
}
