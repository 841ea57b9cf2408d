package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// blockSteps makes one step from the same state for each block, and returns the sum of their changes of
// W and how many coordinates each changed.
func blockSteps(t *testing.T, f *linearSGD, b int, from parts.SpanState) (sum []float64, changed []int) {
	t.Helper()
	sum, seen := make([]float64, len(from.Alpha)), map[int]bool{}
	for T := 0; len(seen) < b; T++ {
		require.Less(t, T, 100, "a block is never drawn")
		j, _ := f.block(T)
		if seen[j] {
			continue
		}
		seen[j] = true
		f.SpanState = &parts.SpanState{Count: parts.Count{T: T, Seen: from.Seen}, Alpha: append([]float64(nil), from.Alpha...)}
		algostest.Steps(t, f, 1)
		n := 0
		for i, w := range f.Alpha {
			sum[i] += w - from.Alpha[i]
			if w != from.Alpha[i] {
				n++
			}
		}
		changed = append(changed, n)
	}
	return sum, changed
}

// TestSBMDBlocksMakeTheGradient: over all blocks, steps from the same w and examples add up to Pegasos'
// step, b times the expected one; each moves one block.
func TestSBMDBlocksMakeTheGradient(t *testing.T) {
	const r, b, before = 14, 4, 9
	step := &schedules.Constant{Gamma0: 0.3}
	for _, nystrom := range []bool{false, true} {
		p := algostest.Problem(60, losses.Logistic{})
		var whole, cut algos.Algorithm = &RPegasos{PegasosSettings{Batch: 5, Features: r, Step: step}}, &RSBMD{SBMDSettings{Batch: 5, Features: r, Blocks: b, Step: step}}
		if nystrom {
			whole, cut = &NPegasos{PegasosSettings{Batch: 5, Features: r, Step: step}, parts.NystromSettings{}}, &NSBMD{SBMDSettings{Batch: 5, Features: r, Blocks: b, Step: step}, parts.NystromSettings{}}
		}
		full := algostest.Start(t, whole, p).(*linearSGD)
		algostest.Steps(t, full, before)
		from := *full.SpanState
		from.Alpha = append([]float64(nil), from.Alpha...)
		algostest.Steps(t, full, 1)

		sum, changed := blockSteps(t, algostest.Start(t, cut, p).(*linearSGD), b, from)
		for i := range sum {
			// One step of numbers of size 1.
			assert.InDelta(t, full.Alpha[i]-from.Alpha[i], sum[i], 1e-14)
		}
		assert.ElementsMatch(t, []int{6, 6, 8, 8}, changed, "14 features in four blocks, for two outputs")
	}
}

// TestSBMDStep: γ_t = b/(ν(t + b - 1)) unless the spec says otherwise.
func TestSBMDStep(t *testing.T) {
	p := algostest.Problem(20, losses.Hinge{})
	p.Nu = 0.5
	f := algostest.Start(t, &RSBMD{SBMDSettings{Batch: 1, Features: 8, Blocks: 4}}, p).(*linearSGD)
	for at, want := range map[int]float64{1: 2, 2: 8.0 / 5, 5: 1, 13: 0.5} {
		assert.InEpsilon(t, want, f.gamma(at), 1e-15, "t = %d", at)
	}
}

// TestSBMDBlocksAreUniform: in 4000 draws each of 8 blocks comes up 500 times, with a standard
// deviation of 21; 5 of these are a false alarm for 5e-6 of seeds.
func TestSBMDBlocksAreUniform(t *testing.T) {
	f := algostest.Start(t, &RSBMD{SBMDSettings{Batch: 1, Features: 8, Blocks: 8}}, algostest.Problem(20, losses.Hinge{})).(*linearSGD)
	count := make([]float64, 8)
	for i := range 4000 {
		j, _ := f.block(i) // of width 1
		count[j]++
	}
	for j, c := range count {
		assert.InDelta(t, 500, c, 105, "block %d", j)
	}
}
