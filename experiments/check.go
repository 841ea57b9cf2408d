package experiments

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/datasets"
)

// truth is the series of a heat map that shows the function that generated the data.
const truth = "truth"

// A checker looks for contradictions in a spec that is well formed key by key. The arrays of its
// tree and of its spec run in parallel.
type checker struct {
	*problems
	spec  *Spec
	tree  *node
	known names
}

func (c checker) check(own bool) {
	c.paper(own)
	c.data()
	c.problem()
	c.evaluate()
	c.targets()
	c.ids("method")
	c.ids("claim")
	c.ids("figure")
	c.ids("table")
	c.budgets()
	c.externals(own)
	if len(c.list) > 0 {
		return
	}
	c.claims()
	c.figures()
	c.tables()
}

// at returns the place of a key under n, or of its nearest ancestor there is.
func at(n *node, keys ...string) place {
	where := n.place
	for _, k := range keys {
		if n = n.find(k); n == nil {
			break
		}
		where = n.place
	}
	return where
}

func (c checker) paper(own bool) {
	where, key := at(c.tree, "paper"), c.spec.Paper
	if !validID(key) {
		c.add(where, "paper", "%s cannot be part of a file name; %s", quote(key), idRule)
		return
	}
	keys := paperKeys()
	if !own && !slices.Contains(keys, key) {
		c.add(where, "paper", "unknown paper %s; %s", quote(key), suggest(key, keys))
	}
}

func (c checker) data() {
	d, n := c.spec.Data, c.tree.find("data")
	before := len(c.list)
	if d.Name != "" && d.File != "" {
		c.add(at(n, "file"), "data.file", "contradicts %s; keep one", beside("data.name", n.find("name")))
	}
	if d.Holdout > 0 {
		c.exclude(n, "holdout", "test_file")
		c.exclude(n, "holdout", "test_rows")
	}
	c.exclude(n, "test_rows", "test_file")
	if d.Task == "" {
		d.Task = losses.Task(c.spec.Problem.Loss.Name)
	}
	var wrong *datasets.OptionError
	if err := d.Check(); len(c.list) == before && errors.As(err, &wrong) {
		c.add(at(c.tree, strings.Split(wrong.Key, ".")...), wrong.Key, "%s", wrong.Text)
	}
	if len(c.list) == before {
		c.dataOfMethods()
	}
}

// dataOfMethods checks the data of methods that have a size of their own: generated, or a number of training
// rows alone which no scaling is fitted on, or the scaling would be another too.
func (c checker) dataOfMethods() {
	for i, n := range c.tree.find("method").items() {
		m, path := &c.spec.Methods[i], join(entry("method", n, i), "data")
		if m.Data == (MethodData{}) {
			continue
		}
		if s, err := datasets.Describe(c.spec.Data.Name); (err != nil || !s.Generated()) && (m.Data.Inputs > 0 || c.spec.Data.Fitted()) {
			c.add(at(n, "data"), path, "needs generated data, or train alone and no scaling fitted on training rows; the experiment's is read from files; remove it")
			continue
		}
		d := m.data(c.spec)
		if d.Task == "" {
			d.Task = losses.Task(m.loss(c.spec).Name)
		}
		var wrong *datasets.OptionError
		if errors.As(d.Check(), &wrong) {
			key := strings.TrimPrefix(wrong.Key, "data.")
			c.add(at(n, "data", key), join(path, key), "%s", wrong.Text)
		}
	}
}

// data returns the experiment's data, of the method's own size if it has one.
func (m *Method) data(s *Spec) datasets.Options {
	d := s.Data
	if m.Data.Train > 0 {
		d.Train = m.Data.Train
	}
	if m.Data.Inputs > 0 {
		d.Inputs = m.Data.Inputs
	}
	return d
}

// exclude notes two keys of [data] that cannot stand together.
func (c checker) exclude(n *node, a, b string) {
	if x, y := n.find(a), n.find(b); x != nil && y != nil {
		c.add(x.place, "data."+a, "contradicts %s; keep one", beside("data."+b, y))
	}
}

