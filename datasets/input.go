package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"repro/algos/compute"
	"repro/datasets/formats"
)

// input says how to read a file.
type input struct {
	key     string // of the user's own file in the spec
	path    string
	format  string
	target  string
	header  bool
	dims    int // number of inputs; 0 if only the file says
	binary  bool
	label   func(float64) (float64, bool)
	remote  *RemoteFile // the file it must be, nil for the user's own
	outputs int         // number of targets in a file of labels
	pixels  bool        // bytes of an array are pixels, which become numbers from 0 to 1
	few     bool        // it may have fewer rows than the remote file
	beside  *input      // the file with the labels, if they are in one of their own
	memory  int64       // bytes that the rows may take, 0 for what this machine has
	held    int64       // bytes that the rows of other files have already
	passed  int64       // bytes of uncompressed content that were read last
}

// bound returns the bytes that the uncompressed content of the file may have.
func (in *input) bound() int64 {
	if in.remote != nil && in.remote.content > 0 {
		return in.remote.content
	}
	return in.limit()
}

// limit returns the bytes that the rows may take.
func (in *input) limit() int64 {
	if in.memory > 0 {
		return in.memory - in.held
	}
	return machineMemory() - in.held
}

// layout says what the rows of the file look like.
func (in *input) layout(c *formats.Content) formats.Layout {
	return formats.Layout{Format: in.format, Target: in.target, Header: in.header, Inputs: in.dims, Most: c.Most()}
}

// load reads the file.
func (in *input) load(ctx context.Context) (*table, error) {
	return load(ctx, []*input{in}, false, nil)
}

// load reads files, one after the other, into one table. That of a source is read once: its size is known and its checksum is
// verified on the way. The user's own is counted before, so that no more memory is taken than the matrices need. Given the
// targets of all rows of the user's own files, choose says which of the rows will be used, in increasing order; nil if all
// are. Unless labelled is set it looks at the number of targets only.
func load(ctx context.Context, files []*input, labelled bool, choose func(y compute.Matrix) (rows []int, err error)) (*table, error) {
	if files[0].format == "idx" {
		return loadImages(ctx, files)
	}
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
		own = own && in.remote == nil
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
	t := &table{x: compute.NewMatrix(many, sizes[0].Inputs), y: compute.NewMatrix(n, 1), kept: kept}
	return t, t.fill(ctx, files, sizes)
}

// size returns the size of the file. The file of a source is not read for it. The user's own is counted; it is read if its
// targets are needed, if it is an array, whose header alone would say how much memory to take, and if what was counted cannot
// be right, so that the error says why.
func (in *input) size(ctx context.Context, labelled bool) (extent, error) {
	if in.remote != nil {
		return extent{Counted: formats.Counted{Rows: in.remote.Rows, Inputs: in.dims}, passed: in.passed}, nil
	}
	e, err := in.count(ctx, labelled || in.format == "npy")
	if err == nil && e.targets == nil && in.wrong(e) {
		e, err = in.count(ctx, true)
	}
	return e, err
}

// wrong reports whether a text cannot be of rows with the inputs that were counted.
func (in *input) wrong(e extent) bool {
	least, ok := formats.Product(e.Rows, e.Inputs+1, 2) // a field of csv has a character, and a comma or the end of the line after it
	return e.Inputs == 0 || in.format == "csv" && (!ok || e.passed < least-1 || in.dims > 0 && e.Inputs != in.dims)
}

// fill reads the rows of the files into t, those of one file after those of the one before.
func (t *table) fill(ctx context.Context, files []*input, sizes []extent) error {
	row, next := 0, 0 // of the targets, of the inputs
	for i, in := range files {
		part := &table{y: t.y.RowRange(row, row+sizes[i].Rows)}
		end := row + sizes[i].Rows
		if t.kept != nil {
			end, _ = slices.BinarySearch(t.kept, row+sizes[i].Rows)
			part.kept = make([]int, end-next)
			for k := range part.kept {
				part.kept[k] = t.kept[next+k] - row
			}
		}
		part.x = t.x.RowRange(next, end)
		sha, err := in.fill(ctx, part)
		if err != nil {
			return err
		}
		if read := sizes[i].targets; read != nil && !slices.Equal(read, part.y.Data) {
			return in.changed()
		}
		if i == 0 {
			t.names = part.names
		}
		if err := part.matches(in, t); err != nil {
			return err
		}
		row, next = row+part.y.Rows, end
		t.files = append(t.files, in.file(sha, part.y.Rows))
	}
	if row < t.y.Rows {
		t.x, t.y = t.x.RowRange(0, row), t.y.RowRange(0, row)
	}
	return nil
}

// changed is the error if a file of the user's own has not the rows any more that were counted.
func (in *input) changed() error {
	return formats.Faultf(formats.ErrFormat, "%s: the file changed while it was read: run again", in.path)
}

