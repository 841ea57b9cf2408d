package datasets

import (
	"context"
	"fmt"
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
