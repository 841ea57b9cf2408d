package benchmark

import "repro/algos/compute"

// data holds the points that operations share.
type data struct {
	widest compute.Matrix            // rows: a batch, then centres; columns: the largest dimension
	sets   map[int][2]compute.Matrix // by dimension
}

func newData() *data { return &data{sets: map[int][2]compute.Matrix{}} }

// points returns a batch and centres of normal points in d dimensions.
func (s *data) points(d int) (x, z compute.Matrix) {
	if set, ok := s.sets[d]; ok {
		return set[0], set[1]
	}
	if s.widest.Rows == 0 {
		s.widest = dense(batch+terms, dims[len(dims)-1])
	}
	x = s.widest.RowRange(0, batch).ColRange(0, d).Clone()
	z = s.widest.RowRange(batch, batch+terms).ColRange(0, d).Clone()
	s.sets[d] = [2]compute.Matrix{x, z}
	return x, z
}

// dense returns a matrix of normals. They repeat after some rows because drawing all of them would take longer than the
// measurement.
func dense(rows, cols int) compute.Matrix {
	const drawn = 61 // coprime to the sizes of panels and tiles
	m, source := compute.NewMatrix(rows, cols), compute.NewSource(1, "benchmark")
	for i := range rows {
		if i < drawn {
			source.Stream(uint64(i)).Row(0, m.Row(i))
		} else {
			copy(m.Row(i), m.Row(i-drawn))
		}
	}
	return m
}
