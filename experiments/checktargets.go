package experiments

import (
	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/results/printed"
)

// What problem.targets may say is fitted, other than the data's targets.
const (
	TestKernels  = "test-kernels"  // the kernel functions of the test inputs instead
	MeanVariance = "mean-variance" // the kernel functions of the test inputs beside the data's target
)

// targets checks that what is measured and drawn is of the targets that are fitted.
func (c checker) targets() {
	targets := c.spec.Problem.Targets
	n, where := c.tree.Find("evaluate"), spectree.At(c.tree, "problem", "targets")
	for _, name := range c.spec.Evaluate.Names() {
		m := c.spec.Metric(name)
		switch {
		case m == nil:
		case m.Targets == metrics.DataTargets && targets == TestKernels:
			c.Add(spectree.At(n, "metrics"), "evaluate.metrics", "%q is of the data's targets, which %s replaces; remove one of them",
				name, spectree.Beside("problem.targets", c.tree.Find("problem", "targets")))
		case m.Targets == metrics.KernelTargets && targets == "":
			c.Add(spectree.At(n, "metrics"), "evaluate.metrics", "%q needs problem.targets = %q or %q", name, TestKernels, MeanVariance)
		case m.Targets == metrics.BothTargets && targets != MeanVariance:
			c.Add(spectree.At(n, "metrics"), "evaluate.metrics", "%q needs problem.targets = %q", name, MeanVariance)
		}
	}
	if targets == "" || c.spec.Own() {
		return
	}
	if loss := c.spec.Problem.Loss.Name; loss != "square" {
		c.Add(where, "problem.targets", "kernel functions are fitted with the square loss, not %s; change one of them", printed.Quote(loss))
	}
	if s := n.Find("surface"); s != nil && c.spec.Evaluate.Surface > 0 {
		c.Add(where, "problem.targets", "contradicts %s, which draws a single function; remove one of them", spectree.Beside("evaluate.surface", s))
	}
}
