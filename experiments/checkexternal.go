package experiments

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"repro/experiments/spectree"
	"repro/results/printed"
)

// externals checks the methods that are programs.
func (c checker) externals() {
	for i, n := range c.tree.Find("method").Items() {
		if e, ok := c.spec.Methods[i].Configured.(*External); ok {
			externalChecker{c, &c.spec.Methods[i], e, n, spectree.Entry("method", n, i)}.check()
		}
	}
}

type externalChecker struct {
	checker
	method *Method
	*External
	n    *spectree.Node
	path string
}

func (c externalChecker) check() {
	if b := c.n.Find("budget"); b != nil && !c.Curved() {
		c.Add(b.Place, c.path+".budget", "has no effect on a program, which ends by itself; remove it, or set timeout")
	}
	if l := c.n.Find("loss"); l != nil {
		c.Add(l.Place, c.path+".loss", "has no effect on a program, whose command says what it minimises; remove it")
	}
	measures := func(name string) bool { return c.Measures(c.spec.Metric(name)) }
	if !slices.ContainsFunc(c.spec.Evaluate.Names(), measures) {
		c.Add(spectree.At(c.n, "predictions"), c.path+".predictions", "the program %s, and none of that is measured; add some to %s",
			c.unmeasured(), spectree.Beside("evaluate.metrics", c.tree.Find("evaluate", "metrics")))
	}
	before := len(c.List)
	c.ways()
	c.command("command.train", c.Command.Train)
	c.command("command.predict", c.Command.Predict)
	c.command("command.serve", c.Command.Serve)
	c.command("command.run", c.Command.Run)
	c.command("version", c.Version)
	if len(c.List) == before && len(c.Command.Train) > 0 {
		c.files()
	}
}

// ways checks that there is one command of train, serve and run, with the budget that it needs.
func (c externalChecker) ways() {
	where, path := spectree.At(c.n, "command"), c.path+".command"
	var ways []string
	for _, key := range []string{"train", "serve", "run"} {
		if c.n.Find("command", key) != nil {
			ways = append(ways, key)
		}
	}
	switch b := c.spec.effective(c.method).budget(); {
	case len(ways) == 0:
		c.Add(where, path, "does not say what to run; give it serve, which is asked for steps, run, which prints its points, or train")
	case len(ways) > 1:
		c.Add(where, path, "has %s; keep one of them", strings.Join(ways, " and "))
	case ways[0] != "train" && len(c.Command.Predict) > 0:
		c.Add(where, path+".predict", "belongs to command.train; remove it")
	case ways[0] == "train" && c.Curved() && b.Seconds > 0:
		c.Add(where, path+".train", "runs again for each point, which seconds do not say; give the method budget = { steps = … }")
	case len(c.spec.effective(c.method).meshes()) > 0 && slices.Contains(c.swept(), "iterations"):
		c.Add(where, path, "has both {iterations} and the meshes of an abscissa; keep one")
	case slices.Contains(placeholdersOf(c.Command.Run...), "iterations") && b.Steps == 0:
		c.Add(where, path+".run", "{iterations} are the steps of the budget, and it has none; set budget.steps")
	}
}

// command checks the program and the placeholders of one command.
func (c externalChecker) command(key string, args []string) {
	n, path := c.n.Find(strings.Split(key, ".")...), c.path+"."+key
	if n == nil {
		return
	}
	if len(args) == 0 || args[0] == "" {
		c.Add(n.Place, path, `names no program; write ["program", "argument"]`)
		return
	}
	c.program(n.Items()[0].Place, path, args[0])
	for i, arg := range args {
		for _, name := range placeholdersOf(arg) {
			c.placeholder(n.Items()[i].Place, fmt.Sprintf("%s %d", path, i+1), name, key)
		}
	}
}

