package compute

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// The columns are orthonormal, those of gonum's QR, and span the same space; in either precision and at any number of threads.
func TestOrthonormal(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {1, 1}, {5, 5}, {40, 33}, {400, orthonormalPanel}, {700, reflectionPanel + 5}} {
		n, k := shape[0], shape[1]
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			y := gaussian(n, k)
			first := onEngines(t, func(e *Engine) []float64 {
				q := y.Clone()
				e.Orthonormal(q)
				return q.Data
			})
			if n == 0 {
				return
			}
			var qr mat.QR
			qr.Factorize(mat.NewDense(n, k, y.Data))
			var want mat.Dense
			qr.QTo(&want)
			requireNear(t, mat.DenseCopyOf(want.Slice(0, n, 0, k)).RawMatrix().Data, first, 1e-13)
		})
	}
	assert.Panics(t, func() { NewEngine(Options{}).Orthonormal(NewMatrix(2, 3)) })
}

// Columns that depend on each other, and zeros, give orthonormal columns too.
func TestOrthonormalOfFewDirections(t *testing.T) {
	const n, k = 200, 60
	s, y := NewStream(2, "orthonormal", 0), NewMatrix(n, k)
	for i := range n {
		a, b := s.Normal(), s.Normal()
		for j := range k {
			y.Set(i, j, a*float64(j%7)+b*math.Pow(1e-3, float64(j))) // columns 0 mod 7 are nearly zero
		}
	}
	e := NewEngine(Options{})
	e.Orthonormal(y)
	gram := e.Mul(y, y, true)
	for i := range k {
		for j := range k {
			want := 0.0
			if i == j {
				want = 1
			}
			assert.InDelta(t, want, gram.At(i, j), 1e-14*10)
		}
	}
}
