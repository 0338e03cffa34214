package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// The folders of a directory of guard files with their tests and their samples.
const (
	testsFolder   = "tests"
	samplesFolder = "samples"
)

// LoadDir reads the guard files of a directory (*.yaml), each with its tests
// (tests/*.yaml) and with the samples that they refer to (samples/*.json), as
// os.DirFS("policies") or an embedded file system has them. The error has the mistakes of
// all files, as [Errors].
func LoadDir(dir fs.FS) ([]*File, error) {
	samples, err := ReadSamples(dir)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, fmt.Errorf("guards: %w", err)
	}

	var files []*File
	var mistakes Errors
	for _, e := range entries {
		yaml := path.Ext(e.Name()) == ".yaml" || path.Ext(e.Name()) == ".yml"
		if hidden := strings.HasPrefix(e.Name(), "."); e.IsDir() || hidden || !yaml {
			continue
		}
		f, err := loadIn(dir, e.Name(), samples)
		var found Errors
		switch {
		case errors.As(err, &found):
			mistakes = append(mistakes, found...)
		case err != nil:
			return nil, err
		default:
			files = append(files, f)
		}
	}

	switch {
	case len(mistakes) > 0:
		return nil, mistakes
	case len(files) == 0:
		return nil, errors.New("guards: there are no guard files (*.yaml) in the directory")
	}
	return files, nil
}

// loadIn reads a guard file of a directory with its tests.
func loadIn(dir fs.FS, name string, samples []Record) (*File, error) {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, fmt.Errorf("guards: %w", err)
	}
	tests := Tests{Name: path.Join(testsFolder, name)}
	if tests.Data, err = fs.ReadFile(dir, tests.Name); errors.Is(err, fs.ErrNotExist) {
		tests = Tests{}
	} else if err != nil {
		return nil, fmt.Errorf("guards: %w", err)
	}
	return LoadApart(name, data, tests, samples...)
}

// ReadSamples reads the samples of a directory of guard files (samples/*.json), as examples
// refer to them: by the tool's name, with its server before it where two have the tool.
// There may be none.
func ReadSamples(dir fs.FS) ([]Record, error) {
	names, err := fs.Glob(dir, samplesFolder+"/*.json")
	if err != nil {
		return nil, fmt.Errorf("guards: %w", err)
	}
	var out []Record
	times := map[string]int{}
	seen := map[toolName]bool{}
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("guards: %w", err)
		}
		r, err := readSample(data)
		if err != nil {
			return nil, fmt.Errorf("guards: %s: %w", name, err)
		}
		if seen[toolName{r.Server, r.Tool}] {
			return nil, fmt.Errorf("guards: %s: there is a sample of %s already: keep one file a tool", name, r.Tool)
		}
		seen[toolName{r.Server, r.Tool}] = true
		out = append(out, r)
		times[r.Tool]++
	}

	for i := range out {
		if r := &out[i]; times[r.Tool] > 1 {
			r.Name = strings.TrimPrefix(r.Server+"/"+r.Tool, "/")
		} else {
			r.Server = ""
		}
	}
	return out, nil
}

func readSample(data []byte) (Record, error) {
	if len(data) > MaxFile {
		return Record{}, fmt.Errorf("it has more than %d bytes: leave parts of the result out", MaxFile)
	}
	doc, err := strictjson.Parse(data, strictjson.OutputLimits())
	if err != nil {
		return Record{}, err
	}
	var s struct {
		Server, Tool string
		Args, Result json.RawMessage
	}
	if err := json.Unmarshal(doc.Canonical(), &s); err != nil {
		return Record{}, err
	}
	if s.Tool == "" || len(s.Args) == 0 || len(s.Result) == 0 {
		return Record{}, errors.New(`the sample lacks a tool, args or a result: write {"tool": …, "args": {…}, "result": …}`)
	}
	return Record{Name: s.Tool, Server: s.Server, Tool: s.Tool, Args: s.Args, Result: s.Result}, nil
}
