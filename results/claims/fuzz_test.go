package claims

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// everyKind has a claim of every kind, in every way of being judged.
func everyKind() Experiment {
	value := Claim{Kind: "value", Method: "a", Metric: "error", Published: "15.3"}
	rate := Claim{Kind: "rate", Method: "a", Metric: "error", X: "seen", Published: "-1", Tolerance: 0.1}
	order := Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}
	match := Claim{Kind: "match", Method: "a", Against: []string{"b"}, Metric: "error", Tolerance: 2}
	ratio := Claim{Kind: "ratio", Method: "a", Against: []string{"b"}, Metric: "error", X: "step", Target: 0.01, Published: "4"}
	grid := []string{"a,inputs=1", "a,inputs=2", "a,inputs=4", "a,inputs=8"}
	across := Claim{Kind: "rate", Method: "a", Members: grid, Metric: "error", Across: "data.inputs", Published: "1", Tolerance: 0.1}
	factor := Claim{Kind: "geometric", Method: "a", Metric: "error", X: "step", Published: "0.9", Tolerance: 0.05}
	list := []Claim{
		value, rate, order, match, ratio, across, factor,
		with1(factor, func(c *Claim) { c.Statistic, c.AtMost = "mean", true }),
		with1(factor, func(c *Claim) { c.Window = [2]float64{2, 16} }),
		{Kind: "geometric-bound", Method: "a", Metric: "error", X: "seen", Bound: "error", Published: "1", AtLeast: true},
		with1(value, func(c *Claim) { c.Unit, c.PublishedIs = Percent, "run" }),
		with1(value, func(c *Claim) { c.Tolerance, c.PublishedIs = 1e308, "mean of 3" }),
		with1(value, func(c *Claim) { c.AtMost, c.At = true, records.At{X: "step", Value: 3} }),
		with1(rate, func(c *Claim) { c.Statistic = "mean" }),
		with1(rate, func(c *Claim) { c.Statistic, c.AtMost = "q50", true }),
		with1(order, func(c *Claim) { c.Unit = Percent }),
		with1(match, func(c *Claim) { c.Relative = true }),
		with1(across, func(c *Claim) { c.Statistic = "mean" }),
		with1(across, func(c *Claim) { c.Best = "method.features" }),
		with1(across, func(c *Claim) { c.Best, c.Target = "method.features", 0.5 }),
		{Kind: "reach", Method: "a", Metric: "error", X: "step", Target: 0.01, Published: "100", Tolerance: 10},
		{Kind: "plateau", Method: "a", Members: grid, Metric: "error", Across: "data.inputs", Published: "2", Within: 0.1, Tolerance: 2},
	}
	for i := range list {
		list[i].ID = fmt.Sprintf("%d-%s", i, list[i].Kind)
	}
	return experiment(list...)
}

// FuzzJudge judges records of arbitrary floats: every claim has a verdict in words, and every number of it is finite, so that
// it can be written.
func FuzzJudge(f *testing.F) {
	of := func(values ...float64) (data []byte) {
		for _, v := range values {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		return data
	}
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	f.Add(of(1, 0.5, 0.25, 0.125, 0.01, 1e-3))
	f.Add(of(1e306, 1e305, 1e307, 3e306, 1.5e306, 1.7e308))
	f.Add(of(most, -most, most, 1, -most))
	f.Add(of(most, most, most, most))
	f.Add(of(least, 3*least, 0, most))
	f.Add(of(1, math.Inf(1), math.NaN()))
	f.Add(of(-1, -2, 0))
	f.Add(of(1.7e308, 1.1e-308, 1.6e308, 1e-308))
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func(i int) float64 {
			if len(data) < 8 {
				return float64(i)
			}
			return math.Float64frombits(binary.LittleEndian.Uint64(data[8*(i%(len(data)/8)):]))
		}
		var recs []*records.Record
		n := 0
		for seed := range uint64(3) {
			for _, m := range []string{"a", "b"} {
				values := make([]float64, 7)
				for j := range values {
					values[j] = next(n)
					n++
				}
				recs = append(recs, recordstest.Record(m, seed+1, values...))
			}
			for _, inputs := range []int{1, 2, 4, 8} {
				recs = append(recs, recordstest.Sized(seed+1, inputs, next(n)))
				n++
			}
		}
		exp := everyKind()
		verdicts := Judge(exp, recs).Verdicts
		require.Len(t, verdicts, len(exp.Claims))
		for _, v := range verdicts {
			assert.Contains(t, Words, v.Verdict, v.Claim)
			assert.NotEmpty(t, v.Reason, v.Claim)
			assert.NotContains(t, v.Reason, "panic", v.Claim)
			v.SeedsNeeded()
		}
		_, err := EncodeVerdicts(verdicts)
		require.NoError(t, err)
		_, err = EncodeVerdicts(Rejudge(exp, verdicts))
		require.NoError(t, err)
	})
}
