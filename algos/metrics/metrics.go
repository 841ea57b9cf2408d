// Package metrics holds the numbers that specs may ask for along a curve: one declaration for each, which says what
// the metric is called, in which unit it is, whether smaller is better, what it needs, and how it is computed.
package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repro/algos"
	"repro/algos/compute"
)

// A Metric is a number that says something about a fit.
type Metric struct {
	Name   string // in specs and records
	Doc    string // what it is, in a sentence
	Words  string // what figures and tables call it, without its unit
	Symbol string // in the letters of the papers; empty if it has none
	Unit   string // Fraction; empty if it is in units of the target or has none
	Better Direction
	Signed bool // it can be negative, so that its spread over seeds has no logarithmic scale

	Targets   Targets // which outputs of the problem it is of
	Reference bool    // it compares with the exact solver that evaluate.reference names
	Training  bool    // it is of the training rows instead of the test rows
	Labels    bool    // it can be computed from predicted labels alone: 1 and -1, or 1 for the class and 0 for the others

	// Progressive says that the metric is of the predictions that the fit made for examples before it learnt from them:
	// Evaluation.Tally. F and Y are those of the test rows all the same.
	Progressive bool

	// Hindsight says that the metric compares with kernel ridge regression on all examples so far: Evaluation.Hindsight. Its
	// cost is cubic in their number, so a stream may have MostInHindsight of them.
	Hindsight bool

	Fitted   bool // an algos.Fitter predicts at all training rows for it
	Limit    bool // its number takes work that a plan knows: the largest step
	Reported bool // the fit itself says it: Evaluation.Report

	Tasks []string // what the targets must be, in the words of losses.Loss; empty if they may be anything

	// Needs is what a fit must be able to do. A metric that needs a capability is of the fit itself and hence of its last
	// iterate only; one that needs nothing is of predictions, of the averaged iterate too.
	Needs Capability

	// Value computes the metric. Its errors need not name the metric.
	Value func(e *Evaluation) (float64, error)
}

// MostInHindsight is the largest number of examples of a stream with whose regression a metric compares: the factor of its
// kernel matrix takes 268 MB then, and a run some minutes.
const MostInHindsight = 8192

// Fraction is the unit of a fraction of the rows, which people read in per cent.
const Fraction = "fraction"

// A Direction says which values of a metric are better.
type Direction string

const (
	Smaller Direction = "smaller" // smaller values are better
	Larger  Direction = "larger"  // larger values are better
	Neither Direction = "neither" // no value is better than another by its size
)

// Targets says which outputs of a problem a metric is of.
type Targets int

const (
	AnyTargets    Targets = iota // those of the data's targets, or the kernel functions if only these are fitted
	DataTargets                  // those of the data's targets
	KernelTargets                // the kernel functions of the test inputs, see algos.KernelTargets
	BothTargets                  // both, side by side
)

// A Capability is something that only some fits can do. The zero Capability is nothing.
type Capability struct {
	Words string // what such a method does: "keeps coefficients of training rows"
	Has   func(algos.Fit) bool

	InProcess bool // the method is not algos.Traits.Foreign
}

// Can returns the capability of fits that implement the interface I.
func Can[I any](words string) Capability {
	return Capability{Words: words, Has: func(f algos.Fit) bool { _, ok := f.(I); return ok }}
}

// Number returns a metric whose value is the algos.Number of its name. words say what methods do whose fits know it.
func Number(words string, m Metric) Metric {
	m.Needs = says(m.Name, words)
	m.Value = func(e *Evaluation) (float64, error) { return algos.NumberOf(e.Fit, m.Name)() }
	return m
}

// says is the capability of fits that say a number.
func says(name, words string) Capability {
	return Capability{Words: words, Has: func(f algos.Fit) bool { return algos.NumberOf(f, name) != nil }}
}