// measure reads the file without keeping its inputs. It returns its targets, the number of inputs, and the first row,
// from 1, that has so many.
func (in *input) measure(ctx context.Context) (targets []float64, dims, widest int, err error) {
	dims = in.dims
	_, err = in.scan(ctx, func(r formats.Rows, y float64) error {
		if in.dims > 0 && in.format != "libsvm" && r.Width() != in.dims {
			return r.Errorf("the row has %d inputs, those of the file before have %d", r.Width(), in.dims)
		}
		targets = append(targets, y)
		if r.Width() > dims {
			dims, widest = r.Width(), len(targets)
		}
		return nil
	}, nil)
	if err == nil && len(targets) == 0 {
		err = formats.Faultf(formats.ErrFormat, "%s: the file has no rows", in.path)
	}
	if err == nil && dims == 0 {
		err = formats.Faultf(formats.ErrFormat, "%s: the rows have no inputs", in.path)
	}
	return targets, dims, widest, err
}

// fill reads the file into t, which has the right size: all targets, and the inputs of the kept rows only. It returns the
// digest of the content.
func (in *input) fill(ctx context.Context, t *table) (sha string, err error) {
	n, dims := t.y.Rows, t.x.Cols
	i, next := 0, 0
	sha, err = in.scan(ctx, func(r formats.Rows, y float64) error {
		if i == n && in.remote == nil {
			return in.changed()
		}
		if i == n {
			return r.Errorf("there are more than the %d rows expected", n)
		}
		if w := r.Width(); w > dims || w < dims && in.format == "csv" {
			return r.Errorf("the row has %d inputs, %d expected", r.Width(), dims)
		}
		if t.kept == nil || next < len(t.kept) && t.kept[next] == i {
			r.Put(t.x.Row(next))
			next++
		}
		t.y.Data[i] = y
		i++
		return nil
	}, &t.names)
	if err == nil && i < n && in.few && i > 0 {
		t.x, t.y = t.x.RowRange(0, i), t.y.RowRange(0, i)
	} else if err == nil && i < n && in.remote == nil {
		err = in.changed()
	} else if err == nil && i < n {
		err = formats.Faultf(formats.ErrFormat, "%s: %d rows, %d expected", in.path, i, n)
	}
	return sha, err
}

// scan calls visit on every row of the file and returns the digest of its content. A source's file
// that has another checksum is reported as that and not as malformed.
func (in *input) scan(ctx context.Context, visit func(r formats.Rows, y float64) error, names *[]string) (sha string, err error) {
	return in.content(ctx, func(c *formats.Content) error { return in.visit(c, visit, names) })
}

// content hands the content of the file to read, and returns its digest.
func (in *input) content(ctx context.Context, read func(c *formats.Content) error) (sha string, err error) {
	c, err := formats.Open(ctx, in.path, in.bound())
	if err != nil {
		return "", in.openError(err)
	}
	defer c.Close()
	err = read(c)
	if err == nil || in.remote != nil {
		if e := c.Drain(); err == nil && e != nil {
			err = formats.Faultf(formats.ErrFormat, "%s: %w", in.path, formats.Broken(e))
		}
	}
	in.passed = c.Passed()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if in.remote != nil {
		if e := verifyContent(c, in.remote); e != nil {
			return "", wrongFile(e)
		}
	}
	sha, _ = c.Inside.Hex()
	return sha, err
}

func (in *input) openError(err error) error {
	if in.remote != nil && errors.Is(err, formats.ErrFormat) {
		return wrongFile(unreadable(in.path, in.remote, err))
	}
	if errors.Is(err, fs.ErrNotExist) && in.remote == nil {
		return formats.Faultf(ErrMissing, "data.%s: there is no file %s: paths are relative to the folder of the spec", in.key, in.path)
	}
	return err
}

func (in *input) visit(c *formats.Content, visit func(r formats.Rows, y float64) error, names *[]string) error {
	r, err := formats.NewRows(c, in.path, in.layout(c))
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
func (in *input) labeller() func(float64) (float64, error) {
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
		return func(v float64) (float64, error) { return v, nil }
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

// loadTest loads a test file, which must have the columns of the training rows.
func (in *input) loadTest(ctx context.Context, train *table) (*table, error) {
	if in.format == "libsvm" && in.dims == 0 {
		in.dims = train.x.Cols
	}
	in.held = 8 * int64(len(train.x.Data))
	t, err := in.load(ctx)
	if err != nil {
		return nil, err
	}
	return t, t.matches(in, train)
}

// file describes what was read for the record.
func (in *input) file(sha string, rows int) File {
	name := filepath.Base(in.path)
	if in.remote != nil {
		name = in.remote.Name
	}
	return File{Name: name, SHA256: sha, Rows: rows}
}
