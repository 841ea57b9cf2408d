package runner

import (
	"repro/algos"
	"repro/algos/compute"
)

// rowsBetween returns the inputs and the targets of the rows lo ≤ i < hi.
func rowsBetween(s algos.Samples, lo, hi int) (x, y compute.Matrix) {
	rows := make([]int, hi-lo)
	for i := range rows {
		rows[i] = lo + i
	}
	in, out := s.Dims()
	x, y = compute.NewMatrix(len(rows), in), compute.NewMatrix(len(rows), out)
	s.Gather(rows, x, y)
	return x, y
}
