package experiments

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/params"
	"repro/datasets"
	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/printed"
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

func (c checker) data() {
	d, n := c.spec.Data, c.tree.Find("data")
	before := len(c.List)
	for _, key := range []string{"file", "test_file"} {
		if f := n.Find(key); f != nil && c.source.Catalog {
			c.Add(f.Place, "data."+key, "a spec of the catalog has no folder on disk; register a data set and name it as data.name")
		}
	}
	d.Task = c.spec.task(c.spec.Problem.Loss)
	var wrong *datasets.OptionError
	if err := d.Check(); len(c.List) == before && errors.As(err, &wrong) {
		c.Add(spectree.At(c.tree, strings.Split(wrong.Key, ".")...), wrong.Key, "%s", wrong.Text)
	}
	if e := c.tree.Find("evaluate", "predictions"); e != nil && c.spec.Evaluate.Predictions && len(c.List) == before {
		if train, test, _ := d.Shape(); d.Stream || train > 0 && test == 0 {
			c.Add(e.Place, "evaluate.predictions", "there are no test rows whose predictions it could write; give the data a test set, or remove it")
		}
	}
	if len(c.List) == before {
		c.dataOfMethods()
	}
}

// dataOfMethods checks methods with data of their own. Data read from files has its number of inputs, and another number of
// training rows only if no scaling is fitted on them: it would change the scaling too.
func (c checker) dataOfMethods() {
	for i, n := range c.tree.Find("method").Items() {
		m, path := &c.spec.Methods[i], spectree.Join(spectree.Entry("method", n, i), "data")
		for _, f := range strict.Fields(reflect.TypeFor[MethodData]()) {
			if e := n.Find("data", f.Key); e != nil && f.Type.Kind() != reflect.String && reflect.ValueOf(m.Data).FieldByIndex(f.Index).IsZero() {
				c.Add(e.Place, spectree.Join(path, f.Key), "0 stands for the experiment's own value; give another, or remove it")
			}
		}
		if m.Data == (MethodData{}) {
			continue
		}
		s, err := datasets.Describe(c.spec.Data.Name)
		files := err != nil || !s.Generated()
		switch {
		case files && m.Data.Inputs > 0:
			c.Add(spectree.At(n, "data", "inputs"), spectree.Join(path, "inputs"), "the experiment's data is read from files, which have their own number of inputs; remove it")
			continue
		case files && m.Data.Outputs > 0:
			c.Add(spectree.At(n, "data", "outputs"), spectree.Join(path, "outputs"), "the experiment's data is read from files, which have their own targets; remove it")
			continue
		case files && m.Data.Train > 0 && c.spec.Data.Fitted():
			c.Add(spectree.At(n, "data", "train"), spectree.Join(path, "train"), "the experiment's data is read from files, and its scaling is fitted on the training rows: another number of them would change it; remove it")
			continue
		}
		runs := c.spec.effective(m)
		d := runs.data()
		d.Task = c.spec.task(runs.loss())
		var wrong *datasets.OptionError
		if errors.As(d.Check(), &wrong) {
			key := strings.TrimPrefix(wrong.Key, "data.")
			c.Add(spectree.At(n, "data", key), spectree.Join(path, key), "%s", wrong.Text)
		}
	}
}

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
		if !algos.TraitsOf(m.Configured).Online {
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