func (c checker) problem() {
	p, n := &c.spec.Problem, c.tree.find("problem")
	nu, nuN := n.find("nu"), n.find("nu_n")
	switch {
	case nu == nil && nuN == nil:
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
	var wrong *kernels.KeyError
	if errors.As(k.Check(n.table().keys), &wrong) {
		c.add(at(n, wrong.Key), join(path, wrong.Key), "%s", wrong.Text)
	}
	c.bandwidth(n.find("bandwidth"), join(path, "bandwidth"), k.Bandwidth)
}

// kernel returns the method's own kernel, or the experiment's.
func (m *Method) kernel(s *Spec) kernels.Config {
	if m.Kernel != nil {
		return *m.Kernel
	}
	return s.Problem.Kernel
}

// loss checks that the keys of a loss are its own, that none is missing, and that the task of the
// data, where it is given, is one the loss is for.
func (c checker) loss(n *node, path string, l losses.Config) {
	given := []string{"name"}
	if t := n.table(); t != nil {
		given = t.keys
	}
	var wrong *losses.KeyError
	if errors.As(l.Check(given), &wrong) {
		c.add(at(n, wrong.Key), join(path, wrong.Key), "%s", wrong.Text)
		return
	}
	want, task := losses.Task(l.Name), c.spec.Data.Task
	if task == "" || task == want || want != losses.Binary && want != losses.Multiclass {
		return
	}
	c.add(n.place, path, "%s needs %s targets, and %s says %q; change one of them", l.Name, want,
		beside("data.task", c.tree.find("data", "task")), task)
}

// lossesOfMethods checks the losses of methods that have their own: the targets are the same for all.
func (c checker) lossesOfMethods(problem *node) {
	for i, n := range c.tree.find("method").items() {
		m, path := &c.spec.Methods[i], join(entry("method", n, i), "loss")
		if m.Loss == nil {
			continue
		}
		c.loss(n.find("loss"), path, *m.Loss)
		if own, all := losses.Task(m.Loss.Name), losses.Task(c.spec.Problem.Loss.Name); own != all {
			c.add(at(n, "loss"), path, "%s is for the task %s, and %s for %s; choose a loss for the same targets",
				m.Loss.Name, own, beside("problem.loss", problem), all)
		}
	}
}

// regularisationOfMethods checks that methods with a ν of their own are not measured against another's solution.
func (c checker) regularisationOfMethods() {
	reference := slices.IndexFunc(c.spec.Evaluate.Metrics, needsReference)
	if reference < 0 {
		return
	}
	for i, n := range c.tree.find("method").items() {
		if e := n.find("nu"); e != nil {
			c.add(e.place, join(entry("method", n, i), "nu"), "%q is the distance to the solution with problem.nu; remove the metric or this", c.spec.Evaluate.Metrics[reference])
		}
	}
}

// problem returns the experiment's problem with what the method has of its own.
func (m *Method) problem(s *Spec) Problem {
	p := s.Problem
	p.Loss, p.Kernel = m.loss(s), m.kernel(s)
	if m.Nu != nil {
		p.Nu, p.NuN = *m.Nu, 0
	}
	return p
}

// loss returns the method's own loss, or the experiment's.
func (m *Method) loss(s *Spec) losses.Config {
	if m.Loss != nil {
		return *m.Loss
	}
	return s.Problem.Loss
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

func (c checker) evaluate() {
	e, n := &c.spec.Evaluate, c.tree.find("evaluate")
	if len(e.Metrics) == 0 {
		c.add(at(n, "metrics"), "evaluate.metrics", "is empty; choose some of %s", strings.Join(metrics.Names(), ", "))
	}
	if i := firstDouble(e.Metrics); i >= 0 {
		c.add(at(n, "metrics"), "evaluate.metrics", "names %q twice; remove one", e.Metrics[i])
	}
	for i, v := range e.At {
		if v <= 0 || i > 0 && v <= e.At[i-1] {
			c.add(at(n, "at"), "evaluate.at", "%v are not increasing positive numbers", e.At)
			break
		}
	}
	c.exclusive(n, "at", "points")
	c.exclusive(n, "at", "spacing")
	c.metrics()
}

// exclusive notes that a key of [evaluate] has no effect beside another.
func (c checker) exclusive(n *node, key, beaten string) {
	if x, y := n.find(key), n.find(beaten); x != nil && y != nil {
		c.add(y.place, "evaluate."+beaten, "has no effect beside %s; remove one", beside("evaluate."+key, x))
	}
}

// firstDouble returns the position of the first string that stands earlier too, -1 if there is none.
func firstDouble(s []string) int {
	for i, x := range s {
		if slices.Contains(s[:i], x) {
			return i
		}
	}
	return -1
}

// idRule says what an id may be.
const idRule = "use up to 100 letters, digits and . _ + , = -, starting with a letter or digit"

// idRune says whether a file may have r in its name on any system, and an id too.
func idRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._+,=-", r)
}

func validID(id string) bool {
	return id != "" && len(id) <= 100 &&
		strings.IndexFunc(id, func(r rune) bool { return !idRune(r) }) < 0 &&
		!strings.ContainsRune("._+,=-", rune(id[0])) && id[len(id)-1] != '.'
}

// ids checks that the ids in an array of tables can name files and are unique, whatever their case.
func (c checker) ids(key string) {
	first := map[string]*node{}
	for i, n := range c.tree.find(key).items() {
		id, path := n.find("id").text(), join(entry(key, n, i), "id")
		if !validID(id) {
			c.add(at(n, "id"), path, "%s cannot name a file; %s", quote(id), idRule)
		}
		if key == "method" && id == truth {
			c.add(at(n, "id"), path, `"truth" is the generating function in figures; choose another id`)
		}
		if other := first[strings.ToLower(id)]; other != nil {
			c.add(at(n, "id"), path, "is the id of another %s too, %s; rename one", key, beside("that", other))
		}
		first[strings.ToLower(id)] = n
	}
	if key == "method" && len(c.tree.find(key).items()) == 0 {
		c.add(at(c.tree, key), key, "there is no method; write [[method]]")
	}
}

// budgets checks that every method stops, and that none waits for itself.
func (c checker) budgets() {
	s := c.spec
	if e := c.tree.find("budget", "time_of"); e != nil {
		c.add(e.place, "budget.time_of", "holds for every method, the one it names too; give it in a method's own budget")
		return
	}
	for i, n := range c.tree.find("method").items() {
		m := &s.Methods[i]
		if _, program := m.Settings.(*External); program {
			continue
		}
		if b := m.limits(s); b.Epochs == 0 && b.Steps == 0 && b.Seconds == 0 && b.TimeOf == "" {
			if m.Budget != nil {
				c.add(at(n, "budget"), join(entry("method", n, i), "budget"), "sets no limit; give epochs, steps, seconds or time_of")
			} else {
				c.add(at(c.tree, "budget"), "budget", "sets no limit; give epochs, steps or seconds")
			}
		}
		if m.Budget != nil && m.Budget.TimeOf != "" {
			c.timeOf(n, join(entry("method", n, i), "budget"), m)
		}
	}
}

// limits returns the method's own budget, or the experiment's; none for a program, which ends by itself.
func (m *Method) limits(s *Spec) Budget {
	if _, program := m.Settings.(*External); program {
		return Budget{}
	}
	if m.Budget != nil {
		return *m.Budget
	}
	return s.Budget
}

// timeOf checks that the method whose time m takes exists and does not, in turn, wait for m.
func (c checker) timeOf(n *node, path string, m *Method) {
	e := n.find("budget", "time_of")
	if sec := n.find("budget", "seconds"); m.Budget.Seconds > 0 {
		c.add(e.place, path+".time_of", "contradicts %s; keep one", beside("seconds", sec))
		return
	}
	chain := []string{m.ID}
	for next := m; next.Budget != nil && next.Budget.TimeOf != ""; {
		id := next.Budget.TimeOf
		i := slices.IndexFunc(c.spec.Methods, func(x Method) bool { return x.ID == id })
		switch {
		case i < 0 && next != m:
			return // told where it stands
		case i < 0 && len(c.spec.members(id)) > 0:
			c.add(e.place, path+".time_of", "%q is a grid; name one of %s", id, strings.Join(c.spec.members(id), ", "))
			return
		case i < 0:
			c.add(e.place, path+".time_of", "unknown method %s; %s", quote(id), suggest(id, methodIDs(c.tree)))
			return
		case id == m.ID && len(chain) == 1:
			c.add(e.place, path+".time_of", "names the method itself; name another")
			return
		case slices.Contains(chain, id):
			c.add(e.place, path+".time_of", "waits for itself: %s; give one of them a limit of its own", strings.Join(append(chain, id), " → "))
			return
		}
		chain = append(chain, id)
		next = &c.spec.Methods[i]
	}
}

// averages says whether the method keeps the average of its iterates: a setting Average that is true.
func (m *Method) averages() bool { return hasAverage(m) && average(m).Bool() }

// hasAverage says whether the method has the setting.
func hasAverage(m *Method) bool { return average(m).IsValid() && average(m).Kind() == reflect.Bool }

func average(m *Method) reflect.Value {
	return reflect.ValueOf(m.Settings).Elem().FieldByName("Average")
}
