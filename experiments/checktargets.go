package experiments

import "slices"

// TestKernels as problem.targets makes the kernel functions of the test inputs the targets.
const TestKernels = "test-kernels"

// NeedsReference says whether the named metric compares with the solver that evaluate.reference names.
func NeedsReference(metric string) bool {
	return slices.ContainsFunc(Metrics, func(m MetricInfo) bool { return m.Name == metric && m.Exact })
}

// targets checks that what is measured and drawn is of the targets that are fitted.
func (c checker) targets() {
	kernels := c.spec.Problem.Targets == TestKernels
	n, where := c.tree.find("evaluate"), at(c.tree, "problem", "targets")
	for _, m := range Metrics {
		switch {
		case !slices.Contains(c.spec.Evaluate.Metrics, m.Name):
		case kernels && m.Targets == "data":
			c.add(at(n, "metrics"), "evaluate.metrics", "%q is of the data's targets, which %s replaces; remove one of them",
				m.Name, beside("problem.targets", c.tree.find("problem", "targets")))
		case !kernels && m.Targets == TestKernels:
			c.add(at(n, "metrics"), "evaluate.metrics", "%q needs problem.targets = %q", m.Name, TestKernels)
		}
	}
	if !kernels {
		return
	}
	if loss := c.spec.Problem.Loss.Name; loss != "square" {
		c.add(where, "problem.targets", "kernel functions are fitted with the square loss, not %s; change one of them", quote(loss))
	}
	if s := n.find("surface"); s != nil && c.spec.Evaluate.Surface > 0 {
		c.add(where, "problem.targets", "contradicts %s, which draws a single function; remove one of them", beside("evaluate.surface", s))
	}
}
