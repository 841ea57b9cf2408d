package experiments

import (
	"errors"
	"slices"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/params"
	"repro/experiments/spectree"
)

func (c checker) problem() {
	p, n := &c.spec.Problem, c.tree.Find("problem")
	nu, nuN := n.Find("nu"), n.Find("nu_n")
	switch {
	case nu == nil && nuN == nil && slices.ContainsFunc(c.spec.Methods, func(m Method) bool { return m.Nu == nil }):
		c.Add(n.Place, "problem", "neither nu nor nu_n is given; write nu = 0.0 for no regularisation")
	case p.Nu != 0 && p.NuN != 0:
		c.Add(nuN.Place, "problem.nu_n", "contradicts %s; keep one", spectree.Beside("problem.nu", nu))
	}
	c.loss(n.Find("loss"), "problem.loss", p.Loss)
	c.lossesOfMethods(n.Find("loss"))
	c.regularisationOfMethods()
	c.kernel(n.Find("kernel"), "problem.kernel", p.Kernel)
	for i, n := range c.tree.Find("method").Items() {
		if k := c.spec.Methods[i].Kernel; k != nil {
			c.kernel(n.Find("kernel"), spectree.Join(spectree.Entry("method", n, i), "kernel"), *k)
		}
	}
}

// kernel checks that the keys of a kernel are its own and that none is missing.
func (c checker) kernel(n *spectree.Node, path string, k kernels.Config) {
	given := []string{"name"}
	if t := n.Table(); t != nil {
		given = t.Keys
	}
	var wrong *params.Error
	if errors.As(k.Check(given), &wrong) {
		c.Add(spectree.At(n, wrong.Key), spectree.Join(path, wrong.Key), "%s", wrong.Text)
	}
	c.bandwidth(n.Find("bandwidth"), spectree.Join(path, "bandwidth"), k.Bandwidth)
}

// loss checks that the keys of a loss are its own, that none is missing, and that the loss suits data.task, if the
// spec gives one.
func (c checker) loss(n *spectree.Node, path string, l losses.Config) {
	given := []string{"name"}
	if t := n.Table(); t != nil {
		given = t.Keys
	}
	var wrong *params.Error
	if errors.As(l.Check(given), &wrong) {
		c.Add(spectree.At(n, wrong.Key), spectree.Join(path, wrong.Key), "%s", wrong.Text)
		return
	}
	want, task, signs := losses.Task(l.Name), c.spec.Data.Task, c.spec.oneVersusRest()
	switch {
	case want == losses.Multiclass && signs:
		c.Add(n.Place, path, "%s takes targets 1 and 0, and %s says %q; remove it", l.Name, spectree.Beside("data.coding", c.tree.Find("data", "coding")), c.spec.Data.Coding)
		return
	case task == "" || task == want || want != losses.Binary && want != losses.Multiclass || want == losses.Binary && signs:
		return
	case want == losses.Binary && task == losses.Multiclass:
		c.Add(n.Place, path, "%s takes targets 1 and -1, and %s says %q; write data.coding = \"signs\" to learn each class against the rest", l.Name,
			spectree.Beside("data.task", c.tree.Find("data", "task")), task)
		return
	}
	c.Add(n.Place, path, "%s needs %s targets, and %s says %q; change one of them", l.Name, want,
		spectree.Beside("data.task", c.tree.Find("data", "task")), task)
}

// oneVersusRest reports whether every class has a target of its own, 1 or -1.
func (s *Spec) oneVersusRest() bool {
	return s.Data.Task == losses.Multiclass && s.Data.Coding == "signs"
}

// lossesOfMethods checks that methods with a loss of their own fit the same targets as the others.
func (c checker) lossesOfMethods(problem *spectree.Node) {
	for i, n := range c.tree.Find("method").Items() {
		m, path := &c.spec.Methods[i], spectree.Join(spectree.Entry("method", n, i), "loss")
		if m.Loss == nil {
			continue
		}
		c.loss(n.Find("loss"), path, *m.Loss)
		if own, all := c.spec.task(*m.Loss), c.spec.task(c.spec.Problem.Loss); own != all {
			c.Add(spectree.At(n, "loss"), path, "%s is for the task %s, and %s for %s; choose a loss for the same targets",
				m.Loss.Name, own, spectree.Beside("problem.loss", problem), all)
		}
	}
}

// regularisationOfMethods checks that no method with a ν of its own is compared with the solution for another ν.
func (c checker) regularisationOfMethods() {
	names := c.spec.Evaluate.Names()
	reference := slices.IndexFunc(names, func(name string) bool { m := c.spec.Metric(name); return m != nil && m.Reference })
	if reference < 0 {
		return
	}
	for i, n := range c.tree.Find("method").Items() {
		if e := n.Find("nu"); e != nil {
			c.Add(e.Place, spectree.Join(spectree.Entry("method", n, i), "nu"), "%q compares with the solution for problem.nu; remove the metric or this nu", names[reference])
		}
	}
}

func (c checker) bandwidth(b *spectree.Node, path string, w kernels.Bandwidth) {
	if b.Table() != nil && w.Rule == "" && w.Value == 0 {
		c.Add(b.Place, path, `neither value nor rule is given; write bandwidth = 1.0 or { rule = "median" }`)
	}
}
