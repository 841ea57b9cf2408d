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
)

// Measure returns the training rows, test rows, inputs and outputs that Open would return, to predict the cost of a run.
// It opens no registered data set; zeros are numbers that only the files say. The user's own files are read, and not again by Open.
// o.Task is the task of the loss if the spec does not state it. Paths are relative to specDir.
func (l *Library) Measure(ctx context.Context, o Options, specDir string) (train, test, in, out int, err error) {
	if o.Name != "" {
		train, test, in = o.Shape()
		return train, test, in, o.outputs(), nil
	}
	if err := o.Check(); err != nil {
		return 0, 0, 0, 0, err
	}
	files, err := l.ownInputs(o, specDir)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	part, other, err := loadTables(ctx, files, o)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	rows, held, err := o.chooseOf(part, other)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	if out = 1; o.Task == taskMulticlass {
		out = distinct(part.Y, rows)
	}
	return len(rows), len(held), cmp.Or(o.PCA, part.in), out, nil
}

// Packed reports whether the rows are those of files with a row a sample.
func (o Options) Packed() bool {
	s, err := lookup(o.Name)
	return o.File != "" || err == nil && s.Load == nil && !s.Generated()
}

// InMemory reports whether a number of rows of such files is kept in memory: they may take half of it. More rows are read from the disk
// when they are used.
func (l *Library) InMemory(rows, inputs int) bool {
	return stay(rows, inputs, l.memory()) == nil
}

// outputs returns the outputs of a registered data set, 0 if only its files say.
func (o Options) outputs() int {
	s, err := lookup(o.Name)
	switch {
	case err != nil:
		return 0
	case s.Generated():
		return cmp.Or(o.Outputs, max(s.Generate.Outputs, 1))
	case o.Task != taskMulticlass:
		return max(s.Outputs, 1)
	case len(o.Classes) > 0:
		return len(o.Classes)
	}
	return len(s.Counts[0])
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

// Shape returns the training rows, test rows and inputs that the options ask for, without reading any data; zeros if the
// source is unknown or does not say, and for the user's own files, which Measure counts.
func (o Options) Shape() (train, test, in int) {
	s, err := lookup(o.Name)
	if err != nil {
		return 0, 0, 0
	}
	in = cmp.Or(o.PCA, s.Dims)
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
	train, test = cmp.Or(o.Train, train), cmp.Or(o.Test, test)
	if o.Stream {
		return train, 0
	}
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
		test = cmp.Or(o.Test, test)
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
	return cmp.Or(o.Train, train*c.Train), cmp.Or(o.Test, test) * c.Test
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
	if o.published(s.Splits) { // to a row: splits differ by one
		train, test = divide(train, 1/float64(s.Splits))
	}
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
	}
	return cmp.Or(o.Train, train), cmp.Or(o.Test, test)
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
