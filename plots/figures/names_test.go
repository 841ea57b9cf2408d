package figures

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/claims"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {-0.97, "−0.97"}, {15.3, "15.3"}, {0.123456, "0.1235"}, {12345.6, "12346"}, {131072, "131072"},
		{1.5e7, "1.5×10^{7}"}, {1e-9, "10^{−9}"}, {-2.5e-7, "−2.5×10^{−7}"}, {math.Inf(1), "∞"}, {math.Inf(-1), "−∞"},
	} {
		assert.Equal(t, c.want, Number(c.v))
	}
}

func TestNumberWithin(t *testing.T) {
	for _, c := range []struct {
		name         string
		low, high, v float64
		want         string
	}{
		{"two digits of half the interval", -1.0213, -0.9187, -0.97, "−0.970"},
		{"wide", 100, 400, 250, "250"},
		{"no more than five digits", 15.00133, 15.00206, 15.001695, "15.002"},
		{"no interval", 3, 3, 3, "3"},
		{"unbounded", 1, math.Inf(1), 2.5, "2.5"},
		{"tiny", 1e-5, 3e-5, 2e-5, "2×10^{−5}"},
		{"infinite value", 1, 2, math.Inf(1), "∞"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, NumberWithin(c.low, c.high)(c.v)) })
	}
}

func TestCurveNames(t *testing.T) {
	exp := claims.Experiment{Metrics: measuredMetrics, Claims: []claims.Claim{{Metric: "miss-rate", Unit: "percent"}}}
	for metric, want := range map[string]string{
		"l2-error": "squared L_{2} distance to f", "test-error": "test error",
		"test-error@average": "test error of the averaged iterate", "some-new-metric": "some new metric", "seconds": "training time (s)",
	} {
		assert.Equal(t, want, CurveName(exp, metric))
	}
	assert.Equal(t, "kernel and feature evaluations", AbscissaName("evals"))
	assert.Equal(t, "%", exp.Unit("test-error@average").Sign)
	assert.Empty(t, exp.Unit("l2-error").Sign)
	assert.Equal(t, "%", exp.Unit("miss-rate").Sign)
}

func TestVerdictSentence(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name string
		v    claims.Verdict
		want string
	}{
		{"rate", claims.Verdict{Claim: "rate", Source: "Thm 4", Kind: "rate", Published: "-1", Measured: v(-0.97), Low: v(-1.02), High: v(-0.92), Verdict: claims.Reproduced},
			"Claim rate (Thm 4): slope −0.970 [−1.020, −0.920], published −1: reproduced"},
		{"value in per cent", claims.Verdict{Claim: "err", Kind: "value", Metric: "test-error", Unit: "percent", Published: "15.3", Measured: v(16), Low: v(15), High: v(17), Verdict: claims.NotComparable, AtSize: claims.Deviates},
			"Claim err: test error 16.0 % [15.0, 17.0], published 15.3 %: not comparable · deviates"},
		{"order is a ratio", claims.Verdict{Claim: "wins", Kind: "order", Unit: "percent", Measured: v(0.5), Low: v(0.4), High: v(0.6), Accept: [2]*float64{nil, v(1)}, Verdict: claims.Reproduced},
			"Claim wins: ratio 0.50 [0.40, 0.60]: reproduced"},
		{"match by difference", claims.Verdict{Claim: "same", Kind: "match", Unit: "percent", Measured: v(0.5), Accept: [2]*float64{v(-1), v(1)}, Verdict: claims.Inconclusive},
			"Claim same: difference 0.5 %: inconclusive"},
		{"not run", claims.Verdict{Claim: "rate", Kind: "rate", Published: "-1", Verdict: claims.NotRun},
			"Claim rate: published −1: not run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, VerdictSentence(claims.Experiment{Metrics: measuredMetrics}, c.v))
		})
	}
}

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []span
	}{
		{"plain", "test error (%)", []span{{"test error (%)", 0, 1}}},
		{"raised", "10^{-3} s", []span{{"10", 0, 1}, {"−3", supShift, scriptScale}, {" s", 0, 1}}},
		{"lowered then raised", "f_{t}^{2}", []span{{"f", 0, 1}, {"t", subShift, scriptScale}, {"2", supShift, scriptScale}}},
		{"no brace", "my_method^2", []span{{"my_method^2", 0, 1}}},
		{"open brace", "a^{b", []span{{"a^{b", 0, 1}}},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Spans(c.line)) })
	}
}

