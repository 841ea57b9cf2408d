package claims

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/printed"
)

func TestVerdictsAsText(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	zero, half := number(0), number(0.5)
	interval := Verdict{Published: "15.3", Unit: Percent, Measured: number(15.32), Low: number(15.1), High: number(15.5)}
	tests := map[string]struct {
		verdict             Verdict
		quantity            Quantity
		published, measured string
	}{
		"nothing":    {Verdict{Kind: "value", Unit: Percent}, OfMetric, "", ""},
		"value":      {kind(interval, "value"), OfMetric, "15.3 %", "15.32 % [15.1, 15.5]"},
		"rate":       {kind(interval, "rate"), Slope, "15.3", "15.32 [15.1, 15.5]"},
		"ratio":      {kind(interval, "ratio"), Ratio, "15.3", "15.32 [15.1, 15.5]"},
		"reach":      {Verdict{Kind: "reach", Published: "7", Measured: number(6)}, PlaceReached, "7", "6"},
		"order":      {Verdict{Kind: "order", Accept: [2]*float64{nil, half}, Measured: half}, Ratio, "", "0.5"},
		"difference": {Verdict{Kind: "order", Accept: [2]*float64{nil, zero}, Unit: "kcal/mol", Measured: half}, Difference, "", "0.5 kcal/mol"},
		"match":      {Verdict{Kind: "match", Accept: [2]*float64{zero, half}, Unit: Percent, Measured: half}, Difference, "", "0.5 %"},
		"factor":     {Verdict{Kind: "match", Accept: [2]*float64{half, half}, Unit: Percent, Measured: half}, Ratio, "", "0.5"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.quantity, test.verdict.Quantity())
			assert.Equal(t, test.published, test.verdict.PublishedText())
			assert.Equal(t, test.measured, test.verdict.MeasuredText(printed.Number))
		})
	}
	assert.Equal(t, "not comparable · deviates", Verdict{Verdict: NotComparable, AtSize: Deviates}.VerdictText())
	assert.Equal(t, "smaller run · deviates", Verdict{Verdict: NotComparable, AtSize: Deviates, Smaller: true}.VerdictText())
	assert.Equal(t, "deviates", Verdict{Verdict: Deviates}.VerdictText())

	share := Verdict{Kind: "order", Unit: Percent, Accept: [2]*float64{nil, half}, Visible: number(1.148)}
	assert.Equal(t, "a ratio of 1.15 would have been seen", share.VisibleText())
	assert.Equal(t, "a difference of 1.1 points would have been seen", kind(share, "value").VisibleText())
}

// kind returns the verdict for a claim of another kind.
func kind(v Verdict, k string) Verdict {
	v.Kind = k
	return v
}
