package methods

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// Step t draws its block uniformly, from stream t of the problem's seed and of a purpose.
func TestBlocksAreDrawnByStep(t *testing.T) {
	const seed, r, b, steps = 7, 12, 4, 9
	start := func(name string) algos.Fit {
		p := algostest.Problem(lawPoints, losses.Square{})
		p.Seed = seed
		return algostest.Start(t, configured(t, name, map[string]any{"features": r, "blocks": b, "batch": 5}), p)
	}
	for _, name := range []string{"r-sbmd", "r-rbcd"} {
		f := start(name)
		w := f.State().(*parts.SpanState)
		for step := range steps {
			before := slices.Clone(w.Alpha)
			algostest.Steps(t, f, 1)
			lo, hi := parts.Cut(r, b, compute.NewStream(seed, "blocks", uint64(step)).IntN(b))
			for i, v := range w.Alpha {
				assert.Equal(t, 2*lo <= i && i < 2*hi, v != before[i], "%s, step %d, weight %d of two outputs", name, step+1, i)
			}
		}
	}
	f := start("udsg")
	algostest.Steps(t, f, steps)
	for step, block := range f.State().(*parts.AdditiveState).Blocks {
		if step%2 == 1 {
			assert.Equal(t, compute.NewStream(seed, "old blocks", uint64(step)).IntN(step/2+1), block)
		}
	}
}
