package experiments

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/results/printed"
	"repro/results/records"
)

// reported checks the metrics of the spec's own.
func (c checker) reported() {
	c.ids("metric", "name")
	for i, n := range c.tree.Find("metric").Items() {
		name, path := c.spec.Metrics[i].Name, spectree.Entry("metric", n, i)+".name"
		_, abscissa := records.AbscissaOf(name)
		switch {
		case !spectree.ValidID(name):
			c.Add(spectree.At(n, "name"), path, "%s cannot name a metric; %s", printed.Quote(name), spectree.IDRule)
		case metrics.Lookup(name) != nil || abscissa:
			c.Add(spectree.At(n, "name"), path, "%s has a meaning in every spec; choose another name, such as %s", printed.Quote(name), printed.Quote("own-"+name))
		}
	}
}

// metrics checks that every method can do what the metrics need.
func (c checker) metrics() {
	for i, asked := range c.spec.Evaluate.Metrics {
		where := c.askedAt(i, asked)
		for _, id := range asked.Methods {
			c.method(where, "evaluate.metrics", id)
		}
		m := c.spec.Metric(asked.Name)
		if m == nil {
			continue // noted where it is read
		}
		name := m.Name
		if task := c.spec.task(c.spec.Problem.Loss); len(m.Tasks) > 0 && !slices.Contains(m.Tasks, task) && !c.spec.Own() {
			c.Add(where, "evaluate.metrics", "%q is of targets that are %s, and %s is for %s; remove the metric, or choose another loss", name, strings.Join(m.Tasks, " or "),
				spectree.Beside("problem.loss", c.tree.Find("problem", "loss")), task)
		}
		if m.Hindsight {
			c.hindsight(m, where)
		}
		if m.OfTest() && c.spec.Data.Stream {
			c.Add(where, "evaluate.metrics", "%q is of the test rows, and a stream has none; measure the predictions made in turn, such as progressive-mse, or remove data.stream", name)
		}
		if m.OfRows() && c.spec.Own() {
			c.Add(where, "evaluate.metrics", "%q is of rows, and %s has none; measure what the methods report, which [[metric]] declares", name, c.ownKind())
			continue
		}
		if m.Reference && c.spec.Evaluate.Reference == "" {
			c.Add(where, "evaluate.metrics", "%q needs an exact solver to compare with; name one as evaluate.reference", name)
		}
		c.measurable(where, m, asked)
	}
}

// askedAt returns where entry i of evaluate.metrics is; where that key is left out, the metric itself. It checks that the entry
// names methods, if it has such a key.
func (c checker) askedAt(i int, asked Measured) spectree.Place {
	list := c.tree.Find("evaluate", "metrics")
	where := spectree.At(c.tree, "evaluate", "metrics")
	if list == nil {
		list = c.tree.Find("metric")
	}
	if e := list.Items(); i < len(e) && e[i].Table() != nil {
		where = e[i].Place
		if e[i].Find("methods") != nil && len(asked.Methods) == 0 {
			c.Add(where, "evaluate.metrics", "the methods of %q are empty; name some, or remove the metric", asked.Name)
		}
	}
	return where
}

// measurable checks that the methods of which a metric is measured can do what it needs.
func (c checker) measurable(where spectree.Place, m *metrics.Metric, asked Measured) {
	for i := range c.spec.Methods {
		method := &c.spec.Methods[i]
		program, external := method.Configured.(*External)
		if ok, known := m.Suits(method.Configured); !asked.of(method) {
			continue
		} else if known && !ok {
			c.Add(where, "evaluate.metrics", "%q %s, and method %q is %s; remove one of them%s", m.Name, m.Requirement(), method.ID, method.Algorithm, c.suiting(m))
			return
		} else if external && m.Training && program.Measures(m) && len(program.Command.Train) > 0 && len(program.Command.Predict) == 0 {
			c.Add(where, "evaluate.metrics", "%q is of the training rows, and the program of method %q predicts the test rows only; give it a command.predict, or remove one of them", m.Name, method.ID)
			return
		}
	}
}

// metricNames lists what the spec can measure.
func (c checker) metricNames() (names []string) {
	for _, m := range c.spec.Metrics {
		names = append(names, m.Name)
	}
	if c.spec.Own() {
		return names
	}
	return append(names, metrics.Names()...)
}

// suiting says how to measure a metric of those methods only that can do what it needs; nothing if none can.
func (c checker) suiting(m *metrics.Metric) string {
	suit := map[string]bool{}
	for _, method := range c.spec.Methods {
		if ok, known := m.Suits(method.Configured); ok || !known {
			suit[printed.Quote(method.ID)] = true
		}
	}
	if len(suit) == 0 {
		return ""
	}
	return fmt.Sprintf(", or name the others, as in { name = %q, methods = [%s] }", m.Name, strings.Join(slices.Sorted(maps.Keys(suit)), ", "))
}
