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

// Every one of 200 predictions is that of a direct solve of (K_nMᵀK_nM + λK_MM)w = K_nMᵀy on the dictionary that KORS has then, with all
// points that of Kernel-AWV.
func TestNystromAWVByDefinition(t *testing.T) {
	const n = 200
	for _, c := range []struct{ lambda, beta, epsilon float64 }{{0.3, 1, 0.5}, {2, 0.3, 0.1}} {
		p := squares(n, c.lambda/n)
		u, x, y := record(t, &NystromAWV{KORSSettings: parts.KORSSettings{Beta: c.beta, Epsilon: c.epsilon, Points: n}}, p, n)
		kernel, targets := kernelOf(algostest.Gaussian).matrix(x, x), dense(y)
		d := &naiveDictionary{}
		for i := range n {
			d.choose(t, p.Seed, kernel, i, c.lambda, c.beta, c.epsilon)
			if len(d.rows) == 0 {
				assert.Zero(t, u[i][0])
				continue
			}
			knm := rowsOf(kernel, d.rows).Slice(0, len(d.rows), 0, i+1).T()
			var gram, b mat.Dense
			gram.Mul(knm.T(), knm)
			b.Mul(knm.T(), past(targets, i))
			w := ridge(t, &gram, c.lambda, block(kernel, d.rows, d.rows), &b)
			require.InDeltaSlice(t, product(block(kernel, []int{i}, d.rows), w), u[i], 1e-8, "λ = %v, round %d of %d points", c.lambda, i, len(d.rows))
		}
		assert.Greater(t, len(d.rows), 5)
		assert.Less(t, len(d.rows), n/2)
	}
	for _, lambda := range []float64{0.03, 1} {
		want, _, _ := record(t, &KernelAWV{}, squares(n, lambda/n), n)
		got, _, _ := record(t, &NystromAWV{KORSSettings: parts.KORSSettings{Beta: 1e15, Epsilon: 0.5, Points: n}}, squares(n, lambda/n), n)
		for i := range n {
			require.InDeltaSlice(t, want[i], got[i], 1e-6, "λ = %v, round %d", lambda, i)
		}
	}
}

// The bound of the dictionary holds, and the fit goes on.
func TestNystromAWVBoundsItsDictionary(t *testing.T) {
	a := &NystromAWV{KORSSettings: parts.KORSSettings{Beta: 1e9, Epsilon: 0.5, Points: 7}}
	f := after(t, a, algostest.Problem(60, losses.Square{}), 60).(*nystromAWV)
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
