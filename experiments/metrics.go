package experiments

import (
	"strings"

	"repro/results/records"
)

// AverageSuffix after a metric's name means the metric of the averaged iterate.
const AverageSuffix = records.AverageSuffix

// A MetricInfo describes a metric that specs may name. Package runner computes them.
type MetricInfo struct {
	Name string
	Doc  string
	Unit string // of its values, empty if they are in units of the target or have none

	Exact   bool   // compares with the solver that evaluate.reference names
	Targets string // the problem.targets that it needs, "data" if it needs the data's; empty if any will do

	Algorithms []string // the only ones it is of; empty if of all
}

// spectra are the algorithms that go through a spectrum.
var spectra = []string{"spectral-cutoff", "spectral-sketch"}

// Metrics lists the metrics in alphabetical order. Smaller is better for all but
// test-below and test-novel, which should be a number that the problem says.
var Metrics = []MetricInfo{
	{Name: "coefficient-norm", Doc: "‖α‖₂ of the coefficients of f = Σ α_i k(x_i, ·), over all outputs", Algorithms: []string{"gd", "pegasos", "eigenpro", "eigenpro2"}},
	{Name: "eigen-residual", Doc: "‖(K/n)e_t - λ_t e_t‖/λ_t of the eigenvector and eigenvalue that are used for the t-th, as eigenvalue", Algorithms: spectra},
	{Name: "eigenvalue", Doc: "λ_t of the kernel matrix over n, t the number of steps", Algorithms: spectra},
	{Name: "eigenvalue-ratio", Doc: "λ_1/λ_t of the kernel matrix, as eigenvalue", Algorithms: spectra},
	{Name: "exact-distance", Doc: "mean squared distance on the test inputs to the predictions of the reference solver", Exact: true},
	{Name: "exact-error", Doc: "root mean squared distance on the test inputs to the predictions of the reference solver, relative to their root mean square: 1 for predicting zero", Exact: true},
	{Name: "excess-loss", Doc: "distance |R(f) - R(f*)| of the mean loss on the test set, without the regulariser, from that of the predictions f* of the reference solver", Exact: true, Targets: "data"},
	{Name: "kernel-error", Doc: "root mean square over all pairs of training inputs of k̂(x, z) - k(x, z), k̂ the mean of products of random features", Algorithms: []string{"random-features"}},
	{Name: "kernel-max-error", Doc: "largest magnitude over all pairs of training inputs of k̂(x, z) - k(x, z), as kernel-error", Algorithms: []string{"random-features"}},
	{Name: "l2-error", Doc: "mean squared distance on the test inputs to the function that generated the data", Targets: "data"},
	{Name: "test-below", Doc: "fraction of the test targets below the prediction: τ for the quantile τ", Unit: "fraction", Targets: "data"},
	{Name: "test-error", Doc: "fraction of the test set misclassified, of labels 1 and -1 the mean over outputs; an output of zero counts as wrong", Unit: "fraction", Targets: "data"},
	{Name: "test-loss", Doc: "mean loss on the test set"},
	{Name: "test-mae", Doc: "mean absolute error on the test set, summed over outputs, in the units of the data even where target_scale changed them", Targets: "data"},
	{Name: "test-mse", Doc: "mean squared error on the test set, the mean over outputs"},
	{Name: "test-novel", Doc: "fraction of the test inputs with a negative prediction, which the loss novelty calls novel", Unit: "fraction"},
	{Name: "train-error", Doc: "fraction of the training set misclassified, as test-error", Unit: "fraction", Targets: "data"},
	{Name: "train-loss", Doc: "mean loss on the training set", Targets: "data"},
	{Name: "train-mse", Doc: "mean squared error on the training set, the mean over outputs", Targets: "data"},
	{Name: "variance-error", Doc: "root mean squared distance on the test inputs of the posterior variance to that of the reference solver, relative to the latter's root mean square", Exact: true, Targets: TestKernels},
}

// metricNames lists the metrics' names.
func metricNames() []string {
	names := make([]string, len(Metrics))
	for i, m := range Metrics {
		names[i] = m.Name
	}
	return names
}

// curveNames lists what a claim, a figure or a table may speak of: every metric of the last and of
// the averaged iterate, and every cost.
func curveNames() []string {
	names := metricNames()
	for _, m := range Metrics {
		names = append(names, m.Name+AverageSuffix)
	}
	return append(names, records.AbscissaNames()...)
}

// baseMetric splits a metric's name from the suffix for the averaged iterate.
func baseMetric(name string) (metric string, average bool) {
	return strings.CutSuffix(name, AverageSuffix)
}
