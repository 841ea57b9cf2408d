package runner

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/online"
	"repro/results/files"
)

// A checkpoint is what a cell needs to continue as if it had not stopped. Its file begins with a line that names the format
// and a line with the SHA-256 of the rest: this struct and the state of the fit, both by algos.SaveState.
type checkpoint struct {
	Digest   string // of the cell's settings
	Build    string // of the program that wrote it
	Offset   int64  // bytes of the record it belongs to
	Progress progress
	Eval     evaluatorState

	Adversary online.State // of a cell whose examples an adversary chooses

	state any // of the fit; set when the checkpoint is written
}

// A kept is a checkpoint in its open file, read up to the state.
type kept struct {
	checkpoint
	file  *os.File
	bytes int64         // after the head
	rest  *bufio.Reader // the state
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
const checkpointMagic = "repro checkpoint 4\n"

// checkpointHead is the length of the lines before the checksummed part.
const checkpointHead = len(checkpointMagic) + 2*sha256.Size + 1

// write writes the checkpoint to a file that then replaces the old one: after room for the head, then the head.
func (c *checkpoint) write(f *files.File) error {
	if _, err := f.Seek(int64(checkpointHead), io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	b := bufio.NewWriterSize(f, 1<<16)
	w := io.MultiWriter(b, sum)
	if err := errors.Join(algos.SaveState(w, c), algos.SaveState(w, c.state)); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(checkpointMagic+hex.EncodeToString(sum.Sum(nil))+"\n"), 0)
	return err
}

// errCheckpoint is wrapped by the errors about the content of a checkpoint.
var errCheckpoint = errors.New("checkpoint")

// openCheckpoint reads a checkpoint up to the state, for which its file stays open. It decodes nothing unless the checksum
// matches, so that a damaged file cannot make gob allocate memory.
func openCheckpoint(path string) (*kept, error) {
	f, err := files.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	c := &kept{file: f, rest: bufio.NewReaderSize(f, 1<<16)}
	if err := c.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", errCheckpoint, err)
	}
	return c, nil
}

// read reads the checkpoint from its file up to the state.
func (c *kept) read() error {
	head := make([]byte, checkpointHead)
	if _, err := io.ReadFull(c.file, head); err != nil || string(head[:len(checkpointMagic)]) != checkpointMagic {
		return errors.New("it is damaged, or of another version of this program")
	}
	sum := sha256.New()
	var err error
	if c.bytes, err = io.Copy(sum, c.file); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil))+"\n" != string(head[len(checkpointMagic):]) {
		return errors.New("it is damaged: its checksum does not match")
	}
	if _, err := c.file.Seek(int64(checkpointHead), io.SeekStart); err != nil {
		return err
	}
	return algos.RestoreState(c.rest, c.bytes, &c.checkpoint)
}
