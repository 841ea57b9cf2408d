package runner

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/metrics"
	"repro/algos/online"
	"repro/datasets"
	"repro/experiments"
)

// writePredictions writes what the spec asks for besides the record: the final predictions at the test inputs, and the
// function learnt on a grid. The examples that an adversary chose are written to <cell>.stream.csv.
func (x *cellRun) writePredictions() error {
	e := x.cell.Spec.Evaluate
	if x.foe != nil {
		if err := x.write(x.cell.Name+".stream.csv", examples(x.foe.Adversary)); err != nil {
			return err
		}
	}
	if e.Predictions && x.fit.Model() != nil {
		if err := x.writeTest(); err != nil {
			return err
		}
	}
	if e.Surface > 0 && (x.prog == nil || x.prog.served != nil) && x.cell.Seed == x.cell.Spec.Repeat.First {
		return x.writeSurface(e.Surface)
	}
	return nil
}

// examples returns the examples that an adversary chose as a CSV file.
func examples(a *online.Adversary) []byte {
	in, _ := a.Dims()
	var b bytes.Buffer
	for j := range in {
		fmt.Fprintf(&b, "x%d,", j+1)
	}
	fmt.Fprintln(&b, "y")
	for t, y := range a.Y {
		for _, v := range a.X[t*in : (t+1)*in] {
			fmt.Fprintf(&b, "%s,", exact(v))
		}
		fmt.Fprintln(&b, exact(y))
	}
	return b.Bytes()
}

// writeTest writes <cell>.csv. A line holds the number of a test row, from 1, its target, the prediction and, if the
// method has one, the prediction of the averaged iterate. For a multi-class problem, target and prediction are labels as
// in the data's file, and a column for each class, with its label as name, holds the output.
func (x *cellRun) writeTest() error {
	p := x.eval.predictions(x.fit, x.Step)
	if err := algos.Err(x.fit.Fit); err != nil {
		return err
	}
	if t, ok := x.instance.problem.Train.(algos.KernelTargets); ok {
		return x.writeVariances(t, p.Last)
	}
	one := func(u []float64) string { return exact(x.instance.label(shown(u))) }
	head := []string{"row", "y", "f"}
	if p.Average.Rows > 0 {
		head = append(head, "f_average")
	}
	for c := range x.instance.classes() {
		head = append(head, exact(x.instance.label(float64(c+1))))
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.Join(head, ","))
	for i := range p.Last.Rows {
		line := []string{strconv.Itoa(i + 1), one(x.instance.data.TestY.Row(i)), one(p.Last.Row(i))}
		if p.Average.Rows > 0 {
			line = append(line, one(p.Average.Row(i)))
		}
		if x.instance.classes() > 0 {
			for _, u := range p.Last.Row(i) {
				line = append(line, exact(u))
			}
		}
		fmt.Fprintln(&b, strings.Join(line, ","))
	}
	return x.write(x.cell.Name+".csv", b.Bytes())
}

// label returns the label that the data has for class number c, from 1. It returns c if the task has no classes or the
// data has no labels for them.
func (i *instance) label(c float64) float64 {
	if i.data.Classes == nil {
		return c
	}
	if c < 1 { // no output is the largest: some are NaN
		return math.NaN()
	}
	return i.data.Classes[int(c)-1]
}

// writeSurface writes the function learnt, on a grid over the domain of the inputs, to <cell>.surface.csv, and the
// function that generated the data to truth.surface.csv. If there is one input, the files are <cell>.function.csv and
// truth.function.csv, and sample.function.csv holds some training rows. It writes nothing for other data; the figure
// then says what is missing.
func (x *cellRun) writeSurface(side int) error {
	d := x.instance.data.Domain
	points, kind := side, ".function.csv"
	switch len(d) {
	case 1:
		if err := x.writeSample(); err != nil {
			return err
		}
	case 2:
		points, kind = side*side, ".surface.csv"
	default:
		return nil
	}
	grid := compute.NewMatrix(points, len(d))
	for i := range grid.Rows {
		row := grid.Row(i)
		row[0] = onGrid(d[0], i%side, side)
		if len(d) == 2 {
			row[1] = onGrid(d[1], i/side, side)
		}
	}
	f := x.fit.Model().Predict(grid)
	if err := algos.Err(x.fit.Fit); err != nil {
		return err
	}
	err := x.writeGrid(x.cell.Name+kind, grid, func(i int) float64 { return shown(f.Row(i)) })
	if x.instance.data.Truth == nil {
		return err
	}
	return errors.Join(err, x.writeGrid("truth"+kind, grid,
		func(i int) float64 { return x.instance.data.Truth(grid.Row(i)) }))
}

