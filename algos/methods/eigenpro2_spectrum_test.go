package methods

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/datasets"
	_ "repro/datasets/sources"
)

// The rules by hand, for k(X_s, X_s) of two points with k(x_1, x_2) = 1/2: λ = 3/4 and 1/4.
func TestEigenPro2Rules(t *testing.T) {
	block := compute.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 0.5, 0.5, 1}}
	for _, c := range []struct {
		q                       int
		exponent                float64
		lambda, beta, critical  float64
		one, two, three, mostly float64 // η for batches of 1, 2 and 3 of 10, and of all 3
	}{
		{1, 0.95, 0.75, 1, 7. / 3, 1, 2, 0.99 * 2 * 3 / (1 + 2*0.75), 0.95 * 2 / 0.75},
		// c_1 = 1/3, k_P(x, x) = 1 - (2/3)·2·(3/4)·(1/2)
		{2, 1, 0.25, 0.5, 3, 2, 4, 0.99 * 2 * 3 / (0.5 + 2*0.25), 0.95 * 2 / 0.25},
		// c_1 = √(1/3), λ' = (3/4)√(1/3), k_P(x, x) = 1 - (3/4)(1 - √(1/3))
		{2, 0.5, 0.4330127018922193, 0.6830127018922193, 2.5773502691896257, 1.4641016151377546, 2.9282032302755092,
			0.99 * 6 / (0.6830127018922193 + 2*0.4330127018922193), 1.9 / 0.4330127018922193},
	} {
		a := &EigenPro2{Directions: c.q, Exponent: c.exponent}
		w, err := a.spectrum(compute.NewEngine(compute.Options{Threads: 1}), block)
		require.NoError(t, err)
		k := w.adjust(c.q)
		assert.InEpsilon(t, c.lambda, k.lambda, 1e-14)
		assert.InEpsilon(t, c.beta, k.beta, 1e-14)
		assert.InEpsilon(t, c.critical, k.critical(), 1e-14)
		assert.InEpsilonSlice(t, []float64{c.one, c.two, c.three, c.mostly},
			[]float64{k.step(1, 10), k.step(2, 10), k.step(3, 10), k.step(3, 3)}, 1e-13)
	}
	_, err := (&EigenPro2{Directions: 3}).spectrum(compute.NewEngine(compute.Options{Threads: 1}), block)
	require.EqualError(t, err, "a subsample of 2 rows has no eigenvalue 3: lower directions, or raise subsample")
	one := compute.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 1, 1, 1}}
	_, err = (&EigenPro2{Directions: 2}).spectrum(compute.NewEngine(compute.Options{Threads: 1}), one)
	require.EqualError(t, err, "eigenvalue 2 is below 1e-7 of the first, where rounding errors begin: set directions to 1 or less")
	_, err = (&EigenPro2{Exponent: 1.5}).Start(algostest.SmallSquare())
	require.EqualError(t, err, "eigenpro2: exponent must be at most 1, got 1.5: eigenvalues are lowered to that of q, not below")

	w, err := (&EigenPro2{Directions: 2, Exponent: 1}).spectrum(compute.NewEngine(compute.Options{Threads: 1}), block)
	require.NoError(t, err)
	for m, q := range map[int]int{1: 1, 2: 1, 3: 2, 100: 2} { // critical batches are 7/3 and 3
		assert.Equal(t, q, w.choose(m), "batch %d", m)
	}
}

// β is the largest k_P(x, x) over the subsample and as many other rows: here with naive eigenfunctions.
func TestEigenPro2Beta(t *testing.T) {
	const n, s, q = 150, 20, 12
	p, g := algostest.SmoothGram(t, n)
	f := algostest.Start(t, &EigenPro2{Batch: 5, Device: 1, Subsample: s, Directions: q, Exponent: 0.95}, p).(*eigenPro2)
	order := parts.NewGram(p).Subsample(n)
	block := mat.NewSymDense(s, nil)
	for a, i := range order[:s] {
		for b, j := range order[:s] {
			block.SetSym(a, b, g.K.At(i, j)/s)
		}
	}
	var e mat.EigenSym
	require.True(t, e.Factorize(block, true))
	lambda := e.Values(nil) // ascending
	var v mat.Dense
	e.VectorsTo(&v)
	largest := func(rows []int) (beta float64) {
		for _, i := range rows {
			k := 1.0
			for j := range q - 1 {
				dot := 0.0
				for a, l := range order[:s] {
					dot += g.K.At(i, l) * v.At(a, s-1-j)
				}
				k -= (1 - math.Pow(lambda[s-q]/lambda[s-1-j], 0.95)) * dot * dot / (s * lambda[s-1-j])
			}
			beta = max(beta, k)
		}
		return beta
	}
	assert.InEpsilon(t, largest(order[:2*s]), f.adjust.beta, 1e-10)
	require.Greater(t, f.adjust.beta, 2*largest(order[:s]), "the others matter")
	require.Greater(t, largest(order), f.adjust.beta, "no more of them than the subsample has")
}

