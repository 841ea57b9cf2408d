package figures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/claims"
	"repro/results/stats"
)

// measuredMetrics are those of the tests here.
var measuredMetrics = []claims.Metric{
	{Name: "l2-error", Words: "squared L_{2} distance to f", Better: "smaller"},
	{Name: "test-error", Words: "test error", Unit: "fraction", Better: "smaller"},
	{Name: "train-error", Words: "training error", Unit: "fraction", Better: "smaller"},
	{Name: "test-mse", Words: "test mean squared error", Better: "smaller"},
	{Name: "train-mse", Words: "training mean squared error", Better: "smaller"},
}

func TestAxisOfAMetricOnTrainingAndTestRows(t *testing.T) {
	for want, series := range map[string][]claims.Series{
		"training mean squared error": {{Method: "dsg"}, {Method: "norma", Metric: "test-error"}},
		"mean squared error":          {{Method: "dsg"}, {Method: "dsg", Metric: "test-mse"}},
	} {
		b := &Builder{Case: claims.Case{Experiment: claims.Experiment{Metrics: measuredMetrics}}, Spec: claims.Figure{Y: "train-mse", Series: series}}
		assert.Equal(t, want, b.metricLabel())
	}
	b := &Builder{Case: claims.Case{Experiment: claims.Experiment{Metrics: measuredMetrics}}, unit: claims.Unit{Sign: "%", Factor: 100}, Spec: claims.Figure{Y: "test-error", Series: []claims.Series{{Metric: "train-error"}}}}
	assert.Equal(t, "error (%)", b.metricLabel())
}

func TestPerCentIsRounded(t *testing.T) {
	b := &Builder{unit: claims.Unit{Sign: "%", Factor: 100}}
	assert.Equal(t, 14.0, b.unit.Of(0.14))
	assert.Equal(t, []float64{14}, b.line(stats.Curve{X: []float64{1}, Median: []float64{0.14}}, "", 0).Y)
}

// The marks of several columns of tables have one entry in the legend.
func TestColumnsShareAnEntry(t *testing.T) {
	marks := []Mark{{Label: "a: published", Origin: "published", Column: true}, {Column: true}, {Label: "b: published", Origin: "published", Column: true}, {Label: "c: published 3"}}
	joinColumns(marks)
	assert.Equal(t, "published, in the colour of the method", marks[0].Label)
	assert.True(t, marks[0].Common)
	assert.Empty(t, marks[2].Label)
	assert.Equal(t, "c: published 3", marks[3].Label)
	one := []Mark{{Label: "a: published", Origin: "published", Column: true, X: math.NaN()}}
	joinColumns(one)
	assert.Equal(t, "a: published", one[0].Label)
}

func TestColourScale(t *testing.T) {
	for _, c := range []struct {
		name   string
		r      Interval
		lo, hi float64
	}{
		{"both signs", Interval{-0.3, 0.97}, -0.3, 1},
		{"one sign", Interval{0.1, 0.9}, 0.1, 0.9},
		{"constant", Interval{2, 2}, 1.5, 2.5},
		{"no finite value", Nothing, -1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			lo, hi := colourScale(c.r)
			assert.InDelta(t, c.lo, lo, 1e-12, "rounding")
			assert.InDelta(t, c.hi, hi, 1e-12, "rounding")
		})
	}
}

// The range of a spec bounds a colour scale; where the values end before, the scale does.
func TestColourScaleOfASpec(t *testing.T) {
	b := &Builder{Spec: claims.Figure{YRange: [2]float64{0.5, 1}}}
	lo, hi := b.colourScale(Interval{0.726, 4e63})
	assert.InDelta(t, 0.72, lo, 0.021)
	assert.Equal(t, 1.0, hi)
	lo, hi = b.colourScale(Interval{2, 3})
	assert.Equal(t, [2]float64{0.5, 1}, [2]float64{lo, hi}, "all values lie beyond")
}

