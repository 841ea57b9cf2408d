package methods

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*svrg]("svrg-rf", "stochastic variance-reduced gradient descent on random features [Johnson & Zhang 2013; li2016 §5.1]", func() algos.Algorithm {
	return &SVRGRF{Batch: 1, Features: 1024, Inner: 2} // 4F features for the F = 256 of CIFAR-10 [li2016 Table 2]; 2n inner steps for a convex loss [Johnson & Zhang 2013 §5]
}, algos.Known("relative-gradient", (*svrg).relativeGradient))

// SVRGRF is stochastic variance-reduced gradient descent [Johnson & Zhang 2013, Fig. 1] on r random features z(x) =
// r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), the SVRG of li2016 §5.1. A pass over the training rows computes the full gradient
// at a snapshot w̃; a number of passes of inner iterations, each with B examples (x_b, y_b), follow:
//
//	w̃ = w,  μ = (1/n) Σ_i l'(⟨w̃, z(x_i)⟩, y_i) z(x_i) + νw̃
//	w = w - η (g_B(w) - g_B(w̃) + μ),  g_B(w) = (1/B) Σ_b l'(⟨w, z(x_b)⟩, y_b) z(x_b) + νw
//
// The step is η = 1/(4L) unless the spec gives one, the limit of Johnson & Zhang's Theorem 1, with L = ν + c·max_i
// ‖z(x_i)‖² over all rows and c the bound of the second derivative of l.
//
// The pass for the full gradient is made of iterations too: each adds B examples to μ and leaves w unchanged. So every
// iteration uses B examples and evaluates their features once, and memory does not depend on n.
//
// Departures. The paper has one example per inner iteration, drawn with replacement, and 2n of them for a convex loss;
// here they are batches without replacement within an epoch, 2 passes by default. A snapshot is the last inner iterate,
// their option I. li2016 gives neither η nor the inner length.
type SVRGRF struct {
	Batch    int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Features int                `toml:"features" want:"> 0" doc:"number of random features r"`
	Step     schedules.Schedule `toml:"step" doc:"step sizes η; 1/(4L) if left out"`
	Inner    int                `toml:"inner" want:"> 0" doc:"passes of inner iterations after each full gradient"`
}

// svrgState adds what inner iterations need to the weights.
type svrgState struct {
	parts.SpanState
	Snapshot []float64 // w̃
	Full     []float64 // μ - νw̃, or the part of it added so far
	Largest  float64   // max ‖z(x_i)‖² over the rows of the first pass so far
	First    float64   // norm of the first full gradient, that of w̃ = 0, from the second on
}

type svrg struct {
	parts.Linear
	settings *SVRGRF
	state    svrgState
}

func (a *SVRGRF) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("svrg-rf", p, parts.SmoothLoss); err != nil {
		return nil, err
	}
	z, err := parts.DrawFeatures("svrg-rf", p, a.Features)
	if err != nil {
		return nil, err
	}
	f := &svrg{Linear: parts.NewLinear(p, z, false), settings: a}
	f.Keep(&f.state.SpanState, &f.state)
	f.state.Snapshot, f.state.Full = make([]float64, len(f.Alpha)), make([]float64, len(f.Alpha))
	return f, nil
}

func (f *svrg) Step() (algos.Progress, error) {
	rows, x, y := f.Order.Batch(f.Seen, f.settings.Batch)
	n := int64(f.P.Train.Len())
	z, finite := f.Z.At(x), true
	defer f.P.Engine.Reuse(z)
	if pass := f.Seen / n; pass%int64(1+f.settings.Inner) == 0 {
		finite = f.addFull(z, y, f.Seen == pass*n, pass == 0)
	} else {
		var g compute.Matrix
		if g, finite = f.direction(z, y); finite {
			f.View(f.Alpha).AddScaled(-f.eta(), g)
		}
	}
	if !finite {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	return f.Stepped(len(rows)), nil
}

// addFull adds a batch with features z to the full gradient, of a new snapshot if begin. In the first pass it also
// updates max ‖z(x_i)‖². It reports whether all predictions were finite.
func (f *svrg) addFull(z, y compute.Matrix, begin, first bool) (finite bool) {
	if begin {
		if f.state.First == 0 && !first {
			f.state.First = f.norm()
		}
		copy(f.state.Snapshot, f.Alpha)
		clear(f.state.Full)
	}
	r := f.Z.Apply(z, f.View(f.Alpha))
	if !parts.Residual(f.P, r, y) {
		return false
	}
	f.View(f.state.Full).AddScaled(1/float64(f.P.Train.Len()), f.Z.Block(z, r, 0, f.Z.Width()))
	for b := range z.Rows {
		if first {
			f.state.Largest = max(f.state.Largest, compute.Dot(z.Row(b), z.Row(b)))
		}
	}
	return true
}

// direction returns g_B(w) - g_B(w̃) + μ for a batch with features z, and whether all predictions were finite.
func (f *svrg) direction(z, y compute.Matrix) (g compute.Matrix, finite bool) {
	w := f.View(f.Alpha)
	r, old := f.Z.Apply(z, w), f.Z.Apply(z, f.View(f.state.Snapshot))
	if !parts.Residual(f.P, r, y) || !parts.Residual(f.P, old, y) {
		return g, false
	}
	r.AddScaled(-1, old)
	g = f.Z.Block(z, r, 0, f.Z.Width())
	g.Scale(1 / float64(z.Rows))
	g.AddScaled(1, f.View(f.state.Full))
	g.AddScaled(f.P.Nu, w) // ν(w - w̃) + νw̃
	return g, true
}

// norm returns the norm of the gradient at the snapshot.
func (f *svrg) norm() float64 {
	g := append([]float64(nil), f.state.Full...)
	compute.AddScaled(g, f.P.Nu, f.state.Snapshot)
	return floats.Norm(g, 2)
}

// relativeGradient returns ‖g‖/‖g_0‖, with the gradient g at the latest snapshot of w and that of w = 0. It is not known in the passes for a full
// gradient.
func (f *svrg) relativeGradient() float64 {
	switch pass := f.Seen / int64(f.P.Train.Len()); {
	case pass%int64(1+f.settings.Inner) == 0:
		return math.NaN()
	case f.state.First == 0:
		return 1
	}
	return f.norm() / f.state.First
}

// eta returns the step size of the current iteration.
func (f *svrg) eta() float64 {
	if f.settings.Step != nil {
		return f.settings.Step.Gamma(f.T + 1)
	}
	return 1 / (4 * (f.P.Nu + f.P.Loss.Smoothness()*f.state.Largest))
}

func (a *SVRGRF) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// Cost implements Coster: r features at every example, in the passes for the full gradient and in the inner ones.
func (a *SVRGRF) Cost(s algos.Size) algos.Cost {
	r, b, t, out := float64(a.Features), float64(a.Batch), float64(s.Steps), float64(s.Out)
	inner := float64(a.Inner) / float64(1+a.Inner)
	c := parts.RandomFeatures{}.FeaturesCost(s, r, b*t, a.Batch)
	c.Flops = 2 * r * b * t * out * (2 + inner)
	c.Bytes += 8 * 2 * r * out
	c.Calls = 2 * t
	return c
}
