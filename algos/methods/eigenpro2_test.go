package methods

import (
	"fmt"
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

// Three iterations written out with dense matrices, the last on one row alone, for a subsample of five of seven points
// and K stored or not: α_m ← α_m - (η/m)g, α_s ← α_s + (η/m) V D Vᵀ K(X_s, X_m) g.
func TestEigenPro2ByHand(t *testing.T) {
	const s, q, m, eta, exponent = 5, 3, 3, 0.7, 0.95
	for _, memory := range []int64{0, -1} {
		t.Run(fmt.Sprintf("memory %d", memory), func(t *testing.T) {
			p := algostest.SmallSquare()
			p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: memory})
			g := algostest.NewExactGram(t, p)
			sub := parts.NewGram(p).Subsample(s)
			block := mat.NewSymDense(s, nil)
			for a, i := range sub {
				for b, j := range sub {
					block.SetSym(a, b, g.K.At(i, j)/s)
				}
			}
			var e mat.EigenSym
			require.True(t, e.Factorize(block, true))
			lambda := e.Values(nil) // ascending
			var v mat.Dense
			e.VectorsTo(&v)

			alpha := make([]float64, 7)
			for _, rows := range [][]int{{0, 1, 2}, {3, 4, 5}, {6}} {
				r := make([]float64, len(rows))
				for b, i := range rows {
					r[b] = -algostest.Targets[i]
					for j, a := range alpha {
						r[b] += g.K.At(i, j) * a
					}
				}
				for b, i := range rows {
					alpha[i] -= eta / m * r[b]
				}
				for j := range q - 1 {
					c, dot := math.Pow(lambda[s-q]/lambda[s-1-j], exponent), 0.0
					for a, l := range sub {
						for b, i := range rows {
							dot += v.At(a, s-1-j) * g.K.At(l, i) * r[b]
						}
					}
					for a, l := range sub {
						alpha[l] += eta / m * v.At(a, s-1-j) * (1 - c) / (s * lambda[s-1-j]) * dot
					}
				}
			}
			a := &EigenPro2{Batch: m, Device: 1, Subsample: s, Directions: q, Exponent: exponent, Step: constant(eta)}
			f := algostest.Start(t, a, p)
			algostest.Steps(t, f, 3)
			assert.InDeltaSlice(t, alpha, f.(algos.Expansion).Coefficients().Data, 1e-12)
			x, _ := p.Dense()
			assert.InDeltaSlice(t, f.Model().Predict(x).Data, f.(algos.Fitter).Fitted().Data, 1e-13)
			assert.InDeltaSlice(t, alpha, coefficientsOf(t, g, p, f), 1e-11) // condition number 1e3
		})
	}
}

// With all rows in the subsample and in every batch, t steps multiply what is left of eigendirection j by
// (1 - ηλ_j c_j)^t, λ of K/n: the rate that lowering the eigenvalues to λ' promises.
func TestEigenPro2Rate(t *testing.T) {
	const q, T = 4, 9
	p := algostest.SmallSquare()
	g := algostest.NewExactGram(t, p)
	f := algostest.Start(t, &EigenPro2{Batch: 7, Device: 1, Subsample: 7, Directions: q, Exponent: 0.95}, p)
	first, last := g.Values[0]/7, g.Values[q-1]/7
	lowered := math.Pow(first, 0.05) * math.Pow(last, 0.95) // λ'
	beta := 0.0
	for i := range 7 {
		k := 1.0
		for j := range q - 1 {
			k -= (1 - math.Pow(g.Values[q-1]/g.Values[j], 0.95)) * g.Values[j] * g.Vectors.At(i, j) * g.Vectors.At(i, j)
		}
		beta = max(beta, k)
	}
	eta := 0.95 * 2 / lowered
	if 7 < beta/lowered+1 {
		eta = 7 / beta
	}
	want := make([]float64, 7)
	for j, l := range g.Values {
		c := 1.0
		if j < q {
			c = math.Pow(g.Values[q-1]/l, 0.95)
		}
		dot := 0.0
		for i, y := range algostest.Targets {
			dot += g.Vectors.At(i, j) * y
		}
		for i := range want {
			want[i] += g.Vectors.At(i, j) * dot * (1 - math.Pow(1-eta*l/7*c, T))
		}
	}
	algostest.Steps(t, f, T)
	assert.InDeltaSlice(t, want, f.(algos.Fitter).Fitted().Data, 1e-11)
}

// Whatever the batch, the iteration ends where kernel ridge regression does with ν = 0: it interpolates. Everything
// automatic but the batch; the subsample is a part of the rows, but for all rows at once, whose step of 0.95·2/λ' needs
// a better λ' than that of six rows.
func TestEigenPro2Interpolates(t *testing.T) {
	x := algostest.Queries(2)
	exact := algostest.Start(t, &KRR{}, algostest.SmallSquare())
	algostest.Steps(t, exact, 1)
	for _, m := range []int{1, 3, 5, 7} {
		f := algostest.Start(t, &EigenPro2{Batch: m, Device: 1, Subsample: max(6, m), Exponent: 0.95}, algostest.SmallSquare())
		algostest.Steps(t, f, 40_000/m)
		assert.InDeltaSlice(t, algostest.Targets, f.(algos.Fitter).Fitted().Data, 1e-9, "batch %d", m)
		assert.InDeltaSlice(t, exact.Model().Predict(x).Data, f.Model().Predict(x).Data, 1e-8, "batch %d", m)
	}
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
	p := algostest.Problem(30, losses.Square{})
	p.Nu = 0
	f := algostest.Start(t, &EigenPro2{Device: 1, Exponent: 0.95}, p)
	progress, err := f.Step()
	require.NoError(t, err)
	assert.Equal(t, 30, progress.Seen)
}

// A loss with l” ≤ 1/4 takes four times the step.
func TestEigenPro2OtherLosses(t *testing.T) {
	a := &EigenPro2{Batch: 3, Device: 1, Subsample: 7, Directions: 3, Exponent: 0.95}
	square := algostest.Start(t, a, algostest.SmallSquare()).(*eigenPro2)
	logistic := algostest.Start(t, a, algostest.Single(algostest.Inputs, handLabels, losses.Logistic{}, 0)).(*eigenPro2)
	assert.InEpsilon(t, 4*square.gamma(1), logistic.gamma(1), 1e-12)
	assert.Equal(t, square.gamma(1), square.gamma(50))
	for _, p := range []*algos.Problem{algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0.1), algostest.Single(algostest.Inputs, handLabels, losses.Hinge{}, 0)} {
		_, err := a.Start(p)
		require.ErrorIs(t, err, algos.ErrUnsupported)
	}
}

// A state saved with K stored continues where there is no memory for it.
func TestEigenPro2StateWithoutMemory(t *testing.T) {
	a := &EigenPro2{Batch: 7, Device: 1, Subsample: 40, Directions: 5, Exponent: 0.95}
	p, q := algostest.Problem(60, losses.Square{}), algostest.Problem(60, losses.Square{})
	p.Nu, q.Nu = 0, 0
	q.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: -1})
	f, g := algostest.Start(t, a, p), algostest.Start(t, a, q)
	algostest.Steps(t, f, 10)
	algostest.Restore(t, g, algostest.Encode(t, f))
	algostest.Steps(t, f, 10)
	algostest.Steps(t, g, 10)
	x := algostest.Queries(3)
	assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-10)
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
