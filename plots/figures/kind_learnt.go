package figures

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// scaleReach is how far the colour scale may reach beyond the range of the generating function on either side, as a
// fraction of that range, to show more of what methods learnt. A method that diverged must not flatten the others.
const scaleReach = 0.25

var _ = Register(Kind{
	Name: "heatmap", Doc: "what was learnt as functions of two inputs, as colours",
	May: []string{"series", "levels", "classes"}, Learnt: true,
	Check: func(f *claims.Figure, keys Keys) {
		if keys.Has("classes") && len(f.Classes) < 2 {
			keys.Wrong("classes", "want the names of two classes or more, got %d", len(f.Classes))
		}
	},
	Build: (*Builder).heat,
})

// heat builds a row of heat maps.
func (b *Builder) heat(f *Figure) error {
	h := &Heat{X: Axis{Label: b.XLabel("x_{1}")}, Y: Axis{Label: "x_{2}"}, Label: b.YLabel("f(x)"), Levels: b.Spec.Levels, Classes: b.Spec.Classes}
	shown, all := Nothing, Nothing
	for _, s := range b.Series() {
		p, warning := b.surface(s)
		if warning != "" {
			f.Warnings = append(f.Warnings, warning)
			continue
		}
		h.Panels = append(h.Panels, p)
		r := p.valueRange()
		if !r.Empty() {
			all = all.With(r.Lo).With(r.Hi)
		}
		if s.Method == Truth {
			shown = r
		}
	}
	if len(h.Panels) == 0 {
		return fmt.Errorf("%w: no surface can be shown; run the experiment with evaluate.surface set", ErrNoData)
	}
	if shown.Empty() {
		shown = all
	}
	h.Min, h.Max = b.colourScale(shown.Toward(all, scaleReach*shown.Length()))
	if n := len(h.Classes); n > 0 {
		h.Min, h.Max, h.Label = 1, float64(n), b.YLabel("class")
		if !classified(h.Panels, n) {
			return fmt.Errorf("classes names %d classes, but a panel has values other than their numbers 1 to %d", n, n)
		}
	}
	f.Heat = h
	h.addCaption(&f.Caption)
	return nil
}