// Of computes the metric. Errors name it.
func (m *Metric) Of(e Evaluation) (float64, error) {
	if m.Needs.Has != nil && !m.Needs.Has(e.Fit) {
		return 0, fmt.Errorf("metric %s %s; remove the metric or choose such a method", m.Name, m.Requirement())
	}
	if len(m.Tasks) > 0 && !slices.Contains(m.Tasks, e.Task) {
		return 0, fmt.Errorf("metric %s: it is for targets that are %s, and those of data set %s are %s; remove the metric", m.Name, strings.Join(m.Tasks, " or "), e.Data, e.Task)
	}
	v, err := 0.0, error(nil)
	if !m.Progressive {
		err = m.narrow(&e)
	}
	if err == nil {
		v, err = m.Value(&e)
	}
	if err != nil {
		return 0, fmt.Errorf("metric %s: %w", m.Name, err)
	}
	return v, nil
}

// OfFit says whether the metric is of the fit itself, hence of its last iterate only, or of its predictions so far.
func (m *Metric) OfFit() bool { return m.Needs.Has != nil || m.Progressive }

// OfTest says whether the metric is of predictions at the test rows.
func (m *Metric) OfTest() bool { return !m.OfFit() && !m.Training && !m.Hindsight }

// OfRows says whether the metric is of rows, of tests, training or a stream.
func (m *Metric) OfRows() bool { return !m.OfFit() || m.Training || m.Hindsight || m.Progressive }

// Suits says whether the fits of an algorithm can do what the metric needs. known is false if the algorithm does not
// declare what its fits can do.
func (m *Metric) Suits(a algos.Algorithm) (ok, known bool) {
	if t := algos.TraitsOf(a); m.Progressive && !t.Batches() || m.Needs.InProcess && t.Foreign {
		return false, true
	}
	if m.Needs.Has == nil {
		return true, true
	}
	f, known := algos.Declared(a)
	return known && m.Needs.Has(f), known
}

// Algorithms lists the registered algorithms that are known to suit the metric, in alphabetical order.
func (m *Metric) Algorithms() []string {
	return slices.DeleteFunc(algos.Names(), func(name string) bool {
		a, err := algos.New(name)
		if err != nil {
			return true
		}
		ok, _ := m.Suits(a)
		return !ok
	})
}

// mostExamples bounds the algorithms that a message lists.
const mostExamples = 5

// examples names algorithms that suit the metric, for a message.
func (m *Metric) examples() string {
	names := m.Algorithms()
	if len(names) == 0 {
		return ""
	}
	return " (such as " + strings.Join(names[:min(len(names), mostExamples)], ", ") + ")"
}

// Requirement says in words which methods the metric is of, for a message.
func (m *Metric) Requirement() string {
	words := m.Needs.Words
	if m.Progressive && m.Needs.Has == nil {
		words = "takes examples in turn"
	}
	return "needs a method that " + words + m.examples()
}

var registry = map[string]*Metric{}

// Register adds a metric under its name in specs. It panics if the declaration is not complete or the name is taken.
// The value that it returns has no meaning: it lets a file register its metrics in a declaration.
func Register(m Metric) struct{} {
	switch {
	case registry[m.Name] != nil:
		panic("metrics: " + m.Name + " registered twice")
	case m.Name == "" || m.Doc == "" || m.Words == "" || m.Value == nil:
		panic(fmt.Sprintf("metrics: %q needs a name, a doc, words and a value", m.Name))
	case !slices.Contains([]Direction{Smaller, Larger, Neither}, m.Better):
		panic("metrics: " + m.Name + " does not say which values are better")
	}
	registry[m.Name] = &m
	return struct{}{}
}

// Lookup returns the named metric, nil if there is none.
func Lookup(name string) *Metric { return registry[name] }

// Names lists the registered metrics in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// meanRows returns the mean of value over the rows of f.
func meanRows(f compute.Matrix, value func(i int, u []float64) float64) float64 {
	sum := 0.0
	for i := range f.Rows {
		sum += value(i, f.Row(i))
	}
	return sum / float64(f.Rows)
}

// squaredDistance returns ‖u - v‖².
func squaredDistance(u, v []float64) (s float64) {
	for i, a := range u {
		s += (a - v[i]) * (a - v[i])
	}
	return s
}
