package experiments

import (
	"cmp"
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

// Names lists the metrics that are measured.
func (e Evaluate) Names() (names []string) {
	for _, m := range e.Metrics {
		names = append(names, m.Name)
	}
	return names
}

// Metric returns what a name means in the spec: a metric of its own, or a registered one; nil if it is neither.
func (s *Spec) Metric(name string) *metrics.Metric {
	for _, m := range s.Metrics {
		if m.Name == name {
			return metrics.Reported(metrics.Metric{
				Name: m.Name, Words: cmp.Or(m.Words, m.Name), Symbol: m.Symbol, Unit: m.Unit, Signed: m.Signed,
				Better: cmp.Or(metrics.Direction(m.Better), metrics.Smaller),
			})
		}
	}
	return metrics.Lookup(name)
}

// described returns what figures, tables and claims need to know of the metrics measured.
func (s *Spec) described() []claims.Metric {
	var all []claims.Metric
	for _, name := range s.Evaluate.Names() {
		m := s.Metric(name)
		rows := ""
		switch {
		case m.Unit != metrics.Fraction || m.Reported:
		case m.Training:
			rows = "train"
		default:
			rows = "test"
		}
		all = append(all, claims.Metric{
			Name: m.Name, Words: m.Words, Symbol: m.Symbol, Unit: m.Unit, Better: string(m.Better), Signed: m.Signed, ShareOf: rows,
		})
	}
	return all
}