// surface returns the panel of a series. The warning says why there is none.
func (b *Builder) surface(s claims.Series) (p Panel, warning string) {
	title := cmp.Or(Typeset(s.Label), b.Label(s.Method))
	cell, first, ok := b.firstCell(s)
	if !ok {
		return p, title + ": not run"
	}
	if first != nil {
		title += ", " + after(first)
	}
	path := SurfacePath(b.dir, b.Experiment.ID, cell)
	p, err := ReadSurface(path)
	if err == nil {
		err = b.intact(cell+surfaceKind, path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return p, b.Label(s.Method) + ": no surface was written; run it with evaluate.surface set"
	}
	if err != nil {
		return p, unreadable(title, err)
	}
	p.Title = title
	if first != nil {
		p.Seeds = []uint64{first.Header.Seed}
	}
	return p, ""
}

// firstCell returns the cell whose predictions a series shows, and its record: that of its method's first seed, or none for the
// function that generated the data. ok is false if the method was not run.
func (b *Builder) firstCell(s claims.Series) (cell string, first *records.Record, ok bool) {
	if s.Method == Truth {
		return Truth, nil, true
	}
	recs := records.Select(b.Records, s.Method)
	if len(recs) == 0 {
		return "", nil, false
	}
	return recs[0].Header.Cell, recs[0], true
}

// classified reports whether the finite values of panels are numbers of n classes.
func classified(panels []Panel, n int) bool {
	for _, p := range panels {
		for _, row := range p.Z {
			for _, z := range row {
				if finite := !math.IsNaN(z) && !math.IsInf(z, 0); finite && (z != math.Trunc(z) || z < 1 || z > float64(n)) {
					return false
				}
			}
		}
	}
	return true
}

// intact returns an error if records have a checksum of the file of predictions with the given name and the file at path
// has another.
func (b *Builder) intact(name, path string) error {
	data, err := files.Read(path)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(data)
	sum := hex.EncodeToString(hash[:])
	known := false
	for _, r := range b.Records {
		if r.End == nil || r.End.Files[name] == "" {
			continue
		}
		if r.End.Files[name] == sum {
			return nil
		}
		known = true
	}
	if known {
		return fmt.Errorf("%s: its checksum is not the one in the record: the file was changed after it was written", path)
	}
	return nil
}

// unreadable returns the warning about a file of predictions that cannot be shown.
func unreadable(label string, err error) string {
	return fmt.Sprintf("%s: left out: %v; remove the file and run the experiment again", label, err)
}

// after returns in words how far a cell ran.
func after(r *records.Record) string {
	steps := 0
	if k := len(r.Points); k > 0 {
		steps = r.Points[k-1].Step
	}
	if r.End != nil {
		steps = r.End.Steps
	}
	s := printed.Count(steps, "iteration")
	if status := r.Status(); status != records.Done && status != records.Budget {
		s += " (" + string(status) + ")"
	}
	return s
}

// colourScale returns the ends of the colour scale: round numbers about values in r, within the range of the spec.
func (b *Builder) colourScale(r Interval) (lo, hi float64) {
	own := Interval{b.Spec.YRange[0], b.Spec.YRange[1]}
	if !(own.Lo < own.Hi) {
		return colourScale(r)
	}
	if seen := (Interval{max(r.Lo, own.Lo), min(r.Hi, own.Hi)}); seen.Lo < seen.Hi {
		lo, hi = colourScale(seen)
		return max(lo, own.Lo), min(hi, own.Hi)
	}
	return own.Lo, own.Hi
}

// colourScale returns the ends of a colour scale for values in r: round numbers that differ.
func colourScale(r Interval) (lo, hi float64) {
	switch {
	case r.Empty():
		return -1, 1
	case r.Lo == r.Hi:
		return r.Lo - 0.5, r.Hi + 0.5
	}
	_, minor := linearStep(r.Length(), MaxIntervals)
	return minor * math.Floor(r.Lo/minor+slack), minor * math.Ceil(r.Hi/minor-slack)
}

// addCaption says what a row of heat maps shows.
func (h *Heat) addCaption(c *Caption) {
	if h.Classes != nil {
		c.Add("Colour shows the class that f gives to x_{1} (horizontal) and x_{2} (vertical); lines are the boundaries between classes")
	} else {
		c.Add("Colour shows %s over x_{1} (horizontal) and x_{2} (vertical), on the same scale from %s to %s in all panels", h.Label, Number(h.Min), Number(h.Max))
	}
	if len(h.Levels) > 0 {
		levels := printed.Each(h.Levels, Number)
		c.Add("The line is where %s is %s", h.Label, strings.Join(levels, " or "))
	}
	c.Add("Each method is shown as its first seed learnt it")
	if h.clips() {
		c.Add("Values beyond the scale have the colour of its end; grey marks values that are not finite")
	}
}

var _ = Register(Kind{
	Name: "functions", Doc: "what was learnt as functions of one input, with some of the training rows",
	May: []string{"series", "classes"}, Learnt: true,
	Check: func(f *claims.Figure, keys Keys) {
		if keys.Has("classes") && len(f.Classes) != 2 {
			keys.Wrong("classes", "want the names of the rows with y < 0 and with y > 0, got %d names", len(f.Classes))
		}
	},
	Build: (*Builder).functions,
})

// functions builds a figure of functions of one input with some of the training rows.
func (b *Builder) functions(f *Figure) error {
	c := &Curves{
		X: Axis{Label: b.XLabel("x")},
		Y: Axis{Label: b.YLabel("f(x)"), Min: b.Spec.YRange[0], Max: b.Spec.YRange[1]},
	}
	styles := Styles(b.Experiment, b.Series())
	for i, s := range b.Series() {
		label := b.seriesLabel(s, b.Spec.Y)
		cell, _, ok := b.firstCell(s)
		if !ok {
			f.Warnings = append(f.Warnings, label+": not run")
			continue
		}
		x, y, err := b.function(cell)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.Warnings = append(f.Warnings, label+": no function was written; run it with evaluate.surface set")
		case err != nil:
			f.Warnings = append(f.Warnings, unreadable(label, err))
		default:
			c.Lines = append(c.Lines, Line{Label: label, X: x, Y: y, Style: styles[i]})
		}
	}
	if len(c.Lines) == 0 {
		return fmt.Errorf("%w: no function of one input can be shown; run the experiment with evaluate.surface set", ErrNoData)
	}
	x, y, err := b.function(sampleCell)
	switch {
	case err == nil:
		c.Dots = &Dots{Label: "training rows", X: x, Y: y, Classes: b.Spec.Classes}
	case !errors.Is(err, fs.ErrNotExist):
		f.Warnings = append(f.Warnings, unreadable("training rows", err))
	}
	f.Curves = c
	switch {
	case c.Dots != nil && c.Dots.Classes != nil:
		f.Caption.Add("Strokes at the edges are %d of the training rows: %s", len(c.Dots.X), strings.Join(c.Dots.Classes, " at the lower edge, ")+" at the upper edge")
	case c.Dots != nil:
		f.Caption.Add("Dots are %d of the training rows", len(c.Dots.X))
	}
	f.Caption.Add("Each method is shown as its first seed learnt it")
	return nil
}

// function reads the function of one input that a cell learnt.
func (b *Builder) function(cell string) (x, y []float64, err error) {
	path := FunctionPath(b.dir, b.Experiment.ID, cell)
	if x, y, err = ReadFunction(path); err == nil {
		err = b.intact(cell+functionKind, path)
	}
	return x, y, err
}

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
