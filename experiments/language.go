package experiments

import (
	"reflect"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/experiments/strict"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

//go:generate go test . -run TestSchemaIsCommitted|TestReferenceIsCommitted -update

func init() {
	strict.Open("abscissa", "abscissa", records.AbscissaNames)
	strict.Vocabulary("algorithm", "algorithm", algos.Names)
	strict.Vocabulary("class", "class", claims.NamedClasses)
	strict.Open("curve", "metric", curveNames)
	strict.Vocabulary("dataset", "data set", datasets.Names)
	strict.Vocabulary("figure", "kind", figures.Kinds)
	strict.Vocabulary("kernel", "kernel", kernels.Names)
	strict.Vocabulary("kind", "kind", claims.Kinds)
	strict.Vocabulary("loss", "loss", losses.Names)
	strict.Open("metric", "metric", metrics.Names)
	strict.Vocabulary("problem", "kind", func() []string { return []string{kernelKind, ownKind} })
	strict.Vocabulary("statistic", "statistic", func() []string { return stats.Statistics })
	strict.Vocabulary("schedule", "schedule", schedules.Names)
	strict.Choose[Method](strict.Choice{Key: "algorithm", Names: AlgorithmNames, Field: "Configured", New: func(name string) any {
		a, err := newAlgorithm(name)
		if err != nil {
			return nil
		}
		return a
	}})
	strict.Choose[schedules.Schedule](strict.Choice{Key: "schedule", Names: schedules.Names, New: func(name string) any {
		s, err := schedules.New(name)
		if err != nil {
			return nil
		}
		return s
	}})
	strict.Fresh(kernels.Config{Bandwidth: defaultBandwidth})
}

// Schema returns the JSON Schema of a spec.
func Schema() []byte { return strict.Schema("An experiment of repro", *defaults()) }

// isKey reports whether a spec may have a key under a path of keys; below a method, with any algorithm.
func isKey(path []string) bool {
	if len(path) > 2 && path[0] == "profile" {
		path = path[2:]
	}
	return strict.IsKey(reflect.TypeFor[Spec](), path...)
}

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
