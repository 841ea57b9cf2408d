package metrics

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	_ "repro/algos/methods"
)

// columns returns a matrix with the given number of columns.
func columns(n int, v ...float64) compute.Matrix {
	return compute.Matrix{Rows: len(v) / n, Cols: n, Stride: n, Data: v}
}

// value computes a metric that has a value.
func value(t *testing.T, name string, e Evaluation, f compute.Matrix) float64 {
	t.Helper()
	e.F = f
	v, err := Lookup(name).Of(e)
	require.NoError(t, err)
	return v
}

// failure computes a metric that has none.
func failure(name string, e Evaluation, f compute.Matrix) string {
	e.F = f
	_, err := Lookup(name).Of(e)
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRegistry(t *testing.T) {
	assert.IsIncreasing(t, Names())
	assert.Nil(t, Lookup("l3-error"))
	assert.PanicsWithValue(t, "metrics: l2-error registered twice", func() { Register(Metric{Name: "l2-error"}) })
	assert.PanicsWithValue(t, `metrics: "mute" needs a name, a doc, words and a value`, func() { Register(Metric{Name: "mute"}) })
	assert.PanicsWithValue(t, "metrics: aimless does not say which values are better", func() {
		Register(Metric{Name: "aimless", Doc: "d", Words: "w", Value: squaredError})
	})
	for metric, algorithms := range map[string]string{
		"kernel-error": "random-features taylor-expansion", "coefficient-norm": "askotch eigenpro eigenpro2 gd pcg pegasos",
		"eigenvalue": "spectral-cutoff spectral-sketch", "duality-gap": "k-sdca ksvm n-sdca r-sdca",
		"contraction": "eigenpro falkon gd", "relative-gradient": "askotch eigenpro falkon gd pcg svrg-rf",
	} {
		assert.Equal(t, strings.Fields(algorithms), Lookup(metric).Algorithms())
	}
	assert.Contains(t, Lookup("rkhs-norm").Algorithms(), "dsg")
	assert.NotContains(t, Lookup("rkhs-norm").Algorithms(), "gp-operator")
}

func TestValues(t *testing.T) {
	e := Evaluation{
		Problem: &algos.Problem{Loss: losses.Hinge{}}, Task: losses.Binary, Y: columns(1, 1, -1, 1, 1),
		Truth:     []float64{0, 0, 0, 1},
		Reference: func() (compute.Matrix, error) { return columns(1, 0, 0, 2, 2), nil },
	}
	f := columns(1, 2, -0.5, 0, -1)
	for name, want := range map[string]float64{
		"l2-error":       (4 + 0.25 + 0 + 4) / 4,
		"test-mse":       (1 + 0.25 + 1 + 4) / 4,
		"train-mse":      (1 + 0.25 + 1 + 4) / 4,
		"test-rmse":      math.Sqrt((1 + 0.25 + 1 + 4) / 4),
		"test-mae":       (1 + 0.5 + 1 + 2) / 4,
		"test-error":     0.5, // a zero output counts as wrong
		"train-error":    0.5,
		"test-loss":      (0 + 0.5 + 1 + 2) / 4,
		"train-loss":     (0 + 0.5 + 1 + 2) / 4,
		"exact-distance": (4 + 0.25 + 4 + 9) / 4,
		"exact-error":    math.Sqrt((4 + 0.25 + 4 + 9) / (4 + 4)),
		"excess-loss":    math.Abs((0+0.5+1+2)-(1+1+0+0)) / 4,
	} {
		assert.Equal(t, want, value(t, name, e, f), name)
	}
	e.Truth, e.Task, e.Reference, e.Data = nil, losses.Regression, nil, "mine"
	assert.Equal(t, "metric l2-error: data set mine has no generating function; use test-mse", failure("l2-error", e, f))
	assert.Equal(t, "metric test-error: it is for targets that are binary or multiclass, and those of data set mine are regression; remove the metric", failure("test-error", e, f))
	assert.Contains(t, failure("exact-error", e, f), "name one as evaluate.reference")
}

func TestValuesOfOtherTasks(t *testing.T) {
	classes := Evaluation{
		Problem: &algos.Problem{Loss: losses.Softmax{}}, Task: losses.Multiclass, Data: "three",
		Y: columns(3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1), Truth: []float64{1, 2, 3, 3},
	}
	f := columns(3, 2, 1, 0 /* right */, 1, 0, 0 /* wrong */, 5, 5, 5 /* undecided */, -3, -2, -1 /* right */)
	assert.Equal(t, 0.5, value(t, "test-error", classes, f), "a class that is not ahead of all others counts as wrong")
	assert.Contains(t, failure("l2-error", classes, f), "use test-error or test-loss")
	assert.Contains(t, failure("test-below", classes, f), "use test-error")

	two := Evaluation{Problem: &algos.Problem{}, Y: columns(2, 1, -1, -1, 1)}
	assert.Equal(t, (1+4)/4.0, value(t, "test-mse", two, columns(2, 0, -1, -1, 3)), "the mean of outputs, not their sum")

	labels := Evaluation{Problem: &algos.Problem{}, Task: losses.Binary, Y: columns(3, 1, -1, 1, -1, -1, -1)}
	wrong := value(t, "test-error", labels, columns(3, 2, 1, 0.5, -1, 0, -3))
	assert.InDelta(t, 2.0/6, wrong, 1e-15, "one sign is wrong, and one output is zero")

	quantile := Evaluation{Problem: &algos.Problem{Loss: losses.Quantile{Tau: 0.5}}, Task: losses.Regression, Y: columns(1, 1, 2, 3, 4)}
	assert.Equal(t, 0.25, value(t, "test-below", quantile, columns(1, 2, 2, 2, 2)), "a target on the prediction is not below it")
	assert.Contains(t, failure("test-novel", quantile, columns(1, 2, 2, 2, 2)), "use test-loss")
	quantile.Problem.Loss = losses.Novelty{}
	assert.Equal(t, 0.5, value(t, "test-novel", quantile, columns(1, -2, 0, -0.5, 2)), "a point on the threshold is not novel")
}

// Two things, shown in two rows and in three. Predictions are averaged before errors are: the first is
// predicted as (1 + 3)/2 = 2, the second as (3 + 4 + 8)/3 = 5.
func TestPredictionsOfGroupsAreAveraged(t *testing.T) {
	e := Evaluation{
		Problem: &algos.Problem{}, Y: columns(1, 2, 2, 7, 7, 7), Groups: []int{0, 0, 1, 1, 1},
		Reference: func() (compute.Matrix, error) { return columns(1, 1, 3, 3, 4, 8), nil },
	}
	f := columns(1, 1, 3, 3, 4, 8)
	assert.InDelta(t, 3./5*2, value(t, "test-mae", e, f), 1e-14) // a handful of roundings, as below
	e.TargetUnit = 10
	assert.InDelta(t, 3./5*20, value(t, "test-mae", e, f), 1e-14)
	assert.InDelta(t, 3./5*4, value(t, "test-mse", e, f), 1e-14)
	assert.InDelta(t, 10*math.Sqrt(3./5*4), value(t, "test-rmse", e, f), 1e-14)
	assert.Equal(t, []float64{1, 3, 3, 4, 8}, f.Data, "predictions themselves stay as they are")
	assert.Zero(t, value(t, "exact-distance", e, f), "a solver's predictions are compared row by row")
	e.Groups = nil
	assert.InDelta(t, 10*(1+1+4+3+1)/5., value(t, "test-mae", e, f), 1e-14)
}

// samples are four training rows with one target.
type samples struct{}

func (samples) Len() int                            { return 4 }
func (samples) Dims() (in, out int)                 { return 1, 1 }
func (samples) Gather(_ []int, _, _ compute.Matrix) {}
func kernelTargets(mean bool) algos.KernelTargets {
	return algos.KernelTargets{Samples: samples{}, Kernel: kernels.Gaussian{Sigma: 1}, At: columns(1, 0, 1), Mean: mean}
}

func TestVarianceError(t *testing.T) {
	e := Evaluation{
		Problem: &algos.Problem{Train: kernelTargets(false)}, Y: columns(2, 1, 0.5, 0.5, 1),
		Reference: func() (compute.Matrix, error) { return columns(2, 0.7, 9, 0, 0.6), nil },
	}
	f := columns(2, 0.4, 1, 4, 0.1)
	// Variances 0.6, 0.9; exact 0.3, 0.4.
	assert.InDelta(t, math.Sqrt((0.09+0.25)/(0.09+0.16)), value(t, "variance-error", e, f), 1e-15)
	assert.InDelta(t, math.Sqrt((0.09+64+16+0.25)/(0.49+81+0.36)), value(t, "exact-error", e, f), 1e-15)
	assert.Contains(t, failure("l2-error", e, f), "the problem fits kernel functions of the test inputs instead")
	assert.Contains(t, failure("nlpd", e, f), "needs a problem that fits both")
	e.Problem = &algos.Problem{}
	assert.Contains(t, failure("variance-error", e, f), "the problem fits the data's targets")
}

// density is that of N(mean, v) at x.
func density(x, mean, v float64) float64 {
	return math.Exp(-(x-mean)*(x-mean)/(2*v)) / math.Sqrt(2*math.Pi*v)
}

// Mean and variance side by side: one column of the mean, then those of the variance of TestVarianceError.
func TestMeanAndVariance(t *testing.T) {
	e := Evaluation{
		Problem:   &algos.Problem{Train: kernelTargets(true), Nu: 0.025, Loss: losses.Square{}}, // σ² = νn = 0.1, with n training rows
		Y:         columns(3, 2, 1, 0.5, -1, 0.5, 1),
		Reference: func() (compute.Matrix, error) { return columns(3, 1, 0.7, 9, -2, 0, 0.6), nil },
		Truth:     []float64{1, 1},
	}
	f := columns(3, 1.5, 0.4, 1, -1.5, 4, 0.1)
	assert.InDelta(t, math.Sqrt((0.09+0.25)/(0.09+0.16)), value(t, "variance-error", e, f), 1e-15)
	assert.InDelta(t, math.Sqrt((0.25+0.25)/(1+4)), value(t, "exact-error", e, f), 1e-15, "of the mean")
	assert.InDelta(t, 0.25, value(t, "test-mse", e, f), 1e-15, "of the mean")
	assert.InDelta(t, (0.25+6.25)/2, value(t, "l2-error", e, f), 1e-15)
	want := -(math.Log(density(2, 1.5, 0.7)) + math.Log(density(-1, -1.5, 1))) / 2
	assert.InDelta(t, want, value(t, "nlpd", e, f), 1e-15)
	e.Problem.Nu = 0
	assert.True(t, math.IsNaN(value(t, "nlpd", e, columns(3, 1.5, 1.4, 1, -1.5, 4, 0.1))), "a negative variance has no density")
}

// pairs are four training rows with two targets.
type pairs struct{ samples }

func (pairs) Dims() (in, out int) { return 1, 2 }

// Of two targets, independent given the inputs, the densities multiply: both have the variance of the row.
func TestDensityOfTwoTargets(t *testing.T) {
	k := kernelTargets(true)
	k.Samples = pairs{}
	e := Evaluation{
		Problem: &algos.Problem{Train: k, Nu: 0.025, Loss: losses.Square{}},
		Y:       columns(4, 2, 0.5, 1, 0.5, -1, 3, 0.5, 1),
	}
	f := columns(4, 1.5, 0, 0.4, 1, -1.5, 2, 4, 0.1)
	want := -(math.Log(density(2, 1.5, 0.7)*density(0.5, 0, 0.7)) + math.Log(density(-1, -1.5, 1)*density(3, 2, 1))) / 2
	assert.InDelta(t, want, value(t, "nlpd", e, f), 1e-14)
}

// expansion is a fit with two coefficients per output, norms 2 and 7, and a duality gap.
type expansion struct{ algos.Fit }

func (expansion) Coefficients() compute.Matrix {
	return compute.Matrix{Rows: 2, Cols: 2, Stride: 3, Data: []float64{1, 2, 100, 2, 4}}
}
func (expansion) SquaredNorms() []float64 { return []float64{4, 49} }

var _ = algos.Declare[expansion](nil,
	algos.Known("duality-gap", func(expansion) float64 { return 0.25 }),
	algos.Known("relative-gradient", func(expansion) float64 { return 0.125 }),
	algos.Computed("contraction", func(expansion) (float64, error) { return 0.875, nil }))

func TestNorms(t *testing.T) {
	e := Evaluation{
		Problem: &algos.Problem{Loss: losses.Square{}, Nu: 0.5}, Fit: expansion{}, Y: columns(2, 0, 1, 2, 3),
	}
	f := columns(2, 1, 1, 2, 0)
	assert.Equal(t, 5.0, value(t, "coefficient-norm", e, f))
	assert.Equal(t, 0.25, value(t, "duality-gap", e, f))
	assert.Equal(t, 0.125, value(t, "relative-gradient", e, f))
	assert.Equal(t, 0.875, value(t, "contraction", e, f))
	assert.Equal(t, math.Sqrt(53), value(t, "rkhs-norm", e, f))
	assert.Equal(t, (1+9)/2./2+0.5/2*53, value(t, "objective", e, f), "losses (u - y)²/2 and ν/2·‖f‖²")
	with := e
	with.Problem = &algos.Problem{Train: kernelTargets(true)}
	assert.Equal(t, 2.0, value(t, "rkhs-norm", with, f), "of the data's target, without the kernel functions")
	e.Problem.Loss = losses.Novelty{}
	assert.Contains(t, failure("objective", e, f), "use train-loss and rkhs-norm")
	e.Fit = nil
	assert.Equal(t, "metric coefficient-norm needs a method that keeps coefficients of training rows (such as askotch, eigenpro, eigenpro2, gd, pcg); remove the metric or choose such a method",
		failure("coefficient-norm", e, f))
}

// undeclared is an algorithm that does not say what its fits can do.
type undeclared struct{ algos.Algorithm }

func TestSuits(t *testing.T) {
	krr, err := algos.New("krr")
	require.NoError(t, err)
	for _, c := range []struct {
		metric    string
		algorithm algos.Algorithm
		ok, known bool
	}{
		{"test-mse", krr, true, true},
		{"rkhs-norm", krr, true, true},
		{"coefficient-norm", krr, false, true},
		{"coefficient-norm", undeclared{}, false, false},
		{"test-mse", undeclared{}, true, true},
	} {
		ok, known := Lookup(c.metric).Suits(c.algorithm)
		assert.Equal(t, []bool{c.ok, c.known}, []bool{ok, known}, c.metric)
	}
}
