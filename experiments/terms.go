package experiments

import (
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/datasets"
)

// A Vocabulary is a registry whose names specs may use.
type Vocabulary struct {
	Key, What string // a word for flags, and words for readers
	names     func() []string
	doc       func(name string) string
}

// Vocabularies are the registries whose names specs may use, in alphabetical order.
var Vocabularies = []Vocabulary{
	{"algorithms", "algorithms", AlgorithmNames, algorithmDoc},
	{"data", "data sets", datasets.Names, datasets.Doc},
	{"kernels", "kernels", kernels.Names, kernels.Doc},
	{"losses", "losses", losses.Names, losses.Doc},
	{"metrics", "metrics", metrics.Names, func(name string) string { return metrics.Lookup(name).Doc }},
	{"schedules", "schedules of step sizes", schedules.Names, schedules.Doc},
}

// A Term is a name that specs may use, with the line of its registration.
type Term struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Terms lists the names in alphabetical order.
func (v Vocabulary) Terms() (list []Term) {
	for _, name := range v.names() {
		list = append(list, Term{name, v.doc(name)})
	}
	return list
}
