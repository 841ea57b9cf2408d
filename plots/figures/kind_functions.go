package figures

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"repro/results/claims"
)

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
