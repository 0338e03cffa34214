package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/remit-project/remit/internal/inputs"
)

// MaxLine bounds one line of a JSONL file, in bytes: a session with its outputs
// fits, and a file without line breaks doesn't exhaust memory.
const MaxLine = 64 << 20

// errNotFound is wrapped by errors about files missing from a directory.
var errNotFound = errors.New("give the directory that holds the data set")

// dataSetDir returns the directory of a data set within a directory of data sets,
// or dir itself if it is the data set.
func dataSetDir(dir, set string) string {
	if sub := filepath.Join(dir, set); inputs.IsDir(sub) {
		return sub
	}
	return dir
}

// find returns the files of a directory with the given prefix and suffix and any
// infix ("cases.dev.jsonl" for "cases", ".jsonl").
func find(dir, prefix, suffix string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the data directory: %w", err)
	}

	var out []string
	for _, e := range entries {
		name := e.Name()
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || e.IsDir() || !strings.HasSuffix(rest, suffix) {
			continue
		}
		if infix := strings.TrimSuffix(rest, suffix); infix == "" || infix[0] == '.' {
			out = append(out, filepath.Join(dir, name))
		}
	}

	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no %s*%s: %w", dir, prefix, suffix, errNotFound)
	}
	sort.Strings(out)
	return out, nil
}

// noCaseError returns the error for files without labelled cases: rates over none
// would look like a result.
func noCaseError(dir, prefix string) error {
	return fmt.Errorf("%s: %s*.jsonl holds no labelled case", dir, prefix)
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read data: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readLines decodes every line of a JSONL file, gzipped or not.
func readLines[T any](path string, each func(T) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read data: %w", err)
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if head, err := r.(*bufio.Reader).Peek(2); err == nil && bytes.Equal(head, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(r); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}

	in := bufio.NewScanner(r)
	in.Buffer(nil, MaxLine)
	for line := 1; in.Scan(); line++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if err := each(v); err != nil {
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}

	if err := in.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return fmt.Errorf("%s: a line is longer than %d bytes", path, MaxLine)
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
