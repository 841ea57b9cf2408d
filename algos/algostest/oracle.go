package algostest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// Inputs are seven rows for computations by hand, with real targets.
var (
	Inputs  = [][]float64{{0.3, -0.2}, {-0.7, 0.5}, {0.1, 0.9}, {0.8, 0.8}, {-0.4, -0.6}, {0, 0.2}, {0.6, -0.9}}
	Targets = []float64{1.5, -0.7, 0.4, 2.2, -1.1, 0.9, 0.3}
)

// Gaussian returns k(x, z) for the kernel of Problem, from its formula.
func Gaussian(x, z []float64) float64 {
	d2 := 0.0
	for i := range x {
		d2 += (x[i] - z[i]) * (x[i] - z[i])
	}
	return math.Exp(-d2 / (2 * 0.8 * 0.8))
}

// ExactGram is the kernel matrix K of the training inputs with its eigenvalues, in descending order, and eigenvectors.
type ExactGram struct {
	K, Vectors *mat.Dense
	Values     []float64
}

// NewExactGram computes K of a problem of Problem or Single, and its spectrum by gonum.
func NewExactGram(t *testing.T, p *algos.Problem) ExactGram {
	t.Helper()
	x, _ := p.Dense()
	n := x.Rows
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, Gaussian(x.Row(i), x.Row(j)))
		}
	}
	var e mat.EigenSym
	require.True(t, e.Factorize(k, true))
	var v mat.Dense
	e.VectorsTo(&v)
	g := ExactGram{K: mat.DenseCopyOf(k), Vectors: mat.NewDense(n, n, nil), Values: make([]float64, n)}
	for i, l := range e.Values(nil) {
		g.Values[n-1-i] = l
		for r := range n {
			g.Vectors.Set(r, n-1-i, v.At(r, i))
		}
	}
	return g
}

// SmallSquare returns the problem of Inputs and Targets with the square loss and ν = 0. Its rows are visited in order.
func SmallSquare() *algos.Problem { return Single(Inputs, Targets, losses.Square{}, 0) }

// SmoothGram returns a problem of n normal inputs and its kernel matrix, whose eigenvalues decay fast, with the spectrum
// by gonum.
func SmoothGram(t *testing.T, n int) (*algos.Problem, ExactGram) {
	t.Helper()
	s := compute.NewStream(3, "inputs", 0)
	d := &Samples{X: compute.NewMatrix(n, 2), Y: compute.NewMatrix(n, 1)}
	for i := range d.X.Data {
		d.X.Data[i] = s.Normal()
	}
	p := &algos.Problem{Train: d, Kernel: kernels.Gaussian{Sigma: 0.8}, Loss: losses.Square{}, Seed: 5,
		Engine: compute.NewEngine(compute.Options{Threads: 1})}
	return p, NewExactGram(t, p)
}
