package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
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
	order := parts.Subsample(p, n)
	values, v := algostest.Spectrum(t, block(g.K, order[:s], order[:s])) // s times the eigenvalues
	largest := func(rows []int) (beta float64) {
		var dots mat.Dense
		dots.Mul(block(g.K, rows, order[:s]), v)
		for i := range rows {
			k := 1.0
			for j := range q - 1 {
				k -= (1 - math.Pow(values[q-1]/values[j], 0.95)) * dots.At(i, j) * dots.At(i, j) / values[j]
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

// The batch from the device's memory, (d + outputs + m)·4n bytes, and from the subsample.
func TestEigenPro2Batch(t *testing.T) {
	mnist := algos.Size{N: 60_000, In: 784, Out: 10}
	for _, c := range []struct {
		a    EigenPro2
		s    algos.Size
		want int
	}{
		{EigenPro2{Device: 1}, mnist, 2000},   // of 3,679
		{EigenPro2{Device: 0.5}, mnist, 1442}, // 2²⁹/240,000 = 2,236.9
		{EigenPro2{Device: 1, Subsample: 500}, mnist, 500},
		{EigenPro2{Device: 1e-3}, mnist, 1},
		{EigenPro2{Device: 1, Batch: 17}, mnist, 17},
		{EigenPro2{Device: 1}, algos.Size{N: 300, In: 3, Out: 2}, 300},
		{EigenPro2{Device: 4}, algos.Size{N: 1_000_000, In: 20, Out: 1}, 1052}, // 2³²/4e6 = 1,073.7
		{EigenPro2{Device: 40}, algos.Size{N: 100_000, In: 20, Out: 1}, 12_000},
		{EigenPro2{Device: 40}, algos.Size{N: 99_999, In: 20, Out: 1}, 2000},
	} {
		assert.Equal(t, c.want, c.a.Traits().BatchAt(c.s))
	}
	assert.Equal(t, 10, (&DSG{DSGSettings: DSGSettings{Batch: 10}}).Traits().BatchAt(mnist))
	progress, err := algostest.Start(t, &EigenPro2{Device: 1, Exponent: 0.95}, squares(30, 0)).Step()
	require.NoError(t, err)
	assert.Equal(t, 30, progress.Seen)
}

// The second eigenvalue of a subsample of two rows close together is taken if it is 10⁻⁷ of the first, and else called rounding.
func TestEigenPro2EndsInRoundingErrors(t *testing.T) {
	for share, says := range map[float64]string{1e-6: "", 1e-8: "eigenpro2: eigenvalue 2 is below 1e-7 of the first, where rounding errors begin: set directions to 1 or less"} {
		p := algostest.Single([][]float64{{0}, {2 * 0.8 * math.Sqrt(share)}}, []float64{1, 2}, losses.Square{}, 0) // σ = 0.8
		_, err := (&EigenPro2{Batch: 1, Subsample: 2, Directions: 2, Device: 1, Exponent: 1}).Start(p)
		if says == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, says)
		}
	}
}
