package policydoc

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictyaml"
)

// The names of a directory's files.
const (
	mappingDir   = "mapping"
	guardsDir    = "guards"
	samplesDir   = "guards/samples"
	testsDir     = "guards/tests"
	unmappedFile = "unmapped.yaml"
	lockFile     = "policy.lock"
)

// maxFiles bounds the mapping files and the guard files: agents have fewer tools.
const maxFiles = 10_000

// Directory is what a policy document was compiled into, as files that people edit.
type Directory struct {
	// Root is the path of the directory.
	Root string
	// Mappings and Guards are the files of each tool, by [Key].
	Mappings map[string]*MappingEditor
	Guards   map[string]*guard.Editor
	// Samples are what look-ups return, by [Key].
	Samples map[string]Sample
	// Unmapped are the sentences that no policy refers to; nil without the file.
	Unmapped *Unmapped
	// Lock is nil before the first compilation.
	Lock *Lock

	unmapped *strictyaml.Document
	// files are the files on the disk, by their paths within Root, as Write would write
	// them if nothing were edited.
	files map[string][]byte
	// seen are digests of the bytes of the files on the disk.
	seen map[string][sha256.Size]byte
	// places are the paths of the mapping files and guard files, by kind and key.
	places map[place]string
	// ours are the keys that the lock on the disk has.
	ours map[string]bool
}

type place struct{ kind, key string }

// ReadDirectory reads a directory, which need not exist. The error has the mistakes of
// all files.
func ReadDirectory(root string) (*Directory, error) {
	d := &Directory{
		Root: root, Mappings: map[string]*MappingEditor{}, Guards: map[string]*guard.Editor{},
		files: map[string][]byte{}, seen: map[string][sha256.Size]byte{}, places: map[place]string{}, ours: map[string]bool{},
	}
	errs := []error{
		d.readSamples(samplesDir), // before the guards, which refer to them
		each(d, mappingDir, d.Mappings, EditMapping, func(doc *MappingEditor) (string, error) {
			m, err := doc.Mapping()
			if err != nil {
				return "", err
			}
			return Key(m.Server, m.Tool), nil
		}),
		each(d, guardsDir, d.Guards, d.editGuard, func(doc *guard.Editor) (string, error) {
			f, err := doc.File()
			if err != nil {
				return "", err
			}
			return Key(f.Server, f.Tool), nil
		}),
		d.single(unmappedFile, maxMapping, func(name string, data []byte) (marshaler, error) {
			var err error
			if d.Unmapped, err = LoadUnmapped(name, data); err != nil {
				return nil, err
			}
			d.unmapped, err = strictyaml.Open(name, data)
			return d.unmapped, err
		}),
		d.single(lockFile, lockLimits.Size, func(name string, data []byte) (marshaler, error) {
			var err error
			if d.Lock, err = ReadLock(data); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			d.know(d.Lock)
			return d.Lock, nil
		}),
	}

	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return d, nil
}

// know records the tools that the lock on the disk has.
func (d *Directory) know(l *Lock) {
	d.ours = map[string]bool{}
	for key := range l.Policies {
		d.ours[key] = true
	}
}

// marshaler is the content of a file.
type marshaler interface{ Marshal() ([]byte, error) }

// each reads the YAML files of a kind: mappings or guards.
func each[T marshaler](d *Directory, kind string, docs map[string]T, open func(name string, data []byte) (T, error), keyOf func(T) (string, error)) error {
	entries, err := os.ReadDir(filepath.Join(d.Root, kind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	var errs []error
	n := 0
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		isYAML := ext == ".yaml" || ext == ".yml"
		if !isYAML || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		if n++; n > maxFiles {
			return fmt.Errorf("%s: there are more than %d files: split the directory", filepath.Join(d.Root, kind), maxFiles)
		}

		within := filepath.Join(kind, e.Name())
		errs = append(errs, d.single(within, maxMapping, func(name string, data []byte) (marshaler, error) {
			doc, err := open(name, data)
			if err != nil {
				return nil, err
			}
			key, err := keyOf(doc)
			if err != nil {
				return nil, err
			}
			if other, twice := d.places[place{kind, key}]; twice {
				return nil, fmt.Errorf("%s: %s is about %s too: combine the two files", name, filepath.Join(d.Root, other), strictyaml.Clip(key))
			}
			d.places[place{kind, key}], docs[key] = within, doc
			return doc, nil
		}))
	}

	return errors.Join(errs...)
}

// single reads a file, which need not exist.
func (d *Directory) single(within string, most int, read func(name string, data []byte) (marshaler, error)) error {
	name := filepath.Join(d.Root, within)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if len(data) > most {
		return fmt.Errorf("%s: the file is larger than %d MiB", name, most>>20)
	}
	content, err := read(name, data)
	if err != nil {
		return err
	}

	d.seen[within] = sha256.Sum256(data)
	d.files[within], err = content.Marshal()
	return err
}

// Keys lists the tools that have files, in order.
func (d *Directory) Keys() []string {
	keys := slices.Collect(maps.Keys(d.Mappings))
	keys = slices.AppendSeq(keys, maps.Keys(d.Guards))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Mapping returns the mapping file of a tool. It adds one if there is none.
func (d *Directory) Mapping(server, tool string) *MappingEditor {
	key := Key(server, tool)
	if d.Mappings[key] == nil {
		d.Mappings[key] = NewMappingEditor(d.path(mappingDir, key), server, tool)
	}
	return d.Mappings[key]
}

// Guard returns the guard file of a tool. It adds one if there is none.
func (d *Directory) Guard(server, tool string) *guard.Editor {
	key := Key(server, tool)
	if d.Guards[key] == nil {
		d.Guards[key] = guard.NewEditor(d.path(guardsDir, key), server, tool)
		d.Guards[key].Use(records(d.Samples))
		d.Guards[key].Apart()
	}
	return d.Guards[key]
}

// GuardFiles returns the guard files as edited so far, in the order of their keys.
func (d *Directory) GuardFiles() ([]*guard.File, error) {
	var out []*guard.File
	for _, key := range slices.Sorted(maps.Keys(d.Guards)) {
		f, err := d.Guards[key].File()
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// path returns the path of a tool's file, which need not exist yet.
func (d *Directory) path(kind, key string) string {
	within := cmp.Or(d.places[place{kind, key}], filepath.Join(kind, fileName(key, nil)))
	return filepath.Join(d.Root, within)
}
