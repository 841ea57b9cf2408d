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
func (e Evaluate) MeasuresTraining() bool { return slices.ContainsFunc(e.Metrics, measuresTraining) }

// LooksBack says whether a metric compares with a regression on all examples of a stream so far.
func (e Evaluate) LooksBack() bool {
	return slices.ContainsFunc(e.Metrics, func(name string) bool {
		m := metrics.Lookup(name)
		return m != nil && m.Hindsight
	})
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

func needsReference(name string) bool {
	m := metrics.Lookup(name)
	return m != nil && m.Reference
}

func measuresTraining(name string) bool {
	m := metrics.Lookup(name)
	return m != nil && m.Training
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

// metrics checks that every method can do what the metrics need.
func (c checker) metrics() {
	where := at(c.tree, "evaluate", "metrics")
	for _, name := range c.spec.Evaluate.Metrics {
		m := metrics.Lookup(name)
		if m == nil {
			continue // noted where it is read
		}
		if task := c.spec.task(c.spec.Problem.Loss); len(m.Tasks) > 0 && !slices.Contains(m.Tasks, task) {
			c.add(where, "evaluate.metrics", "%q is of targets that are %s, and %s is for %s; remove the metric, or choose another loss", name, strings.Join(m.Tasks, " or "),
				beside("problem.loss", c.tree.find("problem", "loss")), task)
		}
		if m.Hindsight {
			c.hindsight(m, where)
		}
		if m.OfTest() && c.spec.Data.Stream {
			c.add(where, "evaluate.metrics", "%q is of the test rows, and a stream has none; measure the predictions made in turn, such as progressive-mse, or remove data.stream", name)
		}
		if m.Reference && c.spec.Evaluate.Reference == "" {
			c.add(where, "evaluate.metrics", "%q needs an exact solver to compare with; name one as evaluate.reference", name)
		}
		for _, method := range c.spec.Methods {
			program, external := method.Configured.(*External)
			if ok, known := m.Suits(method.Configured); known && !ok {
				c.add(where, "evaluate.metrics", "%q %s, and method %q is %s; remove one of them", name, m.Requirement(), method.ID, method.Algorithm)
				break
			} else if external && m.Training && program.Measures(m) && len(program.Command.Predict) == 0 {
				c.add(where, "evaluate.metrics", "%q is of the training rows, and the program of method %q predicts the test rows only; give it a command.predict, or remove one of them", name, method.ID)
				break
			}
		}
	}
}
