package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var (
	_ = algos.Register[*fsdca]("r-sdca", "stochastic dual coordinate ascent on random features [Shalev-Shwartz & Zhang 2013; dai2014 §6]", func() algos.Algorithm {
		return &RSDCA{SDCASettings{Batch: 1}, 256}
	})
	_ = algos.Register[*fsdca]("n-sdca", "stochastic dual coordinate ascent on Nyström features [Shalev-Shwartz & Zhang 2013; dai2014 §6]", func() algos.Algorithm {
		return &NSDCA{SDCASettings{Batch: 1}, 256, 1e-10}
	})
)

// RSDCA is SDCA on r random features, f(x) = ⟨w, z(x)⟩ with
//
//	w = (1/(νn)) Σ_i α_i z(x_i),  z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x))
//
// the r-SDCA of dai2014 §6: O(dr) a row, O(n + r) memory.
type RSDCA struct {
	SDCASettings
	Features int `toml:"features" want:"> 0" doc:"number of random features r"`
}

// NSDCA is SDCA on the Nyström features of NPegasos, the n-SDCA of dai2014 §6.
type NSDCA struct {
	SDCASettings
	Features int     `toml:"features" want:"> 0" doc:"number of landmarks r"`
	Jitter   float64 `toml:"jitter" want:">= 0" doc:"eigenvectors of k(S, S) are dropped if their eigenvalue is at most this times the largest; S are the landmarks"`
}

// fsdcaState holds α of all rows and νn·w, which equals Σ_i α_i z(x_i) up to rounding.
type fsdcaState struct {
	parts.Count
	Alpha []float64 // n × outputs
	Sum   []float64 // Σ_i α_i z(x_i), r × outputs
	Mean  []float64 // w of the averaged iterate, r × outputs; empty if it is not kept
}

type fsdca struct {
	fsdcaState
	dual
	p     *algos.Problem
	order parts.Order
	z     parts.Features
	out   int
}

// Start implements Algorithm. It needs a kernel with random features, ν > 0 and a loss whose dual step
// is known.
func (a *RSDCA) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-sdca", p, a.Features, parts.DrawFeatures)
}

// Start implements Algorithm. It needs at least as many training rows as landmarks, ν > 0 and a loss
// whose dual step is known.
func (a *NSDCA) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-sdca", p, a.Features, parts.Landmarks(a.Jitter))
}

// start starts a fit of the named method with r features, if that solves the problem.
func (a *SDCASettings) start(name string, p *algos.Problem, r int, draw parts.Draw) (algos.Fit, error) {
	d, err := newDual(name, a, p)
	if err != nil {
		return nil, err
	}
	z, err := draw(name, p, r)
	if err != nil {
		return nil, err
	}
	_, out := p.Train.Dims()
	f := &fsdca{dual: d, p: p, order: parts.NewOrder(p), z: z, out: out}
	f.Alpha, f.Sum = make([]float64, d.n*out), make([]float64, z.Width()*out)
	if d.settings.Average {
		f.Mean = make([]float64, len(f.Sum))
	}
	return f, nil
}

func (f *fsdca) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	e := f.p.Engine
	base := f.z.At(x)
	z := f.z.Explicit(base)
	defer func() {
		e.Reuse(z)
		if &z.Data[0] != &base.Data[0] {
			e.Reuse(base)
		}
	}()
	sums := e.Mul(z, parts.View(f.Sum, f.out), false)
	if !sums.Finite() {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	gram := e.Zeroed(len(rows), len(rows))
	defer e.Reuse(gram)
	e.Syrk(gram, 1, z, false, 0)
	alpha := compute.NewMatrix(len(rows), f.out)
	for b, r := range rows {
		copy(alpha.Row(b), f.Alpha[r*f.out:])
	}
	gained := f.visit(alpha, sums, gram, y, f.Seen)
	for b, r := range rows {
		copy(f.Alpha[r*f.out:], alpha.Row(b))
	}
	parts.View(f.Sum, f.out).AddScaled(1, e.Mul(z, gained, true))

	progress := f.Stepped(len(rows))
	if f.settings.Average {
		parts.MoveMean(f.Mean, f.Sum, f.scale(f.Seen), f.T)
	}
	return progress, nil
}

func (f *fsdca) Model() algos.Model {
	w := parts.View(f.Sum, f.out).Clone()
	w.Scale(f.scale(f.Seen))
	return parts.LinearModel{Features: f.z, Weights: w}
}

func (f *fsdca) Average() algos.Model {
	if !f.settings.Average {
		return nil
	}
	return parts.LinearModel{Features: f.z, Weights: parts.View(f.Mean, f.out)}
}

func (f *fsdca) State() any { return &f.fsdcaState }

// RelativeGap implements Certifier. It evaluates the features of all training rows, chunkRows at a time.
func (f *fsdca) RelativeGap() float64 {
	x, y := f.p.Dense()
	u, m := compute.NewMatrix(y.Rows, y.Cols), f.Model()
	for lo := 0; lo < x.Rows; lo += chunkRows {
		hi := min(lo+chunkRows, x.Rows)
		u.RowRange(lo, hi).CopyFrom(m.Predict(x.RowRange(lo, hi)))
	}
	return f.relativeGap(f.Seen, u, parts.View(f.Alpha, f.out), y)
}

func (f *fsdca) SquaredNorms() []float64 {
	scale := f.scale(f.Seen)
	return parts.ScaledSquares(scale*scale, parts.View(f.Sum, f.out))
}

// Footprint implements Sizer: w and the memory of the features.
func (f *fsdca) Footprint() int64 { return 8 * int64(len(f.Sum)+f.z.Memory()) }

// Cost implements Coster: r features at every row [dai2014 Table 3], and the products of a batch.
func (a *RSDCA) Cost(s algos.Size) algos.Cost {
	r, b, visits := float64(a.Features), float64(a.Batch), float64(a.Batch)*float64(s.Steps)
	c := parts.DrawnCost(s, r, visits, a.Batch)
	c.Flops = r * visits * (b + 4*float64(s.Out))
	c.Bytes += 8 * (float64(s.Out*s.N) + b*b)
	return c
}

// Cost implements Coster: r kernel values and a product with r×r numbers at every row, and one
// eigendecomposition.
func (a *NSDCA) Cost(s algos.Size) algos.Cost {
	r, b, visits := float64(a.Features), float64(a.Batch), float64(a.Batch)*float64(s.Steps)
	c := parts.LandmarksCost(s, r, visits, a.Batch)
	c.Flops = r * visits * (2*r + b + 4*float64(s.Out))
	c.Bytes += 8 * (float64(s.Out*s.N) + b*(r+b))
	return c
}