func TestVariantsOfAMethodLookTheSame(t *testing.T) {
	m := func(id, label string) claims.Method { return claims.Method{ID: id, Label: label} }
	styles := assign([]claims.Cast{
		{m("dsg", "doubly SGD"), m("norma", "NORMA"), m("dsg-plain", "doubly SGD without preconditioner")},
		{m("dsg", "doubly SGD"), m("norma-time", "NORMA, equal time")},
		{m("d", "doubly SGD"), m("other", "another")},
	})
	assert.Equal(t, styles["norma"], styles["norma-time"], "a suffix")
	assert.Equal(t, styles["dsg"], styles["d"], "a label")
	assert.NotEqual(t, styles["dsg"], styles["dsg-plain"], "drawn in one figure")
	assert.Equal(t, assignment{"dsg": 0, "d": 0, "norma": 1, "norma-time": 1, "dsg-plain": 2, "other": 1}, styles)
}

func TestTypeset(t *testing.T) {
	for in, want := range map[string]string{
		"10^6 steps": "10^{6} steps", "η = 1e-3": "η = 10^{-3}", "2.36e-03": "2.36×10^{-3}", "5e+4": "5×10^{4}", "γ_t": "γ_{t}",
		"x_{1}": "x_{1}", "10^{6}": "10^{6}", "my_x": "my_x", "λ_1/λ_161 = 280": "λ_{1}/λ_{161} = 280", "lambda_1/lambda_81": "λ_{1}/λ_{81}", "(gamma0 = 1)": "(γ_{0} = 1)", "the norm of alpha grows": "the norm of α grows",
		"b = n^(1/(1+α)), [-5, 5]^d, 10^-5, 2^k": "b = n^{1/(1+α)}, [-5, 5]^{d}, 10^{-5}, 2^{k}", "|f_t(x) - f_*(x)|^2 is O(1/t)": "|f_{t}(x) - f_{*}(x)|^{2} is O(1/t)",
		"step.gamma0 and batch_size of lambda-1": "step.gamma0 and batch_size of lambda-1", "nu-SVM": "nu-SVM", "gammas": "gammas", "sigma = 5.": "σ = 5.",
		"s50-eigenpro, k = 160": "s50-eigenpro, k = 160", "1e3 rows": "10^{3} rows",
	} {
		assert.Equal(t, want, Typeset(in))
	}
}

// What a chart shows of a curve has a place on its axes and lies in their range.
func TestShown(t *testing.T) {
	l := Line{X: []float64{0, 1, 2, 3, 4, 5, 6}, Y: []float64{2, 0.5, 2, 1e200, math.Inf(1), 1, 10}}
	c := Curves{X: Axis{Log: true}, Y: Axis{Log: true, Min: 1, Max: 10}}
	xs, ys := c.Shown(l)
	assert.Equal(t, []float64{2, 5, 6}, xs)
	assert.Equal(t, []float64{2, 1, 10}, ys)
	xs, _ = (&Curves{}).Shown(l)
	assert.Equal(t, []float64{0, 1, 2, 3, 5, 6}, xs)
}

// An axis begins at 0 where the room below the data would pass it, unless the lowest point would lie on the axis.
func TestPadded(t *testing.T) {
	for in, want := range map[Interval]Interval{
		{3, 103}: {0, 108}, {2, 102}: {-3, 107}, {-1, 99}: {-6, 104}, {10, 110}: {5, 115}, {4, 4}: {2, 6}, {0, 0}: {-0.5, 0.5},
	} {
		assert.Equal(t, want, in.Padded(0.05, Axis{}))
	}
	assert.Equal(t, Interval{1.5, 2.5}, Interval{2, 2}.Padded(0.05, Axis{Log: true}))
}

func TestKindsThatCannotBeRegistered(t *testing.T) {
	build := func(*Builder, *Figure) error { return nil }
	for want, k := range map[string]Kind{
		`figures: a kind needs Name, Doc and Build, got "pie"`:            {Name: "pie", Doc: "shares"},
		`figures: kind "map" is registered twice`:                         {Name: "map", Doc: "colours", Build: build},
		`figures: kind "pie" lists the key "shares", which no figure has`: {Name: "pie", Doc: "shares", May: []string{"shares"}, Build: build},
	} {
		assert.PanicsWithValue(t, want, func() { Register(k) })
	}
	assert.Equal(t, []string{"curves", "functions", "heatmap", "map"}, Kinds())
	assert.Equal(t, "curves", KindOf("").Name)
	assert.False(t, KindOf("pie").Takes("series"))
}
