package descent

import (
	"math"
	"math/rand/v2"
	"testing"

	"repro/algos"
	"repro/algos/algostest"
)

func TestLaws(t *testing.T) { algostest.Laws(t, &NoisyDescent{Power: 1}) }

// With steps 1/t, x is minus the mean of the noises. With steps 1 it is minus the last one.
func TestNoisyDescent(t *testing.T) {
	const steps, seed = 5, 7
	var sum, last [100]float64
	for k := range steps {
		noise := rand.New(rand.NewPCG(seed, uint64(k+1)))
		for i := range sum {
			last[i] = noise.NormFloat64()
			sum[i] += last[i] / steps
		}
	}
	for power, want := range map[float64][100]float64{1: sum, 0: last} {
		f, err := (&NoisyDescent{Power: power}).Start(&algos.Problem{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		algostest.Steps(t, f, steps)
		gap := 0.0
		for i, x := range f.(*fit).X {
			if math.Abs(x+want[i]) > 1e-15*steps { // rounding of numbers near 1, once a step
				t.Errorf("power %v: x[%d] = %v, want %v", power, i, x, -want[i])
			}
			gap += want[i] * want[i] / 2
		}
		if got := f.(algos.Reporter).Report()["gap"]; math.Abs(got/gap-1) > 1e-13 {
			t.Errorf("power %v: gap %v, want %v", power, got, gap)
		}
	}
}
