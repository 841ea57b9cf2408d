package bundles

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
)

// modified is the time of every entry: the earliest that a zip file can name.
var modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes the bundle to the file at path in one step, and returns the SHA-256 of the file in hexadecimal.
func Write(path string, c Contents) (digest string, err error) {
	data, err := Encode(c)
	if err != nil {
		return "", err
	}
	return sum(data), files.Keep(filepath.Dir(path), path, data)
}

// Encode returns the bytes of a bundle.
func Encode(c Contents) ([]byte, error) {
	entries, err := c.entries()
	if err != nil {
		return nil, err
	}
	m := manifest{Format: Format, Program: c.Program, Experiments: c.Experiments}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if err := checkName(name); err != nil {
			return nil, err
		}
		m.Entries = append(m.Entries, listed{name, sum(entries[name]), int64(len(entries[name]))})
	}
	if entries[manifestName], err = printed.JSON(m, "  "); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(entries[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// entries returns all entries but the manifest by path.
func (c Contents) entries() (map[string][]byte, error) {
	entries := map[string][]byte{}
	add := func(name string, data []byte) error {
		if _, taken := entries[name]; taken || name == manifestName {
			return fmt.Errorf("two files of the bundle are called %s; choose the records of one profile with --profile", name)
		}
		entries[name] = data
		return nil
	}
	for _, r := range c.Records {
		if err := add(RecordPath(r.Header), r.Bytes); err != nil {
			return nil, err
		}
	}
	for _, e := range c.Experiments {
		if err := add(e.entry(), e.Text); err != nil {
			return nil, err
		}
		for name, text := range e.Files {
			if len(e.Files) == 1 {
				continue // it is the spec
			}
			if err := add(sourcesFolder+e.ID+"/"+name, text); err != nil {
				return nil, err
			}
		}
		for name, text := range e.Programs {
			if err := add(e.programs()+name, text); err != nil {
				return nil, err
			}
		}
	}
	verdicts, err := claims.EncodeVerdicts(c.Verdicts)
	if err != nil {
		return nil, err
	}
	data, err := printed.JSON(c.Data, "  ")
	if err != nil {
		return nil, err
	}
	environment, err := printed.JSON(c.Machines, "  ")
	if err != nil {
		return nil, err
	}
	own := map[string][]byte{verdictsName: verdicts, dataName: data, environmentName: environment}
	for _, files := range []map[string][]byte{own, c.Files} {
		for name, data := range files {
			if err := add(name, data); err != nil {
				return nil, err
			}
		}
	}
	return entries, nil
}

// sum returns the SHA-256 of data in hexadecimal.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
