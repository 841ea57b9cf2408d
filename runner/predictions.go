package runner

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

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

// writeTest writes <cell>.csv: test row from 1, its target, the prediction, and that of the averaged
// iterate where the method keeps one.
func (x *cellRun) writeTest() error {
	p := x.eval.predictions(x.fit, x.Step)
	if t, ok := x.set.problem.Train.(algos.KernelTargets); ok {
		return x.writeVariances(t, p.Last)
	}
	var b bytes.Buffer
	fmt.Fprint(&b, "row,y,f")
	if p.Average.Rows > 0 {
		fmt.Fprint(&b, ",f_average")
	}
	fmt.Fprintln(&b)
	for i := range p.Last.Rows {
		fmt.Fprintf(&b, "%d,%s,%s", i+1, exact(shown(x.set.data.TestY.Row(i))), exact(shown(p.Last.Row(i))))
		if p.Average.Rows > 0 {
			fmt.Fprintf(&b, ",%s", exact(shown(p.Average.Row(i))))
		}
		fmt.Fprintln(&b)
	}
	return records.WriteFile(x.predictionsPath(x.cell.Name+".csv"), b.Bytes())
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