func TestMinusSigns(t *testing.T) {
	for in, want := range map[string]string{
		"-1": "−1", "slope -0.5": "slope −0.5", "[-1.02, -0.92]": "[−1.02, −0.92]", "x-.5": "x-.5",
		"2-D": "2-D", "kernel-2": "kernel-2", "1e-3": "1e-3", "non-convex": "non-convex", "-": "-", "(-.5)": "(−.5)",
	} {
		assert.Equal(t, want, minusSigns(in))
	}
}

func TestPlainText(t *testing.T) {
	assert.Equal(t, "ft at 10^−3", PlainText("f_{t} at 10^{-3}"))
}

// manyLabels is more than any axis has.
const manyLabels = 100

func labels(ticks []Tick) string {
	var out []string
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name   string
		axis   Axis
		lo, hi float64 // in the axis's own numbers
		want   string
	}{
		{"unit", Axis{}, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{"percent", Axis{}, 14, 31, "15 20 25 30"},
		{"negative", Axis{}, -1.02, 1.02, "−1.0 −0.5 0 0.5 1.0"},
		{"narrow", Axis{}, 0.1000, 0.1003, "0.10000 0.10005 0.10010 0.10015 0.10020 0.10025 0.10030"},
		{"large", Axis{}, 0, 3e6, "0 0.5×10^{6} 1.0×10^{6} 1.5×10^{6} 2.0×10^{6} 2.5×10^{6} 3.0×10^{6}"},
		{"small", Axis{}, 0, 4e-5, "0 1×10^{−5} 2×10^{−5} 3×10^{−5} 4×10^{−5}"},
		{"decades", Axis{Log: true}, 1, 1e4, "10^{0} 10^{1} 10^{2} 10^{3} 10^{4}"},
		{"decades between", Axis{Log: true}, 0.5, 300, "10^{0} 10^{1} 10^{2}"},
		{"many decades", Axis{Log: true}, 1e-12, 1e4, "10^{−12} 10^{−10} 10^{−8} 10^{−6} 10^{−4} 10^{−2} 10^{0} 10^{2} 10^{4}"},
		{"decimal decades", Axis{Log: true, Decimal: true}, 0.5, 120, "1 10 100"},
		{"two powers", Axis{Log: true}, 0.8, 60, "1 2 5 10 20 50"},
		{"two powers, too many multiples", Axis{Log: true}, 0.0011, 0.99, "10^{−2} 10^{−1}"},
		{"one decade inside", Axis{Log: true}, 0.3, 5, "0.5 1 2 5"},
		{"under a decade", Axis{Log: true}, 0.015, 0.09, "0.02 0.03 0.05 0.07"},
		{"under a decade, small", Axis{Log: true}, 1.5e-5, 9e-5, "2×10^{−5} 3×10^{−5} 5×10^{−5} 7×10^{−5}"},
		{"under a decade with its power", Axis{Log: true}, 0.9e5, 6e5, "10^{5} 2×10^{5} 5×10^{5}"},
		{"all digits", Axis{Log: true}, 3.9, 9.5, "4 5 6 7 8 9"},
		{"very narrow", Axis{Log: true}, 15.1, 15.9, "15.2 15.4 15.6 15.8"},
		{"very narrow, small", Axis{Log: true}, 2.51e-4, 2.58e-4, "2.52×10^{−4} 2.54×10^{−4} 2.56×10^{−4} 2.58×10^{−4}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, labels(c.axis.Ticks(c.axis.At(c.lo), c.axis.At(c.hi), manyLabels)))
		})
	}
}

// Every axis has two labels or more, not too many, all inside and in order.
func TestTicksOfAnyRange(t *testing.T) {
	for _, axis := range []Axis{{}, {Log: true}, {Log: true, Decimal: true}} {
		for _, lo := range []float64{-7.3, -2.5, -0.01, 0, 0.02, 0.7, 3, 123} {
			for length := 1e-3; length < 20; length *= 1.1 {
				n := 0
				for _, tick := range axis.Ticks(lo, lo+length, manyLabels) {
					if tick.Label == "" {
						continue
					}
					n++
					assert.True(t, tick.At >= lo-1e-6 && tick.At <= lo+length+1e-6, "tick %v on [%v, %v]", tick, lo, lo+length)
				}
				assert.True(t, n >= 2 && n <= 12, "%d labels on %+v from %g, length %g", n, axis, lo, length)
			}
		}
	}
}

func TestMinorTicksOfADecade(t *testing.T) {
	ticks := Axis{Log: true}.Ticks(0, 1, manyLabels)
	assert.Len(t, ticks, 10)
	assert.InDelta(t, math.Log10(2), ticks[1].At, 1e-15, "second mark of a decade is at 2, but for rounding")
}
