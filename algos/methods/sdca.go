package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// SDCASettings are common to stochastic dual coordinate ascent [Shalev-Shwartz & Zhang 2013, §1 and procedure SDCA; the competitors of
// dai2014 §6 and §7] with the kernel and with explicit features. With one dual variable α_i for each of the n training rows and
//
//	f = (1/(νn)) Σ_i α_i k(x_i, ·)
//
// every visit of a row i sets α_i to the maximiser of the dual objective
//
//	D(α) = (1/n) Σ_i -l*(-α_i, y_i) - ν/2·‖f‖²
//
// the other α being fixed. D is a lower bound of the primal objective P(f) = (1/n) Σ_i l(f(x_i), y_i) + ν/2·‖f‖², dai2014 eq. (1) over the
// training sample, and equal to it at the optimum, where α_i = -l'(f(x_i), y_i). The rows of a batch are visited one after another, each
// with the f that those before it left: the batch is how much is computed at once, and changes no iterate.
//
// With SGDStart the first pass is theirs of §4, procedure Modified-SGD: the t-th row visited sees the
// solution of the rows before it, f = (1/(ν(t-1))) Σ_j α_j k(x_j, ·), and has 1/(νt) for the 1/(νn)
// of its own term. Without, the f of the first pass is small by a factor of t/n.
//
// Departures. Rows are visited in a new random order every pass, the paper's SDCA-Perm, not drawn with replacement, as in its analysis. The
// average, if it is kept, is over the f after each batch of all iterations, not of the last ones. Maximisers are exact, to a few roundings
// where there is no closed form; the paper offers lower bounds of the gain besides.
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

// visit maximises the dual in the rows of a batch, one after another. For the rows b, c of the batch, sums holds Σ_j α_j k(x_j, x_b), gram
// k(x_b, x_c) and alpha α_b. visit replaces alpha by the new α and returns the change. seen is the number of visits before the batch.
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

// relativeGap returns (P(f) - D(α))/|P(f)|, the largest over all outputs, after seen visits. f and y are f(x_i) and y_i at all training
// rows. In a first pass that starts by SGD, f is not the f of D(α); D(α) still is a lower bound of the minimum of P.
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

var _ = algos.Register[*fsdca]("r-sdca", "stochastic dual coordinate ascent on random features [Shalev-Shwartz & Zhang 2013; dai2014 §6]",
	func() algos.Algorithm { return &RSDCA{SDCASettings{Batch: 1}, 256} }, algos.Known("duality-gap", (*fsdca).dualityGap))
var _ = algos.Register[*fsdca]("n-sdca", "stochastic dual coordinate ascent on Nyström features [Shalev-Shwartz & Zhang 2013; dai2014 §6]",
	func() algos.Algorithm { return &NSDCA{SDCASettings{Batch: 1}, 256, parts.UsualNystrom()} },
	algos.Known("duality-gap", (*fsdca).dualityGap))

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

// fsdcaState holds νn·w, which equals Σ_i α_i z(x_i) up to rounding, as Alpha, and α of all rows.
type fsdcaState struct {
	parts.SpanState
	Duals []float64 // α, n × outputs
}

type fsdca struct {
	parts.Linear
	dual
	state fsdcaState
}

func (a *RSDCA) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-sdca", p, a.Features, parts.RandomFeatures{})
}

func (a *NSDCA) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-sdca", p, a.Features, a.NystromSettings)
}

func (a *RSDCA) Cost(s algos.Size) algos.Cost { return a.cost(s, a.Features, parts.RandomFeatures{}) }
func (a *NSDCA) Cost(s algos.Size) algos.Cost { return a.cost(s, a.Features, a.NystromSettings) }

// cost returns that of r features at every row [dai2014 Table 3], and of the products of a batch.
func (a *SDCASettings) cost(s algos.Size, features int, z parts.Drawing) algos.Cost {
	r, b, visits := float64(features), float64(a.Batch), float64(a.Batch)*float64(s.Steps)
	mixed := z.Mixed(r)
	c := z.FeaturesCost(s, r, visits, a.Batch)
	c.Flops += r * visits * (2*mixed + b + 4*float64(s.Out))
	c.Bytes += 8 * (float64(s.Out*s.N) + b*(mixed+b))
	return c
}

// start starts a fit of the named method with r features, if that solves the problem.
func (a *SDCASettings) start(name string, p *algos.Problem, r int, draw parts.Drawing) (algos.Fit, error) {
	d, err := newDual(name, a, p)
	if err != nil {
		return nil, err
	}
	z, err := draw.Draw(name, p, r)
	if err != nil {
		return nil, err
	}
	f := &fsdca{Linear: parts.NewLinear(p, z, a.Average), dual: d}
	f.Keep(&f.state.SpanState, &f.state)
	f.Form = f.weights
	f.state.Duals = make([]float64, d.n*f.Out)
	return f, nil
}

