package policydoc

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
)

// Sample is what a look-up returns, as rules and their tests take it: one for each tool
// to look things up with, in a file of its own. People edit it, and rules that are made
// later take the edited one.
type Sample struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	// Source says where it comes from. People who checked one write [Checked].
	Source SampleSource `json:"source"`
	// Args are the arguments that it answers to, Result what is returned.
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
}

// SampleSource is where a sample comes from.
type SampleSource string

// The sources of samples.
const (
	// Recorded samples are from recordings, and Live ones were returned when asked for.
	Recorded SampleSource = "recording"
	Live     SampleSource = "live"
	// Declared samples were made up by a model after the schema of the result, Guessed
	// ones after nothing but the tool's description.
	Declared SampleSource = "schema"
	Guessed  SampleSource = "guess"
	// Checked samples were found right by a person.
	Checked SampleSource = "person"
)

// sources lists the sources.
func sources() []SampleSource { return []SampleSource{Recorded, Live, Declared, Guessed, Checked} }

// maxSample bounds the file of a sample, in bytes.
const maxSample = 1 << 20

// LoadSample reads the file of a sample. The name appears in errors.
func LoadSample(name string, data []byte) (Sample, error) {
	var s Sample
	if len(data) > maxSample {
		return s, fmt.Errorf("%s: it has more than %d bytes: leave parts of the result out", name, maxSample)
	}
	doc, err := strictjson.Parse(data, strictjson.OutputLimits())
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}

	d := json.NewDecoder(strings.NewReader(string(doc.Canonical())))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("%s: %w: write {\"tool\": …, \"source\": …, \"args\": {…}, \"result\": …}", name, err)
	}
	switch {
	case s.Tool == "" || len(s.Args) == 0 || s.Args[0] != '{' || len(s.Result) == 0:
		return s, fmt.Errorf("%s: the sample lacks a tool, args or a result: write {\"tool\": …, \"source\": …, \"args\": {…}, \"result\": …}", name)
	case !slices.Contains(sources(), s.Source):
		return s, fmt.Errorf("%s: unknown source %q: write person for one that you checked", name, s.Source)
	}
	return s, nil
}

// Marshal returns the file of a sample.
func (s Sample) Marshal() ([]byte, error) {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("the sample of %s: %w", s.Tool, err)
	}
	return append(data, '\n'), nil
}

// records are samples as guard files refer to them: by the tool's name, with its server
// before it where two have the tool.
func records(samples map[string]Sample) []guard.Record {
	times := map[string]int{}
	for _, s := range samples {
		times[s.Tool]++
	}
	var out []guard.Record
	for _, key := range slices.Sorted(maps.Keys(samples)) {
		s := samples[key]
		r := guard.Record{Name: s.Tool, Tool: s.Tool, Args: s.Args, Result: s.Result}
		if times[s.Tool] > 1 {
			r.Name, r.Server = Key(s.Server, s.Tool), s.Server
		}
		out = append(out, r)
	}
	return out
}

// ReadSamples reads the samples beside guard files, by [Key]; none where there is no folder
// of them.
func ReadSamples(guards string) (map[string]Sample, error) {
	d := &Directory{Root: guards, files: map[string][]byte{}, seen: map[string][sha256.Size]byte{}, places: map[place]string{}}
	if err := d.readSamples("samples"); err != nil {
		return nil, err
	}
	return d.Samples, nil
}

// readSamples reads the samples of a folder of the directory, by [Key].
func (d *Directory) readSamples(folder string) error {
	d.Samples = map[string]Sample{}
	entries, err := os.ReadDir(filepath.Join(d.Root, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	var errs []error
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" || e.IsDir() {
			continue
		}
		within := filepath.Join(folder, e.Name())
		errs = append(errs, d.single(within, maxSample, func(name string, data []byte) (marshaler, error) {
			s, err := LoadSample(name, data)
			if err != nil {
				return nil, err
			}
			key := Key(s.Server, s.Tool)
			if _, twice := d.Samples[key]; twice {
				return nil, fmt.Errorf("%s: there is a sample of %s already: keep one file a tool", name, key)
			}
			d.Samples[key] = s
			d.places[place{samplesDir, key}] = within
			return s, nil
		}))
	}
	return errors.Join(errs...)
}