// shown returns the number that stands for a prediction in files and figures: the output or, if there are several, the
// number from 1 of the class with the largest output.
func shown(u []float64) float64 {
	if len(u) == 1 {
		return u[0]
	}
	return float64(1 + slices.Index(u, slices.Max(u)))
}

// sampleRows is the number of training rows that a figure shows.
const sampleRows = 400

// writeSample writes inputs and targets of the first training rows.
func (x *cellRun) writeSample() error {
	train := x.instance.problem.Train
	a, y := algos.Between(train, 0, min(sampleRows, train.Len()))
	var b bytes.Buffer
	fmt.Fprintln(&b, "x,y")
	for i := range a.Rows {
		fmt.Fprintf(&b, "%s,%s\n", exact(a.At(i, 0)), exact(y.At(i, 0)))
	}
	return x.write("sample.function.csv", b.Bytes())
}

func onGrid(box [2]float64, i, side int) float64 {
	return box[0] + (box[1]-box[0])*float64(i)/float64(max(side-1, 1))
}

func (x *cellRun) writeGrid(name string, grid compute.Matrix, f func(i int) float64) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, map[int]string{1: "x,f", 2: "x1,x2,f"}[grid.Cols])
	for i := range grid.Rows {
		for _, v := range grid.Row(i) {
			fmt.Fprintf(&b, "%s,", exact(v))
		}
		fmt.Fprintln(&b, exact(f(i)))
	}
	return x.write(name, b.Bytes())
}

// exact returns the shortest decimal that reads back as v.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// gaussianProcess returns the data whose fit gives the posterior variance at the test inputs. Its targets are k(x*_i, x)
// for every test input x*_i. With mean, the data's own targets come before them.
func gaussianProcess(d *datasets.Set, k kernels.Kernel, mean bool, stop *atomic.Bool) *datasets.Set {
	v := *d
	v.Train = algos.KernelTargets{Samples: d.Train, Kernel: k, At: d.TestX, Mean: mean}
	at := compute.NewEngine(compute.Options{Stop: stop}).KernelMatrix(k, d.TestX, d.TestX)
	if !mean {
		v.TestY, v.Truth = at, nil
		return &v
	}
	own := d.TestY.Cols
	v.TestY = compute.NewMatrix(at.Rows, own+at.Cols)
	v.TestY.ColRange(0, own).CopyFrom(d.TestY)
	v.TestY.ColRange(own, own+at.Cols).CopyFrom(at)
	return &v
}

// outputs returns the number of functions that a spec fits to data with the given number of test inputs and of outputs.
func outputs(s *experiments.Spec, test, own int) int {
	switch s.Problem.Targets {
	case experiments.TestKernels:
		return test
	case experiments.MeanVariance:
		return max(own, 1) + test
	}
	return max(own, 1)
}

// writeVariances writes <cell>.csv. A line holds the number of a test row, from 1, and the posterior variance. If the data's
// own targets are fitted too, the target and the posterior mean come between them.
func (x *cellRun) writeVariances(t algos.KernelTargets, f compute.Matrix) error {
	var b bytes.Buffer
	own, y := t.DataOutputs(), x.instance.data.TestY
	head := "row,variance"
	if t.Mean {
		head = "row,y,mean,variance"
	}
	fmt.Fprintln(&b, head)
	for i, v := range metrics.Variances(f.ColRange(own, f.Cols), y.ColRange(own, y.Cols)) {
		fmt.Fprintf(&b, "%d,", i+1)
		if t.Mean {
			fmt.Fprintf(&b, "%s,%s,", exact(shown(y.Row(i)[:own])), exact(shown(f.Row(i)[:own])))
		}
		fmt.Fprintln(&b, exact(v))
	}
	return x.write(x.cell.Name+".csv", b.Bytes())
}
