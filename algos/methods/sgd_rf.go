package methods

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*sgdRF]("sgd-rf", "stochastic gradient descent on random features with a constant step [ma2017 Sec. 6, carratino2018 eq. (3)]",
	func() algos.Algorithm { return &SGDRF{Batch: 256, Features: 4096, Sampling: "epochs", Subsample: 4800} },
	algos.Computed("step-limit", (*sgdRF).stepLimit))

// SGDRF is stochastic gradient descent on random features with a constant step: the SGD-RF of ma2017 Sec. 6, which is
// EigenProRF with P = I, and carratino2018 eq. (3). In the letters of the latter, with M features φ_M(x), batches of b
// examples and the last iterate as the estimator,
//
//	w_{t+1} = w_t - γ (1/b) Σ_{i=b(t-1)+1}^{bt} (⟨w_t, φ_M(x_{j_i})⟩ - y_{j_i}) φ_M(x_{j_i}),  w_1 = 0,
//
// where the indices j_i are drawn uniformly with replacement, and T steps are bT/n passes. This is the square loss without
// regularisation; with another loss l and ν > 0 the residual is l'(f(x), y), and w shrinks by 1 - γν.
//
// The features are φ_M(x) = M^(-1/2) (√2 cos(ω_j·x + b_j))_j, whose mean product is k. Those of carratino2018 Example 1 lack the factor √2,
// so that their kernel is k/2 (half_kernel). The iteration on them with the step γ has the same functions ⟨w_t, φ_M(·)⟩ as the iteration
// with √2 and the step γ/2, because a step moves ⟨w, φ_M(x)⟩ by γ times inner products of features. Their covariance, and so its eigenvalue
// λ_1, is half as large: full gradients converge for γ < 2/λ_1, which is twice as far.
//
// Departures. ma2017 visits every example once per epoch, the default here. Where the spec gives no step, it is that of GD.
type SGDRF struct {
	Batch      int                `toml:"batch" want:"> 0" doc:"examples per iteration: m of ma2017, b of carratino2018"`
	Features   int                `toml:"features" want:"> 0" doc:"number of random features: r of ma2017, M of carratino2018"`
	HalfKernel bool               `toml:"half_kernel" doc:"features cos(ω·x + b) without the factor √2, whose kernel is k/2 [carratino2018 Example 1]: the functions of half the step size"`
	Sampling   string             `toml:"sampling" want:"|epochs|replacement" doc:"epochs: every row once per epoch; replacement: each example is drawn from all rows [carratino2018 eq. (3)]"`
	Step       schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample  int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
	Average    bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ w_i"`
}

// sgdRF is a fit of SGDRF.
type sgdRF struct {
	featureIterate
	largest func() (float64, error) // computes λ_1 of the covariance of the features
	x, y    parts.Scratch           // of upcoming
}

func (a *SGDRF) Start(p *algos.Problem) (algos.Fit, error) {
	iterate, err := newFeatureIterate("sgd-rf", p, a.Features, a.Batch, a.Average)
	if err != nil {
		return nil, err
	}
	f := &sgdRF{featureIterate: iterate}
	if f.Order, err = parts.NewSampling("sgd-rf", p, a.Traits().Replacement); err != nil {
		return nil, err
	}
	if !a.Traits().Replacement {
		f.batch = min(f.batch, p.Train.Len()) // its size decides how steps are made
	}
	share := 1.0 // of the kernel
	if a.HalfKernel {
		share = 0.5
		f.z.S *= math.Sqrt(share)
	}
	f.largest = func() (float64, error) {
		s, err := f.z.Eigensystem(0, parts.SketchOfOne, a.Subsample)
		return share * s.First(), err
	}
	if a.Step != nil {
		f.gamma = a.Step.Gamma
		return f, nil
	}
	if f.gamma, err = parts.OwnStep("sgd-rf", p, f.largest); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *sgdRF) Step() (algos.Progress, error) {
	i := f.Leap(1)[0]
	return i.Progress, i.Err
}

