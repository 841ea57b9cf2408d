package figures

import (
	"math"
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
			assert.Equal(t, c.want, verdictSentence(claims.Experiment{Metrics: measuredMetrics}, c.v))
		})
	}
}
