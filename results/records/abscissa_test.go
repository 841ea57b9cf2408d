package records_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestAbscissaKnowsEveryName(t *testing.T) {
	p := recordstest.Point(8, 1)
	p.Counters = records.Counters{KernelEvals: 3, FeatureEvals: 4, Flops: 5, Memory: 6}
	want := map[string]float64{
		"step": 8, "seen": 80, "epoch": 0.8, "seconds": 3, "step-seconds": 2, "seconds-per-step": 0.25,
		"kernel-evals": 3, "feature-evals": 4, "evals": 7, "flops": 5, "memory": 6,
	}
	for _, x := range records.AbscissaNames() {
		v, ok := p.Abscissa(x)
		assert.True(t, ok, x)
		assert.Equal(t, want[x], v, x)
	}
	_, ok := p.Abscissa("hours")
	assert.False(t, ok)
	assert.Len(t, records.Abscissae, len(want))
	for _, a := range records.Abscissae {
		assert.Equal(t, a.Unit == "s", records.Timed(a.Name), "what the clock measures is in seconds: %s", a.Name)
	}
}
