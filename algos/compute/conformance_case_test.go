package compute_test

import (
	"testing"

	"repro/algos/compute"
)

// A fuzzCase is an operation and its shapes, for fuzzing. All field values are valid.
type fuzzCase struct {
	Operation byte   // selects a kernel of one of four arguments, features drawn in two ways, a product or a symmetric product
	M, N, K   uint16 // select up to 499 points or rows; 499 centres, features or columns; 599 inputs or components
	Columns   uint8  // up to 99 columns of v; also selects the first block of features and the scale of products
	Flags     uint8  // bit 0 selects the precision; the others transpose, or select the kernel
	Threads   uint8
}

// check compares the result of the case with the oracle, and its bits with those at other numbers of threads.
func (c fuzzCase) check(t *testing.T) {
	const most = 1 << 22 // multiplications
	s := suite{compute.Float64, map[int]*compute.Engine{}}
	if c.Flags&1 != 0 {
		s.precision = compute.Float32
	}
	m, n, k, columns := int(c.M%500), int(c.N%500), int(c.K%600), int(c.Columns%100)
	for m*n*(k+columns) > most {
		m, n = (m+1)/2, (n+1)/2
	}
	first, second := c.Flags&2 != 0, c.Flags&4 != 0
	s.engines[1] = compute.NewEngine(compute.Options{Threads: 1 + int(c.Threads%8), Precision: s.precision})
	switch op := c.Operation % 8; op {
	case 0, 1, 2, 3:
		kernel := newKernel(compute.Argument(op), k, int(c.Flags>>1))
		of := s.kernelCase(kernel, m, n, k)
		if second {
			x := normals(1, m, k)
			of = s.kernelOf(kernel, x, x)
		}
		s.small(t, of, columns)
	case 4, 5:
		width := 1 + n%97
		s.small(t, s.featuresCase(Features{Seed: 1, Size: width, Cosine: first}, op == 5, m, k, columns, n/width), columns)
	case 6, 7:
		p := productCase{m: m, n: n, k: k, ta: first, tb: second, half: op == 7}
		p.alpha, p.beta = float64(columns%4)-1, float64(columns/4%4)-1
		if p.half {
			p.n = m
		}
		s.product(t, p, nil)
	}
}
