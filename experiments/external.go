package experiments

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"repro/algos"
	"repro/algos/metrics"
)

// externalName is the algorithm of methods that are programs of their own.
const externalName = "external"

// An External is a method that is a program: package runner exports the training rows, runs the
// commands and reads the predictions of the test rows back. Its commands may hold Placeholders.
type External struct {
	Command     Command  `toml:"command" doc:"what to run, each a program with its arguments, without a shell"`
	Version     []string `toml:"version" doc:"command whose first line of output is recorded as the program's version"`
	Format      string   `toml:"format" want:"libsvm|csv|npy" doc:"format of the exported rows"`
	Predictions string   `toml:"predictions" want:"values|labels" doc:"what the program predicts: numbers, one an output of the problem, or labels (1 and -1, or class numbers from 1), which give test-error alone"`
	Timeout     float64  `toml:"timeout" want:"> 0" doc:"seconds that training and prediction may take together"`
	Install     string   `toml:"install" doc:"how to get the program, told where it is missing"`
}

// A Command is what an external method runs.
type Command struct {
	Train   []string `toml:"train" doc:"reads {train}; its time is the method's"`
	Predict []string `toml:"predict" doc:"reads {test}; may be left out if train does this too"`
}

// newAlgorithm returns a pointer to the named method's settings at their defaults.
func newAlgorithm(name string) (algos.Algorithm, error) {
	if name == externalName {
		// An hour: it bounds a program that hangs, and decides no number.
		return &External{Format: "libsvm", Predictions: "values", Timeout: 3600}, nil
	}
	return algos.New(name)
}

// AlgorithmNames lists what a method's algorithm may be, in alphabetical order.
func AlgorithmNames() []string {
	names := append(algos.Names(), externalName)
	slices.Sort(names)
	return names
}

// Start implements algos.Algorithm, to say that a program is no fit to step: package runner runs it.
func (*External) Start(*algos.Problem) (algos.Fit, error) {
	return nil, fmt.Errorf("%w: an external program has no steps", algos.ErrUnsupported)
}

// Exact implements algos.Exact: rows are exported in float64, and what the program computes in is
// not the spec's to say.
func (*External) Exact() {}

// Labels says whether the program predicts labels alone.
func (e *External) Labels() bool { return e.Predictions == "labels" }

// Measures says whether a metric of the spec can be computed from the program's predictions.
func (e *External) Measures(m *metrics.Metric) bool { return !e.Labels() || m != nil && m.Labels }

// Fits implements algos.Declarer: there is no fit, so that metrics of fits are refused.
func (*External) Fits() algos.Fit { return nil }

// labelMetrics lists in words the metrics that can be computed from labels alone.
func labelMetrics() string {
	names := slices.DeleteFunc(metrics.Names(), func(name string) bool { return !metrics.Lookup(name).Labels })
	return strings.Join(names, ", ")
}

// undecided are the settings of an External that decide no number.
var undecided = []string{"timeout", "install", "version"}

// A Placeholder is a name that stands in braces in a command for what only a run knows.
type Placeholder struct{ Name, Doc string }

// Placeholders lists what the arguments of a command may hold.
var Placeholders = []Placeholder{
	{"train", "file of the training rows"},
	{"test", "file of the test rows, without their targets"},
	{"model", "file to keep the model in, from train to predict"},
	{"predictions", "file to write the predictions to, a line a test row"},
	{"n", "number of training rows"},
	{"nu", "regularisation ν"},
	{"c", "C = 1/(νn), the weight of the summed loss against ‖f‖²/2"},
	{"sigma", "bandwidth σ"},
	{"gamma", "γ = 1/(2σ²) of the Gaussian kernel exp(-γ‖x - z‖²)"},
	{"seed", "seed of the cell"},
	{"threads", "processors it may use"},
	{"dir", "folder of the spec"},
}

