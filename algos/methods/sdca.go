package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// SDCASettings are common to stochastic dual coordinate ascent [Shalev-Shwartz & Zhang 2013, §1 and
// procedure SDCA; the competitors of dai2014 §6 and §7] with the kernel and with explicit features.
// With one dual variable α_i for each of the n training rows and
//
//	f = (1/(νn)) Σ_i α_i k(x_i, ·)
//
// every visit of a row i sets α_i to the maximiser of the dual objective
//
//	D(α) = (1/n) Σ_i -l*(-α_i, y_i) - ν/2·‖f‖²
//
// the other α being fixed. D is a lower bound of the primal objective P(f) = (1/n) Σ_i l(f(x_i), y_i) +
// ν/2·‖f‖², dai2014 eq. (1) over the training sample, and equal to it at the optimum, where
// α_i = -l'(f(x_i), y_i). The rows of a batch are visited one after another, each with the f that those
// before it left: the batch is how much is computed at once, and changes no iterate.
//
// With SGDStart the first pass is theirs of §4, procedure Modified-SGD: the t-th row visited sees the
// solution of the rows before it, f = (1/(ν(t-1))) Σ_j α_j k(x_j, ·), and has 1/(νt) for the 1/(νn)
// of its own term. Without, the f of the first pass is small by a factor of t/n.
//
// Departures. Rows are visited in a new random order every pass, the paper's SDCA-Perm, not drawn with
// replacement, as in its analysis. The average, if it is kept, is over the f after each batch of all
// iterations, not of the last ones. Maximisers are exact, to a few roundings where there is no closed
// form; the paper offers lower bounds of the gain besides.
type SDCASettings struct {
	Batch    int  `toml:"batch" want:"> 0" doc:"rows visited per iteration, one after another; does not change the iterates"`
	SGDStart bool `toml:"sgd_start" doc:"in the first pass, scale f by the number of rows visited so far instead of n [Shalev-Shwartz & Zhang 2013, §4, Modified-SGD]"`
	Average  bool `toml:"average" doc:"also keep the averaged iterate (1/t) Σ f_i"`
}

func (a *SDCASettings) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// A dual visits the rows of batches.
type dual struct {
	settings *SDCASettings
	loss     losses.Dual
	n        int
	nu       float64
}

// newDual returns the dual of a problem for the named method, or an error if the method does not solve it.
func newDual(name string, a *SDCASettings, p *algos.Problem) (dual, error) {
	loss, ok := p.Loss.(losses.Dual)
	d := dual{settings: a, loss: loss, n: p.Train.Len(), nu: p.Nu}
	switch {
	case !ok:
		return d, fmt.Errorf("%w: %s has no dual step for loss %s", algos.ErrUnsupported, name, p.Loss.Name())
	case !(p.Nu > 0):
		return d, fmt.Errorf("%w: %s needs ν > 0, got %g; its f is a sum over 1/(νn)", algos.ErrUnsupported, name, p.Nu)
	}
	return d, nil
}

// scale returns the factor 1/(νm) of f = (1/(νm)) Σ α_i k(x_i, ·) after the given number of visits.
func (d dual) scale(seen int64) float64 {
	m := int64(d.n)
	if d.settings.SGDStart {
		m = max(1, min(m, seen))
	}
	return 1 / (d.nu * float64(m))
}

// visit maximises the dual in the rows of a batch, one after another. For the rows b, c of the batch, sums holds
// Σ_j α_j k(x_j, x_b), gram k(x_b, x_c) and alpha α_b. visit replaces alpha by the new α and returns the change. seen is
// the number of visits before the batch.
func (d dual) visit(alpha, sums, gram, y compute.Matrix, seen int64) (gained compute.Matrix) {
	gained = compute.NewMatrix(alpha.Rows, alpha.Cols)
	for b := range alpha.Rows {
		s, among := sums.Row(b), gram.Row(b)
		for o, u := range s {
			for c, k := range among[:b] {
				u += gained.Data[c*len(s)+o] * k
			}
			s[o] = u
		}
		before, own := d.scale(seen+int64(b)), d.scale(seen+int64(b)+1)
		k, a, gain := among[b], alpha.Row(b), gained.Row(b)
		for o := range a {
			next := d.loss.DualStep(before*(s[o]-a[o]*k), own*k, y.At(b, o))
			gain[o] = next - a[o]
			a[o] = next
		}
	}
	return gained
}

// relativeGap returns (P(f) - D(α))/|P(f)|, the largest over all outputs, after seen visits. f and y are f(x_i) and y_i at
// all training rows. In a first pass that starts by SGD, f is not the f of D(α); D(α) still is a lower bound of the
// minimum of P.
func (d dual) relativeGap(seen int64, f, alpha, y compute.Matrix) float64 {
	largest, n := 0.0, float64(d.n)
	scale, full := d.scale(seen), 1/(d.nu*n)
	for o := range f.Cols {
		loss, conjugates, product := 0.0, 0.0, 0.0
		for i := range f.Rows {
			u, a := f.Row(i)[o:o+1], alpha.At(i, o)
			loss += d.loss.Value(u, y.Row(i)[o:o+1])
			conjugates += d.loss.Conjugate(a, y.At(i, o))
			product += a * u[0] // Σ α_i f(x_i) = ‖f‖²·νm
		}
		primal := loss/n + d.nu/2*scale*product
		dual := -conjugates/n - d.nu/2*full*full/scale*product
		if gap := primal - dual; gap > 0 {
			largest = max(largest, gap/math.Abs(primal))
		}
	}
	return largest
}

var (
	_ = algos.Register[*fsdca]("r-sdca", "stochastic dual coordinate ascent on random features [Shalev-Shwartz & Zhang 2013; dai2014 §6]", func() algos.Algorithm {
		return &RSDCA{SDCASettings{Batch: 1}, 256}
	}, algos.Known("duality-gap", (*fsdca).dualityGap))
	_ = algos.Register[*fsdca]("n-sdca", "stochastic dual coordinate ascent on Nyström features [Shalev-Shwartz & Zhang 2013; dai2014 §6]", func() algos.Algorithm {
		return &NSDCA{SDCASettings{Batch: 1}, 256, parts.UsualNystrom()}
	}, algos.Known("duality-gap", (*fsdca).dualityGap))
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
	Features int `toml:"features" want:"> 0" doc:"number of landmarks r"`
	parts.NystromSettings
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
	return a.start("n-sdca", p, a.Features, a.Draw)
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

// weights returns w.
func (f *fsdca) weights() compute.Matrix {
	w := parts.View(f.Sum, f.out).Clone()
	w.Scale(f.scale(f.Seen))
	return w
}

func (f *fsdca) Model() algos.Model { return parts.LinearModel{Features: f.z, Weights: f.weights()} }

func (f *fsdca) Both(x compute.Matrix) algos.Predictions {
	return parts.Both(f.z, f.weights(), parts.View(f.Mean, f.out), x)
}

// Anticipate implements algos.Anticipator: it keeps features.
func (f *fsdca) Anticipate(x compute.Matrix) { f.z.Anticipate(x) }

func (f *fsdca) Average() algos.Model {
	if !f.settings.Average {
		return nil
	}
	return parts.LinearModel{Features: f.z, Weights: parts.View(f.Mean, f.out)}
}

func (f *fsdca) State() any { return &f.fsdcaState }

// dualityGap returns relativeGap. It evaluates the features of all training rows, chunkRows at a time.
func (f *fsdca) dualityGap() float64 {
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
	c := a.FeaturesCost(s, r, visits, a.Batch)
	c.Flops += r * visits * (2*r + b + 4*float64(s.Out))
	c.Bytes += 8 * (float64(s.Out*s.N) + b*(r+b))
	return c
}
