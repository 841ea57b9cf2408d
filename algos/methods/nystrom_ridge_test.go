package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// With all rows as landmarks it is kernel ridge regression.
func TestNystromRidgeOfAllRowsIsKRR(t *testing.T) {
	const n = 30
	for _, selection := range []string{parts.Uniform, parts.RPCholesky} {
		p := algostest.Problem(n, losses.Square{})
		want, got := algostest.Start(t, &KRR{}, p), algostest.Start(t, &NystromRidge{Features: n, NystromSettings: parts.NystromSettings{Jitter: 1e-14, Selection: selection}}, p)
		algostest.Steps(t, want, 1)
		algostest.Steps(t, got, 1)
		x := algostest.Queries(3)
		// Directions dropped have eigenvalues below 1e-14·30 and change f by the square root of that at most.
		assert.InDeltaSlice(t, want.Model().Predict(x).Data, got.Model().Predict(x).Data, 1e-6)
	}
}

// Falkon with the same landmarks converges to it, also where rows come in several parts.
func TestFalkonConvergesToNystromRidge(t *testing.T) {
	const n, m = chunkRows + 76, 12
	p := algostest.Problem(n, losses.Square{})
	p.Nu = 1e-3
	for _, selection := range []string{parts.Uniform, parts.RPCholesky} {
		direct := algostest.Start(t, &NystromRidge{Features: m, NystromSettings: parts.NystromSettings{Jitter: 1e-14, Selection: selection}}, p)
		algostest.Steps(t, direct, 1)
		iterative := algostest.Start(t, &Falkon{Landmarks: m, Jitter: 1e-14, Selection: selection}, p)
		algostest.Steps(t, iterative, 40)
		x := algostest.Queries(3)
		assert.InDeltaSlice(t, direct.Model().Predict(x).Data, iterative.Model().Predict(x).Data, 1e-7, selection)
	}
}

// Pivoted landmarks are other rows than uniform ones, the same for all methods.
func TestMethodsShareLandmarks(t *testing.T) {
	const n, m = 200, 20
	p := algostest.Problem(n, losses.Square{})
	p.Engine = compute.NewEngine(compute.Options{Threads: 1})
	of := func(selection string) compute.Matrix {
		rows, err := parts.SelectLandmarks("test", p, m, selection)
		require.NoError(t, err)
		x, _ := p.Dense()
		z := x.Select(rows)
		f, err := (&Falkon{Landmarks: m, Jitter: 1e-10, Selection: selection}).Start(p)
		require.NoError(t, err)
		assert.Equal(t, z, f.(*falkon).z)
		return z
	}
	assert.NotEqual(t, of(parts.Uniform), of(parts.RPCholesky))
	_, err := (&NystromRidge{Features: n + 1}).Start(p)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.ErrorContains(t, err, "nystrom-ridge draws 201 landmarks from 200 training rows")
}
