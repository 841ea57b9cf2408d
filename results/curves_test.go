package results

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var inf = math.Inf(1)

func TestAbscissaKnowsEveryName(t *testing.T) {
	p := point(8, 1)
	p.Counters = Counters{KernelEvals: 3, FeatureEvals: 4, Flops: 5, Memory: 6}
	want := map[string]float64{
		"step": 8, "seen": 80, "epoch": 0.8, "seconds": 3, "step-seconds": 2,
		"kernel-evals": 3, "feature-evals": 4, "evals": 7, "flops": 5, "memory": 6,
	}
	for _, x := range Abscissae {
		v, ok := Abscissa(p, x)
		assert.True(t, ok, x)
		assert.Equal(t, want[x], v, x)
	}
	_, ok := Abscissa(p, "hours")
	assert.False(t, ok)
}

func TestCurveOfAlignsSeedsByStep(t *testing.T) {
	recs := []*Record{record("a", 1, 8, 4), record("a", 2, 6, 3), record("a", 3, 7, 5)}
	recs[1].Points[1].Timing.Train = 40 // the clock is noisy
	c := CurveOf(recs, "error", "step-seconds")
	assert.Equal(t, "a", c.Method)
	assert.Equal(t, "The a", c.Label)
	assert.Equal(t, []float64{0.25, 0.5}, c.X, "the median over seeds")
	assert.Equal(t, []float64{7, 4}, c.Median)
	assert.Equal(t, []float64{6, 3}, c.Low)
	assert.Equal(t, []float64{8, 5}, c.High)
	assert.Equal(t, []int{3, 3}, c.N)
	assert.Equal(t, "range of 3 seeds", c.Band)
	assert.Empty(t, c.Warnings)
}

func TestCurveOfInterpolatesWhereStepsDiffer(t *testing.T) {
	a, b := record("a", 1, 8, 4), record("a", 2, 8)
	b.Points = append(b.Points, point(4, 2))
	c := CurveOf([]*Record{a, b}, "error", "step")
	f := (math.Log(3) - math.Log(2)) / (math.Log(5) - math.Log(2)) // in log(1+step)
	assert.Equal(t, []int{2, 2, 1}, c.N, "no seed is extrapolated")
	require.Len(t, c.X, 3)
	assert.InDelta(t, (4+8-6*f)/2, c.Median[1], 1e-12)
	assert.InDelta(t, (2+1+3*f)/2, c.X[1], 1e-12)
	assert.Equal(t, 2.0, c.Median[2])
}

func TestCurveOfCountsDivergedSeedsAsInfinite(t *testing.T) {
	recs := []*Record{
		record("a", 1, 8, 4, 2), record("a", 2, 8, 4, 2),
		ended(record("a", 3, 8, 9, math.NaN()), Diverged),
		ended(record("a", 4, 8, 20), Diverged), // stopped before it was evaluated again
	}
	c := CurveOf(recs, "error", "step")
	assert.Equal(t, []float64{8, 6.5, inf}, c.Median)
	assert.Equal(t, []float64{8, 4, 2}, c.Low)
	assert.Equal(t, []float64{8, 11.75, inf}, c.High)
	assert.Equal(t, []int{4, 4, 2}, c.N)
	assert.Equal(t, []Break{{4, 2, 2}, {3, 4, 4}}, c.Diverged)
	assert.ErrorContains(t, errors.Join(c.Warnings...), "2 of 4 seeds diverged")
}

func TestCurveOfPartialAndFailedSeeds(t *testing.T) {
	recs := []*Record{
		record("a", 1, 8, 4), ended(record("a", 2, 8), Partial),
		ended(record("a", 3), Failed), ended(record("a", 4, 8, 3), Timeout),
	}
	c := CurveOf(recs, "error", "step")
	assert.Equal(t, 3, c.Seeds)
	assert.Equal(t, 1, c.Partial)
	assert.Equal(t, []int{3, 2}, c.N)
	text := errors.Join(c.Warnings...).Error()
	assert.Contains(t, text, "seed 3 failed: because")
	assert.Contains(t, text, "seed 4 timeout: because")
	assert.Contains(t, text, "1 of 4 seeds partial")
}

