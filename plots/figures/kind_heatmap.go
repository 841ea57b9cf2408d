package figures

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
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