// placeholder matches a name in braces. Braces around anything else stand for themselves.
var placeholder = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_]*\}`)

// Fill returns a command with the placeholders that values has replaced by them.
func Fill(command []string, values map[string]string) []string {
	filled := make([]string, len(command))
	for i, arg := range command {
		filled[i] = placeholder.ReplaceAllStringFunc(arg, func(p string) string {
			if v, ok := values[p[1:len(p)-1]]; ok {
				return v
			}
			return p
		})
	}
	return filled
}

// placeholdersOf lists the names in braces of some arguments.
func placeholdersOf(args ...string) (names []string) {
	for _, arg := range args {
		for _, p := range placeholder.FindAllString(arg, -1) {
			names = append(names, p[1:len(p)-1])
		}
	}
	return names
}

// externals checks the methods that are programs.
func (c checker) externals(own bool) {
	for i, n := range c.tree.find("method").items() {
		if e, ok := c.spec.Methods[i].Settings.(*External); ok {
			externalChecker{c, &c.spec.Methods[i], e, n, entry("method", n, i), own}.check()
		}
	}
}

type externalChecker struct {
	checker
	method *Method
	*External
	n    *node
	path string
	own  bool
}

func (c externalChecker) check() {
	if b := c.n.find("budget"); b != nil {
		c.add(b.place, c.path+".budget", "has no effect on a program, which ends by itself; remove it, or set timeout")
	}
	if l := c.n.find("loss"); l != nil {
		c.add(l.place, c.path+".loss", "has no effect on a program, whose command says what it minimises; remove it")
	}
	measures := func(name string) bool { return c.Measures(metrics.Lookup(name)) }
	if !slices.ContainsFunc(c.spec.Evaluate.Metrics, measures) {
		c.add(at(c.n, "predictions"), c.path+".predictions", "labels give %s alone, which is not measured; add it to %s",
			labelMetrics(), beside("evaluate.metrics", c.tree.find("evaluate", "metrics")))
	}
	before := len(c.list)
	c.command("command.train", c.Command.Train)
	c.command("command.predict", c.Command.Predict)
	c.command("version", c.Version)
	if len(c.list) == before {
		c.files()
	}
}

// command checks the program and the placeholders of one command.
func (c externalChecker) command(key string, args []string) {
	n, path := c.n.find(strings.Split(key, ".")...), c.path+"."+key
	if n == nil {
		return
	}
	if len(args) == 0 || args[0] == "" {
		c.add(n.place, path, `names no program; write ["program", "argument"]`)
		return
	}
	c.program(n.items()[0].place, path, args[0])
	for i, arg := range args {
		for _, name := range placeholdersOf(arg) {
			c.placeholder(n.items()[i].place, fmt.Sprintf("%s %d", path, i+1), name, key == "version")
		}
	}
}

// program checks the name of a program: one to be found in PATH, or a path that does not depend on
// the working folder, which is made for the run.
func (c externalChecker) program(where place, path, name string) {
	for _, p := range placeholdersOf(name) {
		if p != "dir" && known(p) {
			c.add(where, path, "the program cannot depend on {%s}; only {dir} may stand in its path", p)
			return
		}
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		c.add(where, path, "the program %s has a character in its name that cannot be seen; remove it", quote(name))
	}
	fixed := filepath.IsAbs(name) || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "{dir}")
	if strings.ContainsAny(name, `/\`) && !fixed {
		c.add(where, path, "the program runs in a folder of its own, where there is no %s; for one beside the spec write %s",
			quote(name), quote("{dir}/"+filepath.ToSlash(filepath.Clean(name))))
	}
}

func known(name string) bool {
	return slices.ContainsFunc(Placeholders, func(p Placeholder) bool { return p.Name == name })
}

// placeholder checks one name in braces: that there is such a placeholder, and that the problem
// gives it a value.
func (c externalChecker) placeholder(where place, path, name string, version bool) {
	problem := c.method.problem(c.spec)
	switch {
	case !known(name):
		var names []string
		for _, p := range Placeholders {
			names = append(names, p.Name)
		}
		c.add(where, path, "unknown placeholder {%s}; %s", name, suggest(name, names))
	case version && name != "dir":
		c.add(where, path, "{%s} means nothing to a version command; remove it", name)
	case name == "dir" && !c.own:
		c.add(where, path, "{dir} is no folder on disk for a spec of the catalog; name a program that is installed")
	case name == "gamma" && problem.Kernel.Name != "gaussian":
		c.add(where, path, "{gamma} is of the gaussian kernel, and the kernel is %s; use {sigma}", problem.Kernel.Name)
	case name == "c" && problem.Nu == 0 && problem.NuN == 0:
		c.add(where, path, "{c} = 1/(nu·n) is infinite without regularisation; set problem.nu or give a number")
	}
}

// files checks that the files a run hands over are read and written by the commands.
func (c externalChecker) files() {
	train, predict := placeholdersOf(c.Command.Train...), placeholdersOf(c.Command.Predict...)
	either := slices.Concat(train, predict)
	where, path := at(c.n, "command", "train"), c.path+".command.train"
	if len(c.Command.Predict) > 0 {
		if slices.Contains(predict, "model") && !slices.Contains(train, "model") {
			c.add(where, path, "does not write {model}, which command.predict reads; add it")
		}
	}
	if !slices.Contains(train, "train") {
		c.add(where, path, "does not read {train}; add it")
	}
	if len(c.Command.Predict) > 0 {
		where, path = at(c.n, "command", "predict"), c.path+".command.predict"
	}
	for _, name := range []string{"test", "predictions"} {
		if !slices.Contains(either, name) {
			c.add(where, path, "no command has {%s}; add it", name)
		}
	}
}

// labelled notes a metric that cannot be had of a program that predicts labels.
func (c checker) labelled(where place, path, metric string, m *Method) {
	if e, ok := m.Settings.(*External); ok && !e.Measures(metrics.Lookup(metric)) {
		c.add(where, path, "method %q predicts labels, which give %s alone; choose that, or a program that predicts values", m.ID, labelMetrics())
	}
}

// drawn notes a program in a heat map: its function is not to be had on a grid.
func (c checker) drawn(where place, path, id string) {
	for i := range c.spec.Methods {
		m := &c.spec.Methods[i]
		if _, ok := m.Settings.(*External); ok && (m.ID == id || m.Group == id) {
			c.add(where, path, "method %q is a program, which predicts the test rows alone; remove it", id)
			return
		}
	}
}
