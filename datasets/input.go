package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"

	"repro/datasets/formats"
)

// An Input is a file that rows are read from, and how.
type Input struct {
	Path   string
	Format string
	Remote *RemoteFile // the file it must be, nil for the user's own

	key     string // of the user's own file in the spec
	target  string
	header  bool
	dims    int // number of inputs; 0 if only the file says
	outputs int // number of targets in a file of labels
	binary  bool
	classes bool // targets are numbers of classes
	label   func(float64) (float64, bool)
	few     bool   // it may have fewer rows than the remote file
	memory  int64  // bytes that the rows may take
	folder  string // where rows are kept that do not fit into memory
	passed  int64  // bytes of uncompressed content that were read last
}

// Bound returns the bytes that the uncompressed content of the file may have.
func (in *Input) Bound() int64 {
	if in.Remote != nil && in.Remote.content > 0 {
		return in.Remote.content
	}
	return in.limit()
}

// limit returns the bytes that the rows may take.
func (in *Input) limit() int64 { return cmp.Or(in.memory, machineMemory()) }

// Upto reads the rows of a file of a source, of which there may be fewer than the source says.
func (in *Input) Upto(ctx context.Context) (*Part, error) {
	in.few = true
	return table(ctx, []*Input{in})
}

// Content hands the content of the file to read, and returns its digest. A source's file that has another checksum is reported as that
// and not as malformed.
func (in *Input) Content(ctx context.Context, read func(c *formats.Content) error) (sha string, err error) {
	c, err := formats.Open(ctx, in.Path, in.Bound())
	if err != nil {
		return "", in.openError(err)
	}
	defer c.Close()
	err = read(c)
	if err == nil || in.Remote != nil {
		if e := c.Drain(); err == nil && e != nil {
			err = formats.Faultf(formats.ErrFormat, "%s: %w", in.Path, formats.Broken(e))
		}
	}
	in.passed = c.Passed()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if in.Remote != nil {
		if e := verifyContent(c, in.Remote); e != nil {
			return "", wrongFile(e)
		}
	}
	sha, _ = c.Inside.Hex()
	return sha, err
}

func (in *Input) openError(err error) error {
	if in.Remote != nil && errors.Is(err, formats.ErrFormat) {
		return wrongFile(unreadable(in.Path, in.Remote, err))
	}
	if errors.Is(err, fs.ErrNotExist) && in.Remote == nil {
		return formats.Faultf(ErrMissing, "data.%s: there is no file %s: paths are relative to the folder of the spec", in.key, in.Path)
	}
	return err
}

// visit calls visit on every row of the content, and sets names, unless that is nil, to the names of the columns.
func (in *Input) visit(c *formats.Content, visit func(r formats.Rows, y float64) error, names *[]string) error {
	r, err := formats.NewRows(c, in.Path, formats.Layout{Format: in.Format, Target: in.target, Header: in.header, Inputs: in.dims, Most: c.Most()})
	if err != nil {
		return err
	}
	if csv, ok := r.(*formats.CSV); ok && names != nil {
		*names = csv.Names
	}
	label := in.labeller()
	for {
		y, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if y, err = label(y); err != nil {
			return r.Errorf("%w", err)
		}
		if err := visit(r, y); err != nil {
			return err
		}
	}
}

// labeller returns what turns the label of a row into its target. For a binary task that is 1 or
// -1, or 1 and 0 in a file that uses those.
func (in *Input) labeller() func(float64) (float64, error) {
	if in.label != nil {
		return func(v float64) (float64, error) {
			y, ok := in.label(v)
			if !ok {
				return 0, fmt.Errorf("label %v is unknown", v)
			}
			return y, nil
		}
	}
	if !in.binary {
		return func(v float64) (float64, error) {
			if in.classes && math.Abs(v) >= 1<<53 {
				return 0, fmt.Errorf("data.task: the label is about %v, and whole numbers beyond 2^53 are not told apart: number the classes from 0", v)
			}
			return v, nil
		}
	}
	negative := 1.0 // the negative label the file uses, once seen
	return func(v float64) (float64, error) {
		switch {
		case v == 1:
			return 1, nil
		case v != 0 && v != -1:
			return 0, fmt.Errorf("label %v of a binary task: write 1 and -1, or 1 and 0", v)
		case negative != 1 && v != negative:
			return 0, fmt.Errorf("label %v, after %v was used: write 1 and -1, or 1 and 0, not all three", v, negative)
		}
		negative = v
		return -1, nil
	}
}

// file describes what was read for the record.
func (in *Input) file(sha string, rows int) File {
	name := filepath.Base(in.Path)
	if in.Remote != nil {
		name = in.Remote.Name
	}
	return File{Name: name, SHA256: sha, Rows: rows}
}