// Footprint implements Sizer: the weights.
func (f *sgdRF) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.Mean)) }

// Both implements algos.Both: the features are evaluated once.
func (f *sgdRF) Both(x compute.Matrix) algos.Predictions { return f.BothAtOnce(x) }

// stepLimit returns 2/λ_1, λ_1 the largest eigenvalue of the Hessian of the square loss over the subsample: the largest step size with
// which full gradients are stable.
func (f *sgdRF) stepLimit() (float64, error) {
	first, err := f.largest()
	return 2 / first, err
}

// Traits implements Described. Fits share what they compute if their settings differ in given step sizes only.
func (a *SGDRF) Traits() algos.Traits {
	t := algos.Traits{Batch: a.Batch, Replacement: a.Sampling == "replacement"}
	if a.Step != nil {
		own := *a
		own.Step = nil
		t.Shared = own
	}
	return t
}

// Cost implements Coster: the features of every example, and those of the subsample for every λ_1.
func (a *SGDRF) Cost(s algos.Size) algos.Cost {
	batch := a.Batch
	if !a.Traits().Replacement {
		batch = min(batch, s.N)
	}
	c := featuresCost(s, a.Features, batch)
	if batch <= fewExamples {
		c.FeatureEvals, c.Together, c.Calls = float64(batch)*float64(a.Features)*float64(s.Steps), 0, algos.StepCalls*float64(s.Evals)
	}
	if a.Average {
		numbers := float64(a.Features) * float64(s.Out)
		c.Flops, c.Bytes = c.Flops+3*numbers*float64(s.Steps), c.Bytes+8*4*numbers
	}
	limits := s.Limits
	if a.Step == nil {
		limits++
	}
	if r, m := float64(a.Features), float64(min(a.Subsample, s.N)); limits > 0 {
		c.FeatureEvals += float64(limits) * s.Evaluated(m*r, 2)
		c.Bytes += s.StoredBytes(m*r) + 8*(2*r+m)*min(parts.SketchOfOne, r, m)
		for range limits {
			parts.AddSketch(&c, 0, parts.SketchOfOne, m, r)
		}
	}
	return c
}

// fewExamples is the largest batch whose steps are made row by row. Last bits of results depend on it.
const fewExamples = 64

// Numbers and rows of features that are evaluated together, for the steps that follow or for parts of a batch. In single
// precision they fill half of a usual L2 cache. Last bits of steps with large batches depend on them.
const (
	featuresTogether = 1 << 18
	featurePanel     = 48 // rows of a panel of the core
	leastTogether    = featurePanel
	mostTogether     = 4096
)

// Leap implements Leaper. Features do not depend on w, nor on the step size: those of the examples of many small batches are
// evaluated together, once for all fits and on all threads. Then the steps are made one after another.
func (f *sgdRF) Leap(n int, others ...algos.Fit) []algos.Iterations {
	all := []*featureIterate{&f.featureIterate}
	for _, o := range others {
		all = append(all, &o.(*sgdRF).featureIterate)
	}
	if f.batch > fewExamples {
		return stepTogether(all, nil)
	}
	next, done := f.upcoming(n), make([]algos.Iterations, len(all))
	for k, g := range all {
		own := next
		if k > 0 {
			own.z = compute.RowsOf(g.P.Engine.Borrow(next.z))
		}
		done[k] = g.descendByRows(own)
	}
	return done
}

// upcoming are the examples of some iterations.
type upcoming struct {
	z    compute.Rowwise // their features, without the factor s
	rows []int           // of z
	y    compute.Matrix
	ends []int // how many examples the iterations have together, up to each
}

