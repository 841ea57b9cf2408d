package runner

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/online"
	"repro/datasets/regular"
)

// A checkpoint is what a cell needs to continue as if it had not stopped. Its file begins with a line that names the format
// and a line with the SHA-256 of the rest, which is a gob.
type checkpoint struct {
	Digest   string // of the cell's settings
	Build    string // of the program that wrote it
	Offset   int64  // bytes of the record it belongs to
	Progress progress
	Eval     evaluatorState
	State    []byte // of the fit, encoded

	Adversary online.State // of a cell whose examples an adversary chooses
}

// progress holds what the runner counts.
type progress struct {
	Step         int
	Seen         int64
	Setup, Train float64 // seconds
	Counters     compute.Counters
	Tally        algos.Tally // of the predictions before learning; of an online fit, and where a metric asks for it
}

// checkpointMagic is the first line of a checkpoint. Its number changes with the format.
const checkpointMagic = "repro checkpoint 3\n"

// checkpointHead is the length of the lines before the gob.
const checkpointHead = len(checkpointMagic) + 2*sha256.Size + 1

// encodeState encodes a fit's state.
func encodeState(fit algos.Fit) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(fit.State())
	return b.Bytes(), err
}

// restoreState sets a fit's state from what encodeState returned. It decodes into a fresh value first, because gob leaves
// fields untouched that were zero, and so that a state that cannot be decoded leaves the fit as it is.
func restoreState(fit algos.Fit, data []byte) error {
	s := reflect.ValueOf(fit.State()).Elem()
	fresh := reflect.New(s.Type())
	if err := gob.NewDecoder(bytes.NewReader(data)).DecodeValue(fresh); err != nil {
		return err
	}
	s.Set(fresh.Elem())
	return nil
}

// write writes the checkpoint to a file that then replaces the old one: the gob after room for the head, then the head.
func (c *checkpoint) write(f *os.File) error {
	if _, err := f.Seek(int64(checkpointHead), io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	b := bufio.NewWriterSize(f, 1<<16)
	if err := gob.NewEncoder(io.MultiWriter(b, sum)).Encode(c); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(checkpointMagic+hex.EncodeToString(sum.Sum(nil))+"\n"), 0)
	return errors.Join(err, f.Sync())
}

// errCheckpoint is wrapped by the errors about the content of a checkpoint.
var errCheckpoint = errors.New("checkpoint")

// loadCheckpoint reads a checkpoint. It decodes nothing unless the checksum matches, so that a damaged file cannot make gob
// allocate memory.
func loadCheckpoint(path string) (*checkpoint, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, checkpointHead)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(checkpointMagic)]) != checkpointMagic {
		return nil, fmt.Errorf("%w: it is damaged, or of another version of repro", errCheckpoint)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	if hex.EncodeToString(sum.Sum(nil))+"\n" != string(head[len(checkpointMagic):]) {
		return nil, fmt.Errorf("%w: it is damaged: its checksum does not match", errCheckpoint)
	}
	if _, err := f.Seek(int64(checkpointHead), io.SeekStart); err != nil {
		return nil, err
	}
	var c checkpoint
	if err := gob.NewDecoder(bufio.NewReader(f)).Decode(&c); err != nil {
		return nil, fmt.Errorf("%w: %w", errCheckpoint, err)
	}
	return &c, nil
}
