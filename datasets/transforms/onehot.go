package transforms

import (
	"slices"

	"repro/algos/compute"
)

// OneHot samples have one column of targets for each class instead of one column of labels.
type OneHot struct {
	Samples
	Classes []float64 // labels, increasing
	Off     float64   // what stands in the columns of other classes: 0 or -1
}

// SetClass writes the targets of a row of class c: 1 in its column and off in the others.
func SetClass(row []float64, c int, off float64) {
	for i := range row {
		row[i] = off
	}
	row[c] = 1
}

func (s OneHot) Dims() (in, out int) {
	in, _ = s.Samples.Dims()
	return in, len(s.Classes)
}

func (s OneHot) Gather(rows []int, x, y compute.Matrix) {
	labels := compute.NewMatrix(len(rows), 1)
	s.Samples.Gather(rows, x, labels)
	s.code(labels, y)
}

// Whole returns the inputs of all rows themselves and their targets, if the rows are in memory.
func (s OneHot) Whole() (x, y compute.Matrix, ok bool) {
	m, ok := s.Samples.(InMemory)
	if !ok {
		return x, y, false
	}
	y = compute.NewMatrix(m.Len(), len(s.Classes))
	s.code(m.Y, y)
	return m.X, y, true
}

// code sets y to the targets of labels.
func (s OneHot) code(labels, y compute.Matrix) {
	for i := range labels.Rows {
		c, known := slices.BinarySearch(s.Classes, labels.At(i, 0))
		if !known {
			panic("transforms: a label came after the classes were counted")
		}
		SetClass(y.Row(i), c, s.Off)
	}
}