// program checks the name of a program: a name to find in PATH, or a path that does not depend on the working
// folder, because each run makes a new one.
func (c externalChecker) program(where spectree.Place, path, name string) {
	for _, p := range placeholdersOf(name) {
		if p != "dir" && slices.Contains(placeholderNames(), p) {
			c.Add(where, path, "the program cannot depend on {%s}; only {dir} may stand in its path", p)
			return
		}
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		c.Add(where, path, "the name of the program, %s, has an invisible character; remove it", printed.Quote(name))
	}
	fixed := filepath.IsAbs(name) || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "{dir}")
	if strings.ContainsAny(name, `/\`) && !fixed {
		c.Add(where, path, "the program runs in its own folder, which has no %s; to name a program beside the spec, write %s",
			printed.Quote(name), printed.Quote("{dir}/"+filepath.ToSlash(filepath.Clean(name))))
	}
}

// ofProblem lists the placeholders that an own problem has no values for.
var ofProblem = []string{"train", "test", "model", "predictions", "n", "nu", "c", "sigma", "gamma"}

// placeholder checks that a name in braces is a placeholder and that the problem gives it a value.
func (c externalChecker) placeholder(where spectree.Place, path, name, key string) {
	problem := c.spec.effective(c.method).problem()
	a := c.spec.abscissa(name)
	switch {
	case a != nil && !c.placed(name):
		if len(a.Values) == 0 {
			c.Add(where, path, "{%s} has no values; list those of the meshes in the abscissa's key values", name)
		} else if !slices.Contains([]string{"command.run", "command.train", "command.predict"}, key) {
			c.Add(where, path, "{%s} has a meaning in command.run and command.train; remove it", name)
		}
	case !slices.Contains(placeholderNames(), name):
		c.Add(where, path, "unknown placeholder {%s}; %s", name, printed.Suggest(name, placeholderNames()))
	case c.spec.Own() && slices.Contains(ofProblem, name):
		c.Add(where, path, "{%s} is of rows and a kernel, and %s has none; remove it", name, c.ownKind())
	case name == "iterations" && key != "command.train" && key != "command.run":
		c.Add(where, path, "{iterations} has a meaning in command.train and command.run; remove it")
	case key == "version" && name != "dir":
		c.Add(where, path, "{%s} means nothing to a version command; remove it", name)
	case name == "dir" && c.source.Catalog:
		c.Add(where, path, "a spec of the catalog has no folder on disk for {dir}; name a program that is installed")
	case name == "gamma" && problem.Kernel.Name != "gaussian":
		c.Add(where, path, "{gamma} is a parameter of the gaussian kernel, and the kernel is %s; use {sigma}", problem.Kernel.Name)
	case name == "c" && problem.Nu == 0 && problem.NuN == 0:
		c.Add(where, path, "{c} = 1/(nu·n) is infinite without regularisation; set problem.nu or give a number")
	}
}

// files checks that the commands read and write the files that a run hands over.
func (c externalChecker) files() {
	train, predict := placeholdersOf(c.Command.Train...), placeholdersOf(c.Command.Predict...)
	either := slices.Concat(train, predict)
	where, path := spectree.At(c.n, "command", "train"), c.path+".command.train"
	if len(c.Command.Predict) > 0 {
		if slices.Contains(predict, "model") && !slices.Contains(train, "model") {
			c.Add(where, path, "does not write {model}, which command.predict reads; add it")
		}
	}
	if !slices.Contains(train, "train") {
		c.Add(where, path, "does not read {train}; add it")
	}
	if len(c.Command.Predict) > 0 {
		where, path = spectree.At(c.n, "command", "predict"), c.path+".command.predict"
	}
	for _, name := range []string{"test", "predictions"} {
		if !slices.Contains(either, name) {
			c.Add(where, path, "no command has {%s}; add it", name)
		}
	}
}

// labelled notes a metric that cannot be computed because the program predicts labels.
func (c checker) labelled(where spectree.Place, path, metric string, m *Method) {
	if e, ok := m.Configured.(*External); ok && !e.Measures(c.spec.Metric(metric)) {
		c.Add(where, path, "method %q %s; choose another metric, or another program", m.ID, e.unmeasured())
	}
}

// drawn notes a program in a figure of learnt functions that cannot be asked for its values on a grid.
func (c checker) drawn(where spectree.Place, path, id string) {
	for i := range c.spec.Methods {
		m := &c.spec.Methods[i]
		if e, ok := m.Configured.(*External); ok && len(e.Command.Serve) == 0 && (m.ID == id || m.Group == id) {
			c.Add(where, path, "method %q is a program and predicts only the test rows; remove it", id)
			return
		}
	}
}
