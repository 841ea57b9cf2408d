package algos

import (
	"errors"
	"fmt"

	"repro/algos/compute"
)

// Rows returns samples in memory: row i has the inputs x[i] and the targets y[i], which are copied. It returns an
// error if there are no rows, if x and y differ in length, or if rows differ in length.
func Rows(x, y [][]float64) (Samples, error) {
	if len(x) == 0 {
		return nil, errors.New("algos: Rows: there are no rows")
	}
	if len(x) != len(y) {
		return nil, fmt.Errorf("algos: Rows: %d rows of inputs, but %d of targets", len(x), len(y))
	}
	for i := range x {
		if len(x[i]) != len(x[0]) || len(y[i]) != len(y[0]) {
			return nil, fmt.Errorf("algos: Rows: row %d has %d inputs and %d targets, row 0 has %d and %d", i, len(x[i]), len(y[i]), len(x[0]), len(y[0]))
		}
	}
	return rows{compute.FromRows(x), compute.FromRows(y)}, nil
}

// rows are samples in memory.
type rows struct{ x, y compute.Matrix }

func (r rows) Len() int            { return r.x.Rows }
func (r rows) Dims() (in, out int) { return r.x.Cols, r.y.Cols }

func (r rows) Gather(which []int, x, y compute.Matrix) {
	for i, at := range which {
		copy(x.Row(i), r.x.Row(at))
		copy(y.Row(i), r.y.Row(at))
	}
}
