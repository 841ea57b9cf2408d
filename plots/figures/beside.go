package figures

import (
	"math"
	"slices"

	"repro/results/printed"
)

// Beside adds the curves or the maps of the same figure of another run. It leaves out those that are equal to ours, and says in
// the caption how many are.
func (f *Figure) Beside(other Figure, name string) {
	if f.Curves == nil && f.Heat == nil || (f.Heat == nil) != (other.Heat == nil) {
		return
	}
	what, all, added := "curve", 0, 0
	if f.Heat != nil {
		what = "map"
		ours := f.Heat.Panels
		for _, p := range other.Heat.Panels {
			all++
			if !slices.ContainsFunc(ours, func(q Panel) bool {
				return sameValues(q.X, p.X) && sameValues(q.Y, p.Y) && slices.EqualFunc(q.Z, p.Z, sameValues)
			}) {
				p.Title += " (" + name + ")"
				f.Heat.Panels = append(f.Heat.Panels, p)
				added++
			}
		}
	} else {
		ours := f.Curves.Lines
		for _, l := range other.Curves.Lines {
			all++
			if !slices.ContainsFunc(ours, l.same) {
				l.Label, l.Beside = l.Label+" ("+name+")", true
				f.Curves.Lines = append(f.Curves.Lines, l)
				added++
			}
		}
		spanLevels(f.Curves.Lines)
	}
	var c Caption
	how := "Fainter and dotted: the runs in %s"
	if f.Heat != nil {
		how = "The maps with %s in their titles show the runs there"
	}
	if added > 0 {
		c.Add(how, name)
	}
	if equal := all - added; equal > 0 {
		c.Add("%d of %s in %s %s equal to ours and not drawn twice", equal, printed.Count(all, what), name, map[bool]string{true: "is", false: "are"}[equal == 1])
	}
	f.Caption = append(c, f.Caption...)
}

// same reports whether a line shows the same values as another one in the same style.
func (l Line) same(k Line) bool {
	return l.Style == k.Style && sameValues(l.X, k.X) && sameValues(l.Y, k.Y) && sameValues(l.Low, k.Low) && sameValues(l.High, k.High) && sameValues(l.Breaks, k.Breaks)
}

// sameValues reports whether two lists are equal; NaN is equal to NaN.
func sameValues(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool { return v == w || math.IsNaN(v) && math.IsNaN(w) })
}
