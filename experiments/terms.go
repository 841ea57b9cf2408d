package experiments

import (
	"reflect"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/datasets"
)

// A Term is a name that specs may use, with a line that says what it stands for.
type Term struct {
	Name string `json:"name"`
	Doc  string `json:"doc"` // empty if nobody described it
}

// A Describer says in one line what it is. An algorithm, a kernel, a loss or a schedule that is registered from
// outside may implement it; what comes with the program is described by its doc comment.
type Describer interface{ Describe() string }

// Algorithms lists what a method's algorithm may be, in alphabetical order.
func Algorithms() []Term {
	return termsOf("algorithm", AlgorithmNames(), func(name string) any { return pointer(newSettings(name)) })
}

// Kernels lists the registered kernels in alphabetical order.
func Kernels() []Term { return termsOf("kernel", kernels.Names(), someKernel) }

// Losses lists the registered losses in alphabetical order.
func Losses() []Term { return termsOf("loss", losses.Names(), someLoss) }

// Schedules lists the registered schedules of step sizes in alphabetical order.
func Schedules() []Term {
	return termsOf("schedule", schedules.Names(), func(name string) any { return pointer(newSchedule(name)) })
}

// MetricTerms lists the metrics in alphabetical order.
func MetricTerms() []Term {
	names := metrics.Names()
	terms := make([]Term, len(names))
	for i, name := range names {
		terms[i] = Term{name, metrics.Lookup(name).Doc}
	}
	return terms
}

// DataSets lists the registered data sets in alphabetical order.
func DataSets() []Term {
	var terms []Term
	for _, name := range datasets.Names() {
		if s, err := datasets.Describe(name); err == nil {
			terms = append(terms, Term{name, s.Title})
		}
	}
	return terms
}

// termsOf finds the lines of names: those of the program in summaries, others by asking a value of the name.
func termsOf(kind string, names []string, value func(name string) any) []Term {
	terms := make([]Term, len(names))
	for i, name := range names {
		terms[i] = Term{name, summaries[kind][name]}
		if terms[i].Doc != "" {
			continue
		}
		if d, ok := value(name).(Describer); ok {
			terms[i].Doc = d.Describe()
		}
	}
	return terms
}

func pointer(v reflect.Value) any { return v.Addr().Interface() }

// someParameters are values of which every kernel and loss accepts one for all of its parameters.
var someParameters = []float64{1, 0.5}

// someKernel returns a kernel of the name, whatever its parameters; nil if none could be made.
func someKernel(name string) any {
	for _, x := range someParameters {
		c := kernels.Config{Name: name}
		setParameters(reflect.ValueOf(&c).Elem(), kernels.Keys(name), x)
		if k, err := kernels.New(c, 1); err == nil {
			return k
		}
	}
	return nil
}

// someLoss returns a loss of the name, whatever its parameters; nil if none could be made.
func someLoss(name string) any {
	for _, x := range someParameters {
		c := losses.Config{Name: name}
		setParameters(reflect.ValueOf(&c).Elem(), losses.Keys(name), x)
		if l, err := losses.New(c); err == nil {
			return l
		}
	}
	return nil
}

// setParameters sets the numbers of a configuration that have one of the keys.
func setParameters(config reflect.Value, keys []string, x float64) {
	for _, key := range keys {
		for _, f := range fields(config.Type()) {
			switch v := config.FieldByIndex(f.index); {
			case f.key != key:
			case v.CanFloat():
				v.SetFloat(x)
			case v.CanInt():
				v.SetInt(1)
			}
		}
	}
}
