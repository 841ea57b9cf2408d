package figures

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// scaleReach is how far the colour scale may reach beyond the range of the generating function on either side, as a
// fraction of that range, to show more of what methods learnt. A method that diverged must not flatten the others.
const scaleReach = 0.25

// heat builds a row of heat maps.
func (b *builder) heat(f *Figure) error {
	h := &Heat{X: Axis{Label: b.xLabel("x_{1}")}, Y: Axis{Label: "x_{2}"}, Label: b.yLabel("f(x)"), Levels: b.fig.Levels, Classes: b.fig.Classes}
	shown, all := Nothing, Nothing
	for _, s := range b.series() {
		cell, title := Truth, Typeset(s.Label)
		if title == "" {
			title = b.label(s.Method)
		}
		if s.Method != Truth {
			recs := records.Select(b.recs, s.Method)
			if len(recs) == 0 {
				f.Warnings = append(f.Warnings, title+": not run")
				continue
			}
			cell = recs[0].Header.Cell
			title += ", " + after(recs[0])
		}
		path := SurfacePath(b.dir, b.exp.ID, cell)
		p, err := ReadSurface(path)
		if err == nil {
			err = b.intact(cell+surfaceKind, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: no surface was written; run it with evaluate.surface set", b.label(s.Method)))
			continue
		}
		if err != nil {
			f.Warnings = append(f.Warnings, unreadable(title, err))
			continue
		}
		p.Title = title
		if s.Method != Truth {
			p.Seeds = []uint64{records.Select(b.recs, s.Method)[0].Header.Seed}
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
	h.Min, h.Max = colourScale(shown.Toward(all, scaleReach*shown.Length()))
	if r := b.fig.YRange; r[0] < r[1] {
		h.Min, h.Max = r[0], r[1]
	}
	if n := len(h.Classes); n > 0 {
		h.Min, h.Max, h.Label = 1, float64(n), b.yLabel("class")
		if !classified(h.Panels, n) {
			return fmt.Errorf("classes names %d classes, but a panel has values other than their numbers 1 to %d", n, n)
		}
	}
	f.Heat = h
	f.Caption = b.heatCaption(h)
	return nil
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
func (b *builder) intact(name, path string) error {
	data, err := files.Read(path)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(data)
	sum := hex.EncodeToString(hash[:])
	known := false
	for _, r := range b.recs {
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

// colourScale returns the ends of a colour scale for values in r. They are round numbers, differ, and are symmetric about
// zero if the values have both signs.
func colourScale(r Interval) (lo, hi float64) {
	switch {
	case r.Empty():
		return -1, 1
	case r.Lo == r.Hi:
		return r.Lo - 0.5, r.Hi + 0.5
	case r.Lo < 0 && r.Hi > 0:
		m := math.Max(-r.Lo, r.Hi)
		r = Interval{-m, m}
	}
	_, minor := linearStep(r.Length(), MaxIntervals)
	return minor * math.Floor(r.Lo/minor+slack), minor * math.Ceil(r.Hi/minor-slack)
}
