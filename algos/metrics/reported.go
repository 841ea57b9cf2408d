package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repro/algos"
)

// Reported returns a metric whose value the fit reports under its name.
func Reported(m Metric) *Metric {
	m.Reported, m.Needs = true, Can[algos.Reporter]("reports numbers of itself")
	m.Value = func(e *Evaluation) (float64, error) {
		v, ok := e.Report[m.Name]
		if !ok {
			names := slices.Sorted(maps.Keys(e.Report))
			return 0, fmt.Errorf("the method does not report it, but %s; correct the name, or name the methods that do in evaluate.metrics",
				strings.Join(append(names[:min(len(names), mostExamples)], "nothing else"), ", "))
		}
		return v, nil
	}
	return &m
}
