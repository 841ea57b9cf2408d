package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/parts"
)

// With all points in the dictionary the predictions are those of Kernel-AWV.
func TestNystromAWVWithAllPointsIsKernelAWV(t *testing.T) {
	const n = 200
	for _, lambda := range []float64{0.03, 1} {
		problem := func() *algos.Problem {
			p := algostest.Problem(n, losses.Square{})
			p.Nu = lambda / n
			return p
		}
		want, _, _ := record(t, &KernelAWV{}, problem(), n)
		got, _, _ := record(t, &NystromAWV{KORSSettings: parts.KORSSettings{Beta: 1e15, Epsilon: 0.5, Points: n}}, problem(), n)
		for i := range n {
			require.InDeltaSlice(t, want[i], got[i], 1e-6, "λ = %v, round %d", lambda, i)
		}
	}
}

// Every one of 200 predictions is that of a direct solve of K_nMᵀK_nM + λK_MM on the dictionary that KORS has then.
func TestNystromAWVByDefinition(t *testing.T) {
	const n = 200
	for _, c := range []struct{ lambda, beta, epsilon float64 }{{0.3, 1, 0.5}, {2, 0.3, 0.1}} {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = c.lambda / n
		u, x, y := record(t, &NystromAWV{KORSSettings: parts.KORSSettings{Beta: c.beta, Epsilon: c.epsilon, Points: n}}, p, n)
		kernel := p.Engine.KernelMatrix(p.Kernel, x, x)
		d := &naiveDictionary{}
		for i := range n {
			d.choose(p.Seed, kernel, i, c.lambda, c.beta, c.epsilon)
			m := len(d.rows)
			if m == 0 {
				assert.Zero(t, u[i][0])
				continue
			}
			knm, kmm, targets := mat.NewDense(i+1, m, nil), mat.NewDense(m, m, nil), mat.NewDense(i+1, 2, nil)
			for j, r := range d.rows {
				for s := range i + 1 {
					knm.Set(s, j, kernel.At(s, r))
				}
				for l, s := range d.rows {
					kmm.Set(j, l, c.lambda*kernel.At(r, s))
				}
			}
			for s := range i {
				targets.SetRow(s, y.Row(s))
			}
			var gram, b, solved, want mat.Dense
			gram.Mul(knm.T(), knm)
			gram.Add(&gram, kmm)
			b.Mul(knm.T(), targets)
			require.NoError(t, solved.Solve(&gram, &b))
			want.Mul(knm, &solved)
			require.InDeltaSlice(t, want.RawRowView(i), u[i], 1e-8, "λ = %v, round %d of %d points", c.lambda, i, m)
		}
		assert.Greater(t, len(d.rows), 5)
		assert.Less(t, len(d.rows), n/2)
	}
}

// The bound of the dictionary holds, and the fit goes on.
func TestNystromAWVBoundsItsDictionary(t *testing.T) {
	p := algostest.Problem(60, losses.Square{})
	f := algostest.Start(t, &NystromAWV{KORSSettings: parts.KORSSettings{Beta: 1e9, Epsilon: 0.5, Points: 7}}, p).(*nystromAWV)
	algostest.Steps(t, f, 60)
	assert.Len(t, f.Dictionary.S, 7)
	assert.Len(t, f.Phi, 7)
	assert.Len(t, f.Phi[6], 60)
}

// A prediction needs values with all examples while a point may enter the dictionary, which it cannot once all points have.
func TestNystromAWVPredictionCosts(t *testing.T) {
	a := &NystromAWV{KORSSettings: parts.KORSSettings{Beta: 1e9, Points: 10}}
	for steps, values := range map[int]float64{9: 9 + 1 + 9, 10: 10 + 1, 20: 10 + 1} {
		assert.Equal(t, values, a.Cost(algos.Size{N: 100, In: 3, Out: 1, Steps: steps, Evals: 1}).EvalCost, "%d rounds", steps)
	}
}
