package datasets

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// Measure returns the training rows, test rows, inputs and outputs that Open would return, to predict the cost of a run.
// It opens no registered data set; zeros are numbers that only the files say. It passes once over the user's own files,
// quickly unless it must read labels, for classes and for a multi-class task, and keeps what it counted until the file
// changes. o.Task is the task of the loss if the spec does not state it. Paths are relative to specDir.
func (l *Library) Measure(ctx context.Context, o Options, specDir string) (train, test, in, out int, err error) {
	if o.Name != "" {
		train, test, in = o.Shape()
		return train, test, in, o.outputs(), nil
	}
	if err := o.Check(); err != nil {
		return 0, 0, 0, 0, err
	}
	labelled := len(o.Classes) > 0 || o.Task == taskMulticlass
	var counts [2]extent
	files, err := o.ownInputs(specDir, l.memory())
	if err != nil {
		return 0, 0, 0, 0, err
	}
	for i, in := range files {
		if counts[i], err = in.count(ctx, labelled); err != nil {
			return 0, 0, 0, 0, err
		}
	}
	if train, test, out, err = o.divided(files, counts, labelled); err != nil {
		return 0, 0, 0, 0, err
	}
	rows := []int{train + test}
	if len(files) > 1 && !o.Stream {
		rows = []int{train, test}
	}
	if o.Stream {
		counts[0].Rows, counts[0].passed = train, counts[0].passed+counts[1].passed
	}
	for i, in := range files[:len(rows)] {
		in.passed = counts[i].passed
		if err := in.fits(min(rows[i], counts[i].Rows), counts[i].Inputs, counts[i].Widest); err != nil {
			return 0, 0, 0, 0, err
		}
	}
	return train, test, wanted(counts[0].Inputs, o.PCA), out, nil
}

// divided returns the training rows, test rows and outputs of files that were counted.
func (o Options) divided(files []*Input, counts [2]extent, labelled bool) (train, test, out int, err error) {
	if !labelled {
		train, test = o.read(&Source{Rows: counts[0].Rows, TestRows: counts[1].Rows})
		return train, test, 1, nil
	}
	y := vector(counts[0].targets)
	if o.Stream {
		y = vector(slices.Concat(counts[0].targets, counts[1].targets))
	}
	rows, held, err := o.choose(y)
	if err != nil {
		return 0, 0, 0, err
	}
	if len(files) > 1 && !o.Stream {
		held = o.ofClasses(transforms.Span(0, counts[1].Rows), vector(counts[1].targets))
	}
	if out = 1; o.Task == taskMulticlass {
		out = distinct(y, rows)
	}
	return len(rows), wanted(len(held), o.Test), out, nil
}

// outputs returns the outputs of a registered data set, 0 if only its files say.
func (o Options) outputs() int {
	s, err := lookup(o.Name)
	switch {
	case err != nil:
		return 0
	case s.Generated():
		return wanted(max(s.Generate.Outputs, 1), o.Outputs)
	case o.Task != taskMulticlass:
		return max(s.Outputs, 1)
	case len(o.Classes) > 0:
		return len(o.Classes)
	}
	return len(s.Counts[0])
}

// An extent is what Measure knows of a file.
type extent struct {
	stamp
	formats.Counted
	passed  int64     // bytes of uncompressed content
	targets []float64 // nil unless they were asked for
}

// measured are the files that were counted, by how they are read.
var measured sync.Map

// count counts the rows and inputs of the file, and returns its targets if the caller needs them.
func (in *Input) count(ctx context.Context, targets bool) (extent, error) {
	info, err := os.Stat(in.Path)
	if err != nil {
		return extent{}, in.openError(err)
	}
	now := stamp{info.Size(), info.ModTime()}
	key := fmt.Sprintf("%q %q %q %v %v %v", in.Path, in.Format, in.target, in.header, in.dims, targets)
	if c, ok := measured.Load(key); ok && c.(extent).stamp == now {
		return c.(extent), nil
	}
	c := extent{stamp: now}
	if targets {
		c.targets, c.Inputs, c.Widest, err = in.measure(ctx)
		c.Rows = len(c.targets)
	} else {
		c.Counted, err = in.lines(ctx)
	}
	c.passed = in.passed
	if err != nil {
		return extent{}, err
	}
	measured.Store(key, c)
	return c, nil
}

// lines counts the rows and inputs of the file without reading its numbers.
func (in *Input) lines(ctx context.Context) (n formats.Counted, err error) {
	c, err := formats.OpenUnhashed(ctx, in.Path, in.Bound())
	if err != nil {
		return n, in.openError(err)
	}
	defer c.Close()
	n, err = formats.Count(c, in.Path, in.layout(c))
	if ctx.Err() != nil {
		return n, ctx.Err()
	}
	in.passed = c.Passed()
	if err == nil && n.Rows == 0 {
		err = formats.Faultf(ErrFormat, "%s: the file has no rows", in.Path)
	}
	return n, err
}

