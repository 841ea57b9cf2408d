package experiments

import (
	"strings"

	"repro/results"
)

// AverageSuffix after a metric's name means the metric of the averaged iterate.
const AverageSuffix = results.AverageSuffix

// A MetricInfo describes a metric that specs may name. Package runner computes them.
type MetricInfo struct {
	Name string
	Doc  string
	Unit string // of its values, empty if they are in units of the target or have none
}

// Metrics lists the metrics in alphabetical order. Smaller is better for all of them.
var Metrics = []MetricInfo{
	{Name: "exact-distance", Doc: "mean squared distance on the test inputs to the predictions of the reference solver"},
	{Name: "l2-error", Doc: "mean squared distance on the test inputs to the function that generated the data"},
	{Name: "test-error", Doc: "fraction of the test set misclassified; an output of zero counts as wrong", Unit: "fraction"},
	{Name: "test-loss", Doc: "mean loss on the test set"},
	{Name: "test-mse", Doc: "mean squared error on the test set"},
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
	return append(names, results.Abscissae...)
}

// baseMetric splits a metric's name from the suffix for the averaged iterate.
func baseMetric(name string) (metric string, average bool) {
	return strings.CutSuffix(name, AverageSuffix)
}
