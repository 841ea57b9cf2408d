package compute

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// rotated returns QDQᵀ for a random orthogonal Q and D = diag(d).
func rotated(d []float64, seed uint64) Matrix {
	n, s := len(d), NewStream(seed, "rotated", 0)
	g := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			g.Set(i, j, s.Normal())
		}
	}
	var qr mat.QR
	qr.Factorize(g)
	var q, qd, a mat.Dense
	qr.QTo(&q)
	qd.Mul(&q, mat.NewDiagDense(n, d))
	a.Mul(&qd, q.T())
	m := NewMatrix(n, n)
	for i := range n {
		for j := range i + 1 {
			v := (a.At(i, j) + a.At(j, i)) / 2
			m.Set(i, j, v)
			m.Set(j, i, v)
		}
	}
	return m
}

// tridiag returns the tridiagonal matrix with the given diagonal and neighbours.
func tridiag(n int, diagonal, off func(i int) float64) Matrix {
	m := NewMatrix(n, n)
	for i := range n {
		m.Set(i, i, diagonal(i))
		if i+1 < n {
			m.Set(i, i+1, off(i))
			m.Set(i+1, i, off(i))
		}
	}
	return m
}

func series(n int, f func(x float64) float64) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = f(float64(i) / float64(max(n-1, 1)))
	}
	return d
}

// The families of LAPACK's own tests (Demmel & McKenney 1989), and the tridiagonal ones that are hard for divide and conquer.
func families(n int) map[string]Matrix {
	s := NewStream(3, "families", 0)
	random := make([]float64, n)
	for i := range random {
		random[i] = s.Normal()
	}
	one := NewMatrix(n, n)
	for i := range n {
		for j := range n {
			one.Set(i, j, random[i]*random[j])
		}
	}
	identity := tridiag(n, func(int) float64 { return 1 }, func(int) float64 { return 0 })
	gaussian := NewMatrix(n, n)
	for i := range n {
		for j := range n {
			d := float64(i-j) / 10
			gaussian.Set(i, j, math.Exp(-d*d))
		}
	}
	block := NewMatrix(n, n) // equal blocks: pairs of equal eigenvalues
	for i := range n / 2 {
		for j := range n / 2 {
			block.Set(2*i, 2*j, 1/(1+float64(i+j)))
			block.Set(2*i+1, 2*j+1, 1/(1+float64(i+j)))
		}
	}
	return map[string]Matrix{
		"zero":       NewMatrix(n, n),
		"identity":   identity,
		"rank one":   one,
		"arithmetic": rotated(series(n, func(x float64) float64 { return 1 - 2*x }), 1),
		"geometric":  rotated(series(n, func(x float64) float64 { return math.Pow(1e-16, x) }), 2),
		"clustered":  rotated(series(n, func(x float64) float64 { return 1 + 1e-15*x }), 3),
		"two sides":  rotated(series(n, func(x float64) float64 { return math.Copysign(1, x-0.4) }), 4),
		"random":     rotated(random, 5),
		"one large":  rotated(series(n, func(x float64) float64 { return 1e-13 + math.Floor(x) }), 6),
		"Wilkinson":  tridiag(n, func(i int) float64 { return math.Abs(float64(n-1)/2 - float64(i)) }, func(int) float64 { return 1 }),
		"Toeplitz":   tridiag(n, func(int) float64 { return 2 }, func(int) float64 { return -1 }),
		"glued Wilkinson": tridiag(n, func(i int) float64 { return math.Abs(10 - float64(i%21)) },
			func(i int) float64 {
				if i%21 == 20 {
					return 1e-9
				}
				return 1
			}),
		"Clement":  tridiag(n, func(int) float64 { return 0 }, func(i int) float64 { return math.Sqrt(float64((i + 1) * (n - 1 - i))) }),
		"graded":   tridiag(n, func(i int) float64 { return math.Pow(1e-14, float64(i)/float64(n)) }, func(i int) float64 { return math.Pow(1e-14, (float64(i)+0.5)/float64(n)) / 2 }),
		"Gaussian": gaussian,
		"doubled":  block,
		"huge":     rotated(series(n, func(x float64) float64 { return 1e300 * (1 - 2*x) }), 7),
		"tiny":     rotated(series(n, func(x float64) float64 { return 1e-300 * (1 + x) }), 8),
	}
}

// Residuals and orthogonality stay within the stated bounds, and the eigenvalues are gonum's.
func TestSyevd(t *testing.T) {
	for _, n := range []int{1, 2, 3, 33, 97, 331} {
		bound := 4 * math.Sqrt(float64(max(n, 8))) * 0x1p-53
		for name, a := range families(n) {
			if n > 300 && name != "random" && name != "glued Wilkinson" {
				continue // gonum takes longest
			}
			t.Run(fmt.Sprintf("%s %d", name, n), func(t *testing.T) {
				e := NewEngine(Options{Threads: 2, Precision: Float32})
				values, v, ok := e.Syevd(a.Clone(), n)
				require.True(t, ok)
				assert.Zero(t, e.Counters())
				size, d := a.Norm1(), NewEngine(Options{})
				if size == 0 {
					size = 1
				}
				av := d.Mul(scaled(a, 1/size), v, false)
				residual := 0.0
				for i := range n {
					for j := range n {
						residual = max(residual, math.Abs(av.At(i, j)-values[j]/size*v.At(i, j)))
					}
				}
				assert.Less(t, residual, bound, "residual")
				gram, distance := NewMatrix(n, n), 0.0
				d.Syrk(gram, 1, v, true, 0)
				for i := range n {
					gram.Set(i, i, gram.At(i, i)-1)
				}
				for _, x := range gram.Data {
					distance = max(distance, math.Abs(x))
				}
				assert.Less(t, distance, 2*bound, "orthogonality")

				var eigen mat.EigenSym
				require.True(t, eigen.Factorize(mat.NewSymDense(n, scaled(a, 1/size).Data), false))
				want := eigen.Values(nil)
				only, _, ok := e.Syevd(a.Clone(), 0)
				require.True(t, ok)
				for j := range n {
					requireNear(t, []float64{want[n-1-j], values[j] / size}, []float64{values[j] / size, only[j] / size}, 2*bound)
				}
			})
		}
	}
}

func scaled(a Matrix, s float64) Matrix {
	b := a.Clone()
	b.Scale(s)
	return b
}

// The bits do not depend on the number of threads, or of eigenvectors.
func TestSyevdSameBits(t *testing.T) {
	const n = 450
	a := positive(n)
	var values []float64
	var v Matrix
	onEngines(t, func(e *Engine) []float64 {
		var ok bool
		values, v, ok = e.Syevd(a.Clone(), n)
		require.True(t, ok)
		return append(slices.Clone(values), v.Data...)
	})
	same, few, ok := NewEngine(Options{}).Syevd(a.Clone(), n/3)
	require.True(t, ok)
	assert.Equal(t, values, same)
	assert.Equal(t, v.ColRange(0, n/3).Clone(), few)
}

func TestSyevdRefuses(t *testing.T) {
	a := NewMatrix(3, 3)
	a.Set(1, 2, math.NaN())
	_, _, ok := NewEngine(Options{}).Syevd(a, 1)
	assert.False(t, ok)
	assert.Panics(t, func() { NewEngine(Options{}).Syevd(NewMatrix(3, 3), 4) })
	assert.Panics(t, func() { NewEngine(Options{}).Syevd(NewMatrix(3, 2), 1) })
	values, _, ok := NewEngine(Options{}).Syevd(NewMatrix(0, 0), 0)
	assert.True(t, ok)
	assert.Empty(t, values)
}