// vector returns v as a matrix of one column.
func vector(v []float64) compute.Matrix {
	return compute.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// distinct returns the number of different targets of the given rows.
func distinct(y compute.Matrix, rows []int) int {
	v := make([]float64, len(rows))
	for k, i := range rows {
		v[k] = y.At(i, 0)
	}
	slices.Sort(v)
	return len(slices.Compact(v))
}

// memory returns the bytes that data may take.
func (l *Library) memory() int64 { return cmp.Or(l.Memory, machineMemory()) }

// MachineMemory returns the memory of this machine or, if that is less, of the container; 64 GiB and false where neither is
// known.
func MachineMemory() (bytes int64, known bool) {
	bytes = 64 << 30
	for _, limit := range memoryLimits {
		if n, err := limit(); err == nil && n > 0 && n < math.MaxInt64 && (!known || int64(n) < bytes) {
			bytes, known = int64(n), true
		}
	}
	return bytes, known
}

// FreeMemory returns how much of the memory of this machine or container programs can still get; 0 if nobody knows.
func FreeMemory() (bytes float64) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	total, _ := MachineMemory()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kB float64
		if n, _ := fmt.Sscanf(s.Text(), "MemAvailable: %g kB", &kB); n == 1 {
			bytes = min(1024*kB, float64(total))
		}
	}
	return bytes
}

// machineMemory is MachineMemory, asked for once.
var machineMemory = sync.OnceValue(func() int64 {
	bytes, _ := MachineMemory()
	return bytes
})

// Text has few of the numbers of its matrix if it leaves out zeros. A matrix of more than sparseFree bytes may have
// sparseFactor times the bytes of its text, unless the spec states the number of columns.
const (
	sparseFree   = 64 << 20
	sparseFactor = 4096
)

// fits returns an error if a matrix of the given rows and columns, beside what is held already, is more than memory has,
// or more than the text that was read accounts for. The first row that needs all columns is number widest, from 1.
func (in *Input) fits(rows, columns, widest int) error {
	n, ok := formats.Product(rows, columns, 8)
	shape := fmt.Sprintf("%d rows × %d columns", rows, columns)
	if ok {
		shape += ", " + formats.Size(n)
	}
	sparse := in.Format == "libsvm" && in.dims == 0
	where := in.Path
	if sparse {
		where = fmt.Sprintf("%s:%d: index %d", in.Path, widest, columns)
	}
	switch err := transforms.Fits(rows, columns, in.limit()); {
	case err != nil && sparse:
		return formats.Faultf(formats.ErrFormat, "%s would make a matrix of %s, and data may take %s of memory: correct the index, or set train to use fewer rows", where, shape, formats.Size(in.limit()))
	case err != nil:
		return formats.Faultf(formats.ErrFormat, "%s: %w: use fewer rows or columns", where, err)
	case sparse && n > sparseFree && n/sparseFactor > in.passed:
		return formats.Faultf(formats.ErrFormat, "%s would make a matrix of %s, of a file of %s: correct the index, or state columns = %d in [data] if it is right", where, shape, formats.Size(in.passed), columns)
	}
	return nil
}

// Shape returns the training rows, test rows and inputs that the options ask for, without reading any data; zeros if the
// source is unknown or does not say, and for the user's own files, which Measure counts.
func (o Options) Shape() (train, test, in int) {
	s, err := lookup(o.Name)
	if err != nil {
		return 0, 0, 0
	}
	in = s.Dims
	if o.PCA > 0 {
		in = o.PCA
	}
	switch {
	case s.Generated():
		train, test = o.drawn(s)
		in = s.inputs(o)
	case s.Copies != nil:
		train, test = o.unitsOf(s)
	default:
		train, test = o.read(s)
	}
	return train, test, in
}

// Streamed reports whether training rows are made or read when they are used and not kept in memory.
func (o Options) Streamed() bool {
	s, err := lookup(o.Name)
	if err != nil || o.InMemory {
		return false
	}
	return s.Generated() || s.Copies != nil || s.Bring != ""
}

// drawn returns the numbers of generated rows.
func (o Options) drawn(s *Source) (train, test int) {
	train, test = s.Rows, s.TestRows
	if len(o.Rows) == 2 {
		train = o.Rows[1] - o.Rows[0] + 1
	}
	train, test = wanted(train, o.Train), wanted(test, o.Test)
	if o.Stream {
		return train, 0
	}
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
		test = wanted(test, o.Test)
	}
	return train, test
}

// unitsOf returns the numbers of rows made of a source's units.
func (o Options) unitsOf(s *Source) (train, test int) {
	c := s.Copies
	train, test = s.Rows/c.Train, s.TestRows/c.Test
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
	}
	return wanted(train*c.Train, o.Train), wanted(test, o.Test) * c.Test
}

// read returns the numbers of rows read from files.
func (o Options) read(s *Source) (train, test int) {
	train, test = o.ofCounts(s.Rows, s.Counts[0]), o.ofCounts(s.TestRows, s.Counts[1])
	if o.Stream {
		train, test = train+test, 0
	}
	if len(o.TestRows) == 2 {
		test = o.TestRows[1] - o.TestRows[0] + 1
		train -= test
	}
	if len(o.Rows) == 2 {
		train = min(train, o.Rows[1]-o.Rows[0]+1)
	}
	if o.TestPart > 0 {
		train, test = divide(train, o.TestPart)
	}
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
	}
	return wanted(train, o.Train), wanted(test, o.Test)
}

// ofCounts returns how many of n rows have the classes asked for, if their counts are known.
func (o Options) ofCounts(n int, counts []int) int {
	if len(o.Classes) == 0 || counts == nil {
		return n
	}
	n = 0
	for _, c := range o.Classes {
		if c >= 0 && c < len(counts) {
			n += counts[c]
		}
	}
	return n
}

// divide returns n rows without a fraction of them, and how many that fraction is.
func divide(n int, fraction float64) (rest, taken int) {
	taken = int(math.Round(fraction * float64(n)))
	return n - taken, taken
}

// wanted returns count, or n if it is 0.
func wanted(n, count int) int {
	if count > 0 {
		return count
	}
	return n
}