func (f *fsdca) Step() (algos.Progress, error) {
	rows, x, y := f.Order.Batch(f.Seen, f.settings.Batch)
	e := f.P.Engine
	base := f.Z.At(x)
	z := f.Z.Explicit(base)
	defer func() {
		e.Reuse(z)
		if &z.Data[0] != &base.Data[0] {
			e.Reuse(base)
		}
	}()
	sums := e.Mul(z, f.View(f.Alpha), false)
	if !sums.Finite() {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	gram := e.Zeroed(len(rows), len(rows))
	defer e.Reuse(gram)
	e.Syrk(gram, 1, z, false, 0)
	duals := f.View(f.state.Duals)
	alpha := duals.Select(rows)
	gained := f.visit(alpha, sums, gram, y, f.Seen)
	for b, r := range rows {
		copy(duals.Row(r), alpha.Row(b))
	}
	f.View(f.Alpha).AddScaled(1, e.Mul(z, gained, true))

	progress := f.Count.Stepped(len(rows))
	if f.settings.Average {
		parts.MoveMean(f.Mean, f.Alpha, f.scale(f.Seen), f.T)
	}
	return progress, nil
}

// weights returns w.
func (f *fsdca) weights() compute.Matrix {
	w := f.View(f.Alpha).Clone()
	w.Scale(f.scale(f.Seen))
	return w
}

// dualityGap returns relativeGap. It evaluates the features of all training rows, chunkRows at a time.
func (f *fsdca) dualityGap() float64 {
	x, y := f.P.Dense()
	u, m := compute.NewMatrix(y.Rows, y.Cols), f.Model()
	for lo := 0; lo < x.Rows; lo += chunkRows {
		hi := min(lo+chunkRows, x.Rows)
		u.RowRange(lo, hi).CopyFrom(m.Predict(x.RowRange(lo, hi)))
	}
	return f.relativeGap(f.Seen, u, f.View(f.state.Duals), y)
}

// SquaredNorms implements Normed: its bits are those of the factor squared.
func (f *fsdca) SquaredNorms() []float64 {
	scale := f.scale(f.Seen)
	return parts.ScaledSquares(scale*scale, f.View(f.Alpha))
}

var _ = algos.Register[*ksdca]("k-sdca", "stochastic dual coordinate ascent with the full kernel [Shalev-Shwartz & Zhang 2013; dai2014 §6]",
	func() algos.Algorithm { return &KSDCA{SDCASettings{Batch: 1}} }, algos.Known("duality-gap", (*ksdca).dualityGap))

// KSDCA is SDCA with the full kernel, the k-SDCA of dai2014 §6. A step evaluates k at the pairs of its batch and of the batch with the
// support, the rows with α_i ≠ 0: O(dt) a row and O(dt) memory [dai2014 Table 2]. Rows whose α_i has become 0 leave the support at the end
// of a pass, unless the averaged iterate needs them.
type KSDCA struct{ SDCASettings }

// ksdca is a fit of KSDCA. Its terms are k(x_i, ·) of the rows of the support, in the order in which they entered it; Alpha is α of these,
// Mean (1/t) Σ α/(νm), and Terms goes to the end of the first pass.
type ksdca struct {
	*parts.Additive
	dual
}

func (a *KSDCA) Start(p *algos.Problem) (algos.Fit, error) {
	d, err := newDual("k-sdca", &a.SDCASettings, p)
	if err != nil {
		return nil, err
	}
	f := &ksdca{parts.NewAdditive(p, a.Average, nil), d}
	f.Form = func() compute.Matrix {
		c := f.Coefs().Clone()
		c.Scale(f.scale(f.Seen))
		return c
	}
	return f, nil
}

func (f *ksdca) Step() (algos.Progress, error) {
	rows, x, y := f.Order.Batch(f.Seen, f.settings.Batch)
	sums := f.Sum(x, f.Coefs())
	if !sums.Finite() {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	at, alpha := f.find(rows)
	f.visit(alpha, sums, f.P.Engine.KernelMatrix(f.P.Kernel, x, x), y, f.Seen)
	f.put(rows, at, alpha)
	return f.ended(len(rows)), nil
}

// Model implements Fit: the factor of f comes after the sum.
func (f *ksdca) Model() algos.Model {
	return algos.Predictor(func(x compute.Matrix) compute.Matrix {
		u := f.Sum(x, f.Coefs())
		u.Scale(f.scale(f.Seen))
		return u
	})
}

// dualityGap returns relativeGap. It evaluates k at all training rows and the support.
func (f *ksdca) dualityGap() float64 {
	x, y := f.P.Dense()
	alpha := compute.NewMatrix(f.n, f.Out)
	for i, row := range f.Rows {
		copy(alpha.Row(row), f.Alpha[i*f.Out:])
	}
	return f.relativeGap(f.Seen, f.Model().Predict(x), alpha, y)
}

// Cost implements Coster: a step evaluates k at the pairs of its B rows with the support, at most n rows, and with each other. Predictions
// cost what Advance says if the curve has at most one point before the end of the first pass; with more points they cost less.
func (a *KSDCA) Cost(s algos.Size) algos.Cost {
	b, n, t := float64(a.Batch), float64(s.N), float64(s.Steps)
	first := min(t, float64((s.N+a.Batch-1)/a.Batch)) // steps of the first pass
	support := min(n, b*t)
	evals := 1.0
	if t > first {
		evals = float64(s.Evals)
	}
	return algos.Cost{
		KernelEvals: b*b*first*(first-1)/2 + (t-first)*b*n + b*b*t,
		Together:    a.Batch,
		EvalCost:    support * evals,
		Bytes:       8 * (support*(float64(s.In)+1+parts.Iterates(a.Average)*float64(s.Out)) + first + 2*b*b),
	}
}

// The support of ksdca, the rows with α_i ≠ 0: how it is searched, how it grows and shrinks, and how predictions follow it.

// find returns the index of each row in the support, -1 if it is not there, and their α.
func (f *ksdca) find(rows []int) (at []int, alpha compute.Matrix) {
	at, alpha = make([]int, len(rows)), compute.NewMatrix(len(rows), f.Out)
	first := f.Seen < int64(f.n) // then the rows are new, and Find would only take memory
	for b, r := range rows {
		at[b] = -1
		if !first {
			at[b] = f.Find(r)
		}
		if at[b] >= 0 {
			copy(alpha.Row(b), f.Alpha[at[b]*f.Out:])
		}
	}
	return at, alpha
}

// put stores the α of rows, whose places find returned.
func (f *ksdca) put(rows, at []int, alpha compute.Matrix) {
	for b, row := range rows {
		switch a := alpha.Row(b); {
		case at[b] >= 0:
			copy(f.Alpha[at[b]*f.Out:], a)
		case parts.Nonzero(a):
			f.Rows = append(f.Rows, row)
			f.Alpha = append(f.Alpha, a...)
			if f.settings.Average {
				f.Mean = append(f.Mean, make([]float64, f.Out)...)
			}
		}
	}
}

// ended ends a step with the given number of rows: it updates the average and, at the end of every pass after the first,
// drops rows from the support.
func (f *ksdca) ended(rows int) algos.Progress {
	first := f.Seen < int64(f.n)
	p := f.Count.Stepped(rows)
	if f.settings.Average {
		parts.MoveMean(f.Mean, f.Alpha, f.scale(f.Seen), f.T)
	}
	if first {
		f.Terms = append(f.Terms, len(f.Rows))
	} else if f.Seen%int64(f.n) == 0 {
		f.drop()
	}
	return p
}

// drop removes rows with α = 0 from the support, except those that the averaged iterate uses.
func (f *ksdca) drop() {
	n := 0
	for i, row := range f.Rows {
		lo, hi := i*f.Out, (i+1)*f.Out
		if !parts.Nonzero(f.Alpha[lo:hi]) && !(f.settings.Average && parts.Nonzero(f.Mean[lo:hi])) {
			continue
		}
		f.Rows[n] = row
		copy(f.Alpha[n*f.Out:], f.Alpha[lo:hi])
		if f.settings.Average {
			copy(f.Mean[n*f.Out:], f.Mean[lo:hi])
		}
		n++
	}
	f.Rows, f.Alpha = f.Rows[:n], f.Alpha[:n*f.Out]
	if f.settings.Average {
		f.Mean = f.Mean[:n*f.Out]
	}
}

// Advance implements Incremental. In the first pass, where every α_i is set once,
//
//	f_t = (m_k/m_t) f_k + (1/(νm_t)) Σ_new α_j k(x_j, ·)
//	t·f̂_t = k·f̂_k + (Σ_{k<i≤t} m_k/m_i) f_k + t·Σ_new ᾱ_j k(x_j, ·)
//
// with m = n, or the number of rows visited if the pass is a start by SGD. Later predictions are computed anew, with n
// kernel values per point, because a pass changes most α.
func (f *ksdca) Advance(k int, x compute.Matrix, p algos.Predictions) {
	if k == f.T {
		return
	}
	from, of := 0, parts.Advance{Scale: f.scale(f.Seen)} // predictions are computed anew
	if k > 0 && f.Seen <= int64(f.n) && f.Terms[k-1] > 0 {
		from, of.Mean = k, float64(k)
		old := f.scale(int64(k * f.settings.Batch))
		for i := k + 1; i <= f.T; i++ {
			of.Last = f.scale(min(int64(i*f.settings.Batch), f.Seen)) / old
			of.Sum += of.Last
		}
	}
	f.AdvanceFrom(from, x, p, of)
}
