package figures

import (
	"fmt"
	"io"
	"math"
	"slices"

	"repro/results/files"
)

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
func ReadSurface(path string) (Panel, error) {
	f, err := files.Open(path)
	if err != nil {
		return Panel{}, err
	}
	defer f.Close()
	p, err := parseSurface(f)
	if err != nil {
		return Panel{}, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
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
