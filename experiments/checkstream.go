package experiments

import (
	"repro/algos"
	"repro/algos/metrics"
	"repro/datasets"
	"repro/experiments/spectree"
	"repro/results/printed"
)

// adversary checks that the methods of a spec whose data set is an adversary can play against it: it chooses an example after
// the method has learnt the one before, once, with the method's predictions.
func (c checker) adversary() {
	s := c.spec
	source, err := datasets.Describe(s.Data.Name)
	if err != nil || !source.Adversarial() {
		return
	}
	name := s.Data.Name
	for i, n := range c.tree.Find("method").Items() {
		m, path := &s.Methods[i], spectree.Entry("method", n, i)
		runs := s.effective(m)
		if _, online := m.Configured.(algos.Online); !online {
			c.Add(n.Place, spectree.Join(path, "algorithm"), "%s is not online, and %s chooses each example against a method that predicts it first; remove the method, or choose other data",
				m.Algorithm, name)
			continue
		}
		rows, _, _ := runs.data().Shape()
		if b := runs.budget(); b.Epochs == 0 && b.Steps == 0 || b.Epochs > 1 || b.Epochs == 0 && b.Steps > rows {
			c.Add(spectree.At(c.tree, "budget"), "budget", "%s chooses %s, each once; set epochs = 1, or data.train to more", name, printed.Count(rows, "example"))
			break
		}
		if k := runs.kernel(); k.Bandwidth.Rule != "" {
			c.Add(spectree.At(c.tree, "problem", "kernel"), "problem.kernel.bandwidth", "the rows of %s are not known before a method learns them; write a number", name)
			break
		}
	}
	if s.Precision == "float32" {
		c.Add(spectree.At(c.tree, "precision"), "precision", "%s takes differences of predictions, which float32 is too coarse for; remove it", name)
	}
	for _, metric := range s.Evaluate.Names() {
		if m := s.Metric(metric); m != nil && (m.Training || m.Reference) {
			c.Add(spectree.At(c.tree, "evaluate", "metrics"), "evaluate.metrics", "%q needs all rows at once, and those of %s are chosen in turn; remove it", metric, name)
		}
	}
}

// hindsight checks metrics that compare with ridge regression on all examples so far.
func (c checker) hindsight(m *metrics.Metric, where spectree.Place) {
	s := c.spec
	for i, n := range c.tree.Find("method").Items() {
		runs := s.effective(&s.Methods[i])
		p := runs.problem()
		rows, _, _ := runs.data().Shape()
		long := runs.tooLong(rows)
		switch {
		case p.Loss.Name != "square":
			c.Add(where, "evaluate.metrics", "%q is of the square loss, and %s has %s; remove one of them", m.Name, spectree.Entry("method", n, i), p.Loss.Name)
		case p.Nu == 0 && p.NuN == 0:
			c.Add(where, "evaluate.metrics", "%q compares with ridge regression, which needs nu or nu_n > 0", m.Name)
		case long != "":
			c.Add(where, "evaluate.metrics", "%s", long)
		default:
			continue
		}
		return
	}
}
