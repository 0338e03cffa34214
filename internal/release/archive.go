package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"time"
)

// entry is one file or directory of an archive.
type entry struct {
	name  string
	mode  fs.FileMode
	owner int // of the user and of the group; 0 is root
	data  []byte
}

// archives makes an archive for each platform: a zip for Windows, which opens nothing else
// by itself, and a tar.gz for the others.
func (r *release) archives(context.Context) error {
	for _, b := range r.binaries {
		base := r.archiveBase(b.platform)
		entries, err := r.archived(b, base)
		if err != nil {
			return err
		}

		make, suffix := tarGz, ".tar.gz"
		if b.system == "windows" {
			make, suffix = zipped, ".zip"
		}
		data, err := make(entries, r.source.date)
		if err != nil {
			return err
		}
		if err := r.write(base+suffix, data); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) archiveBase(p platform) string {
	return fmt.Sprintf("remit_%s_%s_%s", r.number(), p.system, p.arch)
}

// archived returns what is in the archive of a program, below a directory with its name.
func (r *release) archived(b binary, base string) ([]entry, error) {
	entries := []entry{{name: b.name(), mode: 0o755, data: b.data}, {name: "THIRD_PARTY_LICENSES.txt", mode: 0o644, data: r.notices.text()}}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
		data, err := r.source.read(name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: name, mode: 0o644, data: data})
	}

	entries = append(entries, r.extras...)
	for i := range entries {
		entries[i].name = base + "/" + entries[i].name
	}
	return entries, nil
}

// tarGz writes a tar file in the order of its entries, compressed.
func tarGz(entries []entry, date time.Time) ([]byte, error) {
	data, err := tarred(entries, date)
	if err != nil {
		return nil, err
	}
	return gzipped(data)
}

// gzipped compresses without a name and a time.
func gzipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

func tarred(entries []entry, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.data)), Mode: int64(e.mode.Perm()), Uid: e.owner, Gid: e.owner, ModTime: date, Format: tar.FormatPAX}
		if e.mode.IsDir() {
			h.Typeflag, h.Name = tar.TypeDir, e.name+"/"
		}
		if e.mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}

		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func zipped(entries []entry, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: date}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
