package figures

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/results/files"
)

// maxLine is the longest line of a file of predictions in bytes; three numbers need less than a hundred.
const maxLine = 4096

// readRows reads a file of predictions: one of the headers, then a line of numbers for each of its columns. It calls row
// with every line's number and its numbers, which it overwrites for the next.
func readRows(r io.Reader, headers []string, row func(line int, v []float64) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	header := ""
	if in.Scan() {
		header = in.Text()
	}
	if in.Err() == nil && !slices.Contains(headers, header) {
		return fmt.Errorf("line 1: header %.100q, want %q", header, headers)
	}
	columns := strings.Split(header, ",")
	v := make([]float64, len(columns))
	n := 1
	for ; in.Scan(); n++ {
		fields := strings.Split(in.Text(), ",")
		if len(fields) != len(v) {
			return fmt.Errorf("line %d: %d numbers, want %d", n+1, len(fields), len(v))
		}
		for i, field := range fields {
			var err error
			if v[i], err = strconv.ParseFloat(field, 64); err != nil {
				return fmt.Errorf("line %d: %s %.100q is not a number", n+1, columns[i], field)
			}
		}
		if err := row(n+1, v); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d: longer than %d bytes", n+1, maxLine)
	}
	return in.Err()
}

// surfaceHeader is the first line of a surface file.
const surfaceHeader = "x1,x2,f"

// surfaceKind ends the name of a surface file.
const surfaceKind = ".surface.csv"

// Truth is the method's id of a series that shows the function that generated the data.
const Truth = "truth"

// SurfacePath returns the path of the file that holds the function of two inputs learnt by a cell, on a grid:
// dir/predictions/<experiment>/<cell>.surface.csv. The cell "truth" stands for the function that generated the data. The
// file has the header x1,x2,f and one line for each grid point, in any order; a value that is not finite is NaN.
func SurfacePath(dir, experiment, cell string) string {
	return files.Path(dir, "predictions", experiment, cell+surfaceKind)
}

// ReadSurface reads the surface file at path. Errors name the file and the line. If there is no file, the error wraps
// fs.ErrNotExist.
func ReadSurface(path string) (p Panel, err error) {
	err = opened(path, func(r io.Reader) (err error) {
		p, err = parseSurface(r)
		return err
	})
	return p, err
}

// opened reads a file. Errors name it.
func opened(path string, read func(io.Reader) error) error {
	f, err := files.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// parseSurface reads the lines of a surface file and puts the values on their grid.
func parseSurface(r io.Reader) (Panel, error) {
	var p Panel
	values := map[[2]float64]float64{}
	err := readRows(r, []string{surfaceHeader}, func(line int, v []float64) error {
		at := [2]float64{v[0], v[1]}
		if _, twice := values[at]; twice || math.IsNaN(v[0]+v[1]) || math.IsInf(v[0]+v[1], 0) {
			return fmt.Errorf("line %d: the point (%g, %g) is listed twice or not finite", line, v[0], v[1])
		}
		values[at] = v[2]
		p.X, p.Y = append(p.X, v[0]), append(p.Y, v[1])
		return nil
	})
	if err != nil {
		return Panel{}, err
	}
	return p.fill(values)
}

// fill puts values on the grid of all x and y that occur.
func (p Panel) fill(values map[[2]float64]float64) (Panel, error) {
	for _, axis := range []*[]float64{&p.X, &p.Y} {
		slices.Sort(*axis)
		*axis = slices.Compact(*axis)
	}
	if len(p.X) < 2 || len(p.Y) < 2 || len(values) != len(p.X)*len(p.Y) {
		return Panel{}, fmt.Errorf("%d points for a grid of %d by %d: a surface needs every point of a grid of at least 2 by 2", len(values), len(p.X), len(p.Y))
	}
	for _, y := range p.Y {
		row := make([]float64, len(p.X))
		for j, x := range p.X {
			row[j] = values[[2]float64{x, y}]
		}
		p.Z = append(p.Z, row)
	}
	return p, nil
}

// valueRange returns the smallest and largest finite value of a panel.
func (p Panel) valueRange() Interval {
	r := Nothing
	for _, row := range p.Z {
		for _, z := range row {
			if !math.IsInf(z, 0) {
				r = r.With(z)
			}
		}
	}
	return r
}

// functionKind ends the name of a function file.
const functionKind = ".function.csv"

// sampleCell is the cell's name in the path of the file that holds training rows.
const sampleCell = "sample"

// FunctionPath returns the path of the file that holds the function of one input learnt by a cell, at equidistant inputs:
// dir/predictions/<experiment>/<cell>.function.csv. The cell "truth" stands for the function that generated the data, the
// cell "sample" for some of the training rows. The file has the header x,f or x,y and one line for each point.
func FunctionPath(dir, experiment, cell string) string {
	return files.Path(dir, "predictions", experiment, cell+functionKind)
}

// ReadFunction reads the function file at path. Errors name the file and the line. If there is no file, the error wraps
// fs.ErrNotExist.
func ReadFunction(path string) (x, y []float64, err error) {
	err = opened(path, func(r io.Reader) (err error) {
		x, y, err = parseFunction(r)
		return err
	})
	return x, y, err
}

// parseFunction reads two columns of numbers below a header.
func parseFunction(r io.Reader) (x, y []float64, err error) {
	err = readRows(r, []string{"x,f", "x,y"}, func(_ int, v []float64) error {
		x, y = append(x, v[0]), append(y, v[1])
		return nil
	})
	return x, y, err
}
