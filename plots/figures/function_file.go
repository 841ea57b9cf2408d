package figures

import (
	"fmt"
	"io"

	"repro/results/files"
)

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
	f, err := files.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if x, y, err = parseFunction(f); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, y, nil
}

// parseFunction reads two columns of numbers below a header.
func parseFunction(r io.Reader) (x, y []float64, err error) {
	err = readRows(r, []string{"x,f", "x,y"}, func(_ int, v []float64) error {
		x, y = append(x, v[0]), append(y, v[1])
		return nil
	})
	return x, y, err
}
