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