func TestCurveOfNothing(t *testing.T) {
	c := CurveOf(nil, "error", "step")
	assert.Empty(t, c.X)
	assert.Equal(t, "no seeds", c.Band)
	assert.Empty(t, CurveOf(flat("a", 1), "other", "step").X)
	assert.Empty(t, CurveOf(flat("a", 1), "error", "hours").X)
}

func TestCurveOfWarnsOfMixtures(t *testing.T) {
	settings := func(batch int, seed uint64) map[string]any {
		return map[string]any{"method": map[string]any{"batch": batch}, "seed": seed}
	}
	base := func() *Record {
		return with(record("a", 1, 1), func(r *Record) { r.Header.Settings = settings(8, 1) })
	}
	tests := []struct {
		name   string
		change func(*Header)
		want   string
	}{
		{"another seed", func(h *Header) { h.Digest, h.Settings = "x", settings(8, 2) }, ""},
		{"a setting", func(h *Header) { h.Digest, h.Settings = "x", settings(16, 2) }, "mixes runs that vary in method.batch"},
		{"a setting more", func(h *Header) { h.Digest = "x"; h.Settings = map[string]any{"nu": 1} }, "mixes runs that vary in method.batch, nu"},
		{"profile", func(h *Header) { h.Profile = "quick" }, "mixes runs that vary in profile"},
		{"commit", func(h *Header) { h.Provenance.Dirty = true }, "mixes runs that vary in commit"},
		{"precision", func(h *Header) { h.Provenance.Precision = "float32" }, "mixes runs that vary in precision"},
		{"method", func(h *Header) { h.Method = "b" }, "mixes runs that vary in method"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			other := base()
			other.Header.Seed = 2
			test.change(&other.Header)
			c := CurveOf([]*Record{base(), other}, "error", "step")
			if test.want == "" {
				assert.Empty(t, c.Warnings)
				return
			}
			require.Len(t, c.Warnings, 1)
			assert.EqualError(t, c.Warnings[0], test.want)
		})
	}
}

func TestRecordAt(t *testing.T) {
	r := record("a", 1, 8, 4, 2)
	r.Points[2].Values["other"] = Value(5)
	tests := []struct {
		name   string
		r      *Record
		metric string
		at     At
		want   float64
		ok     bool
	}{
		{"end", r, "error", At{}, 2, true},
		{"on a point", r, "error", At{"step", 2}, 4, true},
		{"between points", r, "error", At{"step", 3.9}, 4, true},
		{"rounding of an epoch", r, "error", At{"epoch", 0.4 - 1e-12}, 2, true},
		{"beyond the end", r, "error", At{"epoch", 99}, 2, true},
		{"before the first", r, "error", At{"step", 0.5}, 0, false},
		{"measured late", r, "other", At{"step", 2}, 0, false},
		{"cost", r, "memory", At{}, 1 << 20, true},
		{"unknown abscissa", r, "error", At{"hours", 2}, 0, false},
		{"null", record("a", 1, 8, math.NaN()), "error", At{}, 0, false},
		{"before null", record("a", 1, 8, math.NaN()), "error", At{"step", 1}, 8, true},
		{"end of a diverged run", ended(record("a", 1, 8, 4), Diverged), "error", At{}, 0, false},
		{"before it diverged", ended(record("a", 1, 8, 4), Diverged), "error", At{"step", 1}, 8, true},
		{"after it diverged", ended(record("a", 1, 8, 4), Diverged), "error", At{"step", 3}, 0, false},
		{"cost of a diverged run", ended(record("a", 1, 8, 4), Diverged), "seen", At{}, 20, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, ok := test.r.At(test.metric, test.at)
			assert.Equal(t, test.ok, ok)
			if ok {
				assert.Equal(t, test.want, v)
			}
		})
	}
}
