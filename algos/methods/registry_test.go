package methods

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
)

func TestRegistry(t *testing.T) {
	assert.Equal(t, algos.Names(), slices.Sorted(slices.Values(algos.Names())))
	for _, name := range []string{"dsg", "k-sdca", "krr", "ksvm", "n-pegasos", "n-rbcd", "n-sbmd", "n-sdca",
		"norma", "r-pegasos", "r-rbcd", "r-sbmd", "r-sdca"} {
		assert.Contains(t, algos.Names(), name)
	}
	for _, name := range algos.Names() {
		a, err := algos.New(name)
		require.NoError(t, err)
		again, err := algos.New(name)
		require.NoError(t, err)
		assert.Equal(t, a, again)
		algostest.Set(a, "batch", 17)
		algostest.Set(a, "features", 17)
		third, err := algos.New(name)
		require.NoError(t, err)
		assert.Equal(t, again, third, "%s: what one spec overwrites is not another's default", name)
		assert.Implements(t, (*algos.Coster)(nil), a, name)
		fit, declared := algos.Declared(a)
		assert.True(t, declared && fit != nil, "%s: metrics of a fit ask for it", name)
	}
	_, err := algos.New("dsgd")
	assert.EqualError(t, err, `unknown algorithm "dsgd"`)
	assert.PanicsWithValue(t, "algos: dsg registered twice", func() { algos.Register[algos.Fit]("dsg", "", nil) })
}
