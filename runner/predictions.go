package runner

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"repro/algos/compute"
	"repro/results"
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
	if e.Surface > 0 && x.cell.Seed == x.cell.Spec.Repeat.First {
		return x.writeSurface(e.Surface)
	}
	return nil
}

// predictionsPath is predictions/<experiment>/<name> below the output folder.
func (x *cellRun) predictionsPath(name string) string {
	return results.File(x.Out, "predictions", x.cell.Experiment, name)
}

// writeTest writes <cell>.csv: test row from 1, its target, the prediction, and that of the averaged
// iterate where the method keeps one.
func (x *cellRun) writeTest() error {
	p := x.eval.predictions(x.fit, x.Step)
	var b bytes.Buffer
	fmt.Fprint(&b, "row,y,f")
	if p.Average.Rows > 0 {
		fmt.Fprint(&b, ",f_average")
	}
	fmt.Fprintln(&b)
	for i := range p.Last.Rows {
		fmt.Fprintf(&b, "%d,%s,%s", i+1, exact(x.set.data.TestY.At(i, 0)), exact(p.Last.At(i, 0)))
		if p.Average.Rows > 0 {
			fmt.Fprintf(&b, ",%s", exact(p.Average.At(i, 0)))
		}
		fmt.Fprintln(&b)
	}
	return results.WriteFile(x.predictionsPath(x.cell.Name+".csv"), b.Bytes())
}

// writeSurface writes <cell>.surface.csv, the function learnt on a grid over the domain of the
// inputs, and truth.surface.csv, the function that generated the data.
func (x *cellRun) writeSurface(side int) error {
	d := x.set.data.Domain
	if len(d) != 2 || x.set.data.Truth == nil {
		return nil // noted by whoever draws the figure
	}
	grid := compute.NewMatrix(side*side, 2)
	for i := range grid.Rows {
		row := grid.Row(i)
		row[0] = onGrid(d[0], i%side, side)
		row[1] = onGrid(d[1], i/side, side)
	}
	f := x.fit.Model().Predict(grid)
	err := writeGrid(x.predictionsPath(x.cell.Name+".surface.csv"), grid, func(i int) float64 { return f.At(i, 0) })
	return errors.Join(err, writeGrid(x.predictionsPath("truth.surface.csv"), grid,
		func(i int) float64 { return x.set.data.Truth(grid.Row(i)) }))
}

func onGrid(box [2]float64, i, side int) float64 {
	return box[0] + (box[1]-box[0])*float64(i)/float64(max(side-1, 1))
}

func writeGrid(path string, grid compute.Matrix, f func(i int) float64) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, "x1,x2,f")
	for i := range grid.Rows {
		fmt.Fprintf(&b, "%s,%s,%s\n", exact(grid.At(i, 0)), exact(grid.At(i, 1)), exact(f(i)))
	}
	return results.WriteFile(path, b.Bytes())
}

// exact is the shortest decimal that reads back as v.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
