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
	"repro/algos/schedules"
)

// constant is a constant step size.
func constant(gamma float64) schedules.Schedule { return &schedules.Constant{Gamma0: gamma} }

// coefficientsOf returns the coefficients of a fit's model from its predictions at the training rows.
func coefficientsOf(t *testing.T, g algostest.ExactGram, p *algos.Problem, f algos.Fit) []float64 {
	t.Helper()
	x, _ := p.Dense()
	u := f.Model().Predict(x)
	var alpha mat.Dense
	require.NoError(t, alpha.Solve(g.K, mat.NewDense(u.Rows, 1, u.Data)))
	return mat.Col(nil, 0, &alpha)
}

// Two iterations of ma2017 Table 2 written out with the dense D = EΛ⁻¹(I - C)Eᵀ of the exact eigenvectors, for
// both flattenings, a τ, and K stored or not. Seven points and a sketch of seven columns make RSVD exact.
func TestEigenProByHand(t *testing.T) {
	const k, m, eta = 3, 3, 0.7
	for _, flatten := range []string{"sqrt", "full"} {
		for _, memory := range []int64{0, -1} {
			t.Run(fmt.Sprintf("%s, memory %d", flatten, memory), func(t *testing.T) {
				p := algostest.SmallSquare()
				p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: memory})
				g := algostest.NewExactGram(t, p)
				alpha := make([]float64, 7)
				for step := range 2 {
					rows := []int{3 * step, 3*step + 1, 3*step + 2}
					r := make([]float64, m)
					for b, i := range rows {
						r[b] = -algostest.Targets[i] / m
						for j, a := range alpha {
							r[b] += g.K.At(i, j) * a / m
						}
					}
					for b, i := range rows {
						alpha[i] -= eta * r[b]
					}
					for e := range k {
						c := 0.5 * g.Values[k] / g.Values[e]
						if flatten == "sqrt" {
							c = 0.5 * math.Sqrt(g.Values[k]/g.Values[e])
						}
						s := 0.0
						for j := range 7 {
							for b, i := range rows {
								s += g.Vectors.At(j, e) * g.K.At(i, j) * r[b]
							}
						}
						for j := range 7 {
							alpha[j] += eta * g.Vectors.At(j, e) * (1 - c) / g.Values[e] * s
						}
					}
				}
				a := &EigenPro{EigenProSettings{Batch: m, Directions: k, Subsample: 7, Tau: 0.5, Flatten: flatten, Step: constant(eta)}}
				f := algostest.Start(t, a, p)
				algostest.Steps(t, f, 2)
				// Rounding errors in α are those of K times its condition number of 1e3.
				assert.InDeltaSlice(t, alpha, coefficientsOf(t, g, p, f), 1e-11)
				assert.InDeltaSlice(t, alpha, f.(algos.Expansion).Coefficients().Data, 1e-11)
				fitted := f.(algos.Fitter).Fitted()
				x, _ := p.Dense()
				assert.InDeltaSlice(t, f.Model().Predict(x).Data, fitted.Data, 1e-13)
			})
		}
	}
}

// With all eigenvectors but the last and full flattening, PK/n is λ_n/n times the identity, so that a single
// iteration on all rows with η = n/λ_n interpolates: ma2017 Sec. 3.3, exact in the span of the top k + 1.
func TestEigenProSolvesTheSpanAtOnce(t *testing.T) {
	p := algostest.SmallSquare()
	g := algostest.NewExactGram(t, p)
	a := &EigenPro{EigenProSettings{Batch: 7, Directions: 6, Subsample: 7, Tau: 1, Flatten: "full", Step: constant(7 / g.Values[6])}}
	f := algostest.Start(t, a, p)
	algostest.Steps(t, f, 1)
	assert.InDeltaSlice(t, algostest.Targets, f.(algos.Fitter).Fitted().Data, 1e-10) // condition number 1e3
}

// The step sizes of both rules, from the exact spectrum.
func TestEigenProStepSizes(t *testing.T) {
	p := algostest.SmallSquare()
	g := algostest.NewExactGram(t, p)
	first, next := g.Values[0]/7, g.Values[3]/7
	for _, c := range []struct {
		rule string
		eta  float64
		want float64
	}{
		{"code", 0, 0.75 / first * math.Sqrt(first/next)},
		{"code", 5, 5 * math.Sqrt(first/next)},
		{"full", 0, 0.75 / next},
		{"bound", 0, func() float64 {
			trace, norm := 1.0, 0.0
			for _, l := range g.Values[:4] {
				trace -= l * l / 49
				norm = max(norm, l/7*(1-l/7))
			}
			ln := math.Log(8 * trace / norm / 0.05)
			return 1 / (next + 2*(next+1)/(3*5)*ln + math.Sqrt(2*next/5*ln))
		}()},
	} {
		a := &EigenPro{EigenProSettings{Batch: 5, Directions: 3, Subsample: 7, Tau: 1, Flatten: "sqrt", Rule: c.rule, Eta: c.eta}}
		f := algostest.Start(t, a, p).(*eigenPro)
		assert.InEpsilon(t, c.want, f.gamma(1), 1e-12, c.rule)
		assert.Equal(t, f.gamma(1), f.gamma(100))
	}
	for _, a := range []EigenProSettings{{Rule: "full", Eta: 5}, {Rule: "code", Eta: 5, Step: constant(1)}} {
		_, err := (&EigenPro{a}).Start(p)
		assert.ErrorContains(t, err, "remove eta")
		_, err = (&EigenProRF{EigenProSettings: a}).Start(p)
		assert.ErrorContains(t, err, "remove eta")
	}
}

// A state saved with K stored continues where there is no memory for it.
func TestEigenProStateWithoutMemory(t *testing.T) {
	a := &EigenPro{EigenProSettings{Batch: 7, Directions: 5, Subsample: 60, Tau: 1, Flatten: "sqrt", Rule: "code"}}
	p, q := algostest.Problem(60, losses.Square{}), algostest.Problem(60, losses.Square{})
	p.Nu, q.Nu = 0, 0
	q.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: -1})
	f, g := algostest.Start(t, a, p), algostest.Start(t, a, q)
	algostest.Steps(t, f, 10)
	algostest.Restore(t, g, algostest.Encode(t, f))
	x := algostest.Queries(3)
	assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-10)
	algostest.Steps(t, f, 10)
	algostest.Steps(t, g, 10)
	assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-10)
}

// EigenPro with NSVD of all rows is EigenPro with exact eigenvectors, which RSVD has with a sketch of all columns.
func TestEigenProDecompositions(t *testing.T) {
	var alpha [2][]float64
	for i, decomposition := range []string{"rsvd", "nystrom"} {
		a := &EigenPro{EigenProSettings{Batch: 3, Directions: 3, Subsample: 7, Tau: 1, Decomposition: decomposition, Flatten: "sqrt", Rule: "code"}}
		f := algostest.Start(t, a, algostest.SmallSquare())
		algostest.Steps(t, f, 5)
		alpha[i] = f.(algos.Expansion).Coefficients().Data
	}
	assert.InDeltaSlice(t, alpha[0], alpha[1], 1e-10) // condition number 1e3
}
