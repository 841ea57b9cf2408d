package smoothing

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*histogram]("histogram-sgd", "stochastic gradient descent for the heights of a histogram [Bottou, Curtis & Nocedal 2018, Alg. 4.1]", func() algos.Algorithm {
	return &HistogramSGD{Bins: 12, Batch: 4, Step: &schedules.Inverse{Gamma0: 6, T0: 4}}
})

// HistogramSGD is stochastic gradient descent for the heights w of a histogram with M bins of the unit interval, by the first
// input, with batches of B examples [Bottou, Curtis & Nocedal 2018, Alg. 4.1]:
//
//	w_{t+1} = w_t − γ_t/B Σ_i l'(w_t[b(x_i)], y_i) e_{b(x_i)},   b(x) = ⌊Mx⌋
//
// With the square loss and inputs that are uniform, the objective is strongly convex with constant 1/M.
type HistogramSGD struct {
	Bins  int                `toml:"bins" want:"> 0" doc:"number of bins M"`
	Batch int                `toml:"batch" want:"> 0" doc:"examples per iteration B"`
	Step  schedules.Schedule `toml:"step" doc:"step sizes γ_t"`
}

// histogramState is all that a step changes.
type histogramState struct {
	T       int
	Seen    int64
	Heights []float64 // a row of outputs for each bin
}

type histogram struct {
	histogramState
	settings *HistogramSGD
	p        *algos.Problem
	order    parts.Order
	out      int
}

// Start implements algos.Algorithm. It needs a loss with targets.
func (a *HistogramSGD) Start(p *algos.Problem) (algos.Fit, error) {
	if p.Loss.Task() == losses.None {
		return nil, fmt.Errorf("%w: histogram-sgd learns targets, and the loss %s has none", algos.ErrUnsupported, p.Loss.Name())
	}
	_, out := p.Train.Dims()
	f := &histogram{settings: a, p: p, order: parts.NewOrder(p), out: out}
	f.Heights = make([]float64, a.Bins*out)
	return f, nil
}

// Step implements algos.Fit.
func (f *histogram) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	gamma := f.settings.Step.Gamma(f.T+1) / float64(f.settings.Batch)
	change, g := make([]float64, len(f.Heights)), make([]float64, f.out)
	for i := range rows {
		u := f.height(x.Row(i)[0])
		f.p.Loss.Gradient(g, f.Heights[u:u+f.out], y.Row(i))
		for j, v := range g {
			change[u+j] -= gamma * v
		}
	}
	for k, v := range change {
		if f.Heights[k] += v; math.IsInf(f.Heights[k], 0) || math.IsNaN(f.Heights[k]) {
			return algos.Progress{}, fmt.Errorf("%w: height %d in step %d", algos.ErrDiverged, k, f.T+1)
		}
	}
	f.T++
	f.Seen += int64(len(rows))
	return algos.Progress{Seen: len(rows)}, nil
}

// height returns where the heights of the bin of x begin. Outside the unit interval it is the first or the last bin.
func (f *histogram) height(x float64) int {
	bin := int(max(0, min(x, 1)) * float64(f.settings.Bins))
	return min(bin, f.settings.Bins-1) * f.out
}

// Model implements algos.Fit.
func (f *histogram) Model() algos.Model { return f }

// State implements algos.Fit.
func (f *histogram) State() any { return &f.histogramState }

// Predict implements algos.Model.
func (f *histogram) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, f.out)
	for i := range u.Rows {
		k := f.height(x.Row(i)[0])
		copy(u.Row(i), f.Heights[k:k+f.out])
	}
	return u
}

// Footprint implements algos.Sizer: the heights.
func (f *histogram) Footprint() int64 { return 8 * int64(len(f.Heights)) }

// Traits implements algos.Described.
func (a *HistogramSGD) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }
