package benchmark

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// A fakeClock only moves when something says how long it takes.
type fakeClock struct{ t time.Duration }

func (c *fakeClock) now() time.Duration { return c.t }

// takes returns a run that takes these times in turn, the last for ever.
func (c *fakeClock) takes(times ...time.Duration) func() {
	i := 0
	return func() {
		c.t += times[min(i, len(times)-1)]
		i++
	}
}

// fakeStopwatch measures with a clock, at a peak of some flops a second that takes no time.
func fakeStopwatch(c *fakeClock, peak ...float64) *stopwatch {
	i := 0
	return &stopwatch{
		now: c.now, limit: 12 * time.Millisecond, longest: time.Second, atLeast: 2, wake: func() {}, peaks: map[peakKey][]float64{},
		peak: func(compute.Precision, int, time.Duration) float64 {
			i++
			return peak[min(i, len(peak))-1]
		},
	}
}

func (op operation) with(run, alone func()) operation {
	op.setup = func() runs { return runs{run: run, alone: alone} }
	return op
}

const ms = time.Millisecond

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		name  string
		op    operation
		times []time.Duration
		peak  []float64
		want  Measurement
	}{
		{
			"rates are those of the median time", operation{flops: 8e6, bytes: 4e6, values: 1000},
			[]time.Duration{4 * ms, 4 * ms, 4 * ms}, []float64{4e9},
			Measurement{Repetitions: 2, Seconds: 4e-3, GFlops: number(2), Fraction: number(0.5), Low: number(0.5), High: number(0.5),
				GBytes: number(1), Nanoseconds: number(4000)},
		},
		{
			// 4, 2 and 5 ms after two runs that do not count, between peaks of 4, 1, 8 and 4 Gflop/s: 1/2, 1/2, 1/5.
			"a fraction is of the peak around its repetition", operation{flops: 8e6},
			[]time.Duration{ms, 2 * ms, 4 * ms, 2 * ms, 5 * ms}, []float64{4e9, 1e9, 8e9, 4e9},
			Measurement{Repetitions: 3, Seconds: 4e-3, GFlops: number(2), Fraction: number(0.5), Low: number(0.35), High: number(0.5)},
		},
		{
			"what is left out is no number", operation{},
			[]time.Duration{4 * ms}, nil, Measurement{Repetitions: 2, Seconds: 4e-3},
		},
		{
			"short runs are repeated within a repetition", operation{values: 1},
			[]time.Duration{500 * time.Microsecond}, nil, Measurement{Repetitions: 6, Seconds: 5e-4, Nanoseconds: number(5e5)},
		},
		{
			"there is a least number of repetitions", operation{flops: 1e9},
			[]time.Duration{time.Second}, []float64{2e9},
			Measurement{Repetitions: 2, Seconds: 1, GFlops: number(1), Fraction: number(0.5), Low: number(0.5), High: number(0.5)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &fakeClock{}
			got := fakeStopwatch(clock, c.peak...).measure(c.op.with(clock.takes(c.times...), nil))
			same(t, c.want, got)
		})
	}
}

func TestMeasureThreads(t *testing.T) {
	clock := &fakeClock{}
	s := fakeStopwatch(clock)
	op := operation{threads: 4}.with(clock.takes(3*ms), clock.takes(9*ms))
	same(t, Measurement{Threads: 4, Repetitions: 2, Seconds: 3e-3, Speedup: number(3)}, s.measure(op))
	op.latency = true
	same(t, Measurement{Threads: 4, Repetitions: 2, Seconds: 0.75e-3}, s.measure(op)) // 3 - 9/4
}

func number(v float64) *float64 { return &v }

// same compares numbers to the roundings of a few operations.
func same(t *testing.T, want, got Measurement) {
	t.Helper()
	pairs := [][2]*float64{{want.GFlops, got.GFlops}, {want.Fraction, got.Fraction}, {want.Low, got.Low}, {want.High, got.High},
		{want.GBytes, got.GBytes}, {want.Nanoseconds, got.Nanoseconds}, {want.Speedup, got.Speedup}, {&want.Seconds, &got.Seconds}}
	for i, p := range pairs {
		if p[0] == nil || p[1] == nil {
			assert.Equal(t, p[0], p[1], "number %d", i)
			continue
		}
		assert.InEpsilon(t, *p[0], *p[1], 1e-12, "number %d", i)
	}
	assert.Equal(t, want.Repetitions, got.Repetitions)
	assert.Equal(t, want.Threads, got.Threads)
}

func TestUnrest(t *testing.T) {
	clock := &fakeClock{}
	s := fakeStopwatch(clock, 4e9, 8e9, 6e9)
	assert.Zero(t, s.unrest(), "nothing measured")
	s.measure(operation{flops: 1}.with(clock.takes(5*ms), nil))
	assert.InEpsilon(t, 2.0/6, s.unrest(), 1e-12, "quartiles 5 and 7 of three peaks")
}

func TestTooLong(t *testing.T) {
	s := fakeStopwatch(&fakeClock{}, 1e9)
	assert.False(t, s.tooLong(operation{flops: 1e9}), "a second at the peak")
	assert.True(t, s.tooLong(operation{flops: 1.01e9}))
	assert.False(t, s.tooLong(operation{}))
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		name    string
		x       []float64
		q, want float64
	}{
		{"one value", []float64{3}, 0.25, 3},
		{"the middle of three", []float64{5, 1, 2}, 0.5, 2},
		{"between two", []float64{4, 1}, 0.5, 2.5},
		{"lower quartile", []float64{1, 2, 3, 4}, 0.25, 1.75},
		{"upper quartile", []float64{4, 3, 2, 1}, 0.75, 3.25},
		{"largest", []float64{1, 7, 2}, 1, 7},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, quantile(c.x, c.q)) })
	}
}

// TestCounts works out some counts by hand.
func TestCounts(t *testing.T) {
	counts := map[string]operation{}
	for _, op := range operations(Options{Threads: 2, Precisions: []compute.Precision{compute.Float64}}, 1e9) {
		counts[op.title()] = op
	}
	for title, want := range map[string]float64{
		"gemm 2048×2048×2048":                                  2 * 2048 * 2048 * 2048,
		"syrk 2048×2048":                                       2048 * 2049 * 2048, // half of the entries
		"gemv 4096×4096×1":                                     2 * 4096 * 4096,
		"features 1024×8192 d=50 columns=10":                   2 * 1024 * 8192 * 60,
		"features cached transposed 1024×8192 d=784 columns=1": 2 * 1024 * 8192 * 785,
		"kernel 1024×8192 d=2 columns=1":                       2 * 1024 * 8192 * 3,
		"kernel symmetric 2048×2048 d=123 columns=1":           2048*2049*123 + 2*2048*2048,
		"region 5 ms":                                          5e6,
		"region 0.5 ms":                                        5e5,
	} {
		require.Contains(t, counts, title)
		assert.Equal(t, want, counts[title].flops, title)
	}
	assert.EqualValues(t, 8*(4096*4096+2*4096), counts["gemv 4096×4096×1"].bytes)
	assert.EqualValues(t, 784*48, counts["draw normal 48×784"].values)
}

// TestRegionForksOnce checks that a region's work is done once, on two threads as on one.
func TestRegionForksOnce(t *testing.T) {
	for _, threads := range []int{1, 2} {
		x, z := dense(48, 1), dense(48*regionPanels, 1)
		v, u := dense(z.Rows, 1), compute.NewMatrix(48, 1)
		e := compute.NewEngine(compute.Options{Threads: threads})
		e.Kernel(labour{1000}, x, z).MulTo(u, v)
		for i := range u.Rows { // labour leaves x·z as it is
			want := 0.0
			for j := range z.Rows {
				want += x.At(i, 0) * z.At(j, 0) * v.At(j, 0)
			}
			assert.InDelta(t, want, u.At(i, 0), 1e-12*float64(z.Rows)) // terms of order 1, a rounding each
		}
	}
}

func TestRun(t *testing.T) {
	var told []string
	r, err := Run(t.Context(), Options{Threads: 1, Filter: "COS 4608", Quick: true, Progress: func(done, of int, next string) {
		told = append(told, next)
		assert.Equal(t, 2, of)
	}})
	require.NoError(t, err)
	require.Len(t, r.Measurements, 2)
	assert.Empty(t, r.LeftOut)
	assert.Equal(t, []string{"cos 4608 in float32", "cos 4608 in float64"}, told)
	for i, m := range r.Measurements {
		assert.Equal(t, []compute.Precision{compute.Float32, compute.Float64}[i], m.Precision)
		assert.Equal(t, compute.ISA(), m.ISA)
		assert.NotEmpty(t, m.CPU)
		assert.Positive(t, m.Seconds)
		require.NotNil(t, m.Nanoseconds)
		assert.InEpsilon(t, m.Seconds*1e9/4608, *m.Nanoseconds, 1e-12)
		assert.Nil(t, m.GFlops)
		assert.Nil(t, m.Fraction)
		b, err := json.Marshal(m)
		require.NoError(t, err)
		var keys map[string]any
		require.NoError(t, json.Unmarshal(b, &keys))
		for _, key := range []string{"operation", "shape", "precision", "threads", "cpu", "seconds", "gflops", "fraction"} {
			assert.Contains(t, keys, key)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	_, err := Run(t.Context(), Options{Filter: "fft"})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `no operation matches "fft"`)
	assert.Contains(t, err.Error(), "gemv")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Run(ctx, Options{Filter: "cos"})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestOperationsRun runs every small operation once: those of two inputs, and what has no shape of a paper.
func TestOperationsRun(t *testing.T) {
	for _, op := range operations(Options{Threads: 2, Precisions: []compute.Precision{compute.Float32, compute.Float64}}, 1e6) {
		small := op.flops < 1e8 && !strings.HasPrefix(op.name, "memory")
		if !small {
			continue
		}
		t.Run(op.title()+" "+string(op.precision), func(t *testing.T) {
			r := op.setup()
			assert.NotPanics(t, r.run)
			if r.alone != nil {
				assert.NotPanics(t, r.alone)
			}
		})
	}
}

// TestPeakIsARate: on a clock that moves 1 ms whenever it is read, a peak is at least one burst over the
// time, and finite.
func TestPeakIsARate(t *testing.T) {
	clock := &fakeClock{}
	tick := func() time.Duration { clock.t += ms; return clock.t }
	rate := peak[float64](tick, 1, 3*ms)
	assert.False(t, math.IsInf(rate, 0) || math.IsNaN(rate))
	// Bursts of about 2²⁰ operations, each between two or three ticks.
	assert.Greater(t, rate, float64(1<<20)/3e-3*0.99)
	assert.Less(t, rate, float64(1<<20)/1e-3*1.01)
}
