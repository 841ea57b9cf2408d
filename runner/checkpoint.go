package runner

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"repro/algos"
	"repro/algos/compute"
)

// A checkpoint is what a cell needs to continue as if it had not stopped.
type checkpoint struct {
	Digest   string // of the cell's settings
	Offset   int64  // bytes of the record it belongs to
	Progress progress
	Eval     evaluatorState
	State    []byte // of the fit, encoded
}

// progress holds what the runner counts.
type progress struct {
	Step         int
	Seen         int64
	Setup, Train float64 // seconds
	Counters     compute.Counters
}

// encodeState encodes a fit's state.
func encodeState(fit algos.Fit) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(fit.State())
	return b.Bytes(), err
}

// restoreState sets a fit's state from what encodeState returned. It decodes into a fresh value first, because gob leaves
// fields untouched that were zero.
func restoreState(fit algos.Fit, data []byte) error {
	s := reflect.ValueOf(fit.State()).Elem()
	fresh := reflect.New(s.Type())
	if err := gob.NewDecoder(bytes.NewReader(data)).DecodeValue(fresh); err != nil {
		return err
	}
	s.Set(fresh.Elem())
	return nil
}

// save writes the checkpoint to a temporary file and renames it, so that a killed run leaves the old checkpoint or the
// new one.
func (c *checkpoint) save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".checkpoint-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once renamed, as it should
	err = gob.NewEncoder(f).Encode(c)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}

// loadCheckpoint returns nil if there is no checkpoint, or if it cannot be read or is of other settings. The cell then
// starts again, which only costs time.
func loadCheckpoint(path, digest string) (*checkpoint, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var c checkpoint
	if gob.NewDecoder(f).Decode(&c) != nil || c.Digest != digest {
		return nil, nil
	}
	return &c, nil
}