// upcoming evaluates the features of the examples of the next iterations, of n at most. They are valid until the next call.
func (f *sgdRF) upcoming(n int) (next upcoming) {
	rows, ends := f.Order.Ahead(f.Seen, f.batch, n, together(f.r))
	in, _ := f.P.Train.Dims()
	x := f.x.Matrix(len(rows), in)
	next.y, next.ends = f.y.Matrix(len(rows), f.Out), ends
	f.P.Train.Gather(rows, x, next.y)
	next.z = f.P.Engine.Evaluate(f.z.Unstored(x))
	for i := range rows {
		next.rows = append(next.rows, i)
	}
	return next
}

// together returns how many rows of r features are evaluated together.
func together(r int) int { return min(max(featuresTogether/r, leastTogether), mostTogether) }

// descendByRows makes the iterations of eq. (3), each by inner products with rows of features and multiples of them.
func (f *featureIterate) descendByRows(next upcoming) (done algos.Iterations) {
	w, mean := f.columns(f.Alpha), f.columns(f.Mean)
	defer f.setColumns(f.Alpha, w)
	defer f.setColumns(f.Mean, mean)
	residuals, factors := make([]float64, f.batch*f.Out), make([]float64, f.batch)
	for _, end := range next.ends {
		seen, eta := done.Progress.Seen, f.gamma(f.T+1)
		rows := next.rows[seen:end]
		r, c := parts.View(residuals[:len(rows)*f.Out], f.Out), factors[:len(rows)]
		for q, v := range w {
			next.z.Dots(c, rows, v)
			for i, u := range c {
				r.Set(i, q, f.z.S*u)
			}
		}
		done.Made++
		if !parts.Residual(f.P, r, next.y.RowRange(seen, end)) {
			return algos.Iterations{Made: done.Made, Err: parts.Diverged(f.T + 1)}
		}
		shrink, factor := 1-eta*f.P.Nu, -eta*f.z.S/float64(len(rows))
		for q, v := range w {
			if shrink != 1 {
				for j := range v {
					v[j] *= shrink
				}
			}
			for i := range c {
				c[i] = factor * r.At(i, q)
			}
			next.z.AddTo(v, rows, c)
		}
		f.Count.Stepped(len(rows))
		for q, v := range mean {
			parts.MoveMean(v, w[q], 1, f.T)
		}
		done.Progress.Seen = end
	}
	return done
}

// columns returns weights of each output in consecutive memory, nil if there are none.
func (f *featureIterate) columns(weights []float64) [][]float64 {
	if len(weights) == 0 {
		return nil
	}
	if f.Out == 1 {
		return [][]float64{weights}
	}
	w, all := make([][]float64, f.Out), parts.View(weights, f.Out)
	for q := range w {
		w[q] = make([]float64, f.r)
		for j := range w[q] {
			w[q][j] = all.At(j, q)
		}
	}
	return w
}

// setColumns sets weights to what columns returned.
func (f *featureIterate) setColumns(weights []float64, w [][]float64) {
	if f.Out == 1 {
		return
	}
	for q, v := range w {
		for j, a := range v {
			weights[j*f.Out+q] = a
		}
	}
}

// A featureIterate is f(x) = ⟨α, z(x)⟩ for r random features z(x) = s (φ_{ω_1}(x), …, φ_{ω_r}(x)), and its steps of stochastic
// gradient descent: the part that EigenProRF and SGDRF share. s is r^(-1/2) unless the method says otherwise.
type featureIterate struct {
	parts.Span
	z     *parts.FeatureOperator // Z/s
	r     int
	batch int
	gamma func(t int) float64
}

// newFeatureIterate returns an iterate of the named method without step sizes, which visits every row once per epoch.
func newFeatureIterate(method string, p *algos.Problem, r, batch int, average bool) (f featureIterate, err error) {
	if err = parts.Solves(method, p, parts.NoThreshold); err != nil {
		return f, err
	}
	z, err := parts.NewFeatureOperator(method, p, r)
	if err != nil {
		return f, err
	}
	return featureIterate{Span: parts.NewSpan(p, z, r, average), z: z, r: r, batch: batch}, nil
}

