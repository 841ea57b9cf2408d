package runner

import (
	"repro/algos"
	"repro/algos/compute"
)

// A fit is a Fit with its abilities, of which it was asked once.
type fit struct {
	algos.Fit
	leap        func(n int) algos.Iterations // makes one iteration unless the Fit is a Leaper
	sharer      algos.Sharer                 // nil if it is none
	incremental algos.Incremental            // nil if it is none
	fitter      algos.Fitter                 // nil if it is none
	average     func() algos.Model           // nil if the Fit has none
	report      func() map[string]float64    // nil numbers if the Fit has none
	anticipate  func(x compute.Matrix)
	footprint   func() int64 // 0 if it is unknown
}

// takeIn asks a Fit for its abilities.
func takeIn(f algos.Fit) *fit {
	t := &fit{
		Fit: f,
		leap: func(int) algos.Iterations {
			p, err := f.Step()
			return algos.Iterations{Made: 1, Progress: p, Err: err}
		},
		average:    func() algos.Model { return nil },
		report:     func() map[string]float64 { return nil },
		anticipate: func(compute.Matrix) {},
		footprint:  func() int64 { return 0 },
	}
	if l, ok := f.(algos.Leaper); ok {
		t.leap = func(n int) (i algos.Iterations) {
			i.Made, i.Progress, i.Err = l.Leap(n)
			return i
		}
	}
	t.sharer, _ = f.(algos.Sharer)
	t.incremental, _ = f.(algos.Incremental)
	t.fitter, _ = f.(algos.Fitter)
	if a, ok := f.(algos.Averager); ok {
		t.average = a.Average
	}
	if r, ok := f.(algos.Reporter); ok {
		t.report = r.Report
	}
	if a, ok := f.(algos.Anticipator); ok {
		t.anticipate = a.Anticipate
	}
	if s, ok := f.(algos.Sizer); ok {
		t.footprint = s.Footprint
	}
	return t
}
