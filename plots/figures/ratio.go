package figures

import (
	"math"
	"slices"
)

// ratio returns the panel of ratios: each line divided by the curve that was published of it, with a ring at each point of that curve
// whose bar is its error of reading. It is nil if no line has such a curve.
func (c *Curves) ratio() *Curves {
	r := &Curves{X: c.X, Y: Axis{Label: "ours / published", Log: true}}
	r.X.Label = ""
	for _, l := range c.Lines {
		of := Line{Label: l.Label, Style: l.Style}
		for _, m := range c.Marks {
			if !m.Read || m.Style != l.Style || l.Level || l.Beside || !(m.Y > 0) {
				continue
			}
			y := c.between(l, l.Y, m.X)
			if !(y > 0) || math.IsInf(y, 1) {
				continue
			}
			of.X, of.Y = append(of.X, m.X), append(of.Y, y/m.Y)
			if l.Low != nil {
				of.Low, of.High = append(of.Low, c.between(l, l.Low, m.X)/m.Y), append(of.High, c.between(l, l.High, m.X)/m.Y)
			}
			high := math.Inf(1)
			if m.Low > 0 {
				high = y / m.Low
			}
			r.Marks = append(r.Marks, Mark{X: m.X, Y: y / m.Y, Low: y / m.High, High: high, Style: l.Style, Read: true})
		}
		if len(of.X) > 1 {
			r.Lines = append(r.Lines, of)
		}
	}
	if len(r.Lines) == 0 {
		return nil
	}
	all := Nothing
	for _, l := range c.Lines {
		for _, x := range l.X {
			all = all.With(x)
		}
	}
	r.Lines = append(r.Lines, Line{X: []float64{all.Lo, all.Hi}, Y: []float64{1, 1}, Style: TruthStyle, Level: true, At: math.NaN()})
	return r
}

// between returns values of a line at x as they are drawn: on a straight line between two points. It is NaN beyond the ends and where
// the line breaks.
func (c *Curves) between(l Line, values []float64, x float64) float64 {
	i := slices.IndexFunc(l.X, func(v float64) bool { return v >= x })
	switch {
	case i < 0:
		return math.NaN()
	case l.X[i] == x:
		return values[i]
	case i == 0:
		return math.NaN()
	}
	share := (c.X.At(x) - c.X.At(l.X[i-1])) / (c.X.At(l.X[i]) - c.X.At(l.X[i-1]))
	at := c.Y.At(values[i-1])*(1-share) + c.Y.At(values[i])*share
	if c.Y.Log {
		return math.Pow(10, at)
	}
	return at
}
