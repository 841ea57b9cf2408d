package runner

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/algos"
	"repro/algos/compute"
	"repro/results/records"
)

// writePredictions writes what the spec asks for besides the record: the final test predictions,
// and the function learnt on a grid.
func (x *cellRun) writePredictions() error {
	e := x.cell.Spec.Evaluate
	if e.Predictions {
		if err := x.writeTest(); err != nil {
			return err
		}
	}
	if e.Surface > 0 && x.prog == nil && x.cell.Seed == x.cell.Spec.Repeat.First {
		return x.writeSurface(e.Surface)
	}
	return nil
}

// predictionsPath is predictions/<experiment>/<name> below the output folder.
func (x *cellRun) predictionsPath(name string) string {
	return records.File(x.Out, "predictions", x.cell.Experiment, name)
}

// writeTest writes <cell>.csv: test row from 1, its target, the prediction, and that of the averaged iterate where the
// method keeps one. Of a multi-class problem, target and prediction are labels as the file has them, and a column for
// each class, headed by its label, holds the output.
func (x *cellRun) writeTest() error {
	p := x.eval.predictions(x.fit, x.Step)
	if t, ok := x.set.problem.Train.(algos.KernelTargets); ok {
		return x.writeVariances(t, p.Last)
	}
	one := func(u []float64) string { return exact(x.set.label(shown(u))) }
	head := []string{"row", "y", "f"}
	if p.Average.Rows > 0 {
		head = append(head, "f_average")
	}
	for c := range x.classes() {
		head = append(head, exact(x.set.label(float64(c+1))))
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.Join(head, ","))
	for i := range p.Last.Rows {
		line := []string{strconv.Itoa(i + 1), one(x.set.data.TestY.Row(i)), one(p.Last.Row(i))}
		if p.Average.Rows > 0 {
			line = append(line, one(p.Average.Row(i)))
		}
		if x.classes() > 0 {
			for _, u := range p.Last.Row(i) {
				line = append(line, exact(u))
			}
		}
		fmt.Fprintln(&b, strings.Join(line, ","))
	}
	return records.WriteFile(x.predictionsPath(x.cell.Name+".csv"), b.Bytes())
}

// label returns the label that the data has for class number c, from 1; c itself if the task has no classes or they have
// no other labels.
func (s *instance) label(c float64) float64 {
	if s.data.Classes == nil {
		return c
	}
	if c < 1 { // no output is the largest: some are NaN
		return math.NaN()
	}
	return s.data.Classes[int(c)-1]
}

// writeSurface writes <cell>.surface.csv, the function learnt on a grid over the domain of the
// inputs, and truth.surface.csv, the function that generated the data; <cell>.function.csv and
// truth.function.csv, and some training rows as sample.function.csv, if there is one input. Whoever
// draws the figure notes what is not there.
func (x *cellRun) writeSurface(side int) error {
	d := x.set.data.Domain
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
	err := writeGrid(x.predictionsPath(x.cell.Name+kind), grid, func(i int) float64 { return shown(f.Row(i)) })
	if x.set.data.Truth == nil {
		return err
	}
	return errors.Join(err, writeGrid(x.predictionsPath("truth"+kind), grid,
		func(i int) float64 { return x.set.data.Truth(grid.Row(i)) }))
}

// shown is the one number of a prediction that a figure shows: the number of the class with the
// largest output, from 1, if there are several outputs.
func shown(u []float64) float64 {
	if len(u) == 1 {
		return u[0]
	}
	return float64(1 + slices.Index(u, slices.Max(u)))
}

// sampleRows is how many training rows a figure shows.
const sampleRows = 400

// writeSample writes inputs and targets of the first training rows.
func (x *cellRun) writeSample() error {
	train := x.set.problem.Train
	a, y := rowsBetween(train, 0, min(sampleRows, train.Len()))
	var b bytes.Buffer
	fmt.Fprintln(&b, "x,y")
	for i := range a.Rows {
		fmt.Fprintf(&b, "%s,%s\n", exact(a.At(i, 0)), exact(y.At(i, 0)))
	}
	return records.WriteFile(x.predictionsPath("sample.function.csv"), b.Bytes())
}

func onGrid(box [2]float64, i, side int) float64 {
	return box[0] + (box[1]-box[0])*float64(i)/float64(max(side-1, 1))
}

func writeGrid(path string, grid compute.Matrix, f func(i int) float64) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, map[int]string{1: "x,f", 2: "x1,x2,f"}[grid.Cols])
	for i := range grid.Rows {
		for _, v := range grid.Row(i) {
			fmt.Fprintf(&b, "%s,", exact(v))
		}
		fmt.Fprintln(&b, exact(f(i)))
	}
	return records.WriteFile(path, b.Bytes())
}

// exact is the shortest decimal that reads back as v.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
