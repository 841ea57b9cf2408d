package experiments

import (
	"fmt"
	"regexp"
	"slices"

	"repro/algos"
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

// Measures says whether a metric of the spec can be had of the program's predictions.
func (e *External) Measures(metric string) bool { return !e.Labels() || metric == labelMetric }

// labelMetric is what can be measured of labels alone.
const labelMetric = "test-error"

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