// stepTogether makes one iteration of several iterates at the same examples, α ← (1 - ην)α - ηg with g = (1/m) Z_mᵀ l'(Z_m α, y), and then
// calls also, if it is not nil, with η, α and g. It adds up g over as many rows at a time as have their features in the cache.
func stepTogether(all []*featureIterate, also func(eta float64, alpha, g compute.Matrix)) []algos.Iterations {
	first := all[0]
	rows, x, y := first.Order.Batch(first.Seen, first.batch)
	done, sums := make([]algos.Iterations, len(all)), make([]compute.Matrix, len(all))
	for k := range all {
		sums[k] = compute.NewMatrix(first.r, first.Out)
	}
	part := compute.NewMatrix(first.r, first.Out)
	for lo, most := 0, together(first.r)/featurePanel*featurePanel; lo < len(rows); lo += most {
		hi := min(lo+most, len(rows))
		z := sharedFeatures{x: x.RowRange(lo, hi)}
		for k, f := range all {
			if done[k].Err != nil {
				continue
			}
			if !f.gradient(part, z.of(f), y.RowRange(lo, hi)) {
				done[k] = algos.Iterations{Made: 1, Err: parts.Diverged(f.T + 1)}
				continue
			}
			sums[k].AddScaled(f.z.S/float64(len(rows)), part)
		}
		z.release()
	}
	for k, f := range all {
		if done[k].Err == nil {
			f.descend(sums[k], also)
			done[k] = algos.Iterations{Made: 1, Progress: f.Stepped(len(rows))}
		}
	}
	return done
}

// sharedFeatures are the features of the rows of x, which the first iterate that asks for them evaluates.
type sharedFeatures struct {
	x     compute.Matrix
	z     compute.Operator // √r Z
	owner *compute.Engine
}

// of returns √r Z as an operator of f.
func (s *sharedFeatures) of(f *featureIterate) compute.Operator {
	switch {
	case s.z == nil:
		s.z, s.owner = f.z.At(s.x), f.P.Engine
		return s.z
	case compute.IsStored(s.z):
		return f.P.Engine.Borrow(s.z)
	}
	return f.z.Unstored(s.x)
}

func (s *sharedFeatures) release() {
	if s.z != nil {
		s.owner.Release(s.z)
	}
}

// descend sets α to (1 - ην)α - ηg.
func (f *featureIterate) descend(g compute.Matrix, also func(eta float64, alpha, g compute.Matrix)) {
	alpha, eta := f.View(f.Alpha), f.gamma(f.T+1)
	if shrink := 1 - eta*f.P.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	alpha.AddScaled(-eta, g)
	if also != nil {
		also(eta, alpha, g)
	}
}

// gradient sets g to (Z/s)ᵀ l'(Zα, y) of the rows of z. It returns false if a prediction is not finite.
func (f *featureIterate) gradient(g compute.Matrix, z compute.Operator, y compute.Matrix) bool {
	r := compute.NewMatrix(y.Rows, f.Out)
	z.MulTo(r, f.View(f.Alpha))
	r.Scale(f.z.S)
	if !parts.Residual(f.P, r, y) {
		return false
	}
	z.MulTransTo(g, r)
	return true
}

// featuresCost returns the cost of SGD on r random features with full batches. A step multiplies Z_m and Z_mᵀ.
func featuresCost(s algos.Size, features, batch int) algos.Cost {
	r, b, t := float64(features), float64(batch), float64(s.Steps)
	return algos.Cost{
		FeatureEvals: t * s.Evaluated(b*r, 2),
		Together:     batch,
		Flops:        4 * r * b * t * float64(s.Out),
		EvalCost:     r * float64(s.Evals),
		Bytes:        8 * r * 3 * float64(s.Out),
	}
}