// The chosen q is the largest whose critical batch the device takes, of critical batches that grow.
func TestEigenPro2ChoosesTheKernelOfTheDevice(t *testing.T) {
	p, _ := algostest.SmoothGram(t, 150)
	g := parts.NewGram(p)
	a := &EigenPro2{Exponent: 0.95}
	w, err := a.spectrum(p.Engine, p.Engine.KernelMatrix(p.Kernel, g.X, g.X))
	require.NoError(t, err)
	require.Len(t, w.values, 50, "a third of the subsample")
	last := 0.0
	for q := 1; q <= 50; q++ {
		critical := w.adjust(q).critical()
		assert.Greater(t, critical, last)
		last = critical
		m := int(math.Ceil(critical))
		best := w.choose(m)
		assert.GreaterOrEqual(t, best, q)
		assert.LessOrEqual(t, w.adjust(best).critical(), float64(m))
		if best < 50 {
			assert.Greater(t, w.adjust(best+1).critical(), float64(m))
		}
	}
	f := algostest.Start(t, &EigenPro2{Batch: 10, Device: 1, Exponent: 0.95}, p).(*eigenPro2)
	assert.Len(t, f.d, w.choose(10)-1)
}

// The eigenvalues of the README of the authors' Keras code, for MNIST with σ = 5 and a subsample of 2,000: λ_1 0.153,
// λ' 6.66e-4 with q = 277, which is the number of those above 1/2,000, and a batch of 1,432.
func TestEigenPro2OnMNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("-short fits generated data alone")
	}
	library, o := datasets.NewLibrary(), datasets.Options{Name: "mnist"}
	if ok, why := library.Ready(o, ""); !ok {
		t.Skipf("%s; or set REPRO_DATA to a folder that holds it", why)
	}
	set, err := library.Open(context.Background(), o, losses.Multiclass, 0, "")
	require.NoError(t, err)
	in, out := set.Train.Dims()
	order, gaussian5 := compute.NewStream(1, "subsample", 0).Perm(set.Train.Len()), kernels.Gaussian{Sigma: 5}
	x, y := compute.NewMatrix(2000, in), compute.NewMatrix(2000, out)
	set.Train.Gather(order[:2000], x, y)
	e := compute.NewEngine(compute.Options{})
	gram := e.KernelMatrix(gaussian5, x, x)
	values, vectors := sketched(t, e, gram, 330)
	w := newSubsampled(gram, values, vectors, 0.95)
	outside := compute.NewMatrix(2000, in)
	set.Train.Gather(order[2000:4000], outside, y)
	w.extend(&algos.Problem{Engine: e, Kernel: gaussian5}, x, outside)
	k := w.adjust(277)
	above := 0
	for _, l := range w.values {
		if l > 1./2000 {
			above++
		}
	}
	// Other rows than the README's. Eigenvalues of 2,000 rows scatter by a hundredth: one in the 40th, and the number
	// above a threshold by as much as eigenvalues fall as 1/i.
	assert.InEpsilon(t, 0.153, w.values[0], 0.03)
	assert.InEpsilon(t, 6.66e-4, k.lambda, 0.03)
	assert.InDelta(t, 277, above, 8)
	// 1 - Σ v_ij² in the README for β, without the eigenvalues, 0.953, is near the right one: its batch of 1,432 is too.
	assert.InEpsilon(t, 1432, k.critical(), 0.05)
	assert.InDelta(t, 277, w.choose(1432), 20)
	t.Logf("λ_1 %.4g, λ_277 %.4g, λ' %.4g, β %.4g, m* %.1f, η %.1f; %d above 1/2000; q for 1432: %d, for 2000: %d",
		w.values[0], w.values[276], k.lambda, k.beta, k.critical(), k.step(1432, 60000), above, w.choose(1432), w.choose(2000))
}

// sketched approximates the k largest eigenvalues of a and their eigenvectors in a few seconds where Leading, which
// decomposes the whole of a, takes a minute: RSVD of a² with a sketch of 3k columns.
func sketched(t *testing.T, e *compute.Engine, a compute.Matrix, k int) (values []float64, vectors compute.Matrix) {
	t.Helper()
	s, err := parts.RSVD(e, squared{e, a}, k, 3*k, compute.NewStream(1, "sketch", 0))
	require.NoError(t, err)
	for _, v := range s.Values[:k] {
		values = append(values, math.Sqrt(math.Sqrt(v)))
	}
	return values, s.Vectors
}

// squared is the operator a² of a symmetric matrix a.
type squared struct {
	e *compute.Engine
	a compute.Matrix
}

func (s squared) Dims() (r, c int) { return s.a.Rows, s.a.Cols }

func (s squared) MulTo(dst, v compute.Matrix) {
	s.e.Gemm(dst, 1, s.a, false, s.e.Mul(s.a, v, false), false, 0)
}

func (s squared) MulTransTo(dst, v compute.Matrix) { s.MulTo(dst, v) }

func (s squared) Select([]int) compute.Operator { panic("a sketch takes all rows") }
