package records

import "repro/results/printed"

// A Source says what an abscissa is read from.
type Source int

// The sources of abscissae.
const (
	Place  Source = iota // how far the run is
	Clock                // measured time
	Counts               // counted work
)

// An Abscissa is a cost against which a curve can be drawn and which a table can show.
type Abscissa struct {
	Name   string // as specs write it
	Words  string // as people read it
	Unit   string // of its values; empty for a count
	Source Source
	Chosen bool // readers of a report can put it on the horizontal axis
	of     func(Point) float64
}

// Abscissae lists every abscissa, in the order in which messages list their names.
var Abscissae = []Abscissa{
	{Name: "step", Words: "iterations t", Chosen: true, of: func(p Point) float64 { return float64(p.Step) }},
	{Name: "seen", Words: "training examples seen", Chosen: true, of: func(p Point) float64 { return float64(p.Seen) }},
	{Name: "epoch", Words: "epochs", Chosen: true, of: func(p Point) float64 { return p.Epoch }},
	{Name: "seconds", Words: "training time", Unit: "s", Source: Clock, Chosen: true, of: func(p Point) float64 { return p.Timing.Setup + p.Timing.Train }},
	{Name: "step-seconds", Words: "training time without setup", Unit: "s", Source: Clock, of: func(p Point) float64 { return p.Timing.Train }},
	{Name: "seconds-per-step", Words: "training time of an iteration", Unit: "s", Source: Clock, of: perStep},
	{Name: "kernel-evals", Words: "kernel evaluations", Source: Counts, Chosen: true, of: func(p Point) float64 { return float64(p.Counters.KernelEvals) }},
	{Name: "feature-evals", Words: "feature evaluations", Source: Counts, Chosen: true, of: func(p Point) float64 { return float64(p.Counters.FeatureEvals) }},
	{Name: "evals", Words: "kernel and feature evaluations", Source: Counts, of: func(p Point) float64 { return float64(p.Counters.KernelEvals + p.Counters.FeatureEvals) }},
	{Name: "flops", Words: "floating-point operations", Source: Counts, Chosen: true, of: func(p Point) float64 { return float64(p.Counters.Flops) }},
	{Name: "memory", Words: "memory of the predictor", Unit: "bytes", Source: Counts, of: func(p Point) float64 { return float64(p.Counters.Memory) }},
}

// perStep is the mean time of the iterations so far, 0 before the first.
func perStep(p Point) float64 {
	if p.Step == 0 {
		return 0
	}
	return p.Timing.Train / float64(p.Step)
}

// AbscissaNames lists the names of Abscissae.
func AbscissaNames() []string {
	return printed.Each(Abscissae, func(a Abscissa) string { return a.Name })
}

// AbscissaOf returns the abscissa of the given name.
func AbscissaOf(name string) (a Abscissa, ok bool) {
	for _, a := range Abscissae {
		if a.Name == name {
			return a, true
		}
	}
	return Abscissa{}, false
}

// Label returns the words, followed by the unit in brackets if there is one.
func (a Abscissa) Label() string {
	if a.Unit == "" {
		return a.Words
	}
	return a.Words + " (" + a.Unit + ")"
}

// Timed reports whether the clock measures the abscissa of that name.
func Timed(name string) bool {
	a, _ := AbscissaOf(name)
	return a.Source == Clock
}

// Abscissa returns the point's value of one of Abscissae, or of a measured quantity, such as a mesh width, in its place. ok is false for any
// other name.
func (p Point) Abscissa(name string) (v float64, ok bool) {
	if a, ok := AbscissaOf(name); ok {
		return a.of(p), true
	}
	if v := p.Values[name]; v != nil {
		return *v, true
	}
	return 0, false
}
