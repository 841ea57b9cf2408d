package experiments

import (
	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/datasets"
)

// A Term is a name that specs may use, with the line of its registration.
type Term struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Algorithms lists what a method's algorithm may be, in alphabetical order.
func Algorithms() []Term {
	return terms(AlgorithmNames(), func(name string) string {
		if name == externalName {
			return "a program that reads training rows from a file and writes its predictions to another"
		}
		return algos.Doc(name)
	})
}

// Kernels lists the registered kernels in alphabetical order.
func Kernels() []Term { return terms(kernels.Names(), kernels.Doc) }

// Losses lists the registered losses in alphabetical order.
func Losses() []Term { return terms(losses.Names(), losses.Doc) }

// Schedules lists the registered schedules of step sizes in alphabetical order.
func Schedules() []Term { return terms(schedules.Names(), schedules.Doc) }

// MetricTerms lists the metrics in alphabetical order.
func MetricTerms() []Term {
	return terms(metrics.Names(), func(name string) string { return metrics.Lookup(name).Doc })
}

// DataSets lists the registered data sets in alphabetical order.
func DataSets() []Term { return terms(datasets.Names(), datasets.Doc) }

func terms(names []string, doc func(name string) string) []Term {
	list := make([]Term, len(names))
	for i, name := range names {
		list[i] = Term{name, doc(name)}
	}
	return list
}
