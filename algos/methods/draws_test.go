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
	start := func(name string, settings map[string]any) algos.Fit {
		p := algostest.Problem(lawPoints, losses.Square{})
		p.Seed = seed
		return algostest.Start(t, algostest.With(configured(t, name, settings), map[string]any{"batch": 5}), p)
	}
	for _, name := range []string{"r-sbmd", "r-rbcd"} {
		f := start(name, map[string]any{"features": r, "blocks": b})
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
	for _, c := range [][2]int{{1, 1}, {2, 1}, {1, 2}} { // G and U
		drawn := 0
		f := start("udsg", map[string]any{"grow": c[0], "reuse": c[1]})
		algostest.Steps(t, f, steps)
		for step, block := range f.State().(*parts.AdditiveState).Blocks {
			want := drawn
			if step%(c[0]+c[1]) < c[0] {
				drawn++
			} else {
				want = compute.NewStream(seed, "old blocks", uint64(step)).IntN(drawn)
			}
			assert.Equal(t, want, block, "G = %d, U = %d, step %d", c[0], c[1], step+1)
		}
	}
}
