package plots

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/live"
	"repro/results/claims"
)

func TestConclusion(t *testing.T) {
	exp := experiment()
	value := func(v float64) *float64 { return &v }
	rate := claims.Verdict{Claim: "rate", Kind: "rate", Method: "dsg", Metric: "l2-error", Published: "-1", Measured: value(-0.98), Accept: [2]*float64{value(-1.15), value(-0.85)}}
	order := claims.Verdict{Claim: "beats", Kind: "order", Method: "dsg", Against: []string{"norma"}, Metric: "l2-error", Measured: value(0.5), Accept: [2]*float64{nil, value(1)}}
	number := claims.Verdict{Claim: "error", Kind: "value", Method: "norma", Metric: "test-error", Unit: claims.Percent, Published: "15.3", Measured: value(17.1)}
	as := func(v claims.Verdict, w, atSize claims.Word) claims.Verdict {
		v.Verdict, v.AtSize = w, atSize
		return v
	}
	for _, test := range []struct {
		want     string
		verdicts []claims.Verdict
	}{
		{"", nil},
		{"The claim holds: squared L_{2} distance to f of doubly stochastic gradients has the slope −0.98 (published: −1).",
			[]claims.Verdict{as(rate, claims.Reproduced, "")}},
		{"2 of 3 claims hold: squared L_{2} distance to f of doubly stochastic gradients has the slope −0.98 (published: −1); doubly stochastic gradients is better than NORMA (squared L_{2} distance to f, ratio 0.5)." +
			" Test error of NORMA is 17.1 % (published: 15.3 %), which deviates.",
			[]claims.Verdict{as(order, claims.Reproduced, ""), as(rate, claims.Reproduced, ""), as(number, claims.Deviates, "")}},
		{"At this run’s own size, the claim does not hold. Doubly stochastic gradients is not better than NORMA (squared L_{2} distance to f, ratio 0.5).",
			[]claims.Verdict{as(order, claims.NotComparable, claims.Deviates)}},
		{"Nothing is settled: claim: 1 inconclusive.", []claims.Verdict{as(number, claims.Inconclusive, "")}},
	} {
		assert.Equal(t, test.want, conclusion(caseOf(exp, nil, test.verdicts)))
	}
}

// The page has the values of a heat map, in steps of its colour scale.
func TestLiveMaps(t *testing.T) {
	f := twoMaps()
	f.Heat.Panels[1].Z[0][0] = -0.51234
	var d live.Data
	d.AddMaps(&f, make([][4]int, 2))
	assert.Equal(t, live.Digits{-1, 0, 1, 1, 0, -1}, d.Figures[0].Maps[0].Z)
	assert.Equal(t, live.Digits{-0.51, 0, 7, 0.5}, d.Figures[0].Maps[1].Z[:4])
	assert.True(t, math.IsNaN(d.Figures[0].Maps[1].Z[4]))
	f.Heat.Panels[0].Z[0][0] = 1e9
	f.Heat.Panels[1].Seeds, f.Heat.Panels[1].Runs = []uint64{1, 2}, [][][]float64{{{1, 2, 3}, {4, 5, 6}}, {{2, 2, 2}, {math.NaN(), 5, 6}}}
	d = live.Data{}
	d.AddMaps(&f, make([][4]int, 2))
	assert.Equal(t, 1e9, d.Figures[0].Maps[0].Z[0])
	assert.Equal(t, live.Digits{1, 2, 2, 4, 5, 6}, d.Figures[0].Maps[1].Low)
	assert.Equal(t, live.Digits{2, 2, 3, 4, 5, 6}, d.Figures[0].Maps[1].High)
	assert.Equal(t, "range of 2 seeds", d.Figures[0].Band)
}

// A figure's lines have the costs of their records at every point, the values of every seed, and the looks of the drawing.
func TestLiveFigure(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	f := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[0])
	d := live.New("demo")
	d.AddCurves(caseOf(exp, recs, nil), exp.Figures[0], &f, nil)
	require.Len(t, d.Figures, 1)
	shown := d.Figures[0]
	assert.Equal(t, "step", shown.Abscissa)
	require.Len(t, shown.Lines, 3)
	for i, l := range shown.Lines {
		assert.Equal(t, f.Curves.Lines[i].Label, l.Label)
		assert.Equal(t, live.LineLookOf(f.Curves.Lines[i]), l.Style)
		assert.Len(t, l.Costs["step"], len(l.Y))
		assert.Len(t, l.Costs["seconds"], len(l.Y))
	}
	assert.Equal(t, shown.Lines[0].Costs["step"], shown.Lines[0].X)
	assert.InDelta(t, 0.01*shown.Lines[0].X[5], shown.Lines[0].Costs["seconds"][5], 1e-12, "rounding")
	assert.Len(t, shown.Lines[0].Runs, 5)
	assert.Nil(t, shown.Lines[2].Runs, "one seed is the line")
	text, err := shown.Lines[0].Y.MarshalJSON()
	require.NoError(t, err)
	assert.Regexp(t, `^\[[0-9.e,-]+\]$`, string(text))
}

// The axes of a live figure are laid out here: those of the drawing, linear and logarithmic, and one for each cost that a reader can
// choose.
func TestAxesOfALiveFigure(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	f := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[0])
	d := live.New("demo")
	d.AddCurves(caseOf(exp, recs, nil), exp.Figures[0], &f, nil)
	shown := d.Figures[0]
	require.Len(t, shown.Guides, 1)
	assert.InDelta(t, -1, (shown.Guides[0].Ends[1][1]-shown.Guides[0].Ends[0][1])/(shown.Guides[0].Ends[1][0]-shown.Guides[0].Ends[0][0]), 1e-5, "the slope of the guide")
	require.NotNil(t, shown.X.Views["seconds"][1])
	assert.Less(t, shown.X.Views["seconds"][1].Range[0], math.Log10(shown.Lines[0].Costs["seconds"][0]))
}
