package experiments

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/datasets"
)

// An effective answers what a method of a spec runs with: the method's own value of a setting, or the
// experiment's where the method has none. The checker and the expander both ask it.
type effective struct {
	spec   *Spec
	method *Method
}

func (s *Spec) effective(m *Method) effective { return effective{s, m} }

// data returns the experiment's data with what the method has of its own.
func (e effective) data() datasets.Options {
	d := e.spec.Data
	if e.method.Data != (MethodData{}) {
		all := reflect.ValueOf(&d).Elem()
		for f, own := range reflect.ValueOf(e.method.Data).Fields() {
			if !own.IsZero() {
				all.FieldByName(f.Name).Set(own)
			}
		}
	}
	if d.TargetRange == [2]float64{0, 1} {
		d.TargetRange = [2]float64{}
	}
	return d
}

// task returns what the targets are: what the spec says or, if it says nothing, what the loss takes.
func (s *Spec) task(l losses.Config) string {
	if s.Data.Task != "" {
		return s.Data.Task
	}
	return losses.Task(l.Name)
}

func (e effective) problem() Problem {
	p := e.spec.Problem
	p.Loss, p.Kernel = e.loss(), e.kernel()
	if e.method.Nu != nil {
		p.Nu, p.NuN = *e.method.Nu, 0
	}
	return p
}

func (e effective) loss() losses.Config { return *cmp.Or(e.method.Loss, &e.spec.Problem.Loss) }

func (e effective) kernel() kernels.Config { return *cmp.Or(e.method.Kernel, &e.spec.Problem.Kernel) }

// budget is empty for a program that has no curve, which ends by itself, and for an imported curve.
func (e effective) budget() Budget {
	if p, program := e.method.Configured.(*External); program && !p.Curved() || e.method.imported() {
		return Budget{}
	}
	if e.method.Budget != nil {
		return *e.method.Budget
	}
	return Budget{Limits: e.spec.Budget}
}

// precision returns the arithmetic of the hot loops; closed forms run in float64.
func (e effective) precision() compute.Precision {
	if algos.TraitsOf(e.method.Configured).Exact {
		return compute.Float64
	}
	return compute.Precision(e.spec.Precision)
}

// seedsAsked returns the number of seeds that the spec gives the method.
func (e effective) seedsAsked() int {
	all := e.spec.Repeat.Seeds
	return min(cmp.Or(e.method.Seeds, all), all)
}

// planned returns the number of seeds of the first look at the verdicts.
func (e effective) planned() int {
	n := e.method.Planned
	if n == 0 && e.method.Seeds == 0 {
		n = e.spec.Repeat.Planned
	}
	return min(cmp.Or(n, e.seedsAsked()), e.seedsAsked())
}

// seeds returns the number of seeds that run: no more than those of the method whose time this one takes.
func (e effective) seeds(of map[string]int) int {
	n := e.seedsAsked()
	if leader := e.budget().TimeOf; leader != "" {
		n = min(n, of[leader])
	}
	return n
}

// metrics lists what is measured of the method.
func (e effective) metrics() (all []*metrics.Metric) {
	for _, asked := range e.spec.Evaluate.Metrics {
		if m := e.spec.Metric(asked.Name); m != nil && asked.of(e.method) {
			all = append(all, m)
		}
	}
	if e.meshed() {
		for _, a := range e.spec.Abscissae {
			all = append(all, metrics.Reported(metrics.Metric{Name: a.Name, Words: a.Words, Unit: a.Unit, Better: metrics.Neither}))
		}
	}
	return all
}

// measures reports whether a metric is measured of the method.
func (e effective) measures(name string) bool {
	return slices.ContainsFunc(e.spec.Evaluate.Metrics, func(m Measured) bool { return m.Name == name && m.of(e.method) })
}

// tooLong is Cell.TooLong.
func (e effective) tooLong(rows int) string {
	for _, m := range e.metrics() {
		if m.Hindsight && rows > metrics.MostInHindsight {
			return fmt.Sprintf("%q compares with a regression on all examples so far, and %d are more than %d; set data.train to fewer, or remove the metric",
				m.Name, rows, metrics.MostInHindsight)
		}
	}
	return ""
}

// of reports whether the metric is measured for a method.
func (e Measured) of(m *Method) bool {
	return len(e.Methods) == 0 || slices.Contains(e.Methods, m.ID) || slices.Contains(e.Methods, m.Group)
}
