package experiments

import (
	"errors"
	"slices"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/params"
)

func (c checker) problem() {
	p, n := &c.spec.Problem, c.tree.find("problem")
	nu, nuN := n.find("nu"), n.find("nu_n")
	switch {
	case nu == nil && nuN == nil && slices.ContainsFunc(c.spec.Methods, func(m Method) bool { return m.Nu == nil }):
		c.add(n.place, "problem", "neither nu nor nu_n is given; write nu = 0.0 for no regularisation")
	case p.Nu != 0 && p.NuN != 0:
		c.add(nuN.place, "problem.nu_n", "contradicts %s; keep one", beside("problem.nu", nu))
	}
	c.loss(n.find("loss"), "problem.loss", p.Loss)
	c.lossesOfMethods(n.find("loss"))
	c.regularisationOfMethods()
	c.kernel(n.find("kernel"), "problem.kernel", p.Kernel)
	for i, n := range c.tree.find("method").items() {
		if k := c.spec.Methods[i].Kernel; k != nil {
			c.kernel(n.find("kernel"), join(entry("method", n, i), "kernel"), *k)
		}
	}
}

// kernel checks that the keys of a kernel are its own and that none is missing.
func (c checker) kernel(n *node, path string, k kernels.Config) {
	given := []string{"name"}
	if t := n.table(); t != nil {
		given = t.keys
	}
	var wrong *params.Error
	if errors.As(k.Check(given), &wrong) {
		c.add(at(n, wrong.Key), join(path, wrong.Key), "%s", wrong.Text)
	}
	c.bandwidth(n.find("bandwidth"), join(path, "bandwidth"), k.Bandwidth)
}

// loss checks that the keys of a loss are its own, that none is missing, and that the loss suits data.task, if the
// spec gives one.
func (c checker) loss(n *node, path string, l losses.Config) {
	given := []string{"name"}
	if t := n.table(); t != nil {
		given = t.keys
	}
	var wrong *params.Error
	if errors.As(l.Check(given), &wrong) {
		c.add(at(n, wrong.Key), join(path, wrong.Key), "%s", wrong.Text)
		return
	}
	want, task, signs := losses.Task(l.Name), c.spec.Data.Task, c.spec.oneVersusRest()
	switch {
	case want == losses.Multiclass && signs:
		c.add(n.place, path, "%s takes targets 1 and 0, and %s says %q; remove it", l.Name, beside("data.coding", c.tree.find("data", "coding")), c.spec.Data.Coding)
		return
	case task == "" || task == want || want != losses.Binary && want != losses.Multiclass || want == losses.Binary && signs:
		return
	case want == losses.Binary && task == losses.Multiclass:
		c.add(n.place, path, "%s takes targets 1 and -1, and %s says %q; write data.coding = \"signs\" to learn each class against the rest", l.Name,
			beside("data.task", c.tree.find("data", "task")), task)
		return
	}
	c.add(n.place, path, "%s needs %s targets, and %s says %q; change one of them", l.Name, want,
		beside("data.task", c.tree.find("data", "task")), task)
}

// oneVersusRest reports whether every class has a target of its own, 1 or -1.
func (s *Spec) oneVersusRest() bool {
	return s.Data.Task == losses.Multiclass && s.Data.Coding == "signs"
}

// lossesOfMethods checks that methods with a loss of their own fit the same targets as the others.
func (c checker) lossesOfMethods(problem *node) {
	for i, n := range c.tree.find("method").items() {
		m, path := &c.spec.Methods[i], join(entry("method", n, i), "loss")
		if m.Loss == nil {
			continue
		}
		c.loss(n.find("loss"), path, *m.Loss)
		if own, all := c.spec.task(*m.Loss), c.spec.task(c.spec.Problem.Loss); own != all {
			c.add(at(n, "loss"), path, "%s is for the task %s, and %s for %s; choose a loss for the same targets",
				m.Loss.Name, own, beside("problem.loss", problem), all)
		}
	}
}

// regularisationOfMethods checks that no method with a ν of its own is compared with the solution for another ν.
func (c checker) regularisationOfMethods() {
	reference := slices.IndexFunc(c.spec.Evaluate.Metrics, needsReference)
	if reference < 0 {
		return
	}
	for i, n := range c.tree.find("method").items() {
		if e := n.find("nu"); e != nil {
			c.add(e.place, join(entry("method", n, i), "nu"), "%q compares with the solution for problem.nu; remove the metric or this nu", c.spec.Evaluate.Metrics[reference])
		}
	}
}

func (c checker) bandwidth(b *node, path string, w kernels.Bandwidth) {
	if b.table() == nil {
		return
	}
	switch {
	case w.Rule == "" && w.Value == 0:
		c.add(b.place, path, `neither value nor rule is given; write bandwidth = 1.0 or { rule = "median" }`)
	case w.Rule != "" && w.Value != 0:
		c.add(at(b, "value"), path+".value", "contradicts %s; keep one", beside(path+".rule", b.find("rule")))
	case w.Value != 0:
		for _, k := range []string{"scale", "convention", "sample"} {
			if e := b.find(k); e != nil {
				c.add(e.place, join(path, k), "has no effect beside %s; remove it", beside(path+".value", b.find("value")))
			}
		}
	}
}
