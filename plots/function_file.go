package plots

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"repro/results/records"
)

// functionKind ends the name of a function file.
const functionKind = ".function.csv"

// sampleCell is the cell's name in the path of the file that holds training rows.
const sampleCell = "sample"

// FunctionPath returns the path of the file that holds the function of one input learnt by a cell, at equidistant inputs:
// dir/predictions/<experiment>/<cell>.function.csv. The cell "truth" stands for the function that generated the data, the
// cell "sample" for some of the training rows. The file has the header x,f or x,y and one line for each point.
func FunctionPath(dir, experiment, cell string) string {
	return records.File(dir, "predictions", experiment, cell+functionKind)
}

// ReadFunction reads the function file at path. Errors name the file and the line. If there is no file, the error wraps
// fs.ErrNotExist.
func ReadFunction(path string) (x, y []float64, err error) {
	f, err := records.OpenFile(path)
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
	in := csv.NewReader(r)
	in.FieldsPerRecord = 2
	header, err := in.Read()
	if err != nil || header[0] != "x" || !slices.Contains([]string{"f", "y"}, header[1]) {
		return nil, nil, fmt.Errorf(`line 1: header %q, want "x,f" or "x,y"`, strings.Join(header, ","))
	}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return x, y, nil
		}
		if err != nil {
			return nil, nil, err
		}
		line, _ := in.FieldPos(0)
		for i, s := range fields {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return nil, nil, fmt.Errorf("line %d: %s %q is not a number", line, header[i], s)
			}
			if i == 0 {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
	}
}
