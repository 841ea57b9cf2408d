package experiments

import (
	"fmt"
	"slices"
	"strings"

	"repro/algos/metrics"
	"repro/results/claims"
	"repro/results/records"
)

// AverageSuffix after a metric's name means the metric of the averaged iterate.
const AverageSuffix = records.AverageSuffix

// curveNames lists what a claim, a figure or a table may speak of: every metric of the last and of
// the averaged iterate, and every cost.
func curveNames() []string {
	names := metrics.Names()
	for _, m := range metrics.Names() {
		if !metrics.Lookup(m).OfFit() {
			names = append(names, m+AverageSuffix)
		}
	}
	return append(names, records.AbscissaNames()...)
}

// baseMetric splits a metric's name from the suffix for the averaged iterate.
func baseMetric(name string) (metric string, average bool) {
	return strings.CutSuffix(name, AverageSuffix)
}

// NeedsReference says whether a metric compares with the solver that evaluate.reference names.
func (e Evaluate) NeedsReference() bool { return slices.ContainsFunc(e.Metrics, needsReference) }

// MeasuresTraining says whether a metric is of predictions at the training rows.
func (e Evaluate) MeasuresTraining() bool {
	return slices.ContainsFunc(e.Metrics, isMetric(func(m *metrics.Metric) bool { return m.Training }))
}

// LooksBack says whether a metric compares with a regression on all examples of a stream so far.
func (e Evaluate) LooksBack() bool {
	return slices.ContainsFunc(e.Metrics, isMetric(func(m *metrics.Metric) bool { return m.Hindsight }))
}

var needsReference = isMetric(func(m *metrics.Metric) bool { return m.Reference })

// isMetric returns whether a name is that of a metric of which is holds.
func isMetric(is func(m *metrics.Metric) bool) func(name string) bool {
	return func(name string) bool {
		m := metrics.Lookup(name)
		return m != nil && is(m)
	}
}

// TooLong returns what is wrong with a stream of that many rows, if a metric compares with a regression on all of them; empty
// if nothing is.
func (e Evaluate) TooLong(rows int) string {
	for _, name := range e.Metrics {
		if m := metrics.Lookup(name); m != nil && m.Hindsight && rows > metrics.MostInHindsight {
			return fmt.Sprintf("%q compares with a regression on all examples so far, and %d are more than %d; set data.train to fewer, or remove the metric",
				name, rows, metrics.MostInHindsight)
		}
	}
	return ""
}

// described returns what figures, tables and claims need to know of the metrics measured.
func (e Evaluate) described() []claims.Metric {
	var all []claims.Metric
	for _, name := range e.Metrics {
		m := metrics.Lookup(name)
		rows := ""
		switch {
		case m.Unit == metrics.Fraction && m.Training:
			rows = "train"
		case m.Unit == metrics.Fraction:
			rows = "test"
		}
		all = append(all, claims.Metric{
			Name: m.Name, Words: m.Words, Symbol: m.Symbol, Unit: m.Unit, Better: string(m.Better), Signed: m.Signed, ShareOf: rows,
		})
	}
	return all
}
