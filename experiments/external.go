package experiments

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"repro/algos"
	"repro/algos/metrics"
)

// externalName is the algorithm of methods that are programs of their own.
const externalName = "external"

// An External is a method that is a program: package runner exports the training rows, runs the
// commands and reads the predictions of the test rows back. Its commands may hold Placeholders.
type External struct {
	Command     Command  `toml:"command" must:"yes" doc:"what to run, each a program with its arguments, without a shell"`
	Version     []string `toml:"version" doc:"command whose first line of output is recorded as the program's version"`
	Format      string   `toml:"format" want:"libsvm|csv|npy" doc:"format of the exported rows"`
	Predictions string   `toml:"predictions" want:"values|labels" doc:"what the program predicts: values, one number for each output of the problem, or labels (1 and -1, or class numbers from 1), from which only errors such as test-error can be computed"`
	Timeout     float64  `toml:"timeout" want:"> 0" most:"1e9 that is 32 years" doc:"seconds that training and prediction may take together"`
	Files       []string `toml:"files" doc:"files that the program reads beside those of its commands, folders that hold such files, and patterns such as src/*.py; with {dir} or relative to the spec's folder: a change of one repeats the runs"`
	Environment []string `toml:"environment" doc:"variables of yours that the program gets beside PATH and those of devices and caches, such as HOME"`
	Install     string   `toml:"install" doc:"how to get the program; printed if it is missing"`
}

// A Command is what an external method runs.
type Command struct {
	Train   []string `toml:"train" doc:"reads {train}; its time is the method's. With {iterations} it runs again for each point of the curve, from the beginning"`
	Predict []string `toml:"predict" doc:"reads {test}; leave it out if train does this too"`
	Serve   []string `toml:"serve" doc:"in place of train: a program that makes steps and predicts when it is asked to, line by line"`
	Run     []string `toml:"run" doc:"in place of train: a program that prints the points of its curve by itself"`
}

// All lists the commands that there are.
func (c *Command) All() (all [][]string) {
	for _, command := range [][]string{c.Train, c.Predict, c.Serve, c.Run} {
		if len(command) > 0 {
			all = append(all, command)
		}
	}
	return all
}

// Stepped says whether the runner says how many steps the program makes, as for a built-in method.
func (e *External) Stepped() bool {
	return len(e.Command.Serve) > 0 || slices.Contains(placeholdersOf(e.Command.Train...), "iterations")
}

// Curved says whether the program has a curve, and hence a budget.
func (e *External) Curved() bool { return e.Stepped() || len(e.Command.Run) > 0 }

// newAlgorithm returns a pointer to the named method's settings at their defaults.
func newAlgorithm(name string) (algos.Algorithm, error) {
	if name == externalName {
		// An hour bounds a program that hangs.
		return &External{Format: "libsvm", Predictions: "values", Timeout: 3600}, nil
	}
	if name == importedName {
		return &Imported{}, nil
	}
	return algos.New(name)
}

// AlgorithmNames lists what a method's algorithm may be, in alphabetical order.
func AlgorithmNames() []string {
	return slices.Sorted(slices.Values(append(algos.Names(), externalName, importedName)))
}

// algorithmDoc returns the line of an algorithm.
func algorithmDoc(name string) string {
	if name == externalName {
		return "a program of any language, which is asked step by step, prints its curve, or trains in one piece"
	}
	if name == importedName {
		return "curves that are there already, in the file of [curves]"
	}
	return algos.Doc(name)
}

// Start implements algos.Algorithm. It always fails: package runner runs the program.
func (*External) Start(*algos.Problem) (algos.Fit, error) {
	return nil, fmt.Errorf("%w: an external program does not run in this process", algos.ErrUnsupported)
}

// Traits implements algos.Described. Rows are exported in float64, whatever the program computes in.
func (*External) Traits() algos.Traits { return algos.Traits{Exact: true, Foreign: true} }

// Labels reports whether the program predicts labels, not values.
func (e *External) Labels() bool { return e.Predictions == "labels" }

// Measures reports whether a metric can be computed from the program's predictions, or is a number that it reports.
func (e *External) Measures(m *metrics.Metric) bool {
	switch asked, prints := len(e.Command.Serve) > 0, len(e.Command.Run) > 0; {
	case m != nil && m.Reported:
		return asked || prints
	case prints:
		return false
	}
	return !e.Labels() || m != nil && m.Labels
}

// The fit of a program reports numbers of itself, and nothing else, so that the loader refuses other metrics of fits.
var _ = algos.Declare[struct {
	algos.Fit
	algos.Reporter
}](&External{})

// unmeasured says what can be measured of the program instead of what it does not measure.
func (e *External) unmeasured() string {
	switch {
	case len(e.Command.Run) > 0:
		return "prints its own points, so only what it prints is measured"
	case e.Labels():
		return "predicts labels, from which only " + labelMetrics() + " can be computed"
	}
	return "trains and ends, so it reports no numbers of itself; command.serve and command.run do"
}

// labelMetrics lists in words the metrics that can be computed from labels.
func labelMetrics() string {
	names := slices.DeleteFunc(metrics.Names(), func(name string) bool { return !metrics.Lookup(name).Labels })
	return strings.Join(names, ", ")
}

// undecided lists the settings of an External that change no number; the digests of files are settings of their own.
var undecided = []string{"timeout", "install", "version", "files", "environment"}

// A Placeholder is a name in braces in a command, which a run replaces by a value.
type Placeholder struct{ Name, Doc string }

// Placeholders lists what the arguments of a command may hold.
var Placeholders = []Placeholder{
	{"train", "file of the training rows"},
	{"test", "file of the test rows, without their targets"},
	{"model", "file in which train keeps the model for predict"},
	{"predictions", "file to write the predictions to, one line for each test row"},
	{"n", "number of training rows"},
	{"nu", "regularisation ν"},
	{"c", "C = 1/(νn), the weight of the summed loss against ‖f‖²/2"},
	{"sigma", "bandwidth σ"},
	{"gamma", "γ = 1/(2σ²) of the Gaussian kernel exp(-γ‖x - z‖²)"},
	{"seed", "seed of the cell"},
	{"threads", "processors it may use"},
	{"iterations", "steps to make: those of a point for train, those of the budget for run"},
	{"dir", "folder of the spec"},
}

func placeholderNames() (names []string) {
	for _, p := range Placeholders {
		names = append(names, p.Name)
	}
	return names
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

// importedName is the algorithm of methods whose curves are there already.
const importedName = "imported"

// An Imported method ran elsewhere: its curves are in the file of [curves].
type Imported struct {
	Curve string `toml:"curve" doc:"what the file calls the method; the id if left out"`
}

// Start implements algos.Algorithm. It always fails: package runner reads the file.
func (*Imported) Start(*algos.Problem) (algos.Fit, error) {
	return nil, fmt.Errorf("%w: an imported curve has no steps", algos.ErrUnsupported)
}

// Traits implements algos.Described. Numbers of a file are float64; the first version left out points of curves with more than 2,000.
func (*Imported) Traits() algos.Traits { return algos.Traits{Exact: true, Own: true, Version: "2"} }

// A replay stands for the fit that there is not: imported methods report what the file holds.
type replay struct{ algos.Fit }

func (*replay) Report() map[string]float64 { return nil }

var _ = algos.Declare[*replay](&Imported{})

// imported reports whether a method's curves are in a file.
func (m *Method) imported() bool {
	_, ok := m.Configured.(*Imported)
	return ok
}
