// Package smoothing adds the Nadaraya-Watson smoother, a data set with two steps, the largest error on the test set and
// an experiment with all three to the program that imports it.
package smoothing

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register[*smoother]("kernel-smoother", "the local average of Nadaraya and Watson, weighted by the kernel [Nadaraya 1964; Watson 1964]", func() algos.Algorithm { return &KernelSmoother{Batch: 32} })

// KernelSmoother is the estimator of Nadaraya and Watson, one batch of B examples a step [Nadaraya 1964; Watson 1964]:
//
//	f_t(x) = Σ_{i≤tB} y_i k(x_i, x) / Σ_{i≤tB} k(x_i, x)
//
// Where all k(x_i, x) are zero to rounding, f_t(x) is zero. It has no regulariser: ν has no effect.
type KernelSmoother struct {
	Batch int `toml:"batch" want:"> 0" doc:"examples per iteration B"`
}

// smootherState is all that a step changes.
type smootherState struct {
	Seen int64
	Rows []int     // training rows seen
	Y    []float64 // their targets, a row of outputs each
}

type smoother struct {
	smootherState
	settings *KernelSmoother
	p        *algos.Problem
	order    parts.Order
	out      int
}

// Start implements algos.Algorithm. It needs a loss with targets.
func (a *KernelSmoother) Start(p *algos.Problem) (algos.Fit, error) {
	if p.Loss.Task() == losses.None {
		return nil, fmt.Errorf("%w: kernel-smoother averages targets, and the loss %s has none", algos.ErrUnsupported, p.Loss.Name())
	}
	_, out := p.Train.Dims()
	return &smoother{settings: a, p: p, order: parts.NewOrder(p), out: out}, nil
}

// Step implements algos.Fit.
func (f *smoother) Step() (algos.Progress, error) {
	rows, _, y := f.order.Batch(f.Seen, f.settings.Batch)
	f.Rows = append(f.Rows, rows...)
	f.Y = append(f.Y, y.Data...)
	f.Seen += int64(len(rows))
	return algos.Progress{Seen: len(rows)}, nil
}

// Model implements algos.Fit.
func (f *smoother) Model() algos.Model { return f }

// State implements algos.Fit.
func (f *smoother) State() any { return &f.smootherState }

// Predict implements algos.Model: one product of k(x, X) with the targets and, in the last column, with ones.
func (f *smoother) Predict(x compute.Matrix) compute.Matrix {
	in, _ := f.p.Train.Dims()
	z, v := compute.NewMatrix(len(f.Rows), in), compute.NewMatrix(len(f.Rows), f.out+1)
	y := v.ColRange(0, f.out)
	f.p.Train.Gather(f.Rows, z, y)
	for i := range v.Rows {
		v.Set(i, f.out, 1)
	}
	sums := compute.NewMatrix(x.Rows, f.out+1)
	f.p.Engine.Kernel(f.p.Kernel, x, z).MulTo(sums, v)
	u := compute.NewMatrix(x.Rows, f.out)
	for i := range u.Rows {
		if weight := sums.At(i, f.out); weight > 0 {
			for j := range f.out {
				u.Set(i, j, sums.At(i, j)/weight)
			}
		}
	}
	return u
}

// Footprint implements algos.Sizer: the rows seen and their targets.
func (f *smoother) Footprint() int64 {
	in, _ := f.p.Train.Dims()
	return 8 * int64(len(f.Rows)*(in+1+f.out))
}

// Traits implements algos.Described.
func (a *KernelSmoother) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }
