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
	"slices"

	"repro/algos/compute"
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
	few     bool  // it may have fewer rows than the remote file
	memory  int64 // bytes that the rows may take
	held    int64 // bytes that the rows of other files have already
	passed  int64 // bytes of uncompressed content that were read last
}

// Bound returns the bytes that the uncompressed content of the file may have.
func (in *Input) Bound() int64 {
	if in.Remote != nil && in.Remote.content > 0 {
		return in.Remote.content
	}
	return in.limit()
}

// limit returns the bytes that the rows may take.
func (in *Input) limit() int64 { return cmp.Or(in.memory, machineMemory()) - in.held }

// layout says what the rows of the file look like.
func (in *Input) layout(c *formats.Content) formats.Layout {
	return formats.Layout{Format: in.Format, Target: in.target, Header: in.header, Inputs: in.dims, Most: c.Most()}
}

// load reads the file.
func (in *Input) load(ctx context.Context) (*Part, error) { return load(ctx, []*Input{in}, false, nil) }

// Upto reads the rows of a file of a source, of which there may be fewer than the source says.
func (in *Input) Upto(ctx context.Context) (*Part, error) {
	in.few = true
	return in.load(ctx)
}

// loadTables is the Loader of files with a row a sample.
func loadTables(ctx context.Context, files []*Input, o Options) (train, test *Part, err error) {
	training := files
	if !o.Stream {
		training = files[:1]
	}
	alone := len(files) == len(training)
	train, err = load(ctx, training, len(o.Classes) > 0, func(y compute.Matrix) ([]int, error) { return o.used(y, alone) })
	if err != nil || alone {
		return train, nil, err
	}
	in := files[1]
	if in.Format == "libsvm" && in.dims == 0 {
		in.dims = train.X.Cols
	}
	in.held = 8 * int64(len(train.X.Data))
	if test, err = in.load(ctx); err != nil {
		return nil, nil, err
	}
	return train, test, test.matches(in, train)
}

// load reads files, one after the other, into one table. That of a source is read once: its size is known and its checksum is
// verified on the way. The user's own is counted before, so that no more memory is taken than the matrices need. Given the
// targets of all rows of the user's own files, choose says which of the rows will be used, in increasing order; nil if all
// are. Unless labelled is set it looks at the number of targets only.
func load(ctx context.Context, files []*Input, labelled bool, choose func(y compute.Matrix) (rows []int, err error)) (*Part, error) {
	sizes := make([]extent, len(files))
	n, passed, own := 0, int64(0), true
	var y []float64
	for i, in := range files {
		if i > 0 && in.dims == 0 {
			in.dims = sizes[0].Inputs
		}
		var err error
		if sizes[i], err = in.size(ctx, labelled); err != nil {
			return nil, err
		}
		n, passed, y = n+sizes[i].Rows, passed+sizes[i].passed, append(y, sizes[i].targets...)
		own = own && in.Remote == nil
	}
	files[0].passed = passed
	many := n
	var kept []int
	if choose != nil && own {
		var err error
		if kept, err = choose(compute.Matrix{Rows: n, Cols: 1, Stride: 1, Data: y}); err != nil {
			return nil, err
		}
		if kept != nil {
			many = len(kept)
		}
	}
	if err := files[0].fits(many, sizes[0].Inputs, sizes[0].Widest); err != nil {
		return nil, err
	}
	t := &Part{X: compute.NewMatrix(many, sizes[0].Inputs), Y: compute.NewMatrix(n, 1), kept: kept}
	return t, t.fill(ctx, files, sizes)
}

// size returns the size of the file. The file of a source is not read for it. The user's own is counted; it is read if its
// targets are needed, if it is an array, whose header alone would say how much memory to take, and if what was counted cannot
// be right, so that the error says why.
func (in *Input) size(ctx context.Context, labelled bool) (extent, error) {
	if in.Remote != nil {
		return extent{Counted: formats.Counted{Rows: in.Remote.Rows, Inputs: in.dims}, passed: in.passed}, nil
	}
	e, err := in.count(ctx, labelled || in.Format == "npy")
	if err == nil && e.targets == nil && in.wrong(e) {
		e, err = in.count(ctx, true)
	}
	return e, err
}

// wrong reports whether a text cannot be of rows with the inputs that were counted.
func (in *Input) wrong(e extent) bool {
	least, ok := formats.Product(e.Rows, e.Inputs+1, 2) // a field of csv has a character, and a comma or the end of the line after it
	return e.Inputs == 0 || in.Format == "csv" && (!ok || e.passed < least-1 || in.dims > 0 && e.Inputs != in.dims)
}

