// Package generators registers the data sets whose rows are drawn. Programs import it for that: it exports nothing.
//
// A row has the same bits on every platform. It takes additions, multiplications, square roots and functions of package
// exact, and explicit conversions keep compilers from fusing them.
package generators

import (
	"repro/algos/compute"
	"repro/datasets"
)

func register(s datasets.Source) struct{} {
	s.Licence = "generated, no licence needed"
	datasets.Register(s)
	return struct{}{}
}

// cube returns [lo, hi]^d.
func cube(d int, lo, hi float64) [][2]float64 {
	box := make([][2]float64, d)
	for j := range box {
		box[j] = [2]float64{lo, hi}
	}
	return box
}

// uniform draws inputs on [-1, 1].
func uniform(s *compute.Stream, x []float64) {
	for j := range x {
		x[j] = float64(2*s.Float64()) - 1
	}
}
