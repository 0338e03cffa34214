package policydoc

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/remit-project/remit/guard"
)

// TestsFile returns the path of the tests of a guard file, if they are apart from its rules.
func TestsFile(guards string) string {
	return filepath.Join(filepath.Dir(guards), "tests", filepath.Base(guards))
}

// ReadTests reads the tests file of a guard file; none where there is no such file.
func ReadTests(guards string) (guard.Tests, error) {
	name := TestsFile(guards)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return guard.Tests{}, nil
	}
	if err != nil {
		return guard.Tests{}, err
	}
	data, err := io.ReadAll(io.LimitReader(f, guard.MaxFile+1))
	return guard.Tests{Name: name, Data: data}, errors.Join(err, f.Close())
}

// editGuard opens a guard file of the directory with its tests file.
func (d *Directory) editGuard(name string, data []byte) (*guard.Editor, error) {
	tests, err := ReadTests(name)
	if err != nil {
		return nil, err
	}
	e, err := guard.EditApart(name, data, tests, records(d.Samples)...)
	if err != nil || tests.Name == "" {
		return e, err
	}
	within := filepath.Join(testsDir, filepath.Base(name))
	return e, d.single(within, guard.MaxFile, func(string, []byte) (marshaler, error) { return testsOf{e}, nil })
}

// testsOf is the tests file of a guard file.
type testsOf struct{ *guard.Editor }

// Marshal implements [marshaler].
func (t testsOf) Marshal() ([]byte, error) { return t.MarshalTests() }

// addTests adds the tests file of a guard file to those that are written, or removes it.
func (d *Directory) addTests(want map[string][]byte, guards string, g *guard.Editor) error {
	if guards == "" {
		return nil
	}
	within := filepath.Join(testsDir, filepath.Base(guards))
	data, err := g.MarshalTests()
	if err != nil {
		return err
	}
	gone := want[guards] == nil || data == nil
	if _, had := d.files[within]; gone && !had {
		return nil
	}
	if gone {
		data = nil
	}
	want[within] = data
	return nil
}
