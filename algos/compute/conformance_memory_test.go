package compute_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// insideMemory runs operations on operands next to inaccessible pages: any access outside them faults.
func (s suite) insideMemory(t *testing.T) {
	var fences [4]fence
	for i := range fences {
		fences[i] = newFence(t, 1<<14)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	e := s.engine(1) // computes on this goroutine
	for _, last := range []bool{false, true} {
		// place returns a matrix at an end of the memory of a fence.
		place := func(i, rows, cols, gap int, value float64) compute.Matrix {
			m := compute.Matrix{Rows: rows, Cols: cols, Stride: cols + gap}
			if rows > 0 {
				m.Data = fences[i].part((rows-1)*m.Stride+cols, last)
			}
			return fill(m, value)
		}
		for n := range 71 {
			m, d, columns := (n*7+3)%71, n%21, n%4+1
			require.NotPanics(t, func() {
				x, z := place(0, n, d, n%3, 1), place(1, m, d, n%2, 0.5)
				v, u := place(2, m, columns, 0, 1), place(3, n, columns, n%2, 0)
				for _, argument := range arguments {
					k := e.Kernel(Kernel{Of: argument.of, Scale: 1}, x, z)
					k.MulTo(u, v)
					k.MulTransTo(v, u)
				}
				f := e.Features(Spectral{Features{Size: m}}, x, compute.Range{Lo: 1, Hi: 2})
				if m > 0 {
					f.MulTo(u, v)
					f.MulTransTo(v, u)
				}
			}, "operators of %d points with %d, of %d inputs, %d columns, at the end: %v", n, m, d, columns, last)
			for i, size := range []int{m, m, m, m, columns, columns, columns, columns, 1, 1, 1, 1} {
				p := productCase{m: n, n: size, k: d, ta: i&1 != 0, tb: i&2 != 0}
				require.NotPanics(t, func() {
					ra, ca, rb, cb := p.m, p.k, p.k, p.n
					if p.ta {
						ra, ca = ca, ra
					}
					if p.tb {
						rb, cb = cb, rb
					}
					a, b, c := place(0, ra, ca, n%2, 1), place(1, rb, cb, 0, 1), place(2, p.m, p.n, n%3, 1)
					e.Gemm(c, 1, a, p.ta, b, p.tb, float64(n%2))
					e.Syrk(place(3, p.m, p.m, 1, 0), 1, a, p.ta, 0)
				}, "product %+v, at the end: %v", p, last)
			}
		}
	}
}

// A fence is memory between two inaccessible pages.
type fence struct{ data []float64 }

// part returns the first or the last n elements.
func (f fence) part(n int, last bool) []float64 {
	if last {
		return f.data[len(f.data)-n:]
	}
	return f.data[:n:n]
}