// fill reads the rows of the files into t, those of one file after those of the one before.
func (t *Part) fill(ctx context.Context, files []*Input, sizes []extent) error {
	row, next := 0, 0 // of the targets, of the inputs
	for i, in := range files {
		part := &Part{Y: t.Y.RowRange(row, row+sizes[i].Rows)}
		end := row + sizes[i].Rows
		if t.kept != nil {
			end, _ = slices.BinarySearch(t.kept, row+sizes[i].Rows)
			part.kept = make([]int, end-next)
			for k := range part.kept {
				part.kept[k] = t.kept[next+k] - row
			}
		}
		part.X = t.X.RowRange(next, end)
		sha, err := in.fill(ctx, part)
		if err != nil {
			return err
		}
		if read := sizes[i].targets; read != nil && !slices.Equal(read, part.Y.Data) {
			return in.changed()
		}
		if i == 0 {
			t.names = part.names
		}
		if err := part.matches(in, t); err != nil {
			return err
		}
		row, next = row+part.Y.Rows, end
		t.Files = append(t.Files, in.file(sha, part.Y.Rows))
	}
	if row < t.Y.Rows {
		t.X, t.Y = t.X.RowRange(0, row), t.Y.RowRange(0, row)
	}
	return nil
}

// changed is the error if a file of the user's own has not the rows any more that were counted.
func (in *Input) changed() error {
	return formats.Faultf(formats.ErrFormat, "%s: the file changed while it was read: run again", in.Path)
}

// measure reads the file without keeping its inputs. It returns its targets, the number of inputs, and the first row,
// from 1, that has so many.
func (in *Input) measure(ctx context.Context) (targets []float64, dims, widest int, err error) {
	dims = in.dims
	_, err = in.scan(ctx, func(r formats.Rows, y float64) error {
		if in.dims > 0 && in.Format != "libsvm" && r.Width() != in.dims {
			return r.Errorf("the row has %d inputs, those of the file before have %d", r.Width(), in.dims)
		}
		targets = append(targets, y)
		if r.Width() > dims {
			dims, widest = r.Width(), len(targets)
		}
		return nil
	}, nil)
	if err == nil && len(targets) == 0 {
		err = formats.Faultf(formats.ErrFormat, "%s: the file has no rows", in.Path)
	}
	if err == nil && dims == 0 {
		err = formats.Faultf(formats.ErrFormat, "%s: the rows have no inputs", in.Path)
	}
	return targets, dims, widest, err
}

// fill reads the file into t, which has the right size: all targets, and the inputs of the kept rows only. It returns the
// digest of the content.
func (in *Input) fill(ctx context.Context, t *Part) (sha string, err error) {
	n, dims := t.Y.Rows, t.X.Cols
	i, next := 0, 0
	sha, err = in.scan(ctx, func(r formats.Rows, y float64) error {
		if i == n && in.Remote == nil {
			return in.changed()
		}
		if i == n {
			return r.Errorf("there are more than the %d rows expected", n)
		}
		if w := r.Width(); w > dims || w < dims && in.Format == "csv" {
			return r.Errorf("the row has %d inputs, %d expected", r.Width(), dims)
		}
		if t.kept == nil || next < len(t.kept) && t.kept[next] == i {
			r.Put(t.X.Row(next))
			next++
		}
		t.Y.Data[i] = y
		i++
		return nil
	}, &t.names)
	if err == nil && i < n && in.few && i > 0 {
		t.X, t.Y = t.X.RowRange(0, i), t.Y.RowRange(0, i)
	} else if err == nil && i < n && in.Remote == nil {
		err = in.changed()
	} else if err == nil && i < n {
		err = formats.Faultf(formats.ErrFormat, "%s: %d rows, %d expected", in.Path, i, n)
	}
	return sha, err
}

// scan calls visit on every row of the file and returns the digest of its content. A source's file
// that has another checksum is reported as that and not as malformed.
func (in *Input) scan(ctx context.Context, visit func(r formats.Rows, y float64) error, names *[]string) (sha string, err error) {
	return in.Content(ctx, func(c *formats.Content) error { return in.visit(c, visit, names) })
}

// Content hands the content of the file to read, and returns its digest.
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

func (in *Input) visit(c *formats.Content, visit func(r formats.Rows, y float64) error, names *[]string) error {
	r, err := formats.NewRows(c, in.Path, in.layout(c))
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
