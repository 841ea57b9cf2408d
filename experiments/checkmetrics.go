package experiments

import (
	"slices"
	"strings"

	"repro/algos/metrics"
	"repro/experiments/spectree"
)

// metrics checks that every method can do what the metrics need.
func (c checker) metrics() {
	where := spectree.At(c.tree, "evaluate", "metrics")
	for _, name := range c.spec.Evaluate.Metrics {
		m := metrics.Lookup(name)
		if m == nil {
			continue // noted where it is read
		}
		if task := c.spec.task(c.spec.Problem.Loss); len(m.Tasks) > 0 && !slices.Contains(m.Tasks, task) {
			c.Add(where, "evaluate.metrics", "%q is of targets that are %s, and %s is for %s; remove the metric, or choose another loss", name, strings.Join(m.Tasks, " or "),
				spectree.Beside("problem.loss", c.tree.Find("problem", "loss")), task)
		}
		if m.Hindsight {
			c.hindsight(m, where)
		}
		if m.OfTest() && c.spec.Data.Stream {
			c.Add(where, "evaluate.metrics", "%q is of the test rows, and a stream has none; measure the predictions made in turn, such as progressive-mse, or remove data.stream", name)
		}
		if m.Reference && c.spec.Evaluate.Reference == "" {
			c.Add(where, "evaluate.metrics", "%q needs an exact solver to compare with; name one as evaluate.reference", name)
		}
		for _, method := range c.spec.Methods {
			program, external := method.Configured.(*External)
			if ok, known := m.Suits(method.Configured); known && !ok {
				c.Add(where, "evaluate.metrics", "%q %s, and method %q is %s; remove one of them", name, m.Requirement(), method.ID, method.Algorithm)
				break
			} else if external && m.Training && program.Measures(m) && len(program.Command.Predict) == 0 {
				c.Add(where, "evaluate.metrics", "%q is of the training rows, and the program of method %q predicts the test rows only; give it a command.predict, or remove one of them", name, method.ID)
				break
			}
		}
	}
}
