package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// Rows are drawn from streams of their own, of the problem's seed, uniformly from all of them.
func TestStreamsOfDraws(t *testing.T) {
	const n, r = 40, 5
	p := algostest.Problem(n, losses.Square{})
	p.Seed = 7
	drawn := func(purpose string) []int { return compute.NewStream(7, purpose, 0).Perm(n)[:r] }
	rows, err := SelectLandmarks("test", p, r, Uniform)
	require.NoError(t, err)
	assert.Equal(t, drawn("landmarks"), rows)
	assert.Equal(t, drawn("subsample"), Subsample(p, r))
	x, _ := p.Dense()
	assert.Equal(t, drawn("pivots"), Approximate(p, x, Uniform, r, 0).Rows)
	order, err := NewSampling("test", p, true)
	require.NoError(t, err)
	s := compute.NewStream(7, "replacement", 0)
	for _, row := range order.Rows(0, r) {
		assert.Equal(t, s.IntN(n), row)
	}
	kors := KORSSettings{}.Choice(7, 1)
	assert.Equal(t, compute.NewSource(7, "kors"), kors.Coins)
	assert.InDelta(t, 2, kors.Weight(0.25), 1e-15)
}

// A proposed row is accepted with the share of its diagonal that is left.
func TestProposalsAreAcceptedByWhatIsLeft(t *testing.T) {
	p := algostest.Problem(10, losses.Square{})
	x, _ := p.Dense()
	c := newPivoted(p, x, 5)
	c.d[3] = 1
	accepted := 0
	for k := range uint64(1000) {
		h := compute.NewMatrix(1, 1)
		h.Set(0, 0, 0.5)
		accepted += len(c.accept(compute.NewStream(7, "test", k), []int{3}, h))
	}
	assert.InDelta(t, 500, accepted, 79, "five standard deviations")
}
