package plots

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"repro/results/records"
)

// sampleCell names the training rows among the files of a function figure.
const sampleCell = "sample"

// FunctionPath returns where the function of one input learnt by a cell is kept at equal distances:
// dir/predictions/<experiment>/<cell>.function.csv, for the generating function with "truth" for the
// cell, for some of the training rows with "sample". The file has the header x,f or x,y and one line a
// point.
func FunctionPath(dir, experiment, cell string) string {
	return records.File(dir, "predictions", experiment, cell+".function.csv")
}

// ReadFunction reads a function file. The error names file and line; it wraps fs.ErrNotExist if there
// is none.
func ReadFunction(path string) (x, y []float64, err error) {
	f, err := os.Open(path)
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

// functions builds a panel of functions of one input, over some of the rows they were learnt from.
func (b *builder) functions(f *Figure) error {
	c := &Curves{
		X: Axis{Label: "x"},
		Y: Axis{Label: "f(x)", Min: b.fig.YRange[0], Max: b.fig.YRange[1]},
	}
	styles := b.styles()
	for i, s := range b.series() {
		cell, label := truthMethod, b.seriesLabel(s, b.fig.Y)
		if s.Method != truthMethod {
			recs := records.Select(b.recs, s.Method)
			if len(recs) == 0 {
				f.Warnings = append(f.Warnings, label+": not run")
				continue
			}
			cell = recs[0].Header.Cell
		}
		x, y, err := ReadFunction(FunctionPath(b.dir, b.exp.ID, cell))
		if errors.Is(err, fs.ErrNotExist) {
			f.Warnings = append(f.Warnings, label+": no function was written; run it with evaluate.surface set")
			continue
		}
		if err != nil {
			return err
		}
		c.Lines = append(c.Lines, Line{Label: label, X: x, Y: y, Style: styles[i]})
	}
	if len(c.Lines) == 0 {
		return fmt.Errorf("%w: no function of one input was written; run the experiment with evaluate.surface set", ErrNoData)
	}
	x, y, err := ReadFunction(FunctionPath(b.dir, b.exp.ID, sampleCell))
	switch {
	case err == nil:
		c.Dots = &Dots{Label: "training rows", X: x, Y: y}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f.Curves = c
	f.Caption = b.functionsCaption(c)
	return nil
}

// functionsCaption says what the panel shows.
func (b *builder) functionsCaption(m *Curves) string {
	var c caption
	c.add("%s", b.fig.Caption)
	if m.Dots != nil {
		c.add("Dots are %s of the training rows", count(len(m.Dots.X), "example"))
	}
	c.add("Methods are shown as the first of their seeds learnt them")
	b.endCaption(&c)
	return c.String()
}
