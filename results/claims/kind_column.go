package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// columnKind is the kind that judges the cells of a printed column together. All cells of one run share its seed: a deviation of
// all of them by less than each would show is seen only here.
const columnKind = "column"

var _ = Register(Kind{
	Name: columnKind, Doc: "the cells of a column of a printed table, together: the geometric mean of ours over the printed ones is 1; every claim of kind `values` has one",
	Needs:   []string{"x", "rows", "cells"},
	May:     []string{"published_is", "published_says", "unit", "visible", "visible_why"},
	Measure: single(measureColumn), Accept: columnRegion, Quantity: Ratio,
	Margin: func(Claim) float64 { return coarsest },
	Holds:  "the column of {metric} of {method} is {number} times the printed one",
})

// Whole reports whether the verdict is on the cells of a column together.
func (v Verdict) Whole() bool { return v.Kind == columnKind }

// coarsest is the largest share of a printed number by which its rounding may differ from it so that a column takes the cell: that
// of 0.10. The ratio to 0.03 or to 0.0 says little of a column.
const coarsest = 0.05

// A columnCell is a cell that a column takes.
type columnCell struct {
	place, printed float64
	rounding       float64 // the largest logarithm of a number that rounds to the printed one, over it
}

// columnCells lists the cells of a column that are printed exactly enough.
func (c Claim) columnCells() (cells []columnCell) {
	for i, text := range c.Cells {
		value, low, high, err := printed.Parse(text)
		if half := (high - low) / 2; err == nil && value > 0 && half <= coarsest*value*(1+1e-9) {
			cells = append(cells, columnCell{c.Rows[i], value, half / value})
		}
	}
	return cells
}

// columnRegion returns the ratios that the rounding of the printed cells leaves open: 1 is the mean of m rounding errors, each
// uniform in ±r, and 95 % of such means lie within two standard errors, √(Σ r²/3)/m each.
func columnRegion(c Claim, _ Quantity) (Region, error) {
	cells := c.columnCells()
	if len(cells) < 2 {
		return Region{}, fmt.Errorf("a column needs two cells of two digits or more")
	}
	sum := 0.0
	for _, cell := range cells {
		sum += cell.rounding * cell.rounding / 3
	}
	half := 1.96 * math.Sqrt(sum) / float64(len(cells))
	a := Region{Low: math.Exp(-half), High: math.Exp(half), Exact: 1, Open: true, rounding: true}
	a.digits, a.seen = &[2]float64{a.Low, a.High}, c.mustSee(1, a.Low, a.High)
	return a, nil
}

// measureColumn measures, for every seed, the geometric mean over the cells of our number divided by the printed one.
func measureColumn(c Claim, recs []*records.Record) (m Measurement, err error) {
	cells := c.columnCells()
	values := make([]float64, len(recs))
	above := make([]float64, len(cells)) // of every cell, the mean logarithm of the ratio
	for i, r := range recs {
		sum := 0.0
		for k, cell := range cells {
			c.At = records.At{X: c.X, Value: cell.place}
			v, err := c.readReached(r)
			if err != nil {
				return m, err
			}
			if v <= 0 {
				return m, fmt.Errorf("%s of %s seed %d is %s %s, which has no ratio to %s", c.Metric, r.Header.Method, r.Header.Seed, printed.Number(v), c.At, printed.Number(cell.printed))
			}
			log := math.Log(v / cell.printed)
			sum, above[k] = sum+log, above[k]+log
		}
		values[i] = math.Exp(sum / float64(len(cells)))
		m.Seeds = append(m.Seeds, r.Header.Seed)
	}
	high := 0
	for _, log := range above {
		if log > 0 {
			high++
		}
	}
	m.What = fmt.Sprintf("%s of %s divided by the printed one, in the mean of %d cells, of which ours is above the printed one in %d", c.Metric, c.Method, len(cells), high)
	m.Estimate = stats.GeometricInterval(values)
	return m, nil
}
