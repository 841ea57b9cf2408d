package figures

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"repro/results/records"
)

// functions builds a figure of functions of one input with some of the training rows.
func (b *builder) functions(f *Figure) error {
	c := &Curves{
		X: Axis{Label: b.xLabel("x")},
		Y: Axis{Label: b.yLabel("f(x)"), Min: b.fig.YRange[0], Max: b.fig.YRange[1]},
	}
	styles := Styles(b.exp, b.series())
	for i, s := range b.series() {
		cell, label := Truth, b.seriesLabel(s, b.fig.Y)
		if s.Method != Truth {
			recs := records.Select(b.recs, s.Method)
			if len(recs) == 0 {
				f.Warnings = append(f.Warnings, label+": not run")
				continue
			}
			cell = recs[0].Header.Cell
		}
		path := FunctionPath(b.dir, b.exp.ID, cell)
		x, y, err := ReadFunction(path)
		if err == nil {
			err = b.intact(cell+functionKind, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			f.Warnings = append(f.Warnings, label+": no function was written; run it with evaluate.surface set")
			continue
		}
		if err != nil {
			f.Warnings = append(f.Warnings, unreadable(label, err))
			continue
		}
		c.Lines = append(c.Lines, Line{Label: label, X: x, Y: y, Style: styles[i]})
	}
	if len(c.Lines) == 0 {
		return fmt.Errorf("%w: no function of one input can be shown; run the experiment with evaluate.surface set", ErrNoData)
	}
	path := FunctionPath(b.dir, b.exp.ID, sampleCell)
	x, y, err := ReadFunction(path)
	if err == nil {
		err = b.intact(sampleCell+functionKind, path)
	}
	switch {
	case err == nil:
		c.Dots = &Dots{Label: "training rows", X: x, Y: y, Classes: b.fig.Classes}
	case !errors.Is(err, fs.ErrNotExist):
		f.Warnings = append(f.Warnings, unreadable("training rows", err))
	}
	f.Curves = c
	f.Caption = b.functionsCaption(c)
	return nil
}

// functionsCaption returns the caption of a figure of functions.
func (b *builder) functionsCaption(m *Curves) string {
	var c caption
	c.add("%s", Typeset(b.fig.Caption))
	switch {
	case m.Dots != nil && m.Dots.Classes != nil:
		c.add("Strokes at the edges are %d of the training rows: %s", len(m.Dots.X), strings.Join(m.Dots.Classes, " at the lower edge, ")+" at the upper edge")
	case m.Dots != nil:
		c.add("Dots are %d of the training rows", len(m.Dots.X))
	}
	c.add("Each method is shown as its first seed learnt it")
	b.endCaption(&c)
	return c.String()
}
